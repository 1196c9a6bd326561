"""Programs with the runtime inside (PublishSingleFile)."""
import os
import shutil

import drive


def copy(t):
    """The program and its symbols, where nothing else is."""
    place = f"{t.dir}/program"
    os.mkdir(place)
    made = f"{drive.CACHE}/single/{t.runtime}"
    for name in ("Hello", "Hello.pdb"):
        shutil.copy(f"{made}/{name}", place)
    return f"{place}/Hello"


def test_debugged(t):
    """Breakpoints, stacks, values, steps; the DAC of the installed runtime."""
    done = t.batch(["b " + t.at("Hello", "add"), "run", "bt", "print a",
                    "next", "info locals", "finish", "watch sum", "continue",
                    "delete", "continue"],
                   [copy(t), "me"])
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
    done = t.batch(["b Main", "run"], [path], env=env)
    if "Breakpoint 1, " in done.stdout:
        return  # this very version is installed where all look
    t.check_match(r"^'%s' has its \.NET %s\.0\.\d+ runtime inside, and no "
                  r"libmscordaccore\.so with build id [0-9a-f]{40} was found "
                  r"beside it or in an installed runtime: install the \.NET "
                  r"runtime %s\.0\.\d+, or say where one is by \"set dac-path "
                  r"DIRECTORY\"\.$" % (path, t.runtime, t.runtime), done.stdout)
    t.check_in("hello world 5\nok\n", done.stdout)


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
                    "b " + t.at("Hello", "add"), "run"], [path], env=env)
    t.check_in("Breakpoint 1, Hello.Program.Add (a=2, b=3)", done.stdout)
    shutil.copy(dac, os.path.dirname(path))
    done = t.batch(["b " + t.at("Hello", "add"), "run"], [path], env=env)
    t.check_in("Breakpoint 1, Hello.Program.Add (a=2, b=3)", done.stdout)
