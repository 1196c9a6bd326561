"""Programs that start programs: which are followed, several at once."""
import os
import re
import shutil
import signal

import drive
from halfway import STAGES, await_mapping


def run(t, commands, *args, words=None, **options):
    return t.batch(commands, words or t.program("Children", *args), **options)


def hits(text, number):
    found = re.search(rf"^{number} .*(?:\n\t.*)*?\n\tbreakpoint already hit "
                      r"(\d+) times?", text, re.M)
    return int(found[1]) if found else 0


def test_not_followed(t):
    """Without a word said, what a program starts is no business of ours."""
    done = run(t, ["b " + t.at("Children", "child"), "ignore 1 1000",
                   "b " + t.at("Children", "parent"), "ignore 2 1000",
                   "run", "info breakpoints"], "start", "3")
    t.check_in("child 1\nchild 2\nchild 3\nsum 6 6\n", done.stdout)
    t.check_not_in("Following", done.stdout)
    t.check_equal(0, hits(done.stdout, 1))
    t.check_equal(3, hits(done.stdout, 2))


def test_both_hit(t):
    """A breakpoint that parent and children come to counts in all of them;
    one set and deleted in between is set and deleted in all."""
    done = run(t, ["set follow-exec on", "b " + t.at("Children", "both"),
                   "ignore 1 1000", "b " + t.at("Children", "child"),
                   "run", "b " + t.at("Children", "parent"), "continue",
                   "delete 3", "ignore 2 1000", "continue",
                   "info breakpoints"], "start", "5")
    t.check_in("Breakpoint 2, Children.Program.Child (number=1)", done.stdout)
    t.check_in("[Switching to inferior 1 (process", done.stdout)
    t.check_in("Breakpoint 3, Children.Program.Start (wanted=5)", done.stdout)
    t.check_in("sum 15 15\n", done.stdout)
    t.check_equal(10, hits(done.stdout, 1))
    t.check_equal(5, hits(done.stdout, 2))
    for i in range(1, 6):
        t.check_match(rf"^\[Inferior {i + 1} \(process \d+\) exited with code "
                      rf"0{i}\]$", done.stdout)
    t.check_match(r"^\[Inferior 1 \(process \d+\) exited normally\]$",
                  done.stdout)
    t.check_equal(0, done.returncode)


def test_temporary(t):
    """A temporary breakpoint is for one hit in all of them."""
    done = run(t, ["set follow-exec on", "tb " + t.at("Children", "both"),
                   "run", "info breakpoints", "continue"], "start", "2")
    t.check_in("Temporary breakpoint 1, Children.Program.Both (number=1)",
               done.stdout)
    t.check_in("No breakpoints", done.stdout)
    t.check_in("sum 3 3\n", done.stdout)


def test_through_a_shell(t):
    """Followed by way of a program that is not, and by name."""
    for setting, names in (("on", ["Children.dll"] * 2),
                           ("Children*", ["Children.dll"] * 2),
                           ("sh", ["sh"] * 2), ("other", [])):
        done = run(t, [f"set follow-exec {setting}",
                       "b " + t.at("Children", "child"), "ignore 1 1000",
                       "run", "info breakpoints"], "spawn", "2")
        t.check_equal(names, re.findall(r"^\[Following process \d+: (.*)\]$",
                                        done.stdout, re.M))
        t.check_in("sum 3\n", done.stdout)
        t.check_equal(2 if "Children.dll" in names else 0,
                      hits(done.stdout, 1))
        t.check_equal(0, done.returncode)


