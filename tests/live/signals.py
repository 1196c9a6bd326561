"""Signals, Ctrl-C, descriptors and child processes: the program finds the
world as it would without us."""
import os
import re
import shutil
import signal
import subprocess
import termios
import time

import drive
from halfway import STAGES, await_mapping


def bare(t, words, **options):
    """The program without dndbg."""
    if words[0].endswith(".dll"):
        words = [shutil.which("dotnet", path=t.env["PATH"]), *words]
    return subprocess.run(words, env=t.env, cwd=t.dir, text=True,
                          timeout=60 * drive.TIME, capture_output=True,
                          start_new_session=True,
                          **options)


def masks(text):
    found = dict(re.findall(r"^(Sig(?:Blk|Ign|Cgt)|ShdPnd|SigPnd):\s*(\w+)$",
                            text, re.M))
    assert len(found) == 5, text
    return found


def block_some():
    """What a parent of dndbg may have blocked and ignored."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2, signal.SIGWINCH])
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)


def test_inherited_signals(t):
    """Masks and dispositions are those that dndbg was started with."""
    cat = ["/bin/cat", "/proc/self/status"]
    for prepare in (None, block_some):
        want = masks(bare(t, cat, preexec_fn=prepare).stdout)
        got = masks(t.batch(["run"], cat, preexec_fn=prepare).stdout)
        t.check_equal(want, got)
    t.check(int(want["SigBlk"], 16) and int(want["SigIgn"], 16),
            "the test blocks and ignores nothing")


def test_inherited_by_children(t):
    """... also those of the children of a .NET program."""
    words = t.program("Signals", "exec", "/bin/cat", "/proc/self/status")
    want = masks(bare(t, words).stdout)
    done = t.batch(["b " + t.at("Signals", "exec"), "run", "continue"], words)
    t.check_equal(want, masks(done.stdout))
    t.check_in("child 0\nok\n", done.stdout)


def descriptors(text):
    """The lines of ls -l /proc/self/fd: number -> kind of file."""
    found = {}
    for number, name in re.findall(r" (\d+) -> (.*)$", text, re.M):
        found[int(number)] = re.sub(r"\d+", "N", name)
    return found


def test_no_descriptors_leak(t):
    """The program has its three streams and no descriptor of ours."""
    ls = ["/bin/ls", "-l", "/proc/self/fd"]
    want = descriptors(bare(t, ls, stdin=subprocess.PIPE).stdout)
    got = descriptors(t.batch(["run"], ls).stdout)
    t.check_equal({0, 1, 2}, set(want) - {3})
    t.check_equal(want, got)
    got = descriptors(t.batch(["run", "run"], ls).stdout.rpartition(
        "Starting program")[2])
    t.check_equal(want, got)


def test_inherited_descriptors(t):
    """What dndbg was given beyond these, the program is given too."""
    words = ["/bin/ls", "-l", "/proc/self/fd"]
    with open(f"{t.dir}/file", "w") as file:
        os.set_inheritable(file.fileno(), True)
        done = t.batch(["run"], words, pass_fds=[file.fileno()])
        t.check_in(f" {file.fileno()} -> {t.dir}/file\n", done.stdout)


def started(t, *args, commands=()):
    """A program at a terminal that has said "ready"; its pid."""
    s = t.start("--args", *t.program("Signals", *args))
    for command in commands:
        s.cmd(command)
    s.line("run")
    s.expect("^ready")
    return s, t.processes()[0]


def test_term_handler(t):
    """A SIGTERM that the program handles is its own affair."""
    s, pid = started(t, "term")
    os.kill(pid, signal.SIGTERM)
    text = s.expect("exited with code 17")
    t.check_in("ok", text)
    t.check_not_in("SIGTERM", text)


def test_term_breakpoint(t):
    """... and a breakpoint in the handler is hit."""
    s, pid = started(t, "term", commands=["b " + t.at("Signals", "term")])
    os.kill(pid, signal.SIGTERM)
    s.expect("Breakpoint 1,")
    s.expect(r"^\(dndbg\) ")
    t.check_in("exited with code 17", s.cmd("continue"))


def test_count_signals(t):
    """Each signal sent arrives once, with stops and breakpoints between."""
    wanted = 40
    s, pid = started(t, "count", str(wanted),
                     commands=["b " + t.at("Signals", "count")])
    for i in range(wanted):
        # One at a time: a standard signal that is pending takes no second.
        os.kill(pid, signal.SIGHUP if i % 2 else signal.SIGCONT)
        if i == 0:
            s.expect("Breakpoint 1,")
            s.expect(r"^\(dndbg\) ")
            s.cmd("ignore 1 1000000")
            s.line("continue")
        t.wait_for("the signal to be taken", lambda: not pending(pid))
    s.expect(f"^signals {wanted}$")
    s.expect("exited normally")
    s.expect(r"^\(dndbg\) ")
    t.check_match(rf"already hit {wanted} times", s.cmd("info breakpoints"))


def pending(pid):
    """Do SIGHUP or SIGCONT wait for the process?"""
    try:
        with open(f"/proc/{pid}/status") as file:
            text = file.read()
    except OSError:
        return 0
    return int(re.search(r"^ShdPnd:\s*(\w+)", text, re.M)[1], 16) & 0x20001


def test_signals_while_stopped(t):
    """A signal sent to a stopped program is there when it runs on, once."""
    s, pid = started(t, "count", "1")
    s.interrupt()
    s.expect(r"^\(dndbg\) ")
    for _ in range(3):
        os.kill(pid, signal.SIGHUP)
    text = s.cmd("continue")
    t.check_match(r"^signals [1-3]$", text)
    t.check_in("exited normally", text)


def test_self_signals(t):
    """Signals that the program sends itself, each awaited."""
    done = t.batch(["run"], t.program("Signals", "self", "300"))
    t.check_in("signals 300\nok\n", done.stdout)
    t.check_equal(0, done.returncode)


def test_fatal_from_outside(t):
    """A signal that ends the program stops before; then it ends by it."""
    s, pid = started(t, "sleep")
    os.kill(pid, signal.SIGUSR1)
    t.check_in("SIGUSR1", s.expect(r"^\(dndbg\) "))
    t.check_in("Program terminated with signal SIGUSR1", s.cmd("continue"))


def test_kill_from_outside(t):
    """SIGKILL from elsewhere, running or stopped, is told truly."""
    s, pid = started(t, "sleep")
    os.kill(pid, signal.SIGKILL)
    s.expect("Program terminated with signal SIGKILL")
    s.expect(r"^\(dndbg\) ")
    s.line("run")
    s.expect("^ready")
    s.interrupt()
    s.expect(r"^\(dndbg\) ")
    pid, = t.processes()
    os.kill(pid, signal.SIGKILL)
    t.wait_gone(pid)
    s.expect("Program terminated with signal SIGKILL, Killed.\n")
    t.wait_for("the reaping", lambda: not os.path.exists(f"/proc/{pid}"))
    t.check_in("The program is not being run.", s.cmd("continue"))
    t.check_in("exited normally", s.cmd("run cwd"))


def test_killed_at_hits(t):
    """Killed from outside while a condition is judged, hit after hit: what
    could not be read or written then is not spoken of."""
    s = t.start("--args", *t.program("HitLoop", "1000000000"))
    s.cmd("tbreak Main")
    s.cmd("break " + t.at("HitLoop", "hit") + " if i == -1 && sum > -5")
    for i in range(24):
        s.cmd("run")
        s.line("continue")
        s.expect(r"^Continuing\.")
        pid, = t.processes()
        # another point of a hit each time
        time.sleep(i * 0.0023)
        os.kill(pid, signal.SIGKILL)
        text = s.expect(r"^\(dndbg\) ")
        t.check_equal(["Program terminated with signal SIGKILL, Killed.",
                       "The program no longer exists."],
                      [line for line in text.splitlines()
                       if line and not line.startswith("(dndbg)")])
        s.cmd("tbreak Main")


def test_stop_and_continue(t):
    """SIGSTOP stops the program until SIGCONT, as without us."""
    s, pid = started(t, "count", "1")
    os.kill(pid, signal.SIGSTOP)
    t.wait_for("the stop", lambda: drive.states(pid) <= set("tTX"))
    os.kill(pid, signal.SIGCONT)
    s.expect("^signals 1$")
    s.expect("exited normally")


def test_stop_while_stopped(t):
    """SIGSTOP and SIGCONT sent at a stop take effect when it runs on; a pause
    works on a program that is stopped by SIGSTOP."""
    s, pid = started(t, "count", "2")
    s.interrupt()
    s.expect(r"^\(dndbg\) ")
    os.kill(pid, signal.SIGSTOP)
    s.line("continue")
    s.expect("Continuing")
    stopped = lambda: drive.states(pid) <= set("tTX")
    t.wait_for("the stop", stopped)
    os.kill(pid, signal.SIGCONT)
    t.wait_for("the signal to be taken", lambda: not pending(pid))
    os.kill(pid, signal.SIGSTOP)
    t.wait_for("the stop", stopped)
    s.signal(signal.SIGINT)
    s.expect(r"^\(dndbg\) ")
    t.check_in("Signals.Program.Count", s.cmd("bt"))
    s.line("continue")
    s.expect("Continuing")
    os.kill(pid, signal.SIGCONT)
    s.expect("^signals 2$")
    s.expect("exited normally")


def test_debugger_stopped(t):
    """dndbg itself stopped and continued, as by a shell's job control."""
    s, pid = started(t, "count", "1",
                     commands=["b " + t.at("Signals", "count")])
    s.signal(signal.SIGSTOP)
    t.wait_for("dndbg to stop", lambda: state_of(f"/proc/{s.pid}") == "T")
    os.kill(pid, signal.SIGHUP)
    s.signal(signal.SIGCONT)
    s.expect("Breakpoint 1,")
    s.expect(r"^\(dndbg\) ")
    t.check_in("signals 1", s.cmd("continue"))


