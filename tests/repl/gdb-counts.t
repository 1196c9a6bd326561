#! fixture=HitLoop args=7 exit=0
## gdb's enable count, and its do, which is SOS's where an address follows.
+break @hit
Breakpoint 1 at {...}: file HitLoop.cs, line {@hit}.
+enable count 2 1
+run
...
Breakpoint 1, HitLoop.Program.Hit (i=0) at HitLoop.cs:{@hit}
{@hit}{...}// @hit
+up
#1 {...}
...
+do
#0  HitLoop.Program.Hit (i=0) at HitLoop.cs:{@hit}
{@hit}{...}// @hit
+up
#1 {...}
...
+do 1
#0  HitLoop.Program.Hit (i=0) at HitLoop.cs:{@hit}
{@hit}{...}// @hit
+continue
Continuing.

Breakpoint 1, HitLoop.Program.Hit (i=1) at HitLoop.cs:{@hit}
{@hit}{...}// @hit
+info breakpoints
Num     Type           Disp Enb Address            What
1       breakpoint     dis  n   {addr} in HitLoop.Program.Hit(int) at HitLoop.cs:{@hit}
	breakpoint already hit 2 times
+continue
Continuing.
sum 21
ok
[Inferior 1 (process {n}) exited normally]
