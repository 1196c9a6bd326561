#! fixture=Steps config=Debug,Release args="leaves leaves" exit=0
## finish of a frame that does not return; a step of the throw itself; and a
## step with a breakpoint on its way.
+break @throw
Breakpoint 1 at {...}: file Steps.cs, line {@throw}.
+break @thrower-recurse
Breakpoint 2 at {...}: file Steps.cs, line {@thrower-recurse}.
+run
Starting program: {out}/Steps.dll leaves leaves

Breakpoint 2, Steps.Program.Thrower (n=2) at Steps.cs:{@thrower-recurse}
{@thrower-recurse}{...}// @thrower-recurse
+next
{Release}No module of the program is built for debugging: optimized code with symbols counts as yours.

Breakpoint 2, Steps.Program.Thrower (n=1) at Steps.cs:{@thrower-recurse}
{@thrower-recurse}{...}// @thrower-recurse
+step
Steps.Program.Thrower (n=0) at Steps.cs:{@thrower}
{@thrower}{...}// @thrower
+next

Breakpoint 1, Steps.Program.Thrower (n=0) at Steps.cs:{@throw}
{@throw}{...}// @throw
+finish
Run till exit from #0  Steps.Program.Thrower (n=0) at Steps.cs:{@throw}
Steps.Program.Leaves () at Steps.cs:{@catch-head}
{@catch-head}{...}// @catch-head
+continue
Continuing.
leaves 14
ok
[Inferior 1 (process {n}) exited normally]
## The throw itself.
+delete 2
+run
Starting program: {out}/Steps.dll leaves leaves

Breakpoint 1, Steps.Program.Thrower (n=0) at Steps.cs:{@throw}
{@throw}{...}// @throw
+next
Steps.Program.Leaves () at Steps.cs:{@catch-head}
{@catch-head}{...}// @catch-head
+bt 2
#0  Steps.Program.Leaves () at Steps.cs:{@catch-head}
#1  {addr} in Steps.Program.Section (name="leaves", {...}) at Steps.cs:{@section}
(More stack frames follow...)
## With a catchpoint the throw is a stop before that.
+run
Starting program: {out}/Steps.dll leaves leaves

Breakpoint 1, Steps.Program.Thrower (n=0) at Steps.cs:{@throw}
{@throw}{...}// @throw
+catch throw
Catchpoint 3 (throw)
+next

Exception thrown: System.InvalidOperationException: "zero"
It will be caught in {...} at Steps.cs:{@catch-head}.
{addr} in Steps.Program.Thrower (n=0) at Steps.cs:{@throw}
{@throw}{...}// @throw
+next
Steps.Program.Leaves () at Steps.cs:{@catch-head}
{@catch-head}{...}// @catch-head
+delete
+continue
Continuing.
leaves 14
ok
[Inferior 1 (process {n}) exited normally]
