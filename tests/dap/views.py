"""What editors show: threads, frames, exceptions, values."""
import base64
import re


def listed(c):
    """The threads of the list, without what stands behind them."""
    *own, calls = c.ask("threads")["threads"]
    if calls["name"] != "Suspended async calls":
        own.append(calls)
    return own


def threads(c):
    return sorted(one["name"] for one in listed(c))


def test_threads(t):
    """The program's threads by name and number, none of the runtime's own
    unless they are asked for."""
    source = t.source("Views")
    for more in False, True:
        c = t.adapter()
        c.launch(t.program("Views", "threads"),
                 {source: [t.line("Views", "threads")]},
                 **({"showRuntimeThreads": True} if more else {}))
        c.stopped("breakpoint")
        a, b = (c.evaluate(name)["result"] for name in ("id", "other"))
        own = ["Main Thread", f"Thread [{b}]",
               f"a worker with a long name [{a}]"]
        seen = threads(c)
        # one of the runtime's may have ended already
        started, ended = ({m["body"]["threadId"] for m in c.history
                           if m.get("event") == "thread"
                           and m["body"]["reason"] == reason}
                          for reason in ("started", "exited"))
        t.check_equal({one["id"] for one in listed(c)}, started - ended)
        if more:
            t.check(set(own) < set(seen), str(seen))
            t.check_in(".NET Finalizer [2]", seen)
        else:
            t.check_equal(own, seen)
        c.go()
        c.end()


def names(c, **more):
    return [re.sub(r"\(.*", "", f["name"]) for f in c.frames(**more)]


def test_external(t):
    """Frames nobody wrote are one; all are there without Just My Code."""
    source = t.source("Views")
    lines = [t.line("Views", mark) for mark in ("main", "compare", "resumed")]
    c = t.adapter()
    c.launch(t.program("Views", "external"), {source: lines})
    c.stopped("breakpoint")
    t.check_equal(["Views.Program.Main", "[External Code]"], names(c))
    external = c.frames()[1]
    t.check_equal("label", external["presentationHint"])
    t.check_equal(0, external["line"])
    t.check("source" not in external, str(external))
    t.check_in("rip", str(c.scope("Registers", external["id"])))
    c.go()
    c.stopped("breakpoint")
    whole = ["Views.Program.Compare", "[External Code]",
             "Views.Program.External.lambda", "[External Code]",
             "Views.Program.External", "Views.Program.Main", "[External Code]"]
    t.check_equal(whole, names(c))
    # pieces of it, as clients ask for them
    for first in range(len(whole)):
        t.check_equal(whole[first:first + 2],
                      names(c, startFrame=first, levels=2))
    body = c.ask("stackTrace", threadId=c.thread, startFrame=0, levels=7)
    t.check_equal(7, body["totalFrames"])
    body = c.ask("stackTrace", threadId=c.thread, startFrame=0, levels=6)
    t.check_equal(7, body["totalFrames"])
    c.ask("evaluate", expression="-exec set just-my-code off", context="repl")
    all_names = names(c)
    t.check("[External Code]" not in all_names, str(all_names))
    t.check_in("Views.Program.Call", str(all_names))
    c.ask("evaluate", expression="-exec set just-my-code on", context="repl")
    t.check_equal(whole, names(c))
    # a step out of the callback ends behind the code that is nobody's
    c.step("stepOut")
    t.check_in("External", c.top()["name"])
    c.ask("setBreakpoints", source={"path": source},
          breakpoints=[{"line": lines[2]}])
    c.go()
    c.stopped("breakpoint")
    # who awaits it may not have begun to wait
    resumed = names(c)
    t.check_equal(["Views.Program.Later", "[External Code]"], resumed[:2])
    t.check(set(resumed[2:]) <= {"[async] Views.Program.Main",
                                 "[External Code]"}, str(resumed))
    c.go()
    c.end()


