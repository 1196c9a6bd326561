"""Exceptions: filters, conditions, what is told of one."""


def filters(c, *ids, **more):
    return c.ask("setExceptionBreakpoints", filters=list(ids), **more)


def test_all(t):
    """The filter `all` with a condition stops at these types alone; inner
    exceptions are told."""
    c = t.adapter()
    c.launch(t.program("Throws", "inner"), configure=lambda c: filters(
        c, filterOptions=[{"filterId": "all", "condition":
                           "System.FormatException, InvalidOperationException"}]))
    stop = c.stopped("exception")
    t.check_in("System.FormatException", stop["text"])
    t.check_in("innermost", stop["text"])
    t.check_equal(t.line("Throws", "inner-first"), c.top()["line"])
    c.go()
    c.stopped("exception")
    info = c.ask("exceptionInfo", threadId=c.thread)
    t.check_equal("CLR/System.InvalidOperationException", info["exceptionId"])
    t.check_in("Exception thrown: 'System.InvalidOperationException' in "
               "Throws.dll: 'outermost'\n", info["description"])
    t.check_equal("always", info["breakMode"])
    details = info["details"]
    t.check_equal("$exception", details["evaluateName"])
    t.check_equal("InvalidOperationException", details["typeName"])
    inner = details["innerException"][0]
    t.check_equal("System.ArgumentException", inner["fullTypeName"])
    t.check_equal("innermost", inner["innerException"][0]["message"])
    value = c.evaluate("$exception.Message")
    t.check_equal('"outermost"', value["result"])
    filters(c)
    c.go()
    c.end()


def test_unhandled(t):
    """An exception that nobody catches stops before the program ends."""
    c = t.adapter()
    c.launch(t.program("Throws", "unhandled"),
             configure=lambda c: filters(c, "unhandled"))
    stop = c.stopped("exception")
    t.check_in("ShopException", stop["text"])
    t.check_equal(t.line("Throws", "unhandled"), c.top()["line"])
    info = c.ask("exceptionInfo", threadId=c.thread)
    t.check_equal("unhandled", info["breakMode"])
    c.go()
    c.event("exited", exitCode=134)
    c.event("terminated")
    c.ask("disconnect")
    c.wait()
    t.check_in("ShopException", c.output("stderr"))


def test_options(t):
    """exceptionOptions name types by path; wrong filters are refused."""
    c = t.adapter()

    def configure(c):
        filters(c, exceptionOptions=[
            {"path": [{"names": ["CLR"]}, {"names": ["System.FormatException"]}],
             "breakMode": "always"}])
        t.check_in("no exception filter 'some'", c.refused(
            "setExceptionBreakpoints", filters=["some"]))
        filters(c, exceptionOptions=[
            {"path": [{"names": ["CLR"]}, {"names": ["System.FormatException"]}],
             "breakMode": "always"}])

    c.launch(t.program("Throws", "inner"), configure=configure)
    t.check_in("FormatException", c.stopped("exception")["text"])
    c.go()
    c.end()


def test_none(t):
    """Without filters nothing stops."""
    c = t.adapter()
    c.launch(t.program("Throws", "inner"), configure=filters)
    c.end()
    t.check(not c.has_event("stopped"), "stopped")


def thrown(c):
    """Let it run to the end: the types at each stop, and their breakMode."""
    stops = []
    while True:
        c.until("a stop or the end", lambda: c.has_event("stopped")
                or c.has_event("exited"))
        if not c.has_event("stopped"):
            return stops
        c.stopped("exception")
        info = c.ask("exceptionInfo", threadId=c.thread)
        stops.append((info["exceptionId"].split(".")[-1], info["breakMode"]))
        c.go()


def test_types(t):
    """A condition names exact types, with commas or blanks between; with ! all
    others."""
    for condition, wanted in (
            ("System.Exception System.SystemException", []),
            ("System.FormatException System.ArgumentException,"
             " System.Exception", ["FormatException", "ArgumentException"]),
            ("!System.FormatException System.Exception",
             ["ArgumentException", "InvalidOperationException"])):
        c = t.adapter()
        c.launch(t.program("Throws", "inner"), configure=lambda c: filters(
            c, filterOptions=[{"filterId": "all", "condition": condition}]))
        t.check_equal(wanted, [name for name, _ in thrown(c)])
        c.ask("disconnect")
        c.wait()


