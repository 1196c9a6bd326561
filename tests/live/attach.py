"""Taking over a running program, and letting it go as if nothing had been."""
import ctypes
import glob
import os
import re
import shutil
import signal
import subprocess
import sys

import container
import drive
from halfway import (STAGES, attach_halfway, attach_stopped,
                     stop_at_mapping)
from survivor import Busy, batch


def test_look(t):
    """Two hundred threads and more that come and go: stacks, values,
    breakpoints; and again after a detach."""
    busy = Busy(t, "200", "4").ready()
    out = batch(
        t, f"attach {busy.pid}", "bt", "info threads", "info inferiors",
        "break Tally.Turn",
        "continue", "print Turns < turn", "next", "detach",
        "continue", f"attach {busy.pid}", "delete",
        f"break {t.at('Busy', 'caught')}", "continue", "p tally.Name", "detach")
    t.check_in(f"Attaching to process {busy.pid}\n", out)
    t.check_match(rf"^\* 1    process {busy.pid} +Busy.dll$", out)
    t.check_match(r"in Busy.Program.Main .*Busy.cs:\d+$", out)
    t.check_equal(200, out.count('"wait'))
    t.check_match(r"^Breakpoint 1, Busy.Tally.Turn \(this=", out)
    t.check_in("$1 = true\n", out)
    t.check_equal(2, out.count(f"[Inferior 1 (process {busy.pid}) detached]"))
    t.check_in("The program is not being run.", out)
    t.check_match(r'^\$2 = "work\d"', out)
    busy.untouched()
    busy.right()


def test_thrift(t):
    """What attaching asks of the kernel and of the runtime goes by the number
    of threads, and is little for each: seized, stopped, waited for. Letting
    go takes two calls for each."""
    busy = Busy(t, "200", "0").ready()
    out = batch(t, f"attach {busy.pid}", "maint print statistics", "detach",
                "maint print statistics")
    found = re.findall(r"^since the start +(\d+) +(\d+) +\d+ +(\d+)$", out,
                       re.M)
    t.check_equal(2, len(found))
    (stops, calls, dac), (_, detached, _) = (map(int, f) for f in found)
    t.check(200 <= stops < 260, f"{stops} stops")
    # one more for each that has not stopped yet when it is asked
    t.check(calls < 1700, f"{calls} system calls")
    t.check(detached - calls < 2.5 * stops,
            f"{detached - calls} system calls to let go")
    t.check(dac < 150, f"{dac} calls of the DAC")
    busy.right()


def renamed(t, place):
    """Busy under a name that is nobody else's: the words that start it, and
    the name."""
    name = f"Busy-{t.tag}"
    where = os.path.join(t.dir, place)
    os.mkdir(where)
    source = t.program("Busy")[0][:-len(".dll")]
    for end in (".dll", ".pdb", ".runtimeconfig.json"):
        shutil.copy(source + end, os.path.join(where, name + end))
    return ["dotnet", os.path.join(where, name + ".dll"), "1", "1"], name


def test_names(t):
    """By the .dll and what is in front of it; not if there are two."""
    words, name = renamed(t, "one")
    first = Busy(t, words=words).ready()
    out = batch(t, f"attach {name}.dll", "detach", f"attach {name}", "detach")
    t.check_equal(2, out.count(f"process {first.pid}) detached]"))
    words, name = renamed(t, "two")
    second = Busy(t, words=words).ready()
    out = t.run("--batch", "--attach", name).stderr
    pids = sorted([first.pid, second.pid])
    t.check_match(rf"^2 \.NET programs are called '{name}': attach to one of "
                  rf"the processes {pids[0]}, {pids[1]}\.$", out)
    out = batch(t, f"attach {name}x")
    t.check_in(f"No .NET program is called '{name}x'.", out)
    first.right()
    second.right()


class Held:
    """Busy under a name of its own, held in its host, before it has loaded a
    runtime, by the file that the host is to write its trace to."""

    def __init__(self, t, place="held"):
        self.fifo = os.path.join(t.dir, place + ".trace")
        os.mkfifo(self.fifo)
        t.env.update(COREHOST_TRACE="1", COREHOST_TRACE_VERBOSITY="1",
                     COREHOST_TRACEFILE=self.fifo)
        words, self.name = renamed(t, place)
        self.s = t.spawn("--wait", "--attach", self.name)
        self.s.expect(rf'^Waiting for "{self.name}"\.')
        self.busy = Busy(t, words=words)
        self.s.expect(rf"^Attaching to process {self.busy.pid}")
        self.s.expect(r"^\(dndbg\) ")

    def release(self):
        return os.fdopen(os.open(self.fifo, os.O_RDWR), "rb")


