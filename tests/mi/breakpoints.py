"""Breakpoints of every kind: made, changed, hit."""
import os


def start(t, fixture, *args, **options):
    return t.mi("-i=mi", "--args", *t.program(fixture, *args), **options)


def test_conditions_and_counts(t):
    c = start(t, "Steps", "loops")
    place = t.at("Steps", "loop-body")
    made = c.ask(f'-break-insert -f -c "i == 1" {place}')["bkpt"]
    t.check_equal(("i == 1", "y"), (made["cond"], made["enabled"]))
    stop = c.go("-exec-run", "breakpoint-hit")
    t.check_equal("1", c.ask("-data-evaluate-expression i")["value"])
    c.ask("-break-condition 1 i == 2")
    c.go("-exec-continue", "breakpoint-hit")
    t.check_equal("2", c.ask("-data-evaluate-expression i")["value"])
    c.ask("-break-delete 1")
    t.check_equal("0", c.ask("-break-list")["BreakpointTable"]["nr_rows"])
    body = t.at("Steps", "while-body")
    made = c.ask(f"-break-insert -i 1 -t {body}")["bkpt"]
    t.check_equal(("del", "1"), (made["disp"], made["ignore"]))
    stop = c.go("-exec-continue", "breakpoint-hit")
    t.check_equal(("del", "2"), (stop["disp"], stop["bkptno"]))
    c.event("breakpoint-deleted", id="2")
    made = c.ask(f"-break-insert -d {t.at('Steps', 'foreach-body')}")["bkpt"]
    t.check_equal("n", made["enabled"])
    c.ask("-break-enable 3")
    c.ask("-break-after 3 1")
    table = c.ask("-break-info 3")["BreakpointTable"]
    t.check_equal(("y", "1"), tuple(table["body"][0][k]
                                    for k in ("enabled", "ignore")))
    c.go("-exec-continue", "breakpoint-hit")
    t.check_equal("2", c.ask("-data-evaluate-expression n")["value"])
    c.ask("-break-disable 3")
    name, line = t.place("Steps", "loops")
    c.ask(f"-break-insert --source {name} --line {line}")
    c.ask("-break-insert --function Steps.Program.Factorial")
    for bad in ("-break-insert -a x", "-break-insert -c", "-break-insert",
                "-break-insert --frob x", "-break-delete 99",
                "-break-enable 99", "-break-condition 99 x",
                "-break-after 3 x", "-break-passcount 1 2", "-break-info 99",
                "-break-condition 3 )("):
        c.refused(bad)
    t.check_equal(0, c.quit())


def test_commands(t):
    """Commands of a breakpoint run at its hit, and may go on."""
    c = start(t, "Steps", "loops")
    c.ask(f"-break-insert -f {t.at('Steps', 'loop-body')}")
    c.ask('-break-commands 1 "silent" "print sum" "continue"')
    c.ask(f"-break-insert -f {t.at('Steps', 'while-head')}")
    bkpt = c.ask("-break-info 1")["BreakpointTable"]["body"][0]
    t.check_equal(["silent", "print sum", "continue"], bkpt["script"])
    c.resume("-exec-run")
    c.find("the second", lambda r: r.kind == "*" and r.name == "stopped"
           and r.results.get("bkptno") == "2")
    t.check_in("$1 = 0\n", c.said())
    t.check_in("$3 = 1\n", c.said())
    t.check_equal(0, c.quit())


def test_dprintf(t):
    c = start(t, "Steps", "loops")
    made = c.ask(f"-dprintf-insert -f {t.at('Steps', 'loop-body')} "
                 '"i is %d, {sum} %d%%\\n" i sum')["bkpt"]
    t.check_equal("dprintf", made["type"])
    c.go("-exec-run", "exited-normally")
    t.check_in("i is 0, {sum} 0%\ni is 1, {sum} 0%\ni is 2, {sum} 1%\n",
               c.said())
    c.refused(f"-dprintf-insert {t.at('Steps', 'loop-body')}")
    t.check_equal(0, c.quit())