def test_sdk_tool(t):
    """By default a command of the SDK is gone along with to what it runs,
    as `dotnet test` starts its test host: here a stand-in, which counts as
    the SDK's by where it lies."""
    words = t.program("Children", "start", "2")
    sdk = f"{t.dir}/sdk/10.0.100"
    shutil.copytree(os.path.dirname(words[0]), sdk)
    # What it starts is elsewhere: the program's own.
    t.executable("wrap", "#!/bin/sh\nexec " + " ".join(
        ["dotnet", words[0], "child", "4"]) + "\n")
    done = run(t, ["show follow-exec", "b " + t.at("Children", "child"),
                   "run", "info inferiors", "continue"],
               words=["dotnet", f"{sdk}/Children.dll", "start", "1"])
    t.check_in("follow-exec: auto", done.stdout)
    # Its children lie beside it: parts of the SDK, not followed.
    t.check_not_in("Following", done.stdout)
    done = run(t, ["b " + t.at("Children", "child"), "run", "info inferiors",
                   "continue"],
               words=["dotnet", f"{sdk}/Children.dll", "run", f"{t.dir}/wrap"])
    t.check_match(r"^\[Following process \d+: Children.dll\]$", done.stdout)
    t.check_in("Breakpoint 1, Children.Program.Child (number=4)", done.stdout)
    t.check_match(r"^\* 2 +process \d+ +Children.dll$", done.stdout)
    t.check_in("ended 4\n", done.stdout)


def test_look_around(t):
    """Both stand at a stop; each can be looked at."""
    done = run(t, ["set follow-exec on", "b " + t.at("Children", "child"),
                   "run", "info inferiors", "inferior 1", "bt", "inferior",
                   "inferior 2", "print number", "next", "inferior 9",
                   "kill inferiors 2", "info inferiors", "continue"],
               "start", "1")
    t.check_match(r"^  1 +process \d+ .*\n\* 2 +process \d+ +Children.dll$",
                  done.stdout)
    t.check_match(r"^\[Switching to inferior 1 \(process \d+\) \(.*\)\]$",
                  done.stdout)
    t.check_in("in Children.Program.Start (wanted=1)", done.stdout)
    t.check_in("$1 = 1\n", done.stdout)
    t.check_in("Inferior number 9 does not exist", done.stderr)
    t.check_match(r"^\[Inferior 2 \(process \d+\) killed\]$", done.stdout)
    # 128 + SIGKILL is what .NET tells of it.
    t.check_in("sum 137 137\n", done.stdout)


def test_ends_in_call(t):
    """A child that ends in a call leaves the prompt with its parent."""
    done = run(t, ["set follow-exec on", "set call-timeout 600000",
                   "b " + t.at("Children", "both"), "run",
                   "print System.Environment.Exit(3)", "info inferiors",
                   "kill"], "start", "2")
    t.check_match(r"^\[Inferior 2 \(process \d+\) exited with code 03\]$",
                  done.stdout)
    t.check_in("The program ended during the evaluation", done.stderr)
    t.check_match(r"^\* 1 ", done.stdout)
    t.check_not_in("$1", done.stdout)
    t.check_not_in("SIGINT", done.stdout)
    t.check_equal(1, done.returncode)


test_ends_in_call.runtimes = ("10",)


def test_detach_one(t):
    """A child that is let go runs on without a trap, and the others stay."""
    done = run(t, ["set follow-exec on", "b " + t.at("Children", "both"),
                   "run", "detach inferiors 2", "continue", "continue"],
               "start", "1")
    t.check_match(r"^\[Inferior 2 \(process \d+\) detached\]$", done.stdout)
    t.check_in("child 1\n", done.stdout)
    t.check_in("Breakpoint 1, Children.Program.Both (number=1)",
               done.stdout.partition("detached]")[2])
    t.check_in("sum 1 1\n", done.stdout)


def test_fork_mode_child(t):
    """The child in the program's place, which runs on alone."""
    done = run(t, ["set follow-fork-mode child",
                   "b " + t.at("Children", "both"), "run", "info inferiors",
                   "continue"], "start", "2")
    t.check_match(r"^\[Following process \d+: Children.dll\]\n"
                  r"\[Detaching from process \d+\]$", done.stdout)
    t.check_in("Breakpoint 1, Children.Program.Both (number=1)", done.stdout)
    t.check_match(r"^\[Inferior 2 \(process \d+\) exited with code 01\]$",
                  done.stdout)
    t.check_in("child 2\nsum 3 3\n", done.stdout)


def test_fork_mode_both(t):
    """... or besides it, whatever it runs."""
    done = run(t, ["set detach-on-fork off", "run"], "spawn", "1")
    t.check_equal(["sh", "Children.dll"],
                  re.findall(r"^\[Following process \d+: (.*)\]$",
                             done.stdout, re.M))
    t.check_in("sum 1\n", done.stdout)
    t.check_equal(0, done.returncode)


