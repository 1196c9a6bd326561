"""Hot reload: a program that is given updates while it is debugged."""
import contextlib
import os
import re
import shutil
import subprocess

import drive

BUILT = f"{drive.BUILT}/HotReload"
MODIFIABLE = {"DOTNET_MODIFIABLE_ASSEMBLIES": "debug"}


def words(t):
    """The program, which edits its source in a directory of the test's own."""
    shutil.copy(f"{BUILT}/HotReload.cs", t.dir)
    return [f"{BUILT}/HotReload.dll", t.dir]


def line_of(version, text):
    """The line of a statement in that version of the source."""
    name = f"HotReload.{version}.cs" if version else "HotReload.cs"
    with open(f"{BUILT}/{name}", encoding="utf-8") as file:
        return next(n for n, line in enumerate(file, 1) if text in line)


def batch(t, *commands):
    done = t.batch([f"set substitute-path {BUILT} {t.dir}", *commands],
                   words(t), env=MODIFIABLE)
    return done.stdout + done.stderr


def test_followed(t):
    """Breakpoints are in the new code, whose lines, locals and values are
    right; code that moved is told by its new line; what was added is found."""
    def at(version, statement):
        return f"HotReload.cs:{line_of(version, statement)}"

    text = batch(
        t, "break Program.Changed", "break Program.Below", "break Box.Text",
        "run", *["continue"] * 4, "next", "next", "next", "info locals",
        "print n + y", "print new Shape().Show()", "continue", "continue",
        "continue", "next", "info locals", "continue", "print value",
        "delete", "break Program.Added", "break Program.Below", "continue",
        "next", "next", "step", "up", "info locals", "delete 4", "continue",
        "kill")
    t.check_in("HotReload.dll: 4 methods replaced.", text)
    t.check_in("HotReload.dll: 4 methods replaced, 2 added.", text)
    for place in (
            f"Program.Changed (n=10) at {at(0, '// @old')}",
            f"Program.Below (n=10) at {at(0, 'int twice')}",
            f"Program.Changed (n=10) at {at(1, 'got')}",
            f"Program.Below (n=10) at {at(1, 'int twice')}",
            f"Box<int>.Text (this={{Box<int>}}) at {at(1, 'int length')}",
            f"Program.Added (n=106) at {at(2, '@lambda')}",
            f"Program.Below (n=10) at {at(2, 'int twice')}"):
        t.check_in(place, text)
    t.check_in('text = "got 10"\ny = 100\n', text)
    t.check_in("$1 = 110\n", text)
    # as the program prints it itself
    t.check_in('$2 = "edited 16"\n', text)
    t.check_in(", edited 16, new box 107, new box s7\n", text)
    t.check_in("length = 7\n", text)
    t.check_in('$3 = "s"\n', text)
    t.check_in(f"Program.Added.lambda (v=106) at {at(2, '@lambda')}", text)
    t.check_in("triple = ", text)


def test_old_code(t):
    """A frame in code that was replaced has the lines and the variables of the
    text before the edit, and says so; it ends in the new code's caller."""
    text = batch(t, "break Program.Update", "run", "finish", "info locals",
                 "print kept + n", "bt", "finish", "kill")
    old = line_of(0, "Update(1);")
    t.check_match(rf"^Program\.Old \(n=2\) at .*HotReload\.cs:{old} "
                  r"\(before the edit\)$", text)
    t.check_in(f"{old}\tin the text before the edit\n", text)
    t.check_in("kept = 42\n", text)
    t.check_in("$1 = 44\n", text)
    main = line_of(1, "Console.WriteLine(Old(2))")
    t.check_match(rf"^#1 .*Program\.Main .*HotReload\.cs:{main}$", text)


