#! fixture=HitLoop args="6"
## All breakpoints go to a file and come back from it.
+break Hit if i > 3
Breakpoint 1 at HitLoop.Program.Hit: file HitLoop.cs, line {@hit}.
+ignore 1 1
Will ignore next 1 crossing of breakpoint 1.
+commands
>silent
>print i
>continue
>end
+break @print
Breakpoint 2 at {...}: file HitLoop.cs, line {@print}.
+disable 2
+tbreak Main
Temporary breakpoint 3 at HitLoop.Program.Main: file HitLoop.cs, line {@main}.
+catch throw -exact System.IO.IOException if $exception.Message == "x"
Catchpoint 4 (throw -exact System.IO.IOException)
+rbreak ^Nothing
Breakpoint 5 (^Nothing) pending: no method matches yet.
+watch Foo.Bar
Watchpoint 6 (Foo.Bar) pending: the program is not running.
+save breakpoints saved
Saved to file 'saved'.
+shell cat saved
break Hit
  condition $bpnum i > 3
  ignore $bpnum 1
  commands
    silent
    print i
    continue
  end
break HitLoop.cs:{@print}
disable $bpnum
tbreak Main
catch throw -exact System.IO.IOException
  condition $bpnum $exception.Message == "x"
rbreak ^Nothing
watch Foo.Bar
+delete
+source saved
\++break Hit
Breakpoint 7 at HitLoop.Program.Hit: file HitLoop.cs, line {@hit}.
\++  condition $bpnum i > 3
\++  ignore $bpnum 1
Will ignore next 1 crossing of breakpoint 7.
\++  commands
\++break HitLoop.cs:{@print}
Breakpoint 8 at {...}: file HitLoop.cs, line {@print}.
\++disable $bpnum
\++tbreak Main
Temporary breakpoint 9 at HitLoop.Program.Main: file HitLoop.cs, line {@main}.
\++catch throw -exact System.IO.IOException
Catchpoint 10 (throw -exact System.IO.IOException)
\++  condition $bpnum $exception.Message == "x"
\++rbreak ^Nothing
Breakpoint 11 (^Nothing) pending: no method matches yet.
\++watch Foo.Bar
Watchpoint 12 (Foo.Bar) pending: the program is not running.
+info breakpoints
Num     Type           Disp Enb Address            What
7       breakpoint     keep y   <not compiled>     in HitLoop.Program.Hit(int) at HitLoop.cs:{@hit}
	stop only if i > 3
	ignore next 1 hits
        silent
        print i
        continue
8       breakpoint     keep n   <not compiled>     in HitLoop.Program.Main(string[]) at HitLoop.cs:{@print}
9       breakpoint     del  y   <not compiled>     in HitLoop.Program.Main(string[]) at HitLoop.cs:{@main}
10      catchpoint     keep y                      exception throw -exact System.IO.IOException
	stop only if $exception.Message == "x"
11      breakpoint     keep y   <PENDING>          ^Nothing
	no method matches yet
12      hw watchpoint  keep y   <PENDING>          Foo.Bar
	the program is not running
+disable 8
+run
Starting program: {out}/HitLoop.dll 6

Temporary breakpoint 9, HitLoop.Program.Main (args={string[1]}) at HitLoop.cs:{@main}
{@main}{...}
+info threads
...
+maint print statistics
                              stops   system calls    in vain  DAC calls
since the start {...} {n} {...} {n} {...} {n} {...} {n}
since the last command {...} 0 {...} {n} {...} {n} {...} {n}
+continue
Continuing.
\++print i
$1 = 5
\++continue
Continuing.
sum 15
ok
Breakpoint 11: no method matched '^Nothing'.
[Inferior 1 (process {n}) exited normally]
