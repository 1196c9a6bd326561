"""Clients that wait for each answer before they send the next request: the
program starts at `launch` and is held before its own code until
`configurationDone`; what prevents the start is in the answer."""
import os
import shutil
import signal
import subprocess

import drive
from dapdrive import Refused


def threads_of(pid):
    return [int(tid) for tid in os.listdir(f"/proc/{pid}/task")]


def is_held(pid):
    """Is every thread stopped by the debugger?"""
    return all(drive.state(tid) in "tX" for tid in threads_of(pid))


def configure(t, c, fixture, mark):
    """What a client does between the two answers."""
    t.check_in("configurationDone", c.refused("continue", threadId=1))
    t.check_in("configurationDone", c.refused("pause", threadId=1))
    t.check(c.ask("threads")["threads"], "no thread")
    c.set_breaks(t.source(fixture), [t.line(fixture, mark)])
    c.ask("setExceptionBreakpoints", filters=["unhandled"])


def read_args(pid):
    with open(f"/proc/{pid}/cmdline") as file:
        return file.read().rstrip("\0").split("\0")


def test_launch_first(t):
    """`launch` is answered before anything is configured, and nothing of the
    program has run: a breakpoint on its first line is hit."""
    for host in ("dll", "apphost", t.runtime):
        if host in ("9", "11"):
            continue  # no self-contained program of these is built
        words = t.program("Hello", host=host)
        c = t.adapter()
        c.initialize()
        c.ask("launch", program=words[0])
        pid = c.event("process")["systemProcessId"]
        t.check(is_held(pid), "the program runs")
        configure(t, c, "Hello", "first")
        t.check(is_held(pid), "the program runs")
        t.check_equal("", c.output())
        c.ask("configurationDone")
        c.stopped("breakpoint")
        t.check_equal(t.line("Hello", "first"), c.top()["line"])
        c.go()
        c.end()
        t.check_in("hello world 5\nok\n", c.output())


def test_redirected(t):
    """`<`, `>`, `2>` and kin in the arguments redirect, below the program's working
    directory; a quoted one in a string is a word, and so is what only begins
    like one."""
    for args in (["<", "in", "<word>", ">", "out", "2>", "err"],
                 "< in '<word>' > out 2> err"):
        for name, text in (("in", "input"), ("out", "old"), ("err", "old")):
            with open(os.path.join(t.dir, name), "w") as file:
                file.write(text)
        c = t.adapter()
        c.launch(t.program("Hello")[:1],
                 {t.source("Hello"): [t.line("Hello", "first")]}, args=args,
                 cwd=t.dir)
        pid = c.event("process")["systemProcessId"]
        c.stopped("breakpoint")
        t.check_equal([os.path.join(t.dir, name) for name in
                       ("in", "out", "err")],
                      [os.readlink(f"/proc/{pid}/fd/{i}") for i in range(3)])
        t.check_equal(["<word>"], read_args(pid)[-1:])
        c.go()
        c.end()
        t.check_not_in("hello", c.output())
        with open(os.path.join(t.dir, "out")) as file:
            t.check_in("hello", file.read())
    # to standard output, of which the client is told, and behind a file's end
    for args in ("stderr 2>&1 >> out", ["stderr", "2>&1", ">>", "out"]):
        with open(os.path.join(t.dir, "out"), "w") as file:
            file.write("old\n")
        c = t.adapter()
        c.launch(t.program("Signals")[:1], args=args, cwd=t.dir)
        c.end()
        t.check_in("to stderr\n", c.output("stdout"))
        with open(os.path.join(t.dir, "out")) as file:
            t.check_equal("old\nto stdout\nok\n", file.read())
    c = t.adapter()
    try:
        c.launch(t.program("Hello")[:1], args=["<"])
        t.check(False, "it was launched")
    except Refused as refused:
        t.check_in("'args' ends with a redirection, whose file is missing",
                   str(refused))


def test_entry_beside_a_library(t):
    """Main uses a class library with symbols, which is there before it."""
    c = t.adapter()
    c.launch(t.program("Linked"), stopAtEntry=True)
    c.stopped("entry")
    t.check_equal(t.line("Linked", "main-open"), c.top()["line"])
    c.go()
    c.end()


def test_configured_first(t):
    """`configurationDone` may come before `launch` as well."""
    c = t.adapter()
    c.initialize()
    source = t.source("Hello")
    c.set_breaks(source, [t.line("Hello", "first")])
    c.ask("configurationDone")
    c.ask("launch", program=t.program("Hello")[0])
    c.stopped("breakpoint")
    c.go()
    c.end()


