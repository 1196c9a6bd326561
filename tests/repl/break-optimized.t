#! fixture=Breaks config=Release args=tiers
## The compiler kept no address of this line: that is said.
+break @tiers-end
Breakpoint 1 (Breaks.cs:{@tiers-end}) pending: the program is not running.
+tbreak @tiers
Temporary breakpoint 2 (Breaks.cs:{@tiers}) pending: the program is not running.
+run
Starting program: {out}/Breaks.dll tiers

Temporary breakpoint 2, Breaks.Program.Tiers () at Breaks.cs:{@tiers}
{@tiers}{...}// @tiers
+info breakpoints
Num     Type           Disp Enb Address            What
1       breakpoint     keep y   <optimized out>    in Breaks.Program.Tiers() at Breaks.cs:{@tiers-end}
	optimised code has nothing of this line
+kill
[Inferior 1 (process {n}) killed]
