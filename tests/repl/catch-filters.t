#! fixture=Throws args="plain inner framework filtered" exit=0
## By the exact type, by several, by all but some; by the module that throws;
## by the message.
+catch throw -exact SystemException
Catchpoint 1 (throw -exact SystemException)
+catch throw -message "^inner(most)?$" ArgumentException, FormatException
Catchpoint 2 (throw -message "^inner(most)?$" ArgumentException, FormatException)
+catch throw -module Throws ! InvalidOperationException, Throws.ShopException
Catchpoint 3 (throw -module Throws ! InvalidOperationException, Throws.ShopException)
+catch throw -exact -module System.Private.CoreLib.dll KeyNotFoundException if $exception._HResult < 0
Catchpoint 4 (throw -exact -module System.Private.CoreLib.dll KeyNotFoundException)
+run
Starting program: {out}/Throws.dll plain inner framework filtered
plain 10

Exception thrown: System.FormatException: "innermost"
It will be caught in Throws.Program.Inner at Throws.cs:{n}.
{addr} in Throws.Program.Inner () at Throws.cs:{@inner-first}
{@inner-first}{...}// @inner-first
+continue
Continuing.

Exception thrown: System.ArgumentException: "middle"
It will be caught in Throws.Program.Inner at Throws.cs:{n}.
{addr} in Throws.Program.Inner () at Throws.cs:{@inner-second}
{@inner-second}{...}// @inner-second
## In the framework a FormatException is thrown, with another message.
+continue
Continuing.
inner 9

Exception thrown: System.Collections.Generic.KeyNotFoundException: "The given key 'absent' was not present in the dictionary."
It will be caught in Throws.Program.Framework at Throws.cs:{n}.
...
+info breakpoints
Num     Type           Disp Enb Address            What
1       catchpoint     keep y                      exception throw -exact SystemException
2       catchpoint     keep y                      exception throw -message "^inner(most)?$" ArgumentException, FormatException
	breakpoint already hit 1 time
3       catchpoint     keep y                      exception throw -module Throws ! InvalidOperationException, Throws.ShopException
	breakpoint already hit 2 times
4       catchpoint     keep y                      exception throw -exact -module System.Private.CoreLib.dll KeyNotFoundException
	stop only if $exception._HResult < 0
	breakpoint already hit 1 time
+delete
+catch throw
Catchpoint 5 (throw)
+continue
Continuing.
framework 7

## Whether a filter takes it is not known before it runs; the one for another
## type is not asked.
Exception thrown: System.InvalidOperationException: "level zero"
A filter decides in Throws.Program.Filtered at Throws.cs:{@filter-first}; else it will not be caught.
{addr} in Throws.Program.Level (n=0) at Throws.cs:{@level-throw}
{@level-throw}{...}// @level-throw
+continue
Continuing.
filtered 2
ok
[Inferior 1 (process {n}) exited normally]
