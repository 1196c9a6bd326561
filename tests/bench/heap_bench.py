#!/usr/bin/env python3
"""Measure commands about the heap, and ClrMD on the same core: a table, and all
of it in heap.json. Times are those of whole commands, from start to end, of a
core that is in memory; memory is what a command has of its own.

    tests/bench/heap_bench.py [--dndbg ./dndbg] [--runtime 10] [--runs 3]
                              [--orders 2000000]
"""
import argparse
import glob
import json
import os
import re
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import drive
from medians import clock

LOOK = 0.005  # seconds between looks at a command's memory


def own_memory(pid):
    """MiB that a process has of its own; 0 once it has ended."""
    try:
        with open(f"/proc/{pid}/status") as file:
            found = re.search(r"RssAnon:\s+(\d+)", file.read())
    except OSError:
        return 0
    return int(found[1]) / 1024 if found else 0


def spent(test, *words):
    """What a command prints, its milliseconds and its most memory in MiB."""
    path = f"{test.dir}/out"
    with open(path, "w") as file:
        began = clock()
        process = subprocess.Popen(words, env=test.env, cwd=test.dir,
                                   stdout=file)
        most = 0
        while True:
            try:
                process.wait(LOOK)
                break
            except subprocess.TimeoutExpired:
                most = max(most, own_memory(process.pid))
        took = clock() - began
    if process.returncode:
        raise drive.Failure(f"{words} ended with {process.returncode}")
    with open(path) as file:
        return file.read(), took, most


def core_of(test, orders):
    """A core of Heap.cs with so many orders, of five objects each."""
    path = f"{test.dir}/heap.core"
    program = subprocess.Popen(
        test.program("Heap", "orders", str(orders), config="Release",
                     host="dotnet"),
        env=test.env, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        if program.stdout.readline() != "ready\n":
            raise drive.Failure("no heap of that size")
        spent(test, test.dndbg, "dump", "-o", path, str(program.pid))
    finally:
        program.communicate("")
    return path


def measure(test, core, runs):
    """Rows of the table, and how many objects and bytes there are."""
    def ask(*words):
        return json.loads(spent(test, test.dndbg, *words, "--json")[0])

    def median(*words):
        took = [spent(test, test.dndbg, *words)[1:] for _ in range(runs)]
        return [statistics.median(column) for column in zip(*took)]

    stat = ask("heap", "stat", core)
    target = ask("heap", "list", core, "--type", r"\.Line$",
                 "--top", "1")["objects"][0]["address"]
    dac, = glob.glob(f"{test.env['DOTNET_ROOT']}/shared/Microsoft.NETCore.App"
                     "/*/libmscordaccore.so")
    text, _, memory = spent(test, "dotnet",
                            f"{drive.CACHE}/fixtures/Agree/Agree.dll", core,
                            dac, "time", target)
    theirs = {name: int(took) for name, took
              in re.findall(r"(?m)^(\w+) (\d+) ms:", text)}
    rows = []
    for name, goal, words in (
            ("statistics", 150, ("heap", "stat", core)),
            ("references", 200, ("heap", "verify", core)),
            ("roots", 500, ("heap", "roots", core, target)),
            ("retained", 3000, ("heap", "stat", core, "--retained"))):
        took, mib = median(*words)
        rows.append({"name": name, "ms": took, "goal": goal, "MiB": mib,
                     "percent": mib * (100 << 20) / stat["bytes"],
                     "ClrMD": theirs.get(name)})
    return {"objects": stat["count"], "bytes": stat["bytes"],
            "ClrMD MiB": memory, "rows": rows}


def show(found):
    print(f"{found['objects']} objects, {found['bytes']} bytes; ClrMD took "
          f"{found['ClrMD MiB']:.0f} MiB")
    print(f"{'':12} {'ms':>7} {'goal':>6} {'ClrMD':>7} {'MiB':>7} "
          f"{'of the heap':>12}")
    for row in found["rows"]:
        print(f"{row['name']:12} {row['ms']:7.0f} {row['goal']:6} "
              f"{row['ClrMD'] or '-':>7} {row['MiB']:7.1f} "
              f"{row['percent']:10.1f} %")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dndbg", default="./dndbg")
    parser.add_argument("--runtime", default="10")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--orders", type=int, default=2000000)
    options = parser.parse_args()
    test = drive.Test("bench", options.dndbg, options.runtime)
    try:
        found = measure(test, core_of(test, options.orders), options.runs)
    finally:
        test.close()
    show(found)
    with open("heap.json", "w") as file:
        json.dump(found, file, indent=1)


if __name__ == "__main__":
    main()
