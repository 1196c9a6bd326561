#! fixture=HitLoop args=4 exit=0
## An address, also one that another breakpoint has.
+break Hit
Breakpoint 1 at HitLoop.Program.Hit: file HitLoop.cs, line {@hit}.
+run
Starting program: {out}/HitLoop.dll 4

Breakpoint 1, HitLoop.Program.Hit (i=0) at HitLoop.cs:{@hit}
{@hit}{...}// @hit
+break *$pc
Breakpoint 2 at {addr}{...}
+delete 1
+continue
Continuing.

Breakpoint 2, HitLoop.Program.Hit (i=1) at HitLoop.cs:{@hit}
{@hit}{...}// @hit
+disable 2
+enable 2
+continue
Continuing.

Breakpoint 2, HitLoop.Program.Hit (i=2) at HitLoop.cs:{@hit}
{@hit}{...}// @hit
+info breakpoints
Num     Type           Disp Enb Address            What
2       breakpoint     keep y   {addr} in HitLoop.Program.Hit(int) at HitLoop.cs:{@hit}
	breakpoint already hit 2 times
+delete 2
+break *0x10
Breakpoint 3 (*0x10) pending: no memory to trap at 0x10.
+continue
Continuing.
sum 6
ok
[Inferior 1 (process {n}) exited normally]
