"""What is known of a program before it is run: however it is named, its files
lead to names and places."""
import os
import shutil
import subprocess

import drive


def one_runtime(test):
    test.runtimes = ("10",)
    return test


def known(t, words):
    """A breakpoint has its place before the program runs, and stops there."""
    done = t.batch(["b Program.Add", "complete break Hello.Program.A", "run"],
                   words)
    line = t.line("Hello", "add")
    t.check_in("Breakpoint 1 at Hello.Program.Add: file Hello.cs, line %d.\n"
               "break Hello.Program.Add\n" % line, done.stdout)
    t.check_in("Breakpoint 1, Hello.Program.Add (a=2, b=3) at Hello.cs:%d\n"
               % line, done.stdout)


def test_list_twins(t):
    """Of several files of a name, `list` shows that of the frame; the current
    line is marked in that alone."""
    for where in ("app/lib", "app"):
        os.makedirs(f"{t.dir}/{where}", exist_ok=True)
        with open(f"{t.dir}/{where}/Twin.cs", "w") as file:
            file.writelines(f"{where} {n}\n" for n in range(1, 8))
    done = t.batch(["set substitute-path /twins " + t.dir,
                    "b Program.Shorter", "run", "list Twin.cs:5,5",
                    "list lib/Twin.cs:5,5", f"list {t.dir}/app/Twin.cs:5,5"],
                   t.program("Breaks", "twins", "twins"))
    t.check_in("\n5=>\tapp 5\n5\tapp/lib 5\n5=>\tapp 5\n", done.stdout)


def test_apphost(t):
    known(t, t.program("Hello", host="apphost"))


@one_runtime
def test_link_to_apphost(t):
    link = f"{t.dir}/hello"
    os.symlink(t.program("Hello", host="apphost")[0], link)
    known(t, [link])


def test_dotnet(t):
    dll = t.program("Hello")[0]
    known(t, ["dotnet", dll])
    known(t, ["dotnet", "exec", "--roll-forward", "Major", dll, "you"])


def test_single_file(t):
    """All that the program holds; its PDB lies beside it."""
    made = f"{drive.CACHE}/single/{t.runtime}"
    if drive.MUSL and not os.path.exists(made):
        raise drive.Skip("there is no host of this release for musl here")
    # not by this process, see single.py
    subprocess.run(["cp", f"{made}/Single", f"{made}/Single.pdb", t.dir],
                   check=True)
    known(t, [f"{t.dir}/Single", "Hello"])


@one_runtime
def test_broken(t):
    """A file that is none tells nothing, and starting it says why."""
    path = f"{t.dir}/Broken.dll"
    with open(path, "wb") as file:
        file.write(b"MZ" + b"\xff" * 5000)
    done = t.batch(["b Main", "info functions Main"], [path])
    t.check_in("Breakpoint 1 (Main) pending: no method 'Main' in the "
               "program's files.", done.stdout)
    t.check_in("All functions matching", done.stdout)
    done = t.batch(["b Main", "info functions Main"], [f"{t.dir}/none.dll"])
    t.check_in("Breakpoint 1 (Main) pending: no method", done.stdout)


@one_runtime
def test_rebuilt(t):
    """A program that is built anew is read anew; so are its references."""
    made = os.path.dirname(t.program("Breaks")[0])
    place = f"{t.dir}/program"
    shutil.copytree(made, place)
    hello = os.path.dirname(t.program("Hello")[0])
    s = t.start("--args", f"{place}/Breaks.dll")
    t.check_in("Breakpoint 1 at Breaks.Over.Do: ", s.cmd("b Over.Do"))
    t.check_in("(Hello.Program.Add) pending: no method",
               s.cmd("b Hello.Program.Add"))
    for end in ("dll", "pdb"):
        shutil.copy(f"{hello}/Hello.{end}", f"{place}/Breaks.{end}")
    text = s.cmd("info breakpoints")
    t.check_match(r"^1 .* <PENDING> +Over\.Do\s*$", text)
    t.check_match(r"^2 .* in Hello\.Program\.Add\(int, int\) at Hello\.cs:%d"
                  % t.line("Hello", "add"), text)