def test_old_code_mi(t):
    """A frame and a breakpoint's place in replaced code are marked for MI."""
    mi = t.mi("-i=mi", "--args", "dotnet", *words(t), env=MODIFIABLE)
    mi.ask('-interpreter-exec console '
           f'"set substitute-path {BUILT} {t.dir}"')
    mi.ask(f"-break-insert HotReload.cs:{line_of(0, 'Console.WriteLine(Spin')}")
    mi.go("-exec-run", "breakpoint-hit", 60)
    mi.ask(f"-break-insert HotReload.cs:{line_of(3, '// @spins')}")
    for wanted in None, "y":
        frame = mi.go("-exec-continue", "breakpoint-hit", 60)["frame"]
        t.check_equal(("Program.Spin", wanted),
                      (frame["func"].split("(")[0], frame.get("replaced")))
    t.check_equal("y", mi.ask("-stack-list-frames")["stack"][0].get("replaced"))
    places = mi.ask("-break-info 2")["BreakpointTable"]["body"][0]["locations"]
    t.check_equal([None, "y"], [p.get("replaced") for p in places[:2]])


def test_state_machine(t):
    """The fields of variables that are gone from a state machine, which goes on
    in the new code, are no variables of it; one that was given another field
    has what the program says."""
    text = batch(t, f"break HotReload.cs:{line_of(0, '// @steps')}", "run",
                 *["info locals", "print much", "continue"] * 7, "kill")
    said = re.findall(r"^steps (\d+) (\d+)$", text, re.M)
    t.check_equal([("1", "6"), ("2", "12")], said[:2])
    t.check_equal([("6", "0"), ("7", "35")], said[5:])
    shown = re.findall(r"^Breakpoint 1, .*\n.*\n(?:gone = (\d+)\n)?"
                       r"much = (\d+)\nn = (\d+)\n\$\d+ = (\d+)$", text, re.M)
    for (n, much), locals_ in zip(said, shown, strict=True):
        gone = str(4 * int(n)) if int(n) < 6 else ""
        t.check_equal((gone, much, n, much), locals_)


def test_running_on(t):
    """A breakpoint is hit in replaced code as long as that runs, and in the new
    one, which is told first."""
    at = line_of(0, "Console.WriteLine(Spin")
    text = batch(t, f"break HotReload.cs:{at}", "run",
                 f"break HotReload.cs:{line_of(3, '// @spins')}", "continue",
                 "continue", "info breakpoints", "continue", "continue",
                 "info breakpoints", "kill")
    old, new = line_of(3, "// @spins"), line_of(4, "// @spins")
    hits = re.findall(r"^Breakpoint 2, Program\.Spin \(n=(\d)\) at "
                      r".*HotReload\.cs:(\d+)(.*)$", text, re.M)
    t.check_equal([("1", str(old), ""), ("1", str(old), " (before the edit)"),
                   ("2", str(old), " (before the edit)"), ("5", str(new), "")],
                  hits)
    shown = [line for line in text.splitlines() if re.match(r"2\.\d", line)]
    t.check_equal(4, len(shown))
    for at, line in enumerate(shown):
        t.check_match(rf"HotReload\.cs:{old if at % 2 else new}\b", line)
    t.check_in("(before the edit)", shown[1])


def test_compiled_meanwhile(t):
    """A method that a thread is compiling while it is replaced is the new one
    afterwards: the update waits. (The runtime by itself publishes the old one
    behind it, which then is called up to the next update.)"""
    t.check_in("large: -1\n", batch(t, "run"))
    t.check_in("large: -1\n", batch(t, "break Program.Large", "run",
                                    "continue", "continue", "continue"))


def test_before(t):
    """Of updates that came before dndbg saw the program, and of which it keeps
    no record, it is known that they came: nothing is answered from old IL."""
    core = os.path.join(t.dir, "core")
    batch(t, f"break HotReload.cs:{line_of(0, 'return 0; // @end')}", "run",
          f"generate-core-file {core}", "kill")
    done = t.run("--batch", "-c", core, "-ex", "print shape.Show()", "-ex",
                 "print shape.first")
    t.check_in("Hot reload: HotReload.dll: an update is not known (4 updates "
               "came before dndbg saw it)", done.stdout + done.stderr)
    t.check_in("what Shape.Show() does now is not known", done.stderr)
    t.check_in("= 1\n", done.stdout)


