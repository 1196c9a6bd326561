#! fixture=StepAsync config=Debug,Release,RtDebug args=kept exit=0
## What is done before its caller, which has its task, comes to the statement
## that awaits it: a step out ends there.
+break @quick-return
...
+run
...
{@quick-return}{...}// @quick-return
+finish
...
StepAsync.Program.Kept () at StepAsync.cs:{@kept-await}
{@kept-await}{...}// @kept-await
+next
{@kept-second}{...}// @kept-second
## By a thread that will be blocked.
+continue
...
{@quick-return}{...}// @quick-return
+finish
...
StepAsync.Program.Kept () at StepAsync.cs:{@kept-blocks}
{@kept-blocks}{...}// @kept-blocks
+next
{@kept-invokes}{...}// @kept-invokes
## What has it is no code of the user's, and neither is what awaits it: the step
## ends where that is awaited.
+continue
...
{@quick-return}{...}// @quick-return
+finish
...
StepAsync.Program.Kept () at StepAsync.cs:{@kept-invokes}
{@kept-invokes}{...}// @kept-invokes
+next
{@kept-return}{...}// @kept-return
+delete
+continue
Continuing.
kept 7
ok
[Inferior 1 (process {n}) exited normally]
