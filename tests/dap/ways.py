"""Ways to begin and to end: launch.json, terminals, attach, restart."""
import fcntl
import json
import os
import pty
import shutil
import signal
import subprocess
import termios

import drive
from dapdrive import Client


def test_attributes(t):
    """Arguments, directory, variables, in all their forms."""
    where = os.path.realpath(t.dir)
    with open(f"{t.dir}/some.env", "w") as file:
        file.write('# comment\nFROM_FILE = "a b"\nBOTH=file\n')
    for args, wanted in ((["args", "two words", "", "ü"],
                          "[two words]\n[]\n[ü]\n"),
                         ("args 'two words' \"\" ü", "[two words]\n[]\n[ü]\n"),
                         (["cwd"], where),
                         (["env", "FROM_FILE"], "a b"),
                         (["env", "BOTH"], "launch"),
                         (["env", "HOME"], "[]\n")):
        c = t.adapter()
        c.launch(t.program("Signals"), args=args, cwd=t.dir,
                 envFile=f"{t.dir}/some.env",
                 env={"BOTH": "launch", "HOME": None})
        c.end(code=None)
        t.check_in(wanted, c.output())


test_attributes.runtimes = ("10",)


def test_command_line(t):
    """What the command line says holds for what launch.json leaves out."""
    where = os.path.realpath(t.dir)
    program = t.program("Signals")
    line = ["--cwd", t.dir, "--env", "MODE=line", "--env", "HOME", "--args",
            *program]
    for words, more, wanted in ((["cwd"], {}, where),
                                (["env", "MODE"], {}, "[line]\n"),
                                (["env", "HOME"], {}, "[]\n"),
                                (["cwd"], {"args": ["env", "MODE"],
                                           "env": {"MODE": "launch"}},
                                 "[launch]\n"),
                                (["cwd"], {"cwd": "/"}, "[/]\n")):
        c = t.adapter(*line, *words)
        c.launch([], **more)
        c.end(code=None)
        t.check_in(wanted, c.output())


test_command_line.runtimes = ("10",)


def test_console_launch(t):
    """At the debug console the prompt's commands show and change what is
    launched; the client starts it."""
    source = t.source("HitLoop")
    c = t.adapter()
    c.launch(t.program("HitLoop", "5", "one two"),
             {source: [t.line("HitLoop", "hit")]}, env={"MODE": "x"})
    c.stopped("breakpoint")

    def command(text):
        return c.evaluate(f"-exec {text}", "repl")["result"]

    t.check_equal("args: 5 'one two'\n", command("show args"))
    t.check_equal("MODE=x\n", command("show environment"))
    t.check_match(r"\n\* 1 +process \d+ +/.*/HitLoop\.dll\n$",
                  command("info inferiors"))
    for text in "run", "start", "attach 1", "core-file none":
        t.check_equal("The client starts and restarts the program.",
                      c.refused("evaluate", expression=f"-exec {text}",
                                context="repl"))
    t.check_equal("0", c.evaluate("i")["result"])
    c.set_breaks(source, [])
    c.go()
    c.end(code=None)


test_console_launch.runtimes = ("10",)


def test_profile(t):
    """launchSettings.json: the first profile of the project, or a named one;
    launch.json goes first."""
    os.mkdir(f"{t.dir}/Properties")
    with open(f"{t.dir}/Properties/launchSettings.json", "w") as file:
        file.write('\ufeff// made by a template\n' + json.dumps({"profiles": {
            "iis": {"commandName": "IISExpress",
                    "environmentVariables": {"MODE": "iis"}},
            "http": {"commandName": "Project", "commandLineArgs": "env MODE",
                     "applicationUrl": "http://localhost:5000",
                     "environmentVariables": {"MODE": "http"}},
            "other": {"commandName": "Project", "commandLineArgs": "env MODE",
                      "environmentVariables": {"MODE": "other"}}}}))
    for more, wanted in (({}, "http"),
                         ({"launchSettingsProfile": "other"}, "other"),
                         ({"env": {"MODE": "own"}}, "own"),
                         ({"args": ["env", "ASPNETCORE_URLS"]},
                          "http://localhost:5000")):
        c = t.adapter()
        c.launch(t.program("Signals"), cwd=t.dir, **more)
        c.end(code=None)
        t.check_in(wanted, c.output())
    c = t.adapter()
    c.initialize()
    t.check_in("has no profile 'absent'", c.refused(
        "launch", program="x", cwd=t.dir, launchSettingsProfile="absent"))
    c = t.adapter()
    c.launch(t.program("Hello"), launchSettingsProfile="http", cwd="/")
    c.end()
    t.check_in("launchSettings.json': No such file or directory; the program "
               "is started without", c.output("console"))


