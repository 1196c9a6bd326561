#! fixture=Views args=values
## The type of an object where its variable's is another, rows of arrays within
## each other, tuples, and braces that stand below their variable.
+break @values
Breakpoint 1 at {...}: file Views.cs, line {@values}.
+run
Starting program: {out}/Views.dll values

Breakpoint 1, Views.Program.Values (count=3, text="words") at Views.cs:{@values}
{@values}{...}// @values
+print shape
$1 = (Views.Circle) {R = 2, Boxed = 7, Inside = (Views.Circle) {R = 2, Boxed = 7, Inside = null, Name = "a shape"}, Name = "a shape"}
+print plain
$2 = {Name = "a shape"}
+print boxed
$3 = 5
+print grid
$4 = {{1, 2, 3}, {4, 5, 6}}
+print cube
$5 = {{{1}, {2}}, {{3}, {4}}}
+print pair
$6 = (3, "three")
+print pair.Item2
$7 = "three"
+set print elements 4
+print grid
$8 = {{1, 2, 3}, {4...}}
+set print elements 200
+set print pretty on
+bt 1 full
#0  Views.Program.Values (count=3, text="words") at Views.cs:{@values}
...
        shape = (Views.Circle) {
          R = 2,
          Boxed = 7,
          Inside = {Views.Circle},
          Name = "a shape"
        }
...