def test_exception(t):
    """Where it was thrown, what is within it, and the object among the
    locals of every frame."""
    source = t.source("Views")
    c = t.adapter()
    c.launch(t.program("Views", "throws"), {}, lambda c: c.ask(
        "setExceptionBreakpoints", filters=["all"]))
    c.stopped("exception")
    info = c.ask("exceptionInfo", threadId=c.thread)
    t.check_equal("CLR/System.ArgumentException", info["exceptionId"])
    t.check_equal("Exception thrown: 'System.ArgumentException' in Views.dll: "
                  "'not this (Parameter 'which')'", info["description"])
    details = info["details"]
    t.check_equal("Views.dll", details["source"])
    t.check_equal("**System.ArgumentException:** "
                  "'not this (Parameter 'which')'",
                  details["formattedDescription"])
    inner, outer = (t.line("Views", mark) for mark in ("inner", "throws"))
    stack = details["stackTrace"].split("\n")
    t.check_equal(f"   at Views.Program.Inner(string) in {source}:line {inner}",
                  stack[0])
    t.check_in(f"in {source}:line {outer}", stack[2])
    for frame in c.frames()[:2]:
        seen = list(c.scope("Locals", frame["id"]).items())[0]
        t.check_equal("$exception", seen[0])
        t.check_in("not this", seen[1]["value"])
    c.go()
    c.stopped("exception")
    info = c.ask("exceptionInfo", threadId=c.thread)
    t.check_equal("CLR/Views.Refusal", info["exceptionId"])
    t.check_in("Innermost exception: System.ArgumentException: not this",
               info["description"])
    inside = info["details"]["innerException"][0]
    t.check_equal("System.ArgumentException", inside["fullTypeName"])
    t.check_in("Views.Program.Inner(", inside["stackTrace"])
    c.set_breaks(source, [t.line("Views", "main")])
    c.go()
    c.end()


def test_values(t):
    """Values as editors' users know them; one scope of variables that is
    open, the registers closed and last."""
    source = t.source("Views")
    c = t.adapter()
    c.launch(t.program("Views", "values"),
             {source: [t.line("Views", "values")]})
    c.stopped("breakpoint")
    scopes = c.ask("scopes", frameId=c.top()["id"])["scopes"]
    t.check_equal(["Locals", "Statics", "Registers"],
                  [one["name"] for one in scopes])
    t.check_equal([False, True, True], [one["expensive"] for one in scopes])
    seen = c.scope("Locals")
    t.check_equal(["count", "text"], list(seen)[:2])
    wanted = {
        "day": ("Friday", "Views.Day"),
        "access": ("Read | Write", "Views.Access"),
        "letter": ("97 'a'", "char"),
        "boxed": ("5", "object {int}"),
        "boxedDay": ("Monday", "object {Views.Day}"),
        "shape": ("{Views.Circle}", "Views.Shape {Views.Circle}"),
        "plain": ("{Views.Shape}", "Views.Shape"),
        "point": ("{Views.Point}", "Views.Point"),
        "grid": ("{int[2, 3]}", "int[,]"),
        "pair": ('(3, "three")', "System.Tuple<int, string>"),
        "value": ("(First: 1, Second: 98 'b')", "(int First, char Second)"),
    }
    for name, (value, type_) in wanted.items():
        t.check_equal((name, value, type_),
                      (name, seen[name]["value"], seen[name]["type"]))
    point = c.variables(seen["point"]["variablesReference"])
    t.check_equal({"X": "1", "Y": "2", "On": "Friday"},
                  {name: v["value"] for name, v in point.items()})
    pair = c.variables(seen["pair"]["variablesReference"])
    t.check_equal(["Item1", "Item2"], list(pair))
    t.check_equal("3", c.evaluate(pair["Item1"]["evaluateName"])["result"])
    for name in "count", "day", "letter", "boxed", "text":
        t.check("memoryReference" not in seen[name], str(seen[name]))
    data = c.ask("readMemory", count=4,
                 memoryReference=seen["bytes"]["memoryReference"])["data"]
    t.check_equal(bytes([1, 2, 3, 250]), base64.b64decode(data))
    # what stands in place of a value is to be told from one
    for context in "watch", "hover", "repl":
        words = c.refused("evaluate", expression="nothing", context=context,
                          frameId=c.top()["id"])
        t.check(words.startswith("error CS0103: "), words)
    # an argument is set where it is shown
    answer = c.ask("setVariable", name="count", value="8",
                   variablesReference=scopes[0]["variablesReference"])
    t.check_equal("8", answer["value"])
    c.go()
    c.end()


