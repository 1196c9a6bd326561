"""Stacks, scopes, variables, expressions, memory."""
import base64
import os
import signal
import time



def test_stack(t):
    """1,000 frames in pages; each page is only itself."""
    source = t.source("Deep")
    c = t.adapter()
    c.launch(t.program("Deep", "1000"), {source: [t.line("Deep", "bottom")]})
    c.stopped("breakpoint")
    first = c.ask("stackTrace", threadId=c.thread, startFrame=0, levels=20)
    t.check_equal(20, len(first["stackFrames"]))
    t.check_equal(21, first["totalFrames"])
    names = [f["name"] for f in first["stackFrames"]]
    t.check_in("Bottom(", names[0])
    t.check(all("Down(" in name for name in names[1:]), str(names))
    rest = c.ask("stackTrace", threadId=c.thread, startFrame=20, levels=5000)
    frames = first["stackFrames"] + rest["stackFrames"]
    t.check_equal(len(frames), rest["totalFrames"])
    t.check_equal(1000, len([f for f in frames if "Down(" in f["name"]]))
    t.check_equal(len(frames), len({f["id"] for f in frames}))
    t.check(t.line("Deep", "start") in [f["line"] for f in frames],
            "the caller is not there")
    t.check_equal("500", c.scope("Locals", frames[501]["id"])
                  ["level"]["value"])
    plain = c.frames(levels=1, format={"module": True, "line": True})[0]
    t.check_match(r"^Deep\.dll!.*Bottom Line \d+$", plain["name"])
    c.go()
    c.end()


def work(c, ask):
    """Nanoseconds of the processor that the adapter takes for the answer,
    and the answer."""
    clock = ~c.pid << 3 | 2  # of another process, see clock_getcpuclockid()
    before = time.clock_gettime_ns(clock)
    body = ask()
    return time.clock_gettime_ns(clock) - before, body


def test_linear(t):
    """Ten times as many frames, numbers or texts take about ten times as much
    work, not a hundred times."""
    source = t.source("Deep")
    least = {}
    for n in 1000, 10000:
        arrays = {
            "numbers": f"new int[{n}]",
            "texts": f"new string('x', {n - 1}).Replace(\"x\", \"ab \")"
                     f".Split(' ')",
        }
        c = t.adapter()
        c.launch(t.program("Deep", str(n)), {source: [t.line("Deep", "bottom")]})
        c.stopped("breakpoint")
        took = {}
        for _ in range(3):
            # at each stop all is read anew
            spent, body = work(c, lambda: c.ask(
                "stackTrace", threadId=c.thread, timeout=60))
            t.check(len(body["stackFrames"]) > n, len(body["stackFrames"]))
            took.setdefault("frames", []).append(spent)
            for kind, expression in arrays.items():
                value = c.evaluate(expression, frame=body["stackFrames"][0]["id"])
                spent, list = work(c, lambda: c.ask(
                    "variables", timeout=60,
                    variablesReference=value["variablesReference"]))
                rows = [v for v in list["variables"] if v["name"][0] == "["]
                t.check_equal(n, len(rows))
                took.setdefault(kind, []).append(spent)
            c.step()
        least[n] = {kind: min(spent) for kind, spent in took.items()}
        c.go()
        c.end()
    for kind, spent in least[1000].items():
        # between the two, as the processor's own speed differs
        t.check(least[10000][kind] < 32 * spent, f"{kind}: {least}")


