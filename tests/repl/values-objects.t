#! fixture=Values args="boxes delegates pointers refs objects"
## Objects, boxes, delegates, by-refs, pointers.
+break @boxes
Breakpoint 1 at {...}: file Values.cs, line {@boxes}.
+break @delegates
Breakpoint 2 at {...}: file Values.cs, line {@delegates}.
+break @pointers
Breakpoint 3 at {...}: file Values.cs, line {@pointers}.
+break @byref
Breakpoint 4 at {...}: file Values.cs, line {@byref}.
+break @refs
Breakpoint 5 at {...}: file Values.cs, line {@refs}.
+break @objects
Breakpoint 6 at {...}: file Values.cs, line {@objects}.
+run
Starting program: {out}/Values.dll boxes delegates pointers refs objects

Breakpoint 1, Values.Program.Boxes () at Values.cs:{@boxes}
{@boxes}{...}
+info locals
number = 5
text = "boxed"
point = (Values.Point) {X = 1, Y = 2}
color = Color.Green
none = null
plain = {object}
nullable = 9
type = typeof(Values.Point)
comparable = 6.5
value = (Values.Size) {W = 1, H = 2}
+continue
Continuing.

Breakpoint 2, Values.Program.Delegates () at Values.cs:{@delegates}
{@delegates}{...}
+info locals
factor = 3
square = {Values.Program.Square}
lambda = {Values.Program.Delegates.lambda}
many = {System.IO.TextWriter.SyncTextWriter.WriteLine, Values.Program.Delegates.lambda}
none = null
text = {Id = 2, Other = null, data = {int[3]}, Name = "derived", Id (Values.Base) = 1, name = "base", hidden = 0.5}
bound = {Values.Derived.ToString}
+continue
Continuing.

Breakpoint 3, Values.Program.Pointers () at Values.cs:{@pointers}
{@pointers}{...}
+info locals
number = 123
pointer = {addr}
second = {addr}
none = null
opaque = {addr}
point = {X = 4, Y = 5}
where = {addr}
inline = {Numbers = {int[4]}, End = 0}
function = {addr} <Values.Program.Square(int)>
handle = 4660
+continue
Continuing.

Breakpoint 4, Values.Program.ByRef (number=13, text="out", point={X = 2, Y = 3}, word="word!", obj={D:derived}) at Values.cs:{@byref}
{@byref}{...}
+info args
number = 13
text = "out"
point = {X = 2, Y = 3}
word = "word!"
obj = {Id = 2, Other = null, data = {int[3]}, Name = "derived", Id (Values.Base) = 1, name = "base", hidden = 0.5}
+info locals
alias = 13
+continue
Continuing.

Breakpoint 5, Values.Program.Refs () at Values.cs:{@refs}
{@refs}{...}
+info locals
number = 13
point = {X = 2, Y = 30}
word = "word!"
obj = {Id = 2, Other = null, data = {int[3]}, Name = "derived", Id (Values.Base) = 1, name = "base", hidden = 0.5}
result = 16
text = "out"
array = {1, 20, 3}
element = 20
field = 30
+continue
Continuing.

Breakpoint 6, Values.Program.Objects () at Values.cs:{@objects}
{@objects}{...}
+info locals
derived = {Id = 2, Other = {Values.Base}, data = {int[3]}, Name = "derived", Id (Values.Base) = 1, name = "base", hidden = 0.5}
asBase = (Values.Derived) {Id = 2, Other = {Values.Base}, data = {int[3]}, Name = "derived", Id (Values.Base) = 1, name = "base", hidden = 0.5}
node = {Name = "first", Next = {Values.Node}, Many = {Values.Node[3]}}
self = {{object[1]}}
missing = null
anonymous = {Id = 3, Name = "anon", Inner = {Deep = true}}
chain = {Name = "n99", Next = {Values.Node}, Many = null}
+kill
[Inferior 1 (process {n}) killed]
