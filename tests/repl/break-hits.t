#! fixture=HitLoop config=Debug,Release args=3000 exit=0
## Hits are exact; ignore counts, conditions, temporary ones, disabled ones.
+tbreak Main
Temporary breakpoint 1 at HitLoop.Program.Main: file HitLoop.cs, line {@main}.
+break Hit
Breakpoint 2 at HitLoop.Program.Hit: file HitLoop.cs, line {@hit}.
+break @hit if i == 1500
Breakpoint 3 at {...}: file HitLoop.cs, line {@hit}.
+tbreak @hit
Temporary breakpoint 4 at {...}: file HitLoop.cs, line {@hit}.
+run
Starting program: {out}/HitLoop.dll 3000

Temporary breakpoint 1, HitLoop.Program.Main (args={string[1]}) at HitLoop.cs:{@main}
{@main}{...}// @main
+continue
Continuing.

## Two at one address: the older one is named, both count.
Breakpoint 2, HitLoop.Program.Hit (i=0) at HitLoop.cs:{@hit}
{@hit}{...}// @hit
+ignore 2 999
Will ignore next 999 crossings of breakpoint 2.
+continue
Continuing.

Temporary breakpoint 4, HitLoop.Program.Hit (i=1) at HitLoop.cs:{@hit}
{@hit}{...}// @hit
+continue
Continuing.

Breakpoint 2, HitLoop.Program.Hit (i=1000) at HitLoop.cs:{@hit}
{@hit}{...}// @hit
## Deleting where the thread stands, and going on.
+delete 2
+continue
Continuing.

Breakpoint 3, HitLoop.Program.Hit (i=1500) at HitLoop.cs:{@hit}
{@hit}{...}// @hit
+disable 3
+break @hit if i % 1000 == 0
Breakpoint 5 at {addr}: {...}
+ignore 5 0
Will stop next time breakpoint 5 is reached.
+continue
Continuing.

Breakpoint 5, HitLoop.Program.Hit (i=2000) at HitLoop.cs:{@hit}
{@hit}{...}// @hit
+condition 5
Breakpoint 5 now unconditional.
+ignore 5 2000
Will ignore next 2000 crossings of breakpoint 5.
+enable 3
+condition 3 i == 2999
+continue
Continuing.

Breakpoint 3, HitLoop.Program.Hit (i=2999) at HitLoop.cs:{@hit}
{@hit}{...}// @hit
+info breakpoints
Num     Type           Disp Enb Address            What
3       breakpoint     keep y   {...}
	stop only if i == 2999
	breakpoint already hit 2 times
...
5       breakpoint     keep y   {...}
	breakpoint already hit 1000 times
	ignore next 1001 hits
...
+continue
Continuing.
sum 4498500
ok
[Inferior 1 (process {n}) exited normally]
