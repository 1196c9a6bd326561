#! fixture=StepAsync config=Debug,Release args=late exit=0 runtimes=8,9,10
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
{Debug}StepAsync.Program.Late () at StepAsync.cs:{@late-blocks}
{Debug}{@late-blocks}{...}// @late-blocks
{Release}StepAsync.Program.Late () at StepAsync.cs:{@late-result}
{Release}{@late-result}{...}// @late-result
+continue
...
{@quick-return}{...}// @quick-return
+finish
...
{Debug}StepAsync.Program.Late () at StepAsync.cs:{@late-result}
{Debug}{@late-result}{...}// @late-result
{Release}StepAsync.Program.Late () at StepAsync.cs:{@late-return}
{Release}{@late-return}{...}// @late-return
{Debug}+next
{Debug}{@late-return}{...}// @late-return
+print n
$1 = 10
+delete
+continue
Continuing.
late 10
ok
[Inferior 1 (process {n}) exited normally]
