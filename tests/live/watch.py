"""Watchpoints: exact counts while the collector moves what is watched, and
what is refused."""
import re

TURNS = 300


def hits(t, watch="box.Value", env=None, config="Debug"):
    """Changes counted by a watchpoint that never stops."""
    done = t.batch(["b " + t.at("Watch", "collector"), "run",
                    "watch " + watch, "tb " + t.at("Watch", "moved"),
                    "ignore 2 100000", "continue", "info watchpoints",
                    "continue"],
                   t.program("Watch", "moving", str(TURNS), config=config),
                   env=env)
    count = re.search(r"already hit (\d+) time", done.stdout)
    moved = re.search(rf"^moving {TURNS} moves (\d+)$", done.stdout, re.M)
    t.check(moved, "the program's own sum is wrong:\n" + done.stdout)
    t.check(int(moved.group(1)) > 30, "it did not move:\n" + done.stdout)
    t.check_equal("", done.stderr)
    return int(count.group(1)) if count else 0


def test_moving(t):
    """A field behind a static, in an object that moves and is replaced."""
    t.check_equal(TURNS, hits(t))


def test_moving_local(t):
    """... behind a variable, with the server's collector."""
    t.check_equal(TURNS, hits(t, "local.Value",
                              env={"DOTNET_gcServer": "1",
                                       "DOTNET_GCHeapCount": "2"}))


