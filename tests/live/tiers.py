"""Breakpoints in methods that the runtime compiles anew while they run."""
import re


def hits(text, number):
    """How often "info breakpoints" says that a breakpoint was hit."""
    found = re.search(rf"^{number} .*\n(?:\t.*\n)*?\tbreakpoint already hit "
                      r"(\d+) time", text, re.M)
    return int(found[1]) if found else 0


def printed(text):
    return int(re.findall(r"^\$\d+ = (-?\d+)$", text, re.M)[-1])


def till_tier_up(t, section="tiers", place="Hot.Body", at="Hot.Body (n=0)"):
    """A session in a program that calls Hot.Body, or another method, all the
    time, stopped there (breakpoint 1) in the first of the calls seen to run
    optimised code."""
    s = t.start("--args", *t.program("Breaks", section, "wait",
                                     config="Release"))
    # The loop is not to be replaced while it runs (OSR), however long the
    # compiler in the background needs.
    s.cmd("set env DOTNET_OSR_HitLimit=7fffffff")
    s.cmd("break " + place)
    t.check_in("Breakpoint 1, Breaks." + at, s.cmd("run"))
    t.check_in(", tier 0", s.cmd("info frame"))
    s.cmd("ignore 1 29")

    def tier_1():
        t.check_in("Breakpoint 1, Breaks.Hot.", s.cmd("continue", 60))
        s.cmd("ignore 1 499")
        return ", tier 1\n" in s.cmd("info frame")

    t.wait_for("optimised code", tier_1, 60)
    s.cmd("set var Breaks.Hot.Waits = false")
    return s


def places_and_hits(t, out):
    """Of breakpoint 1 at the end of the program: its number of places. Each
    call was a hit."""
    t.check_equal(printed(out) + 1, hits(out, 1))
    return len(re.findall(r"^1\.\d+ .* in Breaks\.Hot\.Body\(int\)", out, re.M))


def test_hot_method(t):
    """Every call is a hit, whichever code it runs."""
    s = till_tier_up(t)
    s.cmd("ignore 1 100000000")
    s.cmd("break " + t.at("Breaks", "main-end"))
    t.check_in("Breakpoint 2,", s.cmd("continue", 60))
    out = s.cmd("info breakpoints") + s.cmd("print Hot.Calls")
    # first code and the optimised one at least
    t.check(places_and_hits(t, out) >= 2, out)


def test_debug_code_stays(t):
    """However often code for debugging is called, there is one of it."""
    out = t.batch(["break Hot.Body", "ignore 1 100000000",
                   f"break {t.at('Breaks', 'main-end')}", "run",
                   "info breakpoints", "print Hot.Calls"],
                  t.program("Breaks", "tiers")).stdout
    t.check_equal(0, places_and_hits(t, out))


def test_after_tier_up(t):
    """A breakpoint made late finds the code that is there by then."""
    s = till_tier_up(t)
    s.cmd("delete 1")
    s.cmd("tbreak " + t.at("Breaks", "tiers-warm"))
    t.check_in("Temporary breakpoint 2,", s.cmd("continue"))
    s.cmd("break Hot.Body")
    t.check_match(r"^Breakpoint 3, Breaks\.Hot\.Body \(n=5\) at Breaks\.cs:"
                  + str(t.line("Breaks", "hot-body")), s.cmd("continue"))
    t.check_in(", tier 1\n", s.cmd("info frame"))
    t.check_match(r"^ok$", s.cmd("continue"))


def test_handler_of_older_code(t):
    """An exception is handled in the code that runs, not in the newest."""
    s = till_tier_up(t, "older", t.at("Breaks", "older-inner"),
                     "Hot.Older (outermost=false)")
    s.cmd("delete 1")
    s.cmd("tbreak " + t.at("Breaks", "older-throw"))
    t.check_in("Temporary breakpoint 2,", s.cmd("continue"))
    s.cmd("set just-my-code off")
    out = s.cmd("next")
    t.check_match(r"^Breaks\.Hot\.Older \(outermost=true\) at ", out)
    t.check_match(r"^\d+\t +catch", out)
    t.check(", tier 1\n" not in s.cmd("info frame"), "the newest code")
    t.check_match(r"^ok$", s.cmd("continue"))


def test_loop_replaced(t):
    """A loop whose code is replaced while it runs (OSR) is still stopped in,
    by a breakpoint from before and by one of after."""
    for config in ("Release", "Debug"):
        out = t.batch([f"break {t.at('Breaks', 'osr-loop')}",
                       "ignore 1 15000",
                       f"break {t.at('Breaks', 'osr-late')}",
                       "run", "info frame", "info breakpoints", "delete 1",
                       f"break {t.at('Breaks', 'osr-loop')}",
                       "continue", "continue", "continue", "info breakpoints",
                       "delete 3", f"tbreak {t.at('Breaks', 'osr-end')}",
                       "continue", "continue", "continue"],
                      t.program("Breaks", "osr", config=config)).stdout
        t.check_match(r"^Breakpoint 1, Breaks\.Hot\.Osr \(n=20000\)", out)
        t.check_equal(config == "Release", "entered in a loop (OSR)" in out)
        t.check_equal(15001, hits(out, 1))
        t.check_equal(3, hits(out, 3))
        t.check_match(r"^Breakpoint 2, Breaks\.Hot\.Osr", out)
        t.check_match(r"^Temporary breakpoint 4, Breaks\.Hot\.Osr", out)
        t.check_match(r"^ok$", out)


def test_throws_while_the_dispatcher_tiers_up(t):
    """The runtime's dispatcher of exceptions is code that tiers up too, and
    no throw is missed for it: as many are counted as are caught."""
    s = t.start("--args", *t.program("Storm", "throw"))
    s.cmd("b " + t.at("Storm", "odd"))
    t.check_in("Breakpoint 1,", s.cmd("run"))
    s.cmd("catch throw Storm.Odd")
    s.cmd("ignore 2 1000000")
    s.cmd("ignore 1 1999")
    t.check_in("Breakpoint 1,", s.cmd("continue", 60))
    hits = re.findall(r"already hit (\d+) times", s.cmd("info breakpoints"))
    t.check_equal(["2001", "2000"], hits)


AHEAD = ["System.Version.Parse(string)", "System.Convert.FromHexString(string)",
         "System.IO.Path.ChangeExtension(string, string)",
         "System.Char.ConvertFromUtf32(int)", "System.Guid.Parse(string)",
         "System.DateTime.DaysInMonth(int, int)"]


def test_first_calls_of_precompiled_code(t):
    """Threads that call a method of the framework for the first time at the
    same moment are all counted, and so are those that throw; also if nothing
    is to run but what the JIT compiles."""
    ask = [f"tbreak {t.at('Ahead', 'end')}"]
    for number, name in enumerate(AHEAD, 2):
        ask += [f"break {name}", f"ignore {number} 1000000"]
    ask += ["catch throw", "ignore 8 1000000", "run", "info breakpoints"]
    for setting in "110100":
        out = t.batch(ask, t.program("Ahead", "8"),
                      env={"DOTNET_ReadyToRun": setting}).stdout
        t.check_equal([8] * 7, [hits(out, i) for i in range(2, 9)])


def test_dispatcher_compiled_by_the_jit(t):
    """No frame of the runtime's dispatcher is shown, though none of its calls
    is inlined."""
    out = t.batch(["run", "bt 1"], t.program("Throws", "unhandled-inner"),
                  env={"DOTNET_ReadyToRun": "0"}).stdout
    t.check_match(r"^#0  \w+ in Throws\.Program\.Unhandled \(", out)
