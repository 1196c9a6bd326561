"""Async methods, of state machines and of the runtime's own: breakpoints in
code that is there when dndbg attaches, steps over many awaits."""
import re
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


def configs(t):
    return CONFIGS if t.runtime == "11" else ("Debug", "Release")


def test_attached(t):
    """Hit in code that the program has run before."""
    for config in configs(t):
        check_attached(t, config)


def test_many_awaits(t):
    """Three hundred steps, a hundred of them over an await that waits: none is
    lost, none ends in another turn."""
    lines = [t.line("AwaitLoop", mark) for mark in ("await", "after")]
    for config in configs(t):
        if "Release" in config:
            continue
        commands = [f"tbreak {t.at('AwaitLoop', 'await')}", "run"]
        for _ in range(100):
            commands += ["next", "print i", f"advance AwaitLoop.cs:{lines[0]}"]
        out = t.batch(commands + ["continue"],
                      t.program("AwaitLoop", "200", config=config)).stdout
        t.check_equal(list(range(100)),
                      [int(n) for n in re.findall(r"^\$\d+ = (\d+)$", out,
                                                  re.M)])
        t.check_equal(100, len(re.findall(rf"^{lines[1]}\t", out, re.M)))
        t.check_in("sum 19900\nok\n", out)
