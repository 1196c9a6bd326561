"""Expressions over the values of a stopped program, and what is refused."""
from drive import uncoded


def check(t, section, mark, pairs, config="Debug"):
    """Print each expression at a mark. An answer that begins with "!" is the
    error wanted instead of a value."""
    commands = ["b " + t.at("Values", mark), "run"]
    for expr, _ in pairs:
        command = expr[1:] if expr.startswith(":") else "print " + expr
        commands += [command]
    done = t.batch(commands, t.program("Values", section, config=config))
    got = [line.split(" = ", 1)[1] for line in done.stdout.split("\n")
           if line.startswith("$")]
    errors = done.stderr.strip("\n").split("\n") if done.stderr else []
    t.check_equal([want for _, want in pairs if not want.startswith("!")],
                  got)
    t.check_equal([want[1:] for _, want in pairs if want.startswith("!")],
                  uncoded(errors))


def test_members(t):
    """Fields of classes, their bases, hidden ones, automatic properties."""
    check(t, "objects", "objects", [
        ("derived.Other.Id", "50"),
        ("derived.Id", "2"),
        ("asBase.Id", "1"),
        ("((Base)derived).Id", "1"),
        ("((Derived)asBase).Id", "2"),
        ("asBase.Name", '"derived"'),
        ("derived.Hidden", "0.5"),
        ("derived.hidden", "0.5"),
        ("node.Next.Next.Next.Name", '"second"'),
        ("node.Many[0].Many[2].Name", '"second"'),
        ("node.Many[1]", "null"),
        ("node.Many[1].Name", "!'node.Many[1]' is null."),
        ("node.Many[1]?.Name", "null"),
        ("node.Many[1]?.Next.Name ?? \"none\"", '"none"'),
        ("anonymous.Inner.Deep", "true"),
        ("chain.Next.Next.Name", '"n97"'),
        ("missing", "null"),
        ("missing == null", "true"),
        ("derived == asBase", "true"),
        ("derived is Base", "true"),
        ("derived is Node", "false"),
        ("derived is not null", "true"),
        ("(Node)asBase", "!Cannot convert 'Values.Derived' to "
                         "'Values.Node'."),
        ("nope", "!No 'nope' in this context."),
        ("nope.nothing.at", "!No 'nope' in this context."),
        ("derived.nope", "!No 'nope' in 'Values.Derived' at column 9."),
        ("derived.ToString()", '"D:derived"'),
        ("derived.Length", "3"),
        ("derived.Data", "!'Data' is a method: 'derived.Data()' calls it."),
        ("Node", "!'Node' is a type, not a value."),
        ("this", "!No 'this' in this context."),
        ("$exception", "!There is no exception at this stop."),
    ])


def test_elements(t):
    """Arrays of any rank and lower bound, strings, lists."""
    check(t, "arrays", "arrays", [
        ("grid[1, 2]", "6"),
        ("cube[1, 0, 1]", '"corner"'),
        ("jagged[2][1]", "3"),
        ("based[6, 0]", "77"),
        ("based[5, -1]", "0"),
        ("based1[11]", "11"),
        ("huge[4999999]", "9"),
        ("huge.Length", "5000000"),
        ("numbers[numbers.Length - 1]", "3"),
        ("grid.Rank", "2"),
        ("mixed[2].X", "5"),
        ("(int)mixed[0] + 1", "2"),
        ("mixed[4]", "Color.Blue"),
        ("words[1]", "null"),
        ("maybes[0] + 1", "2"),
        ("maybes[1] == null", "true"),
        ("run[500]", "5"),
        ("numbers[3]", "!Index 3 is outside 'numbers' (length 3)."),
        ("numbers[-1]", "!Index -1 is outside 'numbers' (length 3)."),
        ("based[5, 1]", "!Index 1 is outside 'based' (-1 to 0)."),
        ("grid[1]", "!'grid' takes 2 indexes."),
        ("none[0]", "!'none' is null."),
        ("numbers[0].X", "!No 'X' in 'int' at column 12."),
        ("(string)mixed[0]", "!Cannot convert 'int' to 'string'."),
    ])
    check(t, "generics", "generics", [
        ("leaf[0]", '"one"'),
        ("leaf.Count", "1"),
        ("leaf.Both.Key", '"k"'),
        ("leaf.Both.Value.X", "2"),
        ("leaf is List<string>", "true"),
        ("leaf is List<int>", "false"),
        ("leaf is IList<string>", "true"),
        ("((List<string>)leaf)._size", "1"),
        ("leaf[1]", "!Index 1 is outside 'leaf' (length 1)."),
        ("deep[\"d\"].Count", "1"),
        ("deep[\"e\"]", "!'deep[\"e\"]' throws System.Collections.Generic."
                       "KeyNotFoundException: The given key 'e' was not "
                       "present in the dictionary."),
        ('int.Parse("x")', "!'int.Parse(\"x\")' throws System.FormatException: "
                           "The input string 'x' was not in a correct format."),
        ('new ArgumentNullException("p").Message',
         '"Value cannot be null. (Parameter \'p\')"'),
        ('new ArgumentOutOfRangeException("p", 5, "m").Message',
         '"m (Parameter \'p\')\\nActual value was 5."'),
        ("new int[0].First()", "!'new int[0].First()' throws System.Invalid"
                               "OperationException: Sequence contains no "
                               "elements."),
    ])


