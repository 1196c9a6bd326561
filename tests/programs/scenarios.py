"""The scenarios of scripts/check-programs: one for each kind of program."""
import glob
import json
import os
import re
import signal
import subprocess
import threading
import urllib.request

import drive

# A program begins slowly on a busy machine, a build or a test run more so.
LONG = 240
VALUE = re.compile(r'[Ss]ee(?:\.Value)?[ (]+"((?:[^"\\]|\\.)+)"')


class Skip(Exception):
    """The scenario cannot be tried here; the text says why."""


def runtime_of(pid):
    """The major version of the runtime of a process, or None."""
    try:
        with open(f"/proc/{pid}/maps") as maps:
            found = re.search(r"App/(\d+)\.[^/]*/libcoreclr.so", maps.read())
    except OSError:
        return None
    return found and found[1]


def lines_of(path):
    with open(path, encoding="utf-8-sig") as file:
        return file.read().splitlines()


class Scenario:
    """What a scenario needs: its programs, their sources, a session of dndbg,
    and the comparison of values."""

    def __init__(self, test, where):
        self.test = test
        self.where = where
        self.compared = 0
        self.started = []

    def close(self):
        for process in self.started:
            if process.poll() is None:
                process.kill()
            process.wait()
            if process.stdin:
                process.stdin.close()

    def bin(self, name):
        return f"{self.where}/bin/{self.test.runtime}.{name}"

    def dll(self, name):
        return f"{self.bin(name)}/{name}.dll"

    def dotnet(self):
        return f"{self.where}/dotnet/dotnet"

    def line(self, source, mark):
        """The line of a mark: Service/Program.cs, see -> 63."""
        for number, text in enumerate(lines_of(f"{self.where}/src/{source}"), 1):
            if re.search(rf"@{mark}$", text):
                return number
        raise drive.Failure(f"{source} has no mark '{mark}'")

    def at(self, source, mark):
        return f"{source}:{self.line(source, mark)}"

    def expressions(self, source, mark):
        """What the program prints from the line of the mark on."""
        lines = lines_of(f"{self.where}/src/{source}")
        found = []
        for text in lines[self.line(source, mark) - 1:]:
            if not VALUE.search(text):
                return found
            found.append(VALUE.search(text)[1].replace('\\"', '"'))
        return found

    def ask(self, session, source, mark="see"):
        """At a stop there: what dndbg says of what will be printed, as it will
        be printed."""
        self.test.check_in(self.test.runtime, [
            runtime_of(pid) for pid in self.test.processes()])
        said = []
        for expression in self.expressions(source, mark):
            text = session.cmd("print " + expression, 60)
            value = re.fullmatch(r"\$\d+ = (.*)\n", text)
            self.test.check(value, f"print {expression}: {text}")
            said.append(f"{expression} = {value[1]}")
        self.test.check(said, f"{source} prints nothing at '{mark}'")
        return said

    def value(self, session, expression):
        shown = session.cmd("print " + expression)
        return self.test.check_match(r"^\$\d+ = (.*)$", shown)[1]

    def compare(self, said, printed):
        """All of what dndbg said stands in what the program printed, in its
        order."""
        lines = [line.strip() for line in printed.splitlines()]
        at = 0
        for one in said:
            if one not in lines[at:]:
                name = one.partition(" = ")[0] + " = "
                other = [line for line in lines if line.startswith(name)]
                raise drive.Failure(f"dndbg said '{one}', the program {other}"
                                    f":\n{printed[-4000:]}")
            at = lines.index(one, at) + 1
        self.compared += len(said)

    def session(self, *args):
        session = self.test.start("-q", "-ex", "set confirm off", *args)
        session.cmd("set width 0")
        return session

    def launched(self, *words, cwd=None):
        """dndbg with a program that is not yet started."""
        return self.session(*(["--cwd", cwd] if cwd else []), "--args", *words)

    def running(self, *words):
        """A program that runs without dndbg; its output goes to a file."""
        path = f"{self.test.dir}/output-{len(self.started)}"
        with open(path, "w") as output:
            process = subprocess.Popen(words, stdin=subprocess.PIPE, text=True,
                                       stdout=output, stderr=output,
                                       cwd=self.test.dir, env=self.test.env)
        process.output = path
        self.started.append(process)
        return process

    def output(self, process):
        with open(process.output) as file:
            return file.read()

    def printed(self, process, pattern, timeout=LONG):
        """Wait until the program has printed that; the match."""
        def test():
            dead = process.poll() is not None
            found = re.search(pattern, self.output(process), re.M)
            if dead and not found:
                raise drive.Failure(f"it ended ({process.returncode}) without "
                                    f"/{pattern}/:\n{self.output(process)}")
            return found
        self.test.wait_for(f"/{pattern}/", test, timeout)
        return test()

    def stop(self, session, text, timeout=LONG):
        """Give a command that lets the program go; it stops at a breakpoint."""
        shown = session.cmd(text, timeout)
        self.test.check_match(r"^(Temporary b|B)reakpoint \d+, ", shown)
        return shown

    def lands(self, session, text, source, mark, timeout=60):
        """A step ends at the line of the mark."""
        shown = session.cmd(text, timeout)
        self.test.check_match(rf"^{self.line(source, mark)}\t", shown)
        return shown

    def ended(self, session, detached=False):
        """Let go, by detach or continue, and wait for the end of the program;
        all that the terminal showed."""
        pids = self.test.processes()
        session.cmd("delete")
        shown = session.cmd("detach" if detached else "continue", LONG)
        if not detached:
            self.test.check_match(r"^\[Inferior 1 \(process \d+\) exited", shown)
        for pid in pids:
            self.test.wait_gone(pid, LONG)
        session.line("quit")
        session.wait()
        return session.text


