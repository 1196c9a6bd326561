#! fixture=Values config=Release args=closures
## Optimised code keeps a value on the stack across the beginning of this
## statement: no instruction is its first, and it is entered with the one
## before.
+break @closures
Breakpoint 1 at {...}: file Values.cs, line {@closures}.
+run
Starting program: {out}/Values.dll closures

Breakpoint 1, Values.Maker.Close.lambda (this={Values.Maker}, n=5) at Values.cs:{n}
{n}	                int inner = n + local + seed;
+continue
Continuing.
sum 52
ok
[Inferior 1 (process {n}) exited normally]
