#! fixture=StepAsync args="consume using" exit=0 config=Debug,RtDebug
## Async iterators: into the body, from a yield back to who consumes it,
## whether it was resumed or called; await using.
+break @consume-foreach
Breakpoint 1 at {...}: file StepAsync.cs, line {@consume-foreach}.
+run
Starting program: {out}/StepAsync.dll consume using

Breakpoint 1, StepAsync.Program.Consume () at StepAsync.cs:{@consume-foreach}
{@consume-foreach}{...}// @consume-foreach
+delete
+step
StepAsync.Program.Numbers () at StepAsync.cs:{n}
...
+advance @numbers-await
StepAsync.Program.Numbers () at StepAsync.cs:{@numbers-await}
{@numbers-await}{...}// @numbers-await
+next
...
StepAsync.Program.Numbers () at StepAsync.cs:{@numbers-yield}
{@numbers-yield}{...}// @numbers-yield
+next
StepAsync.Program.Consume () at StepAsync.cs:{@consume-foreach}
{@consume-foreach}{...}// @consume-foreach
+next
{@consume-body}{...}// @consume-body
+print n
$1 = 0
+next
{@consume-foreach}{...}// @consume-foreach
## Behind its yield, on the stack of its consumer.
+step
StepAsync.Program.Numbers () at StepAsync.cs:{@numbers-after}
{@numbers-after}{...}// @numbers-after
+finish
Run till exit from #0  StepAsync.Program.Numbers () at StepAsync.cs:{@numbers-after}
...
StepAsync.Program.Consume () at StepAsync.cs:{@consume-foreach}
{@consume-foreach}{...}// @consume-foreach
+next
{@consume-body}{...}// @consume-body
+print n
$2 = 1
+tbreak @using-close
...
+continue
...
{@using-close}{...}// @using-close
+step
StepAsync.Resource.DisposeAsync (this={StepAsync.Resource}) at StepAsync.cs:{@dispose-await}
{@dispose-await}{...}// @dispose-await
+next
...
{@dispose}{...}// @dispose
+finish
...
StepAsync.Program.Using () at StepAsync.cs:{@using-close}
{@using-close}{...}// @using-close
+next
...
{@using-return}{...}// @using-return
+continue
Continuing.
using 1
ok
[Inferior 1 (process {n}) exited normally]