def handled(t, *commands):
    """Commands of `handle` at a running program that counts to 1."""
    return started(t, "count", "1", commands=commands)


def test_handle_stop(t):
    """A signal that the program handles stops it if that is asked for."""
    s, pid = handled(t, "handle SIGHUP stop")
    os.kill(pid, signal.SIGHUP)
    t.check_in("Program received signal SIGHUP, Hangup.",
               s.expect(r"^\(dndbg\) "))
    t.check_in("It stopped at a signal.", s.cmd("info program"))
    t.check_in("signals 1\n", s.cmd("continue"))


def test_handle_print(t):
    """... or is told of, without a stop."""
    s, pid = handled(t, "handle HUP nostop")
    os.kill(pid, signal.SIGHUP)
    text = s.expect(r"^\(dndbg\) ")
    t.check_in("Program received signal SIGHUP, Hangup.\n", text)
    t.check_in("signals 1\n", text)
    t.check_in("exited normally", text)


def test_handle_nopass(t):
    """A signal that is kept from the program does nothing to it."""
    s, pid = handled(t, "handle SIGHUP SIGUSR1 nopass nostop noprint",
                     "handle SIGUSR2 34 stop nopass")
    for number in (signal.SIGHUP, signal.SIGUSR1):
        os.kill(pid, number)
        t.wait_for("the signal to be taken", lambda: not shared(pid))
    os.kill(pid, signal.SIGUSR2)
    t.check_in("SIGUSR2, User defined signal 2", s.expect(r"^\(dndbg\) "))
    s.line("continue")
    s.expect("Continuing")
    os.kill(pid, 34)
    t.check_in("signal SIG34, ", s.expect(r"^\(dndbg\) "))
    s.cmd("handle SIGHUP default")
    s.line("continue")
    s.expect("Continuing")
    os.kill(pid, signal.SIGHUP)
    text = s.expect(r"^\(dndbg\) ")
    t.check_in("signals 1\n", text)
    t.check_not_in("SIGHUP", text)


