#! fixture=Displays
## What the authors of types want to be seen: proxies, elements, ToString.
+break @collections
Breakpoint 1 at {...}: file Displays.cs, line {@collections}.
+break @types
Breakpoint 2 at {...}: file Displays.cs, line {@types}.
+run
Starting program: {out}/Displays.dll

Breakpoint 1, Displays.Program.Collections () at Displays.cs:{@collections}
{@collections}{...}
+info locals
list = Count = 3 = {10, 20, 30}
empty = Count = 0
map = Count = 2 = {["a, b"] = 1, ["c"] = 2}
byPair = Count = 1 = {[(Id: 1, Name: "a")] = 5}
byNumber = Count = 1 = {[7] = {named 1}}
set = Count = 2 = {"x", "y"}
queue = Count = 3 = {10, 20, 30}
nested = Count = 2 = {Count = 3, Count = 0}
pair = {Key = "k", Value = 5}
shared = Count = 1 = {["z"] = 26}
+print byNumber
$1 = Count = 1 = {[7] = {A = 1}}
+print nested
$2 = Count = 2 = {Count = 3 = {10, 20, 30}, Count = 0}
+set print elements 2
+print list
$3 = Count = 3 = {10, 20...}
+print map
$4 = Count = 2 = {["a, b"] = 1, ["c"] = 2}
+set print elements 200
+set print raw-values on
+print list
$5 = {_items = {10, 20, 30, 0}, _size = 3, _version = 3}
+set print raw-values off
+print list
$6 = Count = 3 = {10, 20, 30}
+print list,raw
$7 = {_items = {10, 20, 30, 0}, _size = 3, _version = 3}
+print list,2
$8 = Count = 3 = {10, 20}
+print list[2],h
$9 = 0x0000001e
+print pair.Key,nq
$10 = k
+print set,results
$11 = Count = 2 = {"x", "y"}
+print Steps(3),results
$12 = (Displays.Program.<Steps>d__{n}) {1, 2, 3}
+set var list._size = 2
+print list
$13 = Count = 2 = {10, 20}
+continue
Continuing.

Breakpoint 2, Displays.Program.Types () at Displays.cs:{@types}
{@types}{...}
+info locals
far = far 5
further = {Twice = 12}
bag = Bag of 3 = {First = 1, 1, 2, 3}
bags = Count = 2 = {bag 1 = Bag of 3, bag 4 = Bag of 1}
named = {A = 1}
silent = {A = 1}
person = {Name = "Ann", Age = 30}
shelf = {Width = 3, Height = 4, Unit = "m", Number = 7, Other = null}
crate = {Width = 3, Height = 4, Unit = "m", Number = 7, Other = null, Weight = 9}
+print named.ToString()
$14 = "named 1"
## What a getter makes when it is first asked for is the same ever after.
+print lazily
$15 = {parts = null, part 0, part 1}
+print lazily
$16 = {parts = null, part 0, part 1}
+print lazily.parts
$17 = null
## A text that is the name of the type, and one of several lines.
+info statics
sum = {n}
lazily = {parts = null, part 0, part 1}
plain = Count = 2 = {{Displays.Plain<int>}, {two\nlines}}
+kill
[Inferior 1 (process {...}) killed]
