#! fixture=Steps config=Debug,Release args="others threw" exit=0
## A breakpoint or an exception in another thread ends the step, and leaves
## nothing of it behind.
+break @others-wait
Breakpoint 1 at {...}: file Steps.cs, line {@others-wait}.
+break @other-line
Breakpoint 2 at {...}: file Steps.cs, line {@other-line}.
+run
Starting program: {out}/Steps.dll others threw

Breakpoint 1, Steps.Program.Others () at Steps.cs:{@others-wait}
{@others-wait}{...}// @others-wait
## The line ends when the other thread has.
+next
{Release}No module of the program is built for debugging: optimized code with symbols counts as yours.
[Switching to thread {n} (Thread {n} "other")]

Breakpoint 2, Steps.Program.Others.lambda () at Steps.cs:{@other-line}
{@other-line}{...}// @other-line
+next
{@other-close}{...}// @other-close
+continue
Continuing.
others 5
threw 4
ok
[Inferior 1 (process {n}) exited normally]
+delete
+break @threw-wait
Breakpoint 3 at {...}: file Steps.cs, line {@threw-wait}.
+catch throw
Catchpoint 4 (throw)
+run
Starting program: {out}/Steps.dll others threw
others 5

Breakpoint 3, Steps.Program.Threw () at Steps.cs:{@threw-wait}
{@threw-wait}{...}// @threw-wait
+next
[Switching to thread {n} (Thread {n} "thrower")]

Exception thrown: System.InvalidOperationException: "there"
It will be caught in Steps.Program.Threw.lambda at Steps.cs:{n}.
{addr} in Steps.Program.Threw.lambda () at Steps.cs:{@threw-throw}
{@threw-throw}{...}// @threw-throw
## The other thread can be stepped out of its exception.
+next
{Release}Steps.Program.Threw.lambda () at Steps.cs:{@threw-catch}
{@threw-catch}{...}// @threw-catch
+delete
+continue
Continuing.
threw 4
ok
[Inferior 1 (process {n}) exited normally]
