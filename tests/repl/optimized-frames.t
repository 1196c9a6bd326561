#! fixture=Frames config=Release args=registers
## Optimised code: what the JIT recorded of registers and of the stack, which
## may have no frame pointer; the rest is said to be gone. .NET 11's JIT keeps
## the fields of `small` in a register each, which it does not record.
+set env DOTNET_TieredCompilation=0
+break Frames.Calls.Mixed
...
+break Frames.Calls.Leaf
...
+run
...
{8,9,10}Breakpoint 1, Frames.Calls.Mixed (x={...}, y={...}, pair=<optimized out>, small={Left = 3, Right = 4}, flag=true) at Frames.cs:{n}
{11}Breakpoint 1, Frames.Calls.Mixed (x={...}, y={...}, pair=<optimized out>, small=<optimized out>, flag=true) at Frames.cs:{n}
...
+info frame
Stack level 0, frame at {addr}:
 pc = {addr} in Frames.Calls.Mixed(double, float, Frames.Two, Frames.Calls.Small, bool) (Frames.cs:{n})
 kind: managed, optimized
 module: Frames.dll
 method token: {addr}
 IL offset: {addr}
 code: {addr} to {addr}, optimized
 called by frame at {addr}, saved rip = {addr}
 Saved registers:
 {...} rip at {addr}
+continue
Continuing.

Breakpoint 2, Frames.Calls.Leaf (n=4) at Frames.cs:{@leaf}
{@leaf}{...}// @leaf
+info frame
Stack level 0, frame at {addr}:
...
+up
#1  {addr} in Frames.Calls.Mixed ({...}, flag=<optimized out>) at Frames.cs:{@mixed-leaf}
{@mixed-leaf}{...}// @mixed-leaf
+info frame
Stack level 1, frame at {addr}:
...
 caller of frame at {addr}
 called by frame at {addr}, saved rip = {addr}
 Saved registers:
 {...} rip at {addr}
+info registers rip
rip            {addr} {...}
+delete
+continue
Continuing.
...
ok
...
