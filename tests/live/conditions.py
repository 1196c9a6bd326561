"""Conditions that are false most of the time: what they cost, and that they
hold when the compiler's do."""
import re

ROUNDS = 60
# what is asked with no other thread stopped, by the mark of its line
QUICK = ["plain", "field", "closure", "async"]
# what needs the runtime, for one reason or another
GENERAL = ["generic", "slow", "handler"]
# of variables that optimised code does not keep
GONE = [4, 5, 8, 9]


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
                        ("async", "hoisted == 100000")):
        out = t.batch([f"break {t.at('Conditions', place)} if {text}"]
                      + stops_to_end,
                      t.program("Conditions", str(hits), place)).stdout
        stops, calls, dac = work(out)
        # waiting for a task stops, too
        if place != "async":
            t.check(stops < hits + 100, f"{text}: {stops} stops")
            t.check(calls < 9 * hits + 1000, f"{text}: {calls} system calls")
        # the two stops that are shown
        t.check(dac < hits, f"{text}: {dac} calls of the DAC")


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
    t.check(dac < 60 * hits, f"{dac} calls of the DAC")
