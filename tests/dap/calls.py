"""Expressions and assignments for which the program makes calls."""
import hashlib

from survivor import Caller


def stand(t, *args, **more):
    """The adapter with the program at @stop."""
    c = t.adapter()
    more.setdefault("callTimeout", 600000)
    c.launch(t.program("Calls", *args), {t.source("Calls"):
                                         [t.line("Calls", "stop")]}, **more)
    c.stopped("breakpoint")
    return c


def leave(c):
    c.ask("disconnect", terminateDebuggee=True)
    c.wait()


def said(t, c, line):
    """Wait for a line of the program's."""
    c.until(f"the line '{line}'", lambda: line + "\n" in c.output() or None)


def test_ids(t):
    """What was handed out is right after calls that moved everything; no stop
    is told; only what the user typed makes the client ask anew."""
    c = stand(t, evaluation="call")
    frame = c.top()["id"]
    scopes = c.ask("scopes", frameId=frame)["scopes"]
    inside = [s["variablesReference"] for s in scopes
              if s["name"] == "Locals"][0]
    box = c.variables(inside)["late"]["variablesReference"]
    data = c.variables(box)["Data"]["variablesReference"]
    seen = [c.variables(at) for at in (inside, box, data)]
    where = {c.variables(inside)["late"]["memoryReference"]}
    c.history.clear()
    t.check_equal("3", c.evaluate("Program.Make(3).Number", frame=frame)
                  ["result"])
    where.add(c.variables(inside)["late"]["memoryReference"])
    t.check(not c.has_event("invalidated"), "a watch has told of changes")
    t.check_equal("4", c.evaluate("Program.Make(4).Number", "repl", frame)
                  ["result"])
    c.event("invalidated")
    where.add(c.variables(inside)["late"]["memoryReference"])
    t.check(len(where) > 1, "nothing was moved")
    for at, before in zip((data, box, inside), reversed(seen)):
        now = c.variables(at)
        t.check_equal([(n, v["value"]) for n, v in before.items()],
                      [(n, v["value"]) for n, v in now.items()])
    made = c.evaluate("Program.Make(6)", frame=frame)
    t.check_equal("6", c.variables(made["variablesReference"])["Number"]
                  ["value"])
    t.check_equal("9", c.evaluate("crate.Number", frame=frame)["result"])
    t.check_equal("7", c.evaluate("Program.Make(7).Number", frame=frame)
                  ["result"])
    for number in (8, 10):
        t.check_equal(str(number), c.evaluate(f"Program.Make({number}).Number",
                                              frame=frame)["result"])
        inside = c.variables(made["variablesReference"])
        t.check_equal(("6", '"box6"'), (inside["Number"]["value"],
                                        inside["Name"]["value"]))
    late = c.evaluate("Program.Late()", frame=frame)["variablesReference"]
    thrown = c.evaluate("Program.Make(101)", frame=frame)
    t.check_equal('{System.InvalidOperationException: "moved"}',
                  thrown["result"])
    t.check_equal(("11", '"box11"'),
                  tuple(c.variables(late)[n]["value"]
                        for n in ("Number", "Name")))
    thrown = c.variables(thrown["variablesReference"])
    t.check_equal('"moved"', thrown["Message"]["value"])
    t.check(not c.has_event("stopped") and not c.has_event("continued"),
            "the client was told of the calls' own runs")
    c.set_breaks(t.source("Calls"), [])
    c.go()
    c.end()
    t.check_in("right 0", c.output())


def checksum(pid):
    """Of all that the program could write and nobody shares."""
    found = hashlib.sha256()
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem",
                                                 "rb", 0) as memory:
        for line in maps:
            words = line.split()
            first, end = (int(x, 16) for x in words[0].split("-"))
            if "w" not in words[1] or "p" not in words[1]:
                continue
            for at in range(first, end, 1 << 20):
                memory.seek(at)
                found.update(memory.read(min(1 << 20, end - at)))
    return found.hexdigest()


