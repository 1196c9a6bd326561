"""Conditions that are false most of the time: what they cost, and that they
hold when the compiler's do."""
import re

ROUNDS = 60
# what is asked with no other thread stopped, by the mark of its line
QUICK = ["plain", "field", "closure", "async", "shared"]
# what needs the runtime, for one reason or another
GENERAL = ["generic", "slow", "handler"]
# of variables that optimised code does not keep
GONE = [4, 5, 8, 9, 90, 91, 92, 93, 94, 95]


def conditions(t):
    """{mark: [(number of its count, text)]}, as the program has them."""
    found, mark = {}, None
    for line in open(t.source("Conditions")):
        at = re.search(r"// @(\w+)$", line)
        if at:
            mark = at[1]
        count = re.search(r"Count\((\d+), (.*)\);$", line)
        if count:
            found.setdefault(mark, []).append((int(count[1]), count[2]))
    return found


def breakpoints(t, marks, but=()):
    """Commands that set them, none of which stops; the counts they stand
    for, from breakpoint 1 on."""
    asked, counts = [], []
    for mark in marks:
        for count, text in conditions(t)[mark]:
            if count in but:
                continue
            counts.append(count)
            asked += [f"break {t.at('Conditions', mark)} if {text}",
                      f"ignore {len(counts)} 1000000"]
    return asked, counts


def compare(t, out, counts):
    held = dict((int(k), int(n))
                for k, n in re.findall(r"^held (\d+) (\d+)$", out, re.M))
    info = out[out.rindex("Num "):]
    for number, count in enumerate(counts, 1):
        hit = re.search(rf"^{number} .*\n(?:\t.*\n)*?\tbreakpoint already hit "
                        r"(\d+) time", info, re.M)
        t.check_equal((count, held[count]),
                      (count, int(hit[1]) if hit else 0))
    t.check_not_in("ondition of breakpoint", out)


def test_right(t):
    """Each condition holds as often as the compiler's, in code compiled for
    debugging, while a thread has the collector move everything."""
    asked, counts = breakpoints(t, QUICK + GENERAL)
    out = t.batch(asked + ["run", "info breakpoints"],
                  t.program("Conditions", str(ROUNDS), "collect")).stdout
    compare(t, out, counts)


def test_right_in_optimized_code(t):
    """The same of the variables that optimised code keeps."""
    asked, counts = breakpoints(t, QUICK, GONE)
    out = t.batch(asked + ["run", "info breakpoints"],
                  t.program("Conditions", str(ROUNDS), "collect",
                            config="Release"),
                  env={"DOTNET_TieredCompilation": "0"}).stdout
    compare(t, out, counts)


def work(out):
    """(stops, system calls that were not in vain, calls of the DAC) between
    the two stops of a session."""
    rows = re.findall(r"^since the start +(\d+) +(\d+) +(\d+) +(\d+)$", out,
                      re.M)
    (stops, calls, vain, dac), later = [list(map(int, r)) for r in rows]
    return (later[0] - stops, later[1] - calls - later[2] + vain,
            later[3] - dac)


def test_cost(t):
    """A hit whose condition is false stops its own thread alone, and asks the
    kernel for little and the runtime for nothing."""
    stops_to_end = ["tbreak " + t.at("Conditions", "first"),
                    "tbreak " + t.at("Conditions", "last"), "run",
                    "maint print statistics", "continue",
                    "maint print statistics"]
    hits = 500
    for place, text in (("plain", "i == 100000"), ("field", "Id == 100000"),
                        ("plain", 'name == "none"'),
                        ("closure", "captured == 100000"),
                        ("plain", "any is Conditions.Item { Id: 100000 }"),
                        ("plain", "any is string s && s.Length == 77"),
                        ("plain", "none == null && i > 100000"),
                        ("shared", "i == 100000"),
                        ("shared", "Size == 100000"),
                        ("shared", "Held == null && i == 100000"),
                        ("async", "hoisted == 100000")):
        out = t.batch([f"break {t.at('Conditions', place)} if {text}"]
                      + stops_to_end,
                      t.program("Conditions", str(hits), place)).stdout
        stops, calls, dac = work(out)
        # waiting for a task stops, too
        if place != "async":
            times = 2 if place == "shared" else 1
            t.check(stops < times * hits + 100, f"{text}: {stops} stops")
            t.check(calls < 9 * times * hits + 1000,
                    f"{text}: {calls} system calls")
        # the two stops that are shown
        t.check(dac < hits, f"{text}: {dac} calls of the DAC")




