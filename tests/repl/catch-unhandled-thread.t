#! fixture=Throws config=Debug,Release args=unhandled-thread exit=134
## Nothing needs to be asked for; a thread of its own has no catcher either.
+run
Starting program: {out}/Throws.dll unhandled-thread
Unhandled exception. System.InvalidOperationException: level zero
...

Unhandled exception: System.InvalidOperationException: "level zero"
{addr} in Throws.Program.Level (n=0) at Throws.cs:{@level-throw}
{@level-throw}{...}// @level-throw
+bt 3
#0  {addr} in Throws.Program.Level (n=0) at Throws.cs:{@level-throw}
#1  {addr} in Throws.Program.Level (n=1) at Throws.cs:{@level-call}
#2  {addr} in Throws.Program.Unhandled.lambda () at Throws.cs:{@unhandled-thread}
{10,11}(More stack frames follow...)
+continue
Continuing.

Program terminated with signal SIGABRT, Aborted.
The program no longer exists.
