"""Async methods, of state machines and of the runtime's own: breakpoints in
code that is there when dndbg attaches, steps over many awaits."""
import re
import subprocess

CONFIGS = ("Debug", "Release", "NetDebug", "RtDebug", "RtRelease")


# Marks of TaskReturning, in the order of their coming; twice: of two types.
RETURNING = ("plain", "result", "value", "nothing", "generic", "generic",
             "locked", "interface", "virtual", "base", "property", "struct",
             "generic-type", "generic-type", "lambda", "local", "throws")


def attached(t, fixture, config, commands):
    """What dndbg shows of the methods of a program that has run them, and what
    it complains of."""
    program = subprocess.Popen(
        t.program(fixture, "ticks", config=config, host="dotnet"),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, env=t.env)
    t.check_equal("ticking\n", program.stdout.readline())
    out = t.batch([f"attach {program.pid}", *commands, "kill"], [])
    program.stdout.close()
    program.wait()
    return out


def check_attached(t, config):
    out = attached(
        t, "AsyncMain", config,
        [f"break {t.at('AsyncMain', 'leaf-after')}",
         "continue", "info breakpoints", "bt 1", "delete",
         f"break {t.at('AsyncMain', 'ticks-after')}", "continue"]).stdout
    # the place of the runtime's own optimised code is right behind the await
    leaf, n = ("leaf-await", "<optimized out>") if config == "RtRelease" else (
        "leaf-after", r"\d+")
    t.check_match(rf"^Breakpoint 1, AsyncMain.Program.Leaf \(n={n}\) at "
                  rf"AsyncMain.cs:{t.line('AsyncMain', leaf)}$", out)
    t.check_match(r"^Breakpoint 2, AsyncMain.Program.Ticks \(\) at "
                  rf"AsyncMain.cs:{t.line('AsyncMain', 'ticks-after')}$", out)
    t.check_not_in("not compiled", out)
    t.check_not_in("optimised code has nothing", out)


def configs(t):
    return CONFIGS if t.runtime == "11" else ("Debug", "Release")


def test_attached(t):
    """Hit in code that the program has run before."""
    for config in configs(t):
        check_attached(t, config)


def test_many_awaits(t):
    """Three hundred steps, a hundred of them over an await that waits: none is
    lost, none ends in another turn."""
    lines = [t.line("AwaitLoop", mark) for mark in ("await", "after")]
    for config in configs(t):
        if "Release" in config:
            continue
        commands = [f"tbreak {t.at('AwaitLoop', 'await')}", "run"]
        for _ in range(100):
            commands += ["next", "print i", f"advance AwaitLoop.cs:{lines[0]}"]
        out = t.batch(commands + ["continue"],
                      t.program("AwaitLoop", "200", config=config)).stdout
        t.check_equal(list(range(100)),
                      [int(n) for n in re.findall(r"^\$\d+ = (\d+)$", out,
                                                  re.M)])
        t.check_equal(100, len(re.findall(rf"^{lines[1]}\t", out, re.M)))
        t.check_in("sum 19900\nok\n", out)


def returning_breaks(t):
    return [f"break {t.at('TaskReturning', mark)}"
            for mark in dict.fromkeys(RETURNING)]


def returning_hits(t, out):
    """The marks of the lines that the program has stopped at."""
    marks = {t.line("TaskReturning", mark): mark for mark in RETURNING}
    return [marks[int(line)] for line in
            re.findall(r"^Breakpoint \d+, .* at TaskReturning\.cs:(\d+)$", out,
                       re.M)]


def test_task_returning(t):
    """Methods that are not async and return a task, which the runtime compiles
    anew for callers of runtime async: each breakpoint is hit once for each
    call, in code that is made later and in code that is there."""
    for config in configs(t):
        out = t.batch(returning_breaks(t) + ["run"] +
                      ["continue"] * len(RETURNING),
                      t.program("TaskReturning", config=config)).stdout
        t.check_equal(list(RETURNING), returning_hits(t, out))
        t.check_in("sum 75\n", out)
        out = attached(t, "TaskReturning", config,
                       returning_breaks(t) +
                       ["continue"] * (2 * len(RETURNING))).stdout
        hits = returning_hits(t, out)
        t.check_equal(2 * len(RETURNING), len(hits))
        first = hits.index("plain")
        t.check_equal(list(RETURNING), (hits[first:] + hits[:first])[
            :len(RETURNING)])
        t.check_not_in("optimised code has nothing", out)


