#! fixture=Steps args=stores exit=0
## A reference is stored by a call of the runtime's, behind which the next line
## begins at once: a step ends there, and a breakpoint there is hit.
+break @stores
Breakpoint 1 at {...}: file Steps.cs, line {@stores}.
+run
Starting program: {out}/Steps.dll stores

Breakpoint 1, Steps.Program.Stores (this={Steps.Program}) at Steps.cs:{@stores}
{@stores}{...}// @stores
+step
{@store-static}{...}// @store-static
+step
{@store-next}{...}// @store-next
+step
{@store-field}{...}// @store-field
+tbreak @store-null
Temporary breakpoint 2 at {...}: file Steps.cs, line {@store-null}.
+step

Temporary breakpoint 2, Steps.Program.Stores (this={Steps.Program}) at Steps.cs:{@store-null}
{@store-null}{...}// @store-null
+step
{@store-call}{...}// @store-call
+step
Steps.Program.One (n=2) at Steps.cs:{@one}
{@one}{...}// @one
+continue
Continuing.
stores 3
ok
[Inferior 1 (process {n}) exited normally]
