"""What changes the program: variables, memory, where it runs next."""


def test_set_variable(t):
    """Locals and elements are set and keep their value; what cannot be is
    refused in words, and nothing changes."""
    source = t.source("HitLoop")
    c = t.adapter()
    c.launch(t.program("HitLoop", "5"), {source: [t.line("HitLoop", "hit")]})
    c.stopped("breakpoint")
    top = c.top()["id"]
    args = c.ask("scopes", frameId=top)["scopes"][0]
    t.check_equal("Locals", args["name"])
    reference = args["variablesReference"]
    answer = c.ask("setVariable", variablesReference=reference, name="i",
                   value="1000")
    t.check_equal("1000", answer["value"])
    c.event("invalidated", areas=["variables"])
    t.check_equal("1000", c.evaluate("i")["result"])
    answer = c.ask("setExpression", expression="sum", value="i + 7",
                   frameId=top)
    t.check_equal("1007", answer["value"])
    where = c.evaluate("&sum")["memoryReference"]
    told = c.event("memory", memoryReference=where)
    t.check_equal((0, 8), (told["offset"], told["count"]))
    t.check_in("cannot convert 'string' to 'int'", c.refused(
        "setVariable", variablesReference=reference, name="i",
        value='"text"'))
    t.check_in("no variable 'nothing'", c.refused(
        "setVariable", variablesReference=reference, name="nothing", value="1"))
    t.check_equal("1000", c.evaluate("i")["result"])
    c.set_breaks(source, [])
    c.go()
    c.end()
    # 1007 + 1000 + (1 + 2 + 3 + 4)
    t.check_in("sum 2017\n", c.output())


def test_set_element(t):
    """An element of an array, and the other elements stay."""
    source = t.source("Values")
    c = t.adapter()
    c.launch(t.program("Values"), {source: [t.line("Values", "arrays")]})
    c.stopped("breakpoint")
    numbers = c.scope("Locals")["numbers"]["variablesReference"]
    before = c.variables(numbers)
    c.ask("setVariable", variablesReference=numbers, name="[1]", value="-77")
    after = c.variables(numbers)
    t.check_equal("-77", after["[1]"]["value"])
    t.check_equal({k: v["value"] for k, v in before.items() if k != "[1]"},
                  {k: v["value"] for k, v in after.items() if k != "[1]"})
    c.ask("disconnect", terminateDebuggee=True)
    c.wait()


def test_set_in_element(t):
    """What is shown of a collection is a copy: a value set in it is seen by
    who looks again with the same reference."""
    c = t.adapter()
    c.launch(t.program("Breadth", "lines"),
             {t.source("Breadth"): [t.line("Breadth", "values")]})
    c.stopped("breakpoint")
    scope = c.scope("Locals")
    rows = c.variables(scope["vecs"]["variablesReference"])
    entry = rows["[0]"]["variablesReference"]
    t.check_equal("3", c.variables(entry)["X"]["value"])
    t.check_equal("12", c.ask("setVariable", variablesReference=entry,
                              name="X", value="12")["value"])
    t.check_equal("12", c.variables(entry)["X"]["value"])
    t.check_equal("12", c.evaluate("vecs[0].X")["result"])
    c.ask("disconnect", terminateDebuggee=True)
    c.wait()


def test_set_by_key(t):
    """Entries whose keys are enumerators, characters, bools."""
    c = t.adapter()
    c.launch(t.program("Contexts", "lines"),
             {t.source("Contexts"): [t.line("Contexts", "maps")]})
    c.stopped("breakpoint")
    scope = c.scope("Locals")
    for name, key, path, value in (
            ("days", "[Friday]", "days[(System.DayOfWeek)(5)]", "-7"),
            ("chars", "[98 'b']", "chars[(char)(98)]", '"z"'),
            ("flags", "[true]", "flags[true]", "8")):
        of = scope[name]["variablesReference"]
        t.check_equal(path, c.variables(of)[key]["evaluateName"])
        t.check_equal(value, c.ask("setVariable", variablesReference=of,
                                   name=key, value=value)["value"])
        t.check_equal(value, c.variables(of)[key]["value"])
        t.check_equal(value, c.evaluate(path)["result"])
    t.check_equal("1", c.evaluate("days[DayOfWeek.Monday]")["result"])
    t.check_equal('"x"', c.evaluate("chars['a']")["result"])
    c.ask("disconnect", terminateDebuggee=True)
    c.wait()


