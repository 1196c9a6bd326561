"""A session from the start to the end, as gdb's front ends have it."""
import glob
import os
import pwd
import re
import select
import signal


def test_a_session(t):
    c = t.mi("-i=mi", *t.program("Hello", "all"))
    c.event("thread-group-added", id="i1")
    name, line = t.place("Hello", "add")
    found = c.ask(f"-break-insert -f {name}:{line}")["bkpt"]
    t.check_equal(("1", "breakpoint", "keep", "y", "<PENDING>",
                   f"{name}:{line}"),
                  tuple(found[k] for k in ("number", "type", "disp", "enabled",
                                           "addr", "original-location")))
    stop = c.go("-exec-run", "breakpoint-hit")
    t.check_equal("1", stop["bkptno"])
    t.check_equal("all", stop["stopped-threads"])
    frame = stop["frame"]
    t.check_equal("Hello.Program.Add", frame["func"])
    t.check_equal([{"name": "a", "value": "2"}, {"name": "b", "value": "3"}],
                  frame["args"])
    t.check_equal((name, str(line)), (frame["file"], frame["line"]))
    t.check_match(f"^/.*/{name}$", frame["fullname"])
    c.event("thread-group-started", id="i1", pid=str(t.processes()[0]))
    c.event("breakpoint-modified")
    depth = c.ask("-stack-info-depth")["depth"]
    stack = c.ask("-stack-list-frames")["stack"]
    t.check_equal(int(depth), len(stack))
    t.check_equal(["Hello.Program.Add", "Hello.Program.Main"],
                  [f["func"] for f in stack[:2]])
    stop = c.go("-exec-finish", "function-finished")
    t.check_equal("5", stop["return-value"])
    stop = c.go("-exec-continue", "exited-normally")
    t.check_equal("hello all 5\nok\n", c.said("@"))
    c.event("thread-group-exited", id="i1", exit_code="00")
    t.check_equal(0, c.quit())


def test_the_entry(t):
    """--start stops at the beginning of Main; steps lead on."""
    c = t.mi("-i=mi", *t.program("Hello"))
    frame = c.go("-exec-run --start", "breakpoint-hit")["frame"]
    t.check_equal(str(t.line("Hello", "main-open")), frame["line"])
    stop = c.go("-exec-next 2", "end-stepping-range")
    t.check_equal(str(t.line("Hello", "call")), stop["frame"]["line"])
    stop = c.go("-exec-step 2", "end-stepping-range")
    t.check_equal("Hello.Program.Add", stop["frame"]["func"])
    c.go("-exec-finish", "function-finished")
    stop = c.go(f"-exec-until {t.at('Hello', 'last')}", "location-reached")
    t.check_equal(str(t.line("Hello", "last")), stop["frame"]["line"])
    t.check_equal(0, c.quit())


def test_the_entry_beside_a_library(t):
    """Main uses a class library with symbols, which is there before it."""
    c = t.mi("-i=mi", *t.program("Linked"))
    frame = c.go("-exec-run --start", "breakpoint-hit")["frame"]
    t.check_equal(("Linked.Program.Main", str(t.line("Linked", "main-open"))),
                  (frame["func"], frame["line"]))
    c.go("-exec-continue", "exited-normally")
    t.check_equal(0, c.quit())


def test_run_while_it_runs(t):
    """-exec-run ends the program that runs, and starts it anew."""
    c = t.mi("-i=mi", *t.program("Busy"))
    c.run_on()
    pid, = t.processes()
    c.at = len(c.records)
    c.resume("-exec-run")
    c.find("output", lambda r: r.kind == "@")
    again, = t.processes()
    t.check(pid != again, "the same process")
    c.event("thread-group-started", id="i1", pid=str(again))
    t.check_equal(0, c.quit())


