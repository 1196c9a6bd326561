"""finish: the value that was returned, as the program prints it."""
import re

# A method, what the program prints of its value, and how it is shown.
METHODS = [
    ("Program.Int", "-3", "-3"),
    ("Program.Bool", "True", "true"),
    ("Program.Single", "0.25", "0.25"),
    ("Program.Text", "text4", '"text4"'),
    ("Program.Enum", "Green", "Color.Green"),
    ("Program.Two", "3 0.75", "{Number = 3, Real = 0.75}"),
    ("Program.Floats", "6 6.5", "{X = 6, Y = 6.5}"),
    ("Program.Mix", "m7 7 -7", '{Text = "m7", A = 7, B = -7}'),
    ("Program.Memory", "8 9 10", "{A = 8, B = 9, C = 10}"),
    ("Program.Money", "9.25", "9.25"),
    ("Program.Maybe", "10", "10"),
    ("Program.Slot", "5", "5"),
    ("Program.Same", "same", '"same"'),
    ("Program.Same", "11", "11"),
    ("Box.Get", "box", '"box"'),
    ("Box.Pair", "key 7", '{Key = "key", Value = 7}'),
    ("Program.Nothing", None, None),
    ("Program.Throws", "12", "12"),
    ("Program.Async", "13", None),
]


def finished(t, config):
    commands = ["start"]
    commands += [f"break {name}" for name in
                 dict.fromkeys(method for method, _, _ in METHODS)]
    for _ in METHODS:
        commands += ["continue", "echo ---\\n", "finish"]
    return t.batch([*commands, "delete", "continue"],
                   t.program("Returns", config=config)).stdout


def test_finish(t):
    """Numbers, strings, structures in one and two registers, of both kinds,
    and in memory, by reference, generic ones; after an exception that the
    method caught; nothing of what returns nothing, nor of async ones."""
    for config in ("Debug", "Release"):
        parts = finished(t, config).split("---\n")[1:]
        t.check_equal(len(METHODS), len(parts))
        for (method, printed, shown), part in zip(METHODS, parts):
            found = re.findall(r"^Value returned is \$\d+ = (.*)$", part, re.M)
            t.check_equal([shown] if shown else [], found)
            if printed:
                t.check_match(f"^{re.escape(printed)}$", part)


def test_returnvalue(t):
    """$returnvalue lasts as long as the program stands there."""
    done = t.batch(["break Program.Two", "break Program.Throws", "run",
                    "print $returnvalue", "finish",
                    "print $returnvalue.Real * 4", "print $1.Number",
                    "next", "print $returnvalue", "continue", "up", "finish",
                    "kill"], t.program("Returns"))
    t.check_in("$2 = 3\n$3 = 3\n", done.stdout)
    t.check_equal(1, done.stdout.count("Value returned"))
    t.check_equal(2, done.stderr.count(
        "No call was stepped out of whose value is known."))