@contextlib.contextmanager
def recorded(t):
    """The program behind three updates, of which it keeps a record."""
    out = os.path.join(t.dir, "out")
    with open(out, "w", encoding="utf-8") as file:
        program = subprocess.Popen(["dotnet", *words(t), "record"], stdout=file,
                                   env={**t.env, **MODIFIABLE})
    try:
        def ready():
            with open(out, encoding="utf-8") as file:
                return "ready" in file.read()
        t.wait_for("the updates", ready)
        yield program
    finally:
        program.kill()
        program.wait()


RECORDED = ("Hot reload: HotReload.dll: 3 updates before dndbg saw it: 13 "
            "methods replaced, 4 added")


def test_record(t):
    """Attached behind updates of which the program keeps a record: the module
    is as of these, replaced code that still runs is told from new code, and
    the next update goes on from there. A core is read alike."""
    def at(version, statement):
        return f"HotReload.cs:{line_of(version, statement)}"

    core = os.path.join(t.dir, "core")
    with recorded(t) as program:
        done = t.run(
            "--batch", "-ex", f"set substitute-path {BUILT} {t.dir}", "-ex",
            f"attach {program.pid}", "-ex",
            f"generate-core-file {core}", "-ex", "break Program.Added", "-ex",
            "continue", "-ex", "next", "-ex", "next", "-ex", "info locals",
            "-ex", "print shape.Show()", "-ex", "delete 1", "-ex",
            "break Program.Changed if n == 10", "-ex",
            "info line Program.Below", "-ex",
            "set var Program.goes = true", "-ex", "continue", "-ex",
            "info line Program.Below", "-ex", "thread apply all bt", "-ex",
            "detach")
    text = done.stdout + done.stderr
    t.check_in(RECORDED, text)
    for place in (f"Program.Added (n=106) at {at(3, '@lambda')}",
                  f"Program.Changed (n=10) at {at(4, 'got')}"):
        t.check_in(place, text)
    # its own text was never edited, and that of then is not known
    for version in 3, 4:
        t.check_in(f"Line {line_of(version, 'int twice')} of", text)
    t.check_in("triple = ", text)
    t.check_match(r'^\$1 = "edited \d+"$', text)
    t.check_in("Hot reload: HotReload.dll: 2 methods replaced.", text)
    old = line_of(0, "@waits")
    t.check_match(rf"Program\.Parked \(n=7\) .*HotReload\.cs:{old} "
                  r"\(before the edit\)$", text)
    done = t.run("--batch", "-c", core, "-ex",
                 f"set substitute-path {BUILT} {t.dir}", "-ex",
                 "print new Box<int>().Text()", "-ex", "thread apply all bt")
    text = done.stdout + done.stderr
    t.check_in(RECORDED, text)
    t.check_in('= "new box 07"\n', text)
    t.check_match(rf"Program\.Parked \(n=7\) .*HotReload\.cs:{old} "
                  r"\(before the edit\)$", text)


def test_record_comments(t):
    """Attached behind updates that put comments into methods which they did not
    change: a line is that of today's text, or is refused with the reason. It is
    never one of another method."""
    def at(statement):
        return f"HotReload.cs:{line_of(3, statement)}"

    # the end of the last one's method is never reached, and has no point
    statements = ("@noted end", "a -= 22", "@noted", "@behind", "@goes on")
    refused = ("@twin", "@other twin")
    with recorded(t) as program:
        commands = [f"break {at(s)}" for s in (*statements, *refused)]
        done = t.run(
            "--batch", "-ex", f"set substitute-path {BUILT} {t.dir}", "-ex",
            f"attach {program.pid}",
            *(word for c in commands for word in ("-ex", c)),
            *(word for _ in statements for word in ("-ex", "continue")),
            "-ex", "info breakpoints", "-ex", "detach")
    text = done.stdout + done.stderr
    for number, method, statement in (
            (1, "Noted", "@noted end"), (3, "Noted", "@noted"),
            (4, "Behind", "@behind"), (5, "GoOn", "@goes on")):
        n = "" if method == "GoOn" else "n=10"
        t.check_match(rf"^Breakpoint {number}, Program\.{method} \({n}\) at "
                      rf".*{at(statement)}$", text)
    for statement in refused:
        t.check_match(rf"{at(statement)}\b.*methods? .*HotReload.cs.* "
                      r"not known", text)
    t.check_not_in("before the edit", text)


