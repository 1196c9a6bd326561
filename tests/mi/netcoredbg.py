"""netcoredbg's dialect: what its clients send and read."""
import shutil

import drive
from survivor import Busy


def start(t, fixture, *args):
    c = t.mi("--interpreter=mi", "--", *t.program(fixture, *args))
    t.check_equal(["(gdb)"], [r.line for r in c.records])
    c.ask("-gdb-set just-my-code 1")
    return c


def keys(record):
    return list(record)


def test_a_session(t):
    c = start(t, "Hello")
    t.check_equal("(gdb)", c.records[-1].line)
    name, line = t.place("Hello", "add")
    t.check_equal(
        {"number": "1", "type": "breakpoint", "disp": "keep", "enabled": "y",
         "warning": "No executable code of the debugger's target code type is "
         "associated with this line."},
        c.ask(f"-break-insert -f {name}:{line}")["bkpt"])
    t.check_equal({"value": "1"}, c.ask("-gdb-show just-my-code"))
    c.ask("-gdb-set enable-step-filtering 1")
    t.check_equal({"value": "1"}, c.ask("-gdb-show enable-step-filtering"))
    c.ask("-gdb-set enable-hot-reload 0")
    stop = c.go("-exec-run", "entry-point-hit")
    t.check_equal(["reason", "thread-id", "stopped-threads", "frame"],
                  keys(stop))
    t.check_equal(
        ["file", "fullname", "line", "col", "end-line", "end-col", "clr-addr",
         "func", "addr", "active-statement-flags"], keys(stop["frame"]))
    t.check_equal(["module-id", "method-token", "method-version", "il-offset",
                   "native-offset"], keys(stop["frame"]["clr-addr"]))
    own = next(r.results for r in c.records if r.name == "library-loaded"
               and r.results["target-name"].endswith("/Hello.dll"))
    t.check_match(r"^\{[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\}$", own["id"])
    t.check_equal(own["id"], stop["frame"]["clr-addr"]["module-id"])
    stop = c.go("-exec-continue", "breakpoint-hit")
    t.check_equal(["reason", "thread-id", "stopped-threads", "bkptno", "times",
                   "frame"], keys(stop))
    t.check_equal("Hello.Program.Add()", stop["frame"]["func"])
    modified = c.event("breakpoint-modified", )["bkpt"]
    t.check_in("number", modified)
    t.check_equal([{"name": "a", "value": "2"}, {"name": "b", "value": "3"},
                   {"name": "sum", "value": "0"}],
                  c.ask("-stack-list-variables")["variables"])
    t.check_equal(["id", "name", "state"],
                  keys(c.ask("-thread-info")["threads"][0]))
    t.check("current-thread-id" not in c.ask("-thread-info"), "one more")
    c.go("-exec-finish", "end-stepping-range")
    c.at = len(c.records)
    c.resume("-exec-continue")
    t.check_equal({"reason": "exited", "exit-code": "0"}, c.stopped("exited"))
    t.check_equal("hello world 5\nok\n", "".join(
        r.results["text"] for r in c.records if r.name == "message"))
    kinds = {r.kind for r in c.records}
    t.check_equal({"=", "*", "^", "(gdb)"}, kinds)
    t.check("thread-group-started" not in {r.name for r in c.records}, "none")
    c.write("5-gdb-exit\n")
    t.check_equal(0, c.wait())
    t.check_equal(["5^exit", "(gdb)"], [r.line for r in c.records[-2:]])


def test_own_commands(t):
    """What only netcoredbg has."""
    c = t.mi("-i=mi", *t.program("Hello"))
    t.check_match("^A+=$", c.ask("-handshake init")["request"])
    t.check_equal({}, c.ask("-handshake response x"))
    name, line = t.place("Hello", "add")
    c.ask(f"-break-insert -f {name}:{line}")
    c.go("-exec-run", "entry-point-hit")
    found = c.ask(f"-break-update-line 1 {t.line('Hello', 'add-return')}")
    t.check_equal(str(t.line("Hello", "add-return")), found["bkpt"]["line"])
    t.check_equal("1", found["bkpt"]["number"])
    stop = c.go("-exec-continue", "breakpoint-hit")
    t.check_equal("1", stop["bkptno"])
    t.check_equal(str(t.line("Hello", "add-return")), stop["frame"]["line"])
    c.refused("-break-update-line 9 1")
    t.check_equal(0, c.quit())


def test_statements(t):
    """-exec-next goes by statement here, by line in gdb's dialect."""
    for dialect in "netcoredbg", "gdb":
        c = start(t, "StepKinds", "statements")
        c.ask("-break-insert -f " + t.at("StepKinds", "statements"))
        c.go("-exec-run", "entry-point-hit")
        c.go("-exec-continue", "breakpoint-hit")
        c.ask(f"-gdb-set dialect {dialect}")
        stop = c.go("-exec-next", "end-stepping-range")
        line = t.line("StepKinds", "statements")
        t.check_equal(str(line + (dialect == "gdb")), stop["frame"]["line"])
        t.check_equal(0, c.quit())