def test_killed_where_it_stands(t):
    """What is asked of a program that is being killed is answered: commands
    that came before its end was seen, between calls in it, behind which nothing
    of the stop is known any more."""
    c = t.mi("-i=mi", *t.program("Hello"))
    c.start_at("Hello", "add")
    pid, = t.processes()
    words = ("-data-evaluate-expression System.Console.Out.Flush()",
             "-data-evaluate-expression 1+1", "-data-evaluate-expression a",
             "-data-evaluate-expression System.Console.Out.Flush()",
             "-data-disassemble -s 0x1000 -e 0x1010 -- 0",
             "-data-list-register-values x", "-stack-list-variables 1",
             "-stack-list-frames", "-thread-info", "-var-create - * a")
    tokens = [str(c.token + i) for i in range(1, 400)]
    c.token += len(tokens)
    c.write("".join(f"{i}{words[int(i) % len(words)]}\n" for i in tokens))
    for token in tokens[:30]:
        c.answer(token)
    os.kill(pid, signal.SIGKILL)
    for token in tokens[30:]:
        c.answer(token)
    t.check_equal("SIGKILL", c.stopped("exited-signalled")["signal-name"])
    t.check_equal(0, c.quit())


def test_exit_codes(t):
    """gdb's are octal; a signal has its name."""
    c = t.mi("-i=mi", "--args", *t.program("Hello", "x", "12"))
    stop = c.go("-exec-run", "exited")
    t.check_equal("14", stop["exit-code"])
    stop = c.go(f"-exec-run --start", "breakpoint-hit")
    c.at = len(c.records)
    os.kill(t.processes()[0], signal.SIGKILL)
    stop = c.stopped("exited-signalled")
    t.check_equal("SIGKILL", stop["signal-name"])
    t.check_equal(0, c.quit())


def test_versions_and_words(t):
    """What front ends ask for first, in every spelling of the option."""
    for words in (["--interpreter=mi"], ["--interpreter", "mi2"], ["-i", "mi3"],
                  ["-q", "-nx", "-nw", "--interpreter=mi4", "-quiet"]):
        c = t.mi(*words)
        t.check_in("dndbg", [c.ask("-gdb-version"), c.said()][1])
        t.check_in("dndbg", c.ask("-gdb-show version")["value"])
        features = c.ask("-list-features")["features"]
        for name in ("frozen-varobjs", "pending-breakpoints", "thread-info",
                     "breakpoint-notifications", "exec-run-start-option"):
            t.check_in(name, features)
        t.check_equal(["async"], c.ask("-list-target-features")["features"])
        t.check_equal("(gdb) ", c.ask("-gdb-show prompt")["value"])
        t.check_equal("true", c.ask("-info-gdb-mi-command exec-run")
                      ["command"]["exists"])
        t.check_equal("false", c.ask("-info-gdb-mi-command exec-rum")
                      ["command"]["exists"])
        t.check_equal([{"id": "i1", "type": "process"}],
                      c.ask("-list-thread-groups")["groups"])
        c.ask("-gdb-set mi-async 1")
        t.check_equal("on", c.ask("-gdb-show mi-async")["value"])
        t.check_in("Non-stop", c.refused("-gdb-set non-stop 1"))
        t.check_equal("Undefined MI command: frob", c.refused("-frob"))
        t.check_equal(0, c.quit())


test_versions_and_words.runtimes = ("10",)


def test_while_it_runs(t):
    """Commands are read, an interrupt stops it, the output stays apart."""
    c = t.mi("-i=mi", "--args", *t.program("Busy"))
    c.run_on()
    t.check_in("running", c.refused("-stack-list-frames"))
    t.check_equal("running", c.ask("-thread-info")["threads"][0]["state"])
    c.at = len(c.records)
    c.ask("-exec-interrupt")
    stop = c.stopped("signal-received")
    t.check_equal("SIGINT", stop["signal-name"])
    c.resume("-exec-continue")
    c.at = len(c.records)
    os.kill(c.pid, signal.SIGINT)
    t.check_equal("SIGINT", c.stopped("signal-received")["signal-name"])
    t.check_equal(0, c.quit())