def test_untouched(t):
    """A thousand evaluations that are interpreted, also of what writes, leave
    every byte of the program's memory as it was."""
    c = stand(t)
    pid = c.event("process")["systemProcessId"]
    frame = c.top()["id"]
    texts = ("box.Half", "crate.Kind()", 'box.Add("text")', "point.Length",
             "(point + point).Y", 'map["a"] + map.Count', "new Box(5).Name",
             "box.Change(5)", "Box.Changes", "box.ToString().Length")
    before = checksum(pid)
    for i in range(60):
        for text in texts:
            c.evaluate(text, ("watch", "repl", "hover")[i % 3], frame)
    for i in range(40):
        for text in texts:
            c.evaluate("-exec print " + text, "repl", frame)
    t.check_equal(before, checksum(pid))
    c.evaluate("box.Number = 8", "repl", frame)
    t.check(before != checksum(pid), "the checksum does not see what changes")
    leave(c)


def test_policy(t):
    """What the user typed is called, what the client evaluates of its own
    accord is not; a property that needs a call is made when it is asked for;
    an exception is its value, and an error of the property."""
    c = stand(t)
    frame = c.top()["id"]
    for context in ("repl", "watch", "clipboard"):
        t.check_equal("3", c.evaluate("Program.Threads()", context, frame)
                      ["result"])
    for context in ("hover", "variables", ""):
        t.check_in("without running the program", c.refused(
            "evaluate", expression="Program.Threads()", context=context,
            frameId=frame))
    thrown = c.evaluate("crate.Broken", "watch", frame)
    t.check_equal('{System.InvalidOperationException: "broken"}',
                  thrown["result"])
    t.check_equal('"broken"', c.variables(thrown["variablesReference"])
                  ["Message"]["value"])
    members = c.variables(c.scope("Locals", frame)["box"]
                          ["variablesReference"])
    lazy = {n: v["variablesReference"] for n, v in members.items()
            if v.get("presentationHint", {}).get("lazy")}
    t.check_equal(["Broken", "Id"], sorted(lazy))
    asked = c.ask("variables", variablesReference=lazy["Id"])["variables"]
    t.check_equal([("Id", "8")], [(v["name"], v["value"]) for v in asked])
    t.check_in("threw System.InvalidOperationException: broken",
               c.refused("variables", variablesReference=lazy["Broken"]))
    t.check_in("set it in the object that has it", c.refused(
        "setVariable", variablesReference=lazy["Id"], name="Id", value="3"))
    told = c.ask("dataBreakpointInfo", variablesReference=lazy["Id"],
                 name="Id")
    t.check_equal(None, told["dataId"])
    t.check_in("no variables of its own", told["description"])
    leave(c)


def test_assigned(t):
    """Setters are called, strings are made; the client is told."""
    c = stand(t)
    frame = c.top()["id"]
    box = c.scope("Locals", frame)["box"]["variablesReference"]
    t.check_equal('"one1"', c.ask("setVariable", variablesReference=box,
                                  name="Label", value='"one"')["value"])
    c.event("invalidated")
    t.check_equal('"two2"', c.ask("setExpression", expression="crate.Label",
                                  value='"two"', frameId=frame)["value"])
    t.check_equal('"made"', c.ask("setExpression", expression="word",
                                  value='"made"', frameId=frame)["value"])
    t.check_equal('"made"', c.evaluate("word", "hover", frame)["result"])
    t.check_equal('"one1"', c.variables(box)["Label"]["value"])
    leave(c)


def test_settings(t):
    """launch.json says what may be called, and for how long."""
    c = stand(t, evaluation="interpret",
              expressionEvaluationOptions={"allowImplicitFuncEval": True})
    t.check_in("without running the program", c.refused(
        "evaluate", expression="Program.Threads()", context="repl",
        frameId=c.top()["id"]))
    leave(c)
    c = stand(t, expressionEvaluationOptions={"allowImplicitFuncEval": True})
    t.check_equal("3", c.evaluate("Program.Threads()", "hover")["result"])
    leave(c)
    for name, value in (("evaluation", "never"), ("callTimeout", -1),
                        ("callThreads", 7)):
        c = t.adapter()
        c.initialize()
        t.check_in(f"'{name}'", c.refused("launch", program="x",
                                          **{name: value}))
        c.ask("disconnect")
        c.wait()