def test_added_fields_distrusted(t):
    """Where it is not known where they are, no value is made up."""
    done = t.batch(
        [f"set substitute-path {BUILT} {t.dir}",
         f"break HotReload.cs:{line_of(0, 'return 0; // @end')}", "run",
         "print shape.second", "print shape.first", "kill"], words(t),
        env={**MODIFIABLE, "DNDBG_DISTRUST": "SyncBlock.m_pEnCInfo"})
    text = done.stdout + done.stderr
    t.check_in("Fields that hot reload added to classes are not shown: "
               "'SyncBlock.m_pEnCInfo' is not trusted", text)
    t.check_not_in(" = 3\n", text)
    t.check_not_in(" = 0\n", text)
    t.check_in("$1 = <", text)


def test_added_fields(t):
    """Fields that were added to a class are shown, set, and read and written by
    what is interpreted, as the program has them. New objects have what the new
    constructor gives them."""
    text = batch(
        t, f"break HotReload.cs:{line_of(0, 'return 0; // @end')}", "run",
        "print shape", "print shape.date.Day", "print shape.More()",
        "print new Shape().second", "print new Shape().More()",
        "print Shape.uses", "print Shape.last", "print Shape.when.Day",
        "set var shape.second = 7", 'set var shape.name = "set"',
        "set var Shape.uses = 4", "print shape.More()", "print shape.Use()",
        "print shape.second", "call shape.Use()", "print shape.second",
        "print Shape.last", "set var shape.date = new System.DateTime(2020,1,2)",
        "print shape.date", "set var Shape.when = shape.date",
        "print Shape.when", "print shape.first", "kill")
    t.check_in("use used34Fridayused14\n", text)
    t.check_equal(
        ['{first = 1, second = 3, name = "used", date = 0001-01-04 00:00:00, '
         "day = DayOfWeek.Friday}", "4", '"used3"', "90", '"added90"', "1",
         '"used1"', "4", '"set7"',
         # what it would do, and what it does
         '"used1014Fridayused514"', "7", '"used1014Fridayused514"', "10",
         '"used5"', "2020-01-02 00:00:00", "2020-01-02 00:00:00", "1"],
        re.findall(r"^\$\d+ = (.*)$", text, re.M))


# ---- Updates that the user has the program apply -------------------------

def update(t, version):
    """The command that applies it, in front of which its text is saved."""
    shutil.copy(f"{BUILT}/HotReload.{version}.cs", f"{t.dir}/{version}.cs")
    files = " ".join(f"{BUILT}/HotReload.{version}.{end}"
                     for end in ("md", "il", "pd"))
    return (f"shell cp {t.dir}/{version}.cs {t.dir}/HotReload.cs",
            f"apply-deltas HotReload.dll {files}")


def test_applied(t):
    """Updates that the debugger has the program apply are followed as its own
    are. The handlers of its assemblies are called, all caches first; one that
    throws is told, and the rest are called."""
    text = batch(
        t, "break Program.Main", "run", "break Program.Changed",
        *update(t, 1), "info breakpoints", "call Round(10)",
        "call shape.Show()", *update(t, 1)[1:], *update(t, 2), *update(t, 3),
        "call Round(10)", "print shape.More()", "call Twin(1)", "handles",
        f"break HotReload.cs:{line_of(3, '@added')}", "delete 2", "next",
        "delete 1", "tbreak Program.Round", "continue", "continue",
        "info locals", "kill")
    t.check_in("Hot reload: HotReload.dll: 4 methods replaced.\n", text)
    t.check_in("'HotReload.dll' is not updated: it has been applied already",
               text)
    t.check_in("Hot reload: HotReload.dll: 4 methods replaced, 2 added.\n", text)
    t.check_in("BadHandler.ClearCache(System.Type[])' threw System."
               "InvalidOperationException: cannot clear.", text)
    t.check_equal(["clear Program, application 15", "clear Program, "
                   "clear Program|Program+<>c, application 75"],
                  [told for told in re.findall(r"^told: (.*)$", text, re.M)][:2])
    t.check_match(rf"^2 .* 0x\w+ in Program.Changed.int. at HotReload\.cs:"
                  rf"{line_of(1, 'got')}$", text)
    t.check_in(", edited 16, new box 107, new box s7\n", text)
    t.check_in('= "edited 16"\n', text)
    t.check_in('= "used3"\n', text)
    t.check_in("triple = ", text)
    t.check_not_in("RuntimeAssembly", text)


