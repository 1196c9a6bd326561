"""Runtimes: Debug and Release, framework code, and what is said of programs
that dndbg cannot debug."""
import ctypes
import glob
import os
import re
import shutil
import struct
import subprocess
import sys

import drive


def hello(t, *commands, root=None, host="dll"):
    """Run Hello with a breakpoint in Main; the finished dndbg."""
    env = {"DOTNET_ROOT": root, "PATH": root + ":/usr/bin:/bin"} if root else {}
    return t.batch([*commands, "b Main", "run", "bt", "continue"],
                   t.program("Hello", host=host), env=env)


def one_line(t, wanted, text):
    """One line of the text is exactly this."""
    t.check_in(wanted + "\n", text)
    t.check_equal(1, text.count(wanted))


def ran_free(t, done):
    """The program ran unharmed without us; the session went on."""
    t.check_in("hello world 5\nok\n", done.stdout)
    t.check_in("exited normally]", done.stdout)
    t.check_not_in("Breakpoint 1, ", done.stdout)


def test_release(t):
    """Optimised code: breakpoints and stacks, and to the end."""
    done = t.batch(["b " + t.at("Hello", "print"), "run", "bt", "continue"],
                   t.program("Hello", config="Release"))
    t.check_in("Hello.Program.Main", done.stdout)
    t.check_in("Hello.cs:%d" % t.line("Hello", "print"), done.stdout)
    t.check_in("hello world 5\nok\n", done.stdout)


def test_framework_code(t):
    """Breakpoints in ReadyToRun code of the framework, frames above it."""
    done = t.batch(["b System.Console.WriteLine(string)", "run", "bt",
                    "finish", "continue", "continue"], t.program("Hello"))
    t.check_match(r"^#0 .*System\.Console\.WriteLine \(\.\.\.\)"
                  r".* from System\.Console\.dll", done.stdout)
    t.check_match(r"^#1 .*Hello\.Program\.Main .* at Hello\.cs:%d$"
                  % t.line("Hello", "print"), done.stdout)
    t.check_in("exited normally", done.stdout)


def test_tiers(t):
    """With and without tiered compilation, ready-to-run code, and W^X."""
    for name, value in (("TieredCompilation", "0"), ("TieredPGO", "0"),
                        ("TC_QuickJitForLoops", "0"), ("ReadyToRun", "0"),
                        ("EnableWriteXorExecute", "0"),
                        ("TC_BackgroundWorkerTimeoutMs", "0")):
        done = t.batch(["b " + t.at("Hello", "add"), "run", "bt", "next",
                        "finish", "continue"], t.program("Hello"),
                       env={"DOTNET_" + name: value})
        t.check_in("Hello.Program.Add (a=2, b=3)", done.stdout)
        t.check_in("hello world 5\nok\n", done.stdout)
        t.check_equal("", done.stderr)


def test_no_runtime(t):
    """A program that is no .NET program runs to its end, and that is said."""
    done = t.batch(["b Main", "run", "echo on\\n"],
                   ["/bin/sh", "-c", "echo native; exit 3"])
    t.check_in("native\n", done.stdout)
    one_line(t, "The program ended without loading a .NET runtime.",
             done.stdout)
    t.check_in("exited with code 03]\non\n", done.stdout)


def test_script(t):
    """A script that becomes the .NET program is debugged as that."""
    script = t.executable("start", "#!/bin/sh\necho script\nexec dotnet "
                          f'"{t.program("Hello")[0]}" "$@"\n')
    done = t.batch(["b " + t.at("Hello", "print"), "run", "continue"],
                   [script, "me"])
    t.check_in("script\n", done.stdout)
    t.check_in("Breakpoint 1, Hello.Program.Main", done.stdout)
    t.check_in("hello me 5\nok\n", done.stdout)
    t.check_not_in("without loading", done.stdout)


def compile_c(t, name, text):
    path = f"{t.dir}/{name}"
    subprocess.run([os.environ.get("CC", "cc"), "-x", "c", "-", "-rdynamic",
                    "-o", path], input=text.encode(), check=True)
    return path


def test_native_aot(t):
    path = compile_c(t, "aot", "char DotNetRuntimeDebugHeader[64] = {1};\n"
                     "int main(void) { return 3; }\n")
    done = t.batch(["b Main", "run"], [path])
    one_line(t, f"'{path}' is a NativeAOT program without a .NET runtime: "
             "debug it with gdb, or build it without PublishAot.",
             done.stdout)
    t.check_not_in("without loading", done.stdout)
    t.check_in("exited with code 03]", done.stdout)


