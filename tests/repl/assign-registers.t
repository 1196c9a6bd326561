#! fixture=Frames config=Release args=hold exit=0
## Variables in registers: of the newest frame in the processor; of callers
## there still, or where the frame that saved the register keeps it.
+set env DOTNET_TieredCompilation=0
+break Frames.Calls.Leaf
...
+run
...
Breakpoint 1, Frames.Calls.Leaf (n=15) at Frames.cs:{@leaf}
{@leaf}{...}// @leaf
+set var n = 7
+info args
n = 7
+up
#1  {...}Frames.Calls.Keep (a=5, text="text", real=2.5, {...}
...
+print a = 1000
$1 = 1000
+set var b += 5
+print a + b
$2 = 1020
+up
...
+info args
c = 5
+set var c = 100000
+bt 3
#0  Frames.Calls.Leaf (n=7) at Frames.cs:{@leaf}
#1  {...}Frames.Calls.Keep (a=1000, text="text", real=2.5, {...}
#2  {...}Frames.Calls.Hold (c=100000) at Frames.cs:{@hold}
(More stack frames follow...)
+info args
c = 100000
+delete
+continue
Continuing.
102057
ok
[Inferior 1 (process {n}) exited normally]