def service(s):
    """A request of a web service is stepped through, from the query of its
    database on; let go, it goes on answering."""
    source = "Service/Program.cs"
    program = s.running(s.dotnet(), s.dll("Service"))
    address = s.printed(program, "^listening on (.*)$")[1]

    def request(answers, number):
        asked = urllib.request.Request(
            f"{address}/order/{number}?verbose=1&tag=a&tag=b",
            headers={"X-Trace": "abc"})
        with urllib.request.urlopen(asked, timeout=LONG) as reply:
            answers.append(reply.read().decode())

    answers = []
    session = s.session("-p", str(program.pid))
    session.cmd("break " + s.at(source, "query"))
    asking = threading.Thread(target=request, args=(answers, 1))
    asking.start()
    s.stop(session, "continue")
    s.lands(session, "next", source, "found")
    s.lands(session, "next", source, "total")
    s.lands(session, "step", source, "sum")
    s.lands(session, "finish", source, "total")
    s.lands(session, "next", source, "big")
    session.cmd("delete")
    session.cmd("tbreak " + s.at(source, "see"))
    s.stop(session, "continue")
    said = s.ask(session, source)
    session.cmd("detach")
    asking.join()
    s.compare(said, s.output(program))
    s.compare([f'answer = "{answers[0]}"'], s.output(program))
    request(answers, 2)
    s.test.check_equal("no order 2", answers[1])
    program.send_signal(signal.SIGTERM)
    s.test.check_equal(0, program.wait(60))
    s.test.check_in("done\n", s.output(program))


def tests_of(s, name):
    """`dotnet test`: the process that runs the tests is followed."""
    source = "Sums.cs"
    session = s.launched(s.dotnet(), "test", s.dll(name), "--logger",
                         "console;verbosity=detailed")
    session.cmd("break " + s.at(source, "loop"))
    session.cmd("break " + s.at(source, "see"))
    shown = s.stop(session, "run")
    s.test.check_match("Sums.Adds", shown)
    session.cmd("next")
    session.cmd("next")
    s.stop(session, "continue")
    said = s.ask(session, source)
    out = s.ended(session)
    s.compare(said, out)
    s.test.check_match(r"^ *Passed: 3$", out)
    s.test.check_match(r"^ *Failed: 1$", out)


# How the tests end, and: the kind of report, what its cause begins with, the
# test that was running and where it stood, the line that did it.
DEATHS = {
    "thread": ("exception", "Unhandled exception: System.InvalidOperation",
               "Sums.Dies(times: 7)", "thread", "throws"),
    "fast": ("failfast", "Environment.FailFast: in a test",
             "Sums.Dies(times: 7)", "fast", "fast"),
    "async": ("failfast", "Environment.FailFast: later", "Sums.DiesLater",
              "async", "later"),
    "stack": ("exception", "Unhandled exception: System.StackOverflow",
              "Sums.Dies(times: 7)", "stack", "endless"),
    "hang": ("hang", "Neither output nor work for 20 s",
             "Sums.Dies(times: 7)", "hang", "one"),
}