test_native_aot.runtimes = ("10",)


def test_single_file(t):
    """What exports the table of a runtime that it does not have."""
    path = compile_c(t, "single", "char g_dacTable[64] = {1};\n"
                     "int main(void) { return 3; }\n")
    done = t.batch(["b Main", "run"], [path])
    one_line(t, f"'{path}' does not tell which DAC it needs.", done.stdout)
    t.check_in("exited with code 03]", done.stdout)


test_single_file.runtimes = ("10",)


def test_wrong_architecture(t):
    path = f"{t.dir}/arm"
    shutil.copy("/bin/true", path)
    with open(path, "r+b") as file:
        file.seek(18)
        file.write(struct.pack("<H", 183))
    done = t.batch(["run", "echo on\\n"], [path])
    t.check_equal(f"'{path}' is built for another processor (ELF machine "
                  "183): this dndbg debugs x86-64 programs.\n", done.stderr)
    t.check_in("on\n", done.stdout)


test_wrong_architecture.runtimes = ("10",)


# ---- The DAC

def copied_root(t):
    """A copy of the runtime whose files are the test's; its framework."""
    root = f"{t.dir}/root"

    def link(source, target):
        try:
            os.link(source, target)
        except OSError:
            shutil.copy2(source, target)

    shutil.copytree(t.env["DOTNET_ROOT"], root, copy_function=link)
    framework, = glob.glob(f"{root}/shared/Microsoft.NETCore.App/*")
    dac = f"{framework}/libmscordaccore.so"
    shutil.copy(dac, dac + ".own")
    os.replace(dac + ".own", dac)
    return root, dac


def test_copied_root(t):
    """The copy as such is debugged: the tests below change one thing."""
    root, _ = copied_root(t)
    t.check_in("Breakpoint 1, Hello.Program.Main",
               hello(t, root=root).stdout)


def of_no_build(dac):
    """The runtime beside it tells a build that no other root has."""
    runtime = os.path.join(os.path.dirname(dac), "libcoreclr.so")
    with open(runtime, "rb") as file:
        code = bytearray(file.read())
    at = code.rindex(b"@(#)Version ") + len("@(#)Version ")
    code[at:at + 1] = b"7"
    os.remove(runtime)  # a link
    with open(runtime, "wb") as file:
        file.write(code)


ELSEWHERE = ('; "set dac-path DIRECTORY" or --dac-path names where the '
             "libmscordaccore.so of the runtime that the program has is.")


def test_no_dac(t):
    root, dac = copied_root(t)
    of_no_build(dac)
    os.remove(dac)
    done = hello(t, root=root)
    ran_free(t, done)
    one_line(t, f"Cannot load the runtime's DAC: cannot open '{dac}': No such file or "
             f"directory{ELSEWHERE}", done.stdout + done.stderr)


def test_dac_writable_by_others(t):
    root, dac = copied_root(t)
    os.chmod(dac, 0o666)
    done = hello(t, root=root)
    ran_free(t, done)
    one_line(t, f"'{dac}' is not loaded: others may write it; only a runtime "
             "installed by root or by you is trusted (\"set trust-dac on\" "
             "loads it all the same).", done.stdout)
    done = hello(t, "set trust-dac on", root=root)
    t.check_in("Breakpoint 1, Hello.Program.Main", done.stdout)
    t.check_in("its code runs with your rights", done.stdout)


test_dac_writable_by_others.glibc = (
    "the DAC beside the runtime is looked at last there: one for glibc is taken")


def test_dac_of_another_user(t):
    """Only root can give a file away; who cannot has the test above."""
    root, dac = copied_root(t)
    if os.geteuid():
        raise drive.Skip("only root can give a file away")
    os.chown(dac, 65534, 65534)
    done = hello(t, root=root)
    ran_free(t, done)
    one_line(t, f"'{dac}' is not loaded: it belongs to user 65534; only a "
             "runtime installed by root or by you is trusted (\"set trust-dac "
             "on\" loads it all the same).", done.stdout)
    done = hello(t, "set trust-dac on", root=root)
    t.check_in("Breakpoint 1, Hello.Program.Main", done.stdout)


