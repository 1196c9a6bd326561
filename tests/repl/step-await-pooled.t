#! fixture=StepAsync config=Debug,Release args=pool exit=0
## A builder that pools its state: over await, out of the method, and who
## awaits it.
+tbreak @pooled-await
...
+run
...
{@pooled-await}{...}// @pooled-await
+next
...
StepAsync.Program.Pooled (n=1) at StepAsync.cs:{@pooled-return}
{@pooled-return}{...}// @pooled-return
+bt
#0  StepAsync.Program.Pooled (n=1) at StepAsync.cs:{@pooled-return}
...
#{n}{...}[async] StepAsync.Program.Outer (n=1) at StepAsync.cs:{@outer-await}
#{n}{...}[async] StepAsync.Program.Pool () at StepAsync.cs:{@pool-await}
+finish
...
StepAsync.Program.Outer (n=1) at StepAsync.cs:{@outer-await}
{@outer-await}{...}// @outer-await
+finish
...
StepAsync.Program.Pool () at StepAsync.cs:{@pool-await}
{@pool-await}{...}// @pool-await
+next
{@pool-second}{...}// @pool-second
+next
...
{@pool-return}{...}// @pool-return
+continue
Continuing.
pool 5
ok
[Inferior 1 (process {n}) exited normally]
