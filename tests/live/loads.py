"""Assemblies that come and go, hooks and hosts in native code."""
import os
import re
import select
import signal
import struct
import subprocess
import time

import dapdrive
import drive
import midrive

ROUNDS = 100


def test_unload(t):
    """Loaded, called and unloaded a hundred times: every hit is counted, the
    breakpoints are pending again each time, and nothing is left over."""
    done = t.batch([
        "b " + t.at("Loads", "plugin-run"), "commands\nsilent\ncontinue\nend",
        "b LoadsPlugin!Generic.Add", "ignore 2 1000000",
        "b " + t.at("Loads", "unloaded"), "run", "info breakpoints",
        "info sharedlibrary Plugin", "maint print statistics", "continue",
    ], t.program("Loads", str(ROUNDS)))
    t.check_in(f"breakpoint already hit {ROUNDS} times\n\tno loaded module "
               "has symbols for 'LoadsPlugin.cs'", done.stdout)
    t.check_in(f"breakpoint already hit {ROUNDS} times\n\tignore next "
               f"{1000000 - ROUNDS} hits\n\tmodule 'LoadsPlugin' is not "
               "loaded", done.stdout)
    t.check_in("No shared libraries loaded at this time.", done.stdout)
    t.check_in("unloads 10600 left 0\nok\n", done.stdout)
    t.check_equal("", done.stderr)


def test_copies(t):
    """A type of a module that several load contexts have is the one of the
    frame's context, or of the object that is cast; else nothing is guessed."""
    done = t.batch(["b " + t.at("Loads", "part"),
                    "b " + t.at("LoadsPlugin", "plugin-run"), "run",
                    "print Work.calls", "continue", "print Work.calls",
                    "up", "print Plugin.Work.calls", "down", "continue",
                    "print Plugin.Work.calls", "continue",
                    "print ((Plugin.Part)part).Number",
                    "print ((dynamic)part).Number", "print part is Plugin.Part",
                    "print typeof(Plugin.Work)", "print (Plugin.Part)null"],
                   t.program("Loads", "contexts"))
    t.check_equal(["0", "0", "1", "3", "3"],
                  re.findall(r"^\$\d+ = (.*)$", done.stdout, re.M))
    t.check_equal(
        [f"Several load contexts have a 'LoadsPlugin.dll' with a type '{name}': "
         f"select a frame of its code, or cast the object to 'dynamic'"
         for name in ("Plugin.Work", "Plugin.Part", "Plugin.Work",
                      "Plugin.Part")],
        [re.sub(r"( at column \d+)?\.$", "", line)
         for line in drive.uncoded(done.stderr.splitlines())])


def test_hook(t):
    """A startup hook runs before Main: a breakpoint in it is met."""
    words = t.program("Loads", "contexts")
    hook = os.path.join(os.path.dirname(words[-2]), "LoadsHook.dll")
    done = t.batch([
        "set env DOTNET_STARTUP_HOOKS=" + hook,
        "b " + t.at("Loads", "hook"), "b Main", "run", "bt 1", "continue",
        "continue",
    ], words)
    t.check_match(r"Breakpoint 1, StartupHook\.Initialize \(\) at "
                  r"LoadsHook\.cs:\d+(.|\n)*hooked(.|\n)*Breakpoint 2, "
                  r"Loads\.Program\.Main(.|\n)*9 11 14\nok", done.stdout)


def test_bytes_without_symbols(t):
    """A PDB that cannot be had: the reason and the remedy."""
    path = f"{drive.BUILT}/Symbols/Missing/Hello.dll"
    done = t.batch(["b " + t.at("Loads", "back"), "catch unhandled", "run",
                    "info sharedlibrary Hello"],
                   t.program("Loads", path, "emitted"))
    t.check_in("loaded from memory, without a PDB: one given to "
               "Assembly.Load, or embedded in the assembly, would be found",
               done.stdout)


def host(t, how, mark, *shown):
    program = t.program("Loads")[0]
    done = t.batch(["b " + t.at("Loads", mark), "run", "bt 1", "info args",
                    "continue"],
                   [f"{drive.BUILT}/Native/NativeHost", how, program,
                    "contexts"])
    for text in shown:
        t.check_in(text, done.stdout)


def test_host_execute(t):
    """A host in C that calls coreclr_execute_assembly."""
    host(t, "execute", "contexts", "Breakpoint 1, Loads.Program.Contexts ()",
         "9 11 14\nok\n")


def test_host_delegate(t):
    """... that calls coreclr_create_delegate."""
    host(t, "delegate", "entry", "Breakpoint 1, Loads.Hosted.Entry "
         "(argument=0, size=20)", "entry said 21\n")


def test_host_hostfxr(t):
    """... that finds the runtime by hostfxr."""
    host(t, "hostfxr", "entry", "Breakpoint 1, Loads.Hosted.Entry "
         "(argument=0, size=20)", "entry said 21\n")


MANY = "many 3960\n"


