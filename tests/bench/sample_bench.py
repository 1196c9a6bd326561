#!/usr/bin/env python3
"""Measure what `dndbg sample` costs, and how true it is: a program of 4 busy
threads and 200 that sleep and wake does as much work a second of its processor
time as without (windows in turn, medians); what dndbg itself, `perf record` and,
if it is there, dotnet-trace need in the same run; how soon it looks and how soon
the result is there; the shares of methods that run for 60, 30 and 10 %.

    tests/bench/sample_bench.py [--dndbg ./dndbg] [--runtime 10] [--rounds 5]
"""
import argparse
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
import drive

TICK = os.sysconf("SC_CLK_TCK")


class Program:
    def __init__(self, args):
        env = drive.environment(args.runtime, "bench", "/tmp")
        self.env = env
        self.process = subprocess.Popen(
            ["dotnet", drive.program("Watched", "Release")[-1]], env=env,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.pid = self.process.pid
        self.process.stdout.readline()

    def do(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def processor(self):
        with open(f"/proc/{self.pid}/stat") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICK

    def work(self, seconds):
        """Turns of its loops a second of its processor time."""
        turns, used = int(self.do("turns")), self.processor()
        time.sleep(seconds)
        return (int(self.do("turns")) - turns) / (self.processor() - used)

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def start(words, program):
    return subprocess.Popen([*map(str, words)], env=program.env,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def looks(process, program):
    """Wait until it has the program's memory open."""
    while process.poll() is None:
        for file in os.scandir(f"/proc/{process.pid}/fd"):
            try:
                if os.readlink(file.path) == f"/proc/{program.pid}/mem":
                    return
            except OSError:
                continue
        time.sleep(0.001)


def end(process):
    process.send_signal(signal.SIGINT)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return usage


def cost(args, program, hertz):
    """Median of what the program does with the sampler to what it does
    without."""
    ratios = []
    for _ in range(args.rounds):
        without = program.work(args.window)
        words = [args.dndbg, "sample", "--rate", hertz, program.pid]
        process = start(words, program)
        looks(process, program)
        ratios.append(program.work(args.window) / without)
        end(process)
    return statistics.median(ratios)


def most_memory(pid):
    """What it had in memory at most, in MB; 0: it has ended. Of a child of ours
    wait4() tells what we have, if that is more."""
    with open(f"/proc/{pid}/status") as file:
        found = re.search(r"VmHWM:\s+(\d+)", file.read())
    return int(found[1]) / 1024 if found else 0


def tool(steps, program):
    """Processor time, memory in MB and seconds until the result, of a tool that
    looks for ten seconds and tells in its last step in which methods."""
    began = time.monotonic()
    memory = processor = 0
    for words in steps:
        process = start(words, program)
        usage = None
        while not usage:
            memory = max(memory, most_memory(process.pid))
            time.sleep(0.02)
            pid, status, used = os.wait4(process.pid, os.WNOHANG)
            usage = used if pid else None
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            return "failed"
        processor += usage.ru_utime + usage.ru_stime
    return (f"{processor:.3f} s, {memory:.1f} MB, "
            f"{time.monotonic() - began:.1f} s until the result")


def tools(args, program, folder):
    seconds = args.seconds
    data, trace = f"{folder}/perf.data", f"{folder}/trace.nettrace"
    perf = ["perf", "record", "-F", 99, "-g", "-o", data, "-p", program.pid,
            "--", "sleep", seconds]
    collect = ["dotnet-trace", "collect", "-p", program.pid, "--duration",
               f"00:00:{seconds:02d}", "-o", trace]
    yield "dndbg sample 99 Hz", [[args.dndbg, "sample", "--seconds", seconds,
                                  program.pid]]
    yield "dndbg sample 999 Hz", [[args.dndbg, "sample", "--rate", 999,
                                   "--seconds", seconds, program.pid]]
    if shutil.which("perf"):
        yield "perf record 99 Hz", [perf]
        yield "... and perf report", [perf, ["perf", "report", "--stdio", "-i",
                                             data]]
    if shutil.which("dotnet-trace"):
        yield "dotnet-trace collect", [collect]
        yield "... and report topN", [collect, ["dotnet-trace", "report", trace,
                                                "topN", "-n", 20]]


def times(args, program):
    """Milliseconds from its start until it looks, and from the end to the
    result."""
    first, last = [], []
    for _ in range(args.rounds):
        began = time.monotonic()
        process = start([args.dndbg, "sample", program.pid], program)
        looks(process, program)
        first.append(time.monotonic() - began)
        time.sleep(1)
        began = time.monotonic()
        end(process)
        last.append(time.monotonic() - began)
    return [statistics.median(one) * 1000 for one in (first, last)]


def truth(args):
    """The largest difference to 60, 30 and 10 %, in points."""
    program = Program(args)
    program.do("spin 300")
    process = subprocess.Popen(
        [args.dndbg, "sample", "--rate", "999", "--json", str(program.pid)],
        env=program.env, stdout=subprocess.PIPE, text=True)
    looks(process, program)
    program.do("spin 4000")
    process.send_signal(signal.SIGINT)
    got = json.loads(process.communicate()[0])
    shares = [sum(one["totalMs"] for one in got["methods"]
                  if one["method"].startswith(f"Watched.Program.{name}("))
              for name in ("SpinMost", "SpinLess", "SpinLeast")]
    program.end()
    return max(abs(100 * one / sum(shares) - real)
               for one, real in zip(shares, (60, 30, 10)))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dndbg", default="./dndbg")
    parser.add_argument("--runtime", default="10")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--window", type=float, default=2)
    parser.add_argument("--seconds", type=int, default=10)
    args = parser.parse_args()
    args.dndbg = os.path.abspath(args.dndbg)
    program = Program(args)
    program.do("load 200")
    program.work(2)  # its code is compiled again
    print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()}")
    for hertz in (99, 999):
        ratio = cost(args, program, hertz)
        print(f"the program's work at {hertz} Hz: {100 * ratio:.1f} %")
    with tempfile.TemporaryDirectory() as folder:
        for name, steps in tools(args, program, folder):
            print(f"{name}, {args.seconds} s: {tool(steps, program)}")
    first, last = times(args, program)
    print(f"start to first look {first:.0f} ms, end to result {last:.0f} ms")
    program.end()
    print(f"60/30/10 %: {truth(args):.2f} points off")


if __name__ == "__main__":
    main()