test_dac_of_another_user.glibc = (
    "the DAC beside the runtime is looked at last there: one for glibc is taken")


def test_dac_of_another_build(t):
    """A DAC that does not fit its runtime, or is none."""
    for content, wanted in ((b"", "does not tell which runtime it belongs to"),
                            (b"\x7fELF" + bytes(5000), "is not loaded"),
                            (b"@(#)Version 1.2.3", "does not belong to")):
        root, dac = copied_root(t)
        of_no_build(dac)
        with open(dac, "wb") as file:
            file.write(content)
        done = hello(t, root=root)
        ran_free(t, done)
        t.check_in(f"'{dac}'", done.stdout)
        t.check_in(wanted, done.stdout.lower())
        shutil.rmtree(root)


def test_dac_of_another_version(t):
    """The DAC of another major version."""
    root, dac = copied_root(t)
    other = "8" if t.runtime != "8" else "10"
    source, = glob.glob(f"{drive.CACHE}/roots/{other}/shared/"
                        "Microsoft.NETCore.App/*/libmscordaccore.so")
    of_no_build(dac)
    shutil.copy(source, dac)
    done = hello(t, root=root)
    ran_free(t, done)
    t.check_match(rf"^'{dac}' \({other}\.0\.\S+\) does not belong to the "
                  rf"runtime \(7\S+\) that the program has{ELSEWHERE}$",
                  done.stdout)


# ---- ptrace is not permitted

def forbid_ptrace():
    """A seccomp filter that answers ptrace with EPERM."""
    libc = ctypes.CDLL(None, use_errno=True)
    # Load the system call's number; 101 is ptrace: EPERM; else allow.
    program = struct.pack("<" + "HBBI" * 4, 0x20, 0, 0, 0, 0x15, 0, 1, 101,
                          0x06, 0, 0, 0x00050001, 0x06, 0, 0, 0x7fff0000)
    buffer = ctypes.create_string_buffer(program)
    fprog = struct.pack("<HxxxxxxQ", 4, ctypes.addressof(buffer))
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, fprog, 0, 0):
        os._exit(77)


def no_leak_check(t):
    """A sanitized build finds its leaks by ptrace, too."""
    return {"ASAN_OPTIONS": t.env["ASAN_OPTIONS"] + ":detect_leaks=0"}


def test_seccomp(t):
    done = t.batch(["run", "echo on\\n"], t.program("Hello"),
                   env=no_leak_check(t), preexec_fn=forbid_ptrace)
    t.check_match(r"^Cannot trace process \d+: a seccomp filter forbids "
                  r"ptrace; start the container with --cap-add=SYS_PTRACE\.\n",
                  done.stderr)
    t.check_equal(1, done.stderr.count("\n"))
    t.check_in("on\n", done.stdout)
    t.check_not_in("hello world", done.stdout)


OUTER = """
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long] * 4
SEIZE, CONT, LISTEN = 0x4206, 7, 0x4208
OPTIONS = 0x100000 | 2 | 4 | 8  # EXITKILL, children of all kinds
begin, go = os.pipe()
pid = os.fork()
if not pid:
    os.close(go)
    os.read(begin, 1)
    os.execv(sys.argv[1], sys.argv[1:])
os.close(begin)
if libc.ptrace(SEIZE, pid, 0, OPTIONS):
    sys.exit(77)
os.close(go)
while True:
    who, status = os.waitpid(-1, 0x40000000)
    if os.WIFSTOPPED(status):
        sig = os.WSTOPSIG(status)
        libc.ptrace(CONT, who, 0, 0 if status >> 16 else sig)
    elif who == pid:
        sys.exit(os.waitstatus_to_exitcode(status))
"""


def test_outer_tracer(t):
    """Whatever dndbg starts is traced already, as under strace -f."""
    done = subprocess.run(
        [sys.executable, "-c", OUTER, t.dndbg, "--batch", "-ex", "run", "-ex",
         "echo on\\n", "--args", *t.program("Hello")], cwd=t.dir,
        env={**t.env, **no_leak_check(t)},
        text=True, capture_output=True, timeout=60 * drive.TIME,
        stdin=subprocess.DEVNULL)
    t.check_match(r"^Cannot trace process \d+: 'python.*' \(process \d+\) "
                  r"traces it already, which only one debugger can\.$", done.stderr)
    t.check_equal(1, done.stderr.count("\n"))
    t.check_in("on\n", done.stdout)
    t.check_not_in("hello world", done.stdout)