def test_exec(t):
    """A program that becomes another: breakpoints are set in that."""
    done = run(t, ["b " + t.at("Children", "exec"),
                   "b " + t.at("Children", "both"), "run", "continue",
                   "print number", "continue"], "exec")
    t.check_in("Breakpoint 1, Children.Program.Exec ()", done.stdout)
    t.check_in("Breakpoint 2, Children.Program.Both (number=9)", done.stdout)
    t.check_in("$1 = 9\nContinuing.\nchild 9\n", done.stdout)


def test_storm(t):
    """Many short children while a breakpoint is hit in a loop: each hit
    counts once, no child is harmed, followed or not."""
    for setting in ("off", "on"):
        done = run(t, [f"set follow-exec {setting}",
                       "b " + t.at("Children", "work"),
                       "ignore 1 1000000000", "b " + t.at("Children", "storm"),
                       "ignore 2 1000", "run", "info breakpoints"],
                   "storm", "200", timeout=100)
        found = t.check_match(r"^storm 200 work (\d+)$", done.stdout)
        t.check_equal(int(found[1]), hits(done.stdout, 1))
        t.check_equal(200, hits(done.stdout, 2))


STORMS = {7: """#!/bin/sh
[ "${1:-100}" -gt 0 ] && exec "$0" $((${1:-100} - 1))
exit 7
""", 9: """#!/bin/sh
i=0
while [ $i -lt 100 ]; do (/bin/true; exit 0) & i=$((i + 1)); done
wait
exit 9
"""}


def test_exec_storm(t):
    """A child that becomes another a hundred times, and one that forks a
    hundred at once, end as they would, followed or not."""
    for code, text in STORMS.items():
        t.executable(f"storm{code}", text)
        for setting in "set follow-exec off", "set detach-on-fork off":
            done = run(t, [setting, "run"], "run", f"{t.dir}/storm{code}",
                       timeout=100)
            t.check_in(f"ended {code}\n", done.stdout)
            t.check_not_in("signal", done.stdout)
            t.check_equal(0, done.returncode)
            t.check_equal([], t.processes())


test_exec_storm.runtimes = ("10",)


def test_ctrl_c(t):
    """Ctrl-C is sent to both by the terminal, and stops once."""
    s = t.start("--args", *t.program("Children", "both"))
    s.cmd("set follow-exec on")
    s.line("run")
    s.expect("^ready")
    for _ in range(5):
        s.interrupt()
        t.check_in("SIGINT", s.expect(r"^\(dndbg\) "))
        inferiors = s.cmd("info inferiors")
        t.check_equal(2, inferiors.count("process"))
        # It would have stopped again by the end of a step.
        s.cmd("b " + t.at("Children", "await"))
        text = s.cmd("continue")
        t.check_not_in("SIGINT", text)
        t.check_match("Breakpoint \\d+, Children.Program.Await", text)
        s.cmd("set confirm off")
        s.cmd("delete")
        s.line("continue")
        s.expect("Continuing")
        t.wait_for("the programs to run", lambda: all(
            tasks_run(pid) for pid in t.processes("dotnet")))
    open(f"{t.dir}/go", "w").close()
    text = s.expect(r"^\(dndbg\) ")
    t.check_match(r"^\[Inferior 2 \(process \d+\) exited normally\]$", text)
    t.check_in("both 0\n", text)
    t.check_match(r"^\[Inferior 1 \(process \d+\) exited normally\]$", text)


def tasks_run(pid):
    """Is no thread of it in a stop of ours?"""
    return "t" not in drive.states(pid)


