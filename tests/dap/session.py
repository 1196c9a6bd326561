"""A whole session as an editor leads it; beginning and end."""


def test_session(t):
    """Breakpoint, stack, variables, a step, the end, with all output."""
    source = t.source("Hello")
    line = t.line("Hello", "first")
    c = t.adapter()
    answers = c.launch(t.program("Hello", "you"), {source: [line]})
    t.check_equal(False, answers[source][0]["verified"])
    number = answers[source][0]["id"]
    changed = c.event("breakpoint")
    t.check_equal("changed", changed["reason"])
    t.check_equal(number, changed["breakpoint"]["id"])
    t.check_equal(True, changed["breakpoint"]["verified"])
    t.check_equal(line, changed["breakpoint"]["line"])
    stop = c.stopped("breakpoint")
    t.check_equal([number], stop["hitBreakpointIds"])
    t.check_equal(True, stop["allThreadsStopped"])
    threads = c.ask("threads")["threads"]
    t.check(stop["threadId"] in [one["id"] for one in threads], str(threads))
    top = c.top()
    t.check_equal(source, top["source"]["path"])
    t.check_equal(line, top["line"])
    t.check_in("Program.Main(", top["name"])
    args = c.scope("Locals")
    t.check_equal("string[]", args["args"]["type"])
    items = c.variables(args["args"]["variablesReference"], filter="indexed",
                        start=0, count=1)
    t.check_equal('"you"', items["[0]"]["value"])
    c.step()
    t.check(c.top()["line"] > line, "the step did not go on")
    c.go()
    c.end()
    t.check_in("hello you 5\nok\n", c.output())
