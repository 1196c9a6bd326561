#! fixture=Values args="generics scopes closures asynclocals iterlocals statics"
## Variables by scope, and under their own names where the compiler moved them.
+break @generic-args
Breakpoint 1 at {...}: file Values.cs, line {@generic-args}.
+break @scope-first
Breakpoint 2 at {...}: file Values.cs, line {@scope-first}.
+break @scope-second
Breakpoint 3 at {...}: file Values.cs, line {@scope-second}.
+break @scopes
Breakpoint 4 at {...}: file Values.cs, line {@scopes}.
+break @closures
Breakpoint 5 at {...}: file Values.cs, line {@closures}.
+break @asynclocals
Breakpoint 6 at {...}: file Values.cs, line {@asynclocals}.
+break @iterlocals
Breakpoint 7 at {...}: file Values.cs, line {@iterlocals}.
+run
Starting program: {out}/Values.dll generics scopes closures asynclocals iterlocals statics

Breakpoint 1, Values.Program.Generic<string, int> (first="arg", second=12, third=Count = 1) at Values.cs:{@generic-args}
{@generic-args}{...}
+info args
first = "arg"
second = 12
third = Count = 1 = {2.5}
+info locals
copy = "arg"
array = {12}
+continue
Continuing.

Breakpoint 2, Values.Program.Scopes () at Values.cs:{@scope-first}
{@scope-first}{...}
+info locals
block = 2
same = "first"
outer = 1
+continue
Continuing.

Breakpoint 3, Values.Program.Scopes () at Values.cs:{@scope-second}
{@scope-second}{...}
+info locals
same = 2.5
i = 0
outer = 8
+continue
Continuing.

Breakpoint 4, Values.Program.Scopes () at Values.cs:{@scopes}
{@scopes}{...}
+info locals
outer = 10
+continue
Continuing.

Breakpoint 5, Values.Maker.Close.lambda (this={Values.Maker}, n=5) at Values.cs:{@closures}
{@closures}{...}
+info args
this = {seed = 30}
n = 5
+info locals
inner = 40
local = 5
text = "captured"
argument = 4
+continue
Continuing.
...

Breakpoint 6, Values.Maker.Hoist (this={Values.Maker}, argument=6) at Values.cs:{@asynclocals}
{@asynclocals}{...}
+info args
this = {seed = 30}
argument = 6
+info locals
looped = 13
i = 0
before = 12
text = "hoisted"
after = 13
+continue
Continuing.
...

Breakpoint 7, Values.Maker.Iterate (this={Values.Maker}, argument=7) at Values.cs:{@iterlocals}
{@iterlocals}{...}
+info args
this = {seed = 30}
argument = 7
+info locals
local = 10
text = "iterated"
+kill
[Inferior 1 (process {n}) killed]
