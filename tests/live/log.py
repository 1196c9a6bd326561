"""The log of the engine's own work."""
import os
import re


def test_log(t):
    """Modules, traps and stops; then those of one room only; then none."""
    path = os.path.join(t.dir, "log")
    some = os.path.join(t.dir, "some")
    done = t.run(
        "-q", "--batch", "--log", path, "-ex", "b Hit", "-ex", "run",
        "-ex", f"set log {some}:control", "-ex", "delete",
        "-ex", "set log", "-ex", f"set log {path}:nothing",
        "-ex", "continue", "--args", *t.program("HitLoop", "3"))
    with open(path) as file:
        text = file.read()
    stop = re.search(r"session: thread (\d+), trap at (0x[0-9a-f]+): stop, "
                     r"reason \d+, breakpoint 1", text)
    t.check(stop, f"the stop is not in:\n{text}")
    t.check_in("control: trap at " + stop[2] + " armed", text)
    t.check_match(r"code: module HitLoop\.dll at 0x[0-9a-f]+ loaded", text)
    with open(some) as file:
        lines = file.read().splitlines()
    t.check(any(line.endswith(f"trap at {stop[2]} lifted, kind 0x8")
                for line in lines), f"the trap is not lifted in: {lines}")
    t.check_equal([], [line for line in lines if " control: " not in line])
    t.check_in("No rooms 'nothing' to log: there are session, control, code "
               "and dac.", done.stderr)
