#! fixture=Steps args=both exit=0
## Another call that resumes at the same await does not end the step.
+break @waits-await
Breakpoint 1 at {...}: file Steps.cs, line {@waits-await}.
+run
Starting program: {out}/Steps.dll both

Breakpoint 1, Steps.Program.Waits (n=400, other=5) at Steps.cs:{@waits-await}
{@waits-await}{...}// @waits-await
+delete 1
+next
...
Steps.Program.Waits (n=400, other=5) at Steps.cs:{@waits-if}
{@waits-if}{...}// @waits-if
+continue
Continuing.
both 2
ok
[Inferior 1 (process {n}) exited normally]
