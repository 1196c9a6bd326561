#! fixture=StepAsync config=Debug,Release,RtDebug,RtRelease args=deep exit=0
## An async method that awaits itself: a step stays in its own call.
+tbreak @down-await
...
+run
...
Temporary breakpoint 1, StepAsync.Program.Down (n=3) at StepAsync.cs:{@down-await}
{@down-await}{...}// @down-await
+next
...
{@down-recurse}{...}// @down-recurse
+print n
$1 = 3
## Into the next call, over its own awaits and out again.
+step
StepAsync.Program.Down (n=2) at StepAsync.cs:{@down-if}
{@down-if}{...}// @down-if
+next
{@down-await}{...}// @down-await
+next
...
{@down-recurse}{...}// @down-recurse
+next
...
{Debug}{@down-return}{...}// @down-return
{Debug}+print n * 10 + below
{Debug}$2 = 21
## Optimised code has no place of its own for that line.
{Release}{@down-close}{...}// @down-close
+finish
...
{Debug,Release,RtDebug}StepAsync.Program.Down (n=3) at StepAsync.cs:{@down-recurse}
{Debug,Release,RtDebug}{@down-recurse}{...}// @down-recurse
{RtRelease}StepAsync.Program.Down (n=3) at StepAsync.cs:{@down-return}
{RtRelease}{@down-return}{...}// @down-return
{Debug}+next
{Debug}{@down-return}{...}// @down-return
{Debug}+print below
{Debug}$3 = 3
+continue
Continuing.
deep 6
ok
[Inferior 1 (process {n}) exited normally]