def test_applied_types(t):
    """Handlers are told which types were updated, of those that are loaded."""
    at = line_of(0, "Console.WriteLine(Old(2))")
    text = batch(t, f"break HotReload.cs:{at}", "run", *update(t, 1),
                 "handles", "kill")
    t.check_in("told: clear Shape|Box`1[T]|Program, application 15\n", text)
    t.check_not_in("System.Type[]\n", text)


def test_applied_wrong(t):
    """What cannot be applied is refused with the reason, before the program is
    asked, and it goes on as if nothing had been."""
    def file(name, contents):
        path = f"{t.dir}/{name}"
        with open(path, "wb") as f:
            f.write(contents)
        return path

    parts = {}
    for end in "md", "il", "pd":
        with open(f"{BUILT}/HotReload.1.{end}", "rb") as f:
            parts[end] = f.read()
    with open(f"{BUILT}/HotReload.2.md", "rb") as f:
        second = file("second", f.read())
    md, il, pdb = (file(end, parts[end]) for end in parts)
    guid = parts["md"].index(b"#GUID")  # behind the offset of its heap
    at = int.from_bytes(parts["md"][guid - 8:guid - 4], "little")
    other = bytearray(parts["md"])
    other[at + 16] ^= 1  # the second is the module's
    huge = f"{t.dir}/huge"
    with open(huge, "wb") as f:
        f.truncate((64 << 20) + 1)
    cases = {
        f"HotReload.dll {t.dir}/none {il} {pdb}": "none'",
        f"HotReload.dll {md} {file('empty', b'')} {pdb}": "empty' is empty",
        f"HotReload.dll {huge} {il} {pdb}": "is too large",
        f"HotReload.dll {t.dir} {il} {pdb}": "is not a regular file",
        f"HotReload.dll {file('other', other)} {il}": "is of another module",
        f"HotReload.dll {second} {il} {pdb}": "before it is not known",
        f"HotReload.dll {file('cut', parts['md'][:300])} {il}":
            "is not updated: ",
        f"HotReload.dll {il} {il} {pdb}": "is not updated: ",
        f"HotReload.dll {md} {file('short', parts['il'][:20])} {pdb}":
            "is not updated: ",
        f"None.dll {md} {il} {pdb}": "has not loaded a module 'None.dll'",
        f"System.Console.dll {md} {il} {pdb}":
            "'System.Console.dll' cannot be updated: start the program with "
            "DOTNET_MODIFIABLE_ASSEMBLIES=debug",
        "HotReload.dll": "two to four files are needed",
    }
    done = t.batch(["break Program.Main", "run",
                    *(f"apply-deltas {case}" for case in cases), "continue"],
                   words(t), env=MODIFIABLE)
    for why, said in zip(cases.values(), done.stderr.splitlines()):
        t.check_in(why, said)
    t.check_equal(len(cases), len(done.stderr.splitlines()))
    t.check_in("exited normally", done.stdout)
    done = t.batch(["break Program.Main", "run",
                    f"apply-deltas HotReload.dll {md} {il} {pdb}", "kill"],
                   words(t))
    t.check_in("'HotReload.dll' cannot be updated: start the program with "
               "DOTNET_MODIFIABLE_ASSEMBLIES=debug in its environment", done.stderr)


