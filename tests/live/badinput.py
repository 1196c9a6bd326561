"""Bad input: each gives one clear line and the session goes on."""
import os
import random
import re
import shutil

import drive

# Commands that must be refused, and what the one line says.
REFUSED = [
    ("frobnicate", r'^Undefined command: "frobnicate"'),
    ("info frobnicate", r'^Undefined info command: "frobnicate"'),
    ("set frobnicate 1", r"frobnicate"),
    ("delete 99", r"No breakpoint number 99\."),
    ("enable 99", r"No breakpoint number 99\."),
    ("disable x", r"x"),
    ("condition 99 true", r"No breakpoint number 99\."),
    ("ignore 99 1", r"No breakpoint number 99\."),
    ("ignore 1", r"count\) is missing"),
    ("ignore 1 minus", r"missing or no number"),
    ("frame 9999", r"No frame at level 9999\."),
    ("frame one", r"one"),
    ("info frame 9999", r"No frame at level 9999\."),
    ("info proc nothing", r'^"info proc" knows no "nothing"\.'),
    ("thread find (", r"^Invalid regexp"),
    ("enable once 99", r"No breakpoint number 99\."),
    ("dprintf Main", r"^Format string required"),
    ('dprintf Main,"%d"', r"missing argument"),
    ('dprintf Main,"x",1', r"^Wrong number of arguments"),
    ('dprintf Main,"%d", 1 +', r"ends too early"),
    ("thread 99", r"99"),
    ("thread apply 99 bt", r"99"),
    ("x 0", r"^Cannot access memory at 0x0\."),
    ("x/4gx 0xffffffffffffffff", r"^Cannot access memory at 0xf+\."),
    ("x/99999999999999999999x 0", r"count in .* is too large"),
    ("x/q 0", r"letter 'q'"),
    ("print", r"^No value was shown yet\."),
    ("print nothere", r"nothere"),
    ("print args.nothere", r"nothere"),
    ("print args[9]", r"^Index 9 is outside 'args' \(length 0\)\."),
    ("print ((((", r"ends too early"),
    ("print 1 +", r"ends too early"),
    ("print 99999999999999999999999999", r"^Too large a number '9+'"),
    ("print \"open", r"^No closing quote"),
    ("print/q 1", r"letter 'q'"),
    ("ptype nothere", r"nothere"),
    ("list 99999999999", r"^Line number out of range\."),
    ("list Nowhere.cs:1", r"Nowhere\.cs"),
    ("list Hello.cs:9999", r"out of range; Hello\.cs has \d+ lines\."),
    ("until nowhere", r"nowhere"),
    ("advance", r"^Argument required: advance LOCATION\."),
    ("advance Hello.cs:9999", r"9999"),
    ("source /nonexistent", r"/nonexistent.*No such file"),
    ("disassemble 0", r"^No method holds 0x0\."),
    ("next minus", r"minus"),
    ("stepi -1", r'"-1" is not a count'),
    ("commands 99", r"No breakpoint number 99\."),
    ("rbreak [", r"missing terminating \]"),
    ("rbreak (?<", r"subpattern name expected"),
    ('catch throw -message "(" Exception', r"missing closing parenthesis"),
    ("catch throw -never", r'No option "-never"'),
    ("catch throw -module", r'Option "-module" needs a value\.'),
    ("tbreak *0", r"pending: no memory to trap at 0x0\."),
    ("break *nowhere", r"nowhere"),
    ("break Hello.cs:", r"pending: no method 'Hello\.cs:'"),
    ("break Hello.cs:99999999999999", r"^Line number 9+ is too large\."),
    ("break ::", r"pending: no method '::'"),
    ("break A.B(", r"^Missing '\)' in 'A\.B\('"),
    ("break !", r"pending: no method '!'"),
    ("handle", r"^Argument required: handle SIGNAL"),
    ("display/q", r"letter 'q'"),
    ("undisplay 99", r"display number 99\."),
    ("up 99999999999999999999", r'"9+" is not a count'),
    ("file a b", r"^One program expected"),
]