def test_ctrl_c_at_start(t):
    """... at the stages of their starts; then all goes on."""
    s = t.start("--args", *t.program("Children", "start", "3"))
    s.cmd("set confirm off")
    s.cmd("set follow-exec on")
    stages, arguments = (*STAGES[::2], "Children.dll"), ("start", "child")
    for n in range(8):
        # It is there until it was seen.
        s.cmd("b " + t.at("Children", "child"))
        s.line("run")
        s.expect("^Starting program.*\n")
        await_mapping(t, stages[n % 4], arguments[n // 4])
        s.interrupt()
        s.line(f"echo stop {n} done\\n")
        s.expect(f"stop {n} done\n")
        s.line("info inferiors")
        s.line("bt")
        s.line("delete")
        s.line("continue")
        s.line(f"echo run {n} done\\n")
        s.expect(f"run {n} done\n")
        s.expect(r"^\(dndbg\) ")
        t.check(not t.processes(), s.text[-4000:])
    text = s.cmd("run")
    t.check_in("sum 6 6\n", text)
    t.check_equal(4, text.count("exited"))


def test_key_at_stop(t):
    """Ctrl-C while the program comes to another stop: that one answers it."""
    s = t.start("--args", *t.program("Children", "await"))
    s.cmd("b " + t.at("Children", "awaited"))
    s.cmd("tb " + t.at("Children", "await"))
    s.cmd("ignore 2 3")
    s.cmd("run")
    s.line("continue")
    pid, = t.processes()
    t.wait_for("the program to run", lambda: tasks_run(pid))
    # Both have happened when dndbg looks: it finds the main thread's first.
    s.signal(signal.SIGSTOP)
    t.wait_for("dndbg to stop", lambda: drive.state(s.pid) == "T")
    open(f"{t.dir}/go", "w").close()
    t.wait_for("the breakpoint", lambda: drive.state(pid) == "t")
    s.interrupt()
    s.expect(r"\^C")  # shown when the signal was sent
    s.signal(signal.SIGCONT)
    t.check_in("Breakpoint 1, ", s.expect(r"^\(dndbg\) "))
    text = s.cmd("continue")
    t.check_not_in("SIGINT", text)
    t.check_in("exited normally", text)


def test_key_then_detached(t):
    """Ctrl-C ends none of those that are let go at its stop."""
    s = t.start("--args", *t.program("Children", "both"))
    s.cmd("set follow-exec on")
    s.line("run")
    s.expect("^ready")
    s.interrupt()
    t.check_in("SIGINT", s.expect(r"^\(dndbg\) "))
    for number in 2, 1:
        t.check_in("detached]", s.cmd(f"detach inferiors {number}"))
    open(f"{t.dir}/go", "w").close()
    s.expect("both 0\n")


def test_killed(t):
    """All of them end with dndbg, killed where both run."""
    s = t.start("--args", *t.program("Children", "both"))
    s.cmd("set follow-exec on")
    s.line("run")
    s.expect("^ready")
    pids = t.processes()
    t.check_equal(2, len(pids))
    s.signal(signal.SIGKILL)
    for pid in pids:
        t.wait_gone(pid)


def test_quit(t):
    """... and when it is told to quit."""
    s = t.start("--args", *t.program("Children", "both"))
    s.cmd("set follow-exec on")
    s.cmd("b " + t.at("Children", "await"))
    s.cmd("run")
    s.line("quit")
    text = s.expect(r"\(y or n\) ")
    t.check_in("Inferior 1 [process", text)
    t.check_in("Inferior 2 [process", text)
    s.line("y")
    t.check_equal(0, s.wait())
    t.check_equal([], t.processes())


def test_again(t):
    """`run` ends all of them and starts over."""
    s = t.start("--args", *t.program("Children", "both"))
    s.cmd("set confirm off")
    s.cmd("set follow-exec on")
    s.cmd("b " + t.at("Children", "await"))
    for _ in range(2):
        t.check_in("Breakpoint 1, ", s.cmd("run"))
        t.check_equal(2, len(t.processes()))
        t.check_equal(2, s.cmd("info inferiors").count("process"))
    s.cmd("kill")
    s.cmd("kill")
    t.check_in("<null>", s.cmd("info inferiors"))
    t.check_equal([], t.processes())


PROJECT = """<Project Sdk="Microsoft.NET.Sdk"><PropertyGroup>
<OutputType>Exe</OutputType><TargetFramework>net10.0</TargetFramework>
</PropertyGroup></Project>
"""
PROGRAM = """class Program
{
    static int Main(string[] args)
    {
        int code = args.Length + 40;
        System.Console.WriteLine("code " + code);
        return code;
    }
}
"""


def sdk_env(t):
    """An SDK that leaves nothing behind."""
    dotnet = os.path.realpath(shutil.which("dotnet"))
    return {"PATH": os.environ["PATH"], "DOTNET_ROOT": os.path.dirname(dotnet),
            "DOTNET_NOLOGO": "1", "DOTNET_CLI_HOME": t.dir,
            "DOTNET_SKIP_FIRST_TIME_EXPERIENCE": "1",
            "MSBUILDDISABLENODEREUSE": "1", "UseSharedCompilation": "false",
            "DOTNET_GENERATE_ASPNET_CERTIFICATE": "false"}


def test_dotnet_run(t):
    """`dotnet run` of a project: the breakpoint that was set before is hit in
    the program, after the build; the exit status is the program's. One that is
    set while the command is looked at is there, too, and says so."""
    os.mkdir(f"{t.dir}/app")
    for name, text in (("app.csproj", PROJECT), ("Program.cs", PROGRAM)):
        with open(f"{t.dir}/app/{name}", "w") as file:
            file.write(text)
    done = t.batch(["b Program.cs:6", "run", "print code", "inferior 1",
                    "b Program.cs:6", "info breakpoints 2", "continue"],
                   ["dotnet", "run", "--", "a", "b"], env=sdk_env(t),
                   cwd=f"{t.dir}/app", timeout=170)
    t.check_match(r"^\[Following process \d+: app.dll\]$", done.stdout)
    t.check_in("Breakpoint 1, Program.Main (args={string[2]}) at Program.cs:6",
               done.stdout)
    t.check_in("$1 = 42\n", done.stdout)
    t.check_match(r"^Breakpoint 2 at 0x\w+: file Program.cs, line 6\.$",
                  done.stdout)
    t.check_match(r"^2 +breakpoint +keep y +0x\w+ in Program.Main\(string\[\]\) "
                  r"at Program.cs:6\n\tin inferior 2$", done.stdout)
    t.check_in("code 42\n", done.stdout)
    t.check_equal(42, done.returncode)


test_dotnet_run.runtimes = ("10",)
test_dotnet_run.time = 180


def test_dotnet_test(t):
    """`dotnet test` of a project of xunit: breakpoints in a test are hit in the
    process that runs it, at the prompt and, in a session of its own, in an
    editor; nothing has to be said for that."""
    project = f"{t.dir}/tests"
    shutil.copytree(os.path.join(os.path.dirname(__file__), "../editors/tests"),
                    project)
    source = f"{project}/SumTest.cs"
    with open(source) as file:
        line = 1 + next(i for i, text in enumerate(file) if "@found" in text)
    done = t.batch([f"b SumTest.cs:{line}", "run", "print found", "up",
                    "info inferiors", "continue"], ["dotnet", "test"],
                   env=sdk_env(t), cwd=project, timeout=240)
    t.check_match(r"^\[Following process \d+: testhost.dll\]$", done.stdout)
    t.check_in(f"SumTest.Adds (this={{SumTest}}) at SumTest.cs:{line}",
               done.stdout)
    t.check_in("$1 = 42\n", done.stdout)
    t.check_match(r"^\* 2 +process \d+ +testhost.dll$", done.stdout)
    t.check_match(r"^Passed! .* Passed: +1,", done.stdout)
    t.check_equal(0, done.returncode)

    parent = t.adapter(env=sdk_env(t))
    parent.launch(["dotnet", "test", "--no-build"], {source: [line]},
                  cwd=project)
    child = t.adapter()
    more = parent.request("startDebugging", 120)["arguments"]["configuration"]
    del more["type"]
    child.launch([], {source: [line]}, **more)
    child.stopped("breakpoint", 60)
    t.check_equal("42", child.evaluate("found")["result"])
    child.go()
    child.end(code=None, timeout=60)  # it may be killed when it is done
    parent.end(timeout=60)
    t.check_in("Passed!", parent.output())


test_dotnet_test.runtimes = ("10",)
test_dotnet_test.time = 300
