#! fixture=Breaks config=Release args=tiers
## The compiler kept no address for this line alone: that is said, and the
## breakpoint is at the line before it.
+break @tiers-end
Breakpoint 1 at {...}: file Breaks.cs, line {@tiers-end}.
+tbreak @tiers
Temporary breakpoint 2 at {...}: file Breaks.cs, line {@tiers}.
+run
Starting program: {out}/Breaks.dll tiers

Temporary breakpoint 2, Breaks.Program.Tiers () at Breaks.cs:{@tiers}
{@tiers}{...}// @tiers
+info breakpoints
Num     Type           Disp Enb Address            What
1       breakpoint     keep y   {addr} in Breaks.Program.Tiers() at Breaks.cs:{@tiers-end}
	line {@tiers-end} has no entry in optimised code; stops at line {@tiers-warm}
+continue
Continuing.

Breakpoint 1, Breaks.Program.Tiers () at Breaks.cs:{@tiers-warm}
{@tiers-warm}{...}// @tiers-warm
+kill
[Inferior 1 (process {n}) killed]