def test_authors(t):
    """What the authors of types want to be seen."""
    source = t.source("Displays")
    c = t.adapter()
    c.launch(t.program("Displays"), {
        source: [t.line("Displays", "collections"),
                 t.line("Displays", "types")]})
    c.stopped("breakpoint")
    seen = c.scope("Locals")

    def below(name, **more):
        return c.variables(seen[name]["variablesReference"], **more)

    def values(found):
        return {name: one["value"] for name, one in found.items()}
    t.check_equal(
        {"list": "Count = 3", "empty": "Count = 0", "map": "Count = 2",
         "byPair": "Count = 1", "byNumber": "Count = 1", "set": "Count = 2", "queue": "Count = 3",
         "nested": "Count = 2", "pair": "{[k, 5]}",
         "shared": "Count = 1"}, values(seen))
    # elements first, then the way to the fields
    found = below("list")
    t.check_equal([("[0]", "10"), ("[1]", "20"), ("[2]", "30"),
                   ("Raw View", "")], list(values(found).items()))
    t.check_equal("20", c.evaluate(found["[1]"]["evaluateName"])["result"])
    t.check_equal(["[1]", "[2]"], list(below("list", start=1, count=2)))
    t.check_equal(["[2]", "Raw View"], list(below("list", start=2, count=2)))
    raw = c.variables(found["Raw View"]["variablesReference"])
    t.check_equal({"Capacity": "4", "Count": "3"},
                  {name: raw[name]["value"] for name in ("Capacity", "Count")})
    t.check("_size" not in raw, str(raw))
    inner = c.variables(raw["non-public members"]["variablesReference"])
    t.check_equal(("3", "{int[4]}"),
                  (inner["_size"]["value"], inner["_items"]["value"]))
    t.check_equal("3", c.evaluate(inner["_size"]["evaluateName"])["result"])
    results = c.variables(raw["Results View"]["variablesReference"])
    t.check_equal(["10", "20", "30"], list(values(results).values()))
    # keys are names
    found = below("map")
    t.check_equal(['["a, b"]', '["c"]', "Raw View"], list(found))
    t.check_equal("1", c.evaluate(found['["a, b"]']["evaluateName"])["result"])
    # what fails says so, what takes too long is given up
    entry = below("byPair")['[(Id: 1, Name: "a")]']
    t.check_equal('byPair[(1, "a")]', entry["evaluateName"])
    t.check_equal("5", c.evaluate(entry["evaluateName"])["result"])
    found = c.variables(below("byNumber")["[7]"]["variablesReference"])
    t.check_equal(["A", "Twice", "Fails", "Slow", "static members"],
                  list(found))
    t.check_equal(("1", "2"), (found["A"]["value"], found["Twice"]["value"]))
    t.check_equal("'Fails' threw an exception of type "
                  "'System.InvalidOperationException'",
                  found["Fails"]["value"])
    t.check_match("^<the evaluation is given up: .* 'Displays.Named.Slow",
                  found["Slow"]["value"])
    # format specifiers
    for expression, value, parts in (
            ("list,raw", "{System.Collections.Generic.List<int>}", None),
            ("list,2", "Count = 3", ["10", "20", ""]),
            ("list,h", "Count = 0x00000003",
             ["0x0000000a", "0x00000014", "0x0000001e", ""]),
            ("list[0],b", "0b" + "0" * 28 + "1010", None),
            ("list[0],d", "10", None),
            ("pair.Key,nq", "k", None),
            ("map.Keys,results", "Count = 2", ['"a, b"', '"c"'])):
        answer = c.evaluate(expression)
        t.check_equal((expression, value), (expression, answer["result"]))
        if parts:
            found = c.variables(answer["variablesReference"])
            t.check_equal(parts, list(values(found).values()))
    c.go()
    c.stopped("breakpoint")
    seen = c.scope("Locals")
    t.check_equal(
        {"far": "far 5", "further": "{Displays.Further}", "bag": "Bag of 3",
         "bags": "Count = 2", "named": "{named 1}",
         "silent": "{Displays.Silent}",
         "person": "{Person { Name = Ann, Age = 30 }}",
         "shelf": "{Displays.Shelf}", "crate": "{Displays.Crate}"},
        values(seen))
    t.check_equal("a bag", seen["bag"]["type"])
    t.check_equal(["[0]", "[1]", "[2]", "First", "Raw View"],
                  list(below("bag")))
    t.check_equal(["bag 1", "bag 4", "Raw View"], list(below("bags")))
    t.check_equal(["Twice", "Raw View"], list(below("further")))
    t.check_equal({"Name": '"Ann"', "Age": "30"}, values(below("person")))
    # an object that is hidden in its root: its members are in its place
    found = below("shelf")
    members = {"Width": "3", "Height": "4", "Unit": '"m"', "Number": "7",
               "Other": "null"}
    t.check_equal(members, values(found))
    t.check_equal("shelf.Size.Height", found["Height"]["evaluateName"])
    t.check_equal({**members, "Weight": "9", "Raw View": ""},
                  values(below("crate")))
    t.check_equal(["Unit", "Number"],
                  list(below("shelf", start=2, count=2)))
    c.go()
    c.end()


