"""Arguments in registers and on the stack, at one instruction after the other,
against what the program prints of them."""
import re

METHODS = {"Many": 10, "Own": 8}


def test_every_instruction(t):
    """From where a breakpoint on the method stops, optimised or not."""
    for config in "Debug", "Release":
        for method, count in METHODS.items():
            words = t.program("Prologs", config=config)
            steps = ["info args", "stepi"] * 12
            out = t.batch([f"break Prologs.Program.{method}", "run", *steps,
                           "delete", "continue"], words).stdout
            printed = re.search(r"^a = \d+, b = .*$" if method == "Many" else
                                r"^a = 11, b = .*$", out, re.M)[0]
            wanted = printed.split(", ")
            t.check_equal(count, len(wanted))
            banner = re.search(r"^Breakpoint 1, .*\((.*)\) at ", out, re.M)[1]
            for argument in wanted:
                t.check_in(argument.replace(" = ", "="), banner)
            shown = re.findall(r"^(a = \d+\n(?:[b-j] = .*\n)+)", out, re.M)
            t.check(len(shown) >= 4, f"{len(shown)} times shown:\n{out}")
            for one in shown:
                t.check_equal(wanted, one.splitlines())