def test_available(t):
    """What could be attached to: programs of .NET."""
    other = t.mi("-i=mi", "--args", *t.program("Hello"))
    other.start_at("Hello", "add")
    pid = other.ask("-list-thread-groups")["groups"][0]["pid"]
    c = t.mi("-i=mi")
    user = pwd.getpwuid(os.getuid()).pw_name
    found = [g for g in c.ask("-list-thread-groups --available")
             ["groups"] if g["id"] == pid]
    t.check_equal([("process", user)],
                  [(g["type"], g["user"]) for g in found])
    t.check_in("Hello.dll", found[0]["description"])
    t.check_equal([{"id": "i1", "type": "process", "threads": []}],
                  c.ask("-list-thread-groups --recurse 1")["groups"])
    t.check_in("Non-existent", c.refused("-list-thread-groups i7"))
    t.check_equal(0, c.quit())
    one, = other.ask("-list-thread-groups --recurse 1")["groups"]
    t.check_equal(os.readlink(f"/proc/{pid}/exe"), one["executable"])
    t.check_equal("Hello.Program.Add", one["threads"][0]["frame"]["func"])
    t.check_equal(0, other.quit())


def test_threads(t):
    c = t.mi("-i=mi", "--args", *t.program("Threads"))
    stop = c.start_at("Threads", "all-waiting")
    info = c.ask("-thread-info")
    t.check_equal(stop["thread-id"], info["current-thread-id"])
    ids = [thread["id"] for thread in info["threads"]]
    t.check(len(ids) >= 5, f"too few threads: {ids}")
    listed = c.ask("-thread-list-ids")
    t.check_equal(ids, listed["thread-ids"]["thread-id"])
    t.check_equal(str(len(ids)), listed["number-of-threads"])
    other = next(i for i in ids if i != stop["thread-id"])
    chosen = c.ask(f"-thread-select {other}")
    t.check_equal(other, chosen["new-thread-id"])
    t.check_equal(other, c.ask("-thread-info")["current-thread-id"])
    here = c.ask("-stack-info-frame")["frame"]["func"]
    there = c.ask(f"-stack-info-frame --thread {stop['thread-id']}")
    t.check_equal("Threads.Program", there["frame"]["func"][:15])
    t.check(here != there["frame"]["func"], here)
    # without a change of what is selected
    t.check_equal(other, c.ask("-thread-info")["current-thread-id"])
    t.check_equal([other], [x["id"] for x in
                            c.ask(f"-thread-info {other}")["threads"]])
    t.check_equal(0, c.quit())


def test_stack(t):
    c = t.mi("-i=mi", "--args", *t.program("Hello"))
    c.start_at("Hello", "add-return")
    t.check_equal([{"name": "sum"}],
                  c.ask("-stack-list-variables --no-values")["variables"][2:])
    t.check_equal(
        [{"name": "a", "arg": "1", "value": "2"},
         {"name": "b", "arg": "1", "value": "3"},
         {"name": "sum", "value": "5"}],
        c.ask("-stack-list-variables --all-values")["variables"])
    t.check_equal([{"name": "sum", "type": "int", "value": "5"}],
                  c.ask("-stack-list-locals 2")["locals"])
    t.check_equal(["sum"], c.ask("-stack-list-locals 0")["locals"])
    args = c.ask("-stack-list-arguments 1 0 1")["stack-args"]
    t.check_equal([{"name": "a", "value": "2"}, {"name": "b", "value": "3"}],
                  args[0]["args"])
    t.check_equal(["args"], [a["name"] for a in args[1]["args"]])
    t.check_equal(1, len(c.ask("-stack-list-frames 1 1")["stack"]))
    c.ask("-stack-select-frame 1")
    t.check_equal("1", c.ask("-stack-info-frame")["frame"]["level"])
    t.check_equal("Hello.Program.Add",
                  c.ask("-stack-info-frame --frame 0")["frame"]["func"])
    t.check_in("who", str(c.ask("-stack-list-locals 1")["locals"]))
    t.check_in("Not enough frames", c.refused("-stack-list-frames 90 99"))
    t.check_in("level 77", c.refused("-stack-select-frame 77"))
    t.check_in("Usage", c.refused("-stack-list-locals"))
    t.check_equal(0, c.quit())


