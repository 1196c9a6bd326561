#! fixture=Steps args=iterators exit=0
## Into the body of an iterator, each time it goes on.
+break @iterators
Breakpoint 1 at {...}: file Steps.cs, line {@iterators}.
+run
Starting program: {out}/Steps.dll iterators

Breakpoint 1, Steps.Program.Iterators () at Steps.cs:{@iterators}
{@iterators}{...}// @iterators
+next
{@iter-foreach}{...}// @iter-foreach
+step
Steps.Program.Count (n=3) at Steps.cs:{@iter-start}
{@iter-start}{...}// @iter-start
+next
{@iter-head}{...}// @iter-head
+next
{@iter-open}{...}// @iter-open
+next
{@iter-yield}{...}// @iter-yield
+next
Steps.Program.Iterators () at Steps.cs:{@iter-foreach}
{@iter-foreach}{...}// @iter-foreach
+next
{@iter-body}{...}// @iter-body
+next
{@iter-foreach}{...}// @iter-foreach
## Behind its yield.
+step
Steps.Program.Count (n=3) at Steps.cs:{@iter-after}
{@iter-after}{...}// @iter-after
+print i
$1 = 0
+finish
Run till exit from #0  Steps.Program.Count (n=3) at Steps.cs:{@iter-after}
{...}Steps.Program.Iterators () at Steps.cs:{@iter-foreach}
{@iter-foreach}{...}// @iter-foreach
+next
{@iter-body}{...}// @iter-body
+print n
$2 = 1
+until @iter-return
Steps.Program.Iterators () at Steps.cs:{@iter-return}
{@iter-return}{...}// @iter-return
+print sum
$3 = 3
+continue
Continuing.
iterators 3
ok
[Inferior 1 (process {n}) exited normally]
