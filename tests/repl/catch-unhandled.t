#! fixture=Throws config=Debug,Release args=unhandled-inner exit=134
## An exception nobody catches stops the program before it is gone, at the
## throw, with all frames.
+catch unhandled
Catchpoint 1 (unhandled)
+run
Starting program: {out}/Throws.dll unhandled-inner
Unhandled exception. System.InvalidOperationException: outer
...

Unhandled exception: System.InvalidOperationException: "outer"
{addr} in Throws.Program.Unhandled (how="unhandled-inner") at Throws.cs:{@unhandled-inner}
{@unhandled-inner}{...}// @unhandled-inner
+bt
#0  {addr} in Throws.Program.Unhandled (how="unhandled-inner") at Throws.cs:{@unhandled-inner}
#1  {addr} in Throws.Program.Main (args={string[1]}) at Throws.cs:{n}
+info exception
System.InvalidOperationException: "outer"
   at Throws.Program.Unhandled(string) in {src}/Throws.cs:line {@unhandled-inner}
   at Throws.Program.Main(string[]) in {src}/Throws.cs:line {n}
   HResult = 0x80131509
 ---> System.FormatException: "the cause"
   HResult = 0x80131537
+info breakpoints
Num     Type           Disp Enb Address            What
1       catchpoint     keep y                      exception unhandled
	breakpoint already hit 1 time
+continue
Continuing.

Program terminated with signal SIGABRT, Aborted.
The program no longer exists.
