#! fixture=Steps config=Debug,Release args="calls calls calls dispatch properties" exit=0
## One chosen call of a line, by number and by name.
+break @calls-nested
Breakpoint 1 at {...}: file Steps.cs, line {@calls-nested}.
+run
Starting program: {out}/Steps.dll calls calls calls dispatch properties

Breakpoint 1, Steps.Program.Calls () at Steps.cs:{@calls-nested}
{@calls-nested}{...}// @calls-nested
+info calls
1  Steps.Program.Two(int)
2  Steps.Program.One(int)
3  Steps.Program.One(int)
4  Steps.Program.Two(int)
+step-into 4
{Release}No module of the program is built for debugging: optimized code with symbols counts as yours.
Steps.Program.Two (n=2) at Steps.cs:{@two}
{@two}{...}// @two
+run
Starting program: {out}/Steps.dll calls calls calls dispatch properties

Breakpoint 1, Steps.Program.Calls () at Steps.cs:{@calls-nested}
{@calls-nested}{...}// @calls-nested
+step-into 3
Steps.Program.One (n=1) at Steps.cs:{@one}
{@one}{...}// @one
+finish
...
{@calls-nested}{...}// @calls-nested
Value returned is $1 = 2
## A call that is over already is not made again.
+step-into 1
{Debug}{@calls-after}{...}// @calls-after
{Release}...
+delete
{Debug}+tbreak @call-interface
{Debug}...
{Debug}+continue
{Debug}Continuing.
{Debug}calls 9
{Debug}
{Debug}Temporary breakpoint 2, Steps.Program.Dispatch () at Steps.cs:{@call-interface}
{Debug}{@call-interface}{...}// @call-interface
{Debug}+info calls
{Debug}1  Steps.ITool.Use(int)
{Debug}+step-into Use
{Debug}Steps.Hammer.Use (this={Steps.Hammer}, n=1) at Steps.cs:{@hammer}
{Debug}{@hammer}{...}// @hammer
## Accessors too, which a plain step passes.
{Debug}+tbreak @properties-return
{Debug}...
{Debug}+continue
{Debug}...
{Debug}{@properties-return}{...}// @properties-return
{Debug}+info calls
{Debug}1  Steps.Item.Next.get()
{Debug}2  Steps.Item.Count.get()
{Debug}+step-into Count.get
{Debug}Steps.Item.Count.get (this={Steps.Item}) at Steps.cs:{@get-count}
{Debug}{@get-count}{...}// @get-count
+continue
Continuing.
...
ok
[Inferior 1 (process {n}) exited normally]
