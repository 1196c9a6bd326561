#! fixture=StepAsync config=Debug,Release args=deep exit=0
## An async method that awaits itself: a step stays in its own call.
+tbreak @down-await
...
+run
...
Temporary breakpoint 1, StepAsync.Program.Down (n=3) at StepAsync.cs:{@down-await}
{@down-await}{...}// @down-await
+next
...
StepAsync.Program.Down (n=3) at StepAsync.cs:{@down-recurse}
{@down-recurse}{...}// @down-recurse
## Into the next call, over its own awaits and out again.
+step
StepAsync.Program.Down (n=2) at StepAsync.cs:{@down-if}
{@down-if}{...}// @down-if
+next
{@down-await}{...}// @down-await
+next
...
StepAsync.Program.Down (n=2) at StepAsync.cs:{@down-recurse}
{@down-recurse}{...}// @down-recurse
+next
...
{Debug}StepAsync.Program.Down (n=2) at StepAsync.cs:{@down-return}
{Debug}{@down-return}{...}// @down-return
{Debug}+print below
{Debug}$1 = 1
## Optimised code has no place of its own for that line.
{Release}StepAsync.Program.Down (n=2) at StepAsync.cs:{@down-close}
{Release}{@down-close}{...}// @down-close
+finish
...
StepAsync.Program.Down (n=3) at StepAsync.cs:{@down-recurse}
{@down-recurse}{...}// @down-recurse
{Debug}+next
{Debug}{@down-return}{...}// @down-return
{Debug}+print below
{Debug}$2 = 3
+continue
Continuing.
deep 6
ok
[Inferior 1 (process {n}) exited normally]
