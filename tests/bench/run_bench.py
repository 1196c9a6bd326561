#!/usr/bin/env python3
"""Measure what `dndbg run` costs: commands with it and without, in turn. Wall
time needs a quiet machine; processor time bears a busy one.

    tests/bench/run_bench.py [--dndbg ./dndbg] [--runs 3] [NAME...]

The minute's test run is tests/bench/Minute, which is built in $DNDBG_CACHE.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import drive

QUIET = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
ENV = {**os.environ, "MSBUILDDISABLENODEREUSE": "1", "DOTNET_NOLOGO": "1",
       "UseSharedCompilation": "false", "DOTNET_CLI_USE_MSBUILD_SERVER": "0"}
MAKEFILE = """all: $(shell seq -f out-%g 200)
out-%:
\t@echo 'int f(void) { return 0; }' | gcc -x c -c -o $@ -
"""


def spent(words, where):
    """Seconds of wall and of processor time of a command and its children."""
    began = time.perf_counter()
    process = subprocess.Popen(words, cwd=where, env=ENV, **QUIET)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"run_bench: {words} ended with {process.returncode}")
    return time.perf_counter() - began, usage.ru_utime + usage.ru_stime


def minute(where):
    if not os.path.isdir(f"{where}/bin"):
        subprocess.run(["dotnet", "build", "-v", "q"], cwd=where, env=ENV,
                       check=True, **QUIET)
    return ["dotnet", "test", "--no-build"]


def build(where):
    minute(where)
    return ["dotnet", "build", "--no-incremental", "--no-restore"]


def children(where):
    return ["sh", "-c", "for i in $(seq 1000); do /bin/true; done"]


def make(where):
    with open(f"{where}/Makefile", "w") as file:
        file.write(MAKEFILE)
    return ["make", "-B", "-j2"]


COMMANDS = (minute, build, children, make)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--dndbg", default="./dndbg")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("name", nargs="*",
                        choices=[[], *(one.__name__ for one in COMMANDS)])
    options = parser.parse_args()
    where = f"{drive.CACHE}/minute"
    shutil.copytree(f"{HERE}/Minute", where, dirs_exist_ok=True)
    prefix = [os.path.abspath(options.dndbg), "run", "--"]
    for command in COMMANDS:
        if options.name and command.__name__ not in options.name:
            continue
        words = command(where)
        pairs = [(spent(words, where), spent([*prefix, *words], where))
                 for _ in range(options.runs)]
        for i, kind in enumerate(("wall", "processor")):
            bare, under = (statistics.median(pair[k][i] for pair in pairs)
                           for k in (0, 1))
            print(f"{command.__name__ + ', ' + kind:24} {bare:8.2f} s bare "
                  f"{under:8.2f} s   {under / bare:.3f}", flush=True)


if __name__ == "__main__":
    main()
