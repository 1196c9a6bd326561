#! fixture=Rush args="8 1" exit=0 time=60
## More methods are waited for than the runtime's table of them takes.
+break Main
...
+run
...
+break System.Private.CoreLib!ToString
...
+break System.Private.CoreLib!Equals
...
+break System.Private.CoreLib!GetHashCode
...
+break System.Private.CoreLib!Dispose
...
+break System.Private.CoreLib!Parse
...
+disable
+rbreak ^Rush\.Called
Breakpoint 7 at Rush.Called.S0: ^Rush\.Called. (49 locations)
...
+ignore 7 1000000
Will ignore next 1000000 crossings of breakpoint 7.
+continue
Continuing.
calls 512
[Inferior 1 (process {n}) exited normally]
+info breakpoints 7
Num     Type           Disp Enb Address            What
7       breakpoint     keep y   <MULTIPLE>         ^Rush\.Called
	breakpoint already hit 512 times
...
