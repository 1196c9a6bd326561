#! fixture=Rethrown config=Debug,Release args=main exit=134
## What async code throws and nobody catches is thrown anew by each await, so
## the stack of the throw is gone: the exception has it.
+run
Starting program: {out}/Rethrown.dll main
Unhandled exception. System.TimeoutException: too late
...

Unhandled exception: System.TimeoutException: "too late"
[thrown] Rethrown.Program.Deep (int) at Rethrown.cs:{@throw}
{@throw}{...}// @throw
+bt
#0  [thrown] Rethrown.Program.Deep (int) at Rethrown.cs:{@throw}
#1  [thrown] Rethrown.Program.Deep (int) at Rethrown.cs:{@deep}
#2  [thrown] Rethrown.Program.Fails (int) at Rethrown.cs:{@fails}
#3  [thrown] Rethrown.Program.Main (string[]) at Rethrown.cs:{@main}
#4  {addr} in System.Runtime.ExceptionServices.ExceptionDispatchInfo.Throw () from {...}
...
+print $exception.Message
$1 = "too late"
+info locals
No locals.
+frame 1
#1  [thrown] Rethrown.Program.Deep (int) at Rethrown.cs:{@deep}
{@deep}{...}// @deep
+info frame
Stack level 1, {...}
...
 kind: of the throw, on no stack any more{...}
...
+continue
Continuing.

Program terminated with signal SIGABRT, Aborted.
The program no longer exists.
