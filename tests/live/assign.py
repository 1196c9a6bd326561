"""Assignments to places of every kind, and what is refused."""
import os
import re
import subprocess

from drive import uncoded

CHAINED = "cannot be assigned to in a chain: assign to one after the other"


def check(t, section, pairs, seen):
    """Print each assignment at the section's mark. An answer that begins with
    "!" is the error wanted; none, of a command behind ":", is silence. The
    program prints afterwards what it sees."""
    commands = ["set evaluation interpret", "b " + t.at("Assign", section),
                "run"]
    commands += [expr[1:] if expr.startswith(":") else "print " + expr
                 for expr, _ in pairs]
    done = t.batch(commands + ["continue"], t.program("Assign", section))
    lines = done.stdout.rstrip("\n").split("\n")
    wants = [want for _, want in pairs if want]
    got = [line.split(" = ", 1)[1] for line in lines if line.startswith("$")]
    errors = done.stderr.strip("\n").split("\n") if done.stderr else []
    t.check_equal([want for want in wants if want[0] != "!"], got)
    t.check_equal([want[1:] for want in wants if want[0] == "!"],
                  uncoded(errors))
    seen = [*seen, "ok"]
    t.check_equal(seen, lines[-1 - len(seen):-1])


def test_prims(t):
    """Numbers, bool and char: C#'s conversions, and the range of each."""
    check(t, "prims", [
        (":set var yes = false", None),
        (":set var letter = '\\u00e9'", None),
        (":set var i8 = -128", None),
        (":set var u8 = 300", "!300 does not fit 'byte' (0 to 255)."),
        (":set var u8 = 255", None),
        (":set var u8 = -1", "!-1 does not fit 'byte' (0 to 255)."),
        (":set var i16 = i8", None),
        (":set var u16 = 'x'", None),
        (":set var i32 = u8 + 1", None),
        ("i32 += 10", "266"),
        (":set var u32 = 4000000000", None),
        (":set var i64 = -1", None),
        (":set var u64 = 18446744073709551615", None),
        ("u64 = -1", "!-1 does not fit 'ulong' (0 to 18446744073709551615)."),
        (":set var ip = 12", None),
        ("f = 1.5",
         "!Cannot convert 'double' to 'float' without a cast at column 5."),
        ("f = 1.5f", "1.5"),
        ("d = f", "1.5"),
        ("d = 1", "1"),
        ("m = 12.50m", "12.50"),
        ("m = 2", "2"),
        ("m = d",
         "!Cannot convert 'double' to 'decimal' without a cast at column 5."),
        ("letter = 65",
         "!Cannot convert 'int' to 'char' without a cast at column 10."),
        ("letter = (char)65", "'A'"),
        ("yes = 1", "!Cannot convert 'int' to 'bool' at column 7."),
        ("3 = 4", "!'3' is not a variable that can be assigned to."),
        ("i32 = null", "!'int' cannot be null."),
        ("nosuch = 1", "!No 'nosuch' in this context at column 1."),
        ("i32 == 266", "true"),
        ("i32 = 3 = 4", "!'3' is not a variable that can be assigned to."),
        ("i32 = (1 + (i16 = 2))",
         "!An assignment cannot stand here ('==' compares)."),
        ("i32 -= 7", "259"),
        ("i32++", "259"),
        ("--i32", "259"),
        ("i32--", "259"),
        ("++i32", "259"),
        ("u8 = u16",
         "!Cannot convert 'ushort' to 'byte' without a cast at column 6."),
        ("u8 += i32",
         "!Cannot convert 'int' to 'byte' without a cast at column 1."),
        ("--u8", "254"),
        ("u8++", "254"),
        ("m++", "2"),
        ("m--", "3"),
        ("i32++ + 1", "!'i32++' can only stand alone, as an assignment."),
        ("3++", "!'3' is not a variable that can be assigned to."),
        ("5 ??= 3", "!'5' is not a variable that can be assigned to."),
        ("i32 ??= 3", "!'int' cannot be null."),
    ], [
        "False A -128 255 -128 120 259 4000000000 -1 18446744073709551615"
        " 12 1.5 1 2",
        "False A -128 255 -128 120 259 4000000000 -1 18446744073709551615"
        " 12 1.5 1 2",
    ])