def shared(pid):
    """Signals that wait for the process."""
    with open(f"/proc/{pid}/status") as file:
        return int(re.search(r"^ShdPnd:\s*(\w+)", file.read(), re.M)[1], 16)


def test_handle_fatal(t):
    """One that ends the program stops it by default, and does not if so
    told; the exit status is the program's either way."""
    words = t.program("Signals", "raise", "10")
    done = t.batch(["run"], words)
    t.check_in("Program received signal SIGUSR1, User defined signal 1.\n",
               done.stdout)
    t.check_equal(138, done.returncode)
    done = t.batch(["handle all nostop noprint", "run"], words)
    t.check_not_in("received", done.stdout)
    t.check_in("Program terminated with signal SIGUSR1", done.stdout)
    t.check_equal(138, done.returncode)
    done = t.batch(["run", "signal 0"], words)
    t.check_in("Continuing with no signal.\nok\n", done.stdout)
    t.check_in("exited normally", done.stdout)
    done = t.batch(["handle SIGUSR1 stop nopass", "run"], words)
    t.check_equal(0, done.returncode)


def test_handle_key(t):
    """Ctrl-C goes to the program if its rule says so."""
    s, pid = started(t, "sleep", commands=["handle SIGINT nostop pass"])
    s.interrupt()
    text = s.expect(r"^\(dndbg\) ")
    t.check_in("Program received signal SIGINT, Interrupt.\n", text)
    t.check_in("Program terminated with signal SIGINT", text)


