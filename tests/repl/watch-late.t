#! fixture=Watch args=simple exit=0
## Asked for before there is a program, a class, its statics.
+watch Watch.Program.counter
Watchpoint 1 (Watch.Program.counter) pending: the program is not running.
+break @start
Breakpoint 2 at {...}: file Watch.cs, line {@start}.
+run
Starting program: {out}/Watch.dll simple

Breakpoint 2, Watch.Program.Main (args={string[1]}) at Watch.cs:{@start}
{@start}{...}// @start
+info watchpoints
Num     Type           Disp Enb Address            What
1       hw watchpoint  keep y                      Watch.Program.counter
+disable 1
+watch Late.Count
Watchpoint 3 (Late.Count) pending: its class is not initialized yet.
+watch Late.Kept.Value
Watchpoint 4 (Late.Kept.Value) pending: its class is not initialized yet.
+continue
Continuing.

Hardware watchpoint 3: Late.Count

Old value = 0
New value = 7
Watch.Late..cctor () at Watch.cs:{@late-init}
{@late-init}{...}// @late-init
+continue
Continuing.

Hardware watchpoint 4: Late.Kept.Value

Old value = <'Late.Kept' is null>
New value = 0
Watch.Late..cctor () at Watch.cs:{@late-kept}
{@late-kept}{...}// @late-kept
+delete 4
+continue
Continuing.

Hardware watchpoint 3: Late.Count

Old value = 7
New value = 8
Watch.Program.Simple () at Watch.cs:{@late}
{@late}{...}// @late
+delete 3
## A class without an initializer.
+watch Bare.Count
Watchpoint 5 (Bare.Count) pending: its class is not initialized yet.
+continue
Continuing.

Hardware watchpoint 5: Bare.Count

Old value = 0
New value = 3
Watch.Program.Others () at Watch.cs:{@bare}
{@bare}{...}// @bare
+delete 5
## A static of this thread: what another does with its own is no matter.
+tbreak @mine-own
Temporary breakpoint 6 at {...}
+continue
Continuing.

Temporary breakpoint 6, Watch.Program.Others () at Watch.cs:{@mine-own}
{@mine-own}{...}// @mine-own
+watch Bare.Mine
Hardware watchpoint 7: Bare.Mine
+continue
Continuing.

Hardware watchpoint 7: Bare.Mine

Old value = 5
New value = 6
Watch.Program.Others () at Watch.cs:{@mine-own}
{@mine-own}{...}// @mine-own
+tbreak @captured
Temporary breakpoint 8 at {...}
+continue
Continuing.

Temporary breakpoint 8, Watch.Program.Others () at Watch.cs:{@captured}
{@captured}{...}// @captured
+delete 7
+next
{@add}{...}// @add
## A variable in a closure, an element of a list, a by-ref.
+watch captured
Hardware watchpoint 9: captured
+continue
Continuing.

Hardware watchpoint 9: captured

Old value = 1
New value = 3
{...} at Watch.cs:{@add}
{@add}{...}// @add
+delete 9
+tbreak @list
Temporary breakpoint 10 at {...}
+continue
Continuing.

Temporary breakpoint 10, Watch.Program.Others () at Watch.cs:{@list}
{@list}{...}// @list
## Its condition speaks of the frame that it was set in.
+watch list[1] if captured == 3
Hardware watchpoint 11: list[1]
+continue
Continuing.

Hardware watchpoint 11: list[1]

Old value = 20
New value = 21
{addr} in System.Collections.Generic.List<int>.Item.set (...) from System.Private.CoreLib.dll{...}
+tbreak @by
Temporary breakpoint 12 at {...}
+continue
Continuing.

Temporary breakpoint 12, Watch.Program.Others () at Watch.cs:{@by}
{@by}{...}// @by
+delete 11
+tbreak @others
Temporary breakpoint 13 at {...}
+watch by
Hardware watchpoint 14: by
+continue
Continuing.

Hardware watchpoint 14: by

Old value = 0
New value = 8
Watch.Program.Others () at Watch.cs:{@by}
{@by}{...}// @by
+continue
Continuing.

Temporary breakpoint 13, Watch.Program.Others () at Watch.cs:{@others}
{@others}{...}// @others
+delete
+continue
Continuing.
32
simple 10
ok
[Inferior 1 (process {n}) exited normally]
