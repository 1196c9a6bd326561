"""Attaching to programs that collect garbage, or whose threads wait in native
code, in signal handlers, in the kernel, or are gone."""
import os
import re
import signal
import subprocess

import drive
from halfway import word
from killing import LIBC, function_at
from survivor import Busy, batch

ATTACHES = 80
LOOKS = 5
INT3 = 0xcc


def test_collecting(t):
    """A program that is always in the middle of a collection: each of many
    attaches sees all stacks, and the values unless objects are on the move."""
    busy = Busy(t, "2", "1", "3").ready()
    look = [f"attach {busy.pid}", "thread apply all bt",
            "p Busy.Program.tallies._items[4].Name", "detach"]
    outs = batch(t, *look * ATTACHES).split("Attaching to process ")[1:]
    t.check_equal(ATTACHES, len(outs))
    moving = ("The garbage collector is moving objects: values may be wrong "
              "until the program has run on for a moment.\n")
    for out in outs:
        for times, method, args in ((3, "Collector", "state={Busy.Tally}"),
                                    (1, "Main", "args={string[3]}"),
                                    (2, "Wait", ""),
                                    (1, "Mother", "state={Busy.Tally}")):
            # without its address where a statement begins
            seen = re.findall(r"^#\d+ +(?:0x[0-9a-f]+ in )?Busy\.Program\."
                              rf"{method} \((.*)\) at ", out, re.M)
            t.check(len(seen) == times, out)
            t.check(moving in out or seen == [args] * times, out)
        t.check(moving in out or ' = "collect2"\n' in out, out)
        t.check_in("detached]\n", out)
    t.check(any(moving in out for out in outs), "never on the move")
    t.check(any(moving not in out for out in outs), "always on the move")
    busy.untouched()
    busy.right()


def test_collecting_commands(t):
    """Commands that look once let such a program go on until its heap can be
    read."""
    busy = Busy(t, "2", "1", "3").ready()
    pid = str(busy.pid)
    for _ in range(LOOKS):
        for words in (("heap", "stat", pid), ("doctor", pid),
                      ("heap", "stat", pid, "--snapshot"), ("stack", pid),
                      ("--batch", "-p", pid, "-ex", "heap stat"),
                      ("dump", "-o", f"{t.dir}/core", "--type", "heap", pid)):
            done = t.run(*words)
            t.check_equal((0, ""), (done.returncode, done.stderr))
            for said in ("garbage collector", "Not checked", "cannot be read",
                         "damaged"):
                t.check_not_in(said, done.stdout)
        # nor does the copy say so
        t.check_not_in("collector", t.run("heap", "stat",
                                          f"{t.dir}/core").stdout)
        os.unlink(f"{t.dir}/core")
    busy.untouched()
    busy.right()


# The system calls that the threads wait in.
WAITS = {"read": {0}, "nap": {35, 230}, "lock": {202}, "signal": {34}}


def call_of(pid, tid):
    """The system call that a thread is in, if any."""
    with open(f"/proc/{pid}/task/{tid}/syscall") as file:
        number = file.read().split()[0]
    return None if number == "running" else int(number)


def blocked(t, *words):
    """The program, whose threads are where they wait, and their ids by name."""
    program = Busy(t, words=t.program("Blocked", *words, host="dotnet")).ready()
    threads = threads_of(program.pid)
    for name, calls in WAITS.items():
        t.wait_for(f"the thread '{name}' to wait", lambda: call_of(
            program.pid, threads[name]) in calls)
    if "leader" in words:
        t.wait_for("the end of the first thread",
                   lambda: state(program.pid, program.pid) == "Z")
    return program, threads


def threads_of(pid):
    return {name: tid for tid, (name, _) in drive.tasks(pid).items()}


def state(pid, tid):
    with open(f"/proc/{pid}/task/{tid}/stat") as file:
        return file.read().rpartition(")")[2].split()[0]


def stack_of(t, text, name):
    """What `thread apply all bt` shows of the thread of that name."""
    return t.check_match(rf'^Thread \d+ \(Thread \d+ "{name}"\):\n'
                         r"((.+\n)*)", text).group(1)


def check_stacks(t, out, names):
    for name in names:
        where = t.at("Blocked", name).replace(".", r"\.") + "$"
        t.check_match(rf"Blocked\.Program\.\w+ .*at {where}",
                      stack_of(t, out, name))


PLACES = ("read", "nap", "lock", "signal")


def test_native(t):
    """Blocked in read, sleeping, waiting for a lock, inside a native handler
    of a signal and a managed one: shown, and not disturbed."""
    program, _ = blocked(t)
    out = batch(t, *[f"attach {program.pid}", "thread apply all bt",
                     "detach"] * 5)
    check_stacks(t, out, PLACES)
    t.check_match(r"^#\d+ .*Blocked\.Program\.Handler\.lambda .* at "
                  + t.at("Blocked", "handler") + "$", out)
    out = batch(t, f"attach {program.pid}", "b " + t.at("Blocked", "nap"),
                "continue", "next", "bt -native", "delete", "detach")
    t.check_match(r"^Breakpoint 1, Blocked\.Program\.Nap", out)
    program.untouched()
    program.right()


def test_native_handler(t):
    """The frames below a native handler: the signal's, and what it met."""
    program, _ = blocked(t)
    out = batch(t, f"attach {program.pid}", "set backtrace native on",
                "thread apply all bt", "detach")
    t.check_match(r"in pause \(\) from libc.so.6\n.*<signal handler called>.*\n"
                  r"(.*\n)*.*Blocked\.Program\.Signal", stack_of(t, out, "signal"))
    program.right()


