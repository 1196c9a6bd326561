#! fixture=Throws args="plain async filtered foreign escapes" exit=0
## Thrown through code with source that does nothing against it; what that
## code catches, or may catch, passes, and so does what a library may catch
## before, and what code that awaits catches. A task catches for nobody.
+catch user-unhandled
Catchpoint 1 (user-unhandled)
+tcatch user-unhandled -exact Exception
Temporary catchpoint 2 (user-unhandled -exact Exception)
+run
Starting program: {out}/Throws.dll plain async filtered foreign escapes
plain 10
async 4
filtered 2
foreign 7
...

Exception not caught by your code: System.InvalidOperationException: "level zero"
It will be caught in System.Threading.{...}.
{addr} in Throws.Program.Level (n=0) at Throws.cs:{@level-throw}
{@level-throw}{...}// @level-throw
+bt 2
#0  {addr} in Throws.Program.Level (n=0) at Throws.cs:{@level-throw}
#1  {addr} in Throws.Program.Escapes.lambda () at Throws.cs:{@escape-run}
(More stack frames follow...)
+continue
Continuing.
...

Exception not caught by your code: System.TimeoutException: "late"
It goes into the task of Throws.Program.Fails.
{addr} in Throws.Program.Fails (n=1) at Throws.cs:{@async-throw}
{@async-throw}{...}// @async-throw
+info breakpoints
Num     Type           Disp Enb Address            What
1       catchpoint     keep y                      exception user-unhandled
	breakpoint already hit 2 times
2       catchpoint     del  y                      exception user-unhandled -exact Exception
+continue
Continuing.
escapes {n}
ok
[Inferior 1 (process {n}) exited normally]
