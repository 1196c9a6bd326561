#! fixture=Steps args=none exit=1
## To the end of the program, which a step does not hold up.
+break @main-end
Breakpoint 1 at {...}: file Steps.cs, line {@main-end}.
+run
Starting program: {out}/Steps.dll none

Breakpoint 1, Steps.Program.Main (args={string[1]}) at Steps.cs:{@main-end}
{@main-end}{...}// @main-end
+next
ok
{@main-return}{...}// @main-return
+step
{@main-close}{...}// @main-close
+step
[Inferior 1 (process {n}) exited normally]
+run
Starting program: {out}/Steps.dll none

Breakpoint 1, Steps.Program.Main (args={string[1]}) at Steps.cs:{@main-end}
{@main-end}{...}// @main-end
+finish
Run till exit from #0  Steps.Program.Main (args={string[1]}) at Steps.cs:{@main-end}
{...}no caller with source to return to: "continue" lets the program run on.
