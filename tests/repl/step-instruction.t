#! fixture=Steps args=calls exit=0
## Single instructions: to the next one, over a call, into a method, onto a
## breakpoint.
+break @two
Breakpoint 1 at {...}: file Steps.cs, line {@two}.
+break @calls-nested
Breakpoint 2 at {...}: file Steps.cs, line {@calls-nested}.
+run
Starting program: {out}/Steps.dll calls

Breakpoint 2, Steps.Program.Calls () at Steps.cs:{@calls-nested}
{@calls-nested}{...}// @calls-nested
+x/3i $pc
=> {addr}:	mov edi, {...}
   {addr}:	call {...} <Steps.Program.Two(int)>
   {addr}:	mov {...}, eax
+stepi
{addr}	{@calls-nested}{...}// @calls-nested
## Over the call, in which there is a breakpoint.
+nexti

Breakpoint 1, Steps.Program.Two (n=1) at Steps.cs:{@two}
{...}{@two}{...}// @two
+finish
Run till exit from #0  Steps.Program.Two (n=1) at Steps.cs:{@two}
{...}Steps.Program.Calls () at Steps.cs:{@calls-nested}
{@calls-nested}{...}// @calls-nested
Value returned is $1 = 3
+x/3i $pc
=> {addr}:	mov {...}, eax
   {addr}:	mov edi, {...}
   {addr}:	call {...} <Steps.Program.One(int)>
+nexti 3
{addr}	{@calls-nested}{...}// @calls-nested
+x/1i $pc
=> {addr}:	mov {...}, eax
## Onto a breakpoint is a hit of it.
+tbreak *$pc + 3
Temporary breakpoint 3 at {addr}: file Steps.cs, line {@calls-nested}.
+stepi

Temporary breakpoint 3, {...}Steps.Program.Calls () at Steps.cs:{@calls-nested}
{...}{@calls-nested}{...}// @calls-nested
## Into the call.
+disable 1
+stepi 2
{...}Steps.Program.One (n={...}) at Steps.cs:{n}
...
+continue
Continuing.
calls 9
ok
[Inferior 1 (process {n}) exited normally]
