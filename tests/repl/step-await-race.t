#! fixture=StepAsync config=Debug,Release,RtDebug,RtRelease args=race exit=0
## Forty calls wait at the same await and resume in any order, while the
## collector moves them: the step stays in its own.
+break @racer-start if id == 17
Breakpoint 1 at {...}: file StepAsync.cs, line {@racer-start}.
+run
Starting program: {out}/StepAsync.dll race

Breakpoint 1, StepAsync.Program.Racer ({...}id=17{...}
{@racer-start}{...}// @racer-start
## For the first time: there is no task yet.
+next
...
{@racer-zero}{...}// @racer-zero
+print id
$1 = 17
+tbreak @racer-await if id == 17
...
+continue
Continuing.
...
{@racer-await}{...}// @racer-await
+next
...
{@racer-turn}{...}// @racer-turn
+print id
$2 = 17
+print turns
$3 = 0
+tbreak @racer-await if id == 17
...
+continue
Continuing.
...
{@racer-await}{...}// @racer-await
+next
...
{@racer-turn}{...}// @racer-turn
+print id
$4 = 17
+print turns
$5 = 17
+delete
+continue
Continuing.
race 2340
ok
[Inferior 1 (process {n}) exited normally]
