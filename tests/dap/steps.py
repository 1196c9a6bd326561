"""Steps and the places where stops are, as editors expect them."""


def test_brace(t):
    """The start, a function breakpoint and a step in stop at the brace that
    opens the method, an async one too; the start says so even where a
    breakpoint is."""
    c = t.adapter()
    ids = []

    def configure(c):
        ids.extend(b["id"] for b in c.ask("setFunctionBreakpoints", breakpoints=[
            {"name": "Breaks.Program.Main"}, {"name": "Bodies.Iterate"}]
        )["breakpoints"])

    source = t.source("Breaks")
    c.launch(t.program("Breaks", "bodies"),
             {source: [t.line("Breaks", "bodies")]},
             stopAtEntry=True, configure=configure)
    stop = c.stopped("entry")
    t.check_equal(ids[:1], stop["hitBreakpointIds"])
    t.check_equal(t.line("Breaks", "main") - 1, c.top()["line"])
    c.go()
    c.stopped("breakpoint")
    t.check_equal(t.line("Breaks", "bodies"), c.top()["line"])
    c.step("stepIn")
    t.check_equal(t.line("Breaks", "async-before") - 1, c.top()["line"])
    t.check_in("Async(", c.top()["name"])
    c.go()
    stop = c.stopped("breakpoint")
    t.check_equal(ids[1:], stop["hitBreakpointIds"])
    t.check_equal(t.line("Breaks", "iter-for") - 1, c.top()["line"])
    c.go()
    c.end()


def test_step_at_breakpoint(t):
    """A step that ends where a breakpoint is says step, and names it; one that
    meets a breakpoint on its way says breakpoint."""
    source = t.source("HitLoop")
    lines = [t.line("HitLoop", mark) for mark in ("main", "hit", "print")]
    c = t.adapter()
    c.launch(t.program("HitLoop", "1"), {source: lines[:2]})
    c.stopped("breakpoint")
    _, hit, brace = c.set_breaks(source, [*lines[:2], lines[1] - 1])
    for _ in range(3):
        c.step("next")
    t.check_equal(t.line("HitLoop", "call"), c.top()["line"])
    # into the method, at whose brace one is
    c.ask("stepIn", threadId=c.thread)
    stop = c.stopped("step")
    t.check_equal([brace["id"]], stop["hitBreakpointIds"])
    c.ask("next", threadId=c.thread)
    stop = c.stopped("step")
    t.check_equal([hit["id"]], stop["hitBreakpointIds"])
    t.check_equal(lines[1], c.top()["line"])
    c.set_breaks(source, [lines[2]])
    c.ask("stepOut", threadId=c.thread)
    stop = c.stopped("step")
    t.check("hitBreakpointIds" not in stop, str(stop))
    c.set_breaks(source, [])
    c.go()
    c.end()


def test_over_breakpoint(t):
    """A breakpoint within the call that is stepped over stops as one."""
    source = t.source("HitLoop")
    c = t.adapter()
    c.launch(t.program("HitLoop", "1"), {source: [
        t.line("HitLoop", "call"), t.line("HitLoop", "hit")]})
    c.stopped("breakpoint")
    c.ask("next", threadId=c.thread)
    c.stopped("breakpoint")
    t.check_equal(t.line("HitLoop", "hit"), c.top()["line"])
    c.go()
    c.end()


def test_out_of_all(t):
    """Stepping out of Main and of a thread's first method, which nobody of
    the user's called: the program runs on, and that is said."""
    for name, mark in (("HitLoop", "main"), ("Throws", "thread-throw")):
        c = t.adapter()
        args = ("1",) if name == "HitLoop" else ("thread",)
        c.launch(t.program(name, *args),
                 {t.source(name): [t.line(name, mark)]})
        c.stopped("breakpoint")
        c.ask("stepOut", threadId=c.thread)
        c.event("exited")
        t.check_in("no caller has source to return to: the program runs on",
                   c.output("console"))
        c.ask("disconnect")
        c.wait()


def test_marked(t):
    """Breakpoints in code that its author marked: not verified, and why;
    with justMyCode off only DebuggerHidden keeps them from being hit."""
    source = t.source("StepKinds")
    lines = [t.line("StepKinds", mark)
             for mark in ("jmc", "through", "hidden", "non-user")]
    c = t.adapter()
    c.launch(t.program("StepKinds", "attributes"), {source: lines})
    c.stopped("breakpoint")
    answers = c.set_breaks(source, lines)
    t.check_equal([True, False, False, False],
                  [b["verified"] for b in answers])
    t.check_in("DebuggerStepThrough", answers[1]["message"])
    t.check_in("while Just My Code is on", answers[3]["message"])
    c.go()
    c.end()
    c = t.adapter()
    c.launch(t.program("StepKinds", "attributes"), {source: lines},
             justMyCode=False)
    for line in lines[0], lines[1], lines[3]:
        c.stopped("breakpoint")
        t.check_equal(line, c.top()["line"])
        c.go()
    c.end()


