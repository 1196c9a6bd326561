"""A further interface on a terminal (new-ui): GDB/MI or a console beside the
prompt, as Vim's Termdebug has it, or beside GDB/MI."""
import os
import pty
import re
import termios

import drive
import midrive
from survivor import Caller


class Beside(midrive.Client):
    """The other terminal's end."""

    def __init__(self, test, say):
        """@say a command to who is there already, for what it prints."""
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
                      say(f"server new-ui mi {self.path}"))
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
    m = Beside(t, s.cmd)
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
    m = Beside(t, s.cmd)
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


def test_mi_beside_mi(t):
    """Two front ends of gdb: what one does the other is told."""
    c = t.mi("-i=mi", "--args", *t.program("Hello"))
    m = Beside(t, c.console)
    name, line = t.place("Hello", "add")
    made = m.ask(f"-break-insert {name}:{line}")["bkpt"]
    told = c.event("breakpoint-created")["bkpt"]
    t.check_equal((made["number"], "y"), (told["number"], told["enabled"]))
    c.ask("-break-condition 1 a > 0")
    t.check_equal("a > 0", m.event("breakpoint-modified")["bkpt"]["cond"])
    m.at = len(m.records)
    stop = c.go("-exec-run", "breakpoint-hit")
    t.check_equal("1", stop["bkptno"])
    m.event("thread-group-started", id="i1")
    t.check_equal(stop["frame"], m.stopped("breakpoint-hit")["frame"])
    t.check_equal("2", m.ask("-data-evaluate-expression a")["value"])
    c.at = len(c.records)
    m.go("-exec-next", "end-stepping-range")
    c.stopped("end-stepping-range")
    # where one looks, and variable objects, are its own
    m.console("up")
    t.check_equal("0", c.ask("-stack-info-frame")["frame"]["level"])
    m.ask("-var-create mine * args")
    c.refused("-var-evaluate-expression mine")
    m.at = len(m.records)
    c.go("-exec-continue", "exited-normally")
    m.stopped("exited-normally")
    t.check_equal("hello world 5\nok\n", c.said("@"))
    # one leaves, the other stays
    m.end()
    t.check_equal("1", c.ask("-break-list")["BreakpointTable"]["nr_rows"])
    m = Beside(t, c.console)
    m.send("-gdb-exit")
    t.check_equal(0, c.wait())
    m.end()


class Console(drive.Session):
    """A terminal at which a console is opened."""

    def __init__(self):
        self.master, self.slave = pty.openpty()
        self.path = os.ttyname(self.slave)
        self.text, self.at, self.rest = "", 0, b""

    def end(self):
        os.close(self.master)
        os.close(self.slave)


def test_console_beside_mi(t):
    """A person's prompt beside a front end on pipes: both see one program."""
    c = t.mi("-i=mi", "--args", *t.program("Hello"))
    s = Console()
    t.check_in("New UI allocated", c.console(f"new-ui console {s.path}"))
    s.expect(re.escape("(dndbg) "))
    s.cmd("break " + t.at("Hello", "add"))
    c.event("breakpoint-created")
    c.at = len(c.records)
    s.line("run")
    c.find("*running", lambda r: r.kind == "*" and r.name == "running")
    stop = c.stopped("breakpoint-hit")
    c.event("thread-group-started", id="i1")
    t.check_equal("Hello.Program.Add", stop["frame"]["func"])
    s.expect(r"Breakpoint 1, Hello\.Program\.Add \(a=2, b=3\)")
    s.expect(re.escape("(dndbg) "))
    t.check_in("a = 2", s.cmd("info args"))
    t.check_in("Undefined command", s.cmd("frobnicate"))
    c.go("-exec-next", "end-stepping-range")
    s.expect("return sum")
    s.expect(re.escape("(dndbg) "))
    c.at = len(c.records)
    s.line("up")
    s.expect("#1")
    s.expect(re.escape("(dndbg) "))
    # where one looks is its own
    t.check_equal("0", c.ask("-stack-info-frame")["frame"]["level"])
    s.line("delete")
    s.line("continue")
    s.expect("exited normally")
    c.stopped("exited-normally")
    s.expect(re.escape("(dndbg) "))
    s.line("quit")
    t.check_equal(0, c.wait())
    s.end()


def test_console_pause(t):
    """Lines are read while the program runs; the terminal goes, and the rest
    stays."""
    c = t.mi("-i=mi", *t.program("Busy"))
    s = Console()
    c.console(f"new-ui console {s.path}")
    s.expect(re.escape("(dndbg) "))
    c.run_on()
    c.at = len(c.records)
    s.line("interrupt")
    c.stopped("signal-received")
    s.expect("SIGINT")
    s.expect(re.escape("(dndbg) "))
    s.end()
    t.check("frame" in c.ask("-stack-info-frame"), "no frame")
    c.ask("-exec-abort")
    t.check_equal(0, c.quit())


