#! fixture=Kinds args="inline refs functions memories interop statics threads cctor"
## Inline arrays, ref structs, function pointers, Memory, interop types, statics
## of generic types, of threads, and of a class that is being initialised.
+break @inline
Breakpoint 1 at {...}: file Kinds.cs, line {@inline}.
+break @refs
Breakpoint 2 at {...}: file Kinds.cs, line {@refs}.
+break @functions
Breakpoint 3 at {...}: file Kinds.cs, line {@functions}.
+break @memories
Breakpoint 4 at {...}: file Kinds.cs, line {@memories}.
+break @interop
Breakpoint 5 at {...}: file Kinds.cs, line {@interop}.
+break @statics
Breakpoint 6 at {...}: file Kinds.cs, line {@statics}.
+break @threads-other
Breakpoint 7 at {...}: file Kinds.cs, line {@threads-other}.
+break @threads
Breakpoint 8 at {...}: file Kinds.cs, line {@threads}.
+break @cctor
Breakpoint 9 at {...}: file Kinds.cs, line {@cctor}.
+run
Starting program: {out}/Kinds.dll inline refs functions memories interop statics threads cctor

Breakpoint 1, Kinds.Program.Inline () at Kinds.cs:{@inline}
{@inline}{...}
+info locals
numbers = {0, 10, 20, 30}
names = {"a", null, "c"}
points = {{X = 0, Y = 0}, {X = 7, Y = 0}}
all = {Numbers = {Kinds.FourInts[4]}, Names = {Kinds.ThreeNames[3]}, After = 9}
boxed = (Kinds.Buffers) {Numbers = {Kinds.FourInts[4]}, Names = {Kinds.ThreeNames[3]}, After = 9}
many = {{Kinds.FourInts[4]}, {Kinds.FourInts[4]}}
+print numbers[2]
$1 = 20
+print names
$2 = {"a", null, "c"}
+print boxed
$3 = (Kinds.Buffers) {Numbers = {0, 10, 20, 30}, Names = {"a", null, "c"}, After = 9}
+print all.Names[2]
$4 = "c"
+print many[0][3]
$5 = 30
+print points[1].X
$6 = 7
+continue
Continuing.

Breakpoint 2, Kinds.Program.Refs (window={First = 3, Where = {X = 4, Y = 5}, Text = "text", Nothing = <no value>, Rest = {System.Span<int>[2]}, Count = 2}) at Kinds.cs:{@refs}
{@refs}{...}
+info locals
copy = {First = 3, Where = {X = 4, Y = 5}, Text = "text", Nothing = <no value>, Rest = {System.Span<int>[2]}, Count = 3}
+info args
window = {First = 3, Where = {X = 4, Y = 5}, Text = "text", Nothing = <no value>, Rest = {System.Span<int>[2]}, Count = 2}
+print copy.First
$7 = 3
+print copy.Where.X
$8 = 4
+print window.Text
$9 = "text"
+print copy.Nothing
$10 = <no value>
+print copy.Rest[1]
$11 = 3
+continue
Continuing.

Breakpoint 3, Kinds.Program.Functions () at Kinds.cs:{@functions}
{@functions}{...}
+info locals
twice = {addr} <Kinds.Program.Twice(int)>
nothing = {addr} <Kinds.Program.Nothing()>
none = null
opaque = {addr}
number = 3
data = {addr}
wild = {addr}
+continue
Continuing.

Breakpoint 4, Kinds.Program.Memories () at Kinds.cs:{@memories}
{@memories}{...}
+info locals
memory = {2, 3}
text = "text"
empty = {System.Memory<byte>[0]}
owner = (System.Buffers.ArrayMemoryPool<byte>.ArrayMemoryPoolBuffer) {_array = {byte[16]}}
rented = {0, 0}
sequence = System.Buffers.ReadOnlySequence<Byte>[2] = {BufferSegments = Count = 1, 1, 2}
segment = {...}
+print memory
$12 = {2, 3}
+continue
Continuing.

