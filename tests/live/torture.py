"""Launches in a row, on busy cores; scripts/torture alone does more."""
import subprocess
import sys

import drive


def test_launches(t):
    done = subprocess.run(
        [sys.executable, f"{drive.TOP}/scripts/torture", "--count", "24",
         "--dndbg", t.dndbg, "--runtime", t.runtime], text=True,
        capture_output=True)
    t.check_equal(0, done.returncode if not done.stderr else done.stderr)
    t.check_in("24 launches, 0 went wrong", done.stdout)


def test_children(t):
    """Programs with children that end in all ways; scripts/torture-children
    alone does more."""
    done = subprocess.run(
        [sys.executable, f"{drive.TOP}/scripts/torture-children", "--count",
         "12", "--milliseconds", "600", "--slack", "8", "--dndbg", t.dndbg],
        text=True, capture_output=True)
    t.check_equal(0, done.returncode if not done.stderr else done.stderr)
    t.check_in("12 sessions, 0 went wrong", done.stdout)


test_children.runtimes = ("10",)


def test_cores(t):
    """Cores that were cut short; scripts/torture-cores alone does more, and
    damages them."""
    done = subprocess.run(
        [sys.executable, f"{drive.TOP}/scripts/torture-cores", "--pages", "16",
         "--cuts", "32", "--scribbles", "0", "--bends", "0", "--dndbg",
         t.dndbg, "--runtime", t.runtime], text=True, capture_output=True)
    t.check_equal(0, done.returncode if not done.stderr else done.stderr)
    t.check_in("48 looks at damaged cores, 0 went wrong", done.stdout)