def stop(t):
    s = t.start("--args", *t.program("Hello"))
    s.cmd("set confirm off")
    s.cmd("b " + t.at("Hello", "print"))
    s.cmd("run")
    return s


def test_refused(t):
    """At a stop, each bad command says one line and changes nothing."""
    s = stop(t)
    frame = s.cmd("frame")
    faults = []
    for command, wanted in REFUSED:
        text = s.cmd(command)
        if text.count("\n") != 1 or not re.search(wanted, text, re.M):
            faults.append(f"{command!r}: {text!r}")
        if s.cmd("frame") != frame:
            faults.append(f"{command!r}: the frame is another")
    t.check(not faults, "\n".join(faults))
    s.cmd("delete")
    t.check_in("exited normally", s.cmd("continue"))


def test_without_program(t):
    """The same before there is a program: what is missing comes first."""
    s = t.start()
    missing = (r"^The program is not being run\.$|"
               r"^No \.NET runtime is loaded in the program yet\.$")
    for command, wanted in REFUSED:
        if command.startswith(("break", "tbreak", "rbreak", "source")):
            continue
        text = s.cmd(command)
        t.check(text.count("\n") == 1, f"{command!r}: {text!r}")
        t.check_match(f"{wanted}|{missing}", text)
    for command in ("bt", "next", "step", "continue", "finish", "info locals",
                    "info threads", "info registers", "x 0", "print 1",
                    "disassemble", "kill", "thread", "frame", "up"):
        t.check_equal("The program is not being run.\n", s.cmd(command))
    t.check_equal("No thread number 1.\n", s.cmd("break Main thread 1"))


def test_pending_forever(t):
    """Locations that never come to be stay pending, with their reasons."""
    places = [("Nowhere.cs:1", "no loaded module has "),
              ("Hello.cs:99999", "no code at or after line 99999 of "
               "'Hello.cs'"),
              ("No.Such.Type.Method", "no method 'No.Such.Type.Method' in the "
               "loaded modules"),
              ("Hello.Program.Add(string)", "no method 'Hello.Program.Add("
               "string)' in the loaded modules"),
              ("Nowhere!Main", "module 'Nowhere' is not loaded"),
              ("*0x10", "no memory to trap at 0x10")]
    s = stop(t)
    for place, why in places:
        text = s.cmd("b " + place)
        t.check_equal(1, text.count("\n"))
        t.check_in(f"({place}) pending: {why}", text)
    text = s.cmd("info breakpoints")
    for place, why in places:
        t.check_in(why, text)
    t.check_in("exited normally", s.cmd("continue"))


def test_huge_words(t):
    """Arguments far beyond sense."""
    long = "x" * 100000
    deep = "(" * 20000
    s = stop(t)
    done = t.run("--batch", *[w for c in (
        "b " + long, "print " + long, "print " + deep, "print " + deep + "1"
        + ")" * 20000, "print " + "-" * 50000 + "1", "print " + "1+" * 30000
        + "1", long, "info " + long, "x/" + long, "set args " + long, "list "
        + long, "rbreak " + deep, "print a" + ".a" * 30000, "print args"
        + "[0]" * 30000, "echo on\\n") for w in ("-ex", c)])
    t.check_in("on\n", done.stdout)
    script = f"{t.dir}/script"
    with open(script, "w") as file:
        for command in ("print " + deep, "print " + deep + "1" + ")" * 20000,
                        "print " + "-" * 50000 + "1", "print " + "1+" * 30000
                        + "1", "print a" + ".a" * 30000, "print args"
                        + "[0]" * 30000, "ptype " + long, "b " + long,
                        "rbreak " + deep, "print \"" + long,
                        "x/s args" + "+1" * 10000):
            file.write(f"source {script}.{len(command)}\n")
            with open(f"{script}.{len(command)}", "w") as one:
                one.write(command + "\n")
    with open(script) as file:
        for line in file.read().splitlines():
            s.cmd(line)
    t.check_in("sum = 5", s.cmd("info locals"))
    t.check_in("exited normally", s.cmd("continue"))


