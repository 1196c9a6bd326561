"""Hot reload: a program that is given updates while it is debugged."""
import os
import shutil

import drive

BUILT = f"{drive.BUILT}/HotReload"
MODIFIABLE = {"DOTNET_MODIFIABLE_ASSEMBLIES": "debug"}


def words(t):
    """The program, which edits its source in a directory of the test's own."""
    shutil.copy(f"{BUILT}/HotReload.cs", t.dir)
    return [f"{BUILT}/HotReload.dll", t.dir]


def line_of(version, text):
    """The line of a statement in that version of the source."""
    name = f"HotReload.{version}.cs" if version else "HotReload.cs"
    with open(f"{BUILT}/{name}", encoding="utf-8") as file:
        return next(n for n, line in enumerate(file, 1) if text in line)


def batch(t, *commands):
    done = t.batch([f"set substitute-path {BUILT} {t.dir}", *commands],
                   words(t), env=MODIFIABLE)
    return done.stdout + done.stderr


def test_followed(t):
    """Breakpoints are in the new code, whose lines, locals and values are
    right; code that moved is told by its new line; what was added is found."""
    def at(version, statement):
        return f"HotReload.cs:{line_of(version, statement)}"

    text = batch(
        t, "break Program.Changed", "break Program.Below", "break Box.Text",
        "run", *["continue"] * 4, "next", "next", "next", "info locals",
        "print n + y", "print new Shape().Show()", "continue", "continue",
        "continue", "next", "info locals", "continue", "print value",
        "delete", "break Program.Added", "break Program.Below", "continue",
        "next", "next", "step", "up", "info locals", "delete 4", "continue",
        "kill")
    t.check_in("HotReload.dll: 4 methods replaced.", text)
    t.check_in("HotReload.dll: 2 methods replaced, 4 added.", text)
    for place in (
            f"Program.Changed (n=10) at {at(0, '// @old')}",
            f"Program.Below (n=10) at {at(0, 'int twice')}",
            f"Program.Changed (n=10) at {at(1, 'got')}",
            f"Program.Below (n=10) at {at(1, 'int twice')}",
            f"Box<int>.Text (this={{Box<int>}}) at {at(1, 'int length')}",
            f"Program.Added (n=106) at {at(2, '@lambda')}",
            f"Program.Below (n=10) at {at(2, 'int twice')}"):
        t.check_in(place, text)
    t.check_in('text = "got 10"\ny = 100\n', text)
    t.check_in("$1 = 110\n", text)
    # as the program prints it itself
    t.check_in('$2 = "edited 16"\n', text)
    t.check_in(", edited 16, new box 107, new box s7\n", text)
    t.check_in("length = 7\n", text)
    t.check_in('$3 = "s"\n', text)
    t.check_in(f"Program.Added.lambda (v=106) at {at(2, '@lambda')}", text)
    t.check_in("triple = ", text)


def test_old_code(t):
    """A frame in code that was replaced has the lines and the variables of the
    text before the edit, and says so; it ends in the new code's caller."""
    text = batch(t, "break Program.Update", "run", "finish", "info locals",
                 "print kept + n", "bt", "finish", "kill")
    old = line_of(0, "Update(1);")
    t.check_match(rf"^Program\.Old \(n=2\) at .*HotReload\.cs:{old} "
                  r"\(before the edit\)$", text)
    t.check_in(f"{old}\tin the text before the edit\n", text)
    t.check_in("kept = 42\n", text)
    t.check_in("$1 = 44\n", text)
    main = line_of(1, "Console.WriteLine(Old(2))")
    t.check_match(rf"^#1 .*Program\.Main .*HotReload\.cs:{main}$", text)


def test_before(t):
    """Of updates that came before dndbg saw the program it is known that they
    came: nothing is answered from old IL."""
    core = os.path.join(t.dir, "core")
    batch(t, f"break HotReload.cs:{line_of(0, 'return 0; // @end')}", "run",
          f"generate-core-file {core}", "kill")
    done = t.run("--batch", "-c", core, "-ex", "print shape.Show()", "-ex",
                 "print shape.first")
    t.check_match(r"^HotReload\.dll was given 3 updates by hot reload before "
                  r"dndbg saw it: ", done.stdout + done.stderr)
    t.check_in("what Shape.Show() does now is not known", done.stderr)
    t.check_in("= 1\n", done.stdout)


def test_added_fields(t):
    """Fields that were added to a class are not read, and that is said; what
    uses them is asked of the program, whose answer is right."""
    text = batch(t, f"break HotReload.cs:{line_of(0, 'return 0; // @end')}",
                 "run", "print shape.More()", "print shape.second",
                 "print shape.first", "kill")
    t.check_in('$1 = "0"\n', text)
    t.check_in("No 'second' in 'Shape'", text)
    t.check_in("$2 = 1\n", text)