def test_variables(t):
    c = start(t, "Values", "structs")
    c.ask("-break-insert -f " + t.at("Values", "structs"))
    c.go("-exec-run", "entry-point-hit")
    c.go("-exec-continue", "breakpoint-hit")
    v = c.ask('-var-create - * "segment"')
    t.check_equal(["name", "value", "attributes", "exp", "numchild", "type",
                   "thread-id"], keys(v))
    t.check_equal(("var1", "segment"), (v["name"], v["exp"]))
    v = c.ask("-var-create --evalFlags 0 - point")
    t.check_equal("point", v["exp"])
    for tail in "--evalFlags 128", "--thread 1 --frame 0  --evalFlags 128":
        for expr in '"point"', '* "point"', "point":
            t.check_equal("point",
                          c.ask(f"-var-create - {expr} {tail}")["exp"])
    t.check_match("No frame at level 77",
                  c.refused('-var-create - "point" --frame 77'))
    t.check_equal(["0"], [f["level"] for f in c.ask(
        "-stack-list-frames 0 0 --thread 1")["stack"]])
    children = c.ask(f"-var-list-children --all-values {v['name']}")
    t.check_equal(["numchild", "children", "has_more"], keys(children))
    t.check_equal(["X", "Y"], [x["exp"] for x in children["children"]][:2])
    x = children["children"][0]
    t.check_equal("editable", c.ask(f"-var-show-attributes {x['name']}")
                  ["status"])
    t.check_equal("17", c.ask(f"-var-assign {x['name']} \"17\"")["value"])
    t.check_equal("17", c.ask(f"-var-evaluate-expression {x['name']}")
                  ["value"])
    t.check_equal({"numchild": "0"},
                  c.ask(f"-var-list-children {x['name']}"))
    t.check_equal({}, c.ask("-var-delete var77"))
    t.check_match("^error: ", c.refused("-var-create - * nowhere"))
    t.check_equal("Unknown command: frob", c.refused("-frob"))
    t.check_equal(0, c.quit())


def test_exceptions(t):
    c = start(t, "Throws", "plain")
    t.check_equal({"number": "1"},
                  c.ask("-break-exception-insert throw+user-unhandled *")
                  ["bkpt"])
    t.check_equal([{"number": "2"}, {"number": "3"}],
                  c.ask("-break-exception-insert --mda throw A.B C.D")["bkpt"])
    c.go("-exec-run", "entry-point-hit")
    stop = c.go("-exec-continue", "exception-received")
    t.check_equal(
        ("System.InvalidOperationException", "level zero", "throw", "clr"),
        tuple(stop[k] for k in ("exception-name", "exception",
                                "exception-stage", "exception-category")))
    first = c.ask("-stack-list-variables")["variables"][0]
    t.check_equal("$exception", first["name"])
    c.ask("-break-exception-delete 1 2 3")
    c.go("-exec-continue", "exited")
    t.check_equal(0, c.quit())


def test_caught(t):
    """In a handler its clients see what the exception came through, too."""
    c = start(t, "Throws", "plain", "within")
    for place in "plain-catch", "within-inner":
        c.ask("-break-insert -f " + t.at("Throws", place))
    c.go("-exec-run", "entry-point-hit")

    def lines(level=0):
        stack = c.ask("-stack-list-frames")["stack"]
        t.check_equal([str(i) for i in range(len(stack))],
                      [f["level"] for f in stack])
        t.check_equal(str(len(stack)), c.ask("-stack-info-depth")["depth"])
        return [int(f["line"]) for f in stack]

    def places(*names):
        return [t.place("Throws", n)[1] for n in names]

    c.go("-exec-continue", "breakpoint-hit")
    way = places("plain-catch", "level-throw", "level-call", "level-call",
                 "level-call", "plain-call")
    t.check_equal(way, lines()[:6])
    caught = "{System.InvalidOperationException}"
    t.check_equal([("$exception", caught), ("e", caught)],
                  [(v["name"], v["value"])
                   for v in c.ask("-stack-list-variables")["variables"]][:2])
    t.check_equal(caught, c.ask('-var-create - * "e"')["value"])
    t.check_equal([], [v for v in c.ask("-stack-list-variables --frame 6")
                       ["variables"] if v["name"] == "$exception"])
    t.check_match("no variables|gone|not on the stack",
                  c.refused("-var-create - n --frame 1"))
    # a step knows nothing of them
    c.ask("-gdb-set dialect gdb")
    t.check_equal(way[:1], lines()[:1])
    depth = len(lines())
    c.ask("-gdb-set dialect netcoredbg")
    t.check_equal(depth + 5, len(lines()))
    c.go("-exec-next", "end-stepping-range")
    c.go("-exec-continue", "breakpoint-hit")
    t.check_equal(places("within-inner", "within-second", "level-throw",
                         "within-first"), lines()[:4])
    c.go("-exec-finish", "end-stepping-range")
    c.go("-exec-continue", "exited")
    t.check_equal(0, c.quit())