test_profile.runtimes = ("10",)


def test_profile_as_dotnet_run(t):
    """Arguments are split by .NET's rules, the profile's name is told to the
    program, a comma too many is passed over; a file that nobody has named and
    that cannot be read ends no launch."""
    os.mkdir(f"{t.dir}/Properties")
    path = f"{t.dir}/Properties/launchSettings.json"

    def settings(line):
        with open(path, "w") as file:
            file.write('{"profiles": {"App": {"commandName": "Project", '
                       '"environmentVariables": {"A": "1,}",},'
                       f'"commandLineArgs": {json.dumps(line)},}},}},')
            file.write("}")

    for line, wanted in (('args "a b" \'c d\' e:\\f\\ \\d+ "g\\\\"',
                          "[a b]\n['c]\n[d']\n[e:\\f\\]\n[\\d+]\n[g\\]\n"),
                         ("env DOTNET_LAUNCH_PROFILE", "[App]\n"),
                         ("env A", "[1,}]\n")):
        settings(line)
        c = t.adapter()
        c.launch(t.program("Signals"), cwd=t.dir)
        c.end(code=None)
        t.check_in(wanted, c.output())
    with open(path, "w") as file:
        file.write("{ not JSON")
    c = t.adapter()
    c.launch(t.program("Signals"), cwd=t.dir, args=["env", "HOME"])
    c.end(code=None)
    t.check_in(t.dir, c.output())
    t.check_in(f"'{path}' is no JSON; the program is started without",
               c.output("console"))


test_profile_as_dotnet_run.runtimes = ("10",)


def test_env_file(t):
    """Quotes of both kinds, new lines and comments in files of variables."""
    with open(f"{t.dir}/some.env", "w") as file:
        file.write("ONE='s q'\nNL=\"a\\nb\"\nTAIL=\"q v\" # trailing\n"
                   "BARE=a=b # c\nODD='x\n")
    for name, wanted in (("ONE", "s q"), ("NL", "a\nb"), ("TAIL", "q v"),
                         ("BARE", "a=b # c"), ("ODD", "'x")):
        c = t.adapter()
        c.launch(t.program("Signals"), args=["env", name],
                 envFile=f"{t.dir}/some.env")
        c.end(code=None)
        t.check_in(f"[{wanted}]\n", c.output())


test_env_file.runtimes = ("10",)