def test_blocked(t):
    """While a call runs requests are answered that need no stop, others wait;
    `cancel` and `pause` give it up, and it goes on with the program."""
    c = stand(t)
    frame = c.top()["id"]
    asked = c.send("evaluate", expression="Program.Forever()", context="repl",
                   frameId=frame)
    said(t, c, "forever")
    waits = c.send("scopes", frameId=frame)
    t.check(c.ask("threads")["threads"], "no threads")
    t.check(not c.has_event("stopped"), "a stop was told")
    c.ask("cancel", requestId=asked)
    answer = c.answer(asked)
    t.check_in("the program stopped in the call of 'Calls.Program.Forever()'",
               answer["message"])
    t.check_equal(False, c.answer(waits)["success"])
    c.stopped("pause")
    t.check("Calls.Program.Forever()" in [f["name"] for f in c.frames()],
            "the thread is not in the call")
    # one goes on already
    t.check_in("has not returned yet", c.refused(
        "evaluate", expression="Program.Threads()", context="repl",
        frameId=c.top()["id"]))
    t.check_equal("true", c.evaluate("Calls.Program.over = true", "repl")
                  ["result"])
    c.go()
    t.check_in("has returned", c.stopped()["text"])
    t.check_equal(t.line("Calls", "stop"), c.top()["line"])
    c.evaluate("Calls.Program.over = false", "repl")
    asked = c.send("evaluate", expression="Program.Forever()",
                   context="watch", frameId=c.top()["id"])
    c.until("the second call", lambda: c.output().count("forever\n") == 2
            or None)
    c.ask("pause", threadId=c.thread)
    t.check_in("stopped in the call", c.answer(asked)["message"])
    c.stopped("pause")
    leave(c)


def test_restarted(t):
    """`restart` does not wait for a call."""
    c = stand(t)
    first = c.event("process")["systemProcessId"]
    asked = c.send("evaluate", expression="Program.Forever()", context="repl",
                   frameId=c.top()["id"])
    said(t, c, "forever")
    c.ask("restart")
    t.check_in("the program ended in 'Calls.Program.Forever()'",
               c.answer(asked)["message"])
    second = c.event("process")["systemProcessId"]
    t.check(first != second, "the same process")
    c.stopped("breakpoint")
    leave(c)


test_restarted.runtimes = ("10",)


def test_limit(t):
    """A call that takes too long is told to have, in a sentence."""
    c = stand(t)
    # what the first call of all prepares is not what is too slow
    t.check_equal("3", c.evaluate("Program.Threads()")["result"])
    c.evaluate("-exec set call-timeout 500", "repl")
    message = c.refused("evaluate", expression="Program.Forever()",
                        context="watch", frameId=c.top()["id"])
    t.check_in("'Calls.Program.Forever()' did not return within 500 ms",
               message)
    stop = c.stopped("pause")
    t.check_equal("Paused in call", stop["description"])
    t.check_equal(message, "error: " + stop["text"])
    leave(c)


def test_left(t):
    """A client that leaves in the midst of a call leaves a program that goes on
    as if there had been none."""
    program = Caller(t)
    c = t.adapter()
    c.launch(None, {t.source("Calls"): [t.line("Calls", "stop")]},
             request="attach", processId=program.pid, callTimeout=600000)
    program.say("on")
    c.stopped("breakpoint")
    c.send("evaluate", expression="Program.Wait(false)", context="repl",
           frameId=c.top()["id"])
    program.await_waiting()
    c.ask("disconnect", terminateDebuggee=False)
    c.wait()
    program.right()