def said(i):
    """What message_breakpoint says in round i of the program."""
    name = f"item {i}" if i % 10 == 9 else f"x{i}"
    mood = "Mood.Wild" if i % 3 == 1 else "Mood.Calm"
    return (f'{i} "{name}" {mood} {{{5000000000 + i}}} '
            f"{'true' if i % 4 == 0 else 'false'} {i % 4}")


def message_breakpoint(t):
    return (f"dprintf {t.at('Conditions', 'plain')},"
            '"%d \\"%s\\" %s {%d} %s %d\\n",'
            "i,name,item.Mood,wide,item.Next == null,pair.A")


def test_messages(t):
    """What is said at each hit is what the program has then, while objects
    are moved."""
    out = t.batch([message_breakpoint(t), "run"],
                  t.program("Conditions", str(ROUNDS), "collect")).stdout
    t.check_equal([said(i) for i in range(ROUNDS)],
                  re.findall(r'^\d+ ".*" Mood\..*$', out, re.M))


def test_cost_of_messages(t):
    """A message of numbers, enums and strings stops its thread alone, too."""
    hits = 300
    out = t.batch([message_breakpoint(t),
                   "tbreak " + t.at("Conditions", "first"),
                   "tbreak " + t.at("Conditions", "last"), "run",
                   "maint print statistics", "continue",
                   "maint print statistics"],
                  t.program("Conditions", str(hits), "plain")).stdout
    stops, calls, dac = work(out)
    t.check(stops < hits + 100, f"{stops} stops")
    t.check(calls < 16 * hits + 1000, f"{calls} system calls")
    t.check(dac < hits, f"{dac} calls of the DAC")


def test_cost_of_calls(t):
    """A condition that calls a method stops its thread alone, too, and asks
    the runtime for no place of a static twice."""
    hits = 200
    out = t.batch([f"break {t.at('Conditions', 'field')} if "
                   'Name.EndsWith("none")',
                   "tbreak " + t.at("Conditions", "first"),
                   "tbreak " + t.at("Conditions", "last"), "run",
                   "maint print statistics", "continue",
                   "maint print statistics"],
                  t.program("Conditions", str(hits), "field")).stdout
    _, _, dac = work(out)
    # one more object of the DAC's to ask on .NET 8 would be five more calls
    # and a copy of the core library's metadata
    t.check(dac < (49 if t.runtime == "8" else 60) * hits,
            f"{dac} calls of the DAC")


def test_cost_of_rare_hits(t):
    """Where hits are rare the next is slept for, not looked for."""
    hits = 50
    out = t.batch([f"break {t.at('Conditions', 'rare')} if i == 100000",
                   "tbreak " + t.at("Conditions", "first"),
                   "tbreak " + t.at("Conditions", "last"), "run",
                   "maint print statistics", "continue",
                   "maint print statistics"],
                  t.program("Conditions", str(hits), "rare")).stdout
    first, last = [int(n) for n in
                   re.findall(r"^since the start +\d+ +\d+ +(\d+)", out, re.M)]
    t.check(last - first < 10 * hits, f"{last - first} looks in vain")


def test_cost_of_compiling(t):
    """What nobody waits for is compiled and called without a stop, also after a
    method that was waited for."""
    out = t.batch(["tbreak " + t.at("Many", "main"),
                   "tbreak " + t.at("Many", "print"), "run",
                   "maint print statistics", "continue",
                   "maint print statistics"], t.program("Many")).stdout
    stops, _, _ = work(out)
    t.check(stops < 150, f"{stops} stops while 1,500 methods were compiled")


def test_behind_calls(t):
    """A condition and a message that were compiled before a call in the program
    loaded an assembly hold and are said behind it."""
    out = t.batch([f"break {t.at('FirstCalls', 'loop')} if i >= 9",
                   f'dprintf {t.at("FirstCalls", "said")},"said %d\\n", i',
                   f"break {t.at('FirstCalls', 'work')} if k == 2 || k == 4",
                   "run", "print System.Console.Out.Flush()", "continue",
                   "print System.Console.Error.Flush()", "continue",
                   "print i", "info breakpoints"],
                  t.program("FirstCalls")).stdout
    t.check_in("$3 = 9", out)
    t.check_equal([str(i) for i in range(9)],
                  re.findall(r"^said (\d+)$", out, re.M))
