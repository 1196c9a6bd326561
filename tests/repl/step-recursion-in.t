#! fixture=Steps args=recursion exit=0
+break @fact-recurse if n == 3
Breakpoint 1 at {...}: file Steps.cs, line {@fact-recurse}.
+run
Starting program: {out}/Steps.dll recursion

Breakpoint 1, Steps.Program.Factorial (n=3) at Steps.cs:{@fact-recurse}
{@fact-recurse}{...}// @fact-recurse
+bt 4
#0  Steps.Program.Factorial (n=3) at Steps.cs:{@fact-recurse}
#1  {addr} in Steps.Program.Factorial (n=4) at Steps.cs:{@fact-recurse}
#2  {addr} in Steps.Program.Factorial (n=5) at Steps.cs:{@fact-recurse}
#3  {addr} in Steps.Program.Recursion () at Steps.cs:{@recursion}
(More stack frames follow...)
+step
Steps.Program.Factorial (n=2) at Steps.cs:{@fact}
{@fact}{...}// @fact
+finish
Run till exit from #0  Steps.Program.Factorial (n=2) at Steps.cs:{@fact}
{...}Steps.Program.Factorial (n=3) at Steps.cs:{@fact-recurse}
{@fact-recurse}{...}// @fact-recurse
Value returned is $1 = 2
+next
{@fact-return}{...}// @fact-return
+print rest
$2 = 2
+finish
Run till exit from #0  Steps.Program.Factorial (n=3) at Steps.cs:{@fact-return}
{...}Steps.Program.Factorial (n=4) at Steps.cs:{@fact-recurse}
{@fact-recurse}{...}// @fact-recurse
Value returned is $3 = 6
+until @recursion-after
{...}Steps.Program.Factorial (n=5) at Steps.cs:{@fact-recurse}
{@fact-recurse}{...}// @fact-recurse
+continue
Continuing.
recursion 120
ok
[Inferior 1 (process {n}) exited normally]
