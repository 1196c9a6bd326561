"""A client as careless as real ones are: it waits for each answer before it
sends the next request, fills in empty strings, nulls and false for whatever
its user left out, asks at the wrong time, answers what nobody asked. Nothing
hangs, nothing crashes, each refusal is one sentence."""
import json
import os
import shutil
import signal


def post(c, message):
    """Send what the protocol does not allow."""
    c.history.append(message)
    body = json.dumps(message).encode()
    c.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)


def send(c, command, *arguments):
    c.seq += 1
    message = {"seq": c.seq, "type": "request", "command": command}
    if arguments:
        message["arguments"] = arguments[0]
    post(c, message)
    return c.seq


def say(t, c, command, *arguments):
    """The answer to a request; a refusal is one sentence."""
    answer = c.answer(send(c, command, *arguments))
    if not answer["success"]:
        words = answer["message"]
        t.check(words.strip() and "\n" not in words and len(words) < 400,
                f"no sentence: {words!r}")
    return answer


def good(t, c, command, *arguments):
    answer = say(t, c, command, *arguments)
    t.check(answer["success"], f"'{command}': {answer.get('message')}")
    return answer.get("body", {})


def bad(t, c, command, *arguments):
    t.check(not say(t, c, command, *arguments)["success"],
            f"'{command}' was not refused")


EMPTY = {
    "name": "", "args": "", "env": False, "envFile": "",
    "launchSettingsFilePath": "", "launchSettingsProfile": None,
    "stopAtEntry": "", "console": "", "noDebug": None, "justMyCode": "",
    "enableStepFiltering": None, "requireExactSource": "",
    "suppressJITOptimizations": "", "followChildren": "",
    "symbolOptions": False, "sourceFileMap": False, "logging": "",
    "preLaunchTask": "", "unknown": "", "other": None, "another": False,
    "processId": "", "processName": ""}


def test_attributes(t):
    """Empty attributes are as good as absent; paths are found below `cwd`,
    below the adapter's directory, by ~, by file:// and with backslashes."""
    os.mkdir(f"{t.dir}/bin")
    program, = t.program("Hello")
    for end in ".dll", ".pdb", ".runtimeconfig.json":
        shutil.copy(program[:-4] + end, f"{t.dir}/bin")
    for cwd, program in (
            (t.dir, "bin/Hello.dll"), ("~", "bin\\Hello.dll"),
            ("", "bin/Hello.dll"), (None, "./bin/Hello.dll"),
            (f"file://{t.dir}/bin", "Hello.dll"),
            ("bin", f"file://{t.dir}/bin/Hello.dll"),
            (f"{t.dir}/bin", "bin/Hello.dll"), ("", "~/bin/Hello.dll")):
        c = t.adapter()
        good(t, c, "initialize", {"adapterID": "", "pathFormat": "",
                                  "linesStartAt1": None, "clientID": ""})
        good(t, c, "launch", {**EMPTY, "cwd": cwd, "program": program})
        good(t, c, "configurationDone", None)
        c.end()
        t.check_in("hello world 5\nok\n", c.output())
        t.check_not_in("not served", c.output("console"))


test_attributes.runtimes = ("10",)


def test_nested(t):
    """The same inside of attributes; a file of variables below `cwd`."""
    os.mkdir(f"{t.dir}/sub")
    with open(f"{t.dir}/sub/some.env", "w") as file:
        file.write("FROM_FILE=yes\n")
    c = t.adapter()
    good(t, c, "initialize", {"adapterID": "x"})
    good(t, c, "launch", {
        "program": t.program("Signals")[0], "args": ["env", "FROM_FILE"],
        "cwd": f"{t.dir}/sub", "envFile": "some.env",
        "env": {"": "", "EMPTY": ""}, "logging": {"moduleLoad": ""},
        "sourceFileMap": {"": "", "/a": "", "/b": None, "/c": "~\\sub"},
        "symbolOptions": {"searchPaths": "", "moduleFilter": False,
                          "searchMicrosoftSymbolServer": ""}})
    good(t, c, "configurationDone")
    c.end()
    t.check_in("[yes]", c.output())


test_nested.runtimes = ("10",)


def test_files(t):
    """A FIFO in place of a file does not hold up the session."""
    os.mkdir(f"{t.dir}/Properties")
    os.mkfifo(f"{t.dir}/Properties/launchSettings.json")
    os.mkfifo(f"{t.dir}/fifo")
    c = t.adapter()
    good(t, c, "initialize", {"adapterID": "x"})
    hello = t.program("Hello")[0]
    for arguments in ({"envFile": "fifo"}, {"launchSettingsFilePath": "fifo"}):
        bad(t, c, "launch", {"program": hello, "cwd": t.dir, **arguments})
    # a profile without its file keeps no program from starting
    good(t, c, "launch", {"program": hello, "cwd": t.dir,
                          "launchSettingsProfile": "http"})
    good(t, c, "configurationDone")
    c.end()


