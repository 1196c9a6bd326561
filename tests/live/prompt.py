"""The prompt: editing, completion, history, repetition, colours; and what
commands do without a terminal. Nothing here depends on the runtime, so most
run on one."""
import glob
import os
import re
import select
import signal
import subprocess

import drive

EDITING = {"TERM": "xterm", "NO_COLOR": "1"}
PROMPT = "^" + re.escape(drive.PROMPT)
NEWEST = ("10",)


def one_runtime(test):
    test.runtimes = NEWEST
    return test


def editing(t, *words, env=None):
    return t.start("--args", *(words or t.program("Hello")),
                   env={**EDITING, **(env or {})})


def at_main(t, *words):
    s = editing(t, *words)
    t.check_in("Main (", s.cmd("start"))
    return s


@one_runtime
def test_complete_commands(t):
    s = editing(t)
    s.send("disas\t")
    s.expect("semble ")
    s.line("")
    t.check_in("The program is not being run.", s.expect(PROMPT))
    s.send("info loc\t")
    s.expect("als")
    s.line("")
    s.expect(PROMPT)
    # Several are listed, and the line is there again.
    s.send("info s\t")
    listed = s.expect(r"\(dndbg\) info s$")
    for name in ("sharedlibrary", "source", "statics"):
        t.check_in(name, listed)
    t.check_not_in("locals", listed)
    s.send("har\t")
    s.expect("edlibrary ")
    s.line("")
    s.expect(PROMPT)
    s.send("set conf\t")
    s.expect("irm")


@one_runtime
def test_complete_names(t):
    s = at_main(t)
    s.send("b Hello.P\t")
    s.expect("rogram")
    s.send(".A\t")
    s.expect("dd")
    s.line("")
    t.check_in("Breakpoint 1 at Hello.Program.Add", s.expect(PROMPT))
    s.send("b Program.M\t")
    s.expect("ain")
    s.line("")
    t.check_in("Breakpoint 2 at", s.expect(PROMPT))
    s.send("b Hello.c\t")
    s.expect("s")
    s.line(":" + str(t.line("Hello", "print")))
    t.check_in("Breakpoint 3 at", s.expect(PROMPT))
    s.send("p wh\t")
    s.expect("o")
    s.line("")
    t.check_in("$1 = null", s.expect(PROMPT))


@one_runtime
def test_complete_ranks(t):
    """What is in scope, then the program's, then what C# could name of the
    framework; more than a screenful is asked for."""
    done = t.batch(["break Add", "run", "complete print a", "complete print StringC",
                    "complete print Ordinal", "kill"], t.program("Hello"))
    t.check_match("(?s)^print a\n", done.stdout)
    t.check_in("print StringComparer", done.stdout)
    # internal: no program can name it
    t.check_not_in("OrdinalCaseSensitiveComparer", done.stdout)
    done = t.batch(["start", "complete print T", "kill"],
                   t.program("Throws"))
    found = re.findall("^print (T.*)$", done.stdout, re.M)
    t.check("Throws" in found[0], f"the program's are not first: {found[:9]}")
    t.check_in("Type", found)
    s = at_main(t)
    s.send("p S\t")
    s.expect(r"Display all \d+ possibilities\? \(y or n\)")
    s.send("n")
    s.expect(r"\(dndbg\) p S$")
    s.send("\t")
    s.expect(r"Display all \d+ possibilities\? \(y or n\)")
    s.send("y")
    t.check_in("System.MulticastDelegate", s.expect(r"\(dndbg\) p S$"))


@one_runtime
def test_complete_members(t):
    s = editing(t, *t.program("Throws"))
    s.cmd("catch throw")
    t.check_in("Exception thrown", s.cmd("run"))
    s.send("p $exception._mess\t")
    s.expect("age")
    s.line("")
    t.check_match(r'\$1 = "', s.expect(PROMPT))


@one_runtime
def test_complete_paths(t):
    name = os.path.join(t.dir, "a-script-of-some-length")
    with open(name, "w") as file:
        file.write("echo read\\n\n")
    s = editing(t)
    s.send(f"source {t.dir}/a-scr\t")
    s.expect("ipt-of-some-length")
    s.line("")
    t.check_in("read", s.expect(PROMPT))