def test_signal_given(t):
    """The selected thread gets a signal of the user's."""
    s, _ = started(t, "count", "2")
    s.interrupt()
    s.expect(r"^\(dndbg\) ")
    s.cmd("tbreak " + t.at("Signals", "count"))
    s.cmd("queue-signal SIGHUP")
    t.check_in("Temporary breakpoint 1, ", s.cmd("continue"))
    text = s.cmd("signal SIGHUP")
    t.check_in("Continuing with signal SIGHUP.", text)
    t.check_in("signals 2\n", text)


def test_info_signals(t):
    done = t.run("--batch", "-ex", "info signals",
                 "-ex", "handle 10 SIGTRAP nostop", "-ex", "info signals USR1",
                 "-ex", "info signals SIGNONE", "-ex", "handle SIGKILL nostop",
                 "-ex", "handle SIGUSR1", "-ex", "handle nostop")
    t.check_match(r"^SIGUSR1 +If fatal +If fatal +Yes +User defined signal 1$",
                  done.stdout)
    t.check_match(r"^SIG64 +If fatal +If fatal +Yes +Real-time signal 30$",
                  done.stdout)
    t.check_equal(2, len(re.findall(
        r"^SIGUSR1 +No +Yes +Yes +User defined signal 1$", done.stdout, re.M)))
    t.check_in('"SIGNONE" is not a signal', done.stderr)
    t.check_in("Signal 9 is not seen by debuggers.", done.stderr)
    t.check_equal(2, done.stderr.count("Signals and what to do are needed"))


def test_signals_while_stepping(t):
    """Signals that come in the middle of steps, of lines and instructions,
    reach their handler once each, in another thread; each step ends where it
    ends without them."""
    wanted = 30
    s = t.start("--args", *t.program("Signals", "steps", str(wanted)))
    s.cmd("b " + t.at("Signals", "steps-first"))
    s.line("run")
    s.expect("^ready")
    s.expect(r"^\(dndbg\) ")
    s.cmd("delete 1")
    pid, = t.processes()
    loop = range(t.line("Signals", "steps-loop"), t.line("Signals", "steps-end"))
    for i in range(wanted - 1):
        os.kill(pid, signal.SIGHUP)
        s.cmd("next" if i % 3 else "stepi")
        found = t.check_match(
            r"Signals.Program.Steps .* at Signals.cs:(\d+)$", s.cmd("frame"))
        t.check_in(int(found[1]), loop)
        # The thread that takes it may be held by the step: let it.
        while pending(pid):
            s.cmd("next")
    os.kill(pid, signal.SIGHUP)
    t.check_match(f"^signals {wanted} True$", s.cmd("continue"))


def state_of(task):
    with open(f"{task}/stat") as file:
        return file.read().rpartition(")")[2].split()[0]


def test_ctrl_c(t):
    """Ctrl-C pauses; the program goes on unharmed, again and again."""
    s, pid = started(t, "spin")
    for _ in range(5):
        s.interrupt()
        t.check_in("SIGINT", s.expect(r"^\(dndbg\) "))
        t.check_in("Signals.Program.Spin", s.cmd("bt"))
        s.line("continue")
        s.expect("Continuing")
        t.wait_for("the program to run",
                   lambda: os.path.exists(f"/proc/{pid}")
                   and foreground(pid) == pid)
    s.interrupt()
    s.expect(r"^\(dndbg\) ")
    t.check(foreground(pid) == s.pid, "the terminal is not ours at the prompt")


def foreground(pid):
    """The foreground process group of the terminal of a process."""
    with open(f"/proc/{pid}/stat") as file:
        return int(file.read().rpartition(")")[2].split()[5])


def test_ctrl_c_asleep(t):
    """... also one whose threads all sleep."""
    s, pid = started(t, "sleep")
    s.interrupt()
    s.expect(r"^\(dndbg\) ")
    t.check_in("Signals.Program.Sleep", s.cmd("bt"))
    t.check_equal("", s.cmd("print 1")[:0])
    s.line("continue")
    t.wait_for("the program to run", lambda: foreground(pid) == pid)
    s.interrupt()
    s.expect(r"^\(dndbg\) ")
    t.check_in("Signals.Program.Sleep", s.cmd("bt"))


