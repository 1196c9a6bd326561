"""A program in the midst of its start: stopped where it maps a file, or where
it writes a given word of the runtime's table for the DAC; or just met when it
has mapped a file, if it is traced already."""
import ctypes
import os
import re
import signal
import subprocess

import drive
from survivor import Busy

TRACEME, POKEUSER, CONT, DETACH, SYSCALL = 0, 6, 7, 17, 24
SEIZE, INTERRUPT = 0x4206, 0x4207
DEBUGREG, WRITE_8 = 848, 1 | 1 << 16 | 3 << 18  # DR0, eight bytes, written


# What is mapped one after the other, up to the program's own assembly.
STAGES = ("libhostfxr.so", "libhostpolicy.so", "libcoreclr.so",
          "libclrjit.so", "System.Private.CoreLib.dll")


def ptrace(request, pid=0, addr=0, data=0):
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long] * 4
    if libc.ptrace(request, pid, addr, data):
        raise OSError(ctypes.get_errno(), f"ptrace request {request}")


def go_on(pid, request, sig=0):
    """The signal that the program stops by next."""
    ptrace(request, pid, 0, sig)
    _, status = os.waitpid(pid, 0)
    if not os.WIFSTOPPED(status):
        raise drive.Failure("the program ended")
    return os.WSTOPSIG(status)


def stop_at_read(pid, fd, cause):
    """A child of ours, taken over and stopped where it reads that file. The
    function has it do so: it is called when we have it."""
    ptrace(SEIZE, pid)
    ptrace(INTERRUPT, pid)
    cause()
    while True:
        _, status = os.waitpid(pid, 0)
        if not os.WIFSTOPPED(status):
            raise drive.Failure("it ended")
        with open(f"/proc/{pid}/syscall") as file:
            words = file.read().split()
        if words[0] == "0" and int(words[1], 16) == fd:
            return
        # a stop by a system call, or the interrupt, is no signal
        sig = os.WSTOPSIG(status)
        ptrace(SYSCALL, pid, 0, 0 if sig == signal.SIGTRAP else sig)


def mapping(pid, image):
    """Where the file of that name begins: address and path; nothing if it is
    not mapped, or the process is gone."""
    try:
        with open(f"/proc/{pid}/maps") as file:
            return re.search(rf"^(\w+)-.* 00000000 .* (/.*/{image})$",
                             file.read(), re.M)
    except OSError:
        return None


def await_mapping(t, image, argument=""):
    """Until a .NET program of the test's with that argument has mapped it."""
    def has(pid):
        try:
            with open(f"/proc/{pid}/cmdline") as file:
                return argument in file.read().split("\0")
        except OSError:
            return False

    t.wait_for(image, lambda: any(has(pid) and mapping(pid, image)
                                  for pid in t.processes("dotnet")))


def table_of(pid, image):
    """Address of the table, once the image is mapped."""
    found = mapping(pid, image)
    if not found:
        return 0
    symbols = subprocess.run(["nm", "-D", found[2]], check=True, text=True,
                             capture_output=True).stdout
    offset = re.search(r"^(\w+) . g_dacTable\b", symbols, re.M)[1]
    return int(found[1], 16) + int(offset, 16)


def word(pid, addr):
    """The word there; nothing while nothing is mapped."""
    try:
        with open(f"/proc/{pid}/mem", "rb", 0) as file:
            file.seek(addr)
            return int.from_bytes(file.read(8), "little")
    except OSError:
        return None


def traced(t, words):
    """Busy, traced by us, at its exec."""
    busy = Busy(t, words=words, preexec_fn=lambda: ptrace(TRACEME))
    os.waitpid(busy.pid, 0)
    return busy


def let_go(t, busy):
    """Nobody traces it, and it is stopped as by SIGSTOP."""
    ptrace(DETACH, busy.pid, 0, signal.SIGSTOP)
    t.wait_for("the stop", lambda: drive.state(busy.pid) == "T")
    return busy


def stop_at_mapping(t, words, image):
    """Busy, stopped where that file is mapped."""
    busy = traced(t, words)
    while not mapping(busy.pid, image):
        go_on(busy.pid, SYSCALL)
    return let_go(t, busy)


def stop_at_word(t, words, image, index):
    """Busy, stopped when that word is written."""
    busy = traced(t, words)
    pid, table = busy.pid, 0
    while not table or word(pid, table) is None:
        go_on(pid, SYSCALL)
        table = table or table_of(pid, image)
    ptrace(POKEUSER, pid, DEBUGREG, table + 8 * index)
    ptrace(POKEUSER, pid, DEBUGREG + 8 * 7, WRITE_8)
    sig = 0
    while sig != signal.SIGTRAP:
        sig = go_on(pid, CONT, sig)
    t.check(word(pid, table + 8 * index), "the word is not written")
    t.check_equal(0, word(pid, table + 8 * (index + 1)))
    ptrace(POKEUSER, pid, DEBUGREG + 8 * 7, 0)
    return let_go(t, busy)


def attach_stopped(t, busies):
    """Who attaches to these meets the program as if it were not begun."""
    for busy in busies:
        s = t.start("-p", str(busy.pid))
        s.cmd("break Tally.Turn")
        s.line("continue")
        s.expect(r"^Continuing\.\n")
        os.kill(busy.pid, signal.SIGCONT)
        s.expect(r"^Breakpoint 1, Busy\.Tally\.Turn \(this=")
        s.expect(r"^\(dndbg\) ")
        t.check_in("detached]", s.cmd("detach"))
        s.line("quit")
        s.wait()
        busy.ready().untouched()
        busy.right()


def attach_halfway(t, words, image):
    attach_stopped(t, (stop_at_word(t, words, image, index)
                       for index in (0, 100)))