def link_or_copy(source, target):
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def forge(t, major):
    """A copy of the runtime's root that calls itself @major."0.0"."""
    root = os.path.join(t.dir, "root")
    shutil.copytree(t.env["DOTNET_ROOT"], root, copy_function=link_or_copy)
    for path in glob.glob(root + "/shared/*/*/*.deps.json"):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        os.remove(path)
        version = os.path.basename(os.path.dirname(path))
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(version, f"{major}.0.0"))
    for path in glob.glob(root + "/shared/*/*"):
        os.rename(path, os.path.join(os.path.dirname(path), f"{major}.0.0"))
    return root


def test_newer(t):
    """A runtime newer than all that were tested is debugged; one line says so,
    once."""
    said = (".NET 12.0.0 is newer than the releases that dndbg was tested with "
            "(8 to 11): what it does not know of it is switched off, and said.")
    root = forge(t, 12)
    done = hello(t, "set confirm off", "b Main", "run", root=root)
    one_line(t, said, done.stdout)
    t.check_in("Breakpoint 1, Hello.Program.Main", done.stdout)
    t.check_in("hello world 5\nok\n", done.stdout)
    t.check_in("exited normally]", done.stdout)
    done = hello(t)
    t.check_not_in("newer", done.stdout)


# What is said of each entry of dac/runtime/assumption.c, by the first of its names. 8
# and 11: it is of that release only; 9: not of 8.
THROWN = "Exceptions are not seen where they are thrown"
MORE_HANDLES = ("With server GC only the handles of as many processors as there "
                "are heaps are listed")
METHOD_ARGUMENTS = "Generic arguments of methods are not known"
RUNTIME_ASYNC = ("Methods that the runtime suspends are not debugged as such: "
                 "breakpoints in them may be missed")
DEBUG_INFO = ("What the JIT tells of its code is not read: generic arguments "
              "of code that instances share, locals of suspended async methods")
INSTANCES = "Instances of generic types are not found by their arguments"
TRACES = "Stacks of exceptions are not known"
THIN = "Locks of objects that no thread has waited for are not listed"
HASHES = "Hash codes of objects are not known"
SIZES = "Sizes of structures are rounded up"
STACKS = "Stacks take longer to read"
STANDSTILL = ("It is not noticed when the runtime suspends all threads for a "
              "debugger of its own kind")