test_files.runtimes = ("10",)


def test_session(t):
    """A whole session, one request at a time."""
    source = t.source("Hello")
    c = t.adapter()
    for command in ("threads", "launch", "setBreakpoints", "terminate",
                    "configurationDone", "evaluate", "nothing"):
        bad(t, c, command, {})
    for seq in (77, 0, "", None, -1):
        post(c, {"seq": 1, "type": "response", "request_seq": seq,
                 "command": "runInTerminal", "success": True, "body": None})
    good(t, c, "initialize", {"adapterID": "", "pathFormat": "", "locale": ""})
    t.check_equal([], good(t, c, "threads", None)["threads"])
    for command, arguments in (
            ("terminate", {"restart": None}), ("pause", {"threadId": ""}),
            ("continue", {"threadId": None}), ("stackTrace", {"threadId": ""}),
            ("evaluate", {"expression": "", "frameId": "", "context": ""}),
            ("restart", {"arguments": ""}), ("goto", {}), ("scopes", {})):
        bad(t, c, command, arguments)
    good(t, c, "setExceptionBreakpoints", {"filters": None,
                                           "filterOptions": ""})
    good(t, c, "launch", {**EMPTY, "program": t.program("Hello")[0]})
    t.check(good(t, c, "threads", {})["threads"], "no thread")
    found = good(t, c, "setBreakpoints", {
        "source": {"path": source, "name": "", "sourceReference": None},
        "sourceModified": "", "lines": None, "breakpoints": [
            {"line": t.line("Hello", "call"), "column": "", "condition": "",
             "hitCondition": None, "logMessage": ""}]})["breakpoints"]
    t.check_equal(1, len(found))
    good(t, c, "setFunctionBreakpoints", {"breakpoints": None})
    good(t, c, "configurationDone", {})
    c.stopped("breakpoint")
    frames = good(t, c, "stackTrace", {
        "threadId": c.thread, "startFrame": "", "levels": None, "format": ""})
    frame = frames["stackFrames"][0]["id"]
    for scope in good(t, c, "scopes", {"frameId": frame})["scopes"]:
        good(t, c, "variables", {
            "variablesReference": scope["variablesReference"], "filter": "",
            "start": "", "count": None, "format": None})
    good(t, c, "evaluate", {"expression": "who", "frameId": frame,
                            "context": None, "format": ""})
    bad(t, c, "evaluate", {"expression": "", "frameId": frame})
    good(t, c, "next", {"threadId": c.thread, "singleThread": "",
                        "granularity": ""})
    c.stopped("step")
    good(t, c, "continue", {"threadId": c.thread, "singleThread": None})
    c.event("exited", exitCode=0)
    c.event("terminated")
    for command in ("terminate", "pause", "continue", "stackTrace", "launch"):
        bad(t, c, command, {"threadId": c.thread})
    good(t, c, "threads", {})
    good(t, c, "disconnect", {"restart": None, "terminateDebuggee": ""})
    c.wait()
    t.check_in("hello world 5\nok\n", c.output())


def test_terminate_twice(t):
    """The second `terminate` ends a program that does not heed the first."""
    c = t.adapter()
    good(t, c, "initialize", {"adapterID": "x"})
    good(t, c, "launch", {"program": t.program("Signals")[0],
                          "args": ["deaf"]})
    good(t, c, "configurationDone")
    c.until("ready", lambda: "ready" in c.output())
    good(t, c, "terminate", {"restart": ""})
    good(t, c, "terminate", None)
    c.end(code=128 + signal.SIGKILL)


test_terminate_twice.runtimes = ("10",)


STEPS = (("initialize", {"adapterID": "x"}), ("threads", {}), ("launch", None),
         ("terminate", {}), ("disconnect", {}))


def test_leave_anywhere(t):
    """`disconnect` at any moment, with the answers before it awaited or not:
    it is answered, the adapter ends, and so does the program."""
    words = t.program("HitLoop", "5")
    launch = {"program": words[0], "args": words[1:]}
    for waits in (True, False):
        for n in range(len(STEPS)):
            c = t.adapter()
            for command, arguments in STEPS[:n]:
                seq = send(c, command,
                           launch if command == "launch" else arguments)
                if waits and command != "disconnect":
                    c.answer(seq)
            t.check(c.answer(send(c, "disconnect", {}))["success"], "refused")
            c.wait()
            t.wait_for("the program's end", lambda: not t.processes())


test_leave_anywhere.runtimes = ("10",)