def returning_steps(t, config):
    """The lines that steps in, over and out of each kind end at; all output."""
    marks = list(dict.fromkeys(mark for mark in RETURNING
                               if mark not in ("base", "throws")))
    commands = []
    for mark in marks:
        commands += [f"tbreak {t.at('TaskReturning', 'await-' + mark)}",
                     "continue" if commands else "run",
                     "step", "next", "next", "next", "next"]
    steps = t.batch(commands, t.program("TaskReturning", config=config)).stdout
    commands = []
    for mark in marks:
        commands += [f"tbreak {t.at('TaskReturning', mark)}",
                     "continue" if commands else "run", "finish"]
    ends = t.batch(commands, t.program("TaskReturning", config=config)).stdout
    return re.findall(r"^\d+\t.*$", steps + ends, re.M), ends


def test_task_returning_steps(t):
    """Steps in, over and out of them: the same lines as with state machines; a
    call that waits has no result when it returns."""
    classic, _ = returning_steps(t, "NetDebug")
    lines, ends = returning_steps(t, "RtDebug")
    t.check_equal(classic, lines)
    waits = "The call has no result yet: it waits.\nTaskReturning.Program.Run"
    t.check_in(waits, ends)
    t.check_in("Value returned is $1 = ", ends)


test_task_returning_steps.runtimes = ("11",)


def thrown(out):
    """What the catchpoint has stopped for: message, and the line it is at."""
    return re.findall(r'^Exception thrown: \S+: "(.*)"\n.*\n.*?(?:'
                      r"AsyncMain\.cs:(\d+)|from System.*)$", out, re.M)


def test_exception_stops(t):
    """An exception that leaves async methods stops the program once, where it
    was thrown, and not in each method that awaits; what the program itself
    throws again is thrown."""
    def line(mark):
        return str(t.line("AsyncMain", mark))

    for config in configs(t):
        out = t.batch(["catch throw", "run"] + ["continue"] * 4 +
                      ["info exception"] + ["continue"] * 4,
                      t.program("AsyncMain", "catches", "raises",
                                config=config)).stdout
        t.check_equal([("bad 1", line("bad-throw")), ("made", ""),
                       ("bad 2", line("bad-throw")),
                       ("bad 3", line("bad-throw")),
                       ("bad 3", line("rethrows-throw")),
                       ("bad 3", line("rethrows-object")), ("bad 3", "")],
                      thrown(out))
        t.check_match(r"^   at AsyncMain.Program.Passes\(int\) in .*:line "
                      + line("passes-await"), out)
        t.check_in("raises 4\nok\n", out)


def test_thrown_at_the_await(t):
    """What a method awaits has failed without a call of the program's on the
    stack: who catches it is told as for any other."""
    for config in configs(t):
        out = t.batch(["catch throw", "run", "kill"],
                      t.program("StepAsync", "cancelled", config=config)).stdout
        t.check_match(r"^Exception thrown: System.Threading.Tasks."
                      r"TaskCanceledException: .*\nIt will be caught in "
                      r"StepAsync.Program.Cancelled at StepAsync.cs:"
                      rf"{t.line('StepAsync', 'cancelled-catch')}\.$", out)


def test_lost_variables(t):
    """What an await of optimised code does not keep has no value behind it: it
    is said, and a condition does not decide by what lies there."""
    out = t.batch([f"break {t.at('AsyncMain', 'leaf-after')} if n == 5", "run",
                   "print before"],
                  t.program("AsyncMain", "ordinary", config="RtRelease")).stdout
    t.check_in("Condition of breakpoint 1: 'n' is optimized out.\n", out)
    t.check_in("AsyncMain.Program.Leaf (n=<optimized out>) at", out)
    t.check_not_in("ordinary 4", out)


test_lost_variables.runtimes = ("11",)


def test_lost_addresses(t):
    """So of variables whose address was taken before the await."""
    for config, lost in (("RtRelease", True), ("RtDebug", False)):
        out = t.batch([f"break {t.at('AsyncMain', 'told-return')}", "run",
                       "print n", "print text", "print half", "print both",
                       "delete", "continue"],
                      t.program("AsyncMain", "told", config=config))
        t.check_in("told 24\nok\n", out.stdout)
        t.check_equal([*(["<optimized out>"] * 3 if lost else
                         ["5", '"five"', "6"]), "8"],
                      re.findall(r"^\$\d+ = (.*)$", out.stdout, re.M))


test_lost_addresses.runtimes = ("11",)


def test_disassembled_caller(t):
    """The code of an async caller, which is at no instruction: where the runtime
    suspends the method, the method's; of a state machine it is said."""
    for config in configs(t):
        out = attached(t, "AsyncMain", config,
                       [f"break {t.at('AsyncMain', 'ticks-after')}", "continue",
                        "frame function AsyncMain.Program.Section",
                        "disassemble"])
        method = (r"AsyncMain\.Program\.Section\(string, string\[\], "
                  r"System\.Func<System\.Threading\.Tasks\.Task<int>>\)")
        if config.startswith("Rt"):
            t.check_match(rf"^Dump of assembler code for function {method}:\n"
                          r"(.*\n)+?.* await run\(\); .*\n.* IL_00", out.stdout)
            t.check_not_in("=>", out.stdout)
        else:
            t.check_match(rf"^No code of {method} is known: it is on no stack; "
                          r'"disassemble/il" shows its IL\.$', out.stderr)