def deaths_of(s, name, framework, words=(), ends=1):
    """`dndbg run -- dotnet test`: each death of a test names it and the line."""
    words = words or (s.dll(name),)
    for how, (kind, cause, display, stands, line) in DEATHS.items():
        path = f"{s.test.dir}/{how}.json"
        done = s.test.run("run", "--hang", "20", "--json", path, "--",
                          s.dotnet(), "test", *words, timeout=LONG,
                          env={"DIES": how})
        s.test.check_equal(124 if kind == "hang" else ends, done.returncode)
        with open(path) as file:
            reports = [r for r in json.load(file) if r["tests"]]
        s.test.check_equal(1, len(reports))
        check_death(s, reports[0], (kind, cause, display, stands, line),
                    framework)


def check_death(s, report, wanted, framework):
    kind, cause, display, stands, line = wanted
    test = report["tests"][0]
    s.test.check_equal(
        (kind, framework, display, s.line("Sums.cs", stands)),
        (report["kind"], test["framework"], test["display"], test["line"]))
    s.test.check(report["cause"].startswith(cause), report["cause"])
    thread, = [one for one in report["threads"]
               if one["number"] == test["thread"]]
    own = [frame["line"] for frame in thread["frames"] if frame["own"]]
    # a stack may overflow in front of the line of the call
    s.test.check(
        0 <= s.line("Sums.cs", line) - own[0] <= (stands == "stack"),
        f"{stands}: {own}")
    s.compared += 1


def platform_deaths_of(s, name, framework):
    """The same with a program of Microsoft.Testing.Platform, whose exit status
    `dotnet test` has, too; a test that goes on without end is found by
    --timeout."""
    with open(f"{s.test.dir}/global.json", "w") as file:
        json.dump({"test": {"runner": "Microsoft.Testing.Platform"}}, file)
    words = ("--root-directory", s.bin(name), "--test-modules", f"{name}.dll")
    deaths_of(s, name, framework, words, ends=134)
    path = f"{s.test.dir}/timeout.json"
    done = s.test.run("run", "--timeout", "60", "--json", path, "--",
                      s.dotnet(), "test", *words, timeout=LONG,
                      env={"DIES": "endless"})
    s.test.check_equal(124, done.returncode)
    with open(path) as file:
        report, = (r for r in json.load(file) if r["tests"])
    check_death(s, report, ("timeout", "No end within 60 s",
                            "Sums.Dies(times: 7)", "spin", "spins"), framework)


def blame_hang(s):
    """`dndbg run -- dotnet test --blame-hang`: the dump of a test that hangs is
    there, and a report that names the test and the line."""
    path = f"{s.test.dir}/blame.json"
    done = s.test.run("run", "--json", path, "--", s.dotnet(), "test",
                      s.dll("XunitTests"), "--blame-hang",
                      "--blame-hang-timeout", "10s", "--results-directory",
                      f"{s.test.dir}/results", timeout=LONG,
                      env={"DIES": "hang"})
    s.test.check_equal(1, done.returncode)
    dump, = glob.glob(f"{s.test.dir}/results/*/*_hangdump.dmp")
    s.test.check_in("Sums.Hangs", s.test.run("stack", dump).stdout)
    with open(path) as file:
        report, = (r for r in json.load(file) if r["tests"])
    test = report["tests"][0]
    s.test.check_equal(
        ("signal", int(signal.SIGKILL), "Sums.Dies(times: 7)",
         s.line("Sums.cs", "hang")),
        (report["kind"], report["signal"], test["display"], test["line"]))
    s.compared += 1


def xunit(s):
    tests_of(s, "XunitTests")


def xunit_deaths(s):
    deaths_of(s, "XunitTests", "xunit")


def nunit(s):
    tests_of(s, "NunitTests")


def nunit_deaths(s):
    deaths_of(s, "NunitTests", "NUnit")


def mstest(s):
    tests_of(s, "MstestTests")


def mstest_deaths(s):
    deaths_of(s, "MstestTests", "MSTest")


def mstest_platform_deaths(s):
    platform_deaths_of(s, "MtpMstest", "MSTest")


def nunit_platform_deaths(s):
    platform_deaths_of(s, "MtpNunit", "NUnit")


def xunit_platform_deaths(s):
    platform_deaths_of(s, "MtpXunit", "xunit")


