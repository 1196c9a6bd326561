"""One scenario over state machines on .NET 10 and 11 and over runtime async:
where it stops, stacks, variables, suspended calls and exceptions are the same."""
import json
import re

import drive

# What is shown as a fact: lines, variables, suspended calls with their
# variables, exceptions. Addresses and numbers of threads are none.
FACTS = [
    (r"(\d+\t.*)", "line {}"),
    (r"(\$?\w+ = .*)", "value {}"),
    (r" +0x[0-9a-f]+  (.*\)) at .*/(\w+\.cs:\d+)(?:, which .*)?",
     "suspended {} {}"),
    (r"        (\w+ = .*)", "kept {}"),
    (r"(Exception thrown: .*|It (?:goes|will) .*)", "{}"),
]
FRAME = re.compile(r"#(\d+) +(?:0x[0-9a-f]+ in )?(.*)")
# The frame by which a call is resumed. With state machines there are calls below
# it that are over, whose end has resumed it; behind them come those that await.
RESUMES = re.compile(r"AsyncStateMachineBox|\.DispatchContinuations")
# A call that a thread runs, and its variables: a state machine has no place
# then, or says where it has waited before; runtime async tells what awaits it.
RUNNING = re.compile(r"^  0x[0-9a-f]+  (?:(?!\) at ).*|.*, which awaits .*)\n"
                     r"(?:        .*\n)*", re.M)
# A task: its number is told when it is first asked for; the method of one that
# has waited is not known to runtime async, whose result is the text of Task's
# own view.
TASK = re.compile(r"Id = \d+, (Status = \w+), Method = [^,]+"
                  r"(?:, Result = \"?(?:TaskT_DebuggerNoResult|(\d+))\"?)?")


def facts(out):
    found = []
    resumed = False
    for line in TASK.sub(r"\1 \2", RUNNING.sub("", out)).split("\n"):
        frame = FRAME.fullmatch(line)
        if frame:
            number, text = frame.groups()
            resumed = number != "0" and (resumed or RESUMES.search(text))
            if text.startswith("[async]") or (".cs:" in text and not resumed):
                found.append("frame " + text)
        for pattern, words in FACTS:
            match = re.fullmatch(pattern, line)
            if match:
                found.append(words.format(*match.groups()))
                break
    return found


def look(*more):
    return ["bt", "info locals", "info args", *more]


def commands(t):
    def at(mark):
        return t.at("AsyncParity", mark)

    return [
        # called, then resumed; a loop over an await
        f"tbreak {at('inner-before')}", "run", *look(), "next", "until",
        *look("dumpasync --locals", "print before + n"), "next", "next",
        "next", *look(), "next", "next", "next", "next", "next", "step",
        *look(),
        "finish", *look("dumpasync --locals"), f"advance {at('middle-return')}",
        *look(), "finish", *look(), "next",
        # a method that is not async
        "step", *look(), "next", "next", "next", "next", *look(),
        # generic ones; breakpoints with conditions
        f"tbreak {at('generic-after')} if value.ToString() == \"g\"",
        "continue", *look("dumpasync --locals"), "until", "until", *look(),
        "finish", *look(), "next",
        # several calls at once: steps stay in theirs
        "step", *look(), f"tbreak {at('inner-await')} if n == 20", "continue",
        *look(), "next", *look("dumpasync --locals"), "set var before = 30",
        "finish", *look(), "next", *look(), "next", "next",
        # disposal, iterators
        "next", f"tbreak {at('add-after')}", "continue", *look(), "finish",
        *look(), f"tbreak {at('numbers-yield')}", "continue", *look(),
        f"tbreak {at('uses-number')}", "continue", *look(),
        f"tbreak {at('dispose-await')}", "continue", *look(), "next", "next",
        *look(), "next", *look(), f"advance {at('uses-return')}", *look(),
        # what an `await using` without a block ends with is its last line
        f"tbreak {at('disposes-last')}", "continue", *look(), "next", "bt",
        "next", *look(), "next",
        # a lambda
        f"tbreak {at('lambda-await')}", "continue", *look(), "next",
        *look("print inner + sum + n"), "finish", *look(),
        # exceptions
        "catch throw", "continue", *look("info exception"), "delete",
        f"break {at('catches-catch')}", f"break {at('catches-finally')}",
        "continue", *look(), "next", "next", *look("print e.StackTrace"),
        "continue", *look(),
        "finish", *look(), "delete", f"advance {at('main-print')}", *look(),
        "continue",
    ]


def scenario(t, runtime, config):
    env = drive.environment(runtime, t.env["DNDBG_TEST"], t.env["HOME"])
    return t.batch(commands(t), t.program("AsyncParity", config=config),
                   env={name: env[name] for name in ("DOTNET_ROOT", "PATH")}
                   ).stdout


def test_parity(t):
    classic = facts(scenario(t, "10", "Debug"))
    for config in ("NetDebug", "RtDebug"):
        t.check_equal(classic, facts(scenario(t, "11", config)))


test_parity.runtimes = ("11",)


def test_handler_twice(t):
    """An exception goes into the task of a library's method of which another
    call, that had to wait, is on the stack, too: the step returns to who called
    this one. With state machines it gets the task first, then the exception."""
    marks = {"Debug": ("again-fails", "again-catch"), "RtDebug": ("again-catch",)}
    for config in ("Debug",) if t.runtime != "11" else ("NetDebug", "RtDebug"):
        ends = marks.get(config, marks["Debug"])
        out = t.batch([f"tbreak {t.at('AsyncParity', 'quick-return')}", "run",
                       "next", *["next"] * len(ends), "kill"],
                      t.program("AsyncParity", config=config)).stdout
        t.check_equal([t.line("AsyncParity", mark) for mark in
                       ("quick-return", "quick-close", *ends)],
                      [int(n) for n in re.findall(r"^(\d+)\t", out, re.M)])


def test_kept_json(t):
    """Suspended calls with their variables in JSON."""
    for config in ("Debug",) if t.runtime != "11" else ("NetDebug", "RtDebug"):
        out = t.batch([f"tbreak {t.at('AsyncParity', 'inner-after')}", "run",
                       "dumpasync --locals --json", "kill"],
                      t.program("AsyncParity", config=config)).stdout
        found = json.loads(next(line for line in out.split("\n")
                                if line.startswith("{")))
        calls = {call.get("method"): call.get("variables")
                 for chain in found["chains"] for call in chain["calls"]}
        kept = [(v["name"], v["type"], v["value"], v["argument"])
                for v in calls["AsyncParity.Program.Middle"]]
        t.check_equal([("i", "int", "0", False), ("name", "string", '"m"', True),
                       ("text", "string", '"m"', False),
                       ("value", "int", "0", False)], sorted(kept))
        t.check_equal(0, found["withoutVariables"])