def test_wait(t):
    """A program that is not there yet is met as it starts."""
    held = Held(t)
    held.s.cmd("break Program.Main")
    held.s.line("continue")
    with held.release():
        held.s.expect(r"^Breakpoint 1, .*Busy.Program.Main")
        held.s.expect(r"^\(dndbg\) ")
    held.s.line("quit")
    held.s.expect(rf"\[process {held.busy.pid}\] will be detached")
    held.s.line("y")
    held.s.wait()
    held.busy.ready().untouched()
    held.busy.right()


def test_starting(t):
    """At the stages of a program's start."""
    words = t.program("Busy", "1", "1", host="dotnet")
    attach_stopped(t, (stop_at_mapping(t, words, stage)
                       for stage in ("dotnet", *STAGES, "Busy.dll")))


def test_starting_halfway(t):
    """While the runtime fills the table that tells the DAC what is where."""
    attach_halfway(t, t.program("Busy", "1", "1", host="dotnet"),
                   "libcoreclr.so")


def test_loading(t):
    """While the linker maps the runtime: its code is there, its data not."""
    words = t.program("Busy", "1", "1", host="dotnet")
    busy = Busy(t, words=[f"{drive.BUILT}/Native/HeldLoad", *words])
    busy.pid = int(busy.process.stdout.readline())
    t.wait_for("the stop", lambda: drive.state(busy.pid) == "T")
    s = t.start("-p", str(busy.pid))
    s.cmd("break Tally.Turn")
    os.kill(busy.pid, signal.SIGCONT)
    s.line("continue")
    s.expect(r"^Breakpoint 1, Busy.Tally.Turn \(this=")
    s.expect(r"^\(dndbg\) ")
    s.cmd("delete 1")
    s.cmd("detach")
    busy.ready().untouched()
    busy.right()


def test_refused(t):
    """Who may not be attached to, and why."""
    other = subprocess.Popen(["sleep", "60"], env=t.env)
    err = batch(t, f"attach {other.pid}")
    t.check_match(r"^Process \d+ \('sleep'\) is no \.NET program: ", err)
    t.check_equal(0, drive.tracer_of(other.pid))
    other.kill()
    other.wait()
    t.check_in(f"No process {other.pid}.", batch(t, f"attach {other.pid}"))
    busy = Busy(t, "1", "0").ready()
    s = t.start("-p", str(busy.pid))
    t.check_match(rf"^Cannot trace process {busy.pid}: 'dndbg' \(process "
                  rf"{s.pid}\) traces it already",
                  batch(t, f"attach {busy.pid}"))
    tid = max(int(name) for name in os.listdir(f"/proc/{busy.pid}/task"))
    t.check_in(f"{tid} is a thread of process {busy.pid}",
               batch(t, f"attach {tid}"))
    s.line("kill")
    s.expect("y or n")
    s.line("y")
    s.expect(r"killed\]")
    t.check_equal(-signal.SIGKILL, busy.process.wait(20 * drive.TIME))


def test_stopped(t):
    """One that job control has stopped can be looked at, and stays so."""
    busy = Busy(t, "2", "2").ready()
    os.kill(busy.pid, signal.SIGSTOP)
    t.wait_for("the stop", lambda: drive.state(busy.pid) == "T")
    out = batch(t, f"attach {busy.pid}", "bt", "break Tally.Turn", "detach")
    t.check_in("Busy.Program.Main", out)
    busy.untouched()
    # The SIGSTOP that it is left with is taken when a thread gets to run.
    t.wait_for("the stop again", lambda: drive.state(busy.pid) == "T")
    os.kill(busy.pid, signal.SIGCONT)
    busy.right()


