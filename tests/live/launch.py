"""Starting programs: hosts, arguments, environment, directory, streams; run
again, kill, exit codes."""
import os
import re
import resource
import select
import shutil
import signal
import subprocess


def hello_stop(t, words, **options):
    """Stop in Hello's Main, go on; the whole text."""
    done = t.batch(["b " + t.at("Hello", "first"), "run", "bt", "continue"],
                   words, **options)
    t.check_equal(0, done.returncode)
    t.check_in("Breakpoint 1, Hello.Program.Main (args={string[", done.stdout)
    t.check_in("exited normally]", done.stdout)
    t.check_equal("", done.stderr)
    return done.stdout


def test_hosts(t):
    """A dll, an apphost and dotnet with a dll are one program."""
    for host in ("dll", "dotnet", "apphost"):
        text = hello_stop(t, t.program("Hello", "there", host=host))
        t.check_in("hello there 5\nok\n", text)


def test_self_contained(t):
    """A program that brings its runtime along needs no other."""
    text = hello_stop(t, t.program("Hello", "me", host=t.runtime),
                      env={"DOTNET_ROOT": "/nonexistent"})
    t.check_in("hello me 5\nok\n", text)


test_self_contained.runtimes = ("8", "10")


def test_dotnet_exec(t):
    """dotnet exec x.dll, and a program named relative to the directory."""
    dll, = t.program("Hello")
    hello_stop(t, ["dotnet", "exec", dll, "x"])
    text = hello_stop(t, ["Hello.dll", "rel"], cwd=os.path.dirname(dll))
    t.check_in("hello rel 5\n", text)


def test_dotnet_root_first(t):
    """DOTNET_ROOT goes before PATH, and --env before both."""
    done = t.batch(["run"], t.program("Signals", "env", "DOTNET_ROOT"),
                   env={"PATH": "/usr/bin:/bin"})
    t.check_in(f"[{t.env['DOTNET_ROOT']}]\n", done.stdout)
    root = t.env["DOTNET_ROOT"]
    done = t.run("--batch", "--env", "DOTNET_ROOT=" + root, "-ex", "run",
                 "--args", *t.program("Hello"),
                 env={"PATH": "/usr/bin:/bin", "DOTNET_ROOT": "/nonexistent"})
    t.check_in("hello world 5\nok\n", done.stdout)


ODD = ["two words", "it's", 'say "hi"', "", "back\\slash", "$HOME", "*", "tab\tx",
       "\N{LATIN SMALL LETTER E WITH ACUTE}", "--batch", "line\nbreak"]


def test_arguments(t):
    """Arguments of the command line reach the program byte for byte."""
    done = t.batch(["run"], t.program("Signals", "args", *ODD))
    t.check_in("".join(f"[{word}]\n" for word in ODD) + "ok\n", done.stdout)


def test_arguments_at_prompt(t):
    """run and set args take words quoted as in a shell."""
    done = t.batch([r"""run args 'a b' "c 'd'" e\ f '' '$HOME' "x\"y" """],
                   t.program("Signals", "cwd"))
    t.check_in("[a b]\n[c 'd']\n[e f]\n[]\n[$HOME]\n[x\"y]\nok\n", done.stdout)
    done = t.batch(["set args args '1 2' 3", "run", "run", "set args args",
                    "run"], t.program("Signals", "cwd"))
    t.check_equal(2, done.stdout.count("[1 2]\n[3]\nok\n"))
    t.check_equal(3, done.stdout.count("\nok\n"))


def test_environment(t):
    """What dndbg has, what it is told to set, what it is told to take away."""
    signals = t.program("Signals", "env", "DNDBG_X")

    def value(*options, env=None, commands=("run",)):
        flags = [word for c in commands for word in ("-ex", c)]
        done = t.run("--batch", *options, *flags, "--args", *signals, env=env)
        return t.check_match(r"^\[([^\]]*)\]$", done.stdout).group(1)

    t.check_equal("", value())
    t.check_equal("a b", value(env={"DNDBG_X": "a b"}))
    t.check_equal("c=d", value("--env", "DNDBG_X=c=d", env={"DNDBG_X": "a"}))
    t.check_equal("", value("--env", "DNDBG_X", env={"DNDBG_X": "a"}))
    t.check_equal("e f", value(commands=("set environment DNDBG_X e f", "run")))
    t.check_equal("", value(commands=("unset environment DNDBG_X", "run"),
                            env={"DNDBG_X": "a"}))


