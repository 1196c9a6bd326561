#! fixture=StepKinds args=attributes exit=0
## A step in that leaves a method through code that is stepped through goes on
## with the statement that called that, to its end.
+tbreak @jmc-through
Temporary breakpoint 1 at {...}: file StepKinds.cs, line {@jmc-through}.
+run
Starting program: {out}/StepKinds.dll attributes

Temporary breakpoint 1, StepKinds.Program.Attributes () at StepKinds.cs:{@jmc-through}
{@jmc-through}{...}// @jmc-through
+step
StepKinds.Program.Add (n=1) at StepKinds.cs:{@add}
{@add}{...}// @add
+step
{...}
+step
StepKinds.Program.Attributes () at StepKinds.cs:{@jmc-hidden}
{@jmc-hidden}{...}// @jmc-hidden
## DebuggerHidden too; a step over ends where it returns to.
+step
StepKinds.Program.Add (n=2) at StepKinds.cs:{@add}
{@add}{...}// @add
+step 2
StepKinds.Program.Attributes () at StepKinds.cs:{@jmc-non-user}
{@jmc-non-user}{...}// @jmc-non-user
+continue
Continuing.
attributes 52
ok
[Inferior 1 (process {n}) exited normally]
