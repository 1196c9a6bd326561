#! fixture=Throws config=Debug,Release args=async exit=0
## What is awaited fails: the step goes on in the handler.
+break @async-await
Breakpoint 1 at {...}: file Throws.cs, line {@async-await}.
+run
Starting program: {out}/Throws.dll async

Breakpoint 1, Throws.Program.Async () at Throws.cs:{@async-await}
{@async-await}{...}// @async-await
+next
{Release}No module of the program is built for debugging: optimized code with symbols counts as yours.
...
{Debug}Throws.Program.Async () at Throws.cs:{@async-catch-head}
{Debug}{@async-catch-head}{...}// @async-catch-head
{Debug}+advance @async-catch
Throws.Program.Async () at Throws.cs:{@async-catch}
{@async-catch}{...}// @async-catch
+continue
Continuing.
async 4
ok
[Inferior 1 (process {n}) exited normally]
