"""Assemblies that come and go, hooks and hosts in native code."""
import os

import drive

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