def test_several_places(t):
    """One location, several places: version 3 and 4 list them inside."""
    for word in "mi2", "mi3", "mi":
        c = t.mi(f"-i={word}", "--args", *t.program("Breaks"))
        c.go("-exec-run --start", "breakpoint-hit")
        made = c.ask("-break-insert " + t.at("Breaks", "init-first"))
        bkpt = made["bkpt"]
        places = (made if word == "mi2" else bkpt).get("locations", [])
        t.check_equal("<MULTIPLE>", bkpt["addr"])
        t.check(len(places) > 1, str(made))
        t.check_equal("1.1", places[0]["number"])
        t.check_equal(0, c.quit())


test_several_places.runtimes = ("10",)


def test_watch(t):
    c = start(t, "Hello")
    c.start_at("Hello", "add")
    made = c.ask("-break-watch sum")
    t.check_equal({"number": "2", "exp": "sum"}, made["wpt"])
    stop = c.go("-exec-continue", "watchpoint-trigger")
    t.check_equal({"number": "2", "exp": "sum"}, stop["wpt"])
    t.check_equal({"old": "0", "new": "5"}, stop["value"])
    kinds = [b["type"] for b in
             c.ask("-break-list")["BreakpointTable"]["body"]]
    t.check_equal(["breakpoint", "hw watchpoint"], kinds)
    stop = c.go("-exec-continue", "watchpoint-scope")
    t.check_equal("2", stop["wpnum"])
    made = c.ask("-break-watch -a sum")
    t.check_equal("sum", made["hw-awpt"]["exp"])
    stop = c.go("-exec-continue", "access-watchpoint-trigger")
    t.check_equal("sum", stop["hw-awpt"]["exp"])
    c.ask(f"-break-delete {made['hw-awpt']['number']}")
    made = c.ask("-break-watch -r sum")
    t.check_equal("sum", made["hw-rwpt"]["exp"])
    stop = c.go("-exec-continue", "read-watchpoint-trigger")
    t.check_equal(("sum", {"value": "5"}),
                  (stop["hw-rwpt"]["exp"], stop["value"]))
    c.refused("-break-watch nowhere")
    t.check_equal(0, c.quit())


def test_exceptions(t):
    c = start(t, "Throws", "plain")
    made = c.ask("-catch-throw")["bkpt"]
    t.check_equal(("catchpoint", "throw"), (made["type"], made["catch-type"]))
    stop = c.go("-exec-run", "breakpoint-hit")
    t.check_equal(("1", "System.InvalidOperationException", "level zero",
                   "throw"),
                  tuple(stop[k] for k in ("bkptno", "exception-name",
                                          "exception", "exception-stage")))
    t.check_equal(str(t.line("Throws", "level-throw")), stop["frame"]["line"])
    c.ask("-break-delete 1")
    c.ask("-catch-user-unhandled -t")
    c.ask("-catch-unhandled -r System.FormatException")
    c.go("-exec-continue", "exited-normally")
    t.check_equal(0, c.quit())


def test_fail_fast(t):
    """A stop at Environment.FailFast is one at what nobody handles."""
    c = start(t, "Throws", "unhandled-fast")
    stop = c.go("-exec-run", "signal-received")
    t.check_equal(("SIGABRT", "failed fast", "unhandled", "clr"),
                  tuple(stop[k] for k in ("signal-name", "exception",
                                          "exception-stage",
                                          "exception-category")))
    # on 8 it has no frame of its own
    t.check_in("Unhandled" if t.runtime == "8" else "FailFast",
               stop["frame"]["func"])
    c.ask("-gdb-exit")


