#! fixture=Rental exit=0
## The first stop of a program whose Main has variables of a library's types.
+start
Starting program: {out}/Rental.dll
Rental.Program.Main (args={string[0]}) at Program.cs:{@main}
{@main}{...}// @main
+next 2
{@main-contract}{...}// @main-contract
+step
...
{n}{...}
+bt 1
#0  Rental.Model.Boat.Boat (this={Rental.Model.Boat}, code="b") at Model.cs:{n}
(More stack frames follow...)
+up
#1  {addr} in Rental.Program.Main (args={string[0]}) at Program.cs:{@main-contract}
{@main-contract}{...}// @main-contract
+down
#0  Rental.Model.Boat.Boat {...} at Model.cs:{n}
{n}{...}
+finish
Run till exit from #0  Rental.Model.{...}
{...}Rental.Program.Main (args={string[0]}) at Program.cs:{@main-contract}
{@main-contract}{...}// @main-contract
+next
{@main-days}{...}// @main-days
+ptype contract.Item
...
+print contract.Item.Daily
$1 = {Cents = 4000}
+kill
[Inferior 1 (process {n}) killed]
## Again: what was found before is used once more.
+start
Starting program: {out}/Rental.dll
Rental.Program.Main (args={string[0]}) at Program.cs:{@main}
{@main}{...}// @main
+continue
Continuing.
ok
[Inferior 1 (process {n}) exited normally]
