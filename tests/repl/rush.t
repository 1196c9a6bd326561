#! fixture=Rush args="8 1" config=Debug,Release exit=0 time=60
## Threads that all call a method for the first time at the same moment: none
## of them gets past the breakpoint, whoever compiles it, and however it is
## called.
+rbreak ^Rush\.Called
Breakpoint 1 at Rush.Called.S0: ^Rush\.Called. (49 locations)
+ignore 1 1000000
Will ignore next 1000000 crossings of breakpoint 1.
+run
Starting program: {out}/Rush.dll 8 1
calls 512
[Inferior 1 (process {n}) exited normally]
+info breakpoints
Num     Type           Disp Enb Address            What
1       breakpoint     keep y   <MULTIPLE>         ^Rush\.Called
	breakpoint already hit 512 times
...
