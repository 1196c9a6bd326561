"""Stacks that are looked at instruction by instruction."""
import ctypes
import re
import signal

from survivor import Busy


def stacks(text):
    """What each "bt -native" of a session printed: names, newest first."""
    found, frames = [], []
    for line in text.splitlines() + [""]:
        if line.startswith("    "):
            frames.append(re.sub(r"^0x[0-9a-f]+ in ", "", line.strip()))
        elif frames:
            found.append(frames)
            frames = []
    return found


def check_chain(t, frames):
    """Walk, as long as it has not returned, was called by Main, and Main by
    the runtime, down to the program's start."""
    text = "\n".join(frames)
    main = [i for i, f in enumerate(frames)
            if f.startswith("Frames.Program.Main ")]
    walk = [i for i, f in enumerate(frames)
            if f.startswith("Frames.Calls.Walk ")]
    t.check(len(main) == 1 and len(walk) <= 1
            and (not walk or main[0] == walk[0] + 1), text)
    t.check("coreclr_execute_assembly" in text
            and "__libc_start" in frames[-1] + frames[-2] + frames[-3], text)
    return bool(walk)


def walk(t, config, env, hit, steps):
    """Step from the beginning of Walk; how many steps it lasted."""
    out = t.batch([f"break {t.at('Frames', 'walk')}", f"ignore 1 {hit}", "run"]
                  + ["stepi", "bt -native"] * steps + ["kill"],
                  t.program("Frames", "walk", config=config), env=env).stdout
    found = stacks(out)
    t.check_equal(steps, len(found))
    inside = [check_chain(t, frames) for frames in found]
    # once it has returned it is not to be seen again
    t.check(inside == sorted(inside, reverse=True), str(inside))
    return inside.count(True)


def test_every_instruction(t):
    """Prologs, epilogs, stubs, helpers of the runtime, in code of each kind:
    the callers are the same ones all the time."""
    for config, env in (("Debug", {}),
                        ("Release", {"DOTNET_TieredCompilation": "0"})):
        lasted = walk(t, config, env, 2, 200)
        t.check(20 < lasted < 200, f"{config}: {lasted} instructions")


test_every_instruction.glibc = (
    "musl hides its functions and has no tables to unwind them")


def test_first_call(t):
    """The same on the way to the compiler."""
    t.check_equal(150, walk(t, "Debug", {}, 0, 150))


test_first_call.glibc = (
    "musl hides its functions and has no tables to unwind them")


def test_interrupted_stub(t):
    """A signal is handled in the middle of a write barrier, which the runtime
    has copied to where nothing tells how it is unwound: the frames of who
    stores the reference are there as before."""
    busy = Busy(t, "2", "1", "1").ready()
    s = t.start("-p", str(busy.pid))
    s.cmd("handle SIGCONT stop print pass")
    s.cmd(f"break {t.at('Busy', 'link')}")
    s.cmd("continue")
    barrier = re.search(r"call (0x[0-9a-f]+) <(JIT_WriteBarrier|"
                        r"CORINFO_HELP_ASSIGN_REF)>", s.cmd("disassemble"))[1]
    s.cmd("delete 1")
    s.cmd(f"break *{barrier}")
    s.cmd("continue")
    before = s.cmd("bt")
    s.cmd("delete 2")
    thread = re.search(r"^\* .* Thread (\d+) ", s.cmd("info threads"), re.M)[1]
    ctypes.CDLL(None).tgkill(busy.pid, int(thread), signal.SIGCONT)
    t.check_in("received signal SIGCONT", s.cmd("continue"))
    s.cmd("stepi")
    after = s.cmd("bt")
    t.check_in("[native: libSystem.Native.so", after)
    frames = [re.findall(r"^#\d+ +(.*)", text, re.M)
              for text in (before, after)]
    t.check(frames[0] and frames[0] == frames[1], before + after)
    s.cmd("detach")
    busy.untouched()
    busy.right()


def numbers(text):
    """The address that an answer of x/1xg shows holds this."""
    return int(re.search(r":\s+(0x[0-9a-f]+)", text).group(1), 16)


