"""Core files: what they show is what the program showed when it ended."""
import glob
import gzip
import json
import os
import re
import shutil
import signal
import struct
import subprocess

from dumps import (KINDS, LOOK, OWN, Damaged, core, dump, flags, kernel_core,
                   live, own, same, shown)
from survivor import Busy


def check_own(t, wanted):
    """The cores that live() wrote show the same, all of it; the small one is
    small."""
    for kind in (*OWN, "snapshot"):
        t.check_equal(wanted, shown(core(t, own(t, kind)).stdout))
    size = os.stat(own(t, "mini")).st_size
    t.check(size < 12 << 20, f"a mini dump of {size} bytes")


def check_same(t, wanted, got):
    """All that the program showed, or that it cannot be read."""
    t.check(same(wanted, got), f"wanted:\n{wanted}\ngot:\n{got}")


def test_kinds(t):
    """Full, heap, mini and triage by createdump, the kernel's own and of a
    snapshot: the same stack, arguments, locals and exception as the program's,
    or that it cannot be read."""
    words = t.program("Throws") + ["unhandled-inner"]
    wanted = live(t, words)
    t.check_in("System.FormatException: \"the cause\"", wanted)
    check_own(t, wanted)
    for kind in KINDS:
        got = core(t, dump(t, words, kind)).stdout
        message = "outer"
        if kind == "triage":  # few objects are in it
            message = "(outer|<not in the core>)"
        t.check_match(r"^Unhandled exception: System\.InvalidOperationException"
                      rf": \"{message}\"$", got)
        if kind in ("mini", "triage"):
            # Objects are left out; which, depends on the runtime.
            check_same(t, wanted, shown(got))
            t.check_not_in("<cannot read", got)
        else:
            t.check_equal(wanted, shown(got))
    path = kernel_core(t, words)
    if path:
        t.check_equal(wanted, shown(core(t, path).stdout))


def test_left_out(t):
    """Where a small core lacks what tells the places of variables it does not
    say that they were optimized out."""
    words = t.program("Throws") + ["unhandled-thread"]
    wanted = live(t, words)
    for kind in "mini", "triage":
        said = core(t, dump(t, words, kind)).stdout
        got = shown(said)
        check_same(t, wanted, got)
        t.check_not_in("optimized out", got)
        t.check_match(r"^Unhandled exception: System\.InvalidOperationException: "
                      '"(level zero|<not in the core>)"$', said)
    # what tells of the heap may be left out of the last of them
    done = t.run("heap", "stat", f"{t.dir}/triage.core")
    t.check_not_in("damaged", done.stderr + done.stdout)
    if done.returncode:
        t.check_equal("dndbg: cannot inspect the heap: memory of the runtime "
                      "cannot be read (a core may lack it; one of the kind "
                      "full has it)\n", done.stderr)


def test_order(t):
    """Threads have numbers by their age, whoever wrote the core and whichever
    of them ended it, which is the one that is looked at."""
    words = t.program("Throws") + ["unhandled-thread"]
    for path in dump(t, words, "heap"), kernel_core(t, words):
        if not path:
            continue
        text = core(t, path, ["info threads"]).stdout
        tids = [int(tid) for tid in
                re.findall(r"^[* ] \d+ +Thread (\d+) ", text, re.M)]
        t.check(len(tids) > 5, text)
        first = tids.index(min(tids[0], *tids))
        t.check_equal(sorted(tids), tids[first:] + tids[:first])
        t.check_match(r"(?m)^  1 +Thread \d+ \"Main Thread\"", text)
        t.check_match(r"(?m)^\* ([2-9]|1\d) +Thread ", text)


def test_rethrown(t):
    """What async code threw and an await threw again: a core shows the stack
    of the throw, as the program does, with everything but objects."""
    for how in "main", "again", "thread":
        words = t.program("Rethrown") + [how]
        wanted = live(t, words)
        t.check_match(r"^#0  \[thrown\] Rethrown\.Program\.Deep \(int\) at "
                      rf"Rethrown\.cs:{t.line('Rethrown', 'throw')}$", wanted)
        t.check_in('System.TimeoutException: "too late"', wanted)
        got = core(t, dump(t, words, "full")).stdout
        t.check_in("\nUnhandled exception: System.TimeoutException: "
                   "\"too late\"\n[thrown] Rethrown.Program.Deep (int) at ",
                   got)
        t.check_equal(wanted, shown(got))


