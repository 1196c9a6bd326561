#! fixture=Assign args="places"
## Places of every kind, in frames of every kind.
+break @instance
Breakpoint 1 at {...}: file Assign.cs, line {@instance}.
+break @closure
Breakpoint 2 at {...}: file Assign.cs, line {@closure}.
+break @hoisted
Breakpoint 3 at {...}: file Assign.cs, line {@hoisted}.
+break @struct-this
Breakpoint 4 at {...}: file Assign.cs, line {@struct-this}.
+break @statics
Breakpoint 5 at {...}: file Assign.cs, line {@statics}.
+run
Starting program: {out}/Assign.dll places

Breakpoint 1, Assign.Maker.Instance (this={Assign.Maker}, argument=3) at Assign.cs:{@instance}
{@instance}{...}
+print Field = this.Field = argument = 30
$1 = 30
+print this.Field = 40
$2 = 40
+print Field += 1
$3 = 41
+up
\#1  {addr} in Assign.Program.Places () at Assign.cs:{n}
{n}	            maker.Instance(3);
+print maker.Field = 50
$4 = 50
+print Shared.PerThread += 1
$5 = 3
+down
\#0  Assign.Maker.Instance (this={Assign.Maker}, argument=30) at Assign.cs:{@instance}
{@instance}{...}
+continue
Continuing.
30 50
30 50

Breakpoint 2, Assign.Maker.Close.lambda () at Assign.cs:{@closure}
{@closure}{...}
+print captured = captured = 10
$6 = 10
+continue
Continuing.
10
10
[Switching to thread {n} (Thread {n} ".NET TP Worker")]

Breakpoint 3, Assign.Maker.Hoist (this={Assign.Maker}) at Assign.cs:{@hoisted}
{@hoisted}{...}
+print hoisted = hoisted = 11
$7 = 11
+continue
Continuing.
11
11
[Switching to thread 1 (Thread {n} "Main Thread")]

Breakpoint 4, Assign.Point.Move (this={X = 1, Y = 1}) at Assign.cs:{@struct-this}
{@struct-this}{...}
+print X = this.X = 100
$8 = 100
+print this.Y = 200
$9 = 200
+print this
$10 = {X = 100, Y = 200}
+continue
Continuing.
101 200

Breakpoint 5, Assign.Program.Places () at Assign.cs:{@statics}
{@statics}{...}
+print Shared.Number = 5
$11 = 5
+print Shared.Place.X = 6
$12 = 6
+print Shared.Place
$13 = {X = 6, Y = 2}
+print Shared.Object.Id = 7
$14 = 7
+set var Shared.Object.Name = null
+print Shared.Fixed = 88
$15 = 88
+print Shared.PerThread = 44
$16 = 44
+continue
Continuing.
5 6,2 7 44 88
5 6,2 7 44 88
ok
[Inferior 1 (process {n}) exited normally]
