"""Breakpoints of every kind, as editors set them."""
import re


def test_hit_conditions(t):
    """Counts decide which hits stop; each form, with exact arguments."""
    source = t.source("HitLoop")
    line = t.line("HitLoop", "hit")
    for rule, wanted in (("3", [2]), ("==2", [1]), (">=9", [8, 9]),
                         ("> 8", [8, 9]), ("<2", [0]), ("<=2", [0, 1]),
                         ("%4", [3, 7])):
        c = t.adapter()
        c.launch(t.program("HitLoop", "10"),
                 {source: [{"line": line, "hitCondition": rule}]})
        for value in wanted:
            c.stopped("breakpoint")
            t.check_equal(str(value), c.scope("Locals")["i"]["value"])
            c.go()
        c.end()
        t.check_in("sum 45\n", c.output())


test_hit_conditions.runtimes = ("10",)


def test_conditions(t):
    """A condition stops where it is true; with a count, at that true hit."""
    source = t.source("HitLoop")
    line = t.line("HitLoop", "hit")
    c = t.adapter()
    c.launch(t.program("HitLoop", "1000"), {source: [
        {"line": line, "condition": "i % 100 == 7", "hitCondition": "2"}]})
    c.stopped("breakpoint")
    t.check_equal("107", c.scope("Locals")["i"]["value"])
    # what is not well-formed is said, and stops
    wrong = [
        ({"condition": "i ==="}, "column 5"),
        ({"condition": "i = 5"}, "'==' compares"),
        ({"condition": "i == 5; 3"}, "column 9"),
        ({"condition": "no > 3"}, "no 'no' in this context"),
        ({"hitCondition": "often"}, "'often' is no number of hits")]
    for i, (spec, text) in enumerate(wrong):
        answer = c.set_breaks(source, [{"line": line, **spec}])[0]
        t.check_equal(True, answer["verified"])
        if "no >" not in str(spec):
            t.check_in(text, answer["message"])
        c.go()
        c.stopped("breakpoint")
        t.check_in(text, c.output("console"))
        t.check_equal(str(108 + i), c.scope("Locals")["i"]["value"])
    # it stops once; the breakpoint's message counts the hits that go on
    asked = [{"line": line, "condition": "missing > 3"},
             {"line": line, "condition": "i > ="},
             {"line": line, "condition": "i == 120"}]
    c.set_breaks(source, asked)
    c.go()
    c.stopped("breakpoint")
    t.check_equal("113", c.scope("Locals")["i"]["value"])
    c.go()
    c.stopped("breakpoint")
    t.check_equal("120", c.scope("Locals")["i"]["value"])
    t.check_equal(1, c.output("console").count("no 'missing'"))
    for answer, text in zip(c.set_breaks(source, asked),
                            ("no 'missing'", "column 5")):
        t.check_in(text, answer["message"])
        t.check_in("; 7 later hits did not stop", answer["message"])
    answers = c.set_breaks(source, [
        {"line": line, "logMessage": "got {i", "condition": " "},
        {"line": line, "logMessage": "had {i +} {i}", "hitCondition": " "},
        {"line": line, "condition": "i == 123"}])
    t.check_in("missing '}'", answers[0]["message"])
    c.go()
    c.stopped("breakpoint")
    t.check_equal(3, c.output("console").count("got {i\n"))
    for i in 121, 122, 123:
        t.check_in(f"had <the expression ends too early> {i}\n",
                   c.output("console"))
    c.set_breaks(source, [{"line": line, "condition": "i == 999"}])
    c.go()
    c.stopped("breakpoint")
    t.check_equal("999", c.scope("Locals")["i"]["value"])
    c.go()
    c.end()
    t.check_in("sum 499500\n", c.output())


