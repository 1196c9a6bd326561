#! fixture=Watch args=simple exit=0
## Statics, fields, elements; what is written again as it was is no change.
+break @start
Breakpoint 1 at {...}: file Watch.cs, line {@start}.
+run
Starting program: {out}/Watch.dll simple

Breakpoint 1, Watch.Program.Main (args={string[1]}) at Watch.cs:{@start}
{@start}{...}// @start
+watch counter
Hardware watchpoint 2: counter
+continue
Continuing.

Hardware watchpoint 2: counter

Old value = 0
New value = 5
Watch.Program.Touch (by=5) at Watch.cs:{@counter}
{@counter}{...}// @counter
## A step from there ends at the next line, which begins where it stands.
+next
{n}	        }
## The processor tells no read from a write that changes nothing.
+rwatch counter
Hardware read watchpoint 3: counter
+continue
Continuing.

Hardware read watchpoint 3: counter

Value = 5
Watch.Program.Simple () at Watch.cs:{@same}
{@same}{...}// @same
+continue
Continuing.

Hardware read watchpoint 3: counter

Value = 5
Watch.Program.Look () at Watch.cs:{@look}
{@look}{...}// @look
+delete 3
+watch counter if counter > 100
Hardware watchpoint 4: counter
+awatch box.Name
Hardware access (read/write) watchpoint 5: box.Name
+info watchpoints
Num     Type           Disp Enb Address            What
2       hw watchpoint  keep y                      counter
	breakpoint already hit 1 time
4       hw watchpoint  keep y                      counter
	stop only if counter > 100
5       acc watchpoint keep y                      box.Name
+continue
Continuing.

Hardware watchpoint 2: counter

Old value = 5
New value = 10
Watch.Program.Touch (by=5) at Watch.cs:{@counter}
{@counter}{...}// @counter
+continue
Continuing.

Hardware access (read/write) watchpoint 5: box.Name

Old value = "none"
New value = "some"
Watch.Program.Simple () at Watch.cs:{@name}
{@name}{...}// @name
+delete
+watch box.Pair
Hardware watchpoint 6: box.Pair
+continue
Continuing.

Hardware watchpoint 6: box.Pair

Old value = {First = 0, Second = 0}
New value = {First = 0, Second = 9}
Watch.Program.Simple () at Watch.cs:{@second}
{@second}{...}// @second
+delete 6
+watch row[2]
Hardware watchpoint 7: row[2]
+watch box.Value
Hardware watchpoint 8: box.Value
No debug register is free to see at once when it leads elsewhere.
+continue
Continuing.

Hardware watchpoint 7: row[2]

Old value = 0
New value = 3
Watch.Program.Simple () at Watch.cs:{@element}
{@element}{...}// @element
+delete 7
## The path leads to another object, of the same value; then that changes.
+continue
Continuing.

Hardware watchpoint 8: box.Value

Old value = 1
New value = 2
Watch.Program.Simple () at Watch.cs:{@value-of-other}
{@value-of-other}{...}// @value-of-other
+print counter
$1 = 10
+continue
Continuing.
32
simple 10
ok
[Inferior 1 (process {n}) exited normally]
+info watchpoints
Num     Type           Disp Enb Address            What
8       hw watchpoint  keep y   <PENDING>          box.Value
	breakpoint already hit 1 time
	the program is not running
