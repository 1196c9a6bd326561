#! fixture=StepAsync config=Debug,Release,RtDebug args=late exit=0
## What is done before its caller begins to wait: a step out goes on in the
## caller all the same, which does not wait then.
+break @quick-return
...
+run
...
{@quick-return}{...}// @quick-return
+finish
...
StepAsync.Program.Late () at StepAsync.cs:{@late-await}
{@late-await}{...}// @late-await
+next
{@late-again}{...}// @late-again
## In a call that has waited before.
+continue
...
{@quick-return}{...}// @quick-return
+next
...
+next
...
StepAsync.Program.Late () at StepAsync.cs:{@late-second}
{@late-second}{...}// @late-second
+next
{@late-blocks}{...}// @late-blocks
## By a thread that would be blocked. Optimised code has no map of its calls:
## there the step ends at the next line.
+continue
...
{@quick-return}{...}// @quick-return
+finish
...
{Debug,RtDebug}StepAsync.Program.Late () at StepAsync.cs:{@late-blocks}
{Debug,RtDebug}{@late-blocks}{...}// @late-blocks
{Release}StepAsync.Program.Late () at StepAsync.cs:{@late-result}
{Release}{@late-result}{...}// @late-result
+continue
...
{@quick-return}{...}// @quick-return
+finish
...
{Debug,RtDebug}StepAsync.Program.Late () at StepAsync.cs:{@late-result}
{Debug,RtDebug}{@late-result}{...}// @late-result
{Release}StepAsync.Program.Late () at StepAsync.cs:{@late-return}
{Release}{@late-return}{...}// @late-return
{Debug,RtDebug}+next
{Debug,RtDebug}{@late-return}{...}// @late-return
+print n
$1 = 10
+delete
+continue
Continuing.
late 10
ok
[Inferior 1 (process {n}) exited normally]