def test_frozen(t):
    """A cgroup that is frozen (version 1: nothing in it can be stopped) is
    named; the program is none the worse."""
    group = f"/sys/fs/cgroup/freezer/dndbg-test-{os.getpid()}-{t.runtime}"
    if not os.access("/sys/fs/cgroup/freezer", os.W_OK):
        raise drive.Skip("no cgroup of version 1 can be frozen; version 2 "
                         "freezes so that tracing goes on")
    busy = Busy(t, "2", "2").ready()
    os.mkdir(group)
    try:
        with open(f"{group}/cgroup.procs", "w") as file:
            file.write(str(busy.pid))
        with open(f"{group}/freezer.state", "w") as file:
            file.write("FROZEN")

        def frozen():
            with open(f"{group}/freezer.state") as file:
                return file.read() == "FROZEN\n"
        t.wait_for("the cgroup to freeze", frozen)
        t.check_in(f"no thread can be stopped: the program's cgroup "
                   f"'/{os.path.basename(group)}' is frozen, thaw it first.",
                   batch(t, f"attach {busy.pid}"))
        with open(f"{group}/freezer.state", "w") as file:
            file.write("THAWED")
        t.wait_for("the end of tracing",
                   lambda: not drive.tracer_of(busy.pid))
        busy.right()
    finally:
        with open(f"{group}/freezer.state", "w") as file:
            file.write("THAWED")
        busy.process.kill()
        busy.process.wait()
        os.rmdir(group)


def test_end_of_dndbg(t):
    """However dndbg ends, the program goes on, without a trap."""
    for ending in (signal.SIGTERM, signal.SIGHUP, signal.SIGKILL,
                   signal.SIGABRT):
        busy = Busy(t, "4", "4").ready()
        s = t.start("-p", str(busy.pid))
        s.cmd("break Tally.Turn")
        s.line("continue")
        s.expect(r"^Breakpoint 1, ")
        s.expect(r"^\(dndbg\) ")
        os.kill(s.pid, ending)
        busy.await_cleaning()
        busy.right()
        s.wait()


def test_watched(t):
    """No debug register stays behind, however dndbg ends."""
    for end in ("detach", "kill"):
        busy = Busy(t, "4", "4").ready()
        s = t.start("-p", str(busy.pid))
        s.cmd("break Tally.Turn")
        s.line("continue")
        s.expect(r"^Breakpoint 1, ")
        s.expect(r"^\(dndbg\) ")
        # Wherever a collection moves it before it is written, the path leads
        # there.
        place = "Busy.Program.tallies._items[0].Sum"
        t.check_in(f"Hardware watchpoint 2: -location {place}",
                   s.cmd(f"watch -l {place}"))
        s.cmd("disable 1")
        t.check_in("New value = ", s.cmd("continue"))
        if end == "detach":
            t.check_in("detached]", s.cmd("detach"))
        else:
            os.kill(s.pid, signal.SIGKILL)
            busy.await_cleaning()
        busy.untouched()
        busy.right()


def test_killed_with_sentry(t):
    """What is in the program saves it alone, if need be."""
    busy = Busy(t, "4", "4").ready()
    s = t.start("-p", str(busy.pid))
    s.cmd("break Tally.Turn")
    s.line("continue")
    s.expect(r"^Breakpoint 1, ")
    for pid in t.processes("dndbg-cleanup"):
        os.kill(pid, signal.SIGKILL)
    os.kill(s.pid, signal.SIGKILL)
    s.wait()
    t.wait_for("the end of the tracing",
               lambda: not drive.tracer_of(busy.pid))
    # The next to attach cleans up.
    t.check_in("detached]", batch(t, f"attach {busy.pid}", "detach"))
    busy.untouched()
    busy.right()


def test_killed_and_attached_again(t):
    """Who attaches in the moment in which the cleanup process of a killed dndbg cleans
    up does not find the program taken."""
    busy = Busy(t, "200", "0").ready()
    for _ in range(30):
        s = t.start("-p", str(busy.pid))
        s.cmd("break Tally.Turn")
        os.kill(s.pid, signal.SIGKILL)
        s.wait()
        t.check_in("detached]", batch(t, f"attach {busy.pid}", "detach"))
    busy.right()


def test_killed_after_start(t):
    """... also if the runtime came up after the attach, whose handlers then
    go before ours: at a breakpoint, and at a trap of ours in its compiler."""
    for then in (None, "break Program.Right"):
        held = Held(t, "then" if then else "now")
        held.s.cmd("tbreak Program.Work" if then else "break Program.Work")
        held.s.line("continue")
        with held.release():
            held.s.expect(r"reakpoint 1, Busy\.Program\.Work")
            held.s.expect(r"^\(dndbg\) ")
        if then:
            held.s.cmd(then)
        for pid in t.processes("dndbg-cleanup"):
            os.kill(pid, signal.SIGKILL)
        os.kill(held.s.pid, signal.SIGKILL)
        held.s.wait()
        # It comes there, with nobody to clean up but itself.
        held.busy.ready().right()