def test_console(t):
    """Commands of the prompt: as an argument, as a line, with a token."""
    c = t.mi("-i=mi", "--args", *t.program("Hello"))
    c.console(f'-interpreter-exec console "break {t.at("Hello", "add")}"')
    c.event("breakpoint-created")
    c.at = len(c.records)
    c.resume("run")
    stop = c.stopped("breakpoint-hit")
    c.prompt()
    t.check_in("Breakpoint 1, ", c.said())
    t.check_in("a = 2", c.console("info args"))
    t.check_in("&\"info args", "".join(r.line for r in c.records))
    t.check_in("Hello.Program.Main", c.console("up"))
    t.check_equal("1", c.event("thread-selected")["frame"]["level"])
    t.check_equal("1", c.ask("-stack-info-frame")["frame"]["level"])
    t.check_in("Undefined command", c.refused("frobnicate"))
    c.console("delete 1")
    c.event("breakpoint-deleted", id="1")
    t.check_equal({"matches", "max_completions_reached", "completion"},
                  set(c.ask("-complete contin")) )
    c.write("quit\n")
    t.check_equal(0, c.wait())
    t.check_equal("exit", c.records[-1].name)


def test_terminal(t):
    """With a terminal of its own nothing of the program comes to us."""
    master, slave = os.openpty()
    c = t.mi("-i=mi", "--args", *t.program("Hello"))
    c.ask(f"-inferior-tty-set {os.ttyname(slave)}")
    t.check_equal(os.ttyname(slave),
                  c.ask("-inferior-tty-show")["inferior_tty_terminal"])
    c.go("-exec-run", "exited-normally")
    os.set_blocking(master, False)
    shown = bytearray()

    def is_all_shown():
        if select.select([master], [], [], 0)[0]:
            shown.extend(os.read(master, 4096))
        return b"\nok" in shown

    t.wait_for("what the program writes", is_all_shown)
    t.check_in(b"hello world", shown)
    os.close(slave)
    os.close(master)
    t.check_equal("", c.said("@"))
    t.check_equal(0, c.quit())


def test_attach(t):
    c = t.mi()
    c.ask("-file-exec-and-symbols " + t.program("Busy")[0])
    c.run_on()
    c.at = len(c.records)
    c.ask("-exec-interrupt")
    c.stopped("signal-received")
    pid = t.processes()[0]
    c.ask("-target-detach")
    c.event("thread-group-exited", id="i1")
    c.at = len(c.records)
    c.ask(f"-target-attach {pid}")
    stop = c.stopped()
    t.check("reason" not in stop, str(stop))
    t.check_in("frame", stop)
    c.ask("-target-detach")
    for words in ["--attach", str(pid)], ["-p", str(pid)]:
        other = t.mi("-i=mi", *words)
        other.at = 0
        other.stopped()
        other.ask("-target-detach")
        t.check_equal(0, other.quit())
    os.kill(pid, signal.SIGKILL)
    t.check_equal(0, c.quit())


