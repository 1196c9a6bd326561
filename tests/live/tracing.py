"""Code of a running program by name for perf, and calls of its methods."""
import json
import os
import re
import shutil
import signal
import struct
import subprocess

import drive
from watched import Watched, Watching, shape, shown


def mapped(path):
    """The ranges of a map for perf, by name."""
    names = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            start, size, name = line.rstrip("\n").split(" ", 2)
            names.setdefault(name, []).append((int(start, 16), int(size, 16)))
    return names


def test_perfmap(t):
    """All versions of a method, precompiled code and stubs; addresses in the
    text of perf script have the names that the prompt tells."""
    program = Watched(t)
    program.do("spin 500")
    file = f"{t.dir}/map"
    out = t.run("perfmap", "--output", file, str(program.pid)).stdout
    t.check_match(rf"^Process {program.pid}: \d+ methods of the JIT, \d+ compiled"
                  r" ahead of time, \d+ heaps of stubs in ", out)
    names = mapped(file)
    leaf = {name for name in names if name.startswith("Watched.Program.Leaf(int)")}
    t.check(len(leaf) > 1 and any("tier 1" in name for name in leaf), leaf)
    t.check(sum(name.endswith(" [ReadyToRun]") for name in names) > 1000, names)
    t.check_in("[stub of the runtime: FixupPrecodeHeap]", set(names))
    ranges = sorted(one for some in names.values() for one in some)
    t.check_equal([], [one for one, after in zip(ranges, ranges[1:])
                       if one[0] + one[1] > after[0]])
    # Of each kind some, asked for at the prompt.
    some = [(name, names[name][0][0]) for name in
            (sorted(leaf)[0], sorted(leaf)[-1], "System.IO.File.ReadAllText("
             "string) [ReadyToRun]")]
    asked = [word for _, addr in some for word in ("-ex", f"info symbol 0x{addr:x}")]
    told = t.run("--batch", "-p", str(program.pid), *asked).stdout
    for name, _ in some:
        t.check_in(name.split(" [")[0], told)
    text = f"dotnet {program.pid} 1.000000: 1 cpu-clock: \n"
    text += "".join(f"\t{addr + 1:16x} [unknown] (/memfd:none)\n"
                    for _, addr in some)
    other = text.replace(f"dotnet {program.pid} ", f"a b 1 {os.getpid()} ")
    want = text
    for name, addr in some:
        want = want.replace(f"{addr + 1:16x} [unknown]", f"{addr + 1:16x} {name}")
    for words in ([str(program.pid)], ["--map", file, str(program.pid)]):
        done = t.run("perf-script", *words, stdin=text + other)
        t.check_equal((want + other, ""), (done.stdout, done.stderr))
    program.end()


def test_perf(t):
    """What perf itself has recorded, in whose text code of the JIT is a place
    in a file; with the program, and with its map alone when it has ended."""
    perf = shutil.which("perf")
    program = Watched(t)
    program.do("spin 300")
    data, file = f"{t.dir}/perf.data", f"{t.dir}/map"
    if not perf:
        raise drive.Skip("no perf")
    with subprocess.Popen([perf, "record", "-q", "-F", "999", "-g", "-o", data,
                           "-e", "cpu-clock", "-p", str(program.pid)],
                          stderr=subprocess.PIPE) as recorder:
        t.wait_for("perf", lambda: os.path.exists(data))
        program.do("spin 1000")
        recorder.send_signal(signal.SIGINT)
        recorder.communicate()

    def script(*words):
        return subprocess.run([perf, "script", "-i", data, *words], text=True,
                              capture_output=True, check=True).stdout

    text = script()
    t.run("perfmap", "--output", file, str(program.pid))
    named = t.run("perf-script", str(program.pid), stdin=text).stdout
    program.end()
    t.check("SpinMost" not in text, "perf knows it")
    stacks = re.findall(r"Watched\.Program\.SpinMost\(\)", named)
    t.check(len(stacks) > 20, named[:4000])
    again = t.run("perf-script", "--map", file,
                  stdin=script("--show-mmap-events")).stdout
    t.check_equal(len(stacks),
                  len(re.findall(r"Watched\.Program\.SpinMost\(\)", again)))


