#! fixture=Asking config=Debug,Release args=break
## Debugger.Break stops at the line that calls it, the caller being the newest
## frame; steps go on from there.
+run
Starting program: {out}/Asking.dll break
a

Program called Debugger.Break.
{addr} in Asking.Program.Break () at Asking.cs:{@break}
{@break}{...}// @break
+bt
#0  {addr} in Asking.Program.Break () at Asking.cs:{@break}
#1  {addr} in Asking.Program.Main (args={...}) at Asking.cs:{n}
{Debug}+info locals
{Debug}n = 1
{Debug}+next
{Debug}{@after}{...}// @after
+info program
...
It stopped {...}.
## A line that a breakpoint or a step has stopped at does not stop again ...
+break @inner
{Debug}...
{Release}...
+continue
Continuing.
b 1

Breakpoint 1, Asking.Program.Inner (i=0) at Asking.cs:{@inner}
{@inner}{...}// @inner
+next
{Release}...
{Debug}{@inner-after}{...}// @inner-after
{Release}{@inner-after}{...}// @inner-after
+continue
Continuing.
inner 0

Breakpoint 1, Asking.Program.Inner (i=1) at Asking.cs:{@inner}
{@inner}{...}// @inner
+continue
Continuing.
inner 1
[Inferior 1 (process {n}) exited normally]
