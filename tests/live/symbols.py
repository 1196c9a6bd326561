"""Symbols: every way in which the PDB and the sources may be there or not."""
import os
import re
import shutil

import drive

LOOK = ["info breakpoints", "bt", "info sharedlibrary", "up", "info locals"]


def stop_in_add(t, kind, *commands):
    """Stop in Add, look around, go on; all the output."""
    done = t.batch(["b " + t.at("Hello", "print"), "b Hello.Program.Add",
                    *commands, "run", *LOOK, "continue", "continue"],
                   t.program("Hello", config=kind))
    t.check_in("hello world 5\nok\n", done.stdout)
    t.check_in("exited normally]", done.stdout)
    return done.stdout


def library(t, kind, text):
    """The lines of info sharedlibrary about Hello.dll: word, note."""
    path = re.escape(f"{drive.BUILT}/Symbols/{kind}/Hello.dll")
    found = t.check_match(rf"^0x\w+  0x\w+  (\w+) +{path}\n +(.*)$", text)
    return found.group(1), found.group(2)


def test_found(t):
    """PDBs beside the dll, embedded, at the path that the dll names; sources
    with checksums of both kinds."""
    add = t.line("Hello", "add")
    call = t.line("Hello", "call")
    for kind, where in (
            ("Embedded", "embedded in {top}/Hello.dll"),
            ("Elsewhere", "{top}/pdb/Hello.pdb"),
            ("Sha1", "{top}/Hello.pdb"),
            ("EmbedSource", "{top}/Hello.pdb")):
        text = stop_in_add(t, kind)
        where = where.format(top=f"{drive.BUILT}/Symbols/{kind}")
        t.check_equal(("Yes", where), library(t, kind, text))
        t.check_in(f"#0  Hello.Program.Add (a=2, b=3) at Hello.cs:{add}\n",
                   text)
        t.check_match(rf"^#1 .* Hello\.Program\.Main \(args=\{{string\[0\]\}}"
                      rf"\) at Hello\.cs:{call}$", text)
        t.check_in(f"{add}\t            int sum = a + b; // @add\n", text)
        t.check_in('who = "world"', text)
        t.check_in("Breakpoint 1, Hello.Program.Main", text)
        t.check_not_in("not the one that the program was built from", text)
        t.check_not_in("<PENDING>", text)


def not_found(t, kind, state, why):
    """No usable PDB: said at the breakpoint and in the list; frames have
    names, IL offsets and the code goes on."""
    text = stop_in_add(t, kind)
    why = why.format(top=f"{drive.BUILT}/Symbols/{kind}")
    t.check_equal((state, why), library(t, kind, text))
    t.check_match(r"^1 +breakpoint +keep y +<PENDING> +Hello\.cs:\d+\n"
                  r"\tno loaded module has 'Hello\.cs'; module 'Hello\.dll': "
                  + re.escape(why) + "$", text)
    t.check_match(r"^#0  0x\w+ in Hello\.Program\.Add \(int, int\) from "
                  r"Hello\.dll \(IL 0x0000\)$", text)
    # The map of .NET 11 has no entries of calls: the statement's is told.
    at = "0x0010" if t.runtime == "11" else "0x0012"
    t.check_match(r"^#1  0x\w+ in Hello\.Program\.Main \(string\[\]\) from "
                  rf"Hello\.dll \(IL {at}\)$", text)
    t.check_in('"world"', text)
    return text


def test_no_pdb(t):
    not_found(t, "NoPdb", "No", "built without a PDB")


def test_missing(t):
    not_found(t, "Missing", "No", "no PDB: looked for '{top}/Hello.pdb'")


def test_mismatch(t):
    not_found(t, "Mismatch", "Mismatch",
              "'{top}/Hello.pdb' belongs to another build")


def test_windows(t):
    not_found(t, "Windows", "Windows", "'{top}/Hello.pdb' is a Windows PDB: "
              "build with DebugType portable or embedded")


def test_truncated(t):
    text = stop_in_add(t, "Truncated")
    state, why = library(t, "Truncated", text)
    t.check_equal("Broken", state)
    not_found(t, "Truncated", "Broken", why)
    t.check_in(f"'{drive.BUILT}/Symbols/Truncated/Hello.pdb' cannot be read: ",
               why)


def test_without_symbols(t):
    """What is left without a PDB: methods by name, arguments, tokens, IL,
    machine instructions, leaving a frame."""
    done = t.batch(["tbreak Add", "start", "continue", "info args", "frame",
                    "info frame", "print a + b", "disassemble", "disassemble /il",
                    "nexti", "finish", "info source", "list", "step"],
                   t.program("Hello", config="Missing"))
    t.check_in("Hello.Program.Main (string[]) from Hello.dll (IL 0x0000)",
               done.stdout)
    t.check_in("Temporary breakpoint 1, ", done.stdout)
    t.check_in("a = 2\nb = 3\n", done.stdout)
    t.check_match(r"^\$1 = 5$", done.stdout)
    t.check_match(r"token: 0x0600000\d", done.stdout)
    t.check_in("ldarg.0", done.stdout)
    t.check_match(r"^Run till exit from #0 .*\n0x\w+ in Hello\.Program\.Main "
                  r"\(string\[\]\) from Hello\.dll \(IL 0x00\w\w\)$",
                  done.stdout)
    t.check_in("hello world 5\nok\n", done.stdout)