@one_runtime
def test_history(t):
    state = os.path.join(t.dir, "state")
    s = editing(t, env={"XDG_STATE_HOME": state})
    t.check_in("unforgotten", s.cmd("echo unforgotten\\n"))
    s.line("quit")
    t.check_equal(0, s.wait())
    t.check_equal(0o700, os.stat(state + "/dndbg").st_mode & 0o777)
    s = editing(t, env={"XDG_STATE_HOME": state})
    s.send("\x1b[A\x1b[A")
    s.expect(r"echo unforgotten\\n")
    s.line("")
    s.expect("^unforgotten")
    # Ctrl-R looks for it.
    s.expect(PROMPT)
    s.send("\x12unfo")
    s.expect(r"echo unforgotten\\n")


@one_runtime
def test_editing(t):
    s = editing(t)
    s.send("ecXho one\\n")
    s.send("\x01\x1b[C\x1b[C\x1b[3~")
    s.line("")
    t.check_in("one\n", s.expect(PROMPT).replace("\r", ""))
    # Letters of several bytes.
    s.send("echo \u00e9\u00e0x\x7f\x7f\u20ac\\n")
    s.line("")
    t.check_in("\n\u00e9\u20ac", s.expect(PROMPT).replace("\r", ""))


@one_runtime
def test_cancel(t):
    """Ctrl-C at the prompt gives the line up, with and without editing."""
    for env in (EDITING, {}):
        s = t.start("--args", *t.program("Hello"), env=env)
        s.send("echo not this")
        if env:
            s.expect("not this")
        s.interrupt()
        s.expect(PROMPT)
        t.check_in("but this", s.cmd("echo but this\\n"))
        t.check_not_in("echo not this\\n", s.text)
        s.send("\x04")
        t.check_equal(0, s.wait())


@one_runtime
def test_keys_of_the_terminal(t):
    """Ctrl-C and Ctrl-Z at the running program's terminal both bring the
    prompt back, and the program goes on as if it had not seen them."""
    s = t.start("--args", *t.program("Signals", "sleep"))
    s.line("run")
    s.expect("^ready")
    for key, name in ("\x03", "SIGINT"), ("\x1a", "SIGTSTP"):
        s.send(key)
        t.check_in(f"received signal {name}", s.expect(PROMPT))
        t.check_match(r"^#\d+ .*Signals\.Program\.Main ", s.cmd("bt"))
        s.line("continue")
        s.expect("^Continuing")
        # A key pressed before the terminal is the program's would be ours.
        t.wait_for("the program", lambda: os.tcgetpgrp(s.master)
                   in t.processes("dotnet"))
    s.send("\x03")
    s.expect(PROMPT)
    s.line("kill")
    s.expect(r"\(y or n\) ")
    t.check_in("killed", s.cmd("y"))
    s.send("\x04")
    t.check_equal(0, s.wait())


@one_runtime
def test_repeat(t):
    s = at_main(t)
    line = t.line("Hello", "first")
    t.check_match(f"^{line + 1}\t", s.cmd("next"))
    t.check_match(f"^{line + 2}\t", s.cmd(""))
    # list goes on, info does not come again, run least of all
    s.cmd("list 1,3")
    t.check_match("^4\t", s.cmd("list"))
    t.check_match("^14\t", s.cmd(""))
    t.check_in("sum = 5", s.cmd("info locals"))
    t.check_equal("", s.cmd("").strip())


@one_runtime
def test_questions(t):
    s = at_main(t)
    s.line("run")
    s.expect(r"already\.\s+Start it from the beginning\? \(y or n\) ")
    s.line("maybe")
    s.expect(r"Please answer y or n\.\s+.*\(y or n\) ")
    s.line("n")
    t.check_in("Program not restarted.", s.expect(PROMPT))
    t.check_equal("", s.cmd("delete"))
    s.cmd("b Main")
    s.line("delete")
    s.expect(r"Delete all breakpoints\? \(y or n\) ")
    s.line("y")
    s.expect(PROMPT)
    s.cmd("set confirm off")
    t.check_in("Main (", s.cmd("start"))
    s.line("quit")
    t.check_equal(0, s.wait())


@one_runtime
def test_help_of_class(t):
    """Where a class and a command have one name both are told."""
    done = t.run("--batch", "-ex", "help memory", "-ex", "help status")
    t.check_match(r"^The address space\n\nmemory -- (.*\n)*"
                  r"\nmemory, maddress -- .*\nUsage: memory \[--all\]",
                  done.stdout)
    t.check_equal(("", 1), (done.stderr, done.stdout.count("Usage: ")))


@one_runtime
def test_help_of_settings(t):
    """Settings are explained where gdb explains them."""
    done = t.run("--batch", "-ex", "help set evaluation", "-ex",
                 "help show width", "-ex", "help set args", "-ex",
                 "help set nope")
    t.check_match(r"^set evaluation -- .*\nset width -- .*\n"
                  r"set args -- arguments for the next \"run\"$", done.stdout)
    t.check_in('Undefined command: "nope".', done.stderr)