def test_manners(t):
    """What its clients wait for, which gdb does otherwise."""
    c = start(t, "Throws", "plain")
    c.go("-exec-run", "entry-point-hit")
    pair = c.ask("-break-exception-insert throw+user-unhandled *")["bkpt"]
    t.check_equal({"number": "1"}, pair)
    t.check_equal(pair, c.ask(
        "-break-exception-insert throw+user-unhandled *")["bkpt"])
    t.check_equal({"number": "2"}, c.ask("-break-exception-insert throw *")
                  ["bkpt"])
    t.check_equal("throw", c.go("-exec-continue", "exception-received")
                  ["exception-stage"])
    c.ask("-break-exception-delete 1 2")
    c.write("-gdb-exit\n")
    t.check_equal(0, c.wait())
    last = [r.line for r in c.records if r.kind in ("^", "*")][-2:]
    t.check_match(r'^\*stopped,reason="exited",exit-code="', last[0])
    t.check_equal("^exit", last[1])


def test_texts(t):
    """The rest of the line as it is; attributes; what a step ends at."""
    c = start(t, "Values", "structs")
    name, line = t.place("Values", "structs")
    c.ask(f"-break-insert -f {name}:{line}")
    c.go("-exec-run", "entry-point-hit")
    c.go("-exec-continue", "breakpoint-hit")
    c.ask('-var-create t * "segment.Label"')
    for text in '"\\"one\\""', '""one""', '"one"':
        said = c.ask(f"-var-assign t {text}") if text != '"one"' else \
            c.refused(f"-var-assign t {text}")
        t.check_in("one", str(said))
    c.ask('-break-condition 1 segment.Label == "one"')
    t.check_equal("error: No 'nowhere' in this context (CS0103)",
                  c.refused("-var-create - * nowhere"))
    t.check_match("^error CS0019: ", c.refused('-var-create - * "1 + true"'))
    t.check_match("^Error: 0x80070057: ", c.refused(
        '-var-create - * "point.ToString(1,2)"'))
    c.resume("-exec-continue")
    c.stopped("exited")
    t.check_equal("The program is not being run.", c.refused("-thread-info"))
    t.check_equal(0, c.quit())


def test_attach(t):
    """The program runs on; a breakpoint is set meanwhile."""
    busy = Busy(t, "2", "1").ready()
    c = t.mi("--interpreter=mi", "--", "dotnet")
    t.check_equal("done", c.answer(c.send(f"-target-attach {busy.pid}")).name)
    c.event("library-loaded")
    c.at = len(c.records)
    t.check_equal("running", c.answer(c.send("-exec-continue")).name)
    c.ask("-exec-interrupt")
    stop = c.stopped("signal-received")
    t.check_equal("SIGINT", stop["signal-name"])
    t.check("signal-meaning" not in stop, "one word too many")
    c.ask("-target-detach")
    c.refused("-thread-info")
    t.check_equal(0, c.quit())
    busy.right()


def test_apply_deltas(t):
    """An update of the compiler's for hot reload, in a program that was started
    for it."""
    built = f"{drive.BUILT}/HotReload"
    shutil.copy(f"{built}/HotReload.cs", t.dir)
    c = t.mi("--interpreter=mi", "--", f"{built}/HotReload.dll", t.dir)
    c.ask("-gdb-set just-my-code 1")
    c.ask("-gdb-set enable-hot-reload 1")
    c.ask(f'-interpreter-exec console "set substitute-path {built} {t.dir}"')
    c.ask("-break-insert Program.Changed")
    c.go("-exec-run", "entry-point-hit", 60)
    shutil.copy(f"{built}/HotReload.1.cs", f"{t.dir}/HotReload.cs")
    command = "-apply-deltas HotReload.dll " + " ".join(
        f"{built}/HotReload.1.{end}" for end in ("md", "il", "pd", "lines"))
    t.check_equal({}, c.ask(command))
    frame = c.go("-exec-continue", "breakpoint-hit", 60)["frame"]
    with open(f"{built}/HotReload.1.cs", encoding="utf-8") as text:
        t.check_in("public static int Changed",
                   text.readlines()[int(frame["line"]) - 2])
    t.check_in("already", c.refused(command))