test_native_handler.glibc = (
    "musl hides its functions and has no tables to unwind them")


def test_leader_gone(t):
    """The first thread has ended, the others have not."""
    program, _ = blocked(t, "leader")
    out = batch(t, *[f"attach {program.pid}", "thread apply all bt",
                     "b " + t.at("Blocked", "nap"), "continue", "delete",
                     "detach"] * 3)
    check_stacks(t, out, PLACES)
    t.check_equal(3, len(re.findall(r"^Breakpoint \d, Blocked\.Program\.Nap",
                                    out, re.M)))
    program.right()


def test_leader_gone_core(t):
    """A core of it has its memory, its command line and its auxiliary vector;
    what of it is resident is known.
    """
    program, _ = blocked(t, "leader")
    shown = t.run("memory", str(program.pid)).stdout
    t.check_match(r"^Total \d+ regions, \d+ bytes, [1-9]\d+ of them in memory",
                  shown)
    path = f"{t.dir}/core"
    t.run("dump", "--type", "heap", "-o", path, str(program.pid))
    out = batch(t, "core " + path, "thread apply all bt")
    check_stacks(t, out, PLACES)
    notes = subprocess.run(["readelf", "-n", path], capture_output=True,
                           text=True).stdout
    t.check_in("NT_AUXV", notes)
    words = " ".join(t.program("Blocked", "leader", host="dotnet"))
    with open(path, "rb") as file:
        t.check(words[:79].encode() in file.read(1 << 20), "no command line")
    program.right()


def test_leader_leaves(t):
    """It ends while it is debugged."""
    done = t.batch(["tb Program.Nap", "run leader </dev/null",
                    "tb Program.Release", "continue", "p wrong", "bt",
                    "continue"], t.program("Blocked"))
    t.check_match(r"^Temporary breakpoint 2, Blocked\.Program\.Release",
                  done.stdout)
    t.check_match(r"^#2 .* Blocked\.Program\.Main\.lambda \(\)", done.stdout)
    t.check_in("$1 = 0\n", done.stdout)
    t.check_in("\nright\n", done.stdout)
    t.check_in("exited normally]", done.stdout)


def children_of(pid, tid):
    with open(f"/proc/{pid}/task/{tid}/children") as file:
        return [int(child) for child in file.read().split()]


def spawning(t):
    """The program, a thread of which waits for a child of vfork."""
    t.env["TMPDIR"] = t.dir
    program, threads = blocked(t, "spawn")
    tid = threads["spawn"]
    t.wait_for("the vfork", lambda: state(program.pid, tid) == "D")
    return program, tid


def test_deaf(t):
    """A thread that the kernel cannot stop is no hindrance: its stack, a
    breakpoint in another, a pause; but it cannot be let go alone. Its child
    runs in the program's memory, and nobody traces it: no breakpoint in
    native code is in its way, nor is it attached to."""
    program, tid = spawning(t)
    child, = children_of(program.pid, tid)
    execve = function_at(program.pid, LIBC, "execve")
    s = t.start()
    t.check_in("has no memory of its own yet, but runs in that of process "
               f"{program.pid}, ", s.cmd(f"attach {child}"))
    s.cmd(f"attach {program.pid}")
    out = s.cmd("thread apply all bt")
    check_stacks(t, out, (*PLACES, "spawn"))
    s.cmd(f"b *{execve:#x}")
    s.cmd("tb " + t.at("Blocked", "nap"))
    t.check_match(r"^Temporary breakpoint 2, Blocked\.Program\.Nap",
                  s.cmd("continue"))
    s.line("continue")
    s.expect("^Continuing.")
    s.interrupt()
    s.expect(r"^\(dndbg\) ")
    t.check_in(f"Thread {tid} waits in the kernel, as for a child of vfork or "
               "a disk, and is let go when it comes back: detach again then, "
               "or quit.", s.cmd("detach"))
    path = f"{t.dir}/blocked-{program.pid}"
    os.close(os.open(path, os.O_RDWR))
    t.wait_for("the return", lambda: state(program.pid, tid) != "D")
    s.cmd("tb " + t.at("Blocked", "nap"))
    s.cmd("continue")
    t.check_equal(INT3, word(program.pid, execve) & 0xff)
    t.check_in("detached]", s.cmd("detach"))
    program.untouched()
    program.right()


def test_deaf_traced(t):
    """A trace that is over meanwhile lets the program go when it can."""
    program, tid = spawning(t)
    trace = subprocess.Popen([t.dndbg, "trace", "--seconds", "0.2",
                              str(program.pid), "Blocked.Program.Nap"],
                             env=t.env, stdout=subprocess.DEVNULL,
                             stderr=subprocess.PIPE, text=True)
    t.check_match(r"^Process \d+: 1 places of 1 traced", trace.stderr.readline())
    try:
        trace.wait(2)
    except subprocess.TimeoutExpired:
        pass  # it waits
    os.close(os.open(f"{t.dir}/blocked-{program.pid}", os.O_RDWR))
    t.check_equal(0, trace.wait(60))
    t.check_match(r"^\d+ calls in ", trace.stderr.read())
    program.await_cleaning()
    program.untouched()
    program.right()


def test_deaf_end(t):
    """However dndbg ends meanwhile, the thread goes on."""
    for end in ("quit", signal.SIGKILL):
        program, tid = spawning(t)
        s = t.start("-p", str(program.pid))
        s.cmd("b " + t.at("Blocked", "nap"))
        s.cmd("continue")
        if end == "quit":
            s.line("quit")
            s.expect("y or n")
            s.line("y")
        else:
            os.kill(s.pid, end)
        s.wait()
        program.await_cleaning()
        program.right()
