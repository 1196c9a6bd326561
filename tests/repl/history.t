#! fixture=Assign args="places"
## Values by their number: of this stop, and what is kept of earlier ones.
+break @instance
Breakpoint 1 at {...}: file Assign.cs, line {@instance}.
+break @statics
Breakpoint 2 at {...}: file Assign.cs, line {@statics}.
+run
Starting program: {out}/Assign.dll places

Breakpoint 1, Assign.Maker.Instance (this={Assign.Maker}, argument=3) at Assign.cs:{@instance}
{@instance}{...}
+print argument
$1 = 3
+print $ + 1
$2 = 4
+print $1 * 10
$3 = 30
+print $$
$4 = 4
+print $$3
$5 = 3
+print this
$6 = {Field = 4}
+print $.Field
$7 = 4
+print $6.Field = 5
$8 = 5
+print $7
$9 = 4
+print/x $1
$10 = 0x3
+print "text" + "x"
$11 = "textx"
+continue
Continuing.
3 5
3 5
1
1
1
1
2 1

Breakpoint 2, Assign.Program.Places () at Assign.cs:{@statics}
{@statics}{...}
+print
$12 = "textx"
+print $1
$13 = 3
+print $12.Length
$14 = 5
+kill
[Inferior 1 (process {n}) killed]
