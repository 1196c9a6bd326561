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