def test_detach_launched(t):
    """A program that was started lives on too."""
    fifo, out = os.path.join(t.dir, "fifo"), os.path.join(t.dir, "out")
    os.mkfifo(fifo)
    hold = os.open(fifo, os.O_RDWR)
    s = t.start("--args", *t.program("Busy", "2", "2"))
    s.cmd("break Tally.Turn")
    s.line(f"run < {fifo} > {out}")
    s.expect(r"^Breakpoint 1, ")
    s.expect(r"^\(dndbg\) ")
    pid, = t.processes("dotnet")
    t.check_in("detached]", s.cmd("detach"))
    t.check_equal(0, drive.tracer_of(pid))
    s.line("quit")
    s.wait()
    os.close(hold)
    t.wait_gone(pid)
    with open(out) as file:
        t.check_equal("ready\nright\n", file.read())


def test_container(t):
    """A process of other pids, mounts and root, with a runtime that nobody
    outside can name."""
    if os.geteuid():
        raise drive.Skip("only root can make a container")
    busy = Busy(t, words=container.words(t, "Busy", "2", "2")).ready()
    pid, = t.processes("dotnet")
    # pid, the one inside, and the user
    t.check_match(rf"^ *{pid}  +[1-9]  \S+ .* \S*dotnet /mnt/app/Busy\.dll 2 2$",
                  t.run("ps").stdout)
    out = batch(t, f"attach {pid}", "bt", "break Tally.Turn", "continue",
                "p turn > 0", "info threads", "set evaluation interpret",
                "p System.Environment.ProcessId", "detach")
    t.check_match(r"in Busy.Program.Main .*Busy.cs:\d+$", out)
    t.check_match(r"^Breakpoint 1, Busy.Tally.Turn \(this=", out)
    t.check_in("$1 = true\n", out)
    t.check_in("$2 = 1\n", out)  # the first process of its namespace
    busy.right()


EVIL = r"""
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
const char mark[] = "%s";
__attribute__((constructor)) static void run(void)
{
	if (getenv("DNDBG_EVIL"))
		close(open(getenv("DNDBG_EVIL"), O_CREAT | O_WRONLY, 0600));
}
"""


def evil_runtime(t):
    """A copy of the runtime whose DAC is a library that does harm when it is
    loaded, with the mark of the real one."""
    root = os.path.join(t.dir, "dotnet")
    shutil.copytree(t.env["DOTNET_ROOT"] + "/", root, symlinks=True)
    shared = os.path.join(root, "shared/Microsoft.NETCore.App")
    dac = os.path.join(shared, os.listdir(shared)[0], "libmscordaccore.so")
    with open(dac, "rb") as file:
        mark = re.findall(rb"@\(#\)Version [\x20-\x7e]+", file.read())[-1]
    os.remove(dac)
    source = os.path.join(t.dir, "evil.c")
    with open(source, "w") as file:
        file.write(EVIL % mark.decode())
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", dac, source], check=True)
    return root


def test_container_evil(t):
    """Nothing of a container is executed: its DAC, which root owns there, is
    loaded only if that was asked for."""
    if os.geteuid():
        raise drive.Skip("only root can make a container")
    busy = Busy(t, words=container.words(t, "Busy", "2", "2",
                                         dotnet=evil_runtime(t))).ready()
    pid, = t.processes("dotnet")
    seen = os.path.join(t.dir, "seen")
    env = {"DNDBG_EVIL": seen}
    nowhere = {**env, "DOTNET_ROOT": "/nonexistent", "PATH": "/usr/bin:/bin"}
    # An installed runtime of the same build has it.
    out = batch(t, f"attach {pid}", "bt", "detach", env=env)
    t.check_match(r"in Busy.Program.Main .*Busy.cs:\d+$", out)
    if not os.path.exists("/usr/share/dotnet"):
        out = batch(t, f"attach {pid}", "bt", "detach", env=nowhere)
        t.check_in("nothing of it is loaded, as it would run with your rights",
                   out)
        t.check_in('"set dac-path DIRECTORY"', out)
    shared = f"{t.env['DOTNET_ROOT']}/shared/Microsoft.NETCore.App"
    out = batch(t, f"set dac-path {shared}/{os.listdir(shared)[0]}",
                f"attach {pid}", "bt", "detach", env=nowhere)
    t.check_match(r"in Busy.Program.Main .*Busy.cs:\d+$", out)
    t.check(not os.path.exists(seen), "code of the container has run")
    # So it would have been.
    out = batch(t, "set trust-dac on", f"attach {pid}", "detach", env=env)
    t.check_in("is no DAC", out)
    t.check(os.path.exists(seen), "trusted, and yet not loaded")
    busy.right()


