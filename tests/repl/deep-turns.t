#! fixture=Deep args="1000 turns"
## Two methods that call each other: their first frames are shown, and how many
## others there are.
+break @bottom
Breakpoint 1 at {...}: file Deep.cs, line {@bottom}.
+run
Starting program: {...}

Breakpoint 1, Deep.Program.Bottom (level=0) at Deep.cs:{@bottom}
{@bottom}{...}// @bottom
+bt
#0  Deep.Program.Bottom (level=0) at Deep.cs:{@bottom}
...
    (973 more frames like the last 2)
#{...} in Deep.Program.Odd<int> (value=1, left=999) at Deep.cs:{@odd}
#1001 {addr} in Deep.Program.Even<int> (value=1, left=1000) at Deep.cs:{@even}
#1002 {addr} in Deep.Program.Main.lambda () at Deep.cs:{@start}
...
+kill
[Inferior 1 (process {n}) killed]
