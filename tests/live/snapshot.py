"""Snapshots: a frozen copy shows what the program showed at that moment, the
program goes on as if nothing had been, and the copy never outlives dndbg."""
import ctypes
import errno
import json
import os
import re
import struct

import drive
from drive import tagged
from survivor import Busy

LOOK = ["echo look\\n", "bt", "info args", "info locals", "info threads",
        "output args.Length", "x/4i $pc", "echo looked\\n"]


def looks(text):
    """What each of the LOOKs printed, addresses aside."""
    return [re.sub("0x[0-9a-f]{16}( in )?", "", found)
            for found in re.findall(r"look\n(.*?)looked\n", text, re.S)]


def regions(text):
    """What each `memory --all --json` told, but for what was resident."""
    return [[{name: value for name, value in one.items() if name != "resident"}
             for one in json.loads(line)["all"]]
            for line in text.splitlines() if line.startswith("{")]


def copies(t, busy):
    """A copy has the environment of its program."""
    sessions = [session.pid for session in t.sessions]
    return [pid for pid, name in tagged(t.tag).items()
            if pid not in (busy.pid, *sessions) and
            not name.startswith("dndbg")]


def children(pid):
    """Of all its threads: also those that have ended and wait for it."""
    text = ""
    for tid in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{tid}/children") as file:
                text += file.read()
        except FileNotFoundError:
            pass  # it has ended
    return text.split()


def test_same(t):
    """At a breakpoint: the copy shows what the program showed, without the
    traps that were in it, and has no end. What would run it is refused."""
    for config in "Debug", "Release":
        words = t.program("Hello", config=config)
        output = f"{t.dir}/{config}.out"
        done = t.batch([f"b {t.at('Hello', 'call')}", f"run >{output}",
                        *LOOK, "memory --all --json", "snapshot", *LOOK,
                        "memory --all --json", "next", "b Program.Add",
                        "set var args = null", "snapshot", *LOOK], words)
        first, *more = looks(done.stdout)
        t.check_in("Hello.Program.Main", first)
        t.check_not_in("int3", first)
        before, after = regions(done.stdout)
        t.check_equal(before, after)
        t.check({"GC heap", "stacks", "JIT code", "malloc"} <=
                {one["kind"] for one in before}, "kinds are missing")
        t.check_equal([first] * 2, more)
        t.check_match(r"^\[Snapshot of process \d+; the program goes on\]$",
                      done.stdout)
        t.wait_for("the program's end",
                   lambda: open(output).read() == "hello world 5\nok\n")
        t.check_equal(1, done.stderr.count("This needs a process"))
        t.check_equal(1, done.stderr.count("a snapshot cannot run: look at"))
        t.check_in("cannot be written", done.stderr)


def test_running(t):
    """Of a program that runs: its threads with their names, its heap. What
    the program does meanwhile is not seen; it sees nothing of it."""
    busy = Busy(t, "20", "4").ready()
    sum_of = "p Busy.Program.tallies[0].Sum"
    frame = ["info threads", "heap stat --type Tally$"]
    s = t.start("snapshot", str(busy.pid))
    before = s.cmd(sum_of).split()[-1]
    again = [s.cmd(command) for command in frame]
    t.check_equal(20, again[0].count('"wait'))
    t.check_match(r"Busy\.Tally\n", again[1])
    copy, = copies(t, busy)
    t.check_equal([], os.listdir(f"/proc/{copy}/fd"))
    with open(f"/proc/{copy}/oom_score_adj") as file:
        t.check_equal("1000\n", file.read())
    t.check_equal([], children(busy.pid))
    busy.untouched()
    # The program has done something since: another copy tells.
    t.wait_for("the program", lambda: t.run(
        "snapshot", str(busy.pid), "--batch", "-ex", sum_of).stdout.split()[-1]
        != before)
    # Options before the word, and after it.
    for words in (["--batch", "-ex", sum_of, "snapshot", str(busy.pid)],
                  ["snapshot", "--batch", "-ex", sum_of, str(busy.pid)]):
        t.check_match(r"^\[Snapshot of process (?s:.*)^\$1 = \d",
                      t.run(*words).stdout)
    t.check_match(r"^usage: dndbg", t.run("snapshot", "--help").stdout)
    nothing = t.run("snapshot", "--batch")
    t.check_equal((2, 'dndbg: "snapshot" needs the PID or name of a '
                      "program.\n"), (nothing.returncode, nothing.stderr))
    t.check_in("'snapshot': no such file.",
               t.run("--batch", "-ex", "run", "--args", "snapshot",
                     str(busy.pid)).stderr)
    t.check_equal(before, s.cmd(sum_of).split()[-1])
    t.check_equal(again, [s.cmd(command) for command in frame])
    s.line("quit")
    s.wait()
    t.wait_gone(copy)
    t.check_equal([], children(busy.pid))
    busy.untouched()
    busy.right()