def test_goto(t):
    """The next statement is set; for a line of another method there is no
    target, which the console explains."""
    source = t.source("Hello")
    c = t.adapter()
    c.launch(t.program("Hello"), {source: [t.line("Hello", "last")]})
    c.stopped("breakpoint")
    targets = c.ask("gotoTargets", source={"path": source},
                    line=t.line("Hello", "print"))["targets"]
    t.check_equal([t.line("Hello", "print")], [one["line"] for one in targets])
    c.ask("goto", threadId=c.thread, targetId=targets[0]["id"])
    c.stopped("goto")
    t.check_equal(t.line("Hello", "print"), c.top()["line"])
    t.check_equal([], c.ask("gotoTargets", source={"path": source},
                            line=t.line("Hello", "add"))["targets"])
    t.check_in("no statement of the newest frame's method begins there",
               c.event("output", category="console")["output"])
    t.check_in("earlier stop", c.refused("goto", threadId=c.thread,
                                        targetId=targets[0]["id"]))
    c.set_breaks(source, [])
    c.go()
    c.end()
    t.check_equal(2, c.output().count("hello world 5\n"))


def test_commands(t):
    """Commands of the prompt at the debug console, in both forms; what one
    changes is told."""
    source = t.source("HitLoop")
    c = t.adapter()
    c.launch(t.program("HitLoop", "5"), {source: [t.line("HitLoop", "hit")]})
    c.stopped("breakpoint")

    def command(line):
        return c.evaluate(line, "repl")["result"]

    t.check_match(r"^#0 .*Hit \(i=0\)[^#]*#1 .*Main", command("-exec bt"))
    t.check_equal("$1 = 0\n", command("`print i"))
    up = c.frames()[1]["id"]
    t.check_match(r"n = 5", c.evaluate("`info locals", "repl", up)["result"])
    t.check_in("Undefined command", c.refused(
        "evaluate", expression="`nonsense", context="repl"))
    c.history.clear()
    command("-exec break HitLoop.cs:%d" % t.line("HitLoop", "print"))
    c.ask("evaluate", expression="`set var i = 100", context="repl")
    t.check_equal("100", c.evaluate("i")["result"])
    t.check_equal("107", c.evaluate("i = 107", "repl")["result"])
    c.set_breaks(source, [])
    c.ask("evaluate", expression="`continue", context="repl")
    c.stopped("breakpoint")
    t.check_equal("117", c.evaluate("sum")["result"])
    c.ask("evaluate", expression="`kill", context="repl")
    c.event("exited")
    c.event("terminated")
    c.ask("disconnect")
    c.wait()


def test_memory(t):
    """Memory is written; the variable there shows it."""
    import base64
    source = t.source("Values")
    c = t.adapter()
    c.launch(t.program("Values"), {source: [t.line("Values", "arrays")]})
    c.stopped("breakpoint")
    numbers = c.scope("Locals")["numbers"]["variablesReference"]
    where = c.scope("Locals")["numbers"]["memoryReference"]
    data = base64.b64encode((-123456).to_bytes(4, "little", signed=True))
    answer = c.ask("writeMemory", memoryReference=where, data=data.decode())
    t.check_equal(4, answer["bytesWritten"])
    event = c.event("memory")
    t.check_equal((where, 0, 4), (event["memoryReference"], event["offset"],
                                  event["count"]))
    t.check_equal("-123456", c.variables(numbers)["[0]"]["value"])
    t.check_in("base64", c.refused("writeMemory", memoryReference=where,
                                   data="a*"))
    t.check_in("cannot write memory at 0x10", c.refused(
        "writeMemory", memoryReference="0x10", data="AAAA"))
    c.ask("disconnect", terminateDebuggee=True)
    c.wait()


def test_step_into_one(t):
    """stepIn enters the call that was chosen of a line's."""
    source = t.source("Steps")
    c = t.adapter()
    c.launch(t.program("Steps"), {source: [t.line("Steps", "calls-nested")]})
    c.stopped("breakpoint")
    top = c.top()["id"]
    targets = c.ask("stepInTargets", frameId=top)["targets"]
    t.check_equal(4, len(targets))
    two = [one for one in targets if "Two(" in one["label"]][-1]
    c.step("stepIn", targetId=two["id"])
    t.check_in("Two(", c.top()["name"])
    t.check_equal("2", c.scope("Locals")["n"]["value"])
    c.step("stepOut")
    t.check_in("Calls(", c.top()["name"])
    c.ask("disconnect", terminateDebuggee=True)
    c.wait()
