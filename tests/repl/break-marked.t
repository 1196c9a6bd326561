#! fixture=StepKinds args=attributes exit=0
## With Just My Code on, breakpoints in code that its author marked are not
## hit and say so.
+break @jmc
Breakpoint 1 at {...}: file StepKinds.cs, line {@jmc}.
+break @through
Breakpoint 2 at {...}: file StepKinds.cs, line {@through}.
Its code is marked DebuggerStepThrough: it is not hit while Just My Code is on.
+break @hidden
Breakpoint 3 at {...}: file StepKinds.cs, line {@hidden}.
Its code is marked DebuggerHidden: it is not hit while Just My Code is on.
+break StepKinds.Marked.NonUser
Breakpoint 4 at StepKinds.Marked.NonUser: file StepKinds.cs, line {@non-user}.
Its code is marked DebuggerNonUserCode: it is not hit while Just My Code is on.
+break @generated
Breakpoint 5 at {...}: file StepKinds.cs, line {@generated}.
Its code is marked DebuggerNonUserCode: it is not hit while Just My Code is on.
+run
Starting program: {out}/StepKinds.dll attributes

Breakpoint 1, StepKinds.Program.Attributes () at StepKinds.cs:{@jmc}
{@jmc}{...}// @jmc
+info breakpoints
Num     Type           Disp Enb Address            What
1       breakpoint     keep y   {addr} in StepKinds.Program.Attributes() at StepKinds.cs:{@jmc}
	breakpoint already hit 1 time
2       breakpoint     keep y   <not compiled>     in StepKinds.Marked.Through({...}) at StepKinds.cs:{@through}
	its code is marked DebuggerStepThrough: it is not hit while Just My Code is on
3       breakpoint     keep y   <not compiled>     in StepKinds.Marked.Hidden({...}) at StepKinds.cs:{@hidden}
	its code is marked DebuggerHidden: it is not hit while Just My Code is on
4       breakpoint     keep y   <not compiled>     in StepKinds.Marked.NonUser({...}) at StepKinds.cs:{@non-user}
	its code is marked DebuggerNonUserCode: it is not hit while Just My Code is on
5       breakpoint     keep y   <not compiled>     in StepKinds.Generated.Call({...}) at StepKinds.cs:{@generated}
	its code is marked DebuggerNonUserCode: it is not hit while Just My Code is on
+break StepKinds.Marked.Quiet
Breakpoint 6 at StepKinds.Marked.Quiet: file StepKinds.cs, line {@quiet}.
Its code is marked DebuggerNonUserCode: it is not hit while Just My Code is on.
+continue
Continuing.
attributes 52
ok
[Inferior 1 (process {n}) exited normally]
## Without it only DebuggerHidden keeps them from being hit.
+set just-my-code off
+run
Starting program: {out}/StepKinds.dll attributes

Breakpoint 1, StepKinds.Program.Attributes () at StepKinds.cs:{@jmc}
{@jmc}{...}// @jmc
+continue
Continuing.

Breakpoint 6, StepKinds.Marked.Quiet (n=1) at StepKinds.cs:{@quiet}
{@quiet}{...}// @quiet
+continue
Continuing.

Breakpoint 2, StepKinds.Marked.Through ({...}) at StepKinds.cs:{@through}
{@through}{...}// @through
## The setting holds at once, for code that was compiled already.
+set just-my-code on
+info breakpoints 2
Num     Type           Disp Enb Address            What
2       breakpoint     keep y   {addr} in StepKinds.Marked.Through({...}) at StepKinds.cs:{@through}
	breakpoint already hit 1 time
	its code is marked DebuggerStepThrough: it is not hit while Just My Code is on
+set just-my-code off
+continue
Continuing.

Breakpoint 4, StepKinds.Marked.NonUser ({...}) at StepKinds.cs:{@non-user}
{@non-user}{...}// @non-user
+info breakpoints 3
Num     Type           Disp Enb Address            What
3       breakpoint     keep y   {addr} in StepKinds.Marked.Hidden({...}) at StepKinds.cs:{@hidden}
	its code is marked DebuggerHidden: it is not hit
+continue
Continuing.

Breakpoint 5, StepKinds.Generated.Call ({...}) at StepKinds.cs:{@generated}
{@generated}{...}// @generated
+continue
Continuing.
attributes 52
ok
[Inferior 1 (process {n}) exited normally]
