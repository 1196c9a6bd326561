#! fixture=Steps args=calls exit=0
## One instruction: where it goes; over a call.
+break @calls-nested
Breakpoint 1 (Steps.cs:{@calls-nested}) pending: the program is not running.
+run
Starting program: {out}/Steps.dll calls

Breakpoint 1, Steps.Program.Calls () at Steps.cs:{@calls-nested}
{@calls-nested}{...}// @calls-nested
+tbreak Two
Temporary breakpoint 2 at Steps.Program.Two: file Steps.cs, line {@two}.
The method is not compiled yet.
