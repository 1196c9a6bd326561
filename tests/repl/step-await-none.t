#! fixture=StepAsync config=Debug,Release,RtDebug,RtRelease args="each holds" exit=0
## Out of an async method that the framework calls and awaits: to its last line.
+tbreak @body-await
Temporary breakpoint 1 at {...}: file StepAsync.cs, line {@body-await}.
+run
...
{@body-await}{...}// @body-await
+finish
Run till exit from #0  StepAsync.Program.Body (n=2{...}) at StepAsync.cs:{@body-await}
...
No code of yours awaits this call: its last line is here.
StepAsync.Program.Body (n=2{...}) at StepAsync.cs:{n}
{Debug,Release,RtDebug}{@body-close}{...}// @body-close
## What is behind that has no code of its own.
{RtRelease}{@body-after}{...}// @body-after
+print n
$1 = 2
## A thread that has its task, but is blocked until another is done, does not
## await it.
+tbreak @stray-await
...
+continue
...
{@stray-await}{...}// @stray-await
+finish
...
Nothing awaits this call yet: its last line is here.
StepAsync.Program.Stray ({...}) at StepAsync.cs:{n}
{Debug,Release,RtDebug}{@stray-close}{...}// @stray-close
{RtRelease}{@stray-after}{...}// @stray-after
+continue
Continuing.
holds 3
ok
[Inferior 1 (process {n}) exited normally]
