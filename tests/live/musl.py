"""Programs on musl, as in Alpine containers (scripts/check-musl): how they die,
and the DAC that reads them."""
import json
import os
import signal
import subprocess

import cgroups
import container
import drive
from killing import preloaded
from survivor import Busy

only_musl = True


def run(t, words, *options, **more):
    """A program under `dndbg run`: how it ended, and its reports."""
    path = f"{t.dir}/reports"
    done = subprocess.run([t.dndbg, "run", "--json", path, *options, "--",
                           *words], text=True, capture_output=True, env=t.env,
                          cwd=t.dir, timeout=60 * drive.TIME, **more)
    if not os.path.exists(path):
        return done.returncode, []
    with open(path) as file:
        reports = json.load(file)
    os.remove(path)
    return done.returncode, reports


def alpine(t, fixture, *args):
    """A program in a mount namespace that has what an Alpine image has."""
    if os.geteuid():
        raise drive.Skip("only root can make a container")
    return container.words(t, fixture, *args, first=False)


ABORT, SEGV = -signal.SIGABRT, -signal.SIGSEGV


def test_deaths(t):
    """What each dies of is in the report, with the managed stack, and it ends
    as by itself."""
    for fixture, how, code, kind, cause, name in (
            ("Throws", "unhandled", ABORT, "exception",
             "Throws.ShopException", "Throws.Program.Unhandled"),
            ("Throws", "unhandled-thread", ABORT, "exception",
             "System.", "Throws.Program.Level"),
            ("Throws", "unhandled-null", ABORT, "exception",
             "System.NullReferenceException", "Throws.Program.Unhandled"),
            ("Throws", "unhandled-stack", ABORT, "exception",
             "System.StackOverflowException", "Throws.Program.Endless"),
            ("Throws", "unhandled-fast", ABORT, "failfast", "failed fast",
             "Throws.Program.Unhandled"),
            ("Throws", "unhandled-native", SEGV, "signal", "SIGSEGV",
             "Throws.Program.Unhandled"),
            ("Signals", "segv", ABORT, "exception",
             "System.AccessViolationException", "Signals.Program.Run"),
            ("Signals", "abort", ABORT, "signal", "SIGABRT",
             "Signals.Program.Run"),
            ("Asking", "failfast", ABORT, "failfast", "the end is here",
             "Asking.Program.Main")):
        words = alpine(t, fixture, how)
        bare = subprocess.run(words, capture_output=True, env=t.env, cwd=t.dir,
                              timeout=60 * drive.TIME)
        ended, reports = run(t, words)
        t.check_equal((how, bare.returncode, code),
                      (how, ended, bare.returncode))
        t.check_equal((how, 1), (how, len(reports)))
        t.check_equal((how, kind), (how, reports[0]["kind"]))
        t.check_in(cause, reports[0]["cause"])
        t.check(any(f["name"].startswith(name)
                    for f in reports[0]["threads"][0]["frames"]),
                f"{how}: {reports[0]['threads'][0]['frames']}")


def test_ends(t):
    """Killed from outside, and codes."""
    for number in signal.SIGKILL, signal.SIGTERM:
        words = alpine(t, "Signals", "raise", str(int(number)))
        code, reports = run(t, words)
        bare = subprocess.run(words, capture_output=True, env=t.env, cwd=t.dir,
                              timeout=60 * drive.TIME)
        t.check_equal(bare.returncode, code)
        if number == signal.SIGKILL:
            t.check_equal([("signal", -code)],
                          [(r["kind"], r["signal"]) for r in reports])
    t.check_equal((0, []), run(t, alpine(t, "Hello")))
    code, reports = run(t, alpine(t, "Signals", "exit", "3"), "--on-exit", "3")
    t.check_equal((3, ["Exited with code 3"]),
                  (code, [r["cause"] for r in reports]))


def test_memory_killed(t):
    """The kernel ends what takes more than its group may."""
    where, enter = cgroups.of_memory(t, 400 << 20)
    if not where:
        raise drive.Skip("no cgroup with a limit of memory can be made")
    code, reports = run(t, alpine(t, "Throws", "unhandled-memory"),
                        preexec_fn=enter)
    t.check_equal((-signal.SIGKILL, ["signal"]),
                  (code, [r["kind"] for r in reports]))
    t.check_match(r"^Killed by the kernel: out of memory \(limit of the cgroup:"
                  r" 400 MiB, used at most: (400|39\d) MiB\)$",
                  reports[0]["cause"])
    t.wait_for("the end of all", lambda: cgroups.removed(where))


def test_debugger_killed(t):
    """dndbg is killed before one call after the other of those that change
    something in a program of such a namespace, which goes on."""
    busy = Busy(t, words=alpine(t, "Busy", "4", "4")).ready()
    script = f"{t.dir}/script"
    with open(script, "w") as file:
        file.write("break Busy.Program.Work\ncontinue\nnext\ncontinue\n"
                   "delete\ndetach\n")
    for at in range(1, 400, 21):
        done = subprocess.run([t.dndbg, "--batch", "-x", script, "-p",
                               str(busy.pid)], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env=preloaded(t, KILL_AT=at), cwd=t.dir,
                              timeout=60 * drive.TIME)
        t.check_in(done.returncode, (-signal.SIGKILL, 0))
        busy.await_cleaning()
    busy.untouched()
    busy.right()


