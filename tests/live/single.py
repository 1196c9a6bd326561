"""Programs with the runtime inside (PublishSingleFile)."""
import json
import os
import shutil
import signal
import subprocess

import drive
import dumps
from halfway import attach_halfway
from survivor import Busy, batch


def copy(t):
    """The program and its symbols, where nothing else is."""
    place = f"{t.dir}/program"
    os.mkdir(place)
    made = f"{drive.CACHE}/single/{t.runtime}"
    if drive.MUSL and not os.path.exists(made):
        raise drive.Skip("there is no host of this release for musl here")
    # Not by this process: what another thread forks meanwhile would have the
    # file open for writing, and it could not be executed.
    subprocess.run(["cp", f"{made}/Single", f"{made}/Single.pdb", place],
                   check=True)
    return f"{place}/Single"


def test_debugged(t):
    """Breakpoints, stacks, values, steps; the DAC of the installed runtime."""
    done = t.batch(["b " + t.at("Hello", "add"), "run", "bt", "print a",
                    "next", "info locals", "finish", "watch sum", "continue",
                    "delete", "continue"],
                   [copy(t), "Hello", "me"])
    t.check_match(r"^Breakpoint 1, Hello\.Program\.Add \(a=2, b=3\) at "
                  r"Hello\.cs:%d$" % t.line("Hello", "add"), done.stdout)
    t.check_match(r"^#1 .* Hello\.Program\.Main \(args=\{string\[1\]\}\)",
                  done.stdout)
    t.check_in("$1 = 2\n", done.stdout)
    t.check_in("sum = 5\n", done.stdout)
    t.check_in("Old value = 0\nNew value = 5\n", done.stdout)
    t.check_in("hello me 5\nok\n", done.stdout)
    t.check_in("exited normally", done.stdout)


def test_no_dac(t):
    """Without a DAC that fits, words that say what to do; the program runs."""
    path = copy(t)
    home = f"{t.dir}/nothing"
    os.mkdir(home)
    env = {"DOTNET_ROOT": home, "PATH": "/usr/bin:/bin", "HOME": home}
    done = t.batch(["b Main", "run"], [path, "Hello"], env=env)
    if "Breakpoint 1, " in done.stdout:
        return  # this very version is installed where all look
    t.check_match(r"^'%s' has its \.NET %s\.0\.\d+ runtime inside, and no "
                  r"libmscordaccore\.so with build id [0-9a-f]{40} was found "
                  r"beside it or in an installed runtime: install the \.NET "
                  r"runtime %s\.0\.\d+, or say where one is by \"set dac-path "
                  r"DIRECTORY\"\.$" % (path, t.runtime, t.runtime), done.stdout)
    t.check_in("hello world 5\nok\n", done.stdout)


def test_no_dac_report(t):
    """A report without what the DAC tells says why."""
    path = copy(t)
    home = f"{t.dir}/nothing"
    os.mkdir(home)
    done = subprocess.run(
        [t.dndbg, "run", "--", path, "Throws", "unhandled"], cwd=t.dir,
        capture_output=True, text=True, timeout=60 * drive.TIME,
        env={"DOTNET_ROOT": home, "PATH": "/usr/bin:/bin", "HOME": home})
    t.check_equal(-signal.SIGABRT, done.returncode)
    if "Unhandled exception: Throws." not in done.stderr:
        t.check_match(r"^dndbg: '%s' (has its \.NET %s\.0\.\d+ runtime inside, "
                      r"and no libmscordaccore\.so .* was found|was built for "
                      r"musl; .* is not here: install \.NET %s\.)" %
                      (path, t.runtime, t.runtime), done.stderr)