def test_lost_while_resumed(t):
    """Nor has a structure whose fields were used before the await; and while
    the code brings the variables back, none is told before it is there."""
    session = t.start("--args", *t.program("AsyncMain", "tells",
                                           config="RtRelease"))
    session.cmd("tbreak " + t.at("AsyncMain", "tell-return"))
    session.cmd("run")
    t.check_in("AsyncMain.Program.Tell (n=<optimized out>) at",
               session.cmd("bt 1"))
    start = re.search(r" \+ (\d+)$", session.cmd("info symbol $pc"), re.M)[1]
    session.cmd(f"break *($pc - {start})")
    session.cmd("continue")  # the second call
    t.check_in("n=60", session.cmd("bt 1"))
    session.cmd("continue")  # its resumption
    wait = t.line("AsyncMain", "tell-await")
    seen = []
    while not seen or "Program.Tell" in seen[-1] and len(seen) < 100:
        session.cmd("stepi")
        seen.append(session.cmd("bt 1") + session.cmd("info locals"))
    behind = [one for one in seen if f"AsyncMain.cs:{wait}" in one]
    told = {re.search("^text = (.*)", one, re.M)[1] for one in behind}
    t.check_equal({"<optimized out>", '"tell 60"'}, told)
    for one in behind:
        t.check_in("(n=<optimized out>)", one)
        t.check_not_in("First = 0", one)


test_lost_while_resumed.runtimes = ("11",)


def test_called_by_the_prolog(t):
    """Code of runtime async calls the framework before its first line: the
    arguments are where the body has them, and can be set."""
    out = t.batch(["tbreak " + t.at("StepAsync", "leaf-await"), "run",
                   "break System.Runtime.CompilerServices.AsyncHelpers."
                   "CaptureContexts", "continue", "up", "set var n = 7",
                   "continue", "up", "kill"],
                  t.program("StepAsync", "chain", config="RtDebug")).stdout
    t.check_equal([("Middle", "4"), ("Leaf", "7")], re.findall(
        r"^#1 .* in StepAsync\.Program\.(\w+) \(n=(\d+)\)", out, re.M))


test_called_by_the_prolog.runtimes = ("11",)


def test_code_of_both(t):
    """The code of a method that the runtime suspends is told for the method
    that metadata has, too, which name2ee finds."""
    session = t.start("--args", *t.program("StepAsync", "chain",
                                           config="RtDebug"))
    session.cmd("tbreak " + t.at("StepAsync", "leaf-return"))
    session.cmd("run")
    found = session.cmd("name2ee StepAsync.dll StepAsync.Program.Middle")
    method = re.search(r"^0x06\S+ +(0x[0-9a-f]+) ", found, re.M)[1]
    t.check_match(r"^0x[0-9a-f]+ +\d+ +not optimized$",
                  session.cmd(f"dumpmd {method}"))


test_code_of_both.runtimes = ("11",)


def test_iterator_waits(t):
    """An async iterator that has given a value runs nowhere: it waits to be
    asked for the next."""
    for config in configs(t):
        said = t.batch(["tbreak " + t.at("StepAsync", "consume-body"), "run",
                        "tasks"], t.program("StepAsync", config=config)).stdout
        row, = re.findall(r"^ +1  waiting  +StepAsync\.Program\.Numbers\(\).*$",
                          said, re.M)
        t.check_not_in("runs on a thread", row)


def test_waits_for_what_runs(t):
    """Main's thread waits for an async call that another thread runs: which
    thread, and where it is; the call's name stands among the tasks."""
    for config in configs(t):
        session = t.start("--args", *t.program("AsyncMain", "ticks",
                                               config=config))
        session.cmd("break " + t.at("AsyncMain", "ticks-after"))
        session.cmd("run")
        # until Main's thread has come to its wait
        while "waits in the end" not in (said := session.cmd("deadlock")):
            session.cmd("continue")
        ticks = rf"AsyncMain\.Program\.Ticks at {t.at('AsyncMain', 'ticks-after')}"
        t.check_match(r"^1 thread waits in the end for Task \{\S+ at \S+\} "
                      r"0x[0-9a-f]+: for thread (\d+) \"[^\"]+\", which is seen "
                      rf"to wait for nothing, in {ticks}$", said)
        t.check_match(r"^ +1  waiting  +AsyncMain\.Program\.Ticks\(.*\).*, which "
                      "runs on a thread$", session.cmd("tasks"))