def test_tuple_names(t):
    """Elements of tuples have their names wherever the tuples are: in
    collections, parameters, what is returned, beyond the seventh, and in what
    expressions make of them."""
    source = t.source("Views")
    c = t.adapter()
    c.launch(t.program("Views", "named"),
             {source: [t.line("Views", "range"), t.line("Views", "named")]})
    c.stopped("breakpoint")
    seen = c.scope("Locals")
    list_ = c.variables(seen["list"]["variablesReference"])
    t.check_equal('(Id: 1, Name: "one")', list_["[0]"]["value"])
    c.step("stepOut")
    seen = c.scope("Locals")
    t.check_equal("(Low: 5, High: 6)",
                  seen["Views.Program.Range returned"]["value"])
    c.go()
    c.stopped("breakpoint")
    seen = c.scope("Locals")
    t.check_equal("(A: 1, B: 2, C: 3, D: 4, E: 5, F: 6, G: 7, H: 8, I: 9)",
                  seen["nine"]["value"])
    nine = c.variables(seen["nine"]["variablesReference"])
    t.check_equal(list("ABCDEFGHI"), list(nine))
    t.check_equal("9", c.evaluate(nine["I"]["evaluateName"])["result"])
    for name, row, wanted in (("list", "[0]", '(Id: 1, Name: "one")'),
                              ("row", "[0]", "(A: 1, B: 2)"),
                              ("map", '["k"]', "(Low: 3, High: 4)")):
        found = c.variables(seen[name]["variablesReference"])[row]
        t.check_equal(wanted, found["value"])
        t.check_equal(wanted, c.evaluate(found["evaluateName"])["result"])
    holder = c.variables(seen["holder"]["variablesReference"])
    t.check_equal("(Down: 7, Up: 9)", holder["Both"]["value"])
    sides = c.variables(holder["Sides"]["variablesReference"])
    t.check_equal("(Left: 1, Right: 2)", sides["[0]"]["value"])
    for expression, wanted in (
            ("list[0]", '(Id: 1, Name: "one")'),
            ("list.ToArray()[0]", '(Id: 1, Name: "one")'),
            ("(X: 1, Y: 2)", "(X: 1, Y: 2)")):
        t.check_equal(wanted, c.evaluate(expression)["result"])
    c.go()
    c.end()


def test_apart(t):
    """What is not public of the framework's classes is apart, of its own
    class or of one of the user's that is made from it."""
    source = t.source("Views")
    c = t.adapter()
    c.launch(t.program("Views", "named"), {source: [t.line("Views", "named")]})
    c.stopped("breakpoint")
    seen = c.scope("Locals")
    raw = c.variables(c.variables(seen["ledger"]["variablesReference"])[
        "Raw View"]["variablesReference"])
    t.check_equal({"pages": "3", "Left": "2", "Count": "1"},
                  {name: raw[name]["value"]
                   for name in ("pages", "Left", "Count")})
    # what is protected counts as public
    t.check_equal("Count = 1", raw["Items"]["value"])
    t.check("items" not in raw, str(raw))
    other = c.variables(raw["non-public members"]["variablesReference"])
    t.check_in("items", str(list(other)))
    t.check("pages" not in other and "Items" not in other, str(other))
    hidden = c.evaluate("ledger,raw,hidden")
    members = c.variables(hidden["variablesReference"])
    t.check("items" in members and "non-public members" not in members,
            str(members))
    c.go()
    c.end()