def test_symbols_and_files(t):
    """Before the run by the program's files, then by its modules."""
    c = t.mi("-i=mi", "--args", *t.program("Hello"))
    name, line = t.place("Hello", "add")
    found = c.ask(f"-break-insert {name}:{line}")["bkpt"]
    t.check_equal((name, str(line)), (found["file"], found["line"]))
    c.go("-exec-run", "breakpoint-hit")
    found = c.ask("-symbol-info-functions --name Hello.*Add")["symbols"]
    symbols = found["debug"][0]
    t.check_equal("Hello.cs", symbols["filename"])
    t.check_equal(["Hello.Program.Add"], [s["name"] for s in
                                          symbols["symbols"]])
    t.check_in("int", symbols["symbols"][0]["type"])
    types = c.ask("-symbol-info-types --max-results 1")["symbols"]["debug"]
    t.check_equal(1, sum(len(f["symbols"]) for f in types))
    c.ask("-symbol-info-variables --name x")
    c.refused("-symbol-info-types --frob x")
    c.refused("-symbol-info-types --name (")
    lines = [x["line"] for x in c.ask("-symbol-list-lines Hello.cs")["lines"]]
    t.check_in(str(line), lines)
    files = c.ask("-file-list-exec-source-files")["files"]
    t.check_in("Hello.cs", [f["file"] for f in files])
    t.check_equal(str(line), c.ask("-file-list-exec-source-file")["line"])
    libraries = c.ask("-file-list-shared-libraries")["shared-libraries"]
    t.check_in("1", [x["symbols-loaded"] for x in libraries])
    t.check_equal(t.dir, c.ask("-environment-pwd")["cwd"])
    c.ask("-environment-cd /")
    t.check_equal("/", c.ask("-environment-pwd")["cwd"])
    c.refused("-environment-cd /nowhere")
    c.ask("-environment-cd " + os.path.dirname(t.dir))
    # relative to where it is now
    c.ask("-environment-cd " + os.path.basename(t.dir))
    c.at = len(c.records)
    c.ask("-exec-abort")
    c.stopped("exited-signalled")
    c.go("-exec-run", "breakpoint-hit")
    t.check_equal(t.dir, os.readlink(f"/proc/{t.processes()[0]}/cwd"))
    t.check_equal(0, c.quit())


def test_settings(t):
    """A setting that the prompt changed is told, one of the client's is not."""
    c = t.mi("-i=mi", "--args", *t.program("Busy"))
    c.console("set print elements 10")
    t.check_equal("10", c.event("cmd-param-changed",
                                param="print elements")["value"])
    c.ask("-gdb-set print elements 11")
    t.check_equal("11", c.ask("-gdb-show print elements")["value"])
    t.check_equal(1, sum(r.name == "cmd-param-changed" for r in c.records))
    c.run_on()
    t.check_equal("Cannot change this setting while the inferior is running.",
                  c.refused("-gdb-set mi-async 1"))
    types = c.ask("-info-os")["OSDataTable"]
    t.check_equal(("1", "processes"),
                  (types["nr_rows"], types["body"][0]["col0"]))
    table = c.ask("-info-os processes")["OSDataTable"]
    t.check_equal(["pid", "user", "command"],
                  [x["col_name"] for x in table["hdr"]])
    row = next(x for x in table["body"]
               if x["col0"] == str(t.processes()[0]))
    t.check_in("Busy.dll", row["col2"])
    t.check_in('"processes"', c.refused("-info-os cpus"))
    t.check_equal(0, c.quit())


