#! fixture=Throws args="plain custom inner" exit=0
## A catchpoint's condition: of the exception, and of the frame that throws.
+catch throw
Catchpoint 1 (throw)
+condition 1 $exception._message == "middle"
+catch throw InvalidOperationException
Catchpoint 2 (throw InvalidOperationException)
+condition 2 $exception._innerException == null && n == 0
+run
Starting program: {out}/Throws.dll plain custom inner

Exception thrown: System.InvalidOperationException: "level zero"
It will be caught in {...} at Throws.cs:{n}.
{addr} in Throws.Program.Level (n=0) at Throws.cs:{@level-throw}
{@level-throw}{...}// @level-throw
+delete 2
+continue
Continuing.
plain 10
custom 17

Exception thrown: System.ArgumentException: "middle"
It will be caught in {...} at Throws.cs:{n}.
{addr} in Throws.Program.Inner () at Throws.cs:{@inner-second}
{@inner-second}{...}// @inner-second
+print $exception._innerException._message
$1 = "innermost"
+info breakpoints
Num     Type           Disp Enb Address            What
1       catchpoint     keep y                      exception throw
	stop only if $exception._message == "middle"
	breakpoint already hit 1 time
+continue
Continuing.
inner 9
ok
[Inferior 1 (process {n}) exited normally]