def test_variables(t):
    """Arrays by pages, fields, evaluate names, memory, registers."""
    source = t.source("Values")
    c = t.adapter()
    c.launch(t.program("Values"), {source: [t.line("Values", "arrays")]})
    c.stopped("breakpoint")
    found = c.scope("Locals")
    numbers = found["numbers"]
    t.check_equal("int[]", numbers["type"])
    items = c.variables(numbers["variablesReference"], filter="indexed",
                        start=1, count=2)
    t.check_equal(["[1]", "[2]"], list(items))
    for item in items.values():
        again = c.evaluate(item["evaluateName"])
        t.check_equal(item["value"], again["result"])
    whole = c.variables(numbers["variablesReference"])
    t.check_equal(numbers["indexedVariables"],
                  len([name for name in whole if name.startswith("[")]))
    part = c.variables(numbers["variablesReference"], start=1, count=1)
    t.check_equal(1, len(part))
    t.check_equal(0, found["none"]["variablesReference"])
    t.check("memoryReference" not in items["[1]"], str(items))
    data = c.ask("readMemory", memoryReference=numbers["memoryReference"],
                 offset=4, count=4)
    t.check_equal(int(items["[1]"]["value"]), int.from_bytes(
        base64.b64decode(data["data"]), "little", signed=True))
    hexed = c.evaluate(items["[1]"]["evaluateName"], format={"hex": True})
    t.check_equal(int(items["[1]"]["value"]), int(hexed["result"], 16))
    registers = c.scope("Registers")
    t.check_equal(c.top()["instructionPointerReference"],
                  registers["rip"]["value"])
    nothing = c.ask("readMemory", memoryReference="0x10", count=8)
    t.check_equal(8, nothing["unreadableBytes"])
    c.ask("disconnect", terminateDebuggee=True)
    c.wait()


def test_expressions(t):
    """Watches, hovers, completion; what is wrong is said in words."""
    source = t.source("HitLoop")
    c = t.adapter()
    c.launch(t.program("HitLoop", "5"), {source: [t.line("HitLoop", "hit")]})
    c.stopped("breakpoint")
    t.check_equal("2", c.evaluate("i + 2")["result"])
    t.check_equal("int", c.evaluate("i")["type"])
    for context in ("watch", "hover", "repl", "variables", "clipboard"):
        t.check_equal("0", c.evaluate("i", context)["result"])
    t.check_equal("2", c.evaluate("? i + 2;", "repl")["result"])
    for wrong, why in (
            ("", "there is nothing to evaluate"),
            ("  ", "there is nothing to evaluate"),
            ("nothing", "no 'nothing' in this context"),
            ("System.Nowhere", "no loaded assembly has it"),
            ("i +", "the expression ends too early"),
            ("i.no", "no 'no' in 'int'")):
        t.check_in(why, c.refused("evaluate", expression=wrong,
                                  context="hover", frameId=c.top()["id"]))
    targets = c.ask("completions", text="1 + i", column=6,
                    frameId=c.top()["id"])["targets"]
    t.check("i" in [one["label"] for one in targets], str(targets))
    found = [one for one in targets if one["label"] == "i"][0]
    # the protocol counts from 1 here
    t.check_equal((5, 1, "variable"),
                  (found["start"], found["length"], found["type"]))
    # columns are units of UTF-16: the first character is two
    targets = c.ask("completions", text='"\U0001f600ü" + i', column=10,
                    frameId=c.top()["id"])["targets"]
    found = [one for one in targets if one["label"] == "i"][0]
    t.check_equal((9, 1), (found["start"], found["length"]))
    c.go()
    c.stopped("breakpoint")
    c.ask("disconnect", terminateDebuggee=True)
    c.wait()


def test_copied(t):
    """What is copied is whole, however long; numbers in hex; members are
    completed behind a dot."""
    source = t.source("Values")
    c = t.adapter()
    c.launch(t.program("Values", "strings", "arrays", "classes"),
             {source: [t.line("Values", "strings"), t.line("Values", "arrays")]})
    c.stopped("breakpoint")
    twice = "longer + longer"
    t.check_equal('"' + "a" * 1000 + "END" + "a" * 21 + '"...',
                  c.evaluate(twice, "watch")["result"])
    t.check_equal('"' + ("a" * 1000 + "END") * 2 + '"',
                  c.evaluate(twice, "clipboard")["result"])
    c.go()
    c.stopped("breakpoint")
    numbers = c.scope("Locals")["numbers"]["variablesReference"]
    plain = c.variables(numbers)
    hexed = c.variables(numbers, format={"hex": True})
    t.check_equal([int(v["value"]) & 0xffffffff for v in plain.values()],
                  [int(v["value"], 16) for v in hexed.values()])
    answer = c.ask("setVariable", variablesReference=numbers, name="[1]",
                   value="255", format={"hex": True})
    t.check_equal("0xff", answer["value"])
    answer = c.ask("setExpression", expression="numbers[1]", value="254",
                   frameId=c.top()["id"], format={"hex": True})
    t.check_equal("0xfe", answer["value"])
    c.ask("disconnect", terminateDebuggee=True)
    c.wait()


