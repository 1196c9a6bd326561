"""Launches in a row, on busy cores; scripts/torture alone does more."""
import subprocess
import sys

import drive


def check_script(t, last_line, script, *words):
    """Run a script that prints what went wrong and ends with 0 if nothing did;
    its last line begins with last_line."""
    done = subprocess.run(
        [sys.executable, f"{drive.TOP}/scripts/{script}", "--dndbg", t.dndbg,
         *words], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        raise drive.Failure(f"{script} ended with {done.returncode}:\n"
                            f"{done.stdout[-8000:]}")
    t.check_in(last_line, done.stdout)


def test_launches(t):
    check_script(t, "24 launches, 0 went wrong", "torture", "--count", "24",
                 "--runtime", t.runtime)


def test_children(t):
    """Programs with children that end in all ways; scripts/torture-children
    alone does more."""
    check_script(t, "12 sessions, 0 went wrong", "torture-children", "--count",
                 "12", "--milliseconds", "600", "--slack", "8")


test_children.runtimes = ("10",)


def test_cores(t):
    """Cores that were cut short; scripts/torture-cores alone does more, and
    damages them."""
    check_script(t, "48 looks at damaged cores, 0 went wrong", "torture-cores",
                 "--pages", "16", "--cuts", "32", "--scribbles", "0",
                 "--bends", "0", "--runtime", t.runtime)