def test_structs(t):
    """Enums by name, Nullables, structs, tuples."""
    check(t, "others", [
        ("color = Blue", "Color.Blue"),
        ("color = Color.Green", "Color.Green"),
        ("color = 1", "1"),
        ("color = Tiny.Max",
         "!Cannot convert 'Assign.Tiny' to 'Assign.Color' without a cast "
         "at column 9."),
        ("color = (Color)77", "77"),
        ("access = Read | Run", "Access.Read | Access.Run"),
        ("access |= Access.Write", "Access.Read | Access.Write | Access.Run"),
        ("access = 300", "300"),
        ("access = Nowhere", "!No 'Nowhere' in this context at column 10."),
        ("tiny = 300", "!300 does not fit 'Assign.Tiny' (0 to 255)."),
        ("tiny = Max", "Tiny.Max"),
        ("maybe = null", "null"),
        ("none = 5", "5"),
        ("none += 1", "6"),
        ("maybe += 1", "null"),
        ("maybe = none", "6"),
        ("paint = Blue", "Color.Blue"),
        ("spot = second", "{X = 3, Y = 4}"),
        ("spot.Value.X = 12", "12"),
        ("point = second", "{X = 3, Y = 4}"),
        ("point.Y = -1", "-1"),
        ("large = twin", '{A = 2, B = 3, C = 4, Text = "two", Tag = \'x\'}'),
        ("large = default", "{A = 0, B = 0, C = 0, Text = null, Tag = null}"),
        ("point = null", "!'Assign.Point' cannot be null."),
        ("point = large",
         "!Cannot convert 'Assign.Large' to 'Assign.Point' at column 9."),
        ("pair.A = 8", "8"),
        ('pair.Item2 = "y"',
         "!A new string is made by a call, which is not allowed here: only a"
         " string that the program has can be assigned to 'pair.Item2'."),
        ("pair.B = twin.Text", '"two"'),
        ("large.Tag = twin.Tag", "'x'"),
        ("large.Text = twin.Text", '"two"'),
        ("none = maybe = null", "null"),
        ("maybe = none = 7", "7"),
        ("none = maybe = 6", "6"),
        ("paint = color = Blue", "Color.Blue"),
        ("color = color = (Color)77", "77"),
        ("spot = point = second", "{X = 3, Y = 4}"),
        ("point = point = default", "{X = 0, Y = 0}"),
        ("maybe = tiny = 300",
         "!300 does not fit 'Assign.Tiny' (0 to 255)."),
        ("point = second = null", "!'Assign.Point' cannot be null."),
        ("large = large = twin", "!'large' " + CHAINED + "."),
        ("none = pair.A = 1", "!'pair.A' " + CHAINED + "."),
        ("none += maybe = 1",
         "!An assignment cannot stand here ('==' compares)."),
    ], [
        "77 300 Max 6 6 Blue 3,4 0,0 3,4 0 0 0 two x 2 3 4 two x (8, two)",
        "77 300 Max 6 6 Blue 3,4 0,0 0 0 0 two x (8, two)",
    ])