def test_operators(t):
    """C#'s precedence, promotion, strings, enums and lifted operators."""
    check(t, "enums", "enums", [
        ("1 + 2 * 3", "7"),
        ("(1 + 2) * 3", "9"),
        ("7 / 2", "3"),
        ("-7 % 3", "-1"),
        ("7 / 2.0", "3.5"),
        ("1 / 0", "!Division by constant zero at column 5."),
        ("2147483647 + 1", "-2147483648"),
        ("2147483648 + 1", "2147483649"),
        ("1L << 40", "1099511627776"),
        ("-8 >> 1", "-4"),
        ("0xF0 & 0x3C | 1", "49"),
        ("~5", "-6"),
        ("'a' + 1", "98"),
        ("1.5m * 2 == 3", "true"),
        ("\"a\" + 1 + 2.5 + true", '"a12.5True"'),
        ("!(1 < 2) || 3 >= 3 && 4 != 5", "true"),
        ("1 < 2 ? \"yes\" : \"no\"", '"yes"'),
        ("red == Color.Red", "true"),
        ("blue > red", "true"),
        ("two | Access.Write", "Access.All"),
        ("(two & Access.Write) == 0", "true"),
        ("(int)blue", "6"),
        ("(Color)5", "Color.Green"),
        ("(byte)300", "44"),
        ("(int)2.9", "2"),
        ("DayOfWeek.Monday", "DayOfWeek.Monday"),
        ("int.MaxValue", "2147483647"),
        ("true || nosuch", "!No 'nosuch' in this context at column 9."),
        ("(string)null + (string)null", '""'),
        ("sizeof(int)", "4"),
        ("sizeof(Node)", "!Cannot take the size of the managed type "
                         "'Values.Node'."),
        ("Node.Name", "!'Name' needs an object at column 6."),
        ("red + true", "!No operator '+' for 'Values.Color' and 'bool'."),
        ("1 +", "!The expression ends too early."),
        ("1 2", "!Unexpected '2' at column 3."),
    ])
    check(t, "nullables", "nullables", [
        ("some is > 4 and not 6", "true"),
        ("some is < 0 or 5", "true"),
        ("some is string", "false"),
        ("-8 >>> 28", "15"),
        ("some + 1", "6"),
        ("some.Value", "5"),
        ("none.HasValue", "false"),
        ("none > 3", "false"),
        ("none == null", "true"),
        ("none ?? 7", "7"),
        ("point.Value.Y", "2"),
        ("point?.X", "1"),
        ("noPoint?.X", "null"),
        ("color == Color.Green", "true"),
        ("none.Value", "!The Nullable has no value."),
    ])
    check(t, "strings", "strings", [
        ("plain.Length", "5"),
        ("plain[1]", "'l'"),
        ("plain == \"plain\"", "true"),
        ("plain + none + '!'", '"plain!"'),
        ("huge.Length", "3000000"),
        ("longer == huge", "false"),
        ("plain[9]", "!Index 9 is outside 'plain' (length 5)."),
        ("none.Length", "!'none' is null."),
    ])


def test_statics(t):
    """Statics of every kind, by thread too, and of generic classes."""
    check(t, "statics", "statics", [
        ("Holder.Number", "17"),
        ("Values.Holder.Text", '"static text"'),
        ("Holder.Place.Y", "4"),
        ("Holder.Object.Name", '"derived"'),
        ("Holder.Array[1]", "2"),
        ("Holder.When", "2001-02-03 00:00:00"),
        ("Holder.Paint", "Color.Green"),
        ("Holder.Maybe", "6"),
        ("Holder.Big", "1099511627776"),
        ("Holder.PerThread", "5"),
        ("Holder.PerThreadText", '"main"'),
        ("Holder.Fixed", "99"),
        ("Consts.Price", "9.95"),
        ("Consts.Paint", "Color.Blue"),
        ("Consts.Nothing", "null"),
        ("Counter<long>.Made", "8"),
        ("Counter<byte>.Made", "<class not initialized>"),
        ("Holder.Computed", '"computed"'),
        ("sum >= 0", "true"),
    ])
    check(t, "statics", "statics-thread", [
        ("Holder.PerThread", "6"),
        ("Holder.PerThreadText", '"other"'),
        ("Holder.Number", "17"),
    ])
    check(t, "generics", "generics", [
        ("Counter<int>.Made", "4"),
        ("Counter<Point>.Last", "{X = 8, Y = 9}"),
    ])