ASSUMED = {
    "System.Runtime.EH+ExInfo._exception": (THROWN, 9),
    "System.Runtime.EH.DispatchEx": (THROWN, 9),
    "AssemblyNative_ApplyUpdate": ("Changes by hot reload are not seen", 0),
    "EditAndContinueModule.m_applyChangesCount":
        ("Changes by hot reload that came before dndbg are not noticed", 0),
    "DebugDebugger_Log": ("What Debugger.Log says is not shown", 0),
    "DebugDebugger_Break": ("Debugger.Break does not stop", 0),
    "DebugDebugger_IsManagedDebuggerAttached":
        ("Debugger.IsAttached is false", 0),
    "Environment_FailFast":
        ("Environment.FailFast stops at its signal only", 0),
    "GcDacVars.gc_structures_invalid_cnt":
        ("Places within objects are not watched any more once the collector "
         "has moved these", 0),
    "g_dacTable.ThePreStub":
        ("Code that is not compiled yet is not waited for, and nothing can be "
         "called in the program", 0),
    "GCInfoVersion":
        ("Generic arguments of code that instances share are not known", 0),
    "MethodTable.MTFlags":
        ("Generic types are known by their arguments only", 0),
    "MethodTable.MTFlags2": (INSTANCES, 0),
    "MethodTable.AuxiliaryData":
        ("Expressions do not know the program's Type objects", 0),
    "MethodTable.m_pLoaderModule":
        ("Statics of threads and of generic classes are not known", 8),
    "MethodTable.EEClassOrCanonMT": (SIZES, 0),
    "MethodTable.PerInstInfo":
        ("Generic arguments of types, and types of elements, are not known", 0),
    "InstantiatedMethodDesc.PerInstInfo": (METHOD_ARGUMENTS, 0),
    "InstantiatedMethodDesc.NumGenericArgs": (METHOD_ARGUMENTS, 0),
    "MethodDesc.Flags":
        ("Generic methods, and methods that the runtime suspends, are not "
         "known", 0),
    "AsyncMethodData.Signature": (RUNTIME_ASYNC, 11),
    "MethodDesc.!": (RUNTIME_ASYNC, 11),
    "InstantiatedMethodDesc.!": (RUNTIME_ASYNC, 11),
    "RealCodeHeader.MethodDesc": (DEBUG_INFO, 0),
    "RealCodeHeader.DebugInfo": (DEBUG_INFO, 0),
    "CORINFO_METHOD_INFO.ILCode":
        ("Breakpoints may miss the first calls of a method if several threads "
         "make them at once", 0),
    "StackTraceArrayHeader.!": (TRACES, 0),
    "StackTraceElement.!": (TRACES, 0),
    "StackTraceElement.Ip": (TRACES, 0),
    "StackTraceElement.MethodDesc": (TRACES, 0),
    "StackTraceElement.Flags": (TRACES, 0),
    "EEClass.BaseSizePadding": (SIZES, 0),
    "FieldDesc.DWord1": ("Fields of types take longer to read", 0),
    "Module.AvailableTypeParams": (INSTANCES, 0),
    "SyncBlock.Lock":
        ("Who waits for the lock of an object is not known", 0),
    "SyncBlock.HashCode":
        ("Hash codes are not shown of objects that threads have waited for",
         0),
    # asked of programs that were updated only, see hotreload.py
    "SyncBlock.m_pEnCInfo":
        ("Fields that hot reload added to classes are not shown", 99),
    # asked by top only, see monitoring.py
    "ExceptionNative.GetExceptionCount":
        ("Exceptions and pauses are not counted", 99),
    "GCHeap.GetTotalPauseDuration":
        ("Exceptions and pauses are not counted", 99),
    "SyncBlockIsHashOrSyncBlockIndex":
        ("What objects keep in their headers, locks and hash codes, is not "
         "known", 0),
    "SyncBlockIsHashCode": (HASHES, 0),
    "SyncBlockHashCodeMask": (HASHES, 0),
    "SyncBlockIndexMask": (HASHES, 0),
    "SyncBlockMaskLockThreadId": (THIN, 0),
    "SyncBlockMaskLockRecursionLevel": (THIN, 0),
    "SyncBlockRecursionLevelShift": (THIN, 0),
    "GcDacVars.n_heaps": (MORE_HANDLES, 0),
    "GcDacVars.handle_table_map": (MORE_HANDLES, 0),
    "CHashTable.m_iBuckets": (STACKS, 0),
    "CHashTable.m_piBuckets": (STACKS, 0),
    "ThreadStore": (STANDSTILL, 9),
    "ThreadStore.FirstThreadLink": (STANDSTILL, 9),
    "Thread.LinkNext": (STANDSTILL, 9),
    "Thread.Link": (STANDSTILL, 9),
    "Thread.State": (STANDSTILL, 9),
    "Thread.TS_DebugSuspendPending": (STANDSTILL, 9),
}

# What is shown of Assumed, and the sentences of those without whom it is not.
SHARED = (ASSUMED["GCInfoVersion"][0], DEBUG_INFO)
ARGUMENTS = (ASSUMED["MethodTable.PerInstInfo"][0],)
HEADERS = ASSUMED["SyncBlockIsHashOrSyncBlockIndex"][0]
METHODS = (ASSUMED["MethodDesc.Flags"][0], RUNTIME_ASYNC)
SHOWN = (
    ('Assumed.Program.Show<string> (value="text"', SHARED),
    ("held={Assumed.Held<string>}", ARGUMENTS),
    ('= "text"\n', ()),
    ('Value = "value", Count = 0}\n', ()),
    ('= "shared"\n',
     (*ARGUMENTS, ASSUMED["MethodTable.m_pLoaderModule"][0])),
    ('= "own"\n', (ASSUMED["MethodTable.m_pLoaderModule"][0],)),
    ("= {{First = 0, Second = 0, Third = 0}, {First = 0,", ARGUMENTS),
    ("= 3\n", (SIZES,)),
    ("= 51\n", ()),
    ("= 61\n", (ASSUMED["SyncBlock.HashCode"][0], HEADERS, HASHES)),
    ("= 63\n", (HEADERS, HASHES)),
    ("= 70\n", ()),
    ("= void\n", (ASSUMED["g_dacTable.ThePreStub"][0],)),
    ("        1      2        0  0x", (THIN, HEADERS)),
    # in the table of the processor that its thread happened to run on
    ("System.OutOfMemoryException\n", (MORE_HANDLES,)),
    ("Old value = 0\n",
     (ASSUMED["GcDacVars.gc_structures_invalid_cnt"][0],)),
    ("Assumed.Program.Twice (n=21) at ", METHODS),
    ("Assumed.Program.Same<int> (value=42) at ", (*METHODS, *ARGUMENTS)),
    ('Exception thrown: System.ApplicationException: "outer"\n', (THROWN,)),
    (" ---> System.InvalidOperationException: ", (THROWN,)),
    ("   at Assumed.Program.Fail() in ", (THROWN, TRACES)),
    ("outer3\n", ()),
    ("exited normally]\n", ()),
)