def test_wrong(t):
    """A wrong value fails the launch and is named; what is not known is
    named and does no harm; a second try may be right."""
    c = t.adapter()
    c.initialize()
    for arguments, wanted in (
            ({}, "'program' is missing"),
            ({"program": 7}, "'program' must be a string"),
            ({"program": "x", "args": 7}, "'args' must be an array"),
            ({"program": "x", "args": [[]]}, "'args' must hold strings"),
            ({"program": "x", "env": {"A": []}}, "'A' in 'env'"),
            ({"program": "x", "envFile": "/no/file"}, "/no/file"),
            ({"program": "x", "stopAtEntry": "yes"}, "'stopAtEntry'"),
            ({"program": "x", "console": "tty"}, "not 'tty'"),
            ({"program": "x", "justMyCode": 1}, "'justMyCode'"),
            ({"program": "x", "sourceFileMap": ["a"]}, "'sourceFileMap'"),
            ({"program": "x", "sourceFileMap": {"/a": 1}}, "'/a' in 'source"),
            ({"program": "x", "sourceFileMap": {'"a b': "c"}}, "a quote"),
            ({"program": "x", "cwd": 7}, "'cwd' must be a string"),
            ({"program": "x", "args": "'open"}, "quote"),
            ({"program": "x", "noDebug": 1}, "'noDebug'"),
            ({"program": "x", "enableStepFiltering": 1}, "'enableStep"),
            ({"program": "x", "requireExactSource": 1}, "'requireExact"),
            ({"program": "x", "suppressJITOptimizations": 1}, "'suppressJIT"),
            ({"program": "x", "followChildren": 7}, "'followChildren'"),
            ({"program": "x", "launchSettingsProfile": 7}, "'launchSettings"),
            ({"program": "x", "launchSettingsFilePath": 7}, "'launchSettings"),
            ({"program": "x", "launchSettingsFilePath": "/no/file"},
             "/no/file"),
            ({"program": "x", "logging": 7}, "'logging'"),
            ({"program": "x", "logging": {"moduleLoad": 1}}, "'moduleLoad'"),
            ({"program": "x", "symbolOptions": 7}, "'symbolOptions'"),
            ({"program": "x", "symbolOptions": {"searchPaths": [1]}},
             "'searchPaths' must hold strings"),
            ({"program": "x", "symbolOptions": {"searchPaths": ["a:b"]}},
             "'a:b' in 'searchPaths'"),
            ({"program": "x", "symbolOptions": {"moduleFilter": {
                "mode": "some"}}}, "loadOnlyIncluded, not 'some'"),
            ({"program": "x", "symbolOptions": {"moduleFilter": {
                "excludedModules": [1]}}}, "'excludedModules'")):
        t.check_in(wanted, c.refused("launch", **arguments))
    for arguments, wanted in (
            ({}, "'processId' is missing"),
            ({"processId": "abc"}, "not 'abc'"),
            ({"processId": 1.5}, "'processId'"),
            ({"processName": 7}, "'processName'"),
            ({"processId": -1}, "'processId'")):
        t.check_in(wanted, c.refused("attach", **arguments))
    seq = c.send("launch", program=f"{t.dir}/none.dll")
    c.ask("configurationDone")
    answer = c.answer(seq)
    t.check_equal(False, answer["success"])
    t.check_in("none.dll", answer["message"])
    t.check_in("none.dll", answer["body"]["error"]["format"])
    seq = c.send("launch", program=t.program("Hello")[0], someThing=1,
                 processId=7, logging={"exceptions": True, "trace": False,
                                       "moduleLoad": True, "threadExit": True})
    t.check_equal(True, c.answer(seq)["success"])
    c.end()
    said = c.output("console")
    t.check_in("The attribute 'someThing' is not served", said)
    t.check_in("The attribute 'processId' has no meaning for 'launch'", said)
    t.check_in("The attribute 'logging.exceptions' is not served", said)
    t.check_not_in("trace", said)
    t.check_match(r"(?m)^Loaded '.*/Hello\.dll'\. .*Hello\.pdb$", said)
    t.check_match(r"(?m)^Thread \d+ has ended\.$", said)
    t.check_in("hello world 5\nok\n", c.output())


def test_entry(t):
    """stopAtEntry stops before the first statement of Main."""
    c = t.adapter()
    c.launch(t.program("Hello"), stopAtEntry=True)
    c.stopped("entry")
    t.check_in("Main(", c.top()["name"])
    t.check_equal("", c.output())
    c.go()
    c.end()


def test_no_debug(t):
    """noDebug: nothing stops the program."""
    source = t.source("Throws")
    c = t.adapter()
    c.launch(t.program("Throws", "inner"), {source: [t.line("Throws", "main")]},
             configure=lambda c: c.ask("setExceptionBreakpoints",
                                       filters=["all"]),
             noDebug=True, stopAtEntry=True)
    c.end()
    t.check(not c.has_event("stopped"), "stopped")


