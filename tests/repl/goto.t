#! fixture=StepKinds args=jumps exit=0
## The next statement: back, forth, into a try, inside of a finally.
+break @jump-hundred
Breakpoint 1 at {...}: file StepKinds.cs, line {@jump-hundred}.
+run
Starting program: {out}/StepKinds.dll jumps

Breakpoint 1, StepKinds.Program.Jumps () at StepKinds.cs:{@jump-hundred}
{@jump-hundred}{...}// @jump-hundred
+set next-statement @jump-ten
StepKinds.Program.Jumps () at StepKinds.cs:{@jump-ten}
{@jump-ten}{...}// @jump-ten
+bt 1
#0  StepKinds.Program.Jumps () at StepKinds.cs:{@jump-ten}
(More stack frames follow...)
+next

Breakpoint 1, StepKinds.Program.Jumps () at StepKinds.cs:{@jump-hundred}
{@jump-hundred}{...}// @jump-hundred
+print n
$1 = 21
## Over a line, into the try.
+set next-statement @jump-try
StepKinds.Program.Jumps () at StepKinds.cs:{@jump-try}
{@jump-try}{...}// @jump-try
+next 3
...
{@jump-finally}{...}// @jump-finally
+set next-statement @jump-finally-open
StepKinds.Program.Jumps () at StepKinds.cs:{@jump-finally-open}
{@jump-finally-open}{...}// @jump-finally-open
+next 2
{@jump-finally-close}{...}// @jump-finally-close
+next
...
{@jump-loop}{...}// @jump-loop
## jump runs on, and stops at a breakpoint right there.
+jump @jump-hundred

Breakpoint 1, StepKinds.Program.Jumps () at StepKinds.cs:{@jump-hundred}
{@jump-hundred}{...}// @jump-hundred
+delete
+jump @jump-return
jumps 1026
ok
[Inferior 1 (process {n}) exited normally]