def test_source_moved(t):
    """A source that is not where it was built: said; then found by a rule."""
    print_line = t.line("Hello", "print")
    s = t.start("--args", *t.program("Hello", config="Moved"))
    s.cmd("b Add")
    t.check_in(f"{t.line('Hello', 'add')}\tin /nowhere/src/Hello.cs",
               s.cmd("run"))
    t.check_in("The source file '/nowhere/src/Hello.cs' is not here; use 'set "
               "substitute-path' if it was moved.", s.cmd("list"))
    s.cmd(f"set substitute-path /nowhere/src {drive.SOURCES}")
    t.check_in("int sum = a + b; // @add", s.cmd("list"))
    t.check_in(f"Located in {drive.SOURCES}/Hello.cs", s.cmd("info source"))
    t.check_in("/nowhere/src", s.cmd("show substitute-path"))
    # Both the path as built and the path as it is now are taken.
    s.cmd(f"b /nowhere/src/Hello.cs:{print_line}")
    t.check_in("Breakpoint 2", s.cmd(f"b {drive.SOURCES}/Hello.cs:{print_line}")
               .replace("Breakpoint 3", "Breakpoint 2"))
    # So is any other that leads to the file.
    os.symlink(drive.SOURCES, f"{t.dir}/linked")
    t.check_in("Breakpoint 4 at",
               s.cmd(f"b {t.dir}/linked/Hello.cs:{print_line}"))
    t.check_in("pending", s.cmd(f"b {t.dir}/other/Hello.cs:{print_line}"))
    t.check_in("Console.WriteLine($", s.cmd("continue"))
    # A file that was found, its checksum right, is not lost with the rule.
    s.cmd("unset substitute-path")
    t.check_in("The smallest program", s.cmd("list Hello.cs:1"))


def test_rule_at_launch(t):
    done = t.batch([f"set substitute-path /nowhere {os.path.dirname(drive.SOURCES)}",
                    "b Add", "run"], t.program("Hello", config="Moved"))
    t.check_not_in("int sum", done.stdout)
    done = t.batch([f"set substitute-path /nowhere/src {drive.SOURCES}/",
                    "b Add", "run"], t.program("Hello", config="Moved"))
    t.check_in("int sum = a + b; // @add", done.stdout)


def test_source_embedded(t):
    """The text is in the PDB alone."""
    path = f"{drive.BUILT}/Symbols/EmbedSource/src/Hello.cs"
    t.check(not os.path.exists(path), "the fixture has its source")
    done = t.batch(["b Add", "run", "list", "list Hello.cs:1"],
                   t.program("Hello", config="EmbedSource"))
    t.check_in("int sum = a + b; // @add", done.stdout)
    t.check_in("1\t// The smallest program", done.stdout)


def test_source_changed(t):
    """A source that was changed after the build is shown with a word."""
    done = t.batch(["b Add", "run", "list", "info source", "continue"],
                   t.program("Hello", config="Changed"))
    t.check_match(r"(?i)the file is not the one that the program was built "
                  r"from", done.stdout)
    t.check_in("int sum = a + b; // @add", done.stdout)


def test_where_to_look(t):
    """More places to look in, and modules that are left out; a source that
    was changed holds no breakpoint if it must be exact."""
    here, pdbs = f"{t.dir}/app", f"{t.dir}/more pdbs"
    shutil.copytree(f"{drive.BUILT}/Debug/Hello", here)
    os.mkdir(pdbs)
    os.rename(f"{here}/Hello.pdb", f"{pdbs}/Hello.pdb")
    with open(f"{here}/Hello.dll", "r+b") as file:
        file.seek(file.read().index(b"/Debug/Hello/Hello.pdb\0"))
        file.write(b"/x")
    place = "b " + t.at("Hello", "print")
    look = ["tbreak Add", "run", "info sharedlibrary", "info breakpoints"]
    done = t.batch([f"set debug-file-directory /nowhere:{pdbs}", place, *look],
                   [f"{here}/Hello.dll"])
    t.check_match(rf"Yes .*{here}/Hello\.dll\n +{pdbs}/Hello\.pdb", done.stdout)
    t.check_not_in("<PENDING>", done.stdout)
    done = t.batch([f"set debug-file-directory {pdbs}",
                    "set symbol-modules !hell?.dll", place, *look],
                   [f"{here}/Hello.dll"])
    t.check_in("not looked for: see 'show symbol-modules'", done.stdout)
    t.check_in("<PENDING>", done.stdout)
    done = t.batch(["set require-exact-source on", place, *look],
                   t.program("Hello", config="Changed"))
    t.check_match(r"<PENDING> +Hello\.cs:\d+\n\t'Hello\.cs': the file is not "
                  r"the one that the program was built from", done.stdout)
    done = t.batch([f'set substitute-path "/a b" "{t.dir}/c d"',
                    "set substitute-path /e /f", "show substitute-path"], [])
    t.check_in(f"substitute-path: /a b -> {t.dir}/c d\n  /e -> /f\n",
               done.stdout)


def test_pdb_comes_back(t):
    """A PDB that is there for the next run is taken then."""
    here = f"{t.dir}/app"
    shutil.copytree(f"{drive.BUILT}/Debug/Hello", here)
    os.rename(f"{here}/Hello.pdb", f"{here}/away")
    # The dll also names the place where it was built.
    with open(f"{here}/Hello.dll", "r+b") as file:
        data = file.read()
        at = data.index(b"/Debug/Hello/Hello.pdb\0")
        file.seek(at)
        file.write(b"/x")
    s = t.start("--args", f"{here}/Hello.dll")
    s.cmd("set confirm off")
    s.cmd("b " + t.at("Hello", "print"))
    s.cmd("b Hello.Program.Add")
    t.check_in("Breakpoint 2, 0x", s.cmd("run"))
    os.rename(f"{here}/away", f"{here}/Hello.pdb")
    t.check_in("Breakpoint 2, Hello.Program.Add (a=2, b=3) at Hello.cs:",
               s.cmd("run"))
    t.check_in("Breakpoint 1, Hello.Program.Main", s.cmd("continue"))
