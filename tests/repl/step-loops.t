#! fixture=Steps args=loops exit=0
## Through loops a line at a time; until leaves them.
+break @loops
Breakpoint 1 at {...}: file Steps.cs, line {@loops}.
+run
Starting program: {out}/Steps.dll loops

Breakpoint 1, Steps.Program.Loops () at Steps.cs:{@loops}
{@loops}{...}// @loops
+next
{@loop-head}{...}// @loop-head
+next
{@loop-open}{...}// @loop-open
+next
{@loop-body}{...}// @loop-body
+next
{@loop-close}{...}// @loop-close
+next
{@loop-head}{...}// @loop-head
+print i
$1 = 0
## At the jump back: past the loop.
+until
{@while-head}{...}// @while-head
+print sum
$2 = 3
+next
{@while-body}{...}// @while-body
## No jump back here, so this is a step over.
+until
{@while-head}{...}// @while-head
+next
{@while-body}{...}// @while-body
+next
{@while-head}{...}// @while-head
+next
{@foreach}{...}// @foreach
+next
{@foreach-body}{...}// @foreach-body
+next
{@foreach}{...}// @foreach
+next
{@foreach-body}{...}// @foreach-body
+print n
$3 = 2
+next
{@foreach}{...}// @foreach
+next
{@loops-return}{...}// @loops-return
+print sum
$4 = 14
+until @section-print
{...}Steps.Program.Section (name="loops", {...}) at Steps.cs:{@section}
{@section}{...}// @section
+continue
Continuing.
loops 14
ok
[Inferior 1 (process {n}) exited normally]
