#! fixture=StepKinds args=attributes exit=0
## Methods that their author marked are passed; what they call is not.
+break @jmc
Breakpoint 1 at {...}: file StepKinds.cs, line {@jmc}.
+run
Starting program: {out}/StepKinds.dll attributes

Breakpoint 1, StepKinds.Program.Attributes () at StepKinds.cs:{@jmc}
{@jmc}{...}// @jmc
+step
{@jmc-through}{...}// @jmc-through
+step
StepKinds.Program.Add (n=1) at StepKinds.cs:{@add}
{@add}{...}// @add
## Out of it: not into the method that is passed.
+finish
Run till exit from #0  StepKinds.Program.Add (n=1) at StepKinds.cs:{@add}
{...}StepKinds.Program.Attributes () at StepKinds.cs:{@jmc-through}
{@jmc-through}{...}// @jmc-through
+step
{@jmc-hidden}{...}// @jmc-hidden
+step
StepKinds.Program.Add (n=2) at StepKinds.cs:{@add}
{@add}{...}// @add
+next 2
StepKinds.Program.Attributes () at StepKinds.cs:{@jmc-hidden}
{@jmc-hidden}{...}// @jmc-hidden
+step
{@jmc-non-user}{...}// @jmc-non-user
+step
StepKinds.Program.Add (n=3) at StepKinds.cs:{@add}
{@add}{...}// @add
+finish
Run till exit from #0  StepKinds.Program.Add (n=3) at StepKinds.cs:{@add}
{...}StepKinds.Program.Attributes () at StepKinds.cs:{@jmc-non-user}
{@jmc-non-user}{...}// @jmc-non-user
+step
{@jmc-type}{...}// @jmc-type
## A type that is marked, and its lambda.
+step
StepKinds.Program.Add (n=4) at StepKinds.cs:{@add}
{@add}{...}// @add
+finish
Run till exit from #0  StepKinds.Program.Add (n=4) at StepKinds.cs:{@add}
{...}StepKinds.Program.Attributes () at StepKinds.cs:{@jmc-type}
{@jmc-type}{...}// @jmc-type
+step
{@jmc-return}{...}// @jmc-return
## Without Just My Code, DebuggerNonUserCode says nothing.
+set just-my-code off
+run
Starting program: {out}/StepKinds.dll attributes

Breakpoint 1, StepKinds.Program.Attributes () at StepKinds.cs:{@jmc}
{@jmc}{...}// @jmc
+step
StepKinds.Marked.Quiet (n=1) at StepKinds.cs:{@quiet}
{@quiet}{...}// @quiet
+finish
Run till exit from #0  StepKinds.Marked.Quiet (n=1) at StepKinds.cs:{@quiet}
{...}StepKinds.Program.Attributes () at StepKinds.cs:{@jmc}
{@jmc}{...}// @jmc
Value returned is $1 = 2
+step
{@jmc-through}{...}// @jmc-through
+step
StepKinds.Program.Add (n=1) at StepKinds.cs:{@add}
{@add}{...}// @add
+continue
Continuing.
attributes 52
ok
[Inferior 1 (process {n}) exited normally]
