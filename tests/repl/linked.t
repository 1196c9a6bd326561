#! fixture=Linked exit=0
## Main begins when the library with symbols that it needs is there.
+start
Starting program: {out}/Linked.dll
Linked.Program.Main () at Linked.cs:{@main}
{@main}{...}// @main
+tbreak Linked.dll!Linked.Program.Work
Temporary breakpoint 1 at Linked.Program.Work: file Linked.cs, line {@work}.
The method is not compiled yet.
+continue
Continuing.
linked 9

Temporary breakpoint 1, Linked.Program.Work (n=7) at Linked.cs:{@work}
{@work}{...}// @work
+continue
Continuing.
[Inferior 1 (process {n}) exited normally]