def test_ctrl_c_twice(t):
    """Pressed again before dndbg has seen the first: one stop; and a program
    that is let go there does not end by it."""
    for command in "continue", "detach":
        s = t.start("--args", "/bin/cat")
        s.line("run")
        s.expect("^Starting program.*\n")
        s.line("one")
        s.expect("^one\none\n")
        pid, = t.processes("cat")
        s.signal(signal.SIGSTOP)
        t.wait_for("dndbg to stop", lambda: drive.state(s.pid) == "T")
        s.interrupt()
        t.wait_for("the signal", lambda: drive.state(pid) == "t")
        s.interrupt()
        s.expect(r"\^C\^C")  # shown when the signals were sent
        t.check(waits(pid, signal.SIGINT), "the thread has taken both")
        s.signal(signal.SIGCONT)
        t.check_in("SIGINT", s.expect(r"^\(dndbg\) "))
        s.line(command)
        if command == "continue":
            s.expect("^Continuing.\n")
            s.line("two")
            t.check_not_in("SIGINT", s.expect("^two\ntwo\n"))
            s.send("\x04")
            s.expect("exited normally")
            continue
        s.expect("detached]\n")
        # It reads, and is not in the terminal's foreground any more.
        t.wait_for("its stop", lambda: drive.state(pid) in "TZX")
        t.check_equal("T", drive.state(pid))


def waits(pid, number):
    """Has the process that signal, and no thread took it yet?"""
    with open(f"/proc/{pid}/status") as file:
        pending = re.search(r"^ShdPnd:\s*(\w+)$", file.read(), re.M)[1]
    return int(pending, 16) >> number - 1 & 1


def test_ctrl_c_without_terminal(t):
    """SIGINT sent to dndbg itself pauses a program with other streams."""
    s = t.start("--args", *t.program("Signals", "spin"))
    s.line("run spin < /dev/null > /dev/null")
    t.wait_for("the program", lambda: any(
        foreground(p) == p for p in t.processes("dotnet")))
    s.signal(signal.SIGINT)
    s.expect(r"^\(dndbg\) ")


def test_reads_own_stdin(t):
    """The program reads the terminal while it runs, we at the prompt."""
    s = t.start("--args", *t.program("Signals", "stdin"))
    s.cmd("b " + t.at("Signals", "read"))
    s.cmd("run")
    for word in ("alpha", "beta"):
        s.line("continue")
        s.expect("Continuing")
        s.line(word)
        s.expect(word.upper())
        t.check_not_in("Undefined", s.expect(r"^\(dndbg\) "))
        s.cmd("info locals")
        # The loop comes to the breakpoint again only with bare lines.
        t.check_in("Breakpoint 1", s.cmd("info breakpoints") + "Breakpoint 1")
    s.cmd("delete 1")
    s.line("continue")
    s.expect("Continuing")
    # Its ReadLine takes single keys; a key typed before would be a line's.
    t.wait_for("ReadLine", lambda: not termios.tcgetattr(s.master)[3]
               & termios.ICANON)
    s.send("\x04")
    s.expect("lines 2")
    s.expect("exited normally")


def test_children(t):
    """Children are started, end and are waited for; none is harmed by the
    traps that are armed while they come to be."""
    program = t.program("Signals", "children", "40")
    done = t.batch(["b Signals.Program.Work", "ignore 1 1000000000",
                    "b " + t.at("Signals", "children"), "ignore 2 1000",
                    "rbreak Process.*Start", "run", "delete", "continue",
                    "info breakpoints"], program)
    t.check_in(f"children {sum(range(40))} True\nok\n", done.stdout)
    t.check_equal(0, done.returncode)
    done = t.batch(["b Signals.Program.Work", "ignore 1 1000000000",
                    "b " + t.at("Signals", "children"), "ignore 2 1000",
                    "run", "info breakpoints"], program)
    t.check_in(f"children {sum(range(40))} True\nok\n", done.stdout)
    t.check_in("already hit 40 times", done.stdout)


def test_child_streams(t):
    """Output of a child that is read by the program."""
    done = t.batch(["b " + t.at("Signals", "child"), "run", "next", "continue"],
                   t.program("Signals", "child"))
    t.check_in("from the child\nok\n", done.stdout)


def test_winch(t):
    s, pid = started(t, "winch")
    os.kill(pid, signal.SIGWINCH)
    s.expect("exited normally")


