#! fixture=StepKinds args="unwinds unwinds unwinds" exit=0
## An exception through a lambda, the framework, a filter, a rethrow and a
## finally: each step ends at what runs next in code of the user's.
+break @unwinds-call
Breakpoint 1 at {...}: file StepKinds.cs, line {@unwinds-call}.
+run
Starting program: {out}/StepKinds.dll unwinds unwinds unwinds

Breakpoint 1, StepKinds.Program.Unwinds () at StepKinds.cs:{@unwinds-call}
{@unwinds-call}{...}// @unwinds-call
+step
StepKinds.Program.Middle () at StepKinds.cs:{n}
...
+advance @middle-call
StepKinds.Program.Middle () at StepKinds.cs:{@middle-call}
{@middle-call}{...}// @middle-call
+step
StepKinds.Program.Fail (n=1) at StepKinds.cs:{@fail}
{@fail}{...}// @fail
+next
StepKinds.Program.Middle () at StepKinds.cs:{@middle-filter}
{@middle-filter}{...}// @middle-filter
+step
StepKinds.Program.Wanted (e={System.InvalidOperationException: "fail"}) at StepKinds.cs:{@wanted}
{@wanted}{...}// @wanted
+finish
...
{@middle-filter}{...}// @middle-filter
Value returned is $1 = true
+next
...
{@middle-open}{...}// @middle-open
+next
{@middle-rethrow}{...}// @middle-rethrow
+next
...
{@middle-finally-open}{...}// @middle-finally-open
+next
{@middle-finally}{...}// @middle-finally
+next
{@middle-finally-close}{...}// @middle-finally-close
+next
...
{@unwinds-catch}{...}// @unwinds-catch
+next
{@unwinds-catch-open}{...}// @unwinds-catch-open
+next
{@unwinds-caught}{...}// @unwinds-caught
## A filter of what the line calls is passed, as all its code is.
+run
Starting program: {out}/StepKinds.dll unwinds unwinds unwinds

Breakpoint 1, StepKinds.Program.Unwinds () at StepKinds.cs:{@unwinds-call}
{@unwinds-call}{...}// @unwinds-call
+next
{@unwinds-catch}{...}// @unwinds-catch
+delete
+run
Starting program: {out}/StepKinds.dll unwinds unwinds unwinds
unwinds 5
ok
[Inferior 1 (process {n}) exited normally]
+tbreak @middle-call
...
+run
Starting program: {out}/StepKinds.dll unwinds unwinds unwinds

Temporary breakpoint 2, StepKinds.Program.Middle () at StepKinds.cs:{@middle-call}
{@middle-call}{...}// @middle-call
+next
{@middle-filter}{...}// @middle-filter
+step
StepKinds.Program.Wanted (e={System.InvalidOperationException: "fail"}) at StepKinds.cs:{@wanted}
{@wanted}{...}// @wanted
+finish
...
{@middle-filter}{...}// @middle-filter
Value returned is $2 = true
+next
...
{@middle-open}{...}// @middle-open
+continue
Continuing.
unwinds 5
ok
[Inferior 1 (process {n}) exited normally]
