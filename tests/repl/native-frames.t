#! fixture=Frames args=sort
#! glibc='musl hides its functions and has no tables to unwind them'
## Native code between managed frames: folded, or frame by frame down to the
## program's start. qsort calls a delegate and a function pointer.
+break @by-delegate
...
+break @by-pointer
...
+run
...
Breakpoint 1, Frames.Native.ByDelegate (a={addr}, b={addr}) at Frames.cs:{@by-delegate}
...
+bt
#0  Frames.Native.ByDelegate (a={addr}, b={addr}) at Frames.cs:{@by-delegate}
    [native: libc.so.6, {n} frames]
#1  {addr} in Frames.Native.Sort () at Frames.cs:{@sort-delegate}
#2  {addr} in Frames.Program.Main (args={string[1]}) at Frames.cs:{@main-sort}
+bt -native
    Frames.Native.ByDelegate (a={addr}, b={addr}) at Frames.cs:{@by-delegate}
    {addr} in [IL stub] ()
    {addr} in {...}sort{...} () from libc.so.6
...
    {addr} in qsort{...} () from libc.so.6
{8,9,10}    {addr} in [IL stub] ()
{11}    {addr} in Frames.Native.qsort (int*, nint, nint, Frames.Native.Compare) from Frames.dll
    {addr} in Frames.Native.Sort () at Frames.cs:{@sort-delegate}
    {addr} in Frames.Program.Main (args={string[1]}) at Frames.cs:{@main-sort}
{11}    {addr} in System.Environment.CallEntryPoint (...) from System.Private.CoreLib.dll{...}
    {addr} in libcoreclr.so+{addr} () from libcoreclr.so
...
    {addr} in coreclr_execute_assembly () from libcoreclr.so
...
    {addr} in {...}__libc_start_{...} () from libc.so.6
...
+up
#1  {addr} in Frames.Native.Sort () at Frames.cs:{@sort-delegate}
...
+set backtrace native on
+frame 2
#2  {addr} in {...}sort{...} () from libc.so.6
+print 1 + 1
$1 = 2
+bt 3
#0  Frames.Native.ByDelegate (a={addr}, b={addr}) at Frames.cs:{@by-delegate}
#1  {addr} in [IL stub] ()
#2  {addr} in {...}sort{...} () from libc.so.6
(More stack frames follow...)
+set backtrace native off
+delete 1
+continue
Continuing.

Breakpoint 2, Frames.Native.ByPointer (a={addr}, b={addr}) at Frames.cs:{@by-pointer}
...
+bt
#0  Frames.Native.ByPointer (a={addr}, b={addr}) at Frames.cs:{@by-pointer}
    [native: libc.so.6, {n} frames]
#1  {addr} in Frames.Native.Sort () at Frames.cs:{@sort-pointer}
#2  {addr} in Frames.Program.Main (args={string[1]}) at Frames.cs:{@main-sort}
+finish
...
{n}	{...}// @sort-pointer
+continue
Continuing.
ok
...
