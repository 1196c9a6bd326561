#! fixture=Steps config=Debug,Release args=async exit=0
## An await that waits: the step goes on where the method does.
+break @async
Breakpoint 1 at {...}: file Steps.cs, line {@async}.
+run
Starting program: {out}/Steps.dll async

Breakpoint 1, Steps.Program.Async () at Steps.cs:{@async}
{@async}{...}// @async
+next
{Release}No module of the program is built for debugging: optimized code with symbols counts as yours.
{@async-await}{...}// @async-await
+next
...
Steps.Program.Async () at Steps.cs:{@async-after}
{@async-after}{...}// @async-after
+print b
$1 = 2
+next
{@async-second}{...}// @async-second
## Into the body of what is awaited, and over its own await.
+step
Steps.Program.Later (n=12) at Steps.cs:{@later-await}
{@later-await}{...}// @later-await
+next
## The thread may be the same, and the frame where it was.
...
{@later-return}{...}// @later-return
+tbreak @async-return
...
+continue
Continuing.
...
Temporary breakpoint 2, Steps.Program.Async () at Steps.cs:{@async-return}
{@async-return}{...}// @async-return
+continue
Continuing.
async 26
ok
[Inferior 1 (process {n}) exited normally]