class Loader:
    """A program that loads sixty assemblies when it is given a line, and ends
    when it is given another."""

    def __init__(self, t):
        self.t = t
        self.process = subprocess.Popen(
            t.program("Loads", "many-waits", host="dotnet"), text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=t.env,
            bufsize=1)
        self.pid = self.process.pid
        self.says("ready\n")

    def says(self, wanted):
        """The program's next line; one that stands still says nothing."""
        self.t.check(select.select([self.process.stdout], [], [],
                                   30 * drive.TIME)[0],
                     "the program stands still")
        self.t.check_equal(wanted, self.process.stdout.readline())

    def load(self):
        self.process.stdin.write("\n")
        self.says(MANY)

    def end(self):
        """Nobody traces it any more; it goes on to its end."""
        self.t.check_equal(0, drive.tracer_of(self.pid))
        try:
            out, _ = self.process.communicate("\n", timeout=30 * drive.TIME)
        except subprocess.TimeoutExpired:
            raise drive.Failure("the program does not end")
        self.t.check_equal("ok\n", out)
        self.t.check_equal(0, self.process.returncode)


def test_many_launched(t):
    """Sixty assemblies in a program that each front has started."""
    words = t.program("Loads", "many")
    done = t.batch(["run"], words)
    t.check_in("ready\n" + MANY + "ok\n", done.stdout)
    t.check_in("exited normally]", done.stdout)

    with_mi = midrive.Client(t, "--interpreter=mi", "--args", *words)
    try:
        with_mi.go("-exec-run", "exited-normally")
        with_mi.ask("-gdb-exit")
    finally:
        with_mi.process.kill()
        with_mi.process.wait()

    with_dap = dapdrive.Client(t)
    try:
        with_dap.launch(words)
        with_dap.end()
        t.check_in(MANY, with_dap.output())
    finally:
        with_dap.close()


def test_many_attached(t):
    """Each front attaches, the program loads sixty assemblies and goes on;
    so it does after the detach."""
    program = Loader(t)
    s = t.start()
    t.check_in("Attaching to process", s.cmd(f"attach {program.pid}"))
    s.line("continue")
    s.expect("Continuing")
    program.load()
    s.interrupt()
    s.expect(r"^\(dndbg\) ")
    t.check_in("detached]", s.cmd("detach"))
    s.line("quit")
    s.wait()
    program.end()

    program = Loader(t)
    with_mi = midrive.Client(t, "--interpreter=mi")
    try:
        with_mi.ask(f"-target-attach {program.pid}")
        with_mi.resume("-exec-continue")
        program.load()
        with_mi.ask("-exec-interrupt")
        with_mi.stopped()
        with_mi.ask("-target-detach")
        with_mi.ask("-gdb-exit")
    finally:
        with_mi.process.kill()
        with_mi.process.wait()
    program.end()

    program = Loader(t)
    with_dap = dapdrive.Client(t)
    try:
        with_dap.launch([], request="attach", processId=program.pid)
        program.load()
        with_dap.ask("disconnect")
        with_dap.wait()
    finally:
        with_dap.close()
    program.end()

    # The end of dndbg is a detach, too.
    program = Loader(t)
    s = t.start()
    s.cmd(f"attach {program.pid}")
    s.line("continue")
    s.expect("Continuing")
    s.signal(signal.SIGTERM)
    s.wait()
    t.wait_for("the end of the trace",
               lambda: not drive.tracer_of(program.pid))
    program.load()
    program.end()


ATTACHED = 0x200  # DBCF_ATTACHED


def believe(t, pid):
    """Make a runtime believe that a debugger of its own kind is attached: the
    flag is where its contract descriptor says."""
    with open(f"/proc/{pid}/maps") as file:
        base, path = next((int(line.split("-")[0], 16), line.split()[-1])
                          for line in file if "libcoreclr.so" in line)
    names = subprocess.run(["nm", "-D", path], capture_output=True, text=True,
                           check=True).stdout
    at = next(int(line.split()[0], 16) for line in names.splitlines()
              if "DotNetRuntimeContractDescriptor" in line)
    with open(f"/proc/{pid}/mem", "r+b", buffering=0) as memory:
        def read(addr, n):
            memory.seek(addr)
            return memory.read(n)
        size, text, _, pointers = struct.unpack("<12xIQQQ",
                                                read(base + at, 40))
        index = re.search(rb'"CORDebuggerControlFlags":\[\[(\d+)\]',
                          read(text, size))
        flags, = struct.unpack("<Q", read(pointers + 8 * int(index[1]), 8))
        value, = struct.unpack("<I", read(flags, 4))
        memory.seek(flags)
        memory.write(struct.pack("<I", value | ATTACHED))


def test_standstill(t):
    """A program that its runtime holds for a debugger that is not there is
    noticed; one that only sleeps is not taken for it."""
    said = "the program stands still: its runtime has suspended all threads"
    program = Loader(t)
    s = t.start()
    s.cmd(f"attach {program.pid}")
    s.line("continue")
    s.expect("Continuing")
    time.sleep(8)  # as long as it takes to find one that is held
    s.read_more(0)
    t.check_not_in("stands still", s.text)
    believe(t, program.pid)
    program.process.stdin.write("\n")
    s.expect("(?i)" + said, timeout=30)
    s.interrupt()
    s.expect(r"^\(dndbg\) ")
    program.process.kill()
    program.process.wait()


# Contracts of before do not tell where that is to be forged.
test_standstill.runtimes = ("11",)
