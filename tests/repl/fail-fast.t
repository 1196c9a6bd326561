#! fixture=Throws args=unhandled-fast
## FailFast is no exception, although it aborts: it stops at its caller, with
## what it was given, and then ends the program as without a debugger.
+catch unhandled
Catchpoint 1 (unhandled)
+run
Starting program: {out}/Throws.dll unhandled-fast
...

Program called Environment.FailFast: "failed fast"
{addr} in Throws.Program.Unhandled (how="unhandled-fast") at Throws.cs:{@unhandled-fast}
{@unhandled-fast}{...}// @unhandled-fast
+info exception
No exception here.
+info program
...
It stopped because it called Environment.FailFast.
+continue
Continuing.
...

Program terminated with signal SIGABRT, Aborted.
The program no longer exists.
