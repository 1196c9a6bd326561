#! fixture=StepKinds args=callbacks exit=0
## Into what the framework calls back, each time it does.
+break @for-each
Breakpoint 1 at {...}: file StepKinds.cs, line {@for-each}.
+run
Starting program: {out}/StepKinds.dll callbacks

Breakpoint 1, StepKinds.Program.Callbacks () at StepKinds.cs:{@for-each}
{@for-each}{...}// @for-each
+disable 1
+step
StepKinds.Program.Callbacks.lambda (x=1) at StepKinds.cs:{@for-each}
{@for-each}{...}// @for-each
## From the end of one to the beginning of the next.
+step
{...}{@for-each}{...}// @for-each
+print x
$1 = 2
+finish
Run till exit from #0  StepKinds.Program.Callbacks.lambda (x=2) at StepKinds.cs:{@for-each}
{...}StepKinds.Program.Callbacks () at StepKinds.cs:{@for-each}
{@for-each}{...}// @for-each
+next
{@select}{...}// @select
+step
StepKinds.Program.Callbacks.lambda (x=1) at StepKinds.cs:{@select}
{@select}{...}// @select
+step
StepKinds.Program.Callbacks.lambda (x=2) at StepKinds.cs:{@where}
{@where}{...}// @where
## next goes to the caller, past what the framework calls until then.
+next
StepKinds.Program.Callbacks () at StepKinds.cs:{@select}
{@select}{...}// @select
+step
{@sort}{...}// @sort
+step
StepKinds.Descending.Compare (this={StepKinds.Descending}, a=1, b=2) at StepKinds.cs:{@compare}
{@compare}{...}// @compare
+finish
Run till exit from #0  StepKinds.Descending.Compare (this={StepKinds.Descending}, a=1, b=2) at StepKinds.cs:{@compare}
{...}StepKinds.Program.Callbacks () at StepKinds.cs:{@sort}
{@sort}{...}// @sort
+step
{@format}{...}// @format
+step
StepKinds.Money.ToString (this={cents 7}) at StepKinds.cs:{@to-string}
{@to-string}{...}// @to-string
+next 2
StepKinds.Program.Callbacks () at StepKinds.cs:{@format}
{@format}{...}// @format
## Without Just My Code the framework is stepped over.
+set just-my-code off
+enable 1
+run
Starting program: {out}/StepKinds.dll callbacks

Breakpoint 1, StepKinds.Program.Callbacks () at StepKinds.cs:{@for-each}
{@for-each}{...}// @for-each
+disable 1
+step
{@select}{...}// @select
+continue
Continuing.
callbacks 12
ok
[Inferior 1 (process {n}) exited normally]
