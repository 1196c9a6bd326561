#! fixture=Deep args=10000
## The whole of a deep recursion: its ends, and one frame in the middle.
+break @bottom
Breakpoint 1 at {...}: file Deep.cs, line {@bottom}.
+run
Starting program: {out}/Deep.dll 10000

Breakpoint 1, Deep.Program.Bottom (level=10000) at Deep.cs:{@bottom}
{@bottom}{...}// @bottom
+bt 2
#0  Deep.Program.Bottom (level=10000) at Deep.cs:{@bottom}
#1  {addr} in Deep.Program.Down (level=10000, depth=10000) at Deep.cs:{@bottom-call}
(More stack frames follow...)
## Of the recursion the first frames are shown.
+bt
#0  Deep.Program.Bottom (level=10000) at Deep.cs:{@bottom}
#1  {addr} in Deep.Program.Down (level=10000, depth=10000) at Deep.cs:{@bottom-call}
#2  {addr} in Deep.Program.Down (level=9999, depth=10000) at Deep.cs:{@down}
...
#26 {addr} in Deep.Program.Down (level=9975, depth=10000) at Deep.cs:{@down}
    (9974 more frames like the last one)
#10001 {addr} in Deep.Program.Main.lambda () at Deep.cs:{@start}
...
+bt 43
...
#42 {addr} in Deep.Program.Down (level=9959, depth=10000) at Deep.cs:{@down}
(More stack frames follow...)
+bt 44
...
#26 {addr} in Deep.Program.Down (level=9975, depth=10000) at Deep.cs:{@down}
    (17 more frames like the last one)
(More stack frames follow...)
+bt 44 -all
...
#43 {addr} in Deep.Program.Down (level=9958, depth=10000) at Deep.cs:{@down}
(More stack frames follow...)
+frame 5000
#5000 {addr} in Deep.Program.Down (level=5001, depth=10000) at Deep.cs:{@down}
{@down}{...}// @down
+print level
$1 = 5001
+up 5000
#10000 {addr} in Deep.Program.Down (level=1, depth=10000) at Deep.cs:{@down}
{@down}{...}// @down
+up
#10001 {addr} in Deep.Program.Main.lambda () at Deep.cs:{@start}
{@start}{...}// @start
+continue
Continuing.
depth 19999
ok
[Inferior 1 (process {n}) exited normally]