def test_logpoints(t):
    """A logpoint speaks and does not stop, nor end a step that is under
    way; its output names the place."""
    source = t.source("HitLoop")
    hit, call = t.line("HitLoop", "hit"), t.line("HitLoop", "call")
    c = t.adapter()
    c.launch(t.program("HitLoop", "20"), {source: [
        {"line": hit, "logMessage": "{{i}} is {i}, {i,h} {no.such}", "condition":
         "i >= 3", "hitCondition": "<=2"}, {"line": call, "hitCondition": "4"}]})
    c.stopped("breakpoint")
    t.check_equal("", c.output("console"))
    c.step("next")
    said = c.output("console").split("\n")
    t.check_equal(2, len(said))
    t.check_in("{i} is 3, 0x00000003 <", said[0])
    event = [m for m in c.history if m.get("event") == "output"
             and m["body"]["category"] == "console"][0]["body"]
    t.check_equal(hit, event["line"])
    t.check_equal(source, event["source"]["path"])
    c.go()
    c.end()
    t.check_in("{i} is 4, 0x00000004 <", c.output("console"))
    t.check_not_in("is 5", c.output("console"))
    t.check_in("sum 190\n", c.output())


def test_functions(t):
    """Function breakpoints: stop, replaced as a whole, reasons."""
    c = t.adapter()

    def configure(c):
        answers = c.ask("setFunctionBreakpoints", breakpoints=[
            {"name": "HitLoop.Program.Hit", "condition": "i == 5"},
            {"name": "No.Such.Method"}])["breakpoints"]
        t.check_equal([False, False], [b["verified"] for b in answers])
        configure.ids = [b["id"] for b in answers]

    c.launch(t.program("HitLoop", "10"), configure=configure)
    stop = c.stopped("breakpoint")
    t.check_equal(configure.ids[:1], stop["hitBreakpointIds"])
    t.check_equal("5", c.scope("Locals")["i"]["value"])
    answers = c.ask("setFunctionBreakpoints", breakpoints=[
        {"name": "No.Such.Method"}])["breakpoints"]
    t.check_equal(configure.ids[1:], [b["id"] for b in answers])
    t.check_in("no method 'No.Such.Method'", answers[0]["message"])
    t.check_equal("pending", answers[0]["reason"])
    c.go()
    c.end()


def test_odd_path(t):
    """The path of a source file has a '!' in it."""
    path = "/sources/really!/Odd.cs"
    c = t.adapter()
    answers = c.launch(t.program("Linked"), {path: [3]})
    c.stopped("breakpoint")
    t.check_equal((path, 3), (c.top()["source"]["path"], c.top()["line"]))
    targets = c.ask("gotoTargets", source={"path": path}, line=3)["targets"]
    t.check_equal([3], [target["line"] for target in targets])
    c.go()
    c.end()


def test_kept(t):
    """What is set again as it was keeps its number; a line without code is
    moved and says so; the old form with lines alone is taken."""
    source = t.source("HitLoop")
    first, hit = t.line("HitLoop", "main"), t.line("HitLoop", "hit")
    c = t.adapter()
    c.launch(t.program("HitLoop", "10"), {source: [first]})
    c.stopped("breakpoint")
    one, two = c.set_breaks(source, [first, hit])
    t.check_equal(True, two["verified"])
    again = c.set_breaks(source, [hit, first])
    t.check_equal([two["id"], one["id"]], [b["id"] for b in again])
    # the line before Hit's name is its attribute: no code
    moved, = c.set_breaks(source, [hit - 3])
    t.check_equal(True, moved["verified"])
    t.check(moved["line"] > hit - 3, str(moved))
    t.check_in("moved to line", moved["message"])
    old = c.ask("setBreakpoints", source={"path": source}, lines=[hit])
    t.check_equal(hit, old["breakpoints"][0]["line"])
    nothing, = c.set_breaks(source, [100000])
    t.check_equal(False, nothing["verified"])
    t.check_in("no code at or after line 100000", nothing["message"])
    elsewhere, = c.set_breaks("/nowhere/Else.cs", [1])
    t.check_in("/nowhere/Else.cs", elsewhere["message"])
    c.set_breaks(source, [])
    c.go()
    c.end()