def test_shared_statics(t):
    """Statics of a class whose code is shared between reference types."""
    check(t, "generics", "generics", [
        ("Counter<string>.Made", "5"),
        ("Counter<string>.Last", '"last"'),
    ])


# The DAC of .NET 8 does not tell where these are.
test_shared_statics.runtimes = ("9", "10")


def test_pointers(t):
    """Pointers, by-refs, fixed buffers."""
    check(t, "pointers", "pointers", [
        ("*pointer", "123"),
        ("**second", "123"),
        ("*second == pointer", "true"),
        ("where->X", "4"),
        ("(*where).Y", "5"),
        ("pointer[0]", "123"),
        ("pointer + 3 - pointer", "3"),
        ("pointer[1.5]", "!Cannot convert 'double' to 'long' at column 9."),
        ("&number == pointer", "true"),
        ("inline.Numbers[2]", "22"),
        ("none == null", "true"),
        ("*(int*)opaque", "123"),
        ("*(byte*)opaque", "123"),
        ("*none", "<cannot read 0x0>"),
        ("*(int*)16", "<cannot read 0x10>"),
        ("*opaque", "!'opaque' is not a pointer to something."),
        ("*number", "!'number' is not a pointer to something."),
    ])
    check(t, "refs", "byref", [
        ("number + 1", "14"),
        ("text", '"out"'),
        ("point.X", "2"),
        ("obj.Name", '"derived"'),
        # As gdb's users write it.
        ("(*obj).Name", '"derived"'),
        ("*obj == obj", "true"),
        ("*obj = null", "!'*obj' is not a variable that can be assigned to."),
        ("alias", "13"),
    ])


def test_captured(t):
    """Variables in closures and state machines, `this` left out."""
    check(t, "closures", "closures", [
        ("n + local + seed", "40"),
        ("this.seed", "30"),
        ("text.Length + argument", "12"),
    ])
    check(t, "asynclocals", "asynclocals", [
        ("looped + after + seed", "56"),
        ("text", '"hoisted"'),
        ("argument * 2 == before", "true"),
    ])
    check(t, "iterlocals", "iterlocals", [
        ("local + seed", "40"),
        ("text", '"iterated"'),
    ])


def test_formats(t):
    """Numbers in gdb's formats; types declared."""
    check(t, "prims", "prims", [
        (":print /x i8", "0x80"),
        (":print /x u64", "0xffffffffffffffff"),
        (":print /d u8", "-1"),
        (":print /u i8", "128"),
        (":print /o u8", "0377"),
        (":print /t u8", "11111111"),
        (":print /c 97", "97 'a'"),
        (":print /x m", "!Format 'x' is for numbers, not for 'decimal'."),
    ])


def test_optimized(t):
    """Optimised code: a variable has its value or says that it has none."""
    done = t.batch(["b " + t.at("Values", "objects"), "run", "info locals"],
                   t.program("Values", "objects", config="Release"))
    for line in done.stdout.split("\n"):
        if line.startswith("derived = "):
            t.check_match(r"derived = (<optimized out>|\{Id = 2, .*)", line)
            return
    t.check(False, done.stdout + done.stderr)


def test_exception(t):
    """$exception at a throw, its message and members."""
    done = t.batch(["catch throw ShopException", "run", "print $exception",
                    "print $exception.Message",
                    "print $exception is System.NullReferenceException",
                    "print $exception.InnerException",
                    "print $exception.Code + 1"],
                   t.program("Throws", "custom"))
    t.check_in('$1 = {Throws.ShopException: "sold out"}\n'
               '$2 = "sold out"\n$3 = false\n$4 = null\n$5 = 18\n',
               done.stdout)


def test_history(t):
    """Earlier values by number, and what is said where there is none."""
    check(t, "objects", "objects", [
        ("$", "!No value was shown yet."),
        ("node", "{Name = \"first\", Next = {Name = \"second\", "
                 "Next = {Values.Node}, Many = null}, "
                 "Many = {{Values.Node}, null, {Values.Node}}}"),
        ("$1.Next.Name", '"second"'),
        ("$$.Name", '"first"'),
        ("$9", "!History has not yet reached $9."),
        ("$$9", "!History does not go back to $$9."),
        ("$0", "!History has not yet reached $0."),
        ("$x", "!'$x' is void: \"set $x = VALUE\" gives it a value."),
        ("$1 = null", "!'$1' is not a variable that can be assigned to."),
    ])


def test_thread(t):
    """The number of the thread that is looked at, also where the runtime has
    made no object of it yet."""
    check(t, "objects", "objects", [
        ("Thread.CurrentThread.ManagedThreadId", "1"),
        ("Environment.CurrentManagedThreadId", "1"),
    ])
