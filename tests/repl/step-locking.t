#! fixture=StepKinds args="held held" exit=0
## Another thread turns only while it may; the runtime's own that compiles in
## the background would be held as well, perhaps with a lock of the compiler's.
+set environment DOTNET_TieredCompilation=0
+break @held-before
Breakpoint 1 at {...}: file StepKinds.cs, line {@held-before}.
+show scheduler-locking
scheduler-locking: off
+set scheduler-locking step
+run
Starting program: {out}/StepKinds.dll held held

Breakpoint 1, StepKinds.Program.Held () at StepKinds.cs:{@held-before}
{@held-before}{...}// @held-before
+next
{@held-pause}{...}// @held-pause
+step
StepKinds.Program.Pause () at StepKinds.cs:{@pause}
{@pause}{...}// @pause
+next
...
+finish
...
+next 2
{@held-end}{...}// @held-end
## Only steps hold it: it ends when all run.
+continue
Continuing.
held 1
ok
[Inferior 1 (process {n}) exited normally]
+set scheduler-locking off
+run
Starting program: {out}/StepKinds.dll held held

Breakpoint 1, StepKinds.Program.Held () at StepKinds.cs:{@held-before}
{@held-before}{...}// @held-before
+next
{@held-pause}{...}// @held-pause
## The other thread has its turn, however busy the machine is: it is joined.
+tbreak @held-other
Temporary breakpoint 2 at {addr}: file StepKinds.cs, line {@held-other}.
+continue
Continuing.
...
Temporary breakpoint 2, StepKinds.Program.{...} () at StepKinds.cs:{@held-other}
{@held-other}{...}// @held-other
+kill
[Inferior 1 (process {n}) killed]
