#!/usr/bin/env python3
"""Measure GDB/MI as a front end sees it: medians, on a quiet machine. A time
ends when the last byte of the answer is here.

    tests/bench/mi_bench.py [--dndbg ./dndbg] [--runtime 10] [--runs 7]
"""
import os
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import drive
import medians
from medians import clock
import midrive


class Pipe:
    """The least of a client: waits for a line that begins so."""

    def __init__(self, test, *words):
        self.process = subprocess.Popen(
            [test.dndbg, "-i=mi", *words], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, env=test.env, cwd=test.dir, bufsize=0)
        self.fd = self.process.stdout.fileno()
        self.bytes = b""

    def line(self, begins):
        while True:
            at = self.bytes.find(b"\n" + begins)
            end = self.bytes.find(b"\n", at + 1) if at >= 0 else -1
            if end >= 0:
                line = self.bytes[at + 1:end]
                self.bytes = self.bytes[end:]
                return line
            data = os.read(self.fd, 1 << 20)
            if not data:
                raise drive.Failure("dndbg ended: " + self.bytes.decode())
            self.bytes += data

    def send(self, command):
        self.process.stdin.write(command.encode() + b"\n")

    def ask(self, command):
        """The results, and how long they took."""
        began = clock()
        self.send("7" + command)
        line = self.line(b"7^")
        took = clock() - began
        record = midrive.Record(line.decode())
        if record.name == "error":
            raise drive.Failure(line.decode())
        return record.results, took

    def go(self, command):
        began = clock()
        self.send(command)
        self.line(b"*stopped")
        return clock() - began

    def end(self):
        self.send("-gdb-exit")
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


def start(test, *words, place):
    c = Pipe(test, "--args", *words)
    c.bytes = b"\n" + c.bytes
    c.ask("-break-insert " + place)
    c.go("-exec-run")
    return c


def measure(test):
    result = {}
    began = clock()
    c = Pipe(test)
    c.line(b"(gdb)")
    result["start to (gdb)"] = clock() - began
    c.end()
    c = start(test, *test.program("HitLoop", "100000"),
              place=test.at("HitLoop", "main"))
    result["-exec-next to *stopped"] = statistics.median(
        c.go("-exec-next") for _ in range(30))
    for _ in range(100):
        c.ask("-var-create - * args.Length")
    times = []
    for _ in range(10):
        c.go("-exec-next")
        times.append(c.ask("-var-update *")[1])
    result["-var-update * of 100"] = statistics.median(times)
    c.end()
    c = start(test, *test.program("Deep", "1000"),
              place=test.at("Deep", "bottom"))
    times = []
    for _ in range(3):
        c.go("-exec-step-instruction")
        found, took = c.ask("-stack-list-frames")
        if len(found["stack"]) < 1000:
            raise drive.Failure("too few frames")
        times.append(took)
    result["-stack-list-frames of 1,000"] = statistics.median(times)
    c.end()
    c = start(test, *test.program("Many"), place=test.at("Many", "locals"))
    times = []
    for _ in range(5):
        c.go("-exec-next")
        found, took = c.ask("-stack-list-variables --all-values")
        if len(found["variables"]) < 200:
            raise drive.Failure("too few variables")
        times.append(took)
    result["-stack-list-variables of 200"] = statistics.median(times)
    c.end()
    return result


if __name__ == "__main__":
    medians.main(__doc__, (measure,), 7)
