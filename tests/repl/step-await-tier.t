#! fixture=Tiers config=Release exit=0
## What the JIT makes of the method while the call waits is waited at, too, and
## no breakpoint has the runtime tell of it.
+tbreak @await
Temporary breakpoint 1 at {...}: file Tiers.cs, line {@await}.
+run
Starting program: {out}/Tiers.dll

Temporary breakpoint 1, Tiers.Program.Turn ({...}
{@await}{...}// @await
+next
...
{@behind}{...}// @behind
+info locals
...
+continue
Continuing.
42
[Inferior 1 (process {n}) exited normally]