def raw_output(t, s, command):
    """What a command prints, escape sequences and all."""
    os.write(s.master, f"{command}\necho end-{1 + 1}\\n\n".encode())
    data = b""

    def ended():
        nonlocal data
        if select.select([s.master], [], [], 0)[0]:
            data += os.read(s.master, 65536)
        return b"end-2\r" in data  # what was typed goes on

    t.wait_for(f"the end of what '{command}' prints", ended)
    return data


@one_runtime
def test_colours(t):
    wanted = {"xterm": True, "dumb": False}
    for term, coloured in wanted.items():
        s = t.start("--args", *t.program("Hello"), env={"TERM": term})
        s.cmd("start")
        t.check_equal(coloured, b"\x1b[33m" in raw_output(t, s, "bt"))
    s = t.start("--args", *t.program("Hello"), env=EDITING)
    s.cmd("start")
    data = raw_output(t, s, "bt")
    t.check(b"Main" in data and b"\x1b[33m" not in data, "NO_COLOR: colours")
    done = t.batch(["start", "bt"], t.program("Hello"), env={"TERM": "xterm"})
    t.check_not_in("\x1b", done.stdout)


@one_runtime
def test_pages(t):
    """What is longer than the screen is shown by pages."""
    s = editing(t)
    more = "--Type <RET> for more, q to quit, c to continue without paging--"
    s.cmd("set height 10")
    s.line("help all")
    page = s.expect(re.escape(more))
    # 9 lines and what was typed; the question is the tenth.
    t.check_equal(10, len(page.split("\n")) - 1)
    s.line("")
    t.check_equal(10, len(s.expect(re.escape(more)).split("\n")) - 1)
    s.line("q")
    rest = s.expect(PROMPT)
    t.check_equal("", rest.strip().replace("q", "").replace("Quit", ""))
    # The next command is whole again.
    s.line("help all")
    s.expect(re.escape(more))
    s.line("c")
    t.check_in("quit -- end dndbg", s.expect(PROMPT))
    s.line("help all")
    s.expect(re.escape(more))
    s.interrupt()
    s.expect(PROMPT)
    s.cmd("set pagination off")
    t.check_in("quit -- end dndbg", s.cmd("help all"))
    # A line wider than the screen counts as several.
    s.cmd("set pagination on")
    s.cmd("set width 20")
    s.line("echo " + "x" * 250 + "\\n")
    s.expect(re.escape(more))
    s.line("")
    s.expect(PROMPT)
    t.check_in("height: 10", s.cmd("show height"))
    done = t.run("--batch", "-ex", "set height 5", "-ex", "help all")
    t.check_in("quit -- end dndbg", done.stdout)


@one_runtime
def test_no_terminal(t):
    """Commands from a pipe: no prompt, no question, an empty line repeats."""
    done = t.run("--args", *t.program("Hello"),
                 stdin="start\nnext\n\nnosuch\ninfo locals\nrun\nquit 7\n")
    t.check_equal(7, done.returncode)
    t.check_not_in(drive.PROMPT, done.stdout)
    line = t.line("Hello", "first")
    t.check_match(f"^{line + 2}\t", done.stdout)
    t.check_in("sum = 5", done.stdout)
    t.check_in("exited normally", done.stdout)
    t.check_equal('Undefined command: "nosuch". Try "help".\n', done.stderr)


@one_runtime
def test_errors_are_one_line(t):
    """What cannot be done is said in a line, and the session goes on."""
    commands = ["frobnicate", "info", "info nosuch", "co", "break", "bt",
                "print", "p/q 1", "x/4y 0", "x/99999999999x 0", "list 0",
                "list nosuch.cs:3", "thread 99", "frame 1000000", "delete 77",
                "delete 3-1", "condition 1", "ignore 1 x", "commands 9",
                "source /nonexistent", "set nosuch 1", "set listsize -1",
                "set args 'open", "undisplay 4", "cd /nonexistent", "quit x",
                "detach", "set var x = 1", "until nosuch.cs:1",
                "disassemble 0x1", "info line nosuch.cs:1", "p 1 +",
                "break *zzz", "break if"]
    for place in ([], ["start"]):
        done = t.batch([*place, *commands, "echo alive\\n"],
                       t.program("Hello"))
        t.check_in("alive", done.stdout)
        t.check_equal(1, done.returncode)
        for text in done.stderr.splitlines():
            t.check_match(r"^\S.*[.?!]$", text)