def test_heap(t):
    """A command of the shell about a copy."""
    busy = Busy(t, "4", "2").ready()
    done = t.run("heap", "stat", str(busy.pid), "--snapshot", "--type",
                 "^Busy.Tally$")
    t.check_match(r"^0x\w+ +3 +\d+  Busy\.Tally$", done.stdout)
    busy.untouched()
    busy.right()


def test_killed(t):
    """dndbg is killed: the copy is gone, the program goes on."""
    busy = Busy(t, "4", "4").ready()
    s = t.start("snapshot", str(busy.pid))
    copy, = copies(t, busy)
    os.kill(s.pid, 9)
    t.wait_gone(copy)
    busy.untouched()
    busy.right()


def refuse_clone(flags, errnum):
    """Have the kernel refuse clone with exactly these flags: a filter of the
    system calls of what is executed next (seccomp)."""
    load, equal, ret = 0x20, 0x15, 0x06  # LD W ABS, JEQ K, RET K
    code = [(load, 0, 0, 0), (equal, 0, 3, 56),
            (load, 0, 0, 16), (equal, 0, 1, flags),
            (ret, 0, 0, 0x00050000 | errnum), (ret, 0, 0, 0x7fff0000)]
    filters = b"".join(struct.pack("HBBI", *one) for one in code)
    buf = ctypes.create_string_buffer(filters)
    program = struct.pack("HxxxxxxP", len(code), ctypes.addressof(buf))
    libc = ctypes.CDLL(None, use_errno=True)

    def apply():
        assert libc.prctl(38, 1, 0, 0, 0) == 0  # PR_SET_NO_NEW_PRIVS
        assert libc.prctl(22, 2, program) == 0  # PR_SET_SECCOMP
    apply.keep = buf
    return apply


def test_refused(t):
    """The program may make no more processes, or there is no memory for one:
    it is said why, and the program is none the worse."""
    for flags, errnum, words in (
            (0x700, errno.EAGAIN,
             r"may make no other process: the limit of its user \(ulimit -u\) "
             r"or of its cgroup \(pids\.max\) is reached"),
            (0, errno.ENOMEM, r"There is no memory for a copy of process \d+ "
             r"\(see vm\.overcommit_memory\)")):
        busy = Busy(t, "4", "2",
                    preexec_fn=refuse_clone(flags, errnum)).ready()
        done = t.run("snapshot", str(busy.pid), "--batch", "-ex", "bt")
        t.check_match(words, done.stderr)
        t.check_in("The program is not being run.", done.stderr)
        done = t.run("--batch", "-p", str(busy.pid), "-ex", "snapshot",
                     "-ex", "b Tally.Turn", "-ex", "continue", "-ex", "detach")
        t.check_match(words, done.stderr)
        t.check_match(r"^Breakpoint 1, Busy\.Tally\.Turn ", done.stdout)
        t.check_equal([], copies(t, busy))
        t.check_equal([], children(busy.pid))
        busy.untouched()
        busy.right()


def test_dump(t):
    """A core is written of a copy of a program, which goes on meanwhile."""
    busy = Busy(t, "20", "4").ready()
    busy.dump(f"{t.dir}/core", "--snapshot", "--type", "heap")
    busy.untouched()
    busy.right()


def test_frozen(t):
    """A copy in a cgroup that is frozen (version 1) cannot end: dndbg does, and
    the copy when it can."""
    group = f"/sys/fs/cgroup/freezer/dndbg-copy-{os.getpid()}-{t.runtime}"
    if not os.access("/sys/fs/cgroup/freezer", os.W_OK):
        raise drive.Skip("no cgroup of version 1 can be frozen; in version 2 "
                         "what is frozen can be killed")

    def write(file, text):
        with open(f"{group}/{file}", "w") as to:
            to.write(text)
    busy = Busy(t, "2", "2").ready()
    os.mkdir(group)
    try:
        write("cgroup.procs", str(busy.pid))
        s = t.start("-p", str(busy.pid))
        t.check_in("Snapshot of process", s.cmd("snapshot"))
        copy, = copies(t, busy)
        write("freezer.state", "FROZEN")
        s.line("quit")
        s.wait()
        t.check(drive.state(copy) not in "ZX", "the copy was not frozen")
        write("freezer.state", "THAWED")
        t.wait_gone(copy)
        busy.right()
    finally:
        write("freezer.state", "THAWED")
        busy.process.kill()
        busy.process.wait()
        for session in t.sessions:
            session.close()
        t.wait_for("an empty cgroup",
                   lambda: not open(f"{group}/cgroup.procs").read())
        os.rmdir(group)
