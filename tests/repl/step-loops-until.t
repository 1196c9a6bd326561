#! fixture=Steps args=loops exit=0
## until and advance with a location; a loop of many rounds in one line.
+break @loop-body
Breakpoint 1 at {...}: file Steps.cs, line {@loop-body}.
+run
Starting program: {out}/Steps.dll loops

Breakpoint 1, Steps.Program.Loops () at Steps.cs:{@loop-body}
{@loop-body}{...}// @loop-body
## Another breakpoint comes first.
+until @loops-return

Breakpoint 1, Steps.Program.Loops () at Steps.cs:{@loop-body}
{@loop-body}{...}// @loop-body
+disable 1
+until @loops-return
{...}Steps.Program.Loops () at Steps.cs:{@loops-return}
{@loops-return}{...}// @loops-return
+info breakpoints
Num     Type           Disp Enb Address            What
1       breakpoint     keep n   {addr} in Steps.Program.Loops() at Steps.cs:{@loop-body}
	breakpoint already hit 2 times
+continue
Continuing.
loops 14
ok
[Inferior 1 (process {n}) exited normally]