def test_references(t):
    """References fit by the object's own type; elements, by-refs, pointers."""
    check(t, "references", [
        ("thing = derived", '(Assign.Derived) {Id = 3, Name = "base"}'),
        ("thing.Name = word", '"word"'),
        ("derived = another", '{Id = 2, Name = "base"}'),
        ("derived = thing", '{Id = 3, Name = "word"}'),
        ("derived = new Derived()",
         "!An object for 'derived' is made by a call, which is not allowed "
         "here: only the debugger has the one that is assigned."),
        ("new Derived().Id = 5",
         "!'new Derived().Id' is not a variable that can be assigned to."),
        ("another = null", "null"),
        ("derived = another", "null"),
        ("named = thing", '(Assign.Derived) {Id = 3, Name = "word"}'),
        ("named = text",
         "!Cannot convert 'string' to 'Assign.INamed' at column 9."),
        ("named = numbers",
         "!Cannot convert 'int[]' to 'Assign.INamed' at column 9."),
        ("box = 6",
         "!A box for 'int' is made by a call, which is not allowed here; "
         "'(int)box' is the value in the box that is there."),
        ("(int)box = 6", "6"),
        ("box = any", '"any"'),
        ("box = 6",
         "!A box for 'int' is made by a call, which is not allowed here; "
         "'(int)box' is the value in the box that is there."),
        ("(int)box = 6", "!Cannot convert 'string' to 'int'."),
        ("(int)any = 6", "!Cannot convert 'string' to 'int'."),
        ("text ??= 3", "!Cannot convert 'int' to 'string' at column 10."),
        ("(string)any = word",
         "!'(string)any' is not a variable that can be assigned to."),
        ('text = "new"',
         "!A new string is made by a call, which is not allowed here: only a"
         " string that the program has can be assigned to 'text'."),
        ("text = word", '"word"'),
        ("word = null", "null"),
        ("words[0] = words[1]", '"b"'),
        ("covariant[0] = thing",
         "!Cannot convert 'Assign.Derived' to 'string' at column 16."),
        ("words[5] = null", "!Index 5 is outside 'words' (length 2)."),
        ("sequence = words", '(string[]) {"b", "b"}'),
        ("sequence = numbers",
         "!Cannot convert 'int[]' to "
         "'System.Collections.Generic.IEnumerable<string>' at column 12."),
        ("covariant = numbers",
         "!Cannot convert 'int[]' to 'object[]' at column 13."),
        ("numbers[0] = 10", "10"),
        ("alias = 20", "20"),
        ("span[2] = 30", "30"),
        ("letters[0] = 'x'",
         "!Elements of 'System.ReadOnlySpan<char>' cannot be assigned to."),
        ("grid[1,0] = 33", "33"),
        ("points[1].X = 5", "5"),
        ("points[0] = points[1]", "{X = 5, Y = 0}"),
        ("list[1] = 22", "22"),
        ("list.Count = 7",
         "!Property 'list.Count' has no setter: its getter returns the "
         "field '_size'."),
        ("other.Hidden = 4",
         "!Property 'other.Hidden' is set by a call, which is not allowed "
         "here: its getter returns the field 'hidden'."),
        ("other.hidden = 4", "4"),
        ("other.Triple = 4",
         "!Property 'other.Triple' has no setter."),
        ("text.Length = 4",
         "!Property 'text.Length' has no setter: its getter returns the "
         "field '_stringLength'."),
        ("Math.PI = 3",
         "!'Math.PI' is not a variable that can be assigned to."),
        ("text[0] = 'T'",
         "!'text[0]' cannot be assigned to: the indexer of 'string' has no "
         "setter."),
        ("*pointer = 70", "70"),
        (":set var nothing = pointer", None),
        ("pointer = null", "null"),
        (":set var pointer = &number", None),
        ("pointer = (int*)0", "null"),
        (":set var pointer = nothing", None),
        ("this = null", "!No 'this' in this context."),
        ("Console.Out = null",
         "!Property 'Console.Out' has no setter."),
        ("thing.nosuch = 1",
         "!No 'nosuch' in 'Assign.Derived' at column 7."),
        ("derived?.Id = 1", "null"),
        ("thing?.Id = 99", "99"),
        ("Color = 3", "!'Color' is a type, not a value."),
    ], [
        "Assign.Derived null null Assign.Derived any any null",
        "99 word null Assign.Derived any word b True 10,20,30 33 5,0 22 4"
        " 70 70 False 20 30 4 2",
    ])


def test_carried(t):
    """What a call does by spans and by lambdas, which the program cannot be
    given, it does in the program; all of it or, where that would need what
    only dndbg has, nothing."""
    steps = [("call numbers.AsSpan().Fill(7)", "numbers", "{7, 7, 7}"),
             ("print span.Slice(1).Clear()", "numbers", "{7, 0, 0}"),
             ("call points.AsSpan()[1].X = 5", "points[1].X", "5"),
             ("call list.ForEach(n => numbers[n] += n)", "numbers",
              "{7, 1, 2}"),
             ("call numbers.AsSpan().Sort((a, b) => a - b)", "numbers",
              "{1, 2, 7}"),
             ("call new List<Base> { thing }.ForEach(b => b.Id = 77)",
              "thing.Id", "77"),
             ("call words.AsSpan().Fill(word)", "words[0]", '"word"'),
             ('call words.AsSpan().Fill("made")', "words[0]", '"word"'),
             ("print numbers.AsSpan().Slice(0, 1).ToArray()", "numbers",
              "{1, 2, 7}")]
    commands = ["b " + t.at("Assign", "references"), "run"]
    for order, look, _ in steps:
        commands += [order, "echo @\\n", "print " + look]
    done = t.batch([*commands, "continue"], t.program("Assign", "references"))
    t.check_equal([value for _, _, value in steps],
                  re.findall(r"^@\n\$\d+ = (.*)$", done.stdout, re.M))
    t.check_in("nothing is changed: the program would be left with what only "
               "dndbg has".capitalize(), done.stdout + done.stderr)


def test_registers_refused(t):
    """What is in a register and cannot be written says why and stays."""
    s = t.start("--args", *t.program("Frames", "registers", config="Release"))
    s.cmd("set env DOTNET_TieredCompilation=0")
    s.cmd("tbreak Frames.Calls.Mixed")
    t.check_in(", flag=true) at", s.cmd("run"))
    t.check_in("there is no place", s.cmd("print x = 5"))
    t.check_in("'string'", s.cmd('print flag = "yes"'))
    t.check_in("flag=true", s.cmd("frame"))
    t.check_in("false", s.cmd("print flag = false"))
    t.check_in("flag=false", s.cmd("frame"))
    t.check_in("ok", s.cmd("continue"))