def test_environment_is_ours(t):
    """The program sees exactly the environment that dndbg was given."""
    bare = subprocess.run(["/usr/bin/env"], env=t.env, text=True,
                          capture_output=True, cwd=t.dir).stdout
    done = t.batch(["run"], ["/usr/bin/env"])
    for line in bare.splitlines():
        t.check_in(line + "\n", done.stdout)
    names = set(re.findall(r"^(\w+)=", done.stdout, re.M))
    t.check_equal(set(re.findall(r"^(\w+)=", bare, re.M)), names)


def test_cwd(t):
    """The directory is dndbg's own, or the one asked for."""
    there = os.path.join(t.dir, "a directory")
    os.mkdir(there)
    cwd = t.program("Signals", "cwd")
    t.check_in(f"[{t.dir}]\n", t.batch(["run"], cwd).stdout)
    t.check_in(f"[{there}]\n",
               t.run("--batch", "--cwd", there, "-ex", "run", "--args",
                     *cwd).stdout)
    t.check_in(f"[{there}]\n",
               t.batch([f"set cwd {there}", "run"], cwd).stdout)
    done = t.run("--batch", "--cwd", "/nonexistent", "-ex", "run", "--args",
                 *cwd)
    t.check_equal("Cannot change to '/nonexistent': No such file or "
                  "directory.\n", done.stderr)
    t.check_equal(1, done.returncode)


def test_stdin(t):
    """The program reads dndbg's stdin, all of it, and its end."""
    done = t.batch(["b " + t.at("Signals", "read"), "run", "delete",
                    "continue"], t.program("Signals", "stdin"),
                   stdin="one\ntwo\nthree")
    t.check_in("ONE\nTWO\nTHREE\nlines 3\nok\n", done.stdout)


def test_streams(t):
    """stdout and stderr stay apart."""
    done = t.batch(["run"], t.program("Signals", "stderr"))
    t.check_in("to stdout\n", done.stdout)
    t.check_equal("to stderr\n", done.stderr)


def test_redirection(t):
    """run < FILE > FILE 2> FILE."""
    for name, text in (("in", "first\nsecond\n"),):
        with open(f"{t.dir}/{name}", "w") as file:
            file.write(text)
    done = t.batch(["run stdin < in > 'out put'", "run stderr > out 2> err"],
                   t.program("Signals"), stdin="not this\n")
    t.check_equal("", done.stderr)
    t.check_not_in("SECOND", done.stdout)
    with open(f"{t.dir}/out put") as file:
        t.check_equal("FIRST\nSECOND\nlines 2\nok\n", file.read())
    with open(f"{t.dir}/out") as file:
        t.check_equal("to stdout\nok\n", file.read())
    with open(f"{t.dir}/err") as file:
        t.check_equal("to stderr\n", file.read())
    done = t.batch(["run stderr > out 2>&1", "run stderr >> out 2>&1"],
                   t.program("Signals"))
    with open(f"{t.dir}/out") as file:
        t.check_equal("to stdout\nto stderr\nok\n" * 2, file.read())
    done = t.batch(["run stderr 2>&1 > out"], t.program("Signals"))
    t.check_equal("", done.stderr)
    t.check_in("to stderr\n", done.stdout)
    t.check_not_in("to stdout", done.stdout)
    done = t.batch(["run stdin < nowhere"], t.program("Signals"))
    t.check_equal("Cannot open 'nowhere': No such file or directory.\n",
                  done.stderr)


def test_own_terminal(t):
    """At a terminal the program has that terminal."""
    s = t.start("--args", *t.program("Signals", "tty"))
    t.check_in("redirected False False False", s.cmd("run"))
    s.line("quit")
    t.check_equal(0, s.wait())


