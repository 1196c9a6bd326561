#!/usr/bin/env python3
"""Measure one-shot commands as a user waits for them, from start to end:
medians, on a quiet machine.

    tests/bench/dump_bench.py [--dndbg ./dndbg] [--runtime 10] [--runs 5]
"""
import json
import os
import signal
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import drive
import medians
from medians import clock
from survivor import Busy

THREADS = "200"


def spent(test, *words, **options):
    """Milliseconds of a command, and the most memory that it had in MiB."""
    began = clock()
    process = subprocess.Popen(words, env=test.env, cwd=test.dir,
                               stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, **options)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return (clock() - began, usage.ru_maxrss / 1024,
            process.returncode)


def running(test):
    """All stacks of a program that runs, and of its core."""
    busy = Busy(test, THREADS, "4").ready()
    core = f"{test.dir}/core"
    result = {"stack of 200 threads": spent(
        test, test.dndbg, "stack", str(busy.pid))[0]}
    spent(test, test.dndbg, "dump", "-o", core, str(busy.pid))
    took, memory, _ = spent(test, test.dndbg, "stack", core)
    result["stack of its full core"] = took
    result["... its memory, MiB"] = memory
    result["size of that core, MB"] = os.stat(core).st_size / 1e6
    busy.right()
    return result


def crash(test):
    """From the fatal signal of a program of 200 threads to its end."""
    report = f"{test.dir}/report"
    process = subprocess.Popen(
        [test.dndbg, "run", "--report", report, "--",
         *test.program("Busy", THREADS, "4", host="dotnet")], env=test.env,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    process.stdout.readline()
    pid, = test.processes("dotnet")
    began = clock()
    os.kill(pid, signal.SIGXCPU)  # the runtime does not handle it
    process.wait()
    took = clock() - began
    process.stdin.close()
    process.stdout.close()
    with open(report) as file:
        text = file.read()
    if not text.startswith("Ended by SIGXCPU") or "more" not in text:
        raise drive.Failure("no report of the threads:\n" + text[:2000])
    return {"crash of 200 threads to its end": took}


def overflow(test):
    """The stack of an overflow, folded, from its core: of 58,000 frames."""
    core = f"{test.dir}/overflow"
    spent(test, test.dndbg, "--batch", "-ex", "catch unhandled", "-ex", "run",
          "-ex", f"gcore --heap {core}", "--args",
          *test.program("Throws", "unhandled-stack"))
    took = spent(test, test.dndbg, "stack", core)[0]
    found = json.loads(test.run("stack", "--json", core).stdout)
    times = max(frame.get("times", 1) for thread in found["threads"]
                for frame in thread["frames"])
    return {"58,000 frames of an overflow": took * 58000 / times}


def around(test):
    """A program of some seconds under `dndbg run` and without."""
    words = test.program("GcHeavy", host="dotnet")
    bare = spent(test, *words)[0]
    under = spent(test, test.dndbg, "run", "--", *words)[0]
    return {"run, of bare": under / bare, "... bare": bare}


if __name__ == "__main__":
    medians.main(__doc__, (running, crash, overflow, around), 5)
