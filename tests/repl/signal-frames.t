#! fixture=Frames args=signal
#! glibc='musl hides its functions and has no tables to unwind them'
## A signal's handler in managed code: the frame by which the kernel called it,
## the code that it interrupted, and what called that.
+break @on-signal
...
+run
...
Breakpoint 1, Frames.Native.OnSignal (number=12) at Frames.cs:{@on-signal}
...
+bt
#0  Frames.Native.OnSignal (number=12) at Frames.cs:{@on-signal}
    [native: libc.so.6, {n} frames]
#1  {addr} in Frames.Native.Signal () at Frames.cs:{@raise}
...
+bt -native
    Frames.Native.OnSignal (number=12) at Frames.cs:{@on-signal}
    <signal handler called>
...
    {addr} in {...} () from libc.so.6
{8,9,10}    {addr} in [IL stub] ()
{11}    {addr} in Frames.Native.raise (int) from Frames.dll
    {addr} in Frames.Native.Signal () at Frames.cs:{@raise}
...
+continue
Continuing.
ok
...