def test_dac_path(t):
    """The setting leads to it; beside the program it is found, too. One of
    another build is not taken."""
    path = copy(t)
    home = f"{t.dir}/nothing"
    os.mkdir(home)
    env = {"DOTNET_ROOT": home, "PATH": "/usr/bin:/bin", "HOME": home}
    dac = drive.glob.glob(f"{drive.CACHE}/roots/{t.runtime}/shared/"
                          "Microsoft.NETCore.App/*/libmscordaccore.so")[0]
    done = t.batch(["set dac-path " + os.path.dirname(dac),
                    "b " + t.at("Hello", "add"), "run"], [path, "Hello"], env=env)
    t.check_in("Breakpoint 1, Hello.Program.Add (a=2, b=3)", done.stdout)
    shutil.copy(dac, os.path.dirname(path))
    done = t.batch(["b " + t.at("Hello", "add"), "run"], [path, "Hello"], env=env)
    t.check_in("Breakpoint 1, Hello.Program.Add (a=2, b=3)", done.stdout)


def test_rush(t):
    """Threads that call methods for the first time at once: exact counts, the
    compiler being inside, too."""
    done = t.batch([r"rbreak ^Rush\.Called", "ignore 1 1000000", "run",
                    "info breakpoints"], [copy(t), "Rush", "8", "1"])
    t.check_in("\ncalls 512\n", done.stdout)
    t.check_in("breakpoint already hit 512 times\n", done.stdout)


def test_attach(t):
    """One that runs, by its pid and by its name."""
    path = copy(t)
    name = f"Single-{t.tag}"
    os.rename(path, f"{t.dir}/program/{name}")
    busy = Busy(t, words=[f"{t.dir}/program/{name}", "Busy", "2", "2"]).ready()
    for who in (str(busy.pid), name):
        out = batch(t, f"attach {who}", "bt", "break Tally.Turn", "continue",
                    "p turn > 0", "next", "detach")
        t.check_match(r"in Busy\.Program\.Main .*Busy\.cs:\d+$", out)
        t.check_match(r"^Breakpoint 1, Busy\.Tally\.Turn \(this=", out)
        t.check_in("$1 = true\n", out)
        t.check_in("detached]\n", out)
    busy.untouched()
    busy.right()


def test_attach_halfway(t):
    """One that has begun to fill the table that tells the DAC what is where."""
    path = copy(t)
    attach_halfway(t, [path, "Busy", "1", "1"], os.path.basename(path))


def test_asking(t):
    """Debugger.Break stops, what is written to Debug and Debugger.Log is
    shown, and the program knows that it is debugged."""
    path = copy(t)
    done = t.batch(["run", "continue", "continue", "continue"],
                   [path, "Asking", "break"])
    t.check_equal(3, done.stdout.count("\nProgram called Debugger.Break.\n"))
    t.check_in("b 1\n", done.stdout)
    t.check_in("inner 1\n", done.stdout)
    done = t.batch(["run"], [path, "Asking", "write"])
    t.check_in("to debug \u00e4\u20ac\nno line end\nto trace\n", done.stdout)
    t.check_in("category: a message\n", done.stdout)
    done = t.batch(["run"], [path, "Asking", "attached"])
    t.check_in("attached True\n", done.stdout)


def test_listed(t):
    """`dndbg ps` knows what has no library."""
    busy = Busy(t, words=[copy(t), "Busy", "1", "1"]).ready()
    found, = (one for one in json.loads(t.run("ps", "--json").stdout)
              if one["pid"] == busy.pid)
    t.check_equal(("Single", "single file"), (found["name"], found["runtime"]))
    busy.right()


def test_core(t):
    """Cores that we write, also of a snapshot, createdump's and the kernel's
    show what the program showed, which is inside with its runtime."""
    words = [copy(t), "Throws", "unhandled-thread"]
    wanted = dumps.live(t, words)
    t.check_match(r"^#1 .* in Throws\.Program\.Level \(n=1\) at Throws\.cs:"
                  rf"{t.line('Throws', 'level-call')}$", wanted)
    paths = [dumps.own(t, kind) for kind in (*dumps.OWN, "snapshot")]
    for path in (*paths, dumps.dump(t, words, "full"),
                 dumps.kernel_core(t, words)):
        if path:
            t.check_equal(wanted, dumps.shown(dumps.core(t, path).stdout))
