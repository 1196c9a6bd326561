"""Machine code and the methods it belongs to."""
import re

BRANCH = re.compile(r":\t(?:j\w+|call) .*<(.*?)(?:\+0x([0-9a-f]+))?>$", re.M)


def test_symbols_of_branches(t):
    """A branch into the thunks behind a module's precompiled code does not
    lead to its last method, least of all with an address for an offset."""
    done = t.batch(["break System.Console.WriteLine", "run",
                    "x/20000i $pc", "kill"], t.program("Hello"))
    found = BRANCH.findall(done.stdout)
    t.check(len(found) > 1000, f"{len(found)} branches have symbols")
    for name, offset in found:
        # The largest methods there are of some 10 KB.
        t.check("(" not in name or int(offset or "0", 16) < 1 << 16,
                f"<{name}+0x{offset}>")
        t.check(not name.endswith("(System.String)"),
                f"<{name}> is not as C# spells it")


def test_regex_without_symbols(t):
    """rbreak finds the user's methods without symbols, the framework's when
    it is anchored; what matches nothing is told of at the end."""
    done = t.batch([r"rbreak Program\.Add$", "rbreak NoSuchMethod",
                    r"rbreak ^System\.Console\.WriteLine\(string\)$", "run",
                    "bt 1", "continue", "bt 1", "delete 3", "continue"],
                   t.program("Hello", config="NoPdb"))
    t.check_match(r"^Breakpoint 1, 0x\w+ in Hello\.Program\.Add", done.stdout)
    t.check_match(r"^Breakpoint 3, 0x\w+ in System\.Console\.WriteLine",
                  done.stdout)
    t.check_match(r"^Breakpoint 2: no method matched 'NoSuchMethod'\.$",
                  done.stdout)
    t.check_not_in("Breakpoint 1: no", done.stdout)
    t.check_not_in("Breakpoint 3: no", done.stdout)