def test_no_debug_unseen(t):
    """noDebug: the program finds no debugger, and Break is nothing to it."""
    for words, said in ((("poll", "3"), "yes 0\n"),
                        (("break",), "\nb ")):
        c = t.adapter()
        c.launch(t.program("Asking", *words), noDebug=True)
        c.end()
        t.check_in(said, c.output())
        t.check(not c.has_event("stopped"), "stopped")


def test_input(t):
    """What is typed at the console while the program runs is its input."""
    c = t.adapter()
    c.launch(t.program("Signals", "stdin"))
    c.event("process")
    for line in ("one", "zwölf"):
        c.ask("evaluate", expression=line, context="repl")
        c.until(line, lambda: line.upper() in c.output())
    c.ask("disconnect", terminateDebuggee=True)
    c.wait()


def take_terminal():
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


def helper_of(c):
    """Run in a terminal of ours what the adapter wants; the terminal."""
    asked = c.request("runInTerminal")
    master, slave = pty.openpty()
    process = subprocess.Popen(asked["arguments"]["args"], stdin=slave,
                               stdout=slave, stderr=slave,
                               preexec_fn=take_terminal,
                               env=c.test.env)
    os.close(slave)
    c.post({"seq": 1000 + asked["seq"], "type": "response", "success": True,
            "request_seq": asked["seq"], "command": "runInTerminal",
            "body": {"shellProcessId": 1}})
    return asked["arguments"], master, process


def read_until(t, master, wanted):
    text = b""

    def more():
        nonlocal text
        text += os.read(master, 4096)
        return wanted in text.decode(errors="replace")

    t.wait_for(f"'{wanted}' at the terminal", more)
    return text.decode()


def test_terminal(t):
    """integratedTerminal: the program has the client's terminal, its keys
    reach it, and its exit status ends the helper."""
    c = t.adapter()
    c.initialize()
    seq = c.send("launch", program=t.program("Signals")[0], args=["stdin"],
                 console="integratedTerminal", cwd=t.dir)
    c.ask("configurationDone")
    arguments, master, process = helper_of(c)
    try:
        t.check_equal("integrated", arguments["kind"])
        t.check_equal(t.dir, arguments["cwd"])
        t.check_equal(True, c.answer(seq)["success"])
        os.write(master, b"typed\n")
        read_until(t, master, "TYPED")
        os.write(master, b"\x04")
        t.check_equal(0, c.event("exited")["exitCode"])
        t.check_equal(0, process.wait(20 * drive.TIME))
        t.check_equal("", c.output())
        c.ask("disconnect")
        c.wait()
    finally:
        process.kill()
        process.wait()
        os.close(master)


def test_terminal_signal(t):
    """Ctrl-C in the terminal goes to the program, as without a debugger, and
    is no stop."""
    c = t.adapter()
    c.initialize()
    seq = c.send("launch", program=t.program("Signals")[0], args=["stdin"],
                 console="integratedTerminal", cwd=t.dir)
    c.ask("configurationDone")
    _, master, process = helper_of(c)
    try:
        t.check_equal(True, c.answer(seq)["success"])
        os.write(master, b"typed\n")
        read_until(t, master, "TYPED")
        os.write(master, b"\x03")
        t.check_equal(128 + signal.SIGINT, c.event("exited")["exitCode"])
        t.check(not c.has_event("stopped"), "stopped")
        c.ask("disconnect")
        c.wait()
    finally:
        process.kill()
        process.wait()
        os.close(master)


def test_terminal_refused(t):
    """A client that gives no terminal: the launch fails in words."""
    c = t.adapter()
    c.initialize()
    seq = c.send("launch", program=t.program("Hello")[0],
                 console="externalTerminal")
    c.ask("configurationDone")
    asked = c.request("runInTerminal")
    t.check_equal("external", asked["arguments"]["kind"])
    c.post({"seq": 1000, "type": "response", "success": False,
            "request_seq": asked["seq"], "command": "runInTerminal",
            "message": "no terminals today"})
    t.check_in("no terminals today", c.answer(seq)["message"])
    c.ask("disconnect")
    c.wait()
    c = t.adapter()
    c.initialize(supportsRunInTerminalRequest=False)
    seq = c.send("launch", program=t.program("Hello")[0],
                 console="integratedTerminal")
    c.ask("configurationDone")
    t.check_in("internalConsole", c.answer(seq)["message"])


