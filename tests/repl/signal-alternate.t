#! fixture=Frames args=alternate exit=134
#! glibc='musl hides its functions and has no tables to unwind them'
## A signal's handler on a stack of its own: the way back to the stack that
## was left.
+run
...
Program received signal SIGABRT, Aborted.
...
+bt
    [native: libc.so.6, {n} frames]
#0  {addr} in Frames.Native.Alternate () at Frames.cs:{@raise-alternate}
#1  {addr} in Frames.Program.Main (args={string[1]}) at Frames.cs:{n}
+bt -native
...
    {addr} in abort () from libc.so.6
    <signal handler called>
...
    {addr} in {...} () from libc.so.6
{8,9,10}    {addr} in [IL stub] ()
{11}    {addr} in Frames.Native.raise (int) from Frames.dll
    {addr} in Frames.Native.Alternate () at Frames.cs:{@raise-alternate}
    {addr} in Frames.Program.Main (args={string[1]}) at Frames.cs:{n}
{11}    {addr} in System.Environment.CallEntryPoint (...) from System.Private.CoreLib.dll{...}
    {addr} in libcoreclr.so+{addr} () from libcoreclr.so
...