test_container_evil.glibc = (
    "the DAC beside the runtime is looked at last there: one for glibc is taken")


WITHOUT = "setpriv", "--bounding-set", "-sys_ptrace", "--inh-caps", "-sys_ptrace"


def lacking(t, busy, why, within=WITHOUT):
    """What root without CAP_SYS_PTRACE is told, as in a container."""
    for words in (["stack", str(busy.pid)], ["sample", "--seconds", "1", str(busy.pid)],
                  ["dump", "-o", f"{t.dir}/core", str(busy.pid)],
                  ["counters", "--seconds", "1", str(busy.pid)],
                  ["-p", str(busy.pid), "--batch"]):
        done = subprocess.run(
            [*within, t.dndbg, *words], env=t.env, text=True,
            capture_output=True)
        t.check_match(rf"(?m)^(dndbg: c|C)annot trace process {busy.pid}{why}\.?$",
                      done.stderr + done.stdout)


def test_lacking(t):
    """Root without CAP_SYS_PTRACE, before a program of root's that has it."""
    if os.geteuid():
        raise drive.Skip("only root can give up a capability")
    busy = Busy(t, "1", "1").ready()
    lacking(t, busy, ", which has more capabilities: dndbg lacks "
            "CAP_SYS_PTRACE; start its container with --cap-add=SYS_PTRACE")
    busy.untouched()
    busy.right()


def test_user_namespaces(t):
    """Root of a user namespace, before programs outside of it; root outside of
    one, with and without CAP_SYS_PTRACE; and both in one."""
    if os.geteuid():
        raise drive.Skip("only root can give up a capability")
    made = "unshare", "--user", "--map-root-user"
    other = (", which is in another user namespace: run dndbg in that one "
             r"\(in its container\), or with CAP_SYS_PTRACE outside of it")
    outside = Busy(t, "1", "1").ready()
    lacking(t, outside, other, made)
    inside = Busy(t, words=container.as_nobody(
        t, *made, "/mnt/dotnet/dotnet", "/mnt/app/Busy.dll", "1", "1")).ready()
    lacking(t, inside, other)
    lacking(t, inside, other, made)
    # What root owns, seen from inside, is nobody's, and is not loaded unasked.
    for words in [], ["nsenter", "--user", "--target", str(inside.pid)]:
        done = subprocess.run(
            [*words, t.dndbg, "--batch", "-iex", "set trust-dac on", "-p",
             str(inside.pid), "-ex", "bt"], env=t.env, text=True,
            capture_output=True)
        t.check_in("Busy.Program.Main", done.stdout + done.stderr)
    for busy in outside, inside:
        busy.untouched()
        busy.right()


def test_other_user(t):
    """Root may attach to a program of anybody's."""
    if os.geteuid():
        raise drive.Skip("only root can be somebody else")
    busy = Busy(t, words=container.as_nobody(t, "/mnt/dotnet/dotnet",
                                   "/mnt/app/Busy.dll", "2", "2")).ready()
    out = batch(t, f"attach {busy.pid}", "bt", "break Tally.Turn", "continue",
                "p turn > 0", "detach")
    t.check_match(r"in Busy.Program.Main .*Busy.cs:\d+$", out)
    t.check_match(r"^Breakpoint 1, Busy.Tally.Turn \(this=", out)
    t.check_in("$1 = true\n", out)
    lacking(t, busy, r", which user \d+ runs: dndbg lacks CAP_SYS_PTRACE; start its "
            "container with --cap-add=SYS_PTRACE, or run it as that user")
    # who may look at nothing is told so
    done = subprocess.run(
        [*WITHOUT, "setpriv", "--reuid", "65533", "--clear-groups", t.dndbg, "ps"],
        env=t.env, text=True, capture_output=True)
    t.check_equal(1, done.stdout.count("\n"))
    t.check_match(r"^dndbg ps: \d+ processes may not be looked at: run dndbg as "
                  r"their user, as root, or in a container with "
                  r"--cap-add=SYS_PTRACE$", done.stderr)
    busy.untouched()
    busy.right()


