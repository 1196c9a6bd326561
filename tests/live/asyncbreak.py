"""Breakpoints in async methods, of state machines and of the runtime's own,
whose code is there when dndbg attaches."""
import subprocess

CONFIGS = ("Debug", "Release", "NetDebug", "RtDebug", "RtRelease")


def attached(t, config):
    """What dndbg shows of the methods of a program that has run them."""
    program = subprocess.Popen(
        t.program("AsyncMain", "ticks", config=config, host="dotnet"),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, env=t.env)
    t.check_equal("ticking\n", program.stdout.readline())
    out = t.batch(
        [f"attach {program.pid}", f"break {t.at('AsyncMain', 'leaf-after')}",
         "continue", "info breakpoints", "bt 1", "delete",
         f"break {t.at('AsyncMain', 'ticks-after')}", "continue", "kill"], [])
    program.stdout.close()
    program.wait()
    return out.stdout


def check_attached(t, config):
    out = attached(t, config)
    # the place of the runtime's own optimised code is right behind the await
    leaf = "leaf-await" if config == "RtRelease" else "leaf-after"
    t.check_match(r"^Breakpoint 1, AsyncMain.Program.Leaf \(n=\d+\) at "
                  rf"AsyncMain.cs:{t.line('AsyncMain', leaf)}$", out)
    t.check_match(r"^Breakpoint 2, AsyncMain.Program.Ticks \(\) at "
                  rf"AsyncMain.cs:{t.line('AsyncMain', 'ticks-after')}$", out)
    t.check_not_in("not compiled", out)
    t.check_not_in("optimised code has nothing", out)


def test_attached(t):
    """Hit in code that the program has run before."""
    for config in CONFIGS:
        if t.runtime == "11" or config in ("Debug", "Release"):
            check_attached(t, config)
