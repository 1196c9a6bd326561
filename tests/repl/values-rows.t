#! fixture=Values args="arrays pointers spans"
## Arrays of any rank and lower bound, spans, buffers.
+break @arrays
Breakpoint 1 at {...}: file Values.cs, line {@arrays}.
+break @pointers
Breakpoint 2 at {...}: file Values.cs, line {@pointers}.
+break @spans
Breakpoint 3 at {...}: file Values.cs, line {@spans}.
+run
Starting program: {out}/Values.dll arrays pointers spans

Breakpoint 1, Values.Program.Arrays () at Values.cs:{@arrays}
{@arrays}{...}
+print numbers
$1 = {1, 2, 3}
+print none
$2 = null
+print empty
$3 = {int[0]}
+print words
$4 = {"a", null, "c"}
+print points
$5 = {{X = 1, Y = 2}, {X = 3, Y = 4}}
+print grid
$6 = {{1, 2, 3}, {4, 5, 6}}
+print cube
$7 = {{{null, null}}, {{null, "corner"}}}
+print jagged
$8 = {{1}, null, {2, 3}}
+print based
$9 = (int[,]) {{0, 0}, {0, 77}}
+print based1
$10 = (int[]) {0, 11, 0}
+print huge
$11 = {0 <repeats 200 times>...}
+print run
$12 = {4 <repeats 200 times>...}
+print mixed
$13 = {1, "s", (Values.Point) {X = 5, Y = 6}, null, Color.Blue, (int[]) {1}}
+print flags
$14 = {true, false}
+print chars
$15 = {'x', '\n'}
+print colors
$16 = {Color.Red, Color.Blue}
+print maybes
$17 = {1, null}
+ptype points[0]
type = struct Values.Point
{
    public int X;
    public int Y;
    public int Sum { get; }
    public Point(int, int);
}
+continue
Continuing.

Breakpoint 2, Values.Program.Pointers () at Values.cs:{@pointers}
{@pointers}{...}
+print inline.Numbers
$18 = {0, 0, 22, 0}
+print inline.Numbers[2]
$19 = 22
+continue
Continuing.

Breakpoint 3, Values.Program.Spans () at Values.cs:{@spans}
{@spans}{...}
+info locals
span = {1, 2, 3, 4}
slice = {2, 3}
chars = "arac"
stack = {5, 6, 7}
none = {System.Span<Values.Point>[0]}
memory = {9}
+kill
[Inferior 1 (process {n}) killed]
