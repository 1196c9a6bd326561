#! fixture=VbViews
## Visual Basic: what its compiler put into closures, state machines and fields
## is shown under the names of the source.
+break @static
Breakpoint 1 at {...}: file VbViews.vb, line {@static}.
+break @lambda
Breakpoint 2 at {...}: file VbViews.vb, line {@lambda}.
+tbreak VbViews.Main
Temporary breakpoint 3 at VbViews.Main: file VbViews.vb, line {@begin}.
+run
Starting program: {out}/VbViews.dll

Temporary breakpoint 3, VbViews.Main () at VbViews.vb:{@begin}
{@begin}{...}// @begin
+info source
Current source file is {...}VbViews.vb
Located in {...}/VbViews.vb
...
Source language is Visual Basic.
Symbols of module VbViews.dll.
+continue
Continuing.

Breakpoint 1, VbViews.Counter.Count (this={VbViews.Counter}, by=3) at VbViews.vb:{@static}
{@static}{...}// @static
+info locals
local = 2
Count = 0
add = {{...}}
calls = 13
+print calls + local
$1 = 15
+print Me.total
$2 = 5
+print $VB$Local_local
$3 = 2
+continue
Continuing.

Breakpoint 2, {...} (this={VbViews.Counter}, n=1) at VbViews.vb:{@lambda}
{@lambda}{...}// @lambda
+info locals
inside = 3
local = 2
by = 3
+print $VB$Local_local + n + by
$4 = 6
+print $VB$Me.total
$5 = 5
+delete
+break @main
Breakpoint 4 at {addr}: file VbViews.vb, line {@main}.
+break @yield
...
+break @async
...
+continue
Continuing.
24

Breakpoint 4, VbViews.Main () at VbViews.vb:{@main}
{@main}{...}// @main
+print anonymous
$6 = {Name = "x", Size = 3}
+print keyed
$7 = {Id = 7}
+print anonymous.Name
$8 = "x"
## Properties whose field the compiler has made.
+print item
$9 = {Id = 7, _hidden = 8, Slot = {Row = 0, Name = "shelf"}}
+print item.Slot.Name
$10 = "shelf"
+ptype item.Slot
type = struct VbViews.Slot
{
    public int Row;
    public string Name { get; set; }
}
+continue
Continuing.
39

Breakpoint {n}, VbViews.Counter.Numbers (this={VbViews.Counter}, last=2) at VbViews.vb:{@yield}
{@yield}{...}// @yield
+info locals
i = 1
square = 6
+info args
this = {...}
last = 2
+print square + last
$11 = 8
## The members of a Module are in scope everywhere.
+print Limit + Twice(4)
$12 = 20
+print Doubled
$13 = 24
+delete 5
+continue
Continuing.
6
9

Breakpoint {n}, VbViews.Counter.Work (this={VbViews.Counter}, start=1) at VbViews.vb:{@async}
{@async}{...}// @async
+info locals
before = 2
after = 7
+info args
this = {...}
start = 1
+bt
#0  VbViews.Counter.Work (this={VbViews.Counter}, start=1) at VbViews.vb:{@async}
...
#{n}{...}[async] VbViews.Counter.Outer (this={VbViews.Counter}, seed=1) at VbViews.vb:{@await}
+continue
Continuing.
11
ok
[Inferior 1 (process {n}) exited normally]