def test_handlers(t):
    """In front of the handler of an exception."""
    c = start(t, "Throws", "plain", "custom")
    made = c.ask("-catch-catch -t -r ShopException")["bkpt"]
    t.check_equal(("catchpoint", "del", "exception catch ShopException",
                   "catch"), tuple(made[k] for k in
                                   ("type", "disp", "what", "catch-type")))
    stop = c.go("-exec-run", "breakpoint-hit")
    t.check_equal(("1", "del", "Throws.ShopException", "sold out", "catch"),
                  tuple(stop[k] for k in ("bkptno", "disp", "exception-name",
                                          "exception", "exception-stage")))
    t.check_equal(str(t.line("Throws", "custom-head")), stop["frame"]["line"])
    t.check_equal([], c.ask("-break-list")["BreakpointTable"]["body"])
    c.go("-exec-continue", "exited-normally")
    t.check_equal(0, c.quit())


def test_libraries(t):
    """gdb's records of a library that comes or goes."""
    c = start(t, "Loads", "contexts", "1")
    made = c.ask("-catch-load Plugin")["bkpt"]
    t.check_equal(("catchpoint", "keep", "y", "load of library matching Plugin",
                   "load", ["i1"]),
                  tuple(made[k] for k in ("type", "disp", "enabled", "what",
                                          "catch-type", "thread-groups")))
    made = c.ask("-catch-unload -d -t Plugin")["bkpt"]
    t.check_equal(("del", "n", "unload of library matching Plugin", "unload"),
                  tuple(made[k] for k in ("disp", "enabled", "what",
                                          "catch-type")))
    path = os.path.join(os.path.dirname(t.program("Loads")[0]),
                        "LoadsPlugin.dll")
    c.ask("-break-after 1 1")
    stop = c.go("-exec-run", "solib-event")
    t.check_equal(("1", "keep", [path]),
                  tuple(stop[k] for k in ("bkptno", "disp", "added")))
    t.check_equal(path, c.event("library-loaded", id=path)["host-name"])
    t.check_equal("2", c.ask("-break-info 1")["BreakpointTable"]["body"][0]
                  ["times"])
    c.ask("-break-disable 1")
    c.ask("-break-enable 2")
    stop = c.go("-exec-continue", "solib-event")
    t.check_equal(("2", "del", [path]),
                  tuple(stop[k] for k in ("bkptno", "disp", "removed")))
    c.event("breakpoint-deleted", id="2")
    c.go("-exec-continue", "exited-normally")
    t.check_equal(0, c.quit())


def test_one_thread(t):
    """A breakpoint of one thread: -p, and the prompt's `thread N`."""
    c = start(t, "Threads", "8")
    c.start_at("Threads", "all-waiting")
    ids = {x["name"]: x["id"] for x in c.ask("-thread-info")["threads"]}
    after = f"Threads.cs:{t.line('Threads', 'wait-event') + 1}"
    t.check_in("no thread number 999", c.refused(f"-break-insert -p 999 {after}"))
    t.check_equal("Invalid thread ID: x",
                  c.refused(f"-break-insert -p x {after}"))
    # two threads come by here
    other = c.ask(f"-break-insert -p {ids['worker-4']} {after}")["bkpt"]
    t.check_equal(ids["worker-4"], other["thread"])
    c.console(f"break {after} thread {ids['worker-4']} if id > 100")
    t.check_in(f"\tstop only in thread {ids['worker-4']}\n\tstop only if id > "
               "100\n", c.console("info breakpoints"))
    stop = c.go("-exec-continue", "breakpoint-hit")
    t.check_equal((ids["worker-4"], other["number"]),
                  (stop["thread-id"], stop["bkptno"]))
    c.go("-exec-continue", "exited-normally")
    t.check_equal("1", c.ask(f"-break-info {other['number']}")
                  ["BreakpointTable"]["body"][0]["times"])
    t.check_equal(0, c.quit())