def test_both_moments(t):
    """`all` and `user-unhandled` together: a stop where it is thrown and one
    more when no code of the user's is found to catch it."""
    c = t.adapter()
    c.launch(t.program("Throws", "plain", "async", "escapes"),
             configure=lambda c: filters(c, "all", "user-unhandled"))
    stops = thrown(c)
    c.ask("disconnect")
    c.wait()
    both = [("InvalidOperationException", "always"),
            ("InvalidOperationException", "userUnhandled")]
    at = stops.index(both[1])
    t.check_equal(both, stops[at - 1:at + 1])
    t.check_in(("TimeoutException", "always"), stops[:at])


def test_user_unhandled(t):
    """What user code lets through is told once, where it is thrown; not what
    code that awaits it catches, or what a library has said to take; what nobody
    catches is told when that is known. A library's handler that throws it once
    more (Lazy's) does not catch it."""
    c = t.adapter()
    c.launch(t.program("UserUnhandled"),
             configure=lambda c: filters(c, "user-unhandled", "unhandled"))
    stops = []
    while True:
        ended = c.until("a stop", lambda: next(
            (m for m in c.events if m["event"] in ("stopped", "exited")), None))
        if ended["event"] == "exited":
            break
        stop = c.stopped("exception")
        info = c.ask("exceptionInfo", threadId=c.thread)
        top = next(f for f in c.frames() if f.get("source"))
        message = info["details"]["message"]
        stops.append((message.partition("'")[0], top["line"],
                      info["breakMode"]))
        c.go()
    at = {mark: t.line("UserUnhandled", mark)
          for mark in ("one", "cctor", "late", "lazy", "end")}
    decided = [s for s in stops if s[0] == "decided"]
    stops = [s for s in stops if s[0] != "decided"]
    t.check_equal([("one", at["one"], "userUnhandled"),
                   ("The input string ", at["cctor"], "userUnhandled"),
                   ("waited for", at["late"], "userUnhandled"),
                   ("lazy", at["lazy"], "userUnhandled"),
                   ("end", at["end"], "unhandled")], stops)
    t.check_equal(["userUnhandled"] * (t.runtime != "8"),
                  [mode for _, _, mode in decided])


def test_handled(t):
    """What a catch handler has caught is $exception there, with a name or
    without, and nowhere else; what an expression throws is its value."""
    c = t.adapter()
    source = t.source("StepKinds")
    lines = [t.line("StepKinds", mark) for mark in (
        "wanted", "unwinds-caught", "unwinds-return", "statements")]
    c.launch(t.program("StepKinds", "unwinds", "statements"), {source: lines})
    c.stopped("breakpoint")
    t.check("$exception" not in c.scope("Locals"), "of a filter's callee")
    c.go()
    c.stopped("breakpoint")
    t.check_in("InvalidOperationException",
               c.scope("Locals")["$exception"]["type"])
    t.check_equal('"fail"', c.evaluate("$exception.Message")["result"])
    c.go()
    c.stopped("breakpoint")
    t.check("$exception" not in c.scope("Locals"), "behind the handler")
    c.go()
    c.stopped("breakpoint")
    thrown = c.evaluate('new System.Collections.Generic.Dictionary<int, int>()[3]',
                        context="variables")
    type = "System.Collections.Generic.KeyNotFoundException"
    t.check_equal(("{" + type + "}", type),
                  (thrown["result"], thrown["type"]))
    told = [c.evaluate("new System.Collections.Generic.List<int>()[3]",
                       context=context)["result"]
            for context in ("repl", "watch")]
    for text in told:
        t.check_in('{System.ArgumentOutOfRangeException: "', text)
    inside = c.ask("variables",
                   variablesReference=thrown["variablesReference"])
    t.check_in("Message", [v["name"] for v in inside["variables"]])
    c.set_breaks(source, [])
    c.go()
    c.end()
