"""Debuggers that are killed before a given one of their calls, and what they
leave in the program: see kill/killpoint.c and fixtures/Ticks.cs."""
import ctypes
import functools
import os
import re
import select
import signal
import subprocess
import sys
import time

import drive
from halfway import (CONT, DEBUGREG, DETACH, INTERRUPT, POKEUSER, SEIZE,
                     mapping, ptrace)
from survivor import Busy

PEEKUSER, GETSIGINFO = 3, 0x4202
TRAP_HWBKPT = 4
WALL = 0x40000000
# Threads of Ticks; the first are there if none are named.
KINDS = ("hit", "asks", "throws", "awaits", "collects", "births", "signals",
         "spawns", "children", "forks")
N_ALWAYS = 6
SHIM = os.path.join(drive.TOP, "tests", "kill", "killpoint.c")


def shim(directory):
    """The library that kills dndbg, made there; its path."""
    path = os.path.join(directory, "killpoint.so")
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-Wall", "-o", path,
                    SHIM, "-ldl"], check=True)
    return path


def preloaded(t, **settings):
    """dndbg's environment, to be killed or slowed as the settings say."""
    path = os.path.join(t.dir, "killpoint.so")
    if not os.path.exists(path):
        shim(t.dir)
    options = t.env.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
    return {**t.env, "LD_PRELOAD": path, "ASAN_OPTIONS": options,
            **{name: str(value) for name, value in settings.items()}}


def kill_running(t, ticks, **settings):
    """Attach, let the program run, and kill dndbg."""
    s = t.start("-p", str(ticks.pid), env=preloaded(t, **settings))
    s.line("continue")
    s.expect(r"^Continuing\.\n")
    ticks.moves()
    os.kill(s.pid, signal.SIGKILL)
    s.wait()
    return s


@functools.cache
def exported(path):
    """What nm says of a library."""
    return subprocess.run(["nm", "-D", path], check=True, text=True,
                          capture_output=True).stdout


LIBC = r"(?:libc\.so(?:\.6)?|ld-musl-.*)"


def function_at(pid, image, name):
    """The address of a function that an image of the process exports."""
    found = mapping(pid, image)
    offset = re.search(rf"^(\w+) . {name}(?:@.*)?$", exported(found[2]),
                       re.M)[1]
    return int(found[1], 16) + int(offset, 16)


def stop(tid):
    """Take over one thread, stopped; it gets the signals that come meanwhile."""
    ptrace(SEIZE, tid)
    ptrace(INTERRUPT, tid)
    await_event(tid)


def await_event(tid):
    while stopped(tid, True) != "event":
        pass


def looked_at(pid):
    """Each thread of a process, stopped by us for a moment; all at once, since
    each takes its time to stop."""
    tids = []
    for task in os.listdir(f"/proc/{pid}/task"):
        try:
            ptrace(SEIZE, int(task))
            tids.append(int(task))
            ptrace(INTERRUPT, int(task))
        except OSError:
            continue
    for tid in tids:
        try:
            await_event(tid)
            yield tid
            ptrace(DETACH, tid)
        except OSError:
            continue