def test_terminal_cancelled(t):
    """A launch that waits for the client's terminal is given up, by the id of
    its progress or by its own; then another may come."""
    c = t.adapter()
    c.initialize()
    for name in "progressId", "requestId":
        seq = c.send("launch", program=t.program("Hello")[0],
                     console="integratedTerminal")
        if name == "progressId":
            c.ask("configurationDone")
        c.request("runInTerminal")
        start = c.event("progressStart", requestId=seq)
        t.check_equal(True, start["cancellable"])
        c.ask("cancel", **{name: start[name]})
        t.check_equal("cancelled", c.answer(seq)["message"])
        c.event("progressEnd", progressId=start["progressId"])
    c.ask("cancel", requestId=12345)
    seq = c.send("launch", program=t.program("Hello")[0])
    t.check_equal(True, c.answer(seq)["success"])
    c.end()
    t.check_in("hello world 5\nok\n", c.output())


def test_vsdbg(t):
    """All that a launch.json of vsdbg may hold is taken; what has no effect and
    matters is named, in a line each."""
    c = t.adapter()
    c.launch(t.program("Hello"), type="coreclr", cwd=t.dir, stopAtEntry=False,
             launchSettingsFilePath="", launchSettingsProfile=None,
             env={"A": "b"}, envFile="", console="internalConsole",
             externalConsole=False, sourceFileMap={"/a": "/b"}, justMyCode=True,
             requireExactSource=False, enableStepFiltering=True,
             logging={"exceptions": False, "moduleLoad": False,
                      "programOutput": True, "browserStdOut": True,
                      "elapsedTiming": True, "threadExit": False,
                      "processExit": True, "engineLogging": True,
                      "diagnosticsLog": {"protocolMessages": True},
                      "consoleUsageMessage": True},
             suppressJITOptimizations=False,
             symbolOptions={"searchPaths": [], "cachePath": "",
                            "searchMicrosoftSymbolServer": False,
                            "searchNuGetOrgSymbolServer": False,
                            "moduleFilter": {"mode": "loadAllButExcluded",
                                             "excludedModules": []}},
             sourceLinkOptions={"*": {"enabled": True}},
             expressionEvaluationOptions={
                 "allowImplicitFuncEval": False, "allowToString": True,
                 "allowFastEvaluate": True, "showRawValues": False},
             targetOutputLogPath=f"{t.dir}/printed",
             targetArchitecture="x86_64", checkForDevCert=True,
             terminateChildProcesses=True)
    c.end()
    said = [line for line in c.output("console").splitlines()
            if "exited with" not in line]
    t.check_equal(["The attribute 'terminateChildProcesses' is not served; it "
                   "has no effect."], said)


def test_restart(t):
    """restart: the same program again, with its breakpoints."""
    source = t.source("Hello")
    c = t.adapter()
    c.launch(t.program("Hello"), {source: [t.line("Hello", "call")]})
    c.stopped("breakpoint")
    first = c.event("process")["systemProcessId"]
    old = {m["body"]["threadId"] for m in c.history
           if m.get("event") == "thread"}
    c.events.clear()
    c.ask("restart")
    # else a client shows the old stop until the next
    t.check_equal(True, c.event("continued")["allThreadsContinued"])
    for number in old:
        c.event("thread", reason="exited", threadId=number)
    second = c.event("process")["systemProcessId"]
    t.check_equal("process", [m["event"] for m in c.history
                              if m.get("event") in ("process", "thread")
                              and m["body"].get("reason") != "started"][-1])
    t.check(first != second, "the same process")
    c.stopped("breakpoint")
    t.check_equal("2", c.evaluate("1 + 1")["result"])
    t.check(not c.has_event("terminated"), "told to be over")
    # with other arguments
    c.ask("restart", arguments={"program": t.program("Hello")[0],
                                "args": ["again"]})
    c.event("process")
    c.stopped("breakpoint")
    c.go()
    c.event("exited", exitCode=0)
    c.event("terminated")
    t.check_in("hello again 5\n", c.output())
    # and after its end
    t.check_in("'program'", c.refused("restart", arguments={"program": 7}))
    c.ask("restart")
    c.stopped("breakpoint")
    c.go()
    c.end()
    t.check_equal(2, c.output().count("hello again 5\n"))


