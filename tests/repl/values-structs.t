#! fixture=Values args="structs tuples records wellknown"
## Structs, tuples, records, and what the framework's own stand for.
+break @structs
Breakpoint 1 at {...}: file Values.cs, line {@structs}.
+break @tuples
Breakpoint 2 at {...}: file Values.cs, line {@tuples}.
+break @records
Breakpoint 3 at {...}: file Values.cs, line {@records}.
+break @wellknown
Breakpoint 4 at {...}: file Values.cs, line {@wellknown}.
+run
Starting program: {out}/Values.dll structs tuples records wellknown

Breakpoint 1, Values.Program.Structs () at Values.cs:{@structs}
{@structs}{...}
+info locals
point = {X = 3, Y = -4}
segment = {From = {X = 3, Y = -4}, To = {X = 5, Y = 6}, Label = "seg", Tag = 7}
union = {Whole = 16909060, Low = 4, High = 1}
empty = {}
pair = {Key = "key", Value = {X = 3, Y = -4}}
+set var point = new Point(1, 2) { X = 8 }
+set var segment.To = new Point { X = 9, Y = 10 }
+set var segment.From = default(Point) with { X = 11 }
+info locals
point = {X = 8, Y = 2}
segment = {From = {X = 11, Y = 0}, To = {X = 9, Y = 10}, Label = "seg", Tag = 7}
union = {Whole = 16909060, Low = 4, High = 1}
empty = {}
pair = {Key = "key", Value = {X = 3, Y = -4}}
+continue
Continuing.

Breakpoint 2, Values.Program.Tuples () at Values.cs:{@tuples}
{@tuples}{...}
+info locals
plain = (1, "two", 3.5)
named = (Id: 7, Name: "seven", Where: {X = 1, Y = 2})
nested = (A: 1, Inner: (B: "x", C: true))
eight = (1, 2, 3, 4, 5, 6, 7, "eight", 9)
old = (4, "four")
empty = ()
+continue
Continuing.

Breakpoint 3, Values.Program.Records () at Values.cs:{@records}
{@records}{...}
+info locals
person = {Name = "Ann", Age = 30}
worker = (Values.Worker) {Job = "smith", Name = "Bob", Age = 40}
size = {W = 2, H = 3}
+continue
Continuing.

Breakpoint 4, Values.Program.Wellknown () at Values.cs:{@wellknown}
{@wellknown}{...}
+print guid
$1 = 00112233-4455-6677-8899-aabbccddeeff
+print when
$2 = 2024-02-29 12:34:56Z
+print span
$3 = 1.02:03:04.0050000
+print offset
$4 = 2024-05-06 07:08:09 +02:00
+print date
$5 = 2023-04-05
+print complex
$6 = {<1; -1>}
+print range
$7 = {1..3}
+print error
$8 = {System.InvalidOperationException: "kept"}
+kill
[Inferior 1 (process {n}) killed]