def asked(t):
    """Commands that ask for all that is assumed."""
    stops = ["b " + t.at("Assumed", name)
             for name in ("stop", "resumed", "same")]
    looks = ["bt", "info locals", "print value", "print held",
             "print Held<string>.Shared", "print own",
             "print odds", "print sizeof(Odd)",
             'print typeof(string) == ((object)"x").GetType() ? 51 : 52',
             "print hashed.GetHashCode() == code ? 61 : 62",
             "print plain.GetHashCode() == plainCode ? 63 : 64",
             "print new List<string>().Count + 70",
             "print Console.Out.Flush()", "syncblk", "handles"]
    return [*stops, "run", *looks, "watch held.Count", "catch throw",
            *["continue", "info exception"] * 7, "delete", "continue"]


# What is lost with the one cannot be told from what is lost with the other.
GENERIC = {METHOD_ARGUMENTS, *METHODS, *SHARED, *ARGUMENTS,
           ASSUMED["MethodTable.MTFlags"][0]}
HEADER = {HEADERS, THIN, HASHES, ASSUMED["SyncBlock.HashCode"][0]}


def fits(said, group):
    both = {said, *group}
    return (said not in group and not both >= {THROWN, TRACES} and
            len(both & GENERIC) <= 1 and len(both & HEADER) <= 1)


def groups(runtime):
    """The entries that this runtime has by their sentences, as few groups as
    possible."""
    ret = []
    for name, (said, of) in ASSUMED.items():
        if int(runtime) < of or (of == 8 and runtime != "8"):
            continue
        group = next((g for g in ret if fits(said, g)), None)
        if group is None:
            group = {}
            ret.append(group)
        group[said] = name
    return ret


def test_distrust(t):
    """What is assumed of a runtime and does not hold costs one feature, with
    one sentence; all else goes on, and the program to its end."""
    source = os.path.join(drive.TOP, "src", "dbgcore", "dac", "runtime",
                          "assumption.c")
    with open(source, encoding="utf-8") as file:
        table = file.read().split("entries[ASSUME_N] = {")[1].split("\n};")[0]
    names = [re.search(r'[A-Z]+\(\s*"([^"]+)"', entry)[1]
             for entry in table.split("\n    [ASSUME_")[1:]]
    t.check_equal(sorted(ASSUMED), sorted(names))
    words = t.program("Assumed", config="RtDebug" if t.runtime == "11"
                      else "Debug")
    modifiable = {"DOTNET_MODIFIABLE_ASSEMBLIES": "debug"}
    for off in [{}, *groups(t.runtime)]:
        env = {"DOTNET_gcServer": "1", **modifiable}
        if off:
            env["DNDBG_DISTRUST"] = ",".join(off.values())
        text = t.batch(asked(t), words, env=env).stdout
        for shown, lost in SHOWN:
            if not off.keys() & {*lost}:
                t.check_in(shown, text)
        for said, name in off.items():
            one_line(t, f"{said}: '{name}' is not trusted (DNDBG_DISTRUST).",
                     text)
        t.check_equal(len(off), text.count("is not trusted"))
        t.check_not_in("as expected", text)
    text = t.batch(asked(t), words,
                   env={"DNDBG_DISTRUST": "*", **modifiable}).stdout
    t.check_in("outer3\n", text)
    t.check_in("exited normally]", text)
