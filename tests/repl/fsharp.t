#! fixture=FsViews
## F#: values of a module by name; records, references, unions, options and
## lists as F# writes them.
+break @values
Breakpoint 1 at {...}: file FsViews.fs, line {@values}.
+break @task
Breakpoint 2 at {...}: file FsViews.fs, line {@task}.
+run
Starting program: {out}/FsViews.dll

Breakpoint 1, FsViews.values (count=3) at FsViews.fs:{@values}
{@values}{...}// @values
+info locals
person = { Name = "Ann"; Age = 30 }
cell = { contents = 9 }
shape = Circle 2
box = Box (3, 4)
empty = Empty
some = Some 6
none = None
list = [1; 2; 3]
nothing = []
choice = Some (Circle 1)
result = Ok 9
captured = 10
pair = (1, "two")
add = {...}
+print counter
$1 = 42
+print FsViews.counter
$2 = 42
+print person.Name
$3 = "Ann"
+print cell.Value
$4 = 9
+print cell.contents
$5 = 9
+print list.tail
$6 = [2; 3]
+info statics
counter = 42
+ptype person
type = sealed class FsViews.Person : {...}
{
    public string Name { get; }
    public int Age { get; set; }
    public Person(string, int);
...
+ptype shape
type = class FsViews.Shape.Circle : FsViews.Shape
{
    public int radius { get; }
    internal Circle(int);
}
## Proxies whose rows are hidden from other assemblies; what is a slot without
## being marked as a new one; sequences.
+tbreak @collections
...
+continue
Continuing.
...
Temporary breakpoint 3, FsViews.collections (limit=3) at FsViews.fs:{@collections}
{@collections}{...}// @collections
+print map
$7 = Count = 2 = {["ann"] = 1, ["bob"] = 2}
+print set
$8 = Count = 2 = {1, 3}
+print read
$9 = {...} Count = 1 = {["a"] = 1}
+print some
$10 = ValueSome 3
+print none
$11 = ValueNone
+print squares
$12 = {...} {1, 4, 9}
+print plus.Invoke(2)
$13 = 5
+print partial.Invoke(1)
$14 = 14
## Unions that are structs have the fields of all cases; of one case only.
+tbreak @unions
...
+continue
Continuing.
...
Temporary breakpoint 4, FsViews.unions () at FsViews.fs:{@unions}
{@unions}{...}// @unions
+info locals
round = Round 2
wide = Wide (3, 4)
nothing = Nothing
meters = Meters 5
email = Email "a@b"
pairs = Pairs (1, "x")
spot = { X = 1; Y = 2 }
error = Error "bad"
nested = Some (Round 7)
anonymous = { Id = 1; Text = "t" }
failed = {FsViews.Failed: "Failed (\"größe\", 3)"}
bare = {FsViews.Bare: "Bare"}
+continue
Continuing.
...
Breakpoint 2, {...} at FsViews.fs:{@task}
{@task}{...}// @task
+info locals
after = 3
before = 2
+print counter
$15 = 45
+continue
Continuing.
53 a title
[Inferior 1 (process {n}) exited normally]