def test_completions_of_vscode(t):
    """VS Code filters by the text from `start` on, which it counts from 0: it
    is what is completed."""
    c = t.adapter()
    c.initialize(clientID="vscode")
    c.launch(t.program("HitLoop", "5"),
             {t.source("HitLoop"): [t.line("HitLoop", "hit")]})
    c.stopped("breakpoint")
    for text, label, typed in (("-exec info loc", "locals", "loc"),
                               ("  -ex", "-exec", "-ex"), ("1 + i", "i", "i"),
                               ("i.ToSt", "ToString", "ToSt")):
        targets = c.ask("completions", text=text, column=len(text) + 1,
                        frameId=c.top()["id"])["targets"]
        one = next(one for one in targets if one["label"] == label)
        start, length = one["start"], one["length"]
        t.check_equal(typed, text[start:start + length])
    c.ask("disconnect", terminateDebuggee=True)
    c.wait()


test_completions_of_vscode.runtimes = ("10",)


def test_members(t):
    """Completion behind a dot: members of a value, static ones of a type."""
    source = t.source("Busy")
    c = t.adapter()
    c.launch(t.program("Busy", "1", "1"), {source: [t.line("Busy", "turn")]})
    c.stopped("breakpoint")

    def complete(text):
        return c.ask("completions", text=text, column=len(text) + 1,
                     frameId=c.top()["id"])["targets"]

    targets = complete("-exec info loc")
    t.check_equal([("locals", 12, 3)],
                  [(one["label"], one["start"], one["length"])
                   for one in targets])
    names = [one["label"] for one in complete("`b")]
    for name in ("backtrace", "break"):
        t.check_in(name, names)
    t.check_equal([("-exec", "-exec ", 1, 3)],
                  [(one["label"], one["text"], one["start"], one["length"])
                   for one in complete("-ex")])
    t.check_equal("-exec", complete("")[0]["label"])
    t.check("-exec" not in [one["label"] for one in complete("1 -")], "-exec")
    targets = complete("-exec print this.Turns")
    t.check_equal([("this.Turns", 13, 10)],
                  [(one["label"], one["start"], one["length"])
                   for one in targets])
    targets = complete("1 + this.Turns")
    t.check_equal([("Turns", "field", 10, 5)],
                  [(one["label"], one["type"], one["start"], one["length"])
                   for one in targets])
    names = [one["label"] for one in complete("this.")]
    for name in ("Turns", "Sum", "Lost", "Name"):
        t.check_in(name, names)
    t.check_equal([("Tally", "class")], [
        (one["label"], one["type"]) for one in complete("Busy.Tall")])
    t.check_equal([], complete("nothing.x"))
    # properties and methods, of whatever stands before the dot
    t.check_equal([("Length", 11, 3)],
                  [(one["label"], one["start"], one["length"])
                   for one in complete('1 + "a b".Len')])
    names = [one["label"] for one in complete('"abc"[0].ToString().')]
    for name in ("Length", "Contains", "GetHashCode"):
        t.check_in(name, names)
    found = {one["label"]: (one["type"], one.get("detail"))
             for one in complete('"abc".')}
    t.check_equal(("property", "int"), found["Length"])
    t.check_match(r"^string Trim\(\) \(\+ \d overloads\)$", found["Trim"][1])
    t.check_equal(("method", "System.Type GetType()"), found["GetType"])
    here = {one["label"]: (one["type"], one.get("detail"))
            for one in complete("th")}
    t.check_equal(("variable", "Busy.Tally"), here["this"])
    names = [one["label"] for one in complete("(2 + System.Math.Ma")]
    t.check_in("Max", names)
    t.check_not_in("CompareTo", names)
    c.ask("disconnect", terminateDebuggee=True)
    c.wait()