def test_release(t):
    words = t.program("Throws", config="Release") + ["unhandled-thread"]
    wanted = live(t, words)
    check_own(t, wanted)
    t.check_equal(wanted, shown(core(t, dump(t, words, "heap")).stdout))


def test_interpreted(t):
    """Methods are interpreted over a core as over a program."""
    words = t.program("Throws") + ["unhandled"]
    got = core(t, dump(t, words, "heap"),
               ["print $exception.Message.ToUpper()",
                "print $exception.HResult.ToString()",
                "print new System.Collections.Generic.List<int>"
                "(new[] { 1, 2 })"]).stdout
    t.check_in('$1 = "NOBODY CATCHES"\n$2 = "-2146233088"\n'
               "$3 = Count = 2 = {1, 2}\n", got)


def test_packed(t):
    """A core that gzip, zstd, xz or lz4 has packed shows the same; one that was
    cut off says so, and what is no core, or says it is endless, is refused."""
    path = dump(t, t.program("Throws") + ["unhandled-inner"], "mini")
    wanted = shown(core(t, path).stdout)
    packed = f"{t.dir}/packed"
    with open(path, "rb") as file:
        whole = file.read()
    text = gzip.compress(whole, 1)
    for end in b"", b"what follows is of no interest":
        with open(packed, "wb") as file:
            file.write(text + end)
        t.check_equal(wanted, shown(core(t, packed).stdout))
    for tool in "zstd", "xz", "lz4":
        if not shutil.which(tool):
            continue
        for end, note in (None, ""), (-5000, r"^The core was cut short: \d+ b"):
            with open(packed, "wb") as file:
                file.write(subprocess.run(
                    [tool, "-1", "-c", path], capture_output=True,
                    check=True).stdout[:end])
            done = core(t, packed)
            if end is None:
                t.check_equal(wanted, shown(done.stdout))
            t.check_match(note, done.stdout + done.stderr)
    for damaged, words in (
            (text[:len(text) // 2], r"^The core was cut short: \d+ bytes"),
            (text[:9000] + bytes(9000), r"^The core was cut short: \d+ bytes"),
            (text[:10] + b"\xff" * 99, "packed by gzip, and damaged")):
        with open(packed, "wb") as file:
            file.write(damaged)
        done = core(t, packed, ["info threads"])
        t.check_match(words, done.stdout + done.stderr)
    endless = bytearray(whole[:1 << 16])
    at, = struct.unpack_from("<Q", endless, 32)
    struct.pack_into("<Q", endless, at + 32, 2**60)
    for text, words in ((bytes(1000), "packed by gzip, but no ELF file"),
                        (endless, r"unpacked it would be \d+ bytes")):
        with open(packed, "wb") as file:
            file.write(gzip.compress(text))
        t.check_match(rf"^Cannot use '{packed}' as a core: [^\n]*{words}",
                      core(t, packed, ["bt"]).stderr)


def test_systemd(t):
    """A core that systemd-coredump keeps, by the words that coredumpctl knows
    it by: the newest of its program, or that of its process."""
    t.env["DNDBG_COREDUMPS"] = f"{t.dir}/kept"
    os.mkdir(f"{t.dir}/kept")
    made = dump(t, t.program("Throws") + ["unhandled"], "mini")
    boot = "0123456789abcdef0123456789abcdef"
    for name in ("core.a\\x2eb.0." + boot + ".77.1700000000000002",
                 f"core.dotnet.0.{boot}.4242.1700000000000003",
                 f"core.other.0.{boot}.4243.1700000000000004"):
        os.link(made, f"{t.dir}/kept/{name}")
    for name in (f"core.dotnet.0.{boot}.4241.1700000000000001",
                 "core.dotnet", "core", f"core.dotnet.0.{boot}.x.9.zst"):
        with open(f"{t.dir}/kept/{name}", "wb") as file:
            file.write(b"no core")
    for name, found in (("dotnet", True), ("a.b", True), ("4242", True),
                        ("4243", True), ("4241", False), ("otne", False)):
        report = t.run("core", name, "--report")
        t.check_equal(found, "ShopException" in report.stdout)
        t.check_equal(found, not report.returncode)
    t.check_in("No such file", report.stderr)


def test_cannot_run(t):
    """Every command that would run it says why not, and looking goes on."""
    path = dump(t, t.program("Throws") + ["unhandled"], "heap")
    for command in ("continue", "next", "step", "finish", "stepi",
                    "signal 0", "until", "jump 377"):
        done = core(t, path, [command, "info args"])
        t.check_in("This needs a process", done.stderr)
        t.check_not_in("Continuing", done.stdout)
        t.check_in("how = \"unhandled\"", done.stdout)
    done = core(t, path, ["watch how"])
    t.check_in("cannot be run", done.stderr)
    done = core(t, path, ["set var how = null", "info args"])
    t.check_in("cannot be written", done.stderr)
    t.check_in("how = \"unhandled\"", done.stdout)
    done = core(t, path, ["detach", "info args"])
    t.check_in("The program is not being run.", done.stderr)


def test_no_core(t):
    """Files that are none, and cores that were cut off or scribbled on."""
    path = f"{t.dir}/bad.core"
    for text, wanted in ((b"", "too short"), (b"x" * 1000, "no ELF file"),
                         (b"\x28\xb5\x2f\xfd" * 99, "by zstd, and damaged"),
                         (b"\xfd7zXZ\0" * 99, "by xz, and damaged"),
                         (b"\x04\x22\x4d\x18" * 99, "by lz4, and damaged"),
                         (open("/bin/sh", "rb").read(), "but no core")):
        with open(path, "wb") as file:
            file.write(text)
        done = core(t, path, ["bt"])
        t.check_match(rf"^Cannot use '{path}' as a core: [^\n]*{wanted}",
                      done.stderr)
    t.check_in("No such file", core(t, f"{t.dir}/none", ["bt"]).stderr)
    whole = open(dump(t, t.program("Throws") + ["unhandled"], "mini"),
                 "rb").read()
    with open(path, "wb") as file:
        file.write(whole[:len(whole) // 2])
    done = core(t, path, ["info threads"])
    t.check_match(r"The core was cut short: \d+ bytes of memory are missing",
                  done.stdout + done.stderr)
    t.check_match(r"(?m)^\* 1 +Thread \d+ ", done.stdout)
    broken = bytearray(whole)
    at, = struct.unpack_from("<Q", broken, 32)
    count, = struct.unpack_from("<H", broken, 56)
    # A signal that is none: it is not what ended the program.
    note = next(struct.unpack_from("<Q", broken, at + 56 * i + 8)[0]
                for i in range(count)
                if struct.unpack_from("<I", broken, at + 56 * i)[0] == 4)
    # NT_PRSTATUS of the thread that SIGABRT ended
    while (struct.unpack_from("<I", broken, note + 8)[0] != 1
           or struct.unpack_from("<H", broken, note + 32)[0] != 6):
        sizes = struct.unpack_from("<II", broken, note)
        note += 12 + sum((size + 3) & ~3 for size in sizes)
    struct.pack_into("<h", broken, note + 32, -1)
    with open(path, "wb") as file:
        file.write(broken)
    done = core(t, path, ["info threads"])
    t.check_equal(0, done.returncode)
    t.check_not_in("signal", done.stdout)
    # Segments that say they are everywhere.
    for i in range(count):
        if struct.unpack_from("<I", broken, at + 56 * i)[0] == 1:
            struct.pack_into("<QQQQ", broken, at + 56 * i + 8, 2**63, 2**64 - 1,
                             0, 2**64 - 1)
    with open(path, "wb") as file:
        file.write(broken)
    done = core(t, path, ["info threads", "bt"])
    t.check_match(r"(?m)^\* 1 +Thread \d+ ", done.stdout)


def test_endless(t):
    """A core whose list of threads leads in a circle, which the DAC goes round
    for ever: that costs what is behind, a sentence and some seconds, and the
    rest is shown."""
    path = f"{t.dir}/whole.core"
    t.batch(["break " + t.at("Threads", "all-waiting"), "run",
             f"gcore --mini {path}"], t.program("Threads", "4"))
    listed = t.run("clrthreads", path, "--json")
    threads = [int(one["address"], 16)
               for one in json.loads(listed.stdout)["threads"]]
    damaged = Damaged(path)
    offset = damaged.link(threads)
    names = re.findall(r'"worker-\d"', core(t, path, ["info threads"]).stdout)
    t.check_equal(4, len(names))
    # the first worker is followed by itself
    at = threads[3] + offset
    damaged.put(at, damaged.word(threads[2] + offset))
    bent = damaged.save(f"{t.dir}/bent.core")
    done = t.run("--batch", *flags(["info threads", "bt", "clrthreads",
                                    "echo end\\n"]), "--core", bent,
                 timeout=180)
    t.check_equal(["DAC took more than 5 s of processor time and was stopped",
                   "list of threads leads in a circle"],
                  sorted(re.findall(r"(?mi)^(?:The memory is damaged: )?the "
                                    "runtime's (.*?)[:;]", done.stdout)))
    t.check_match(r"^#0 .* in Threads\.Program\.All \(count=4\) at Threads\.cs:"
                  rf"{t.line('Threads', 'all-waiting')}$", done.stdout)
    t.check_in("\n4 threads, of which 0 have ended\n", done.stdout)
    t.check_equal("end", done.stdout.splitlines()[-1])
    # by either command, once
    t.check_equal(2, done.stdout.count("worker-0"))
    done = t.run("stack", bent)
    t.check_in("Threads.Program.WaitEvent(", done.stdout)
    t.check_equal("dndbg: the memory is damaged: the runtime's list of threads "
                  "leads in a circle; those behind are missing\n", done.stderr)


# In a shell: kill the DAC's process of the dndbg that runs this, and wait until
# it is dead.
KILL_DAC = ("for s in /proc/[0-9]*/status; do "
            'if grep -qs "^PPid:[[:space:]]*$PPID$" $s && '
            "grep -q '^Name:.*dndbg-dac' $s; then "
            "d=${s%/status}; kill -9 ${d#/proc/}; "
            "until grep -q '^State:.*Z' $s; do :; done; echo killed; "
            "fi; done")


def test_dac_killed(t):
    """The DAC of a core is in a process of its own: that is killed, and the
    next command answers as if nothing had been."""
    path = f"{t.dir}/whole.core"
    t.batch(["break " + t.at("Threads", "all-waiting"), "run",
             f"gcore --heap {path}"], t.program("Threads", "4"))
    look = ["info threads", "print 1", "thread apply all bt", "info locals",
            "clrthreads", "dumpstackobjects", "print threads"]
    wanted = core(t, path, look).stdout
    look[1] = f"shell {KILL_DAC}"
    t.check_equal(wanted.replace("$1 = 1\n", "killed\n", 1)
                  .replace("$2 = ", "$1 = ", 1), core(t, path, look).stdout)


def children(pid):
    """Names of its children, by their ids."""
    found = {}
    for status in glob.glob("/proc/[0-9]*/status"):
        try:
            with open(status) as file:
                text = file.read()
        except OSError:
            continue
        if re.search(rf"^PPid:\s*{pid}$", text, re.M):
            found[int(status.split("/")[2])] = re.match(r"Name:\s*(.*)",
                                                        text)[1]
    return found


def test_dac_orphan(t):
    """The DAC's process ends with its debugger, however that ends."""
    path = f"{t.dir}/whole.core"
    t.batch(["break " + t.at("Threads", "all-waiting"), "run",
             f"gcore --mini {path}"], t.program("Threads", "4"))
    for how in (signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, None):
        process = subprocess.Popen(
            [t.dndbg, "--core", path], env=t.env, cwd=t.dir, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)
        process.stdin.write("echo begun\\n\n")
        process.stdin.flush()
        while "begun" not in process.stdout.readline():
            pass
        found = children(process.pid)
        t.check_equal(["dndbg-dac"], list(found.values()))
        if how:
            process.send_signal(how)
        # nothing but dndbg had these open
        process.stdin.close()
        process.stdout.read()
        process.wait()
        dac, = found
        t.wait_gone(dac)


def own_runtime(t):
    """The runtime, copied, as a build of its own that is installed nowhere."""
    root = f"{t.dir}/at/dotnet"
    shutil.copytree(t.env["DOTNET_ROOT"], root, symlinks=True)
    path, = glob.glob(f"{root}/shared/Microsoft.NETCore.App/*/libcoreclr.so")
    words = ["readelf", "-n", path]
    text = subprocess.run(words, check=True, capture_output=True,
                          text=True).stdout
    build = bytes.fromhex(re.search(r"Build ID: (\w+)", text)[1])
    with open(path, "rb+") as file:
        at = file.read().index(build)
        file.seek(at)
        file.write(bytes([build[0] ^ 1]))
    return root, os.path.dirname(path), bytes([build[0] ^ 1]) + build[1:]


def by_build_id(t, runtime, build):
    """A directory that keeps the runtime's library by its build id."""
    where = f"{t.dir}/store/.build-id/{build[:1].hex()}"
    os.makedirs(where, exist_ok=True)
    for name, kept in (("libcoreclr.so", build[1:].hex()),
                       ("libmscordaccore.so", "libmscordaccore.so")):
        if not os.path.exists(f"{where}/{kept}"):
            shutil.copy2(f"{runtime}/{name}", f"{where}/{kept}")
    return f"{t.dir}/store"


def check_told_once(t, path):
    """Why the runtime cannot be read, and that what needs it cannot be done."""
    for words in (["doctor", path], ["heap", "stat", path]):
        done = t.run(*words)
        said = done.stdout + done.stderr
        t.check_equal(1, said.count("libcoreclr.so"))
        t.check_equal(1, said.count("needs the program's .NET runtime"))
        t.check_not_in("is loaded in the program yet", said)


def check_options(t, path, here, app):
    """Where to look, as an option in any place, by the environment, by -iex;
    a folder of runtimes is searched below."""
    below = os.path.dirname(os.path.dirname(here))
    where = f"/nowhere:{app}:{below}"
    cause = ("Unhandled exception: System.InvalidOperationException: outer "
             "---> System.FormatException: the cause")
    for words in (["core", path, "--report", f"--core-search-path={where}"],
                  ["core", "--core-search-path", where, "--report", path],
                  ["core", path, "--sysroot", f"{t.dir}/new", "--report"]):
        t.check_in(cause, t.run(*words).stdout)
    t.check_in("Throws.Program.Unhandled", t.run(
        "stack", "--core-search-path", where, path).stdout)
    for words in (["-iex", f"set core-search-path {where}", "--core", path],
                  ["--core-search-path", where, "--core", path],
                  ["--core-search-path", where, "core", path],
                  ["core", "--core-search-path", where, path],
                  ["core", path, "-iex", f"set core-search-path {where}"]):
        t.check_in("in Throws.Program.Unhandled ",
                   t.run(*words, "--batch", "-ex", "bt").stdout)
    t.env["DNDBG_CORE_SEARCH_PATH"] = where
    done = t.run("heap", "exceptions", path)
    t.check_in("System.FormatException", done.stdout + done.stderr)
    del t.env["DNDBG_CORE_SEARCH_PATH"]


def test_elsewhere(t):
    """The program's files are not where they were: they are found below a
    root, by their names in directories, or by a build id; what has another is
    refused."""
    root, runtime, build = own_runtime(t)
    original = t.env["DOTNET_ROOT"]
    shutil.copytree(os.path.dirname(t.program("Throws")[0]), f"{t.dir}/at/app")
    words = [f"{t.dir}/at/app/Throws.dll", "unhandled-inner"]
    t.env.update(DOTNET_ROOT=root, PATH=f"{root}:{t.env['PATH']}")
    paths = [dump(t, words, "heap"), kernel_core(t, words)]
    for path in filter(None, paths):
        wanted = shown(core(t, path).stdout)
        t.check_in("in Throws.Program.Unhandled ", wanted)
        os.makedirs(f"{t.dir}/new{t.dir}")
        os.rename(f"{t.dir}/at", f"{t.dir}/new{t.dir}/at")
        here = runtime.replace(t.dir, f"{t.dir}/new{t.dir}", 1)
        app = f"{t.dir}/new{t.dir}/at/app"
        store = by_build_id(t, here, build)
        t.env.update(DOTNET_ROOT=original)
        done = core(t, path, ["bt"])
        t.check_match(r"libcoreclr\.so'.* \(build id [0-9a-f]{40}\).*"
                      r"\"set core-search-path DIRECTORIES\"",
                      done.stdout + done.stderr)
        check_told_once(t, path)
        check_options(t, path, here, app)
        for given in (f"set sysroot {t.dir}/new",
                      f"set core-search-path /nowhere:{here}:{app}",
                      f"set core-search-path {store}:{app}:{here}"):
            if store in given:
                os.rename(f"{here}/libcoreclr.so", f"{t.dir}/away")
            done = t.run("--batch", "-ex", given, "-ex", f"core-file {path}",
                         *flags(LOOK))
            t.check_equal(wanted, shown(done.stdout))
        os.rename(f"{t.dir}/away", f"{here}/libcoreclr.so")
        another, = glob.glob(f"{original}/shared/Microsoft.NETCore.App/*")
        done = t.run("--batch", "-ex", f"set core-search-path {another}",
                     "-ex", f"core-file {path}", "-ex", "bt")
        t.check_match(rf"'{another}/libcoreclr\.so' has not the build id",
                      done.stdout + done.stderr)
        os.rename(f"{t.dir}/new{t.dir}/at", f"{t.dir}/at")
        os.rmdir(f"{t.dir}/new{t.dir}")


def test_program_elsewhere(t):
    """The program's own assembly is nowhere, as of a container: that its names
    lack is said once, and where to look for it."""
    at, moved, path = f"{t.dir}/app", f"{t.dir}/moved", f"{t.dir}/heap.core"
    shutil.copytree(os.path.dirname(t.program("Busy")[0]), at)
    busy = Busy(t, words=[f"{t.env['DOTNET_ROOT']}/dotnet", f"{at}/Busy.dll",
                          "2", "1"]).ready()
    t.run("dump", "--type", "heap", "-o", path, str(busy.pid))
    busy.right()
    wanted = t.run("stack", path)
    t.check_equal("", wanted.stderr)
    t.check_in("Busy.Program.Wait()", wanted.stdout)
    os.rename(at, moved)
    lacks = (f"names of types and methods lack: the core's '{at}/Busy.dll' is "
             'not on this machine; "set core-search-path DIRECTORIES" or '
             "--core-search-path names where else to look")
    for words in ["stack", path], ["heap", "stat", path], ["doctor", path]:
        done = t.run(*words)
        t.check_equal(f"dndbg: {lacks}\n", done.stderr)
        t.check_not_in("Busy.Program", done.stdout)
    done = t.run("--batch", "--core", path, "-ex", "info sharedlibrary Busy")
    t.check_in(f"{lacks[0].upper()}{lacks[1:]}.\n", done.stdout + done.stderr)
    t.check_match(rf"^0x\w+ +0x\w+ +No +{at}/Busy.dll ", done.stdout)
    t.check_equal(wanted.stdout, t.run("stack", "--core-search-path", moved,
                                       path).stdout)


def look(text):
    """What the commands behind "look" printed, addresses aside."""
    text = text[text.index("look\n"):]
    return re.sub("0x[0-9a-f]{16}( in )?", "",
                  text[:text.index("looked\n")])


def test_generated(t):
    """What `generate-core-file` writes at a breakpoint shows what the program
    shows there, whose code is without our traps; the program goes on."""
    words = t.program("Hello")
    commands = ["echo look\\n", "bt", "info args", "info locals", "x/4i $pc",
                "echo looked\\n"]
    full, heap, mini, packed = (
        f"{t.dir}/{kind}" for kind in (*OWN, "packed"))
    done = t.batch(["b " + t.at("Hello", "add"), "run", *commands,
                    f"generate-core-file {full}", f"gcore --heap {heap}",
                    f"gcore --mini {mini}", f"gcore --compress --heap {packed}",
                    "gcore /", "continue"], words)
    t.check_match(r"^'/' is not a regular file\.$", done.stdout + done.stderr)
    t.check_match(rf"^Saved corefile {full} \(\d+ MB\)$", done.stdout)
    t.check_in("hello world 5\nok\n", done.stdout)
    t.check_in("exited normally", done.stdout)
    for path in (full, heap, mini, packed):
        t.check_equal(0o600, os.stat(path).st_mode & 0o777)
        t.check_equal(look(done.stdout), look(core(t, path, commands).stdout))
    t.check(os.stat(packed).st_blocks < os.stat(heap).st_blocks / 2,
            "packed: as large")
    t.check(os.stat(heap).st_blocks < os.stat(full).st_blocks / 2, "as large")
    headers = subprocess.run(["readelf", "-hln", full], capture_output=True,
                             text=True)
    t.check_equal((0, ""), (headers.returncode, headers.stderr))
    t.check_in("NT_FILE", headers.stdout)


def test_dump(t):
    """`dndbg dump` of a program that runs, which goes on."""
    busy = Busy(t, "20", "4").ready()
    for kind, *more in ("heap",), ("mini",), ("heap", "--compress"):
        busy.dump(f"{t.dir}/{kind}{''.join(more)}", "--type", kind, *more)
    busy.untouched()
    busy.right()
    done = t.run("dump", "--type", "tiny", "1")
    t.check_equal(2, done.returncode)
