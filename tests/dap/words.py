"""What the user is told, and where: messages of failures, the end of the
program."""
import os
import signal
import subprocess


def shown(c, command, **arguments):
    """Is the failure of this request shown to the user by itself?"""
    answer = c.answer(c.send(command, **arguments))
    if answer["success"]:
        raise AssertionError(f"'{command}' was not refused")
    return answer["body"]["error"]["showUser"]


def test_show_user(t):
    """Only what the user did by hand pops up; a watch or a hover that cannot
    be evaluated has its words where it stands."""
    c = t.adapter()
    c.initialize()
    t.check_equal(True, shown(c, "launch", program=f"{t.dir}/none.dll"))
    t.check_equal(True, shown(c, "attach", processId=1))
    c.launch(t.program("Hello"), {t.source("Hello"):
                                  [t.line("Hello", "first")]})
    c.stopped("breakpoint")
    frame = c.top()["id"]
    for context in ("watch", "hover", "repl", "clipboard", "variables"):
        t.check_equal(False, shown(c, "evaluate", expression="nothing",
                                   context=context, frameId=frame))
    for command, arguments in (
            ("scopes", {"frameId": 77777}),
            ("variables", {"variablesReference": 77777}),
            ("stackTrace", {"threadId": 77777}),
            ("readMemory", {"memoryReference": "0x8", "count": -1}),
            ("source", {"sourceReference": 77777})):
        t.check_equal(False, shown(c, command, **arguments))
    for command, arguments in (
            ("next", {"threadId": 77777}), ("stepIn", {"threadId": 77777}),
            ("stepOut", {"threadId": 77777}),
            ("setExpression", {"expression": "1", "value": "2",
                               "frameId": frame})):
        t.check_equal(True, shown(c, command, **arguments))
    c.go()
    c.end()


test_show_user.runtimes = ("10",)


def test_exit(t):
    """How the program ended, unless logging.processExit is off."""
    for words, args, name in (
            (t.program("Hello"), ["you", "3"], "Hello.dll"),
            (t.program("Hello", host="dotnet"), ["you", "3"], "Hello.dll"),
            (t.program("Hello", host="apphost"), ["you", "3"], "Hello")):
        c = t.adapter()
        c.launch(words + args)
        pid = c.event("process")["systemProcessId"]
        c.end(code=3)
        t.check_in(f"The program '[{pid}] {name}' has exited with code 3 "
                   "(0x3).\n", c.output("console"))
    c = t.adapter()
    c.launch(t.program("Hello"), logging={"processExit": False})
    c.end()
    t.check_not_in("exited", c.output("console"))
    c = t.adapter()
    c.launch(t.program("Signals", "kill"))
    c.end(code=128 + signal.SIGKILL)
    t.check_in("Signals.dll' was ended by SIGKILL.\n", c.output("console"))


test_exit.runtimes = ("10",)


def test_exit_restart(t):
    """A restart ends the program as the user wants: nothing is said of it."""
    c = t.adapter()
    c.launch(t.program("Hello"), {t.source("Hello"):
                                  [t.line("Hello", "first")]})
    c.stopped("breakpoint")
    c.ask("restart")
    c.stopped("breakpoint")
    t.check_not_in("The program", c.output("console"))
    c.go()
    c.end()
    t.check_equal(1, c.output("console").count("has exited with code 0 (0x0)"))


test_exit_restart.runtimes = ("10",)


def test_exit_attached(t):
    """The end of a program that was attached to, by the name of its dll."""
    process = subprocess.Popen(
        ["dotnet", t.program("Signals")[0], "term"], env=t.env, cwd=t.dir,
        stdout=subprocess.PIPE, start_new_session=True)
    try:
        t.check_in("ready", process.stdout.readline().decode())
        c = t.adapter()
        c.launch([], request="attach", processId=process.pid)
        os.kill(process.pid, signal.SIGTERM)
        c.end(code=15)
        t.check_in(f"The program '[{process.pid}] Signals.dll' has exited "
                   "with code 15 (0xf).\n", c.output("console"))
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


test_exit_attached.runtimes = ("10",)
