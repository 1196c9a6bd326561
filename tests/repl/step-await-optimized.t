#! fixture=StepAsync config=RtRelease args="chain sync cancelled both" runtimes=11 exit=0
## Of optimised code of runtime async the JIT tells few places. A method's first
## line begins behind its entry, by which it is also resumed: one call, one hit.
+break @middle-await
Breakpoint 1 at {...}: file StepAsync.cs, line {@middle-await}.
+run
...
Breakpoint 1, StepAsync.Program.Middle ({...}) at StepAsync.cs:{@middle-await}
{@middle-await}{...}// @middle-await
+step
...
StepAsync.Program.Leaf (n=1) at StepAsync.cs:{@leaf-await}
{@leaf-await}{...}// @leaf-await
## A caller in a line that has no place of its own.
+bt 3
#0  StepAsync.Program.Leaf (n=1) at StepAsync.cs:{@leaf-await}
#1  {addr} in StepAsync.Program.Middle ({...}) at StepAsync.cs:{@middle-await}
#2  {addr} in StepAsync.Program.Chain () at StepAsync.cs:{@chain-await}
...
## Nothing of the line is left behind the await.
+finish
Run till exit from #0  StepAsync.Program.Leaf (n=1) at StepAsync.cs:{@leaf-await}
...
StepAsync.Program.Middle ({...}) at StepAsync.cs:{@middle-after}
{@middle-after}{...}// @middle-after
+finish
Run till exit from #0  StepAsync.Program.Middle ({...}) at StepAsync.cs:{@middle-after}
...
StepAsync.Program.Chain () at StepAsync.cs:{@chain-second}
{@chain-second}{...}// @chain-second
+step
...
Breakpoint 1, StepAsync.Program.Middle ({...}) at StepAsync.cs:{@middle-await}
{@middle-await}{...}// @middle-await
+next
...
{@middle-after}{...}// @middle-after
+finish
...
StepAsync.Program.Chain () at StepAsync.cs:{@chain-second}
{@chain-second}{...}// @chain-second
## The sum is made in what is left of that line.
+next
...
StepAsync.Program.Section (name="chain", {...}) at StepAsync.cs:{@section}
{@section}{...}// @section
+info breakpoints
...
	breakpoint already hit 2 times
+next
{@section-print}{...}// @section-print
+print value
$1 = 14
## What is done at once returns to its caller as any method, with its value.
+tbreak @ready-await
...
+continue
...
{@ready-await}{...}// @ready-await
+finish
Run till exit from #0  StepAsync.Program.Ready (n=4) at StepAsync.cs:{@ready-await}
StepAsync.Program.Synchronous () at StepAsync.cs:{@sync-await}
{@sync-await}{...}// @sync-await
Value returned is $2 = 4
## An exception: to the handler of who awaits.
+tbreak @fails-cancelled
...
+continue
...
{@fails-cancelled}{...}// @fails-cancelled
+next
...
StepAsync.Program.Cancelled () at StepAsync.cs:{@cancelled-catch}
{@cancelled-catch}{...}// @cancelled-catch
+next
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
+continue
Continuing.
both 5
ok
[Inferior 1 (process {n}) exited normally]