def test_returned(t):
    """A step out shows what was returned among the locals, until the next."""
    c = t.adapter()
    c.launch(t.program("Returns"), {t.source("Returns"): [
        t.line("Returns", "two")]})
    c.stopped("breakpoint")
    c.step("stepOut")

    def returned():
        return [v for name, v in c.scope("Locals").items()
                if name.endswith(" returned")]

    value, = returned()
    t.check_equal("Returns.Program.Two returned", value["name"])
    t.check_equal("{Returns.Pair}", value["value"])
    t.check_equal("$returnvalue", value["evaluateName"])
    t.check_equal("0.75", c.ask("evaluate", expression="$returnvalue.Real",
                                frameId=c.top()["id"])["result"])
    c.step("next")
    t.check_equal([], returned())
    c.set_breaks(t.source("Returns"), [])
    c.go()
    c.end()


def walk(t, c, mark, unit, count, command="next"):
    """Step from a mark's line on; what is stopped at, as the program's text."""
    with open(t.source("StepKinds")) as file:
        lines = file.read().split("\n")
    more = {"granularity": unit} if unit else {}
    found = []
    for _ in range(count):
        c.step(command, **more)
        top = c.top()
        text = lines[top["line"] - 1]
        end = top["endColumn"] if top["endLine"] == top["line"] else len(text)
        found.append(text[top["column"] - 1:end - 1])
    return found


def test_statements(t):
    """The unit of a step is the statement if the client does not say which;
    points of equal range are one; a line is one if it is asked for."""
    source = t.source("StepKinds")
    c = t.adapter()
    c.launch(t.program("StepKinds", "statements"),
             {source: [t.line("StepKinds", "statements")]})
    c.stopped("breakpoint")
    t.check_equal(["a++;", "a += Twice(a);"],
                  walk(t, c, "statements", None, 2))
    t.check_equal(["{", "int m = n;", "return m * 2;", "}", "a += Twice(a);"],
                  walk(t, c, "statements", None, 5, "stepIn"))
    t.check_equal(
        ["Closed += a;", "int i = 0", "i < 2", "a += i;", "i++", "i < 2",
         "a += i;", "i++", "i < 2", "{", "a = Fail(a);",
         "catch (InvalidOperationException e)", "{",
         "a += e.Message.Length;", "}", "{",
         "using var last = new Closer();", "a++;", "}", "foreach",
         "new[] { a }", "in", "int i", "a += Twice(i);", "in",
         "return Twice(a) + Twice(1);"],
        walk(t, c, "statements", "statement", 26))
    # a call that is chosen is one of the line
    targets = c.ask("stepInTargets", frameId=c.top()["id"])["targets"]
    t.check_equal(2, len(targets))
    c.step("stepIn", targetId=targets[1]["id"])
    t.check_equal(t.line("StepKinds", "statements-twice"), c.top()["line"])
    c.step("stepOut")
    t.check_equal(t.line("StepKinds", "statements-return"), c.top()["line"])
    t.check_equal(["}"], walk(t, c, "statements", None, 1))
    c.go()
    c.end()
    c = t.adapter()
    c.launch(t.program("StepKinds", "statements", config="Release"),
             {source: [t.line("StepKinds", "statements")]}, justMyCode=False)
    c.stopped("breakpoint")
    t.check_equal(
        ["a++;", "a += Twice(a);", "Closed += a;", "int i = 0", "i < 2",
         "a += i;", "i++", "i < 2", "a += i;", "i++", "i < 2", "a = Fail(a);",
         "catch (InvalidOperationException e)", "a += e.Message.Length;",
         "using var last = new Closer();", "a++;", "new[] { a }", "in",
         "int i", "a += Twice(i);"], walk(t, c, "statements", None, 20))
    c.go()
    c.end()
    c = t.adapter()
    c.launch(t.program("StepKinds", "statements"),
             {source: [t.line("StepKinds", "statements")]})
    c.stopped("breakpoint")
    t.check_equal(
        ["int i = 0", "{", "catch (InvalidOperationException e)", "{",
         "foreach", "return Twice(a) + Twice(1);", "}"],
        walk(t, c, "statements", "line", 7))
    c.go()
    c.end()
