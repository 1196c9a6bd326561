#! fixture=Watch args=frames exit=0
## Variables are watched in one activation, until it ends.
+break @local if depth == 1
Breakpoint 1 at {...}: file Watch.cs, line {@local}.
+break @mine if depth == 1
Breakpoint 2 at {...}: file Watch.cs, line {@mine}.
+run
Starting program: {out}/Watch.dll frames

Breakpoint 1, Watch.Program.Sum (depth=1) at Watch.cs:{@local}
{@local}{...}// @local
+watch local
Hardware watchpoint 3: local
+continue
Continuing.

Hardware watchpoint 3: local

Old value = 0
New value = 1
Watch.Program.Sum (depth=1) at Watch.cs:{@local}
{@local}{...}// @local
+continue
Continuing.

Hardware watchpoint 3: local

Old value = 1
New value = 2
Watch.Program.Sum (depth=1) at Watch.cs:{@deeper}
{@deeper}{...}// @deeper
+tbreak @sum if depth == 1
Temporary breakpoint 4 at {...}
+next
{@grows}{...}// @grows
+continue
Continuing.

Hardware watchpoint 3: local

Old value = 2
New value = 3
Watch.Program.Sum (depth=1) at Watch.cs:{@grows}
{@grows}{...}// @grows
+continue
Continuing.

Temporary breakpoint 4, Watch.Program.Sum (depth=1) at Watch.cs:{@sum}
{@sum}{...}// @sum
+continue
Continuing.

Watchpoint 3 deleted because the program has left the block in
which its expression is valid.
{addr} in Watch.Program.Sum (depth=2) at Watch.cs:{@deeper}
{@deeper}{...}// @deeper
+info watchpoints
No watchpoints.
+continue
Continuing.

Breakpoint 2, Watch.Program.Throwing (depth=1) at Watch.cs:{@mine}
{@mine}{...}// @mine
## Left by an exception: it goes where that is caught.
+watch mine
Hardware watchpoint 5: mine
+ignore 5 10
Will ignore next 10 crossings of breakpoint 5.
+continue
Continuing.

Watchpoint 5 deleted because the program has left the block in
which its expression is valid.
{addr} in Watch.Program.Frames () at Watch.cs:{@catch}
{@catch}{...}// @catch
+continue
Continuing.
frames 11
ok
[Inferior 1 (process {n}) exited normally]