def test_applied_dap(t):
    """The request that clients of netcoredbg asked for: answered when the
    handlers have run; breakpoints move, and all that was shown is asked anew.
    What is wrong is the answer's message."""
    files = {f"delta{name}": f"{BUILT}/HotReload.1.{end}" for name, end in
             (("MD", "md"), ("IL", "il"), ("PDB", "pd"))}
    source = f"{t.dir}/HotReload.cs"
    c = t.adapter()
    c.initialize()
    t.check_equal(True, c.capabilities["supportsApplyDeltasRequest"])
    path = words(t)
    c.launch(path, {source: [line_of(0, "@round 0"), line_of(0, "@below")]},
             hotReload=True, sourceFileMap={BUILT: t.dir})
    c.stopped("breakpoint")
    shutil.copy(f"{BUILT}/HotReload.1.cs", source)
    t.check_in("none': ", c.refused("applyDeltas", dllFileName="HotReload.dll",
                                   **{**files, "deltaIL": f"{t.dir}/none"}))
    c.ask("applyDeltas", dllFileName=path[0], lineUpdates="", **files)
    c.event("invalidated", areas=["all"])
    t.check_in("Hot reload: HotReload.dll: 4 methods replaced\n", c.output("console"))
    c.until("what the handler prints",
            lambda: "told: clear Shape|Program, application 15\n"
            in c.output())
    moved = {m["body"]["breakpoint"]["id"]: m["body"]["breakpoint"].get("line")
             for m in c.history if m.get("event") == "breakpoint"}
    t.check_in(line_of(1, "@below"), moved.values())
    c.go()
    c.stopped("breakpoint")
    t.check_equal(line_of(1, "@below"), c.top()["line"])
    c.ask("disconnect", terminateDebuggee=True)
    c.wait()


def test_applied_running(t):
    """In a program that runs, or was paused where it can make no call, it is
    said what to do first."""
    ask = {f"delta{name}": f"{BUILT}/HotReload.4.{end}" for name, end in
           (("MD", "md"), ("IL", "il"), ("PDB", "pd"))}
    ask["dllFileName"] = "HotReload.dll"
    c = t.adapter()
    c.launch([*words(t), "record"], hotReload=True,
             sourceFileMap={BUILT: t.dir})
    c.until("the program to be ready", lambda: "ready\n" in c.output())
    t.check_equal("the program is running: pause it first",
                  c.refused("applyDeltas", **ask))
    c.ask("pause", threadId=1)
    c.stopped("pause")
    t.check_in("step to the beginning of a line first",
               c.refused("applyDeltas", **ask))
    c.step()  # back in its caller, amid a statement
    c.step()
    shutil.copy(f"{BUILT}/HotReload.4.cs", f"{t.dir}/HotReload.cs")
    c.ask("applyDeltas", **ask)
    t.check_in("Hot reload: HotReload.dll: 2 methods replaced\n",
               c.output("console"))
    c.set_breaks(f"{t.dir}/HotReload.cs", [line_of(4, "// @four")])
    c.go()
    c.stopped("breakpoint")
    t.check_equal(line_of(4, "// @four"), c.top()["line"])
    c.ask("disconnect", terminateDebuggee=True)
    c.wait()


def test_applied_thread(t):
    """A thread makes the calls that can, if the one that was selected cannot."""
    s = t.start("--args", "dotnet", *words(t), "record", env=MODIFIABLE)
    s.cmd(f"set substitute-path {BUILT} {t.dir}")
    s.cmd(f"break HotReload.cs:{line_of(0, '@goes on')}")
    t.check_in("Breakpoint 1, ", s.cmd("run", 60))
    parked = re.search(r"^ +(\d+) .*\.Wait", s.cmd("info threads"), re.M)
    s.cmd(f"thread {parked[1]}")
    t.check_in("Program.Parked", s.cmd("bt"))
    t.check_in("No call can be made", s.cmd("call Program.Changed(1)"))
    save, apply = update(t, 4)
    s.cmd(save)
    t.check_in("Hot reload: HotReload.dll: 2 methods replaced.", s.cmd(apply))
    s.cmd("set confirm off")
    s.cmd("kill")