def read_until(t, fd, wanted):
    """What the terminal shows, up to this text."""
    text = ""

    def seen():
        nonlocal text
        if select.select([fd], [], [], 0)[0]:
            text += os.read(fd, 4096).decode()
        return wanted in text

    t.wait_for(f"'{wanted}' at the program's terminal", seen)
    return text


def test_given_terminal(t):
    """--tty: the program's input and output are there and nothing of ours."""
    master, slave = os.openpty()
    try:
        name = os.ttyname(slave)
        s = t.start("--tty", name, "--args", *t.program("Signals", "stdin"))
        s.cmd("b " + t.at("Signals", "read"))
        t.check_in("Breakpoint 1,", s.cmd("run"))
        s.cmd("delete 1")
        s.line("continue")
        os.write(master, b"typed\n")
        text = read_until(t, master, "TYPED\r\n")
        os.write(master, b"\x04")
        text += read_until(t, master, "lines 1\r\nok\r\n")
        t.check_not_in("Breakpoint", text)
        t.check_not_in("TYPED", s.expect("exited normally"))
    finally:
        os.close(master)
        os.close(slave)
    done = t.run("--batch", "--tty", "/nonexistent", "-ex", "run", "--args",
                 *t.program("Hello"))
    t.check_equal("Cannot open '/nonexistent': No such file or directory.\n",
                  done.stderr)


def test_run_again(t):
    """Each run is a fresh one; breakpoints stay and count on."""
    print_line = t.line("Hello", "print")
    s = t.start("--args", *t.program("Hello"))
    s.cmd("set confirm off")
    s.cmd(f"b {t.at('Hello', 'print')}")
    s.cmd("tbreak Add")
    text = s.cmd("run")
    t.check_in("Hello.Program.Add (a=2, b=3)", text)
    pids = set()
    for again in range(3):
        # From a stop: the program is killed and started anew.
        text = s.cmd("run" if again else "continue")
        t.check_match(rf"Breakpoint 1, .* at Hello\.cs:{print_line}$", text)
        t.check_in("sum = 5", s.cmd("info locals"))
        pid, = t.processes()
        t.check(pid not in pids, "the old program goes on")
        for old in pids:
            t.wait_gone(old)
        pids.add(pid)
    t.check_in("exited normally", s.cmd("continue"))
    t.check_equal([], t.processes())
    t.check_in("not being run", s.cmd("continue"))
    t.check_in("Breakpoint 1,", s.cmd("run"))
    t.check_match(r"breakpoint already hit 4 times", s.cmd("info breakpoints"))
    s.line("quit")
    t.check_equal(0, s.wait())


def test_run_again_after_crash(t):
    """A run that ended by a signal is followed by one that is whole."""
    done = t.batch(["run segv", "continue", "run cwd", "run exit 3",
                    "run cwd"], t.program("Signals"))
    t.check_equal(2, done.stdout.count(f"[{t.dir}]\nok\n"))
    t.check_in("exited with code 03]", done.stdout)
    t.check_equal(0, done.returncode)


def test_kill(t):
    """kill ends the program at once; the session goes on."""
    s = t.start("--args", *t.program("Hello"))
    s.cmd("set confirm off")
    s.cmd("b Main")
    s.cmd("run")
    pid, = t.processes()
    t.check_match(rf"\[Inferior 1 \(process {pid}\) killed\]", s.cmd("kill"))
    t.wait_gone(pid)
    t.check_in("not being run", s.cmd("bt"))
    t.check_in("not being run", s.cmd("kill"))
    t.check_in("Breakpoint 1,", s.cmd("run"))
    t.check_in("exited normally", s.cmd("continue"))


def test_exit_codes(t):
    """The code told is the program's, from Main or from any thread."""
    for how in ("exit", "exit-thread"):
        for code in (0, 1, 42, 255):
            done = t.batch(["run"], t.program("Signals", how, str(code)))
            t.check_equal(code, done.returncode)
            t.check_match(rf"\[Inferior 1 \(process \d+\) exited "
                          + ("normally" if not code else
                             f"with code {code:02o}") + r"\]$", done.stdout)


