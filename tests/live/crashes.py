"""dndbg crashes itself: it says so, leaves its stack, and harms no program."""
import glob
import os
import signal
import stat
import subprocess

import drive
from survivor import Busy

ENDED = r"^dndbg \S+ was ended by SIG%s \(code -?\d+.*\); a program that was " \
        r"attached goes on\.$"


def report_of(t, errors, name):
    """It is on stderr and, the same, in a file that is named there."""
    t.check_match(ENDED % name, errors)
    found = glob.glob(f"{t.dir}/state/dndbg/crash-*.txt")
    t.check_equal(1, len(found))
    t.check_equal(0o600, stat.S_IMODE(os.stat(found[0]).st_mode))
    with open(found[0]) as file:
        text = file.read()
    t.check_equal(errors[errors.index("dndbg "):],
                  text + f"This is also in {found[0]}: please report it with "
                  "that file.\n")
    t.check_match(r"^#\d+ +dndbg\+0x[0-9a-f]+ main$", text)
    os.remove(found[0])


def state(t):
    if drive.SLOW > 1:
        raise drive.Skip("a sanitized build reports by itself")
    return {"XDG_STATE_HOME": f"{t.dir}/state"}


def test_adapter(t):
    """With a program that it has stopped at a breakpoint."""
    env = state(t)
    busy = Busy(t, "2", "1").ready()
    c = t.adapter(env=env)
    c.initialize()
    c.ask("attach", processId=busy.pid)
    c.ask("setFunctionBreakpoints",
          breakpoints=[{"name": "Busy.Tally.Turn"}])
    c.ask("configurationDone")
    c.stopped("breakpoint")
    os.kill(c.pid, signal.SIGSEGV)
    t.check_equal(-signal.SIGSEGV, c.process.wait(20 * drive.TIME))
    report_of(t, c.errors(), "SEGV")
    busy.await_cleaning()
    busy.untouched()
    busy.right()


def test_mi(t):
    env = state(t)
    with open(f"{t.dir}/err", "w+") as errors:
        process = subprocess.Popen([t.dndbg, "-i=mi"], env={**t.env, **env},
                                   stdin=subprocess.PIPE, stderr=errors,
                                   stdout=subprocess.PIPE)
        while process.stdout.readline().strip() != b"(gdb)":
            pass
        os.kill(process.pid, signal.SIGFPE)
        t.check_equal(-signal.SIGFPE, process.wait(20 * drive.TIME))
        errors.seek(0)
        report_of(t, errors.read(), "FPE")


def test_prompt(t):
    s = t.start(env=state(t))
    s.signal(signal.SIGABRT)
    s.expect(ENDED.lstrip("^") % "ABRT")
    s.expect(r"^This is also in .*/crash-\d+\.txt: ")
    t.check_equal(-signal.SIGABRT, s.wait())


def catches(pid, number):
    """Whether a process has a handler for a signal by now."""
    with open(f"/proc/{pid}/status") as file:
        caught = next(line for line in file if line.startswith("SigCgt:"))
    return int(caught.split()[1], 16) >> (number - 1) & 1


def test_early(t):
    """However early: from when a signal is caught, it is reported. (A library
    that was loaded after it made it end silently in 4 of 100.)"""
    env = {**t.env, **state(t)}
    for i in range(60):
        process = subprocess.Popen([t.dndbg, "-i=mi"], env=env,
                                   stdin=subprocess.PIPE, text=True,
                                   stderr=subprocess.PIPE,
                                   stdout=subprocess.DEVNULL)
        while process.poll() is None and \
                not catches(process.pid, signal.SIGABRT):
            pass
        for _ in range(i * 1000):   # a little later each time
            pass
        os.kill(process.pid, signal.SIGABRT)
        errors = process.communicate(timeout=20 * drive.TIME)[1]
        t.check_equal(-signal.SIGABRT, process.returncode)
        report_of(t, errors, "ABRT")


def test_no_place(t):
    """Where no file can be made the report is on stderr alone."""
    env = {**state(t), "XDG_STATE_HOME": "/proc/nowhere"}
    c = t.adapter(env=env)
    c.initialize()
    os.kill(c.pid, signal.SIGBUS)
    t.check_equal(-signal.SIGBUS, c.process.wait(20 * drive.TIME))
    t.check_match(ENDED % "BUS", c.errors())
    t.check_not_in("also in", c.errors())
