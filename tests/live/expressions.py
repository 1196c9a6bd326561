"""Expressions that run code: the debugger's values are the compiler's."""
import os


def ask(t, config):
    """Each line E(...) of the fixture: (text, the compiler's value, the
    debugger's). What is refused has the value None."""
    path = os.path.join(t.dir, "lines")
    program = t.program("Expressions", path, config=config)
    mark = t.at("Expressions", "end")
    t.batch(["b " + mark, "run"], program)
    with open(path) as lines:
        cases = [line.rstrip("\n").split("\t") for line in lines]
    commands = ["b " + mark, "run"]
    for number, (text, _) in enumerate(cases):
        commands += [f"echo @{number}\\n", "print " + text]
    got = [None] * len(cases)
    number = None
    done = t.batch(commands, program)
    for line in done.stdout.split("\n"):
        if line.startswith("@"):
            number = int(line[1:])
        elif line.startswith("$") and number is not None:
            got[number] = line.split(" = ", 1)[1]
    if done.stderr:
        print(done.stderr)
    return [(text, want, is_) for (text, want), is_ in zip(cases, got)]


def test_values(t):
    """Every expression of the fixture is what its compiler says."""
    cases = ask(t, "Debug")
    t.check_equal(True, len(cases) > 130)
    t.check_equal([], [case for case in cases if case[1] != case[2]])