def fsharp(s):
    source = "Fs/Program.fs"
    session = s.launched(s.dll("Fs"), "word")
    session.cmd("break " + s.at(source, "evaluate"))
    s.stop(session, "run")
    session.cmd("tbreak " + s.at(source, "number"))
    s.stop(session, "continue")
    s.test.check_match(r"^#1 ", session.cmd("bt"))
    session.cmd("tbreak " + s.at(source, "see"))
    s.stop(session, "continue")
    said = s.ask(session, source)
    session.cmd("tbreak " + s.at(source, "total"))
    s.stop(session, "continue")
    session.cmd("next")
    session.cmd("tbreak " + s.at(source, "end"))
    s.stop(session, "continue")
    said += s.ask(session, source, "end")
    out = s.ended(session)
    s.compare(said, out)
    s.test.check_in("exited with code 52]", out)


def visual_basic(s):
    source = "Vb/Program.vb"
    session = s.launched(s.dll("Vb"))
    session.cmd("tbreak " + s.at(source, "settle"))
    s.stop(session, "run")
    session.cmd("tbreak " + s.at(source, "call"))
    s.stop(session, "continue")
    s.lands(session, "step", source, "pay")
    s.lands(session, "finish", source, "call")
    shown = session.cmd("print account.Balance")
    s.test.check_match(r"^\$\d+ = 90$", shown)
    session.cmd("tbreak " + s.at(source, "after"))
    s.stop(session, "continue")
    session.cmd("next")
    said = s.ask(session, source)
    session.cmd("tbreak " + s.at(source, "end"))
    s.stop(session, "continue")
    said += s.ask(session, source, "end")
    out = s.ended(session)
    s.compare(said, out)
    s.test.check_in("exited with code 52]", out)


def plugins(s):
    """Breakpoints of a plug-in are hit in each context it is loaded into, and
    keep none of them alive."""
    source = "Plugin/Greeter.cs"
    program = s.running(s.dotnet(), s.dll("PluginHost"), s.dll("Plugin"))
    s.printed(program, "^ready$")
    session = s.session("-p", str(program.pid))
    session.cmd("break " + s.at(source, "greet"))
    said = []
    for name in ("Ada", "Grace", "Edsger"):
        program.stdin.write(name + "\n")
        program.stdin.flush()
        s.stop(session, "continue")
        s.lands(session, "next", source, "text")
        s.lands(session, "next", source, "see")
        said += s.ask(session, source)
        session.cmd("tbreak " + s.at("PluginHost/Program.cs", "see-gone"))
        s.stop(session, "continue")
        said += s.ask(session, "PluginHost/Program.cs", "see-gone")
        s.test.check_equal("alive = false", said[-2])
    session.cmd("detach")
    program.stdin.write("Barbara\n")
    program.stdin.close()
    s.test.check_equal(0, program.wait(60))
    s.compare(said, s.output(program))
    s.test.check_in("served hello Barbara\n", s.output(program))


def embedded(s):
    """A program in C that hosts .NET, which calls back into it."""
    source = "Embedded/Scale.cs"
    session = s.launched(f"{s.where}/bin/embedder", s.dll("Embedded"))
    session.cmd("break " + s.at(source, "weigh"))
    said = []
    for command in ("run", "continue"):
        s.stop(session, command)
        session.cmd("tbreak " + s.at(source, "convert"))
        s.stop(session, "continue")
        s.lands(session, "next", source, "see")
        said += s.ask(session, source)
    out = s.ended(session)
    s.compare(said, out)
    s.test.check_in("exited with code 07]", out)


MADE = """class Program
{
    static int Main()
    {
        int unused;
        return 42;
    }
}
"""


MADE_PROJECT = """<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup>
    <OutputType>Exe</OutputType>
    <TargetFramework>net10.0</TargetFramework>
  </PropertyGroup>
</Project>
"""

# Three parts, and a program at the end. A part waits until two have begun, so
# that both nodes are at work.
BUILD_FILES = {
    "all.proj": """<Project>
  <ItemGroup>
    <Part Include="part.proj" AdditionalProperties="Name=One" />
    <Part Include="part.proj" AdditionalProperties="Name=Two" />
    <Part Include="part.proj" AdditionalProperties="Name=Three" />
  </ItemGroup>
  <Target Name="Build">
    <MSBuild Projects="@(Part)" BuildInParallel="true" />
    <Exec Command="$(Program)" IgnoreExitCode="true">
      <Output TaskParameter="ExitCode" PropertyName="Code" />
    </Exec>
    <Message Importance="high" Text="program $(Code)" />
  </Target>
</Project>
""",
    "part.proj": """<Project>
  <Target Name="Build">
    <Message Importance="high" Text="part $(Name)" />
    <Exec Command="touch begun-$(Name); while [ `ls -d begun-* | wc -l` -lt 2 ]; do sleep 0.02; done" />
  </Target>
</Project>
"""}