def test_names(t):
    """Names of frames as the client wants them."""
    source = t.source("Hello")
    c = t.adapter()
    c.launch(t.program("Hello"), {source: [t.line("Hello", "add")]})
    c.stopped("breakpoint")
    for format, wanted in (
            (None, "Hello.Program.Add(int, int)"),
            ({}, "Hello.Program.Add"),
            ({"parameters": True}, "Hello.Program.Add(int, int)"),
            ({"parameters": True, "parameterNames": True},
             "Hello.Program.Add(a, b)"),
            ({"parameters": True, "parameterValues": True, "hex": True},
             "Hello.Program.Add(0x2, 0x3)"),
            ({"parameters": True, "parameterTypes": True,
              "parameterNames": True, "parameterValues": True,
              "module": True, "line": True},
             "Hello.dll!Hello.Program.Add(int a = 2, int b = 3) Line "
             + str(t.line("Hello", "add")))):
        more = {} if format is None else {"format": format}
        t.check_equal(wanted, c.frames(levels=1, **more)[0]["name"])
    c.go()
    c.end()


def test_tuple_names(t):
    """A parameter that is a tuple: its parentheses are not the list's."""
    source = t.source("Names")
    c = t.adapter()
    c.launch(t.program("Names"), {source: [t.line("Names", "usings")]})
    c.stopped("breakpoint")
    for format, wanted in (
            (None, "Names.Program.Usings((int, int))"),
            ({}, "Names.Program.Usings"),
            ({"parameters": True, "parameterNames": True},
             "Names.Program.Usings(range)"),
            ({"parameters": True, "parameterValues": True},
             "Names.Program.Usings((Low: 1, High: 2))")):
        more = {} if format is None else {"format": format}
        t.check_equal(wanted, c.frames(levels=1, **more)[0]["name"])
    c.ask("disconnect", terminateDebuggee=True)
    c.wait()


def at_depth(t, depth):
    c = t.adapter()
    c.launch(t.program("Deep", str(depth)),
             {t.source("Deep"): [t.line("Deep", "bottom")]})
    c.stopped("breakpoint")
    return c


def test_long_work(t):
    """A stack of 30,000 frames is told in pieces."""
    c = at_depth(t, 30000)
    frames = c.frames()
    t.check_equal(30000, len([f for f in frames if "Down(" in f["name"]]))
    told = [m for m in c.history if m.get("event") == "progressUpdate"
            and m["body"]["progressId"] == str(c.seq)]
    t.check_equal(["20000 frames", "30000 frames"],
                  [m["body"]["message"] for m in told])
    c.ask("disconnect", terminateDebuggee=True)
    c.wait()


def test_cancelled_work(t):
    """A stack so deep that the client has its time to cancel; the session
    goes on."""
    c = at_depth(t, 400000)
    seq = c.send("stackTrace", threadId=c.thread)
    start = c.event("progressStart")
    # it stands still until the client's word is there
    os.kill(c.pid, signal.SIGSTOP)
    cancel = c.send("cancel", progressId=start["progressId"])
    os.kill(c.pid, signal.SIGCONT)
    t.check_equal((True, seq), (start["cancellable"], start["requestId"]))
    answer = c.answer(seq)
    t.check_equal((False, "cancelled"),
                  (answer["success"], answer.get("message")))
    t.check_equal(True, c.answer(cancel)["success"])
    c.event("progressEnd", progressId=start["progressId"])
    t.check_in("Bottom(", c.ask("stackTrace", threadId=c.thread, levels=1)
               ["stackFrames"][0]["name"])
    c.ask("disconnect", terminateDebuggee=True)
    c.wait()


def test_stale(t):
    """References of an earlier stop are refused as such, wrong ones too."""
    source = t.source("HitLoop")
    c = t.adapter()
    c.launch(t.program("HitLoop", "5"), {source: [t.line("HitLoop", "hit")]})
    c.stopped("breakpoint")
    top = c.top()["id"]
    scope = c.ask("scopes", frameId=top)["scopes"][0]["variablesReference"]
    c.go()
    c.stopped("breakpoint")
    t.check_in("earlier stop", c.refused("scopes", frameId=top))
    t.check_in("earlier stop", c.refused("variables", variablesReference=scope))
    t.check_in("no frame 99999", c.refused("scopes", frameId=99999))
    t.check_in("no variable 99999", c.refused("variables",
                                             variablesReference=99999))
    t.check_in("no thread number 77", c.refused("stackTrace", threadId=77))
    c.ask("disconnect", terminateDebuggee=True)
    c.wait()