def test_terminate(t):
    """terminate asks first; a program that does not listen is killed."""
    c = t.adapter()
    c.launch(t.program("Signals", "term"))
    c.until("ready", lambda: "ready\n" in c.output())
    c.ask("terminate")
    c.end(code=15)
    source = t.source("HitLoop")
    c = t.adapter()
    c.launch(t.program("HitLoop", "5"), {source: [t.line("HitLoop", "hit")]})
    c.stopped("breakpoint")
    c.ask("terminate")
    c.end(code=None)


def test_terminate_deaf(t):
    """A program that does not heed is killed after a while, which is shown;
    asked again at once."""
    for again in (False, True):
        c = t.adapter()
        c.launch(t.program("Signals", "deaf"))
        c.until("ready", lambda: "ready" in c.output())
        c.ask("terminate")
        body = c.event("progressStart")
        t.check_equal("Waiting for the program to end", body["title"])
        if again:
            c.ask("terminate")
        c.event("progressEnd", progressId=body["progressId"])
        c.end(code=128 + signal.SIGKILL)
        if not again:
            t.check_in("did not end when asked", c.output("console"))


test_terminate_deaf.runtimes = ("10",)


def start_sleeper(t):
    """A program of ours, not under a debugger, with a name of its own."""
    name = f"{t.dir}/Sleeper{t.tag}"
    program, = t.program("Signals")
    for end in ".dll", ".pdb", ".runtimeconfig.json":
        shutil.copy(program[:-4] + end, name + end)
    process = subprocess.Popen(
        ["dotnet", name + ".dll", "sleep"], env=t.env, cwd=t.dir,
        stdout=subprocess.PIPE, start_new_session=True)
    t.check_in("ready", process.stdout.readline().decode())
    return process


def test_attach(t):
    """Attach by number, in both forms; the program runs on; after the end of
    the session it is untouched, also without a goodbye."""
    process = start_sleeper(t)
    try:
        for more in ({"processId": process.pid},
                     {"processId": str(process.pid)}):
            c = t.adapter()
            c.launch([], request="attach", **more)
            body = c.event("process")
            t.check_equal(process.pid, body["systemProcessId"])
            t.check_equal(os.readlink(f"/proc/{process.pid}/exe"),
                          body["name"])
            c.ask("pause", threadId=1)
            c.stopped("pause")
            t.check(any("Main(" in f["name"] for f in c.frames()),
                    "no Main in the stack")
            if isinstance(more["processId"], str):
                c.stdin.close()
                c.wait()
            else:
                c.ask("disconnect", terminateDebuggee=False)
                c.wait()
            t.check_equal(0, drive.tracer_of(process.pid))
            t.check(process.poll() is None, "the program is gone")
        c = t.adapter()
        c.launch([], request="attach", processId=process.pid)
        c.ask("disconnect", terminateDebuggee=True)
        c.wait()
        t.check_equal(-signal.SIGKILL, process.wait(20 * drive.TIME))
    finally:
        c.close()
        process.kill()
        process.wait()
        process.stdout.close()