def test_instructions(t):
    """A breakpoint on an address that the disassembly named."""
    source = t.source("HitLoop")
    c = t.adapter()
    c.launch(t.program("HitLoop", "10"), {source: [t.line("HitLoop", "call")]})
    c.stopped("breakpoint")
    c.set_breaks(source, [])
    pc = c.top()["instructionPointerReference"]
    code = c.ask("disassemble", memoryReference=pc, instructionOffset=-2,
                 instructionCount=8)["instructions"]
    t.check_equal(8, len(code))
    t.check_equal(pc, code[2]["address"])
    t.check(all(i["instruction"] for i in code), str(code))
    answer, = c.ask("setInstructionBreakpoints", breakpoints=[
        {"instructionReference": pc, "offset": 0}])["breakpoints"]
    t.check_equal(True, answer["verified"])
    t.check_equal(pc, answer["instructionReference"])
    c.go()
    c.stopped("instruction breakpoint")
    t.check_equal(pc, c.top()["instructionPointerReference"])
    t.check_equal("1", c.scope("Locals")["i"]["value"])
    c.ask("setInstructionBreakpoints", breakpoints=[])
    c.go()
    c.end()


def test_while_running(t):
    """Breakpoints are set, and the program is paused, while it runs and hits
    something all the time."""
    source = t.source("HitLoop")
    hit = t.line("HitLoop", "hit")
    c = t.adapter()
    c.launch(t.program("HitLoop", "1000000000"),
             {source: [{"line": hit, "condition": "i < 0"}]})
    c.event("breakpoint")
    c.ask("pause", threadId=1)
    c.stopped("pause")
    c.go()
    c.set_breaks(source, [{"line": hit, "condition": "i > 0"}])
    c.stopped("breakpoint")
    c.ask("disconnect", terminateDebuggee=True)
    c.wait()


def test_columns(t):
    """Of two statements on one line the column's is meant; the editor is
    told where statements begin."""
    source = t.source("Steps")
    line = t.line("Steps", "dispatch-lambda")
    c = t.adapter()
    c.launch(t.program("Steps"), {source: [line]})
    c.event("breakpoint")
    places = c.ask("breakpointLocations", source={"path": source}, line=line)
    columns = [p["column"] for p in places["breakpoints"]]
    t.check_equal(2, len(columns))
    text = open(source).read().split("\n")[line - 1]
    t.check(text[columns[1] - 1:].startswith("x * 2"), str(columns))
    c.stopped("breakpoint")
    answer, = c.set_breaks(source, [{"line": line, "column": columns[1]}])
    t.check_equal((True, line, columns[1]),
                  (answer["verified"], answer["line"], answer["column"]))
    c.go()
    c.stopped("breakpoint")
    t.check_equal(columns[1], c.top()["column"])
    t.check_equal("5", c.scope("Locals")["x"]["value"])
    sources = [s["path"] for s in c.ask("loadedSources")["sources"]]
    t.check_in(source, sources)
    modules = c.ask("modules")["modules"]
    steps, = [m for m in modules if m["name"] == "Steps.dll"]
    t.check_equal("Symbols loaded.", steps["symbolStatus"])
    t.check_equal(True, steps["isUserCode"])
    t.check_equal(False, steps["isOptimized"])
    named = {m["body"]["module"]["name"] for m in c.history
             if m.get("event") == "module"}
    t.check_equal({m["name"] for m in modules}, named)
    c.set_breaks(source, [])
    c.go()
    c.end()


def test_data_lost(t):
    """What cannot be followed any more stops, and says why."""
    source = t.source("Watch")
    c = t.adapter()
    c.launch(t.program("Watch", "moving", "100"),
             {source: [t.line("Watch", "collector")]})
    c.stopped("breakpoint")
    c.set_breaks(source, [])
    said = c.evaluate("`watch -l box.Value", context="repl")["result"]
    number, = re.findall(r"watchpoint (\d+): -location box\.Value", said)
    c.evaluate(f"`ignore {number} 100000", context="repl")
    c.go()
    stop = c.stopped("data breakpoint")
    t.check_equal("Watchpoint ended", stop["description"])
    t.check_equal("the garbage collector may have moved what it watches, and "
                  "'box.Value' does not lead there", stop["text"])
    c.go()
    c.end()


test_data_lost.runtimes = ("10",)