def roslyn(s):
    """The C# compiler as a library, which has no symbols, and what it made."""
    source = "Compiler/Program.cs"
    with open(f"{s.test.dir}/Made.cs", "w") as file:
        file.write(MADE)
    session = s.launched(s.dll("Compiler"), f"{s.test.dir}/Made.cs", "Made")
    session.cmd("break Microsoft.CodeAnalysis.CSharp.CSharpCompilation.Create")
    s.stop(session, "run")
    shown = session.cmd("info args")
    name = s.test.check_match(r"^assemblyName = (.*)$", shown)[1]
    session.cmd("delete")
    session.cmd("tbreak " + s.at(source, "result"))
    s.stop(session, "continue")
    s.lands(session, "next", source, "id")
    session.cmd("tbreak " + s.at(source, "see"))
    s.stop(session, "continue")
    said = s.ask(session, source)
    s.test.check_in("name = " + name, said)
    out = s.ended(session)
    s.compare(said, out)
    s.test.check_in("exited with code 52]", out)


def compiler(s):
    """The C# compiler as the SDK has it, started by `dotnet build`: what it is
    told, what it says, and what it returns."""
    with open(f"{s.test.dir}/Made.cs", "w") as file:
        file.write(MADE)
    with open(f"{s.test.dir}/Made.csproj", "w") as file:
        file.write(MADE_PROJECT)
    s.test.env["HOME"] = os.path.expanduser("~")  # where NuGet's packages are
    session = s.launched(s.dotnet(), "build", "-nologo", "-nodeReuse:false",
                         cwd=s.test.dir)
    session.cmd("set detach-on-fork off")
    session.cmd("break Microsoft.CodeAnalysis.CSharp.CSharpCompilation.Create")
    shown = s.stop(session, "run")
    s.test.check_in("Microsoft.CodeAnalysis.CSharp.dll", shown)
    name = s.value(session, "assemblyName").strip('"')
    session.cmd("delete")
    session.cmd("break Microsoft.CodeAnalysis.CommonCompiler.ReportDiagnostics")
    s.stop(session, "continue")
    out = s.ended(session)
    s.test.check_match(rf"^ *{name} -> .*/{name}.dll$", out)
    s.test.check_match(r"Made.cs\(5,13\): warning CS0168: ", out)
    s.compared += 1


def msbuild(s):
    """MSBuild on two processes, with programs that its tasks start: parts of the
    build are stopped at in both, and a program of this runtime."""
    for name, text in BUILD_FILES.items():
        with open(f"{s.test.dir}/{name}", "w") as file:
            file.write(text)
    source = "Fs/Program.fs"
    session = s.launched(s.dotnet(), "msbuild", "-nologo", "-m:2",
                         "-nodeReuse:false", "all.proj",
                         f"-p:Program={s.dotnet()} {s.dll('Fs')} word",
                         cwd=s.test.dir)
    session.cmd("set detach-on-fork off")
    session.cmd("break Microsoft.Build.Tasks.Message.Execute")
    session.cmd("break " + s.at(source, "end"))
    texts, said, inferiors = [], [], set()
    command = "run"
    while len(texts) < 4 or not said:
        shown = s.stop(session, command)
        command = "continue"
        if "Program.fs" in shown:
            said = s.ask(session, source, "end")
        else:
            texts.append(s.value(session, "Text").strip('"'))
        mark = s.test.check_match(r"^\* (\d+) ", session.cmd("info inferiors"))
        inferiors.add(mark[1])
    out = s.ended(session)
    s.test.check(len(inferiors) == 3, f"stopped in {inferiors} alone")
    s.compare(said, out)
    for text in texts:
        s.compare([text], out)
    s.test.check_equal(["part One", "part Three", "part Two",
                        "program 42"],
                       sorted(texts))


ALL = (roslyn, compiler, msbuild, service, xunit, xunit_deaths, nunit,
       nunit_deaths, mstest, mstest_deaths, mstest_platform_deaths,
       nunit_platform_deaths, xunit_platform_deaths, blame_hang, fsharp,
       visual_basic, plugins, embedded)
for scenario in ALL:
    scenario.runtimes = drive.RUNTIMES
# The SDK's compiler is a program of .NET 10.
compiler.runtimes = ("10",)
