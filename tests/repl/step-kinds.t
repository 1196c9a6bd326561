#! fixture=StepKinds args="properties static native expressions blocks" exit=0
## Properties and operators are passed, with what they call; static
## constructors are run by the runtime, not called by the line.
+break @operator
Breakpoint 1 at {...}: file StepKinds.cs, line {@operator}.
+tbreak @first-call
Temporary breakpoint 2 at {...}: file StepKinds.cs, line {@first-call}.
+tbreak @native-items
Temporary breakpoint 3 at {...}: file StepKinds.cs, line {@native-items}.
+tbreak @switch-call
Temporary breakpoint 4 at {...}: file StepKinds.cs, line {@switch-call}.
+tbreak @using-body
Temporary breakpoint 5 at {...}: file StepKinds.cs, line {@using-body}.
+run
Starting program: {out}/StepKinds.dll properties static native expressions blocks

Breakpoint 1, StepKinds.Program.Properties () at StepKinds.cs:{@operator}
{@operator}{...}// @operator
+step
{@property}{...}// @property
+step
StepKinds.Program.Add (n=4) at StepKinds.cs:{@add}
{@add}{...}// @add
+continue
Continuing.
properties 14

Temporary breakpoint 2, StepKinds.Program.StaticInit () at StepKinds.cs:{@first-call}
{@first-call}{...}// @first-call
+step
StepKinds.First.Get () at StepKinds.cs:{@first-get}
{@first-get}{...}// @first-get
+continue
Continuing.
static 3

Temporary breakpoint 3, StepKinds.Native.Smallest () at StepKinds.cs:{@native-items}
{@native-items}{...}// @native-items
## The stack grows within the frame: it is the same frame.
+next
{@native-call}{...}// @native-call
## Native code calls a method of the line's own program.
+step
StepKinds.Native.Compare (a={addr}, b={addr}) at StepKinds.cs:{@native-compare}
{@native-compare}{...}// @native-compare
+finish
Run till exit from #0  StepKinds.Native.Compare (a={addr}, b={addr}) at StepKinds.cs:{@native-compare}
{...}StepKinds.Native.Smallest () at StepKinds.cs:{@native-call}
{@native-call}{...}// @native-call
+continue
Continuing.
native 2

Temporary breakpoint 4, StepKinds.Program.Expressions () at StepKinds.cs:{@switch-call}
{@switch-call}{...}// @switch-call
+step
StepKinds.Program.Kind (o=20) at StepKinds.cs:{@switch}
{@switch}{...}// @switch
+step
{@switch-int}{...}// @switch-int
+step
StepKinds.Program.Add (n=0) at StepKinds.cs:{@add}
{@add}{...}// @add
+finish
Run till exit from #0  StepKinds.Program.Add (n=0) at StepKinds.cs:{@add}
{...}StepKinds.Program.Kind (o=20) at StepKinds.cs:{@switch-int}
{@switch-int}{...}// @switch-int
Value returned is $1 = 10
+next
StepKinds.Program.Expressions () at StepKinds.cs:{@switch-call}
{@switch-call}{...}// @switch-call
+next
{@constructed}{...}// @constructed
## An expression-bodied property is passed as any; a constructor begins with
## its fields.
+step
StepKinds.Shape.Shape (this={StepKinds.Shape}) at StepKinds.cs:{@shape-field}
{@shape-field}{...}// @shape-field
+step
StepKinds.Shape.Count (n=4) at StepKinds.cs:{@shape-count}
{@shape-count}{...}// @shape-count
+step
StepKinds.Shape.Shape (this={StepKinds.Shape}) at StepKinds.cs:{@shape-field}
{@shape-field}{...}// @shape-field
+continue
Continuing.
expressions 45

Temporary breakpoint 5, StepKinds.Program.Blocks () at StepKinds.cs:{@using-body}
{@using-body}{...}// @using-body
+next
{@using-close}{...}// @using-close
## Dispose is called behind the brace, of which there is no line.
+step
StepKinds.Closer.Dispose (this={StepKinds.Closer}) at StepKinds.cs:{@dispose}
{@dispose}{...}// @dispose
+next 2
StepKinds.Program.Blocks () at StepKinds.cs:{@using-close}
{@using-close}{...}// @using-close
+next
...
{@lock}{...}// @lock
+next 3
{@lock-close}{...}// @lock-close
+next
{@using-var}{...}// @using-var
+continue
Continuing.
blocks 3
ok
[Inferior 1 (process {n}) exited normally]