def debug_registers(pid):
    """The threads of which one is in use: tid -> DR7."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long] * 4
    libc.ptrace.restype = ctypes.c_long
    word = ctypes.c_uint64()
    found = {}
    for tid in looked_at(pid):
        # the library's, which returns the word; -1 is no value of DR7
        word.value = libc.ptrace(PEEKUSER, tid, DEBUGREG + 8 * 7, 0)
        if word.value & 0xff:
            found[tid] = hex(word.value)
    return found


def by_debug_register(tid):
    """Is that why it has stopped by SIGTRAP?"""
    info = ctypes.create_string_buffer(128)  # siginfo_t
    ptrace(GETSIGINFO, tid, 0, ctypes.addressof(info))
    return int.from_bytes(info[8:12], "little") == TRAP_HWBKPT


def stopped(tid, block):
    """Has it stopped, and if so: "event", "hit", or "signal"? It goes on with
    that but for an event that is waited for."""
    got, status = os.waitpid(tid, WALL | (0 if block else os.WNOHANG))
    if not got:
        return None
    event, sig = status >> 16, os.WSTOPSIG(status)
    hit = (not event and sig == signal.SIGTRAP and by_debug_register(tid))
    if block and not event:
        ptrace(INTERRUPT, tid)  # the stop has taken the one before
    if not (event and block):
        ptrace(CONT, tid, 0, 0 if event or hit else sig)
    return "event" if event else "hit" if hit else "signal"


def executed(pid, tid, addr, more):
    """How often a thread executes the instruction there, as long as there is
    more to come; by a debug register. Whoever waits for the process has to let
    its threads go on, by what @more is given. The process sees a debugger
    meanwhile, as it does by its first thread: its runtime tells nobody what it
    has to tell."""
    count = 0

    def go_on():
        nonlocal count
        count += stopped(tid, False) == "hit"
        # a runtime that suspends its threads sends a real-time signal again
        # and again: each is queued, and none may wait for the next look
        while stopped(pid, False):
            pass

    stop(tid)
    ptrace(POKEUSER, tid, DEBUGREG, addr)
    ptrace(POKEUSER, tid, DEBUGREG + 8 * 7, 1)
    ptrace(CONT, tid)
    ptrace(SEIZE, pid)
    while more(go_on):
        go_on()
    for one in tid, pid:
        ptrace(INTERRUPT, one)
        await_event(one)
    ptrace(POKEUSER, tid, DEBUGREG + 8 * 7, 0)
    ptrace(DETACH, tid)
    ptrace(DETACH, pid)
    return count


class Ticks(Busy):
    """A program whose threads check their own answers; see Ticks.cs."""

    def __init__(self, t, *args, **options):
        words = t.program("Ticks", *map(str, args), host="dotnet")
        self.kinds = ([kind for kind in KINDS if kind in args] or
                      KINDS[:N_ALWAYS])
        super().__init__(t, words=words, **options)

    def ask(self, meanwhile=None):
        """How many turns each thread has made; none may be wrong."""
        out = self.process.stdout  # which has one line for each question
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        while meanwhile and not select.select([out], [], [], 0.001)[0]:
            meanwhile()
        line = out.readline()
        found = re.fullmatch(r"([\d ]+) wrong (\d+)(.*)\n", line)
        if not found:
            raise drive.Failure(f"it says {line!r}, ended by "
                                f"{self.process.poll()}")
        if int(found[2]):
            raise drive.Failure(f"{found[2]} answers were wrong, the last "
                                f"of{found[3]}")
        return [int(turns) for turns in found[1].split()]

    def moves(self, timeout=20):
        """Each of its threads goes on."""
        before = self.ask()
        deadline = time.monotonic() + timeout * drive.TIME
        while not all(now > old for now, old in zip(self.ask(), before)):
            if time.monotonic() > deadline:
                raise drive.Failure(f"a thread stands still: {before}")
            time.sleep(0.005)

    def left(self):
        """What there is of a debugger in it."""
        tracer = drive.tracer_of(self.pid)
        return ([f"traced by {tracer}"] * bool(tracer) + self.ours() +
                [f"DR7 of {tid}: {value}" for tid, value in
                 (debug_registers(self.pid) if not tracer else {}).items()])

    def cleaned(self):
        """The cleanup process has taken everything out; it goes on."""
        try:
            self.await_cleaning()
        except drive.Failure as e:
            raise drive.Failure(f"{e}: {self.left()}, by "
                                f"{self.t.processes('dndbg-cleanup')}")
        self.t.check_equal([], self.left())
        self.moves()

    def throws(self, turns=20):
        """How often it throws in C++ for each exception of its own."""
        at = self.kinds.index("throws")
        tid, = [tid for tid, (name, _) in drive.tasks(self.pid).items()
                if name == "throws"]
        throw = function_at(self.pid, r"libstdc\+\+\.so\.6.*", "__cxa_throw")
        first = []  # when it is counted

        def more(go_on):
            first.append(self.ask(go_on)[at])
            return first[-1] < first[0] + turns

        count = executed(self.pid, tid, throw, more)
        return round(count / (first[-1] - first[0]))

    def sleeps_at(self):
        """The system call instruction by which its threads sleep."""
        def place(tid):
            try:
                with open(f"/proc/{self.pid}/task/{tid}/syscall") as file:
                    words = file.read().split()
            except (FileNotFoundError, ProcessLookupError):
                return 0  # it has ended
            return int(words[-1], 16) - 2 if words[0] != "running" else 0

        def nap():
            places = {place(tid) for tid in self.workers()}
            return places.pop() if len(places) == 1 else 0

        return self.t.wait_for("a nap of each", nap)

    def workers(self):
        """A thread of each kind: what one makes has its name for a while."""
        first = {}
        for tid, (name, _) in sorted(drive.tasks(self.pid).items()):
            if name in KINDS:
                first.setdefault(name, tid)
        return list(first.values())


def log_of(path, who):
    """The calls of dndbg or its cleanup process in a log: their names. There may
    be millions."""
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return [sys.intern(line.split()[2]) for line in file
                if line.startswith(f"{who} ")]


def read_log(path):
    """All of a log: who, call, address, length."""
    if not os.path.exists(path):
        return []
    with open(path) as file:
        lines = [line.split() for line in file]
    return [(words[0], words[2], int(words[3], 16), int(words[4]))
            for words in lines]