def test_own_traps(t):
    """A program that handles SIGTRAP gets its own, and its handler stays
    although our traps are hit while that runs."""
    done = t.batch(["b " + t.at("Signals", "traps"), "ignore 1 1000", "run",
                    "info breakpoints"], t.program("Signals", "traps", "20"))
    t.check_in("signals 100\nok\n", done.stdout)
    t.check_in("breakpoint already hit 20 times", done.stdout)
    t.check_in("exited normally", done.stdout)


def test_no_runtime_yet(t):
    """Ctrl-C where there is no managed code to be seen."""
    s = t.start("--args", "/bin/sleep", "1000")
    s.line("run")
    t.wait_for("the program", lambda: t.processes("sleep"))
    pid, = t.processes("sleep")
    t.wait_for("its sleep", lambda: state_of(f"/proc/{pid}") == "S"
               and asleep(pid))
    s.interrupt()
    s.expect(r"^\(dndbg\) ")
    t.check_in("sleep () from libc.so", s.cmd("bt"))
    t.check_in('"sleep"', s.cmd("info threads"))
    for command in ("next", "step", "finish"):
        t.check_in("The runtime is not loaded yet", s.cmd(command))
    t.check_in("pending: the runtime is not loaded yet", s.cmd("b Main"))
    s.line("stepi")
    s.expect("stepi")
    t.wait_for("its sleep", lambda: state_of(f"/proc/{pid}") == "S")
    s.interrupt()
    t.check_in("SIGINT", s.expect(r"^\(dndbg\) "))
    s.cmd("set confirm off")
    t.check_in("killed]", s.cmd("kill"))


def asleep(pid):
    """Is the main thread in clock_nanosleep or futex?"""
    with open(f"/proc/{pid}/syscall") as file:
        return file.read().startswith(("230 ", "202 "))


def test_instruction_in_system_call(t):
    """stepi of a thread that waits in the kernel waits, and can be ended."""
    s, pid = started(t, "sleep")
    t.wait_for("its sleep", lambda: asleep(pid))
    s.interrupt()
    s.expect(r"^\(dndbg\) ")
    s.line("stepi")
    s.expect("stepi")
    t.wait_for("the program to run", lambda: foreground(pid) == pid)
    s.interrupt()
    t.check_in("SIGINT", s.expect(r"^\(dndbg\) "))
    t.check_in("Signals.Program.Sleep", s.cmd("bt"))


def open_files(pid):
    """All but pipes: the runtime makes one when it first throws, which it
    does early where its notifications are asked for."""
    found = []
    for number in os.listdir(f"/proc/{pid}/fd"):
        try:
            found.append(re.sub(r"\d+", "N",
                                os.readlink(f"/proc/{pid}/fd/{number}")))
        except OSError:
            continue
    return sorted(name for name in found if not name.startswith("pipe:"))


def test_open_files(t):
    """A .NET program has the open files that it has without us."""
    words = t.program("Signals", "sleep")
    dotnet = shutil.which("dotnet", path=t.env["PATH"])
    files = []
    for start in ([dotnet], [t.dndbg, "--batch", "-ex", "b Main", "-ex",
                             "run", "-ex", "continue", "--args"]):
        process = subprocess.Popen([*start, *words], env=t.env, cwd=t.dir,
                                   stdout=subprocess.PIPE, text=True,
                                   stdin=subprocess.DEVNULL,
                                   start_new_session=True)
        line = ""
        while not line.startswith("ready "):
            line = process.stdout.readline()
        files.append(open_files(int(line.split()[1])))
        process.kill()
        process.wait()
    t.check_equal(*files)


def test_ctrl_c_at_start(t):
    """Ctrl-C at the stages of the start: a prompt each time, and no run is
    the worse for the one before."""
    s = t.start("--args", *t.program("Hello"))
    s.cmd("set confirm off")
    s.cmd("b " + t.at("Hello", "print"))
    for stage in ("", "dotnet", *STAGES, "Hello.dll"):
        s.line("run")
        s.expect("^Starting program.*\n")
        if stage:
            await_mapping(t, stage)
        s.interrupt()
        # At a stop that comes this very moment the kernel drops what is
        # written but not read yet, the prompt too: ask for an answer.
        s.line(f"echo stop {stage} done\\n")
        s.expect(f"stop {stage} done\n")
        for command in ("bt", "kill"):
            s.line(command)
            s.line(f"echo {command} {stage} done\\n")
            s.expect(f"{command} {stage} done\n")
        s.expect(r"^\(dndbg\) ")
        t.check_equal([], t.processes())
    t.check_in("Breakpoint 1, Hello.Program.Main", s.cmd("run"))
    t.check_in("exited normally", s.cmd("continue"))
