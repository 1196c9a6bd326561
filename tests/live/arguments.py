"""Arguments and callers at every instruction of methods, from the first one to
the return, against what the program prints of them."""
import re

METHODS = ("Many Saved Own Floats Structs Locals Moves Handles Shared Leaf "
           "LeafFloats").split()
VALUE = r'(\w+)=(\{[^}]*\}|"[^"]*"|<[^>]*>|[^,)]*)'


def arguments(text):
    """What stands in the brackets of a frame or of a line of the program."""
    return dict(re.findall(VALUE, text[text.index(" (") + 1:]))


def check_arguments(t, told, line, optimised):
    """A frame against what the program printed; the names of the arguments
    that it does not have any more."""
    name = re.search(r"Program\.(\w+)[ <]", line)[1]
    got = arguments(line)
    got.pop("this", None)
    gone = {key for key, value in got.items() if value == "<optimized out>"}
    t.check(optimised or not gone, line)
    t.check_equal({**told[name], **{key: got[key] for key in gone}}, got)
    return gone


def check_frame(t, told, lines, optimised):
    """A backtrace in a method, callers and all."""
    gone = check_arguments(t, told, lines[0], optimised)
    t.check_match(r'^#1 .* in Instructions\.Program\.Calls \(round=2, '
                  r'name="second"\) at', lines[1])
    t.check_match(r"^#2 .* in Instructions\.Program\.Main \(\) at", lines[2])
    return gone


def walk(t, session, told, method, optimised):
    """From the first instruction of a method to its return."""
    n = 0
    while True:
        lines = session.cmd("bt").splitlines()
        if f".{method}" not in lines[0]:
            break
        gone = check_frame(t, told, lines, optimised)
        # an optimiser forgets an argument behind its last use, not before
        t.check(n or not gone, lines[0])
        n += 1
        session.cmd("nexti")
    t.check(n >= 9, f"{method}: {n} instructions")


def every_instruction(t, config, optimised):
    # All tiers but the last, or this one alone.
    t.env["DOTNET_TieredCompilation"] = "0" if optimised else "1"
    session = t.start("--args", *t.program("Instructions", config=config))
    for method in METHODS:
        session.cmd(f"break Instructions.Program.{method}")
    out = session.cmd("run")
    for i, method in enumerate(METHODS, 1):
        first = re.search("0x[0-9a-f]+", session.cmd("disassemble"))[0]
        session.cmd(f"break *{first}")
        session.cmd(f"delete {i}")
        out += session.cmd("continue")
    told = {line.partition(" ")[0]: arguments(line)
            for line in re.findall(r"^\w+ \(\w=.*\)", out, re.M)}
    banners = re.findall(r"^Breakpoint \d+, (.*) at ", out, re.M)
    # the last one is that of the second round
    t.check_equal(len(METHODS) + 1, len(banners))
    for banner in banners:
        check_arguments(t, told, banner, optimised)
    for method in METHODS:
        walk(t, session, told, method, optimised)
        session.cmd("continue")


def test_every_instruction_debug(t):
    every_instruction(t, "Debug", False)


def test_every_instruction_release(t):
    every_instruction(t, "Release", False)


def test_every_instruction_optimised(t):
    every_instruction(t, "Release", True)


