#! fixture=Values args="prims chars enums nullables consts"
## Primitives, characters, enums, Nullable, constants.
+break @prims
Breakpoint 1 at {...}: file Values.cs, line {@prims}.
+break @chars
Breakpoint 2 at {...}: file Values.cs, line {@chars}.
+break @enums
Breakpoint 3 at {...}: file Values.cs, line {@enums}.
+break @nullables
Breakpoint 4 at {...}: file Values.cs, line {@nullables}.
+break @consts
Breakpoint 5 at {...}: file Values.cs, line {@consts}.
+run
Starting program: {out}/Values.dll prims chars enums nullables consts

Breakpoint 1, Values.Program.Prims () at Values.cs:{@prims}
{@prims}{...}
+info locals
yes = true
no = false
i8 = -128
u8 = 255
i16 = -32768
u16 = 65535
i32 = -2147483648
u32 = 4294967295
i64 = -9223372036854775808
u64 = 18446744073709551615
ip = -5
up = 5
f = 1.5
fTiny = 1E-45
fMax = 3.4028235E+38
d = -0.1
dMax = 1.7976931348623157E+308
dTiny = 5E-324
nan = NaN
inf = Infinity
ninf = -Infinity
nzero = -0
m = 12.50
mMin = -79228162514264337593543950335
mTiny = 0.0000000000000000000000000001
h = 0.5
big = -170141183460469231731687303715884105728
+continue
Continuing.

Breakpoint 2, Values.Program.Chars () at Values.cs:{@chars}
{@chars}{...}
+info locals
a = 'a'
quote = '\''
back = '\\'
tab = '\t'
zero = '\0'
e = 'é'
high = '\ud83d'
line = '\n'
bell = '\a'
+continue
Continuing.

Breakpoint 3, Values.Program.Enums () at Values.cs:{@enums}
{@enums}{...}
+info locals
red = Color.Red
blue = Color.Blue
odd = 77
none = Access.None
two = Access.Read | Access.Run
all = Access.All
more = 9
tiny = Tiny.Max
wide = Wide.Least
day = DayOfWeek.Friday
+continue
Continuing.

Breakpoint 4, Values.Program.Nullables () at Values.cs:{@nullables}
{@nullables}{...}
+info locals
some = 5
none = null
point = {X = 1, Y = 2}
noPoint = null
color = Color.Green
when = 2020-01-02 00:00:00
flag = false
+continue
Continuing.

Breakpoint 5, Values.Program.Constants () at Values.cs:{@consts}
{@consts}{...}
+info locals
used = 23
local = 12
text = "local const"
ratio = 0.25
paint = Color.Green
nothing = null
letter = 'q'
truth = true
price = 1.25
big = 1125899906842624
+kill
[Inferior 1 (process {n}) killed]
