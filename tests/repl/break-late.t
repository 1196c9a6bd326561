#! fixture=Breaks args="late late" exit=0
## A module that is loaded in the middle: pending until then.
+break @late-run
Breakpoint 1 (BreaksLate.cs:{@late-run}) pending: no file of the program has symbols for 'BreaksLate.cs'.
+break BreaksLate!Helper.Add
Breakpoint 2 (BreaksLate!Helper.Add) pending: module 'BreaksLate' is not loaded.
+break @late-loaded
Breakpoint 3 at {...}: file Breaks.cs, line {@late-loaded}.
+tbreak @late-before
Temporary breakpoint 4 at {...}: file Breaks.cs, line {@late-before}.
+run
Starting program: {out}/Breaks.dll late late

Temporary breakpoint 4, Breaks.Program.Late () at Breaks.cs:{@late-before}
{@late-before}{...}// @late-before
+info breakpoints
Num     Type           Disp Enb Address            What
1       breakpoint     keep y   <PENDING>          BreaksLate.cs:{@late-run}
	no loaded module has symbols for 'BreaksLate.cs'
2       breakpoint     keep y   <PENDING>          BreaksLate!Helper.Add
	module 'BreaksLate' is not loaded
3       breakpoint     keep y   {addr} in Breaks.Program.Late() at Breaks.cs:{@late-loaded}
+continue
Continuing.

Breakpoint 3, Breaks.Program.Late () at Breaks.cs:{@late-loaded}
{@late-loaded}{...}// @late-loaded
+info breakpoints
Num     Type           Disp Enb Address            What
1       breakpoint     keep y   <not compiled>     in Late.Plugin.Run(int) at BreaksLate.cs:{@late-run}
	the method is not compiled yet
2       breakpoint     keep y   <not compiled>     in Late.Helper.Add(int) at BreaksLate.cs:{@late-helper}
	the method is not compiled yet
3       breakpoint     keep y   {addr} in Breaks.Program.Late() at Breaks.cs:{@late-loaded}
	breakpoint already hit 1 time
+continue
Continuing.

Breakpoint 1, Late.Plugin.Run (n=20) at BreaksLate.cs:{@late-run}
{@late-run}{...}// @late-run
+continue
Continuing.

Breakpoint 2, Late.Helper.Add (n=40) at BreaksLate.cs:{@late-helper}
{@late-helper}{...}// @late-helper
+continue
Continuing.
late 81
ok
[Inferior 1 (process {n}) exited normally]