def test_less_usual(t):
    """Commands that few front ends send."""
    c = t.mi("-i=mi")
    c.ask("-file-exec-file " + t.program("Hello")[0])
    c.ask("-file-symbol-file " + t.program("Hello")[0])
    c.ask("-exec-arguments " + " ".join(t.program("Hello")[1:]))
    c.ask("-enable-timings yes")
    t.check_equal(["async"], c.ask("-list-target-features")["features"])
    t.check_equal("true", c.ask("-info-gdb-mi-command exec-run")
                  ["command"]["exists"])
    c.ask("-enable-frame-filters")
    path = c.ask("-environment-path /opt/a /opt/b")["path"]
    t.check_equal(["/opt/a", "/opt/b"], path.split(":")[:2])
    c.go("-exec-run --start", "breakpoint-hit")
    with open(f"/proc/{t.processes()[0]}/environ", "rb") as file:
        t.check_in(b"PATH=" + path.encode(), file.read().split(b"\0"))
    stop = c.go("-exec-advance " + t.at("Hello", "add"), "location-reached")
    t.check_equal("Hello.Program.Add", stop["frame"]["func"])
    c.ask("-var-create v * a")
    c.ask("-var-set-visualizer v None")
    addr = int(stop["frame"]["addr"], 16)
    stop = c.go("-exec-next-instruction", "end-stepping-range")
    t.check(addr < int(stop["frame"]["addr"], 16), "it did not move")
    stop = c.go("-exec-next", "end-stepping-range")
    t.check_equal(str(t.line("Hello", "add-return")), stop["frame"]["line"])
    # back to where it was: there it stops by itself
    c.ask("-break-insert " + t.at("Hello", "add"))
    stop = c.go("-exec-jump " + t.at("Hello", "add"), "breakpoint-hit")
    t.check_equal(str(t.line("Hello", "add")), stop["frame"]["line"])
    c.at = len(c.records)
    c.ask("-exec-abort")
    c.stopped("exited-signalled")
    for command, rows in ("disable", "n"), ("enable", "y"), ("delete", ""):
        c.ask("-break-" + command)
        t.check_equal(rows, "".join(b["enabled"] for b in c.ask("-break-list")
                                    ["BreakpointTable"]["body"]))
    # a method by its whole name, once, though it is not there yet
    made = c.ask("-break-insert -t -f --qualified Hello.Program.Add")["bkpt"]
    t.check_equal("del", made["disp"])
    stop = c.go("-exec-run", "breakpoint-hit")
    t.check_equal((made["number"], "del"), (stop["bkptno"], stop["disp"]))
    some = c.ask("-stack-list-variables --skip-unavailable --simple-values")
    t.check_equal(["a", "b", "sum"], [v["name"] for v in some["variables"]])
    v = c.ask("-var-create - @ b")
    t.check_equal(("3", "int"), (v["value"], v["type"]))
    c.ask("-target-disconnect")
    t.check_equal(0, c.quit())


def test_command_lines(t):
    """Options of gdb's and netcoredbg's, with what they do."""
    for name, line in ("early", "set args all"), ("late", "info line Add"):
        with open(f"{t.dir}/{name}", "w") as file:
            file.write(line + "\n")
    program = t.program("Hello")
    c = t.mi("-i", "mi", "-f", "-n", "-ix", "early", "-iex", "echo first",
             "-x", "late", "-cd", "/", "-ex", "echo last", *program[:1])
    t.check_match(r"first(.|\n)*Line \d+ (.|\n)*last", c.said())
    t.check_equal("/", c.ask("-environment-pwd")["cwd"])
    t.check_equal("args: all\n", c.console("show args"))
    c.go("-exec-run", "exited-normally")
    t.check_equal(0, c.quit())
    c = t.mi("--interpreter=mi", f"--command={t.dir}/late",
             f"--log={t.dir}/log", "--run", "--", *program)
    t.check_equal({"reason": "exited", "exit-code": "0"}, c.stopped())
    c.send("-gdb-exit")
    t.check_equal(0, c.wait())
    t.check(os.path.getsize(f"{t.dir}/log"), "nothing was logged")


def test_every_command(t):
    """What the tables have is in one of these tests."""
    here = os.path.dirname(os.path.abspath(__file__))
    top = os.path.dirname(os.path.dirname(here))
    tested = ""
    for name in glob.glob(f"{here}/*.py"):
        with open(name) as file:
            tested += file.read()
    tables = names = 0
    for name in glob.glob(f"{top}/src/mi/**/mi_*.c", recursive=True):
        with open(name) as file:
            text = file.read()
        for table in re.findall(r"^const struct mi_cmd mi_\w+_cmds\[\] = \{$"
                                r"(.*?)^\};", text, re.M | re.S):
            tables += 1
            for command in re.findall(r'\{"([a-z-]+)"', table):
                names += 1
                t.check_match(rf"(?<![\w-])-{command}(?![\w-])", tested)
    t.check(tables >= 10 and names > 100, f"{tables} tables, {names} names")


test_every_command.runtimes = ("10",)