def test_thread_without_program(t):
    """A thread is named before there is one."""
    c = start(t, "Steps")
    for _ in "before", "after":
        t.check_match("(?i)no thread number 1",
                      c.refused("-break-insert -p 1 Steps.Program.Loops"))
        t.check_equal("0", c.ask("-break-list")["BreakpointTable"]["nr_rows"])
        c.go("-exec-run", "exited-normally")
    t.check_equal(0, c.quit())


def test_odd_path(t):
    """The path of a source file has a '!' in it."""
    c = t.mi("-i=mi", *t.program("Linked"))
    path = "/sources/really!/Odd.cs"
    for words in (f"{path}:3", f"--source {path} --line 3"):
        made = c.ask(f"-break-insert -t {words}")["bkpt"]
        t.check_equal((path, "3"), (made["fullname"], made["line"]))
    frame = c.go("-exec-run", "breakpoint-hit")["frame"]
    t.check_equal((path, "3"), (frame["fullname"], frame["line"]))
    c.ask(f"-data-disassemble -f {path} -l 3 -- 0")
    c.go("-exec-continue", "exited-normally")
    t.check_equal(0, c.quit())


def test_what_there_is_not(t):
    """Refused in gdb's words, or in a sentence that says what there is."""
    c = start(t, "Hello")
    t.check_equal('No label "out" defined in function "Add".',
                  c.refused("-break-insert --function Add --label out"))
    t.check_equal('No label "out" defined in current function.',
                  c.refused("-break-insert --label out"))
    for command in "-catch-load", "-catch-unload":
        t.check_in("Usage", c.refused(command))
        t.check_in("Usage", c.refused(command + " -x y"))
        t.check_in("missing closing", c.refused(command + " ("))
    t.check_in("Usage", c.refused("-catch-catch x"))
    t.check_in("tracepoint 1", c.refused("-break-passcount 1 2"))
    c.ask("-catch-rethrow")
    t.check_equal("throw", c.ask("-break-list")["BreakpointTable"]["body"][0]
                  ["catch-type"])
    c.start_at("Hello", "add")
    t.check_in("A managed frame cannot be dropped", c.refused("-exec-return"))
    t.check_equal(0, c.quit())


def test_watch_lost(t):
    """What cannot be followed ends as what has left its scope does."""
    c = start(t, "Watch", "moving", "100")
    c.start_at("Watch", "collector")
    c.ask('-interpreter-exec console "watch -l box.Value"')
    c.ask("-break-after 2 100000")
    stop = c.go("-exec-continue", "watchpoint-scope")
    t.check_equal("2", stop["wpnum"])
    t.check_equal("the garbage collector may have moved what it watches, and "
                  "'box.Value' does not lead there", stop["note"])
    c.go("-exec-continue", "exited-normally")
    t.check_equal(0, c.quit())


test_watch_lost.runtimes = ("10",)


def test_deleted_beside_step(t):
    """A step over await waits for what the JIT makes of the method. It does so
    too where breakpoints of the method come and go meanwhile."""
    for early in (True, False):
        file = f"{t.dir}/until{early}"
        c = t.mi("-i=mi", "--args",
                 *t.program("Tiers", file, config="Release"))
        c.ask("-gdb-set mi-async on")
        c.ask(f"-break-insert -t {t.at('Tiers', 'await')}")
        c.go("-exec-run", "breakpoint-hit")
        other = f'-break-insert -c "n == 1000" {t.at("Tiers", "behind")}'
        if early:
            c.ask(other)
        c.at = len(c.records)
        c.resume("-exec-next")
        t.wait_for("the call to wait", lambda: os.path.exists(file + ".waits"))
        if not early:
            c.ask(other)
        c.ask("-break-delete 2")
        open(file, "w").close()
        stop = c.stopped("end-stepping-range", 60)
        t.check_equal(t.place("Tiers", "behind")[1], int(stop["frame"]["line"]))
        c.go("-exec-continue", "exited-normally")
        c.quit()
