#! fixture=HitLoop args=7 exit=0
## Breakpoints of gdb's: dprintf, and those that are enabled for some stops.
+dprintf @hit,"i is {%d} \"100%%\" %s 0x%x\n", i, sum.ToString(), i + 30
Dprintf 1 at {...}: file HitLoop.cs, line {@hit}.
+break @hit if i > 1
Breakpoint 2 at {...}: file HitLoop.cs, line {@hit}.
+enable once 2
+run
...
i is {0} "100%" 0 0x1e
i is {1} "100%" 0 0x1f
i is {2} "100%" 1 0x20

Breakpoint 2, HitLoop.Program.Hit (i=2) at HitLoop.cs:{@hit}
{@hit}{...}// @hit
+info breakpoints
Num     Type           Disp Enb Address            What
1       dprintf        keep y   {addr} in HitLoop.Program.Hit(int) at HitLoop.cs:{@hit}
	breakpoint already hit 3 times
        printf "i is {%s} \"100%%\" %s 0x%s\n",i,sum.ToString(),(i + 30).ToString("x")
2       breakpoint     dis  n   {addr} in HitLoop.Program.Hit(int) at HitLoop.cs:{@hit}
	stop only if i > 1
	breakpoint already hit 1 time
+tbreak @hit if i == 4
...
+continue
Continuing.
i is {3} "100%" 3 0x21
i is {4} "100%" 6 0x22

Temporary breakpoint 3, HitLoop.Program.Hit (i=4) at HitLoop.cs:{@hit}
{@hit}{...}// @hit
+enable delete 2
+delete 1
+break @hit
Breakpoint 4 at {...}: file HitLoop.cs, line {@hit}.
+enable count 2 4
+info breakpoints 4
Num     Type           Disp Enb Address            What
4       breakpoint     dis  y   {addr} in HitLoop.Program.Hit(int) at HitLoop.cs:{@hit}
	disable after next 2 hits
+disable 4
+continue
Continuing.

Temporary breakpoint 2, HitLoop.Program.Hit (i=5) at HitLoop.cs:{@hit}
{@hit}{...}// @hit
+info breakpoints 2
No breakpoint number 2.
+delete
+continue
Continuing.
sum 21
ok
[Inferior 1 (process {n}) exited normally]
