#! fixture=Throws args="plain inner aggregate rethrow" exit=0
## Every throw is a stop, once, where it is thrown and with the stack intact.
+catch throw
Catchpoint 1 (throw)
+run
Starting program: {out}/Throws.dll plain inner aggregate rethrow

Exception thrown: System.InvalidOperationException: "level zero"
It will be caught in {...} at Throws.cs:{n}.
{addr} in Throws.Program.Level (n=0) at Throws.cs:{@level-throw}
{@level-throw}{...}// @level-throw
+bt
#0  {addr} in Throws.Program.Level (n=0) at Throws.cs:{@level-throw}
#1  {addr} in Throws.Program.Level (n=1) at Throws.cs:{@level-call}
#2  {addr} in Throws.Program.Level (n=2) at Throws.cs:{@level-call}
#3  {addr} in Throws.Program.Level (n=3) at Throws.cs:{@level-call}
#4  {addr} in Throws.Program.Plain () at Throws.cs:{@plain-call}
#5  {addr} in Throws.Program.Section (name="plain", args={string[4]}, run={...}) at Throws.cs:{@section}
#6  {addr} in Throws.Program.Main (args={string[4]}) at Throws.cs:{@main}
+print $exception
$1 = {System.InvalidOperationException: "level zero"}
+continue
Continuing.
plain 10

## A throw while another exception is handled: inner exceptions.
Exception thrown: System.FormatException: "innermost"
It will be caught in {...} at Throws.cs:{n}.
{addr} in Throws.Program.Inner () at Throws.cs:{@inner-first}
{@inner-first}{...}// @inner-first
+continue
Continuing.

Exception thrown: System.ArgumentException: "middle"
It will be caught in {...} at Throws.cs:{n}.
{addr} in Throws.Program.Inner () at Throws.cs:{@inner-second}
{@inner-second}{...}// @inner-second
+info exception
System.ArgumentException: "middle"
...
 ---> System.FormatException: "innermost"
   at Throws.Program.Inner() in {src}/Throws.cs:line {@inner-first}
   HResult = 0x80131537
+continue
Continuing.

Exception thrown: System.InvalidOperationException: "outermost"
It will be caught in {...} at Throws.cs:{n}.
{addr} in Throws.Program.Inner () at Throws.cs:{@inner-third}
{@inner-third}{...}// @inner-third
+continue
Continuing.
inner 9
...

## Two tasks throw, each exception is thrown on by the framework, and one
## that holds both is thrown, and thrown on.
Exception thrown: System.{...}
...
+tbreak @aggregate-catch
{...}
+ignore 1 100
Will ignore next 100 crossings of breakpoint 1.
+continue
Continuing.
...

Temporary breakpoint 2, Throws.Program.Aggregate () at Throws.cs:{@aggregate-catch}
{@aggregate-catch}{...}// @aggregate-catch
+info breakpoints
Num     Type           Disp Enb Address            What
1       catchpoint     keep y                      exception throw
	breakpoint already hit 10 times
	ignore next 95 hits
+delete
+catch throw
Catchpoint 3 (throw)
+continue
Continuing.
aggregate 2

## "throw;" is a throw of its own.
Exception thrown: System.InvalidOperationException: "level zero"
It will be caught in {...} at Throws.cs:{n}.
{addr} in Throws.Program.Level (n=0) at Throws.cs:{@level-throw}
{@level-throw}{...}// @level-throw
+continue
Continuing.

Exception thrown: System.InvalidOperationException: "level zero"
It will be caught in {...} at Throws.cs:{n}.
{addr} in Throws.Program.Rethrow () at Throws.cs:{@rethrow}
{@rethrow}{...}// @rethrow
+continue
Continuing.
rethrow 10
ok
[Inferior 1 (process {n}) exited normally]
