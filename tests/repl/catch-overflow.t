#! fixture=Throws args="unhandled-stack" exit=134 time=60
## The runtime prints the whole stack before it ends; it is there to look at.
+run
Starting program: {out}/Throws.dll unhandled-stack
Stack overflow.
...

Unhandled exception: System.StackOverflowException: {...}
{addr} in Throws.Program.Endless (n={...}) at Throws.cs:{n}
...
+bt 2
#0  {addr} in Throws.Program.Endless (n={...}) at Throws.cs:{n}
#1  {addr} in Throws.Program.Endless (n={...}) at Throws.cs:{@endless}
(More stack frames follow...)
+frame 10000
#10000 {addr} in Throws.Program.Endless (n={...}) at Throws.cs:{@endless}
{@endless}{...}// @endless
+continue
Continuing.

Program terminated with signal SIGABRT, Aborted.
The program no longer exists.
