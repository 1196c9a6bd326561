#! fixture=Steps config=Debug,Release args=recursion exit=0
## A step belongs to one activation; deeper ones run through.
+break @recursion
Breakpoint 1 at {...}: file Steps.cs, line {@recursion}.
+run
Starting program: {out}/Steps.dll recursion

Breakpoint 1, Steps.Program.Recursion () at Steps.cs:{@recursion}
{@recursion}{...}// @recursion
+step
{Release}No module of the program is built for debugging: optimized code with symbols counts as yours.
Steps.Program.Factorial (n=5) at Steps.cs:{@fact}
{@fact}{...}// @fact
+next
{@fact-recurse}{...}// @fact-recurse
{Debug}+next
{Debug}{@fact-return}{...}// @fact-return
{Debug}+print rest
{Debug}$1 = 24
{Debug}+next
{Debug}{@fact-close}{...}// @fact-close
{Debug}+next
{Debug}Steps.Program.Recursion () at Steps.cs:{@recursion}
{Debug}{@recursion}{...}// @recursion
{Release}+step
{Release}Steps.Program.Factorial (n=4) at Steps.cs:{@fact}
{Release}{@fact}{...}// @fact
{Release}+finish
{Release}Run till exit from #0  Steps.Program.Factorial (n=4) at Steps.cs:{@fact}
{Release}{...}Steps.Program.Factorial (n=5) at Steps.cs:{@fact-recurse}
{Release}{@fact-recurse}{...}// @fact-recurse
{Release}Value returned is $1 = 24
+continue
Continuing.
recursion 120
ok
[Inferior 1 (process {n}) exited normally]