def test_exit_while_stopped_elsewhere(t):
    """A code told after a breakpoint in the thread that ends the program."""
    done = t.batch(["b " + t.at("Signals", "exit"), "run", "continue"],
                   t.program("Signals", "exit", "7"))
    t.check_in("Breakpoint 1,", done.stdout)
    t.check_equal(7, done.returncode)


def test_fatal_signals(t):
    """A program that a signal ends is said to have ended by that signal."""
    for what, name, stops in (("abort", "ABRT", True), ("kill", "KILL", False),
                              ("segv", "ABRT", True)):
        program = t.program("Signals", what)
        bare = subprocess.run([shutil.which("dotnet", path=t.env["PATH"]),
                               *program], env=t.env, cwd=t.dir,
                              capture_output=True)
        number = getattr(signal, "SIG" + name)
        t.check_equal(-number, bare.returncode)
        done = t.batch(["run"] + 3 * ["continue"] if stops else ["run"],
                       program)
        t.check_equal(128 + number, done.returncode)
        t.check_in(f"Program terminated with signal SIG{name}", done.stdout)
        if stops:
            t.check_match(r"received signal SIG|Unhandled exception", done.stdout)


def test_missing(t):
    """Programs that cannot be started: why, in one line."""
    text = os.path.join(t.dir, "text")
    with open(text, "w") as file:
        file.write("no program\n")

    def refused(*words):
        done = t.batch(["run", "echo still here\\n"], words)
        t.check_equal(1, done.returncode)
        t.check_in("still here\n", done.stdout)
        t.check_equal(1, done.stderr.count("\n"))
        return done.stderr

    t.check_equal("'/nonexistent/a.dll': no such file.\n",
                  refused("/nonexistent/a.dll"))
    t.check_equal("'nowhere-to-be-found': no such file.\n",
                  refused("nowhere-to-be-found"))
    t.check_equal(f"Cannot execute '{text}': Permission denied.\n",
                  refused(text))
    os.chmod(text, 0o755)
    t.check_equal(f"Cannot start '{text}': Exec format error.\n",
                  refused(text))
    project = f"{t.dir}/App.csproj"
    with open(project, "w") as file:
        file.write("<Project/>")
    t.check_equal(f"'{project}' is no program: name the .dll that is built "
                  "from it, or debug 'dotnet run'.\n",
                  refused(project))
    t.check_equal(f"'{t.dir}' is no file to execute.\n",
                  refused(t.dir))
    t.check_equal("No program to run. Use the \"file\" command.\n",
                  t.run("--batch", "-ex", "run").stderr)
    # who types is told at once, and when it is named
    done = t.run("nothing", "12", stdin="file neither\nfile /bin/true\n")
    t.check_equal("'nothing': no such file.\n'neither': no such file.\n",
                  done.stderr)


def test_no_dotnet(t):
    """A dll without a dotnet to run it."""
    done = t.batch(["run"], t.program("Hello"),
                   env={"PATH": "/nonexistent", "DOTNET_ROOT": "/nonexistent"})
    if "hello world" not in done.stdout:
        t.check_equal("Cannot find 'dotnet' in DOTNET_ROOT or PATH: install "
                      "the .NET runtime or set DOTNET_ROOT.\n", done.stderr)


def test_own_process_as_before(t):
    """What the runtime's library changes in dndbg when it starts is put back:
    the program of the next run would inherit it."""
    def facts():
        with open(f"/proc/{session.pid}/status") as file:
            ignored = re.search(r"SigIgn:\t(\w+)", file.read())[1]
        return (int(ignored, 16) >> signal.SIGPIPE - 1 & 1,
                resource.prlimit(session.pid, resource.RLIMIT_NOFILE))

    session = t.start(*t.program("Hello"))
    hard = resource.prlimit(session.pid, resource.RLIMIT_NOFILE)[1]
    resource.prlimit(session.pid, resource.RLIMIT_NOFILE, (hard // 2, hard))
    before = facts()
    t.check_in("exited normally]", session.cmd("run"))
    t.check_equal(before, facts())
