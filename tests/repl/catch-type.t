#! fixture=Throws config=Debug,Release args="plain custom hardware framework async filtered" exit=0
## Only a type and what derives from it; by its full name or the last part.
+catch throw Throws.ShopException
Catchpoint 1 (throw Throws.ShopException)
+catch throw ArithmeticException
Catchpoint 2 (throw ArithmeticException)
+catch throw NoSuchException
Catchpoint 3 (throw NoSuchException)
+run
Starting program: {out}/Throws.dll plain custom hardware framework async filtered
plain 10

Exception thrown: Throws.ShopException: "sold out"
It will be caught in {...} at Throws.cs:{n}.
{addr} in Throws.Program.Custom () at Throws.cs:{@custom-throw}
{@custom-throw}{...}// @custom-throw
+print $exception.Code
$1 = 17
+continue
Continuing.
custom 17

## A DivideByZeroException is an ArithmeticException; the null reference
## before it is none.
Exception thrown: System.DivideByZeroException: "Attempted to divide by zero."
It will be caught in {...} at Throws.cs:{n}.
{addr} in Throws.Program.Hardware () at Throws.cs:{@divide}
{@divide}{...}// @divide
## A type that was passed over counts when somebody asks for it.
+catch throw SystemException
Catchpoint 4 (throw SystemException)
+disable 2
+continue
Continuing.

Exception thrown: System.IndexOutOfRangeException: "Index was outside the bounds of the array."
...
+delete 4
+catch throw InvalidOperationException
Catchpoint 5 (throw InvalidOperationException)
+continue
Continuing.
hardware 15
framework 7
async 4

Exception thrown: System.InvalidOperationException: "level zero"
A filter decides in Throws.Program.Filtered at Throws.cs:{@filter-first}; else it will not be caught.
{addr} in Throws.Program.Level (n=0) at Throws.cs:{@level-throw}
{@level-throw}{...}// @level-throw
+info breakpoints
Num     Type           Disp Enb Address            What
1       catchpoint     keep y                      exception throw Throws.ShopException
	breakpoint already hit 1 time
2       catchpoint     keep n                      exception throw ArithmeticException
	breakpoint already hit 1 time
3       catchpoint     keep y                      exception throw NoSuchException
5       catchpoint     keep y                      exception throw InvalidOperationException
	breakpoint already hit 1 time
+delete
+continue
Continuing.
filtered 2
ok
[Inferior 1 (process {n}) exited normally]
