#! fixture=StepAsync config=Debug,Release,RtDebug args="chain sync" exit=0
## Out of an async method: into the method that awaits it, or the thread that
## is blocked until it is done, wherever they go on.
+tbreak @leaf-await
Temporary breakpoint 1 at {...}: file StepAsync.cs, line {@leaf-await}.
+run
Starting program: {out}/StepAsync.dll chain sync

Temporary breakpoint 1, StepAsync.Program.Leaf (n=1) at StepAsync.cs:{@leaf-await}
{@leaf-await}{...}// @leaf-await
+finish
Run till exit from #0  StepAsync.Program.Leaf (n=1) at StepAsync.cs:{@leaf-await}
...
StepAsync.Program.Middle (n=1) at StepAsync.cs:{@middle-await}
{@middle-await}{...}// @middle-await
+finish
Run till exit from #0  StepAsync.Program.Middle (n=1) at StepAsync.cs:{@middle-await}
...
StepAsync.Program.Chain () at StepAsync.cs:{@chain-await}
{@chain-await}{...}// @chain-await
+next
{@chain-second}{...}// @chain-second
## Into what it calls next, and to its end.
+step
StepAsync.Program.Middle (n=4) at StepAsync.cs:{@middle-await}
{@middle-await}{...}// @middle-await
+advance @middle-close
...
{@middle-close}{...}// @middle-close
+next
...
StepAsync.Program.Chain () at StepAsync.cs:{@chain-second}
{@chain-second}{...}// @chain-second
+finish
Run till exit from #0  StepAsync.Program.Chain () at StepAsync.cs:{@chain-second}
...
StepAsync.Program.Section (name="chain", {...}) at StepAsync.cs:{@section}
{@section}{...}// @section
+next
{@section-print}{...}// @section-print
+print value
$1 = 14
## What is done at once returns to its caller as any method.
+tbreak @ready-return
...
+continue
...
{@ready-return}{...}// @ready-return
+finish
Run till exit from #0  StepAsync.Program.Ready (n=4) at StepAsync.cs:{@ready-return}
...
StepAsync.Program.Synchronous () at StepAsync.cs:{@sync-await}
{@sync-await}{...}// @sync-await
{RtDebug}Value returned is $2 = 4
+continue
Continuing.
sync 4
ok
[Inferior 1 (process {n}) exited normally]