def test_not_permitted(t):
    """Who is not root is told what is in his way, and what helps."""
    if os.geteuid():
        t.check_match(r"^Cannot trace process 1\b.*: .*(root|SYS_PTRACE)",
                      batch(t, "attach 1"))
        return
    busy = Busy(t, "1", "1").ready()
    scope = "Cannot trace process %d: /proc/sys/kernel/yama/ptrace_scope is "
    for text, value in (
            ("Cannot trace process %d, which user 0 runs: run dndbg as that "
             "user or as root.", ""),
            (scope + "1; as root set it to 0, or run dndbg as root.", "1"),
            (scope + "2; as root set it to 0, or run dndbg as root.", "2"),
            (scope + "3, which can be changed at boot time only.", "3")):
        done = subprocess.run(
            container.as_nobody(t, "/mnt/dndbg", "--batch", "-ex", f"attach {busy.pid}",
                      scope=value), env=t.env, text=True, capture_output=True)
        t.check_equal(text % busy.pid + "\n", done.stderr)
        t.check_equal(1, done.returncode)
    busy.untouched()
    busy.right()


def test_undumpable(t):
    """A program that nobody may look at any more (PR_SET_DUMPABLE): who has
    started it debugs it further, others of that user are told, root may."""
    if os.geteuid():
        raise drive.Skip("only root can be somebody else")
    first, after = (t.at("Signals", mark)
                    for mark in ("undumpable", "undumpable-after"))
    program = ["/mnt/app/Signals.dll", "undumpable"]
    done = subprocess.run(container.as_nobody(
        t, "/mnt/dndbg", "--batch", "-ex", f"tb {first}", "-ex", "run",
        "-ex", f"b {after}", "-ex", "continue", "-ex", "p n", "-ex", "finish", "-ex", "continue", "--args",
        *program, fixture="Signals"), env=t.env, text=True, input="x\n",
        capture_output=True)
    t.check_equal("", done.stderr)
    t.check_in("Breakpoint 2, Signals.Program.After (n=1)", done.stdout)
    t.check_in("$1 = 1\n", done.stdout)
    t.check_in("Value returned is $2 = 2\n", done.stdout)
    t.check_in("[1,2]02\nok\n", done.stdout)
    busy = Busy(t, words=container.as_nobody(t, "/mnt/dotnet/dotnet", *program,
                                   fixture="Signals")).ready()
    done = subprocess.run(
        container.as_nobody(t, "/mnt/dndbg", "--batch", "-ex", f"attach {busy.pid}"),
        env=t.env, text=True, capture_output=True)
    t.check_equal(f"Cannot trace process {busy.pid}: it is setuid, has "
                  "capabilities, or has made itself undumpable "
                  "(PR_SET_DUMPABLE); run dndbg as root.\n", done.stderr)
    out = batch(t, f"attach {busy.pid}", "bt", "detach")
    t.check_in("in Signals.Program.Undumpable () at", out)
    busy.untouched()
    t.check_equal("[1,2]02\nok\n", busy.process.communicate("x\n")[0])


def test_setuid(t):
    """Who is not root is told why a setuid program can't be attached to."""
    if os.geteuid():
        raise drive.Skip("only root can be somebody else")
    sleep = subprocess.Popen(container.as_nobody(t, "/mnt/sleep", "1000"), env=t.env)
    t.wait_for("its start", lambda: t.processes("sleep"))
    done = subprocess.run(
        container.as_nobody(t, "/mnt/dndbg", "--batch", "-ex", f"attach {sleep.pid}"),
        env=t.env, text=True, capture_output=True)
    sleep.kill()
    sleep.wait()
    t.check_equal(f"Cannot trace process {sleep.pid}: it is setuid, has "
                  "capabilities, or has made itself undumpable "
                  "(PR_SET_DUMPABLE); run dndbg as root.\n", done.stderr)


test_setuid.runtimes = ("10",)


def torture(t, *args):
    done = subprocess.run(
        [sys.executable, f"{drive.TOP}/scripts/torture-attach", "--count",
         "12", "--dndbg", t.dndbg, "--runtime", t.runtime, *args],
        text=True, capture_output=True)
    t.check_equal("", done.stderr)
    t.check_equal("12 sessions, 0 went wrong\n", done.stdout)


def test_torture(t):
    torture(t, "--seed", t.runtime)


