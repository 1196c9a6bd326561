#! fixture=Rush args="500 1 8" config=Debug,Release exit=0 time=60
## Five hundred threads.
+rbreak ^Rush\.Called
Breakpoint 1 at Rush.Called.S0: ^Rush\.Called. (49 locations)
+ignore 1 1000000
Will ignore next 1000000 crossings of breakpoint 1.
+run
Starting program: {out}/Rush.dll 500 1 8
calls 4000
[Inferior 1 (process {n}) exited normally]
+info breakpoints
Num     Type           Disp Enb Address            What
1       breakpoint     keep y   <MULTIPLE>         ^Rush\.Called
	breakpoint already hit 4000 times
...
