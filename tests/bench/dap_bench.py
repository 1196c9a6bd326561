#!/usr/bin/env python3
"""Measure the debug adapter over stdio, as an editor sees it: medians beside
the bare program, on a quiet machine. A time ends when the last byte of the
answer is here; what came is read, and checked, after that.

    tests/bench/dap_bench.py [--dndbg ./dndbg] [--runtime 10] [--runs 7]
        [--only GROUP]
"""
import json
import os
import select
import statistics
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import drive
import medians
from medians import clock

READ = 1 << 20
HEAD = 160  # what a message is, stands in its first bytes
QUIET = 0.003  # seconds for the adapter to come to rest between two measures


class Pipe:
    """The least of a client: finds what it waits for by its first bytes."""

    def __init__(self, test):
        self.process = subprocess.Popen(
            [test.dndbg, "--interpreter=dap"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, env=test.env, cwd=test.dir, bufsize=0)
        self.fd = self.process.stdout.fileno()
        self.bytes = bytearray()
        self.at = 0
        self.seq = 0
        self.thread = 0

    def make(self, command, **arguments):
        self.seq += 1
        body = json.dumps({"seq": self.seq, "type": "request",
                           "command": command, "arguments": arguments})
        return self.seq, (b"Content-Length: %d\r\n\r\n%s"
                          % (len(body), body.encode()))

    def write(self, data):
        view = memoryview(data)
        while view:
            view = view[self.process.stdin.write(view):]

    def send(self, command, **arguments):
        seq, data = self.make(command, **arguments)
        self.write(data)
        return seq

    def fill(self):
        data = os.read(self.fd, READ)
        if not data:
            raise EOFError
        self.bytes += data

    def read(self):
        """The body of the next message, unread."""
        while True:
            end = self.bytes.find(b"\r\n\r\n", self.at)
            if end >= 0:
                break
            self.fill()
        begin = end + 4
        after = begin + int(self.bytes[self.at + 16:end])
        while len(self.bytes) < after:
            self.fill()
        body = bytes(self.bytes[begin:after])
        self.at = after
        if self.at == len(self.bytes):
            self.bytes.clear()
            self.at = 0
        return body

    def until(self, sign):
        """The first message with @sign in its head."""
        while True:
            body = self.read()
            if sign in body[:HEAD]:
                return body

    def reply(self, seq):
        return self.until(b'"request_seq":%d,' % seq)

    def timed(self, command, **arguments):
        """Milliseconds from the request to the whole of its answer, and that
        as a body."""
        seq, data = self.make(command, **arguments)
        began = clock()
        self.write(data)
        reply = self.reply(seq)
        took = clock() - began
        return took, good(reply)

    def ask(self, command, **arguments):
        return self.timed(command, **arguments)[1]

    def event(self, name):
        return json.loads(self.until(b'"event":"%s"' % name.encode()))["body"]

    def launch(self, test, words, breaks, **options):
        self.ask("initialize", adapterID="bench")
        self.send("launch", program=words[0], args=words[1:], **options)
        for fixture, lines in breaks.items():
            self.ask("setBreakpoints", source={"path": test.source(fixture)},
                     breakpoints=[{"line": line} for line in lines])
        self.send("configurationDone")

    def stopped(self):
        self.thread = self.event("stopped")["threadId"]

    def go(self, command):
        """Milliseconds from a request to run on to the stop."""
        began = clock()
        self.send(command, threadId=self.thread)
        self.stopped()
        return clock() - began

    def rest(self):
        """What comes unasked is read away, until nothing comes."""
        while select.select([self.fd], [], [], QUIET)[0]:
            self.fill()

    def top(self):
        return self.ask("stackTrace", threadId=self.thread,
                        levels=1)["stackFrames"][0]["id"]

    def local(self, name):
        """What stands for a local variable's children."""
        for scope in self.ask("scopes", frameId=self.top())["scopes"]:
            if scope["name"] != "Locals":
                continue
            ref = scope["variablesReference"]
            for v in self.ask("variables", variablesReference=ref)["variables"]:
                if v["name"] == name:
                    return v["variablesReference"]
        raise drive.Failure(f"there is no '{name}'")

    def end(self):
        self.ask("disconnect", terminateDebuggee=True)
        self.close()

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()


def good(reply):
    message = json.loads(reply)
    if not message["success"]:
        raise drive.Failure(message["message"])
    return message.get("body", {})


def demand(wanted, got):
    if wanted != got:
        raise drive.Failure(f"{got} instead of {wanted}")


def bare(test, words):
    began = clock()
    subprocess.run(["dotnet", *words], env=test.env, stdout=subprocess.DEVNULL)
    return clock() - began


def start(test):
    """By turns with the bare program, which the machine treats alike."""
    words = test.program("Hello")
    result = {"bare run": bare(test, words)}
    ways = {"launch to stopped in Main": ({"Hello": [
                test.line("Hello", "first")]}, {}),
            "launch to stopped at entry": ({}, {"stopAtEntry": True})}
    for name, (breaks, options) in ways.items():
        began = clock()
        c = Pipe(test)
        c.launch(test, words, breaks, **options)
        c.stopped()
        result[name] = clock() - began
        c.end()
    return result


def private_mb(pid):
    with open(f"/proc/{pid}/smaps_rollup") as file:
        return sum(int(line.split()[1]) for line in file
                   if line.startswith("Private")) / 1024


def steps(test):
    c = Pipe(test)
    c.launch(test, test.program("HitLoop", "100000"),
             {"HitLoop": [test.line("HitLoop", "main")]})
    c.stopped()
    nexts, looks = [], []
    for _ in range(30):
        took = c.go("next")
        nexts.append(took)
        began = clock()
        for scope in c.ask("scopes", frameId=c.ask(
                "stackTrace", threadId=c.thread,
                levels=20)["stackFrames"][0]["id"])["scopes"][:2]:
            c.ask("variables", variablesReference=scope["variablesReference"])
        looks.append(took + clock() - began)
    memory = private_mb(c.process.pid)
    c.end()
    return {"next to stopped": statistics.median(nexts),
            "with stack, scopes, variables": statistics.median(looks),
            "private memory, MB": memory}


def stack(test):
    c = Pipe(test)
    c.launch(test, test.program("Deep", "1000"),
             {"Deep": [test.line("Deep", "bottom")]})
    c.stopped()
    result = {}
    for when in ("first", "again"):
        top, body = c.timed("stackTrace", threadId=c.thread, startFrame=0,
                            levels=20)
        demand(20, len(body["stackFrames"]))
        # every frame anew: what was walked went with the stop
        c.go("next")
        whole, body = c.timed("stackTrace", threadId=c.thread)
        demand(True, len(body["stackFrames"]) > 1000)
        c.go("next")
        result[f"top 20 of 1,000 frames, {when}"] = top
        result[f"1,000 frames, {when}"] = whole
    c.end()
    return result


def values(test):
    c = Pipe(test)
    c.launch(test, test.program("Many"),
             {"Many": [test.line("Many", "values")]})
    c.stopped()
    samples = {}
    for _ in range(5):
        for name, count in (("numbers", 1000), ("texts", 1000), ("wide", 50)):
            ref = c.local(name)
            took, body = c.timed("variables", variablesReference=ref)
            demand(count, len(body["variables"]))
            samples.setdefault(name, []).append(took)
        c.go("next")
    c.end()
    words = {"numbers": "array of 1,000 numbers",
             "texts": "array of 1,000 strings", "wide": "object of 50 fields"}
    return {f"{words[name]}, {when}": pick(took)
            for name, took in samples.items()
            for when, pick in (("first", lambda took: took[0]),
                               ("again", statistics.median))}


def breaks(test):
    lines = [test.line("Many", f"m{i:04}") for i in range(1000)]
    c = Pipe(test)
    c.launch(test, test.program("Many"), {"Many": [test.line("Many", "main")]})
    c.stopped()
    c.rest()
    result = {}
    every = {"source": {"path": test.source("Many")},
             "breakpoints": [{"line": line} for line in lines]}
    for name in ("1,000 breakpoints in one file", "the same, asked for again"):
        took, body = c.timed("setBreakpoints", **every)
        demand(1000, sum(b["verified"] for b in body["breakpoints"]))
        result[name] = took
    c.end()
    return result


class Busy:
    """A program of 200 threads at rest."""

    def __init__(self, test):
        self.process = subprocess.Popen(
            test.program("Busy", "197", "0", host="dotnet"),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=test.env)
        self.process.stdout.readline()

    def end(self):
        out, _ = self.process.communicate()
        demand(b"right\n", out)


def attach(test):
    busy = Busy(test)
    samples = {}
    for running in (False, True) * 2:
        c = Pipe(test)
        c.ask("initialize", adapterID="bench")
        began = clock()
        c.send("attach", processId=busy.process.pid)
        c.event("initialized")
        c.send("configurationDone")
        c.event("process")
        threads = c.ask("threads")["threads"]
        listed = clock() - began
        demand(True, len(threads) >= 198)
        c.thread = threads[0]["id"]
        c.rest()
        pauses = []
        for _ in range(10):
            pauses.append(c.go("pause"))
            if running or len(pauses) < 10:
                c.ask("continue", threadId=c.thread)
            c.rest()
        detached, _ = c.timed("disconnect")
        c.close()
        for name, took in (
                ("attach, 200 threads listed", listed),
                ("pause to stopped", statistics.median(pauses)),
                ("detach while it runs" if running else "detach", detached)):
            samples.setdefault(name, []).append(took)
    busy.end()
    return {name: statistics.median(took) for name, took in samples.items()}


def output(test):
    words = test.program("Output", "100")
    alone = bare(test, words)
    c = Pipe(test)
    began = clock()
    c.launch(test, words, {})
    bodies = []
    while True:
        body = c.read()
        if b'"event":"output"' in body[:HEAD]:
            bodies.append(body)
        elif b'"event":"terminated"' in body[:HEAD]:
            break
    took = clock() - began
    c.end()
    total = sum(len(json.loads(body)["body"]["output"]) for body in bodies)
    demand(True, total > 100 << 20)
    return {"bare run of 100 MB": alone, "output, MB/s": total / took / 1e3}


if __name__ == "__main__":
    medians.main(__doc__, (start, steps, stack, values, breaks, attach, output),
                 7)