Breakpoint 5, Kinds.Program.Interop () at Kinds.cs:{@interop}
{@interop}{...}
+info locals
first = {addr}
handle = 4660
size = 77
{8,9,10}safe = {_path = null, _reusableThreadPoolValueTaskSource = null, _canSeek = NullableBool.Undefined, _supportsRandomAccess = NullableBool.Undefined, _deleteOnClose = false, _isLocked = false, IsAsync = false, handle = 42, _state = 4, _ownsHandle = false, _fullyInitialized = true}
{11}safe = {_path = null, _cachedFileType = -1, _canSeek = NullableBool.Undefined, _reusableThreadPoolValueTaskSource = null, _supportsRandomAccess = NullableBool.Undefined, _isAsync = NullableBool.Undefined, _deleteOnClose = false, _isLocked = false, handle = 42, _state = 4, _ownsHandle = false, _fullyInitialized = true}
overlay = {Whole = 8589934593, Low = 1, High = 2, Real = 1.5, Bits = 4609434218613702656}
packed = {A = 1, B = 2, C = 3}
buffer = {Bytes = {byte[8]}, Text = "hi\0\0", After = 5}
pin = {_handle = {n}}
weak = {_taggedHandle = {n}}
pinned = {0, 11, 0}
frozen = "a frozen literal"
type = typeof(Kinds.Point)
+print buffer.Text
$13 = "hi\0\0"
+print safe.handle
$14 = 42
+continue
Continuing.

Breakpoint 6, Kinds.Program.Statics () at Kinds.cs:{@statics}
{@statics}{...}
+print Counter<int>.Made
$15 = 1
+print Counter<int>.Last
$16 = 11
+print Counter<string>.Made
$17 = 3
+print Counter<string>.Last
$18 = "sub"
+print Counter<string>.All
$19 = Count = 1 = {"x"}
+print Counter<object>.Made
$20 = 3
+print Counter<object>.Last
$21 = "three"
+print Counter<object>.Place
$22 = {X = 3, Y = 33}
+print Counter<string>.Place
$23 = {X = 0, Y = 0}
+print Counter<Point>.Last
$24 = {X = 4, Y = 44}
+print Counter<string>.PerThread
$25 = 5
+print Counter<string>.PerThreadLast
$26 = "five"
+print Counter<object>.PerThread
$27 = 6
+print Counter<object>.PerThreadLast
{9,10,11}$28 = <not set in this thread>
{8}$28 = null
+print Counter<long>.PerThread
$29 = 7
+print Counter<int>.PerThread
$30 = <not set in this thread>
+print Outer<string>.Nested<int>.Text
$31 = "nested"
+print Outer<int>.Nested<object>.Pair
$32 = {Key = 1, Value = "pair"}
+print Counter<Version>.Made
$33 = <class not initialized>
+print Kinds.Counter<int>.Made
$34 = 1
+continue
Continuing.
[Switching to thread {n} (Thread {n} "dotnet")]

Breakpoint 7, Kinds.Program.Threads.lambda () at Kinds.cs:{@threads-other}
{@threads-other}{...}
+print Locals.Number
$35 = 2
+print Locals.Text
{9,10,11}$36 = <not set in this thread>
{8}$36 = null
+print Locals.Place
{9,10,11}$37 = <not set in this thread>
{8}$37 = {X = 0, Y = 0}
+print Locals.Own
$38 = IsValueCreated = true, Value = 20, Count = {n}
+print Locals.Own.Value
$39 = 20
+continue
Continuing.
[Switching to thread 1 (Thread {n} "Main Thread")]

Breakpoint 8, Kinds.Program.Threads () at Kinds.cs:{@threads}
{@threads}{...}
+print Locals.Number
$40 = 1
+print Locals.Text
$41 = "one"
+print Locals.Place
$42 = {X = 1, Y = 1}
+print Locals.Maybe
$43 = 1
+print Locals.Own
$44 = IsValueCreated = true, Value = 10, Count = {n}
+print Locals.Unmade
$45 = IsValueCreated = false, Value = null, Count = 0
+continue
Continuing.

Breakpoint 9, Kinds.Slow.Compute () at Kinds.cs:{@cctor}
{@cctor}{...}
+print Slow.Before
$46 = 3
+print Slow.Text
$47 = "early"
+print Slow.Place
$48 = {X = 1, Y = 2}
+print Slow.After
$49 = 0
+print Slow.Late
$50 = null
+print Before
$51 = 3
+continue
Continuing.
ok
[Inferior 1 (process {n}) exited normally]
