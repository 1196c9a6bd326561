"""GDB/MI on a terminal beside the prompt, as Vim's Termdebug has it."""
import os
import pty
import re
import termios

import midrive


class Beside(midrive.Client):
    """The other terminal's end."""

    def __init__(self, test, session):
        self.master, slave = pty.openpty()
        # Vim's has echo on; here what is written must not come back
        attributes = termios.tcgetattr(slave)
        attributes[1] &= ~termios.ONLCR
        attributes[3] &= ~(termios.ECHO | termios.ICANON)
        termios.tcsetattr(slave, termios.TCSANOW, attributes)
        self.begin(test)
        self.process = self
        self.stdout = self
        self.path = os.ttyname(slave)
        self.slave = slave
        test.check_in("New UI allocated",
                      session.cmd(f"server new-ui mi {self.path}"))
        self.prompt()

    def fileno(self):
        return self.master

    def write(self, text):
        os.write(self.master, text.encode())

    def errors(self):
        return ""

    def end(self):
        os.close(self.master)
        os.close(self.slave)


def test_both_see(t):
    """What one does the other is told: breakpoints, runs, stops."""
    s = t.start("-quiet", "-iex", "set pagination off", "-iex",
                "set mi-async on", "-ex", r"echo startupdone\n",
                *t.program("Hello"))
    m = Beside(t, s)
    name, line = t.place("Hello", "add")
    bkpt = m.ask(f"-break-insert {t.source('Hello')}:{line}")["bkpt"]
    t.check_equal("y", bkpt["enabled"])
    t.check_in(f"{name}:{line}", s.cmd("info breakpoints"))
    stop = m.go("-exec-run", "breakpoint-hit")
    t.check_equal("Hello.Program.Add", stop["frame"]["func"])
    m.event("thread-group-started", id="i1")
    s.expect("Breakpoint 1, Hello.Program.Add")
    s.expect(re.escape("(dndbg) "))
    t.check_in("a = 2", s.cmd("info args"))
    # the prompt runs it, the other is told
    m.at = len(m.records)
    s.cmd(f"tbreak {t.at('Hello', 'print')}")
    m.event("breakpoint-created")
    s.line("continue")
    s.expect("Temporary breakpoint 2, ")
    m.find("*running", lambda r: r.kind == "*" and r.name == "running")
    stop = m.stopped("breakpoint-hit")
    t.check_equal("2", stop["bkptno"])
    m.event("breakpoint-deleted", id="2")
    s.expect(re.escape("(dndbg) "))
    m.go("-exec-next", "end-stepping-range")
    s.expect(re.escape("(dndbg) "))
    t.check_equal("5", m.ask('-data-evaluate-expression "sum"')["value"])
    t.check_equal("$1 = 5", s.cmd("print sum").strip())
    m.at = len(m.records)
    s.line("delete")  # asks nothing: the next line is no answer
    s.line("continue")
    s.expect("exited normally")
    m.stopped("exited-normally")
    m.write("-gdb-exit\n")
    t.check_equal(0, s.wait())
    m.end()


def test_pause(t):
    """A program that one runs is stopped by the other, and by Ctrl-C."""
    path = os.path.join(t.dir, "input")
    os.mkfifo(path)
    held = os.open(path, os.O_RDWR)
    s = t.start(*t.program("Busy"))
    m = Beside(t, s)
    s.cmd(f"set args < {path}")
    s.line("run")
    m.find("*running", lambda r: r.kind == "*" and r.name == "running")
    m.at = len(m.records)
    m.ask("-exec-interrupt")
    m.stopped("signal-received")
    s.expect("SIGINT")
    s.expect(re.escape("(dndbg) "))
    m.resume("-exec-continue")
    m.at = len(m.records)
    s.interrupt()
    m.stopped("signal-received")
    s.expect("SIGINT")
    s.expect(re.escape("(dndbg) "))
    # its terminal goes: the prompt stays
    m.end()
    t.check_in("Target Id", s.cmd("info threads"))
    s.cmd("kill")
    os.close(held)
    s.line("quit")
    t.check_equal(0, s.wait())


def test_children(t):
    """A child that the prompt follows is a group, and both look at it."""
    s = t.start(*t.program("Children", "start", "1"))
    m = Beside(t, s)
    s.cmd("set follow-exec on")
    s.cmd("break " + t.at("Children", "both"))
    m.at = len(m.records)
    s.line("run")
    stop = m.stopped("breakpoint-hit")
    s.expect("Breakpoint 1, Children.Program.Both")
    s.expect(re.escape("(dndbg) "))
    m.event("thread-group-started", id="i2")
    m.event("thread-created", id=stop["thread-id"], group_id="i2")
    t.check_equal("1", m.ask("-data-evaluate-expression number")["value"])
    t.check_in("Children.Program.Start",
               str(m.ask("-stack-list-frames --thread 1")))
    t.check_in("* 2", s.cmd("info inferiors"))
    m.go("-exec-continue", "breakpoint-hit")
    s.expect("Switching to inferior 1")
    s.expect(re.escape("(dndbg) "))
    m.event("thread-group-removed", id="i2")
    s.line("kill")
    m.stopped("exited-signalled")
    s.line("quit")
    t.check_equal(0, s.wait())
    m.end()


test_children.runtimes = ("10",)


def test_refusals(t):
    s = t.start()
    for line in ("new-ui", "new-ui tui /dev/null", "new-ui mi /dev/null",
                 "new-ui mi /nowhere/at/all"):
        t.check_not_in("New UI", s.cmd(line))
    s.line("quit")
    t.check_equal(0, s.wait())


test_refusals.runtimes = ("10",)