def test_restart_held(t):
    """A restart before `configurationDone` is held as the first start was."""
    c = t.adapter()
    c.initialize()
    c.ask("launch", program=t.program("Hello")[0])
    first = c.event("process")["systemProcessId"]
    c.ask("restart")
    second = c.event("process")["systemProcessId"]
    t.check(first != second, "the same process")
    c.set_breaks(t.source("Hello"), [t.line("Hello", "first")])
    c.ask("configurationDone")
    c.stopped("breakpoint")
    c.go()
    c.end()
    t.check_equal(1, c.output().count("hello world 5\n"))


test_restart_held.runtimes = ("10",)


def native(t, name, text):
    path = f"{t.dir}/{name}"
    subprocess.run([os.environ.get("CC", "cc"), "-x", "c", "-", "-rdynamic",
                    "-o", path], input=text.encode(), check=True)
    return path


def test_start_fails(t):
    """No such file, no such framework, no .NET program: `launch` says so, no
    program is left, and another try may succeed."""
    config = f"{t.dir}/Hello.runtimeconfig.json"
    shutil.copy(t.program("Hello")[0], t.dir)
    with open(config, "w") as file:
        file.write('{"runtimeOptions": {"framework": {"name": '
                   '"Microsoft.NETCore.App", "version": "99.0.0"}}}')
    aot = native(t, "aot", "char DotNetRuntimeDebugHeader[64] = {1};\n"
                 "int main(void) { for (;;); }\n")
    c = t.adapter()
    c.initialize()
    for program, wanted in (
            (f"{t.dir}/none.dll", "no such file"),
            (f"{t.dir}/Hello.dll", "exit code 150 before it loaded a .NET"),
            (aot, "NativeAOT program without a .NET runtime"),
            (native(t, "plain", "int main(void) { return 3; }\n"),
             "exit code 3 before it loaded a .NET runtime")):
        t.check_in(wanted, c.refused("launch", program=program))
    t.check_in("99.0.0", c.output("stderr"))
    t.wait_for("the programs' end", lambda: not t.processes())
    t.check(not c.has_event("terminated"), "told to be over")
    c.ask("launch", program=t.program("Hello")[0])
    c.ask("configurationDone")
    c.end()


test_start_fails.runtimes = ("10",)


def test_launch_late_runtime(t):
    """A program that does not load a runtime soon: `launch` is answered."""
    host = native(t, "host", "#include <unistd.h>\n"
                  "int main(void) { for (;;) pause(); }\n")
    c = t.adapter()
    c.initialize()
    c.ask("launch", program=host)
    c.ask("configurationDone")
    c.ask("disconnect")
    c.wait()
    t.wait_for("the program's end", lambda: not t.processes())


test_launch_late_runtime.runtimes = ("10",)


def test_left_while_starting(t):
    """`disconnect` while `launch` waits: both are answered."""
    host = native(t, "host", "#include <unistd.h>\n"
                  "int main(void) { for (;;) pause(); }\n")
    for terminate in (True, False):
        c = t.adapter()
        c.initialize()
        seq = c.send("launch", program=host)
        pid = c.event("process")["systemProcessId"]
        c.ask("disconnect", terminateDebuggee=terminate)
        t.check_equal("the client has left", c.answer(seq)["message"])
        c.wait()
        if not terminate:
            t.check_equal(0, drive.tracer_of(pid))
            os.kill(pid, signal.SIGKILL)
        t.wait_gone(pid)


test_left_while_starting.runtimes = ("10",)


def test_attach_first(t):
    """`attach` is answered before anything is configured; the program is held
    for its breakpoints, but not for a client that sets none."""
    process = subprocess.Popen(
        ["dotnet", t.program("Signals")[0], "spin"], env=t.env, cwd=t.dir,
        stdout=subprocess.PIPE, start_new_session=True)
    try:
        t.check_in("ready", process.stdout.readline().decode())
        c = t.adapter()
        c.initialize()
        c.ask("attach", processId=process.pid)
        c.set_breaks(t.source("Signals"), [t.line("Signals", "spin")])
        c.ask("configurationDone")
        c.stopped("breakpoint")
        c.ask("disconnect", terminateDebuggee=False)
        c.wait()
        c = t.adapter()
        c.initialize()
        c.ask("attach", processId=process.pid)
        t.wait_for("the program to run",
                   lambda: drive.state(process.pid) in "RS")
        t.check_equal(c.pid, drive.tracer_of(process.pid))
        c.ask("disconnect", terminateDebuggee=False)
        c.wait()
        t.check(process.poll() is None, "the program is gone")
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