def test_source_directories(t):
    """Sources that are not where they were compiled."""
    c = t.mi("-i=mi", "--args", *t.program("Hello", config="Moved"))
    c.ask("-break-insert Hello.Program.Add")
    stop = c.go("-exec-run", "breakpoint-hit")
    t.check_equal("/nowhere/src/Hello.cs", stop["frame"]["fullname"])
    here = os.path.dirname(t.source("Hello"))
    t.check_equal("/nowhere/lib:$cdir:$cwd",
                  c.ask("-environment-directory /nowhere/lib")["source-path"])
    t.check_equal(f"{here}:/nowhere/lib:$cdir:$cwd",
                  c.ask(f"-environment-directory {here}")["source-path"])
    frame = c.ask("-stack-info-frame")["frame"]
    t.check_equal(f"{here}/Hello.cs", frame["fullname"])
    t.check_in("@add", c.console("list"))
    t.check_equal("$cdir:$cwd",
                  c.ask("-environment-directory -r")["source-path"])
    frame = c.ask("-stack-info-frame")["frame"]
    t.check_equal("/nowhere/src/Hello.cs", frame["fullname"])
    t.check_equal(0, c.quit())


def test_interrupt_steps(t):
    """SIGINT and -exec-interrupt end many steps of one instruction, which wait
    for nothing: the client is heard between two of them."""
    c = t.mi("-i=mi", *t.program("Hello"))
    c.start_at("Hello", "first")
    c.at = len(c.records)

    def worked():
        with open(f"/proc/{c.pid}/stat") as file:
            return sum(map(int, file.read().rpartition(")")[2].split()[11:13]))
    before = worked()
    c.send("-exec-step-instruction 4000000000")
    t.wait_for("some steps", lambda: worked() > before + 5)
    c.process.send_signal(signal.SIGINT)
    c.stopped("end-stepping-range")
    c.at = len(c.records)
    c.ask("-exec-step-instruction 4000000000")
    c.ask("-exec-interrupt")
    c.stopped()
    c.ask("-stack-list-frames")
    c.ask("kill")
    t.check_equal(0, c.quit())


test_interrupt_steps.runtimes = ("10", "11")


def test_suspended_calls(t):
    """A call that waits and those that await it are listed, and one that is
    selected is a stack; no step is made there, and a thread is gone back to."""
    for config in ("Debug", *(("RtDebug",) if t.runtime == "11" else ())):
        c = t.mi("-i=mi", *t.program("Frames", "async", config=config))
        c.start_at("Frames", "inner")
        found = c.ask("-task-list-chains")
        call = next(call for chain in found["chains"] for call in chain["calls"]
                    if call.get("func") == "Frames.Async.Outer")
        line = str(t.line("Frames", "outer"))
        t.check_equal((line, "waiting"), (call["line"], call["state"]))
        t.check_equal(found["waiting"], c.ask("-task-list-chains --each")[
            "waiting"])
        t.check_equal([], c.ask("-task-list-chains No.Such")["chains"])
        answer = c.ask("-task-select Async.Outer")
        thread = answer["new-thread-id"]
        t.check_equal(("0", "Frames.Async.Outer", line),
                      tuple(answer["frame"][k] for k in ("level", "func",
                                                         "line")))
        t.check_equal(answer, c.ask(f"-task-select {call['task']}") | {
            "new-thread-id": thread})
        t.check_equal('"top"', {
            v["name"]: v["value"] for v in c.ask(
                "-stack-list-variables --all-values")["variables"]}["name"])
        t.check_equal("3", c.ask(
            "-data-evaluate-expression name.Length")["value"])
        c.ask("-var-create kept * name")
        back = c.ask("-thread-info")["threads"][0]["id"]
        c.ask(f"-thread-select {back}")
        t.check_equal('"top"', c.ask(f"-data-evaluate-expression --thread "
                                     f"{thread} --frame 0 name")["value"])
        t.check_equal(line, c.ask(
            f"-stack-list-frames --thread {thread}")["stack"][0]["line"])
        t.check_in("a suspended call is on no thread",
                   c.refused(f"-exec-next --thread {thread}"))
        t.check_in("No call of a method \"No.Such\" is suspended.",
                   c.refused("-task-select No.Such"))
        t.check_equal([], [r.line for r in c.records if thread in r.line
                           and r.name == "thread-created"])
        t.check_equal(0, c.quit())