def test_long_text(t):
    """A string is cut at 1,024 characters; who copies it has all of it."""
    source = t.source("Views")
    c = t.adapter()
    c.launch(t.program("Views", "named"), {source: [t.line("Views", "named")]})
    c.stopped("breakpoint")
    for context, wanted in (("watch", f'"{"x" * 1024}"...'),
                            ("hover", f'"{"x" * 1024}"...'),
                            ("clipboard", f'"{"x" * 1500}"')):
        t.check_equal(wanted, c.evaluate("words", context)["result"])
    t.check_equal(f'"{"x" * 1024}"...', c.scope("Locals")["words"]["value"])
    c.go()
    c.end()


def test_offered(t):
    """Names that are offered are those of the frame that is asked about;
    behind a dot what is not public of the framework's classes comes only
    when some of it was typed."""
    source = t.source("Views")
    c = t.adapter()
    c.launch(t.program("Views", "named"), {source: [t.line("Views", "range")]})
    c.stopped("breakpoint")

    def offered(text, frame=0):
        return [one["label"] for one in c.ask(
            "completions", text=text, column=len(text) + 1,
            frameId=c.frames()[frame]["id"])["targets"]]

    names = offered("list.")
    for name in "Count", "Add", "Capacity":
        t.check_in(name, names)
    for name in "_size", "Grow", "Finalize":
        t.check(name not in names, str(names))
    t.check_equal(["_size"], offered("list._si"))
    t.check_equal([], offered("holder."))
    t.check_in("Sides", offered("holder.", 1))
    names = offered("ledger.", 1)
    t.check_in("pages", names)
    t.check("items" not in names, str(names))
    t.check("holder" in offered("ho", 1), "holder")
    t.check("holder" not in offered("ho"), "holder")
    c.ask("disconnect", terminateDebuggee=True)
    c.wait()


def test_members(t):
    """Properties that implement an interface by its name, and those that a
    nearer class hides, each with the path that reads it; a display that
    throws."""
    c = t.adapter()
    c.launch(t.program("CSharp", t.dir + "/lines"),
             {t.source("CSharp"): [t.line("CSharp", "main")]})
    c.stopped("breakpoint")
    for text, wanted in (
            ("thing2", {"CSharp.IThing.Value": "12", "CSharp.IThing.Twice": None,
                        "Own": "3"}),
            ("derived", {"P": "2", "Hidden": '"hid"', "HiddenP": '"hidp"',
                         "Hidden (CSharp.Base)": "100",
                         "HiddenP (CSharp.Base)": "101", "P (CSharp.Base)": None})):
        seen = c.variables(c.evaluate(text)["variablesReference"])
        for name, value in wanted.items():
            t.check_equal(value, seen[name]["value"] if name in seen else None)
            if value:
                t.check_equal(value, c.evaluate(seen[name]["evaluateName"])
                              ["result"])
    t.check_equal("<Boom throws System.InvalidOperationException>",
                  c.evaluate("throws")["result"])
    c.go()
    c.end()


def named(c, reference, depth, found):
    """Every variable below, that has a path, but views of one and what running
    the program alone tells."""
    for one in c.variables(reference).values():
        path = one.get("evaluateName")
        if path and not path.endswith((",raw", ",results")) and \
                not one["value"].startswith("<"):
            found.append((path, one["value"]))
        if depth and one["variablesReference"]:
            named(c, one["variablesReference"], depth - 1, found)


def test_paths(t):
    """A path is an expression of C# that gives the value: names that compilers
    make are in none. An F# exception has its message among its members."""
    for fixture, mark in (("FsViews", "values"), ("FsViews", "unions"),
                          ("VbViews", "main"), ("VbViews", "lambda"),
                          ("Queries", "pairs"), ("Trees", "trees")):
        c = t.adapter()
        c.launch(t.program(fixture, f"{t.dir}/lines"),
                 {t.source(fixture): [t.line(fixture, mark)]})
        c.stopped("breakpoint")
        found = []
        for frame in c.frames():
            if "source" in frame:
                for scope in c.ask("scopes", frameId=frame["id"])["scopes"]:
                    if scope["name"] == "Locals":
                        named(c, scope["variablesReference"], 2, found)
                break
        t.check_equal(True, len(found) > 5)
        if mark == "unions":
            t.check_in(("failed.Message", '"Failed (\\"größe\\", 3)"'), found)
        for path, value in found:
            t.check_equal((path, value),
                          (path, c.evaluate(path, frame=frame["id"])["result"]))
        c.ask("disconnect", terminateDebuggee=True)
        c.wait()