def test_data_object(t):
    """A field of an object is watched as long as that is there, also when the
    frame in which it was picked is left and objects have moved; what is a
    frame's ends with it, by a line in the console and no stop."""
    source = t.source("Watch")
    c = t.adapter()
    c.launch(t.program("Watch", "growing"), {source: [t.line("Watch", "grow")]})
    c.stopped("breakpoint")
    c.set_breaks(source, [])
    box = c.scope("Locals")["this"]["variablesReference"]
    ids = [c.ask("dataBreakpointInfo", variablesReference=box,
                 name="Value")["dataId"],
           c.ask("dataBreakpointInfo", name="by", frameId=c.top()["id"])[
               "dataId"]]
    field, local = c.ask("setDataBreakpoints", breakpoints=[
        {"dataId": one} for one in ids])["breakpoints"]
    t.check_equal((True, True), (field["verified"], local["verified"]))
    for text in ("Value: 3, was 0", "Value: 7, was 3"):
        c.go()
        stop = c.stopped("data breakpoint")
        t.check_equal(("Paused on change", [field["id"]]),
                      (stop["description"], stop["hitBreakpointIds"]))
        t.check_in(text, stop["text"])
    # one that is given up and wanted again may be another variable here
    c.ask("setDataBreakpoints", breakpoints=[])
    again, = c.ask("setDataBreakpoints", breakpoints=[
        {"dataId": ids[0]}])["breakpoints"]
    t.check_equal(False, again["verified"])
    t.check_in("pick it again", again["message"])
    gone = c.event("breakpoint", reason="removed")["breakpoint"]
    t.check_equal(local["id"], gone["id"])
    c.go()
    c.end()
    t.check_in(f"watchpoint {local['id']} deleted because the program has left "
               "the block in which its expression is valid", c.output("console"))


def test_data(t):
    """A static and a local are watched; each change stops, and no more."""
    source = t.source("HitLoop")
    c = t.adapter()
    c.launch(t.program("HitLoop", "4"), {source: [t.line("HitLoop", "call")]})
    c.stopped("breakpoint")
    c.set_breaks(source, [])
    info = c.ask("dataBreakpointInfo", name="sum", frameId=c.top()["id"])
    t.check_in("write", info["accessTypes"])
    answer, = c.ask("setDataBreakpoints", breakpoints=[
        {"dataId": info["dataId"], "accessType": "write"}])["breakpoints"]
    t.check_equal(True, answer["verified"])
    c.go()
    # 0 + 0 is no change
    for value in ("1", "3", "6"):
        stop = c.stopped("data breakpoint")
        t.check_equal([answer["id"]], stop["hitBreakpointIds"])
        t.check_in("sum: " + value, stop["text"])
        t.check_equal(value, c.evaluate("HitLoop.Program.sum")["result"])
        c.go()
    c.end()
    c = t.adapter()
    c.launch(t.program("HitLoop", "4"), {source: [t.line("HitLoop", "call")]})
    c.stopped("breakpoint")
    c.set_breaks(source, [])
    scope = c.ask("scopes", frameId=c.top()["id"])["scopes"][0]
    info = c.ask("dataBreakpointInfo", name="i",
                 variablesReference=scope["variablesReference"])
    c.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"]}])
    c.go()
    stop = c.stopped("data breakpoint")
    t.check_in("i: 1, was 0", stop["text"])
    c.ask("setDataBreakpoints", breakpoints=[])
    c.go()
    c.end()


def test_messages_as_csharp(t):
    """A log message is an interpolated string: alignment, formats, braces with
    a backslash. A blank condition is none. A key that looks like an index
    names its entry."""
    c = t.adapter()
    line, source = t.line("Shared", "numbers"), t.source("Shared")
    c.launch(t.program("Shared"), {source: [
        {"line": line, "logMessage":
         r"\{{numbers[5]:D3}|{numbers[0],4}|{numbers.Count,-3:X2}| a\b"},
        {"line": line, "condition": "  "}]})
    c.stopped("breakpoint")
    scope = c.scope("Locals")
    of = scope["numbers"]["variablesReference"]
    set_to = c.ask("setVariable", variablesReference=of, name="[1]", value="9")
    t.check_equal("9", set_to["value"])
    t.check_equal("true", c.evaluate(
        "System.Diagnostics.Debugger.IsAttached")["result"])
    c.go()
    c.end()
    t.check_in("{001|   2|03 | a\\b\n", c.output("console"))
    t.check_in("9\n", c.output())