@one_runtime
def test_sourced_error(t):
    inner = os.path.join(t.dir, "inner")
    with open(inner, "w") as file:
        file.write("# a comment\n\necho one\\n\nnosuch\necho two\\n\n")
    outer = os.path.join(t.dir, "outer")
    with open(outer, "w") as file:
        file.write("source inner\necho three\\n\n")
    done = t.run("--batch", "-x", "outer", "-ex", "echo four\\n")
    t.check_equal("one\nfour\n", done.stdout)
    t.check_equal('outer:1: Error in sourced command file: inner:4: Error in '
                  'sourced command file: Undefined command: "nosuch". Try '
                  '"help".\n', done.stderr)
    t.check_equal(1, done.returncode)


@one_runtime
def test_sourced_itself(t):
    with open(os.path.join(t.dir, "loop"), "w") as file:
        file.write("source loop\n")
    done = t.run("--batch", "-x", "loop")
    t.check_in("nested too deep", done.stderr)


@one_runtime
def test_exit_status(t):
    hello = t.program("Hello")
    for args, commands, status in (([], ["run"], 0), (["x", "3"], ["run"], 3),
                                   ([], ["start"], 0), ([], ["nosuch"], 1),
                                   ([], ["nosuch", "run"], 1),
                                   (["x", "3"], ["nosuch", "run"], 3),
                                   (["x", "3"], ["start", "kill"], 0)):
        done = t.batch(commands, [*hello, *args])
        t.check_equal((commands, status), (commands, done.returncode))
    t.check_equal(1, t.batch(["run"], ["/nonexistent.dll"]).returncode)
    # A build fails if the program does, also if it is left at its end.
    done = t.batch(["run", "bt"], t.program("Throws", "unhandled"))
    t.check_in("nobody catches", done.stdout)
    t.check_equal(128 + signal.SIGABRT, done.returncode)
    t.check_equal(2, t.run("--frobnicate").returncode)
    t.check_in("--frobnicate", t.run("--frobnicate").stderr)


@one_runtime
def test_options(t):
    done = t.run("--version")
    # a source without git need not know its commit
    t.check_match(r"^dndbg \d\S*\n(commit [0-9a-f]{12}\n)?"
                  r"\.NET 8 to 11 on .*\n$", done.stdout)
    lines = t.run("--help").stdout.splitlines()
    t.check_in("usage: dndbg", lines[0])
    t.check_equal((True, []), (len(lines) < 24,
                               [line for line in lines if len(line) > 79]))
    t.check_in("--core-search-path", t.run("--help=all").stdout)
    for shell in "bash", "zsh":
        words = t.run("--completion", shell).stdout
        for word in "--interpreter", "--tty", "snapshot", "doctor", "heap":
            t.check_in(word, words)
    t.check_equal(2, t.run("--completion", "none").returncode)
    with open(os.path.join(t.dir, "script"), "w") as file:
        file.write("echo from script\\n\n")
    done = t.run("--batch", "-ex", "show args", "-x", "script", "-ex",
                 "show cwd", "-ex", "show env", "--cwd", "/", "--env", "A=b c",
                 "--args", "prog", "-x", "a b")
    t.check_equal("args: -x 'a b'\nfrom script\ncwd: /\nA=b c\n", done.stdout)


@one_runtime
def test_own_settings(t):
    """They are carried out first, if they are wanted; an error is told."""
    os.makedirs(f"{t.dir}/dndbg")
    with open(f"{t.dir}/dndbg/init", "w") as file:
        file.write("define greet\necho hello\\n\nend\nnosuch\n")
    env = {"XDG_CONFIG_HOME": t.dir}
    done = t.run("--batch", "-ex", "greet", env=env)
    t.check_equal("hello\n", done.stdout)
    t.check_match(r"init:4: .*nosuch", done.stderr)
    done = t.run("-n", "--batch", "-ex", "greet", env=env)
    t.check_equal("", done.stdout)
    t.check_in("greet", done.stderr)


