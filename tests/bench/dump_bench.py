#!/usr/bin/env python3
"""Measure one-shot commands as a user waits for them, from start to end:
medians, on a quiet machine.

    tests/bench/dump_bench.py [--dndbg ./dndbg] [--runtime 10] [--runs 5]
"""
import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import drive
from survivor import Busy

THREADS = "200"


def spent(test, *words, **options):
    """Milliseconds of a command, and the most memory that it had in MiB."""
    began = time.perf_counter()
    process = subprocess.Popen(words, env=test.env, cwd=test.dir,
                               stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, **options)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return ((time.perf_counter() - began) * 1000, usage.ru_maxrss / 1024,
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
    began = time.perf_counter()
    os.kill(pid, signal.SIGXCPU)  # the runtime does not handle it
    process.wait()
    took = (time.perf_counter() - began) * 1000
    process.stdin.close()
    process.stdout.close()
    with open(report) as file:
        text = file.read()
    if not text.startswith("Ended by SIGXCPU") or "more" not in text:
        raise drive.Failure("no report of the threads:\n" + text[:2000])
    return {"crash of 200 threads, to its end": took}


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


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dndbg", default="./dndbg")
    parser.add_argument("--runtime", default="10")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    results = []
    for _ in range(options.runs):
        test = drive.Test("bench", options.dndbg, options.runtime)
        try:
            results.append({name: value
                            for part in (running, crash, overflow, around)
                            for name, value in part(test).items()})
        finally:
            test.close()
    for name in results[0]:
        print(f"{name:34} "
              f"{statistics.median(r[name] for r in results):10.2f}")


if __name__ == "__main__":
    main()
