#! fixture=HitLoop args=3 exit=0
## Commands at a hit: silent ones, one that resumes, of the newest, none.
+break Hit
Breakpoint 1 at HitLoop.Program.Hit: file HitLoop.cs, line {@hit}.
+commands
>silent
>echo hit\n
>print i
>continue
>end
+break @print
Breakpoint 2 at {...}: file HitLoop.cs, line {@print}.
+commands 2
>print sum
>end
+info breakpoints
Num     Type           Disp Enb Address            What
1       breakpoint     keep y   <not compiled>     in HitLoop.Program.Hit(int) at HitLoop.cs:{@hit}
        silent
        echo hit\n
        print i
        continue
2       breakpoint     keep y   <not compiled>     in HitLoop.Program.Main(string[]) at HitLoop.cs:{@print}
        print sum
+run
Starting program: {out}/HitLoop.dll 3
\++echo hit\n
hit
\++print i
$1 = 0
\++continue
Continuing.
\++echo hit\n
hit
\++print i
$2 = 1
\++continue
Continuing.
\++echo hit\n
hit
\++print i
$3 = 2
\++continue
Continuing.

Breakpoint 2, HitLoop.Program.Main (args={string[1]}) at HitLoop.cs:{@print}
{@print}{...}// @print
\++print sum
$4 = 3
+commands 2
>end
+info breakpoints 2
Num     Type           Disp Enb Address            What
2       breakpoint     keep y   {addr} in HitLoop.Program.Main(string[]) at HitLoop.cs:{@print}
	breakpoint already hit 1 time
+continue
Continuing.
sum 3
ok
[Inferior 1 (process {n}) exited normally]