@one_runtime
def test_in_place_of_netcoredbg(t):
    """Started by that name it takes its command lines."""
    name = f"{t.dir}/netcoredbg"
    os.symlink(os.path.abspath(t.dndbg), name)

    def run(*args, stdin=""):
        return subprocess.run([name, *args], input=stdin, text=True,
                              capture_output=True, timeout=60 * drive.TIME,
                              cwd=t.dir, env={**t.env, "TMPDIR": t.dir})

    t.check_match("Target arch: x64\n", run("--buildinfo").stdout)
    done = run("--hot-reload", "--interop-debugging", stdin="1-gdb-exit\n")
    t.check_equal("(gdb)\n1^exit\n(gdb)\n", done.stdout)
    t.check_in("native code is not served", done.stderr)
    done = run("--log", "--interpreter=vscode")
    t.check_equal(1, len(glob.glob(f"{t.dir}/netcoredbg.*.log")))
    for how in "mi", "cli":
        done = run(f"--interpreter={how}", "--attach", "999999999")
        t.check_equal(1, done.returncode)
        t.check_in("999999999", done.stderr)
    t.check_equal(1, run("--command=/nonexistent").returncode)
    t.check_equal(1, t.run("-x", "/nonexistent").returncode)


@one_runtime
def test_end_of_input(t):
    s = at_main(t)
    pids = t.processes()
    t.check_equal(1, len(pids))
    s.send("\x04")
    t.check_equal(0, s.wait())
    for pid in pids:
        t.wait_gone(pid)


def test_prompt_apart(t):
    """The prompt stands on a line of its own, behind the program's output."""
    s = t.start("--args", *t.program("Hello"), env=EDITING)
    s.cmd("break " + t.at("Hello", "return"))
    output = s.cmd("run").replace("\r", "")
    t.check_match(r"^hello world 5\nok\n\nBreakpoint 1, ", output)
    t.check_match(r"^\[Inferior 1 \(process \d+\) exited normally\]\n$",
                  s.cmd("continue").replace("\r", ""))


@one_runtime
def test_symbols_of_addresses(t):
    """info address and info symbol are each the other's way back."""
    first = t.batch(["break Hello.Program.Add", "run", "info address Add",
                     "info address a", "info address nosuch", "info registers rip",
                     "kill"], t.program("Hello"))
    t.check_match(r'^"a" is at 0x[0-9a-f]+\.$', first.stdout)
    t.check_match(r'^"Hello\.Program\.Add.*" is code at 0x', first.stdout)
    t.check_in("nosuch", first.stderr)
    s = at_main(t)
    s.cmd("next")
    pc = re.search("rip +(0x[0-9a-f]+)", s.cmd("info registers rip"))[1]
    t.check_match(r"^Hello\.Program\.Main\(.*\) \+ \d+$",
                  s.cmd(f"info symbol {pc}"))
    t.check_in("No symbol matches 0x10.", s.cmd("info symbol 0x10"))


def test_words_of_gdb(t):
    """Lines without a file before there is a stop, and gdb's names."""
    env = ["show environment HOME", "show env NOSUCH", "set env NOSUCH 3",
           "show env NOSUCH", "unset env HOME", "show env HOME"]
    done = t.batch([f"break {t.line('Hello', 'print')}", "list Program.Add",
                    f"tbreak {t.line('Hello', 'last')} if sum == 5", *env,
                    "run", "info s", "info stack 1", "continue",
                    "info all-registers rip"], t.program("Hello"))
    for mark in "print", "last":
        t.check_match(rf"^(Temporary b|B)reakpoint \d at Hello\.Program\.Main: "
                      rf"file Hello\.cs, line {t.line('Hello', mark)}\.$",
                      done.stdout)
    t.check_in(f"HOME = {t.dir}\n"
               'Environment variable "NOSUCH" not defined.\nNOSUCH = 3\n'
               'Environment variable "HOME" not defined.\n', done.stdout)
    t.check_equal(2, done.stdout.count("#0  Hello.Program.Main "))
    t.check_match(r"^Temporary breakpoint 2, ", done.stdout)
    t.check_match(r"^rip +0x", done.stdout)
    t.check_equal("", done.stderr)


test_words_of_gdb.runtimes = ("10",)


def test_interrupt_steps(t):
    """Ctrl-C ends many steps of one instruction, which wait for nothing."""
    s = t.start("--args", *t.program("Hello"))
    s.cmd("break " + t.at("Hello", "first"))
    s.cmd("run")
    s.line("stepi 4000000000")
    s.expect("stepi 4000000000")

    def worked():
        with open(f"/proc/{s.pid}/stat") as file:
            return sum(map(int, file.read().rpartition(")")[2].split()[11:13]))
    before = worked()
    t.wait_for("some steps", lambda: worked() > before + 5)
    s.interrupt()
    s.expect(r"^\(dndbg\) ")
    t.check_in("stopped in thread 1", s.cmd("info program"))
    s.line("kill")
    s.expect(r"\(y or n\) ")
    s.line("y")
    s.expect(r"^\(dndbg\) ")
    s.line("quit")
    t.check_equal(0, s.wait())


test_interrupt_steps.runtimes = ("10", "11")
