#! fixture=Rental exit=0
## Just My Code: a library without symbols is passed, what it calls back in the
## program is not; so is a package, whose symbols count as others'.
+break @price
Breakpoint 1 at Rental.Program.Prices: file Program.cs, line {@price}.
+run
Starting program: {out}/Rental.dll

Breakpoint 1, Rental.Program.Prices (shelf={...}, pricing={...}) at Program.cs:{@price}
{@price}{...}// @price
+step
Rental.Loyalty.Percent (this={Rental.Loyalty}, item={Rental.Model.Bike}, days=7) at Program.cs:{@percent}
{@percent}{...}// @percent
+finish
Run till exit from #0  Rental.Loyalty.Percent {...} at Program.cs:{@percent}
Rental.Program.Prices (shelf={...}, pricing={...}) at Program.cs:{@price}
{@price}{...}// @price
+next
{@priced}{...}// @priced
+print price
$1 = {Cents = 3339}
+tbreak @batch
Temporary breakpoint 2 at Rental.Program.Packages: file Program.cs, line {@batch}.
...
+continue
Continuing.

Temporary breakpoint 2, Rental.Program.Packages (count=10) at Program.cs:{@batch}
{@batch}{...}// @batch
## By way of the package into the iterator of another library.
+step
Rental.Model.Rules.Days (count=10) at Model.cs:{@days}
{@days}{...}// @days
+bt 2
#0  Rental.Model.Rules.Days (count=10) at Model.cs:{@days}
#1  {addr} in MoreLinq.MoreEnumerable.Batch._<int, int[]> ({...}) at Batch.cs:{n}
(More stack frames follow...)
+delete
+tbreak @each
Temporary breakpoint 3 at Rental.Program.Packages.lambda: file Program.cs, line {@each}.
...
+continue
Continuing.

Temporary breakpoint 3, Rental.Program.Packages.lambda (day=1) at Program.cs:{@each}
{@each}{...}// @each
+bt 3
#0  Rental.Program.Packages.lambda (day=1) at Program.cs:{@each}
#1  {addr} in MoreLinq.MoreEnumerable.ForEach<int> ({...}) at ForEach.cs:{n}
#2  {addr} in Rental.Program.Packages (count=10) at Program.cs:{@for-each}
(More stack frames follow...)
+print longest
$2 = 0
## All code: into the package, by its own symbols.
+set just-my-code off
+tbreak @for-each
Temporary breakpoint 4 at {addr}: file Program.cs, line {@for-each}.
+run
Starting program: {out}/Rental.dll

Temporary breakpoint 4, Rental.Program.Packages (count=10) at Program.cs:{@for-each}
{@for-each}{...}// @for-each
+step
...
MoreLinq.MoreEnumerable.ForEach<int> (source={...}, action={Rental.Program.Packages.lambda}) at ForEach.cs:{n}
{n}	in /_/MoreLinq/ForEach.cs
+next
{n}	in /_/MoreLinq/ForEach.cs
+info source
Current source file is ForEach.cs
Located in /_/MoreLinq/ForEach.cs
Not readable: {...}
Source language is C#.
Symbols of module MoreLinq.dll.
+print source
$3 = (Rental.Model.Rules.<Days>d__{n}) {...}
+info functions MoreLinq.MoreEnumerable.ForEach
...
+delete
+continue
Continuing.
ok
[Inferior 1 (process {n}) exited normally]
