#! fixture=Names
## Variables that the compiler moved, under the names their author gave them.
+tbreak @nested
Temporary breakpoint 1 at {...}: file Names.cs, line {@nested}.
+tbreak @local-function
Temporary breakpoint 2 at {...}: file Names.cs, line {@local-function}.
+tbreak @static-function
Temporary breakpoint 3 at {...}: file Names.cs, line {@static-function}.
+tbreak @await-loop
Temporary breakpoint 4 at {...}: file Names.cs, line {@await-loop}.
+tbreak @await-catch
Temporary breakpoint 5 at {...}: file Names.cs, line {@await-catch}.
+tbreak @stream
Temporary breakpoint 6 at {...}: file Names.cs, line {@stream}.
+tbreak @pattern
Temporary breakpoint 7 at {...}: file Names.cs, line {@pattern}.
+tbreak @deconstruct
Temporary breakpoint 8 at {...}: file Names.cs, line {@deconstruct}.
+tbreak @struct-this
Temporary breakpoint 9 at {...}: file Names.cs, line {@struct-this}.
+tbreak @generic-lambda
Temporary breakpoint 10 at {...}: file Names.cs, line {@generic-lambda}.
+tbreak @generic-class
Temporary breakpoint 11 at {...}: file Names.cs, line {@generic-class}.
+tbreak @primary
Temporary breakpoint 12 at {...}: file Names.cs, line {@primary}.
+tbreak @usings
Temporary breakpoint 13 at {...}: file Names.cs, line {@usings}.
+run
Starting program: {out}/Names.dll

Temporary breakpoint 1, Names.Program.Nested.lambda () at Names.cs:{@nested}
{@nested}{...}
+info args
No arguments.
+info locals
own = 11
round = 5
i = 0
between = 5
outermost = 1
argument = 4
+print between + own
$1 = 16
+continue
Continuing.
...

Temporary breakpoint 2, Names.Program.Local.Add (n=3) at Names.cs:{@local-function}
{@local-function}{...}
+info args
n = 3
+info locals
sum = 18
argument = 5
+continue
Continuing.
...

Temporary breakpoint 3, Names.Program.Local.Pure (n=2) at Names.cs:{@static-function}
{@static-function}{...}
+info args
n = 2
+info locals
No locals.
+continue
Continuing.
...

Temporary breakpoint 4, Names.Program.Await (count=2, words=Count = 1) at Names.cs:{@await-loop}
{@await-loop}{...}
+info args
count = 2
words = Count = 1 = {"ab"}
+info locals
length = 2
word = "ab"
before = 3
add = {Names.Program.Await.lambda}
+continue
Continuing.
...

Temporary breakpoint 5, Names.Program.Await (count=2, words=Count = 1) at Names.cs:{@await-catch}
{@await-catch}{...}
+info args
count = 2
words = Count = 1 = {"ab"}
+info locals
error = {System.InvalidOperationException: "thrown"}
before = 10
add = {Names.Program.Await.lambda}
+continue
Continuing.
...

Temporary breakpoint 6, Names.Program.Stream (count=1) at Names.cs:{@stream}
{@stream}{...}
+info args
count = 1
+info locals
i = 0
+continue
Continuing.
...

Temporary breakpoint 7, Names.Program.Patterns (thing={Names.Cube}) at Names.cs:{@pattern}
{@pattern}{...}
+info args
thing = (Names.Cube) {Label = "cube", Side = 2, Label (Names.Square) = "square"}
+info locals
square = (Names.Cube) {Label = "cube", Side = 2, Label (Names.Square) = "square"}
label = "cube"
query = null
+continue
Continuing.
...

Temporary breakpoint 8, Names.Program.Patterns (thing={Names.Cube}) at Names.cs:{@deconstruct}
{@deconstruct}{...}
+print item
$2 = {x = 2, y = 4}
+print index
$3 = 0
+print item.y
$4 = 4
+continue
Continuing.
...

Temporary breakpoint 9, Names.Counter.Add (this={Total = 3}, n=3) at Names.cs:{@struct-this}
{@struct-this}{...}
+info args
this = {Total = 3}
n = 3
+info locals
No locals.
+continue
Continuing.
...

Temporary breakpoint 10, Names.Pair<string>.Put.lambda (x="s") at Names.cs:{@generic-lambda}
{@generic-lambda}{...}
+info args
x = "s"
+info locals
mine = "s"
item = "s"
+continue
Continuing.
...

Temporary breakpoint 11, Names.Pair<string>.Put (this={Names.Pair<string>}, item="s") at Names.cs:{@generic-class}
{@generic-class}{...}
+info args
this = {Item = "s"}
item = "s"
+info locals
inner = {Deep = "s"}
same = {Names.Pair<T>.Put.lambda}
+print inner is Inner
$5 = true
+continue
Continuing.
...

Temporary breakpoint 12, Names.Seeded.Get (this={Names.Seeded}, x=4) at Names.cs:{@primary}
{@primary}{...}
+info args
this = {seed = 3, label = "lab"}
x = 4
+info locals
No locals.
+print this.seed
$6 = 3
+continue
Continuing.
...

Temporary breakpoint 13, Names.Program.Usings (range=(Low: 1, High: 2)) at Names.cs:{@usings}
{@usings}{...}
+info args
range = (Low: 1, High: 2)
+info locals
far = {Parts = (Q: 3, T: (R: 4, S: 5))}
ints = (System.Collections.Generic.List<int>) Count = 2 = {1, 2}
one = {<1; 0>}
shape = (Names.Cube) {Label = "cube", Side = 2, Label (Names.Square) = "square"}
+print Distant.Here
$7 = 9
+print PI
$8 = 3.141592653589793
+print Complex.ImaginaryOne
$9 = {<0; 1>}
+print Numbers.Complex.One
$10 = {<1; 0>}
+print ints is Ints
$11 = true
+print ints is Complex
$12 = false
+print shape.Label
$13 = "cube"
+print shape is IShape
$14 = true
+print Distant.Pair.B
$15 = "b"
+print far.Parts.T.S
$16 = 5
+print range.High
$17 = 2
+print Far.Distant.Here
$18 = 9
+kill
[Inferior 1 (process {n}) killed]
