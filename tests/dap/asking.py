"""What a program says to its debugger, in an editor."""


def test_break(t):
    """Debugger.Break is a pause at the caller's line, from which steps go."""
    c = t.adapter()
    c.launch(t.program("Asking", "break"))
    body = c.stopped("pause")
    t.check_equal("Paused on Debugger.Break", body["description"])
    t.check_equal(t.line("Asking", "break"), c.top()["line"])
    t.check_equal("1", c.scope("Locals")["n"]["value"])
    c.step("next")
    t.check_equal(t.line("Asking", "after"), c.top()["line"])
    c.go()
    for i in "0", "1":
        c.stopped("pause")
        t.check_equal(t.line("Asking", "inner"), c.top()["line"])
        t.check_equal(i, c.evaluate("i")["result"])
        c.go()
    c.end()


def test_output(t):
    """What is written to Debug, Trace and Debugger.Log is in the console."""
    c = t.adapter()
    c.launch(t.program("Asking", "write"))
    c.end()
    for line in ("to debug \u00e4\u20ac\n", "no line end\n", "to trace\n",
                 "category: a message\n", "bare \u00e4\n"):
        t.check_in(line, c.output("console"))
    t.check_equal("written\n", c.output())


def test_fail_fast(t):
    """Environment.FailFast stops at its caller, once, with its message; then
    the program ends as it does without a debugger."""
    c = t.adapter()
    c.launch(t.program("Asking", "failfast"))
    body = c.stopped("exception")
    t.check_equal("Paused on FailFast", body["description"])
    t.check_equal("System.Environment.FailFast: the end is here", body["text"])
    info = c.ask("exceptionInfo", threadId=body["threadId"])
    t.check_equal(("System.Environment.FailFast", "the end is here",
                   "unhandled"),
                  (info["exceptionId"], info["description"],
                   info["breakMode"]))
    frames = c.frames()
    mine = next(frame for frame in frames if "source" in frame)
    t.check_equal(t.line("Asking", "failfast"), mine["line"])
    c.go()
    c.end(134)
    t.check_in("the end is here", c.output("stderr"))


def test_logged(t):
    """What a logger prints and another writes as debug output is shown once,
    unless all or none of that is wanted; a copy of the rest goes to a file."""
    twice = ["Shop.Orders: Information: Order 7 is paid\n",
             "Shop.Orders: Warning: Order 8 is late\n"]
    once = ["no logger's\n", "Shop.Orders: Debug: to debug alone\n"]
    for mode, shown, left in (("auto", once, twice), (True, once + twice, []),
                              (False, [], once + twice)):
        c = t.adapter()
        c.launch(t.program("Asking", "logged"),
                 targetOutputLogPath=f"{t.dir}/copy",
                 logging={"debugOutput": mode})
        c.end()
        said = c.output("console")
        for line in shown:
            t.check_equal(1, said.count(line))
        for line in left:
            t.check_not_in(line, said)
        with open(f"{t.dir}/copy") as file:
            t.check_equal(c.output(), file.read())