def test_bytes(t):
    """Commands that are no text."""
    noise = random.Random(3)
    script = f"{t.dir}/noise"
    for _ in range(20):
        with open(script, "wb") as file:
            file.write(b"b Main\nrun\n")
            for _ in range(50):
                line = noise.randbytes(noise.randrange(40))
                # Whole commands could come about; these would end the test.
                line = line.replace(b"q", b"").replace(b"!", b"")
                file.write(b"print " + line.replace(b"\0", b"") + b"\n")
        done = t.run("--batch", "-x", script, "--args", *t.program("Hello"))
        t.check_in("Breakpoint 1, ", done.stdout)


def test_unreadable(t):
    """Memory that is not there, or ends."""
    s = stop(t)
    sp = t.check_match(r"rsp +(0x\w+)", s.cmd("info registers rsp")).group(1)
    t.check_match(rf"^0x0+{sp[2:]}:", s.cmd(f"x/2gx {sp}"))
    text = s.cmd("x/100000gx " + sp)
    t.check_match(r"Cannot access memory at 0x7f\w+", text[-200:])
    t.check_in("sum = 5", s.cmd("info locals"))


# ---- Files that lie

def copy(t, where="app"):
    here = f"{t.dir}/{where}"
    shutil.copytree(f"{drive.BUILT}/Debug/Hello", here)
    return here


def look(t, dll, **options):
    """A session over such a file: it must not crash, hang or harm."""
    return t.batch(["b Hello.Program.Add", "b " + t.at("Hello", "print"),
                    "run", "bt", "info locals", "info breakpoints",
                    "info sharedlibrary", "list", "disassemble /il",
                    "continue", "continue", "echo on\\n"], [dll], **options)


def test_pdb_damaged(t):
    """A PDB with wrong bytes: the program runs, dndbg says or copes."""
    noise = random.Random(7)
    here = copy(t)
    good = open(f"{here}/Hello.pdb", "rb").read()
    for n in range(25):
        data = bytearray(good)
        if n % 5 == 0:
            data = data[:noise.randrange(len(data))]
        else:
            for _ in range(1 << n % 5):
                data[noise.randrange(len(data))] = noise.randrange(256)
        with open(f"{here}/Hello.pdb", "wb") as file:
            file.write(data)
        done = look(t, f"{here}/Hello.dll")
        t.check_in("hello world 5\nok\n", done.stdout)
        t.check_in("exited normally]", done.stdout)
        t.check_in("on\n", done.stdout)
        t.check_in("Hello.Program.Add", done.stdout)


def test_pdb_is_no_file(t):
    here = copy(t)
    os.remove(f"{here}/Hello.pdb")
    with open(f"{here}/Hello.dll", "r+b") as file:
        data = file.read()
        file.seek(data.index(b"/Debug/Hello/Hello.pdb\0"))
        file.write(b"/x")
    for make in (os.mkdir, os.mkfifo,
                 lambda p: os.symlink("/dev/zero", p),
                 lambda p: open(p, "w").close()):
        make(f"{here}/Hello.pdb")
        done = look(t, f"{here}/Hello.dll")
        t.check_in("hello world 5\nok\n", done.stdout)
        t.check_in("in Hello.Program.Add (int, int)", done.stdout)
        if os.path.isdir(f"{here}/Hello.pdb"):
            os.rmdir(f"{here}/Hello.pdb")
        else:
            os.remove(f"{here}/Hello.pdb")


