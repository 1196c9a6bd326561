#! fixture=Steps args=calls exit=0
## Over a line with calls that have breakpoints in them; a step ends there.
+tbreak @calls-nested
Temporary breakpoint 1 at {...}: file Steps.cs, line {@calls-nested}.
+break @one
Breakpoint 2 at {...}: file Steps.cs, line {@one}.
+run
Starting program: {out}/Steps.dll calls

Temporary breakpoint 1, Steps.Program.Calls () at Steps.cs:{@calls-nested}
{@calls-nested}{...}// @calls-nested
+next

Breakpoint 2, Steps.Program.One (n=3) at Steps.cs:{@one}
{@one}{...}// @one
+finish
Run till exit from #0  Steps.Program.One (n=3) at Steps.cs:{@one}
{...}Steps.Program.Calls () at Steps.cs:{@calls-nested}
{@calls-nested}{...}// @calls-nested
## The breakpoint is where the step in would end: it is named.
Value returned is $1 = 4
+step

Breakpoint 2, Steps.Program.One (n=1) at Steps.cs:{@one}
{@one}{...}// @one
## The frame returns before that line is reached.
+delete 2
+advance @calls-after
{...}Steps.Program.Calls () at Steps.cs:{@calls-nested}
{@calls-nested}{...}// @calls-nested
+advance @calls-after
Steps.Program.Calls () at Steps.cs:{@calls-after}
{@calls-after}{...}// @calls-after
+next
{@calls-return}{...}// @calls-return
+next
{@calls-end}{...}// @calls-end
## A line of the past.
+advance @calls
Steps.Program.Section (name="calls", {...}) at Steps.cs:{@section}
{@section}{...}// @section
+continue
Continuing.
calls 9
ok
[Inferior 1 (process {n}) exited normally]