def jitdump(path):
    """Names and code of the records of a jitdump, by its specification."""
    with open(path, "rb") as file:
        data = file.read()
    magic, version, size, _, _, pid, _, _ = struct.unpack_from("=IIIIIIQQ", data)
    assert (magic, version) == (0x4a695444, 1), (magic, version)
    loads, at = {}, size
    while at + 16 <= len(data):
        kind, n, _ = struct.unpack_from("=IIQ", data, at)
        if kind == 0:
            _, _, _, addr, code, _ = struct.unpack_from("=IIQQQQ", data, at + 16)
            name = data[at + 56:data.index(0, at + 56)].decode()
            loads[name] = (addr, code)
        at += n
    return pid, loads


def test_jitdump(t):
    """The runtime writes what its JIT has compiled, and no more afterwards,
    however dndbg ends."""
    program = Watched(t)
    program.do("spin 300")
    file = f"/tmp/jit-{program.pid}.dump"
    watching = Watching(t, program, "perfmap", "--jitdump")
    program.do("order 1")
    t.check_match(rf"^Process {program.pid} writes .*/jit-\d+\.dump until ",
                  watching.interrupt())
    pid, loads = jitdump(file)
    t.check_equal(program.pid, pid)
    for name in ("SpinMost", "Order"):
        t.check(any(re.search(rf"Program::{name}\(", one) for one in loads), loads)
    os.unlink(file)
    watching = Watching(t, program, "perfmap", "--jitdump")
    watching.process.kill()
    watching.end(-signal.SIGKILL)
    t.wait_for("the guardian", lambda: not t.processes("dndbg-guardian"))
    size = os.path.getsize(file)
    program.do("contend 1")
    t.check_equal(size, os.path.getsize(file))
    os.unlink(file)
    program.end()


class Tracing(Watching):
    """dndbg trace, whose breakpoints are set."""

    def __init__(self, t, program, *words, methods=()):
        self.t = t
        self.process = subprocess.Popen(
            [t.dndbg, "trace", *words, str(program.pid), *methods], env=t.env,
            text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True)
        t.check_match(r"^Process \d+: \d+ places of \d+ traced; Ctrl-C ends it$",
                      self.process.stderr.readline().rstrip("\n"))


def test_trace(t):
    """Arguments, results, exceptions and nesting are the program's; the program
    goes on as if nobody had looked, whoever ends how."""
    program = Watched(t)
    program.do("order 1")
    program.do("throw 1")
    program.do("spin 1")
    tracing = Tracing(t, program, methods=[
        "Watched.Program.Order", "Watched.Program.Throw",
        "Watched.Program.ThrowOrder"])
    t.check_equal("5 10", program.do("order 5"))
    t.check_equal("4", program.do("throw 2"))
    out, err = (tracing.process.send_signal(signal.SIGINT), tracing.end())[1]
    t.check_equal(shape(shown("trace")), shape(out))
    t.check_match(r"^4 calls in [\d.]+ s\n$", err)
    tracing = Tracing(t, program, "--json", "--limit", "5",
                      methods=["/Watched.Program.Spin[ML]/"])
    t.check_equal("spun", program.do("spin 200"))
    out, err = (tracing.process.send_signal(signal.SIGINT), tracing.end())[1]
    calls = [json.loads(line) for line in out.splitlines()]
    results = {(one["method"], one["result"]) for one in calls}
    t.check(results and results <= {("Watched.Program.SpinMost", "30001"),
                                    ("Watched.Program.SpinLess", "15002"),
                                    ("Watched.Program.SpinLeast", "5003")},
            results)
    t.check_match(r"; the limit of 5 a second was reached \d+ times", err)
    for number in (signal.SIGKILL, signal.SIGTERM):
        tracing = Tracing(t, program, methods=["Watched.Program.Order"])
        tracing.process.send_signal(number)
        tracing.end(0 if number == signal.SIGTERM else -number)
        t.check_equal("7 14", program.do("order 7"))
        t.wait_for("the end of ours", lambda: drive.state(program.pid) == "S")
    t.check_equal(2, t.run("trace", str(program.pid)).returncode)
    program.end()