def test_moving_reference(t):
    """A reference that the collector itself writes is no change."""
    t.check_equal(TURNS // 20, hits(t, "box", env={"DOTNET_gcConcurrent": "0"}))


def test_located(t):
    """-l stays with its object while the path leads there; when it does not
    and objects move, the program stops, as where a frame was left."""
    done = t.batch(["b " + t.at("Watch", "collector"), "run",
                    "watch -l box.Value", "watch -l local.Name"]
                   # Replaced in the tenth turn.
                   + ["continue"] * 10
                   + ["info program", "info watchpoints", "delete",
                      "tb " + t.at("Watch", "moved"), "continue"],
                   t.program("Watch", "moving", str(TURNS)),
                   # Its collector has threads of its own.
                   env={"DOTNET_gcServer": "1", "DOTNET_GCHeapCount": "2"})
    t.check_equal([str(i) for i in range(1, 10)],
                  re.findall(r"^New value = (\d+)$", done.stdout, re.M))
    words = (r"^Watchpoint %d deleted because the garbage collector may have "
             r"moved what it watches, and '%s' does not lead there\.$")
    # One stop tells of all.
    t.check_match(words % (2, r"box\.Value"), done.stdout)
    t.check_match(words % (3, r"local\.Name"), done.stdout)
    t.check_match(r"^Process \d+, stopped in thread 1\.$", done.stdout)
    t.check_match(r"^It stopped where a watchpoint ended\.\n"
                  r"It stopped at a breakpoint that has since been "
                  r"deleted\.\nNo watchpoints\.$", done.stdout)
    t.check_match(r"^Temporary breakpoint 4, ", done.stdout)
    t.check_equal("", done.stderr)


def test_located_nowhere(t):
    """One that is set while nothing runs ends with dndbg, not dndbg with it."""
    done = t.batch(["watch -l box.Value"], t.program("Watch"))
    t.check_in("Watchpoint 1 (-location box.Value) pending", done.stdout)
    t.check_equal((0, ""), (done.returncode, done.stderr))


def test_located_disabled(t):
    """While it is disabled its object is followed, too; one that is lost
    meanwhile does not stop the program."""
    write = "Watch.cs:%d if i == " % t.line("Watch", "write")
    done = t.batch(["b " + t.at("Watch", "collector"), "run", "delete",
                    "tb " + write + "10", "continue", "watch -l box.Value",
                    "disable 3", "tb " + write + "25", "continue", "enable 3",
                    "continue", "disable 3", "tb " + t.at("Watch", "moved"),
                    "continue", "info watchpoints", "continue"],
                   t.program("Watch", "moving", str(TURNS)))
    t.check_match(r"^Old value = 25\nNew value = 26\n", done.stdout)
    t.check_match(r"^Watchpoint 3 deleted because the garbage .* moved what "
                  r"it watches, and 'box\.Value' does not lead there\.\n"
                  r"(.*\n)*?^Temporary breakpoint 5, .*\n.*\n"
                  r"No watchpoints\.$", done.stdout)
    t.check_match(rf"^moving {TURNS} moves", done.stdout)


def test_implied_this(t):
    """A field of the frame's own object, named without `this.`, is found when
    a collection moved it, and is of the frame: -l or not, and displayed."""
    for words, values, shown, ends in (
            ("watch -l Value", ["3", "7"], ["0", "3", "3", "7"], 0),
            ("watch Value", ["3"], ["0", "3", "3"], 1)):
        done = t.batch(["b " + t.at("Watch", "grow"), "run", words,
                        "display Value", *["continue"] * 4],
                       t.program("Watch", "growing"))
        t.check_equal(values,
                      re.findall(r"^New value = (\d+)$", done.stdout, re.M))
        t.check_equal(shown,
                      re.findall(r"^1: Value = (\d+)$", done.stdout, re.M))
        t.check_equal(ends, len(re.findall(
            r"^Watchpoint 2 deleted because the program has left the block",
            done.stdout, re.M)))
        t.check_match("^grown 7$", done.stdout)
        t.check_equal("", done.stderr)


def test_switched(t):
    """Disabled while objects move, and enabled again."""
    done = t.batch(["b " + t.at("Watch", "collector"), "run",
                    "watch local.Value if local.Value % 100 == 0",
                    "disable 2", "tb Watch.cs:%d if i == 149"
                    % t.line("Watch", "write"), "continue", "enable 2",
                    "continue", "print i", "continue", "delete", "continue"],
                   t.program("Watch", "moving", str(TURNS)))
    t.check_equal(["200", "300"],
                  re.findall(r"^New value = (\d+)$", done.stdout, re.M))
    t.check_in("$1 = 199\n", done.stdout)
    t.check_match(rf"^moving {TURNS} moves", done.stdout)


def test_written_elsewhere(t):
    """A condition on a static holds by its class where a method of another
    class writes it."""
    done = t.batch(["b " + t.at("Watch", "start"), "run",
                    "watch counter if counter > 90", "continue", "delete",
                    "continue"], t.program("Watch", "counted"))
    t.check_equal(["91"], re.findall(r"^New value = (\d+)$", done.stdout, re.M))
    t.check_equal("", done.stderr)
    t.check_in("ok\n", done.stdout)


def test_with_steps(t):
    """Steps and breakpoints go on beside it, hits of both at one line."""
    line = t.line("Watch", "counter")
    done = t.batch(["b " + t.at("Watch", "counter"), "run", "watch counter",
                    "continue", "stepi", "continue", "next", "continue",
                    "stepi 30", "delete", "continue"],
                   t.program("Watch", "simple"))
    t.check_equal(["0", "5"],
                  re.findall(r"^Old value = (\d+)$", done.stdout, re.M))
    t.check_equal(3, len(re.findall(r"^Breakpoint 1, .*Touch .* at "
                                    rf"Watch\.cs:{line}$", done.stdout, re.M)))
    t.check_in("simple 10\nok\n", done.stdout)


def test_assigned(t):
    """What is assigned at the prompt is no change of the program's."""
    done = t.batch(["b " + t.at("Watch", "counter"), "run", "watch counter",
                    "set var counter = 5", "delete 1", "continue",
                    "delete", "continue"], t.program("Watch", "simple"))
    t.check_match(r"Old value = 5\nNew value = 10$", done.stdout)


REFUSED = [
    ("watch", "Argument required: watch [-l] EXPRESSION [if CONDITION]."),
    ("watch 1 + 2", "Cannot watch constant value '1 + 2'."),
    ("watch nothing", "No 'nothing' in this context (CS0103)."),
    ("watch args[9]", "Index 9 is outside 'args' (length 1)."),
    ("watch ((", None),
    ("rwatch -l 3", "Cannot watch constant value '3'."),
    ("watch counter if (", None),
]


def test_refused(t):
    """One clear line each, and nothing is left of it."""
    for command, words in REFUSED:
        done = t.batch(["b " + t.at("Watch", "start"), "run", command],
                       t.program("Watch", "simple"))
        errors = done.stderr.strip("\n").split("\n")
        t.check_equal(1, len(errors))
        if words:
            t.check_equal(words, errors[0])


test_refused.runtimes = ("10",)


def test_too_many(t):
    """Four registers: what finds none free is refused, until some are."""
    session = t.start("--args", *t.program("Watch", "simple"))
    session.cmd("b " + t.at("Watch", "start"))
    session.cmd("run")
    for name in ("counter", "done", "asked", "collected"):
        t.check_match(rf"^Hardware watchpoint \d: {name}$",
                      session.cmd("watch " + name))
    wanted = "Cannot watch '%s': no debug register is free for it (the " \
             "processor has 4)."
    t.check_in(wanted % "box", session.cmd("watch box"))
    session.cmd("disable 5")
    session.cmd("delete 4")
    t.check_in(wanted % "box.Pair", session.cmd("watch box.Pair"))
    t.check_match(r"^Hardware watchpoint \d+: box$", session.cmd("watch box"))
    t.check_in(wanted % "collected", session.cmd("enable 5"))
    session.cmd("delete 2")
    session.cmd("enable 5")
    t.check_match(r"^5 +hw watchpoint +keep y +collected$",
                  session.cmd("info watchpoints"))
    session.line("delete")
    session.expect("y or n")
    session.cmd("y")
    t.check_in("exited normally", session.cmd("continue"))


test_too_many.runtimes = ("10",)
