#! fixture=Linked exit=0
## Main begins when the library with symbols that it needs is there.
+start
Starting program: {out}/Linked.dll
Linked.Program.Main () at Linked.cs:{@main}
{@main}{...}// @main
## A path with a '!' in it names a file, whole or its tail; in MODULE!NAME it is
## the module's.
+tbreak really!/Odd.cs:3
Temporary breakpoint 1 at Linked.Odd.Next: file Odd.cs, line 3.
The method is not compiled yet.
+tbreak /sources/really!/Odd.cs:3
Temporary breakpoint 2 at Linked.Odd.Next: file Odd.cs, line 3.
The method is not compiled yet.
+tbreak LinkedPart!Odd.cs:3
Temporary breakpoint 3 (LinkedPart!Odd.cs:3) pending: no code at or after line 3 of 'Odd.cs'.
+tbreak Linked!Odd.cs:3
Temporary breakpoint 4 at Linked.Odd.Next: file Odd.cs, line 3.
The method is not compiled yet.
+info line really!/Odd.cs:3
Line 3 of "Odd.cs" is not compiled yet <Linked.Odd.Next(int)>.
+delete 2 3 4
+tbreak Linked.dll!Linked.Program.Work
Temporary breakpoint 5 at Linked.Program.Work: file Linked.cs, line {@work}.
The method is not compiled yet.
+continue
Continuing.

Temporary breakpoint 1, Linked.Odd.Next (n=8) at Odd.cs:3
{...}
+continue
Continuing.
linked 9

Temporary breakpoint 5, Linked.Program.Work (n=7) at Linked.cs:{@work}
{@work}{...}// @work
+continue
Continuing.
[Inferior 1 (process {n}) exited normally]