def test_torture_release(t):
    torture(t, "--config", "Release", "--seed", "2" + t.runtime)


# ---- Libraries that were replaced --------------------------------------------

CAPBSET_DROP, CAP_SYS_ADMIN, CAP_CHECKPOINT_RESTORE = 24, 21, 40
REPLACED = ("libcoreclr.so", "libclrjit.so", "libSystem.Native.so",
            "System.Private.CoreLib.dll")


def without_map_files():
    """May trace, but not open files by their mappings."""
    for cap in (CAP_SYS_ADMIN, CAP_CHECKPOINT_RESTORE):
        ctypes.CDLL(None).prctl(CAPBSET_DROP, cap, 0, 0, 0)


def runtime_apart(t):
    """A runtime whose files may be replaced, and the directory of its
    libraries."""
    root = f"{t.dir}/root"
    ours = os.path.realpath(t.env["DOTNET_ROOT"])
    for path, dirs, names in os.walk(ours, followlinks=True):
        there = root + path[len(ours):]
        os.makedirs(there, exist_ok=True)
        for name in names:
            own = name in (*REPLACED, "libmscordaccore.so", "dotnet",
                           "libhostfxr.so")
            (shutil.copy if own else os.symlink)(f"{path}/{name}",
                                                 f"{there}/{name}")
    runtime, = glob.glob(f"{root}/shared/Microsoft.NETCore.App/*")
    return root, runtime


def replace(path):
    """As a package manager does: another file takes the name."""
    with open(path + ".new", "wb") as file:
        file.write(b"\x7fELF of another build")
    os.rename(path + ".new", path)


def test_replaced(t):
    """An upgrade has put other libraries in place of those that a program
    runs: it is looked at by those that it has. So is one whose files cannot be
    had from the kernel, by what is mapped of them. Its DAC, once that is
    replaced as well, is one of an installed runtime, or there is none."""
    root, runtime = runtime_apart(t)
    libraries = f"{t.dir}/lib"
    os.mkdir(libraries)
    shutil.copy("/usr/lib/x86_64-linux-gnu/libstdc++.so.6", libraries)
    words = t.program("Busy", host="dotnet")
    busy = Busy(t, words=["env", f"LD_LIBRARY_PATH={libraries}",
                          f"DOTNET_ROOT={root}", f"{root}/dotnet", *words[1:],
                          "2", "1"]).ready()
    for path in [f"{runtime}/{name}" for name in REPLACED] + [
            f"{libraries}/libstdc++.so.6", f"{root}/dotnet"]:
        replace(path)
    with open(f"/proc/{busy.pid}/maps") as file:
        t.check_in("libstdc++.so.6 (deleted)", file.read())
    for may in (None, without_map_files):
        done = subprocess.run(
            [t.dndbg, "--batch", "-p", str(busy.pid), "-ex", "info threads",
             "-ex", f"break {t.at('Busy', 'caught')}", "-ex", "continue",
             "-ex", "p tally.Name"],
            env=t.env, preexec_fn=may, capture_output=True, text=True)
        t.check_match(r"^Breakpoint 1, Busy", done.stdout)
        t.check_match(r'^\$1 = "work\d"', done.stdout)
        t.check_equal("", done.stderr)
        done = subprocess.run([t.dndbg, "heap", "stat", str(busy.pid)],
                              env=t.env, preexec_fn=may, capture_output=True,
                              text=True)
        t.check_equal("", done.stderr)
        t.check_match(r" Busy\.Tally$", done.stdout)
        t.check_in("Busy.Program.Main", t.run("stack", str(busy.pid)).stdout)
    replace(f"{runtime}/libmscordaccore.so")
    t.check_in("Busy.Program.Main", t.run("stack", str(busy.pid)).stdout)
    env = {**t.env, "DOTNET_ROOT": root, "PATH": "/usr/bin:/bin"}
    alone = subprocess.run([t.dndbg, "heap", "stat", str(busy.pid)], env=env,
                           capture_output=True, text=True)
    if os.path.exists("/usr/share/dotnet" + runtime[len(root):]):
        t.check_equal("", alone.stderr)
    else:
        t.check_equal((1, ""), (alone.returncode, alone.stdout))
        t.check_match(r"^dndbg: .*libmscordaccore\.so.*dac-path", alone.stderr)
    busy.untouched()
    busy.right()


test_replaced.glibc = "the library that is replaced is the one for glibc"
