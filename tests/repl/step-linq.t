#! fixture=Steps args=dispatch exit=0
## Lambdas that the framework calls; a static constructor that it runs.
+break @call-linq
Breakpoint 1 at {...}: file Steps.cs, line {@call-linq}.
+break @lazy-make
Breakpoint 2 at {...}: file Steps.cs, line {@lazy-make}.
+tbreak @call-cctor
Temporary breakpoint 3 at {...}: file Steps.cs, line {@call-cctor}.
+run
Starting program: {out}/Steps.dll dispatch

Temporary breakpoint 3, Steps.Program.Dispatch () at Steps.cs:{@call-cctor}
{@call-cctor}{...}// @call-cctor
+next

Breakpoint 2, Steps.Lazy.Make () at Steps.cs:{@lazy-make}
{@lazy-make}{...}// @lazy-make
+finish
Run till exit from #0  Steps.Lazy.Make () at Steps.cs:{@lazy-make}
{...}Steps.Lazy..cctor () at Steps.cs:{@lazy-field}
{@lazy-field}{...}// @lazy-field
Value returned is $1 = 41
+next
...
{@lazy-open}{...}// @lazy-open
+next
{@lazy-cctor}{...}// @lazy-cctor
+finish
Run till exit from #0  Steps.Lazy..cctor () at Steps.cs:{@lazy-cctor}
{...}Steps.Program.Dispatch () at Steps.cs:{@call-cctor}
{@call-cctor}{...}// @call-cctor
+continue
Continuing.

Breakpoint 1, Steps.Program.Dispatch () at Steps.cs:{@call-linq}
{@call-linq}{...}// @call-linq
## The lambda in the line is no part of its breakpoint: its column names it.
+info breakpoints 1
Num     Type           Disp Enb Address            What
1       breakpoint     keep y   {addr} in Steps.Program.Dispatch() at Steps.cs:{@call-linq}
	breakpoint already hit 1 time
+break @call-linq:53
Breakpoint 4 at Steps.Program.Dispatch.lambda: file Steps.cs, line {@call-linq}.
The method is not compiled yet.
+next

Breakpoint 4, Steps.Program.Dispatch.lambda (x=3) at Steps.cs:{@call-linq}
{@call-linq}{...}// @call-linq
+disable 4
+next
Steps.Program.Dispatch () at Steps.cs:{@call-linq}
{@call-linq}{...}// @call-linq
+next
{@call-base}{...}// @call-base
+continue
Continuing.
dispatch 98
ok
[Inferior 1 (process {n}) exited normally]