test_console_pause.runtimes = ("10",)


def test_console_beside_prompt(t):
    s = t.start("-quiet", *t.program("Hello"))
    b = Console()
    t.check_in("New UI allocated", s.cmd(f"new-ui console {b.path}"))
    b.expect(re.escape("(dndbg) "))
    b.cmd("break " + t.at("Hello", "add"))
    t.check_in("Hello.cs", s.cmd("info breakpoints"))
    s.line("run")
    for one in s, b:
        one.expect("Breakpoint 1, Hello.Program.Add")
        one.expect(re.escape("(dndbg) "))
    b.line("next")
    for one in b, s:
        one.expect("return sum")
        one.expect(re.escape("(dndbg) "))
    s.cmd("delete")
    s.line("continue")
    for one in s, b:
        one.expect("exited normally")
        one.expect(re.escape("(dndbg) "))
    b.line("quit")
    t.check_equal(0, s.wait())
    b.end()


test_console_beside_prompt.runtimes = ("10",)


def test_quit_beside(t):
    """quit and -gdb-exit at the further interface end dndbg while the prompt
    waits for the program, or for a call."""
    for begin, kind, end in (("run", Console, "quit"),
                             ("run", Beside, "-gdb-exit"),
                             ("call Program.Forever()", Console, "quit")):
        program = "Busy" if begin == "run" else "Calls"
        s = t.start("-quiet", *t.program(program))
        s.cmd("set confirm off")
        if program == "Calls":
            s.cmd("set call-timeout 600000")
            s.cmd("break " + t.at("Calls", "stop"))
            s.cmd("run")
        if kind is Beside:
            b = Beside(t, s.cmd)
        else:
            b = Console()
            s.cmd(f"new-ui console {b.path}")
            b.expect(re.escape("(dndbg) "))
        s.line(begin)
        s.expect("ready" if program == "Busy" else "forever")
        if kind is Beside:
            b.write(end + "\n")
        else:
            b.line(end)
        t.check_equal(0, s.wait())
        b.end()


test_quit_beside.runtimes = ("10",)


def test_detach_beside(t):
    """detach at the further interface during a call of the prompt's: the call
    goes on in the program, and the prompt is told so."""
    program = Caller(t)
    s = t.start("-quiet", "-p", str(program.pid))
    s.cmd("set confirm off")
    s.cmd("set call-timeout 600000")
    s.cmd(f"tbreak {t.at('Calls', 'stop')}")
    s.line("continue")
    program.say("on")
    s.expect("reakpoint 1, ")
    s.expect(r"^\(dndbg\) ")
    b = Console()
    s.cmd(f"new-ui console {b.path}")
    b.expect(re.escape("(dndbg) "))
    s.line("call box.Next.Add(Program.Wait(false))")
    program.await_waiting()
    b.line("detach")
    s.expect(r"was detached from during 'Calls.Program.Wait\(bool\)': what "
             "was called goes on there")
    t.wait_for("the end of the tracing",
               lambda: not drive.tracer_of(program.pid))
    program.right()
    s.line("quit")
    s.wait()
    b.end()


test_detach_beside.runtimes = ("10",)


def test_children(t):
    """A child that the prompt follows is a group, and both look at it."""
    s = t.start(*t.program("Children", "start", "1"))
    m = Beside(t, s.cmd)
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


def test_calls(t):
    """What is done beside a call is told behind it; beside it none is made."""
    c = t.mi("-i=mi", "--args", *t.program("Calls"))
    c.ask("-gdb-set call-timeout 600000")
    c.start_at("Calls", "stop")
    m = Beside(t, c.console)
    t.check_in("an interface opened by new-ui makes no calls",
               m.refused("-data-evaluate-expression Program.Threads()"))
    token = c.send("-data-evaluate-expression Program.Forever()")
    c.until("the call", lambda: "forever" in c.said("@~") or None)
    number = m.ask("-break-insert " + t.at("Calls", "behind"))["bkpt"]["number"]
    c.send("-exec-interrupt")
    t.check_equal("error", c.answer(token).name)
    t.check_equal(number, c.event("breakpoint-created")["bkpt"]["number"])
    t.check_equal(0, c.quit())
    m.end()


test_calls.runtimes = ("10",)


def test_refusals(t):
    s = t.start()
    for line in ("new-ui", "new-ui tui /dev/null", "new-ui mi /dev/null",
                 "new-ui mi /nowhere/at/all"):
        t.check_not_in("New UI", s.cmd(line))
    s.line("quit")
    t.check_equal(0, s.wait())


test_refusals.runtimes = ("10",)