def test_chained(t):
    """`a = b = c` sets both to one value, with a format too. Where writing one
    could change what another is, or a setter is called, nothing is written;
    display does not assign."""
    done = t.batch(["b " + t.at("Trees", "trees"), "run",
                    "print low = low = 5", "print low",
                    "print order.Id = orders[0].Id = low",
                    "print orders[0].Id + order.Id",
                    "print/x low = low = 19", "print low",
                    "print order = order = orders[low = 0]",
                    "print name = name = \"new\"", "print name",
                    "print name = name = $\"{low}!\"",
                    "print order.Id = low += 1", "print typo = low = 6",
                    "print low = name = \"x\"", "print low = low = 1.5",
                    "print order = order = new Order { Id = 7 }",
                    "print order.Id", "print limit = low = 8",
                    "print low = limit = 9", "print limit + low",
                    "display/x low = 3", "print low"],
                   t.program("Trees", os.path.join(t.dir, "lines")))
    shown = re.findall(r"^\$\d+ = (.*)$", done.stdout, re.M)
    # limit is a decimal, which has no conversion to int
    t.check_equal(["5", "5", "3", "0x13", "19", '"new"', '"new"', '"19!"',
                   "{...}", "7", "8", "16", "8"],
                  ["{...}" if v.startswith("{") else v for v in shown])
    t.check_equal(1, done.stderr.count(CHAINED))
    t.check_equal(2, done.stderr.count("An assignment cannot stand here"))
    t.check_equal(1, done.stdout.count("an assignment cannot stand here"))


def test_chained_calls(t):
    """What a call sets, or another object holds, is refused in a chain before
    anything is written or called; the value may need one."""
    tries = ['map["k"] = crate = new Box(1)', 'map["a"] = point.X = 3',
             "box.Level = point.X = 3", "point.X = box.Level = 3",
             "numbers[0] = point.X = 3", "same[0] = box = crate",
             "cell.Value = word = text", 'box.Label = word = "x"',
             "$mine = word = text"]
    s = t.start("--args", *t.program("Calls"))
    s.cmd("set confirm off")
    s.cmd(f"break {t.at('Calls', 'stop')}")
    s.cmd("run")
    for text in tries:
        t.check_in(CHAINED, s.cmd("print " + text))
    for text, value in (("map.Count", "2"), ("point.X", "3"),
                        ("box.Level", "4"), ("box.Number", "7"),
                        ("Box.Changes", "0"), ("numbers[0]", "1"),
                        ("word", '"word"'), ("cell.Value", '"cell"'),
                        ("box == same[0]", "true"),
                        ("crate = box = box.Next", None),
                        ("crate == box ? box.Number : 0", "8"),
                        ('word = text = box.Add("x")', '"box8+x"'),
                        ("(object)word == text", "true"),
                        ('word = text = "y" + box.Reads()', '"y9"'),
                        ("(object)word == text", "true"),
                        ("Box.Changes = Box.Changes = box.Change(1)", "9"),
                        ("Box.Changes", "9")):
        answer = s.cmd("print " + text)
        if value:
            t.check_in(" = " + value + "\n", answer + "\n")
    s.cmd("kill")


# A statement of the fixture, and what it has made: Show(...).
OPERATOR = re.compile(r"^ +(.+?); Show\((.+)\);$", re.M)


def test_operators(t):
    """What assignments of C# 14 do is what they do in the program: operators of
    instances, of extension blocks, and ?. of null."""
    with open(t.source("Operators")) as file:
        done = OPERATOR.findall(file.read().partition("@operators")[2])
    words = t.program("Operators", config="NetDebug")
    wanted = subprocess.run(["dotnet", *words], env=t.env, capture_output=True, text=True,
                            check=True).stdout.splitlines()[1:]
    ask = [text for statement, value in done
           for text in (f"print {statement}", f'print "=" + ({value}).ToString()')]
    out = t.batch(["break " + t.at("Operators", "operators"), "run", *ask,
                   "kill"], words).stdout
    got = re.findall(r'^\$\d+ = "=(.*)"$', out, re.M)
    t.check_equal([f"{s}; {w}" for (s, _), w in zip(done, wanted)],
                  [f"{s}; {g}" for (s, _), g in zip(done, got)])
    t.check_equal((len(done), len(done)), (len(wanted), len(got)))


test_operators.runtimes = ("11",)