def check_saved(t, s):
    """What "info frame" says of saved registers is what the caller has."""
    text = s.cmd("info frame")
    wanted = re.search(r"saved rip = (0x[0-9a-f]+)", text).group(1)
    places = dict(re.findall(r"(r[a-z0-9]+) at (0x[0-9a-f]+)",
                             text.partition("Saved registers:")[2]))
    t.check("rip" in places, text)
    t.check_equal(int(wanted, 16), numbers(s.cmd(f"x/1xg {places['rip']}")))
    s.cmd("up")
    for name, addr in places.items():
        value = re.search(r"^\S+\s+(0x[0-9a-f]+)",
                          s.cmd(f"info registers {name}"), re.M).group(1)
        t.check_equal(int(value, 16), numbers(s.cmd(f"x/1xg {addr}")))
    s.cmd("down")
    return set(places)


def test_in_expressions(t):
    """Registers are names in expressions, with gdb's types and names for the
    usual three; in callers those that are known."""
    source = t.line("Hello", "add")
    s = t.start("--args", *t.program("Hello"))
    s.cmd(f"break Hello.cs:{source} if $sp < $fp && (long)$rip == (long)$pc")
    s.cmd("run")
    known = dict(re.findall(r"^(\w+) +(0x[0-9a-f]+)",
                            s.cmd("info registers"), re.M))
    for name, register in (("pc", "rip"), ("sp", "rsp"), ("fp", "rbp"),
                           ("rip", "rip"), ("rsp", "rsp")):
        t.check_match(r"= (\(byte\*\) )?0x0*%s\b" % known[register][2:],
                      s.cmd(f"print ${name}"))
        t.check_match(r"type = byte\*", s.cmd(f"whatis ${name}"))
    rdi = int(known["rdi"], 16)
    rdi -= (rdi >> 63) << 64
    t.check_in(f"= {rdi}\n", s.cmd("print $rdi"))
    t.check_in(f"= {rdi + 1}\n", s.cmd("print $rdi + 1"))
    t.check_in("type = long", s.cmd("whatis $rdi"))
    sp = int(known["rsp"], 16)
    t.check_match(r"= (\(byte\*\) )?0x0*%x\b" % (sp + 16),
                  s.cmd("print $sp + 16"))
    t.check_equal(s.cmd("x/1xg $sp + 16"), s.cmd(f"x/1xg {sp + 16:#x}"))
    s.cmd("up")
    caller = int(re.search(r"0x[0-9a-f]+", s.cmd("print $sp"))[0], 16)
    t.check(caller > sp, f"{caller:#x} {sp:#x}")
    t.check_in("no frame that it called has saved it", s.cmd("print $rax"))
    t.check_in("There is no register '$xyz'", s.cmd("info registers xyz"))


def test_saved_registers(t):
    """At the beginning of a method, where it pushes them one by one."""
    for config in ("Debug", "Release"):
        s = t.start("--args", *t.program("Frames", "walk", config=config))
        s.cmd("set env DOTNET_TieredCompilation=0")
        s.cmd("tbreak Frames.Calls.Walk")
        s.cmd("run")
        start = re.search(r"code: (0x[0-9a-f]+)", s.cmd("info frame")).group(1)
        s.cmd(f"tbreak *{start}")
        t.check_in("Temporary breakpoint 2", s.cmd("continue"))
        found = []
        for _ in range(6):
            found.append(check_saved(t, s))
            s.cmd("stepi")
        t.check_equal({"rip"}, found[0])
        t.check(all(a <= b for a, b in zip(found, found[1:]))
                and "rbp" in found[-1], str(found))
        t.check_in("rip at", s.cmd("up") and s.cmd("info frame"))


def test_saved_native(t):
    """The same of native code, and of the stub that it called."""
    s = t.start("--args", *t.program("Frames", "sort"))
    s.cmd("tbreak Frames.Native.ByDelegate")
    s.cmd("run")
    s.cmd("set backtrace native on")
    for level, wanted in ((1, {"rbp", "rip"}), (2, {"rbx", "r12", "rip"})):
        s.cmd(f"frame {level}")
        found = check_saved(t, s)
        t.check(wanted <= found, str(found))


test_saved_native.glibc = (
    "musl hides its functions and has no tables to unwind them")
