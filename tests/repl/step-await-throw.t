#! fixture=StepAsync config=Debug,Release,RtDebug args="cancelled both void" exit=0
## What is awaited is cancelled: the exception leaves one method for the task
## and comes out of the await of the other, where it is caught.
+tbreak @fails-cancelled
Temporary breakpoint 1 at {...}: file StepAsync.cs, line {@fails-cancelled}.
+run
Starting program: {out}/StepAsync.dll cancelled both void

Temporary breakpoint 1, StepAsync.Program.Fails ({...}) at StepAsync.cs:{@fails-cancelled}
{@fails-cancelled}{...}// @fails-cancelled
+next
...
## The runtime's own resumes who has a handler, there.
{Debug,Release}StepAsync.Program.Cancelled () at StepAsync.cs:{@cancelled-await}
{Debug,Release}{@cancelled-await}{...}// @cancelled-await
{RtDebug}StepAsync.Program.Cancelled () at StepAsync.cs:{@cancelled-catch}
{RtDebug}{@cancelled-catch}{...}// @cancelled-catch
+next
{Release}StepAsync.Program.Cancelled () at StepAsync.cs:{@cancelled-catch}
{Debug,Release}{@cancelled-catch}{...}// @cancelled-catch
{RtDebug}{@cancelled-open}{...}// @cancelled-open
+advance @cancelled-caught
StepAsync.Program.Cancelled () at StepAsync.cs:{@cancelled-caught}
{@cancelled-caught}{...}// @cancelled-caught
+finish
...
StepAsync.Program.Section (name="cancelled", {...}) at StepAsync.cs:{@section}
{@section}{...}// @section
## Through a task that waits for several.
+tbreak @leaf-return if n == 2
...
+continue
...
{@leaf-return}{...}// @leaf-return
+finish
...
StepAsync.Program.Both () at StepAsync.cs:{@all-await}
{@all-await}{...}// @all-await
+next
{@all-return}{...}// @all-return
+continue
Continuing.
both 5
void 3
ok
[Inferior 1 (process {n}) exited normally]
