#! fixture=Throws args="filtered many" exit=0
## Thousands of exceptions that nobody asked for by type pass at speed, and
## each one that was asked for is counted.
+catch throw KeyNotFoundException
Catchpoint 1 (throw KeyNotFoundException)
+catch throw InvalidOperationException
Catchpoint 2 (throw InvalidOperationException)
## One is thrown by the section before.
+ignore 2 2000
Will ignore next 2000 crossings of breakpoint 2.
+run
Starting program: {out}/Throws.dll filtered many
filtered 2

Exception thrown: System.InvalidOperationException: "many"
It will be caught in {...} at Throws.cs:{n}.
{addr} in Throws.Program.Many () at Throws.cs:{@many-throw}
{@many-throw}{...}// @many-throw
+print n
$1 = 1999
+info breakpoints
Num     Type           Disp Enb Address            What
1       catchpoint     keep y                      exception throw KeyNotFoundException
2       catchpoint     keep y                      exception throw InvalidOperationException
	breakpoint already hit 2001 times
+disable 2
+continue
Continuing.
many 2000
ok
[Inferior 1 (process {n}) exited normally]
