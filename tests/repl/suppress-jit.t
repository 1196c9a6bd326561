#! fixture=Frames config=Release args=keep
## A module compiled for debugging though it was built optimised: the lines
## of callers are exact and every argument is there. Without the setting the
## structure lives in registers that the JIT records nothing of.
+set env DOTNET_TieredCompilation=0
+break Frames.Calls.Leaf
Breakpoint 1 at Frames.Calls.Leaf: file Frames.cs, line {@leaf}.
+run
Starting program: {out}/Frames.dll keep

Breakpoint 1, Frames.Calls.Leaf (n=15) at Frames.cs:{@leaf}
{@leaf}{...}// @leaf
+up
#1  {addr} in Frames.Calls.Keep (a=5, text="text", real=2.5, two=<optimized out>) at Frames.cs:{n}
{n}	{...}
+kill
...
+set suppress-jit-optimizations on
+show suppress-jit-optimizations
{...}on
+run
Starting program: {out}/Frames.dll keep

Breakpoint 1, Frames.Calls.Leaf (n=15) at Frames.cs:{@leaf}
{@leaf}{...}// @leaf
+up
#1  {addr} in Frames.Calls.Keep (a=5, text="text", real=2.5, two={First = 8, Second = 9}) at Frames.cs:{@keep}
{@keep}{...}// @keep
+info locals
b = 15
+info sharedlibrary Frames
{...}
{addr}  {addr}  Yes       {out}/Frames.dll
...
+delete
+continue
Continuing.
...
[Inferior 1 (process {n}) exited normally]