def test_attach_by_name(t):
    """Attach by the name of the program; of several, or none, in words."""
    one = start_sleeper(t)
    two = start_sleeper(t)
    name = f"Sleeper{t.tag}"
    try:
        c = t.adapter()
        c.initialize()
        c.ask("configurationDone")
        for wanted in name, name + ".dll":
            words = c.refused("attach", processName=wanted)
            for process in one, two:
                t.check_in(str(process.pid), words)
        t.check_in("no .NET program is called 'Absent'",
                   c.refused("attach", processName="Absent"))
        two.kill()
        two.wait()
        c.ask("attach", processName=name)
        body = c.event("process")
        t.check_equal((one.pid, "attach"),
                      (body["systemProcessId"], body["startMethod"]))
        c.ask("disconnect")
        c.wait()
        t.check_equal(0, drive.tracer_of(one.pid))
        t.check(one.poll() is None, "the program is gone")
    finally:
        for process in one, two:
            process.kill()
            process.wait()
            process.stdout.close()


def test_pipe(t):
    """Over a pipe of the client's making, such as ssh's, and in a shell."""
    c = t.adapter(command=["sh", "-c", f"cat | '{t.dndbg}' dap | cat"])
    c.launch(t.program("Hello"))
    c.event("exited", exitCode=0)
    c.event("terminated")
    c.ask("disconnect")
    c.stdin.close()
    c.wait()
    t.check_in("hello world 5\nok\n", c.output())


def test_quiet(t):
    """logging.programOutput: without it the program's output is not shown."""
    c = t.adapter()
    c.launch(t.program("Hello"), logging={"programOutput": False})
    c.end()
    t.check_equal("", c.output())


def test_children(t):
    """followChildren: each child is a session of its own from its first
    instruction on; parent and child end as they do alone."""
    source = t.source("Children")
    parent = t.adapter()
    shared = {"justMyCode": False, "sourceFileMap": {"/built": "/here"},
              "type": "own"}
    parent.launch(t.program("Children", "start", "2"), followChildren=True,
                  console="internalConsole", **shared)
    for number in ("1", "2"):
        asked = parent.request("startDebugging")
        arguments = asked["arguments"]
        t.check_equal("attach", arguments["request"])
        # How to debug holds for the child too, what to start does not.
        t.check_equal({"request", "name", "processId", "__wake",
                       "followChildren", *shared},
                      set(arguments["configuration"]))
        t.check_equal(shared, {name: arguments["configuration"][name]
                               for name in shared})
        parent.post({"seq": 1000 + asked["seq"], "type": "response",
                     "success": True, "request_seq": asked["seq"],
                     "command": "startDebugging"})
        child = t.adapter()
        more = {name: value for name, value in arguments["configuration"].items()
                if name not in ("request", "type")}
        child.launch([], {source: [t.line("Children", "child")]},
                     request="attach", **more)
        child.stopped("breakpoint")
        t.check_equal(number, child.evaluate("number")["result"])
        child.go()
        child.end(code=int(number))
    parent.end()
    t.check_in("child 1\nchild 2\nsum 3 3\n", parent.output())


def test_children_refused(t):
    """A child that the client starts no session for runs alone, whether the
    client says so or leaves before it has answered; one that could not is
    told at once."""
    words = t.program("Children", "start", "1")
    parent = t.adapter()
    parent.launch(words, followChildren=True)
    asked = parent.request("startDebugging")
    parent.post({"seq": 1000, "type": "response", "success": False,
                 "request_seq": asked["seq"], "command": "startDebugging",
                 "message": "no"})
    parent.end()
    t.check_in("child 1\nsum 1 1\n", parent.output())
    t.check_in("the client started no session for it", parent.output("console"))

    parent = t.adapter()
    parent.launch(words, followChildren=True)
    child = parent.request("startDebugging")["arguments"]["configuration"]
    parent.ask("disconnect", terminateDebuggee=False)
    parent.wait()
    t.wait_gone(child["processId"])

    parent = t.adapter()
    parent.initialize(supportsStartDebuggingRequest=False)
    for wanted in (True, "testhost*"):
        t.check_in("leave 'followChildren' out", parent.refused(
            "launch", program=words[0], followChildren=wanted))
