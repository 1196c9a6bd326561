#! fixture=Steps args="calls calls" exit=0
## Over, into and out of nested calls, of methods not compiled yet and
## compiled.
+break @calls
Breakpoint 1 at {...}: file Steps.cs, line {@calls}.
+run
Starting program: {out}/Steps.dll calls calls

Breakpoint 1, Steps.Program.Calls () at Steps.cs:{@calls}
{@calls}{...}// @calls
+next
{@calls-nested}{...}// @calls-nested
## Innermost first: Two(a).
+step
Steps.Program.Two (n=1) at Steps.cs:{@two}
{@two}{...}// @two
+next
{@two-return}{...}// @two-return
+print m
$1 = 3
+next
{@two-close}{...}// @two-close
## Back in the caller, whose line is not done: One(3).
+step
Steps.Program.Calls () at Steps.cs:{@calls-nested}
{@calls-nested}{...}// @calls-nested
+step
Steps.Program.One (n=3) at Steps.cs:{@one}
{@one}{...}// @one
+finish
Run till exit from #0  Steps.Program.One (n=3) at Steps.cs:{@one}
{...}Steps.Program.Calls () at Steps.cs:{@calls-nested}
{@calls-nested}{...}// @calls-nested
## Both have code now: One(1), then Two(2).
Value returned is $2 = 4
+step
Steps.Program.One (n=1) at Steps.cs:{@one}
{@one}{...}// @one
+next
{@one-close}{...}// @one-close
+next
Steps.Program.Calls () at Steps.cs:{@calls-nested}
{@calls-nested}{...}// @calls-nested
+step
Steps.Program.Two (n=2) at Steps.cs:{@two}
{@two}{...}// @two
+up
#1  {addr} in Steps.Program.Calls () at Steps.cs:{@calls-nested}
{@calls-nested}{...}// @calls-nested
## Out of the selected frame.
+finish
Run till exit from #1  {addr} in Steps.Program.Calls () at Steps.cs:{@calls-nested}
{...}Steps.Program.Section (name="calls", {...}) at Steps.cs:{@section}
{@section}{...}// @section
Value returned is $3 = 9
+next
{@section-print}{...}// @section-print
+print value
$4 = 9
## Into what has no source is over it.
+step
calls 9
{@section-close}{...}// @section-close
+kill
[Inferior 1 (process {n}) killed]
