#! fixture=Rental exit=0
## Breakpoints in libraries before they are loaded, by place and by name: they
## are found in the program's files.
+break @rent-contract
Breakpoint 1 at Rental.Store.Shelf<T>.RentAsync: file Store.cs, line {@rent-contract}.
+break Rental.Model.Rules.Rent
Breakpoint 2 at Rental.Model.Rules.Rent: file Model.cs, line {n}.
+break @percent
Breakpoint 3 at Rental.Loyalty.Percent: file Program.cs, line {@percent}.
+tbreak @batch-sum
Temporary breakpoint 4 at Rental.Program.Packages.lambda: file Program.cs, line {@batch-sum}.
+run
Starting program: {out}/Rental.dll

Breakpoint 3, Rental.Loyalty.Percent (this={Rental.Loyalty}, item={Rental.Model.Bike}, days=7) at Program.cs:{@percent}
{@percent}{...}// @percent
## The program, called by a library without symbols.
+bt 4
#0  Rental.Loyalty.Percent (this={Rental.Loyalty}, item={Rental.Model.Bike}, days=7) at Program.cs:{@percent}
#1  {addr} in Rental.Rates.Tariff.Price (Rental.Model.Item, int) from Rental.Rates.dll (IL {addr})
#2  {addr} in Rental.Program.Prices (shelf={Rental.Store.Shelf<Rental.Model.Bike>}, pricing={Rental.Rates.Tariff}) at Program.cs:{@price}
#3  {addr} in Rental.Program.Day (shelf={Rental.Store.Shelf<Rental.Model.Bike>}, pricing={Rental.Rates.Tariff}) at Program.cs:{n}
(More stack frames follow...)
+print item
$1 = (Rental.Model.Bike) {Gears = 3, Code = "b2", State = State.Free}
+print item.Daily + new Rental.Model.Money(1)
$2 = {Cents = 531}
+up 2
#2  {addr} in Rental.Program.Prices {...} at Program.cs:{@price}
{@price}{...}// @price
+print shelf.Find("b1").Gears
$3 = 2
+print pricing.Price(bike, 1)
$4 = {Cents = 530}
+info sharedlibrary Rental
From                To                  Syms Read Shared Object Library
{addr}  {addr}  Yes       {out}/Rental.dll
                                                   {out}/Rental.pdb
{addr}  {addr}  Yes       {out}/Rental.Store.dll
                                                   {out}/Rental.Store.pdb
{addr}  {addr}  Yes       {out}/Rental.Model.dll
                                                   {out}/Rental.Model.pdb
{addr}  {addr}  No        {out}/Rental.Rates.dll (optimized)
                                                   built without a PDB
## In a lambda that a package calls, which is loaded by then.
+delete 3
+continue
Continuing.

Temporary breakpoint 4, Rental.Program.Packages.lambda (days={int[3]}) at Program.cs:{@batch-sum}
{@batch-sum}{...}// @batch-sum
+info sharedlibrary MoreLinq
From                To                  Syms Read Shared Object Library
{addr}  {addr}  Yes       {out}/MoreLinq.dll (optimized)
                                                   {out}/MoreLinq.pdb
+continue
Continuing.
...
Breakpoint 1, Rental.Store.Shelf<Rental.Model.Bike>.RentAsync (this={Rental.Store.Shelf<Rental.Model.Bike>}, code="b0", days=1, pricing={Rental.Rates.Tariff}) at Store.cs:{@rent-contract}
{@rent-contract}{...}// @rent-contract
## Into the constructor of a generic type of another assembly, and out of it.
+step
Rental.Model.Contract{...} (this={Rental.Model.Contract<Rental.Model.Bike>}, item={Rental.Model.Bike}, days=1) at Model.cs:{n}
{n}{...}
+tbreak @contract
Temporary breakpoint 5 at {...}: file Model.cs, line {@contract}.
+continue
Continuing.

Temporary breakpoint 5, Rental.Model.Contract{...} at Model.cs:{@contract}
{@contract}{...}// @contract
+finish
Run till exit from #0  Rental.Model.Contract{...} at Model.cs:{@contract}
{...}Rental.Store.Shelf<Rental.Model.Bike>.RentAsync (this={...}, code="b0", days=1, pricing={...}) at Store.cs:{@rent-contract}
{@rent-contract}{...}// @rent-contract
+next
{@rent-price}{...}// @rent-price
+print contract.Item.Code
$5 = "b0"
## Thrown in one assembly, passed through another, caught in a third.
+delete
+break @caught
Breakpoint 6 at {...}: file Program.cs, line {@caught}.
...
+break @caught-inner
Breakpoint 7 at {...}: file Program.cs, line {@caught-inner}.
...
+break @job-failed
Breakpoint 8 at {...}: file Store.cs, line {@job-failed}.
...
+continue
Continuing.
...
Breakpoint 6, Rental.Program.Rented (shelf={...}, pricing={...}) at Program.cs:{@caught}
{@caught}{...}// @caught
+print e
$6 = {Rental.Model.NotFree: "b1 is Rented"}
+print e.Item.State
$7 = State.Rented
+continue
Continuing.
...
Breakpoint 7, Rental.Program.Rented (shelf={...}, pricing={...}) at Program.cs:{@caught-inner}
{@caught-inner}{...}// @caught-inner
+print e.InnerException.Message
$8 = "The given key 'none' was not present in the dictionary."
+continue
Continuing.
...
Breakpoint 8, Rental.Store.Worker.Work (this={Rental.Store.Worker}) at Store.cs:{@job-failed}
{@job-failed}{...}// @job-failed
+delete
+continue
Continuing.
ok
[Inferior 1 (process {n}) exited normally]
