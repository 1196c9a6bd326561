#! fixture=StepAsync config=Debug,Release,RtRelease args="each" exit=0
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
{Debug,Release}{@body-close}{...}// @body-close
## What is behind that has no code of its own.
{RtRelease}{@body-after}{...}// @body-after
+print n
$1 = 2
+next
...
each 2
ok
[Inferior 1 (process {n}) exited normally]