def test_dll_changes(t):
    """The file is another by the time it is read: memory is believed."""
    here = copy(t)
    s = t.start("--args", f"{here}/Hello.dll")
    s.cmd("b Main")
    t.check_in("Breakpoint 1, Hello.Program.Main", s.cmd("run"))
    with open(f"{here}/Hello.dll", "r+b") as file:
        file.truncate(1000)
    with open(f"{here}/Hello.pdb", "r+b") as file:
        file.truncate(1000)
    text = s.cmd("bt")
    t.check_in("Hello.Program.Main", text)
    s.cmd("info locals")
    s.cmd("list")
    s.cmd("disassemble /il")
    s.cmd("ptype args")
    s.cmd("info sharedlibrary")
    t.check_in("Hello.Program.Main", s.cmd("bt"))


def test_pdb_is_overwritten(t):
    """Large enough to be mapped, a PDB is written in place, piece by piece,
    then cut, while it is in use: nonsense may be shown, the session goes on."""
    here = f"{t.dir}/copy"
    shutil.copytree(os.path.dirname(t.program("Names")[0]), here)
    with open(f"{here}/Names.pdb", "ab") as file:
        file.truncate(1 << 20)
    with open(f"{here}/Names.pdb", "rb") as file:
        whole = file.read(14000)
    s = t.start("--args", f"{here}/Names.dll")
    s.cmd("b Main")
    t.check_in("Breakpoint 1, Names.Program.Main", s.cmd("run"))
    rest = random.Random(41)

    def look():
        for command in ("bt", "info locals", "print Absent.Name",
                        "info source", "info line Names.cs:70", "list Main"):
            s.cmd(command)

    with open(f"{here}/Names.pdb", "r+b", buffering=0) as file:
        for at in range(0, len(whole), 400):
            for piece in bytes(400), b"\xff" * 400, rest.randbytes(400):
                file.seek(at)
                file.write(piece)
                look()
            file.seek(at)
            file.write(whole[at:at + 400])
            s.cmd("nexti")
        t.check_match(r"^\w+ = ", s.cmd("info locals"))
        file.truncate(5000)
        look()
        file.truncate(0)
        look()
    t.check_in("Names.Program.Main", s.cmd("bt"))
    s.cmd("delete 1")
    t.check_in("exited", s.cmd("continue"))


def test_dll_is_another(t):
    """What lies at the path of a loaded assembly is another build."""
    here = copy(t)
    s = t.start("--args", f"{here}/Hello.dll")
    s.cmd("set confirm off")
    s.cmd("b Main")
    s.cmd("run")
    os.remove(f"{here}/Hello.dll")
    shutil.copy(f"{drive.BUILT}/Debug/Signals/Signals.dll",
                f"{here}/Hello.dll")
    t.check_in("Hello.Program.Main", s.cmd("bt"))
    t.check_in("who", s.cmd("info locals"))


def test_no_assembly(t):
    """A dll that is none: the host's complaint and its code."""
    for content in (b"", b"MZ", os.urandom(5000), b"\x7fELF" + bytes(100)):
        with open(f"{t.dir}/bad.dll", "wb") as file:
            file.write(content)
        shutil.copy(t.program("Hello")[0][:-4] + ".runtimeconfig.json",
                    f"{t.dir}/bad.runtimeconfig.json")
        done = t.batch(["b Main", "run", "continue", "echo on\\n"],
                       [f"{t.dir}/bad.dll"])
        t.check_in("on\n", done.stdout)
        t.check(done.returncode > 0, "the failure is not told")


def test_elf_lies(t):
    """Programs with broken ELF headers."""
    good = open("/bin/true", "rb").read()
    noise = random.Random(11)
    path = f"{t.dir}/elf"
    for n in range(30):
        data = bytearray(good)
        for _ in range(4):
            data[noise.randrange(64 + 13 * 56)] = noise.randrange(256)
        if n % 6 == 0:
            data = data[:noise.randrange(2000)]
        with open(path, "wb") as file:
            file.write(data)
        os.chmod(path, 0o755)
        done = t.batch(["run", "info sharedlibrary", "kill", "echo on\\n"],
                       [path], timeout=20)
        t.check_in("on\n", done.stdout)