def looked(t, *words, hidden=False, **more):
    """What dndbg prints of a program; hidden: where no .NET for glibc is."""
    env = {**t.env, "HOME": t.dir}
    if hidden:
        del env["NUGET_PACKAGES"]
        words = ["unshare", "--mount", "sh", "-c", "for d in /usr/share/dotnet "
                 "/usr/lib/dotnet; do [ ! -d $d ] || mount -t tmpfs none $d; "
                 'done; exec "$@"', "sh", t.dndbg, *words]
    else:
        words = [t.dndbg, *words]
    done = subprocess.run(words, text=True, capture_output=True, env=env,
                          cwd=t.dir, timeout=60 * drive.TIME, **more)
    return done.stdout + done.stderr


def test_own_dac(t):
    """Where no .NET for glibc of its version is, its own DAC is loaded, as a
    copy that asks for glibc: with the same answers, live and from a core."""
    if os.geteuid():
        raise drive.Skip("only root can hide the installed ones")
    busy = Busy(t, "20", "1", config="Release").ready()
    for kind in "full", "heap":
        core = f"{t.dir}/{kind}.core"
        busy.dump(core, "--type", kind)
        for words in (["stack", core], ["heap", "stat", core]):
            wanted = looked(t, *words)
            t.check_in("Busy.", wanted)
            t.check_equal(wanted, looked(t, *words, hidden=True))
    t.check_in("Busy.Program.Wait", looked(t, "stack", str(busy.pid),
                                           hidden=True))
    busy.untouched()
    busy.right()


def test_core_elsewhere(t):
    """The core of a container, where none of its files are: the runtime is found
    among NuGet's packs, or where it is said to be."""
    busy = Busy(t, words=alpine(t, "Busy", "20", "1")).ready()
    net = os.path.realpath(t.env["DOTNET_ROOT"])
    packs = {**t.env, "HOME": t.dir, "PATH": os.environ["PATH"]}
    del packs["DOTNET_ROOT"]

    def stack(core, *options, env=packs):
        done = subprocess.run([t.dndbg, "stack", *options, core], text=True,
                              cwd=t.dir, capture_output=True, env=env)
        return done.stdout + done.stderr

    core = f"{t.dir}/core"
    busy.dump(core, "--type", "full")
    text = stack(core)
    t.check_in("Busy.Program.Wait", text)
    t.check("(build id " not in text, text)
    t.check_equal(text, stack(core, "--core-search-path", net))
    none = stack(core, env={**packs, "NUGET_PACKAGES": t.dir})
    t.check_in("libcoreclr.so'", none)
    t.check_in("(build id ", none)
    t.check_in('"set core-search-path DIRECTORIES"', none)
    busy.untouched()
    busy.right()


INSIDE = """
set -e
root=$1
mount -t tmpfs tmpfs "$root"
cd "$root"
mkdir lib usr proc dev tmp app dndbg
mount --rbind "$2/lib" lib
mount --rbind "$2/usr" usr
mount --rbind "$3" app
mount --rbind "$4" dndbg
mount -t proc proc proc
mount --rbind /dev dev
mount -o remount,ro "$root"
shift 4
exec chroot "$root" "$@"
"""


def test_inside(t):
    """dndbg in an Alpine look-alike that is read-only and where nothing is of
    glibc but the folder that was carried in: by the program's own DAC."""
    if os.geteuid():
        raise drive.Skip("only root can make a container")
    folder = f"{t.dir}/portable"
    os.mkdir(folder)
    subprocess.run(["cp", t.dndbg, f"{folder}/dndbg"], check=True)
    subprocess.run([f"{drive.TOP}/scripts/bring-libraries", t.dndbg, folder,
                    "musl"], check=True)
    root = f"{t.dir}/root"
    os.mkdir(root)
    linker = "/dndbg/glibc/ld-linux-x86-64.so.2"
    dotnet = os.path.realpath(t.env["DOTNET_ROOT"])
    env = {**t.env, "HOME": "/tmp"}
    del env["NUGET_PACKAGES"], env["DOTNET_ROOT"]
    done = subprocess.run(
        ["unshare", "--pid", "--fork", "--mount", "sh", "-c", INSIDE, "sh",
         root, container.files(dotnet),
         os.path.dirname(t.program("Throws")[0]), folder, linker,
         "--library-path", "/dndbg/lib:/dndbg/glibc", "/dndbg/dndbg", "run",
         "--", "/usr/share/dotnet/dotnet", "/app/Throws.dll", "unhandled"],
        text=True, capture_output=True, env=env, timeout=60 * drive.TIME)
    t.check_equal((128 + signal.SIGABRT, ""),
                  (done.returncode, done.stderr if done.returncode == 126
                   else ""))
    t.check_match(r"^Unhandled exception: Throws\.ShopException: nobody "
                  r"catches\nThrows\.dll, process \d+, \.NET %s\." % t.runtime,
                  done.stderr)
    t.check_match(r"^  #0   Throws\.Program\.Unhandled\(string\) at ",
                  done.stderr)
