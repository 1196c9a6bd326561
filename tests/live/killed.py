"""dndbg is killed, at any moment: the program goes on as if nothing had
been."""
import os
import re
import signal

from halfway import stop_at_mapping, word
from killing import (LIBC, Ticks, function_at, kill_running, log_of, preloaded,
                     read_log)

ROUNDS = 3
ACTION_BYTES = 32  # struct orphan_action


def lifted(t, **settings):
    """Threads hit traps while the cleanup process takes the program over."""
    ticks = Ticks(t, "asks", 20).ready()
    for _ in range(ROUNDS):
        kill_running(t, ticks, **settings)
        ticks.cleaned()
    ticks.right()


def test_seized_slowly(t):
    """... that are traced by it, one after the other."""
    lifted(t, WIDE_SEIZE=10)


def test_stopped_late(t):
    """... before any of them is stopped."""
    lifted(t, WIDE_STOP=60)


def test_killed_twice(t):
    """The cleanup process is killed, too: who attaches next takes all out, and
    shows threads where they were."""
    ticks = Ticks(t, "asks", 200).ready()
    for _ in range(ROUNDS):
        s = t.start(env=preloaded(t, WIDE_ALL=1, WIDE_STOP=400))
        kill_running(t, ticks, KILL_CLEANUP=1)
        s.cmd(f"attach {ticks.pid}")
        t.check_not_in("libcoreclr", s.cmd("bt"))
        s.cmd("detach")
        s.line("quit")
        s.wait()
        ticks.cleaned()
    ticks.right()


def test_lifted_first(t):
    """The cleanup process takes the traps out while our handler answers them,
    before it seizes any thread."""
    ticks = Ticks(t, "hit", 20).ready()
    log = os.path.join(t.dir, "log")
    kill_running(t, ticks, KILL_LOG=log)
    ticks.cleaned()
    calls = log_of(log, "cleanup")
    t.check_equal("pwrite", calls[0])
    t.check_in("ptrace-4206", calls)
    ticks.right()


def test_system_call(t):
    """A thread passes a breakpoint at the instruction of its system call. It is
    given no other way there, on which it would be lost."""
    ticks = Ticks(t, "hit", "asks", 5).ready()
    log = os.path.join(t.dir, "log")
    words = [word for line in (f"break *{ticks.sleeps_at():#x}",
                               "ignore 1 1000000", "continue")
             for word in ("-ex", line)]
    calls = 0
    for back in range(12):
        env = preloaded(t, **({"KILL_AT": calls - back} if calls else
                              {"KILL_LOG": log}))
        s = t.spawn("-q", "-p", str(ticks.pid), *words, env=env)
        if not calls:
            s.expect(r"^Continuing\.\n")
            ticks.moves()
            calls = len(log_of(log, "dndbg"))
            os.kill(s.pid, signal.SIGKILL)
        s.wait()
        ticks.cleaned()
    ticks.right()


def test_spawns(t):
    """A child that shares the memory has no handler that knows traps: those
    that it executes are out of the way before it is made. Who cleans up does
    not come to it meanwhile. The others hit them as long as there is none."""
    ticks = Ticks(t, "hit", "spawns", 1).ready()
    sleeps = ticks.sleeps_at()
    s = t.start("-p", str(ticks.pid))
    execve = function_at(ticks.pid, LIBC, "execve")
    s.cmd(f"break *{execve:#x}")
    s.cmd(f"break *{sleeps:#x}")
    s.cmd("ignore 2 50")
    t.check_in("Breakpoint 2, ", s.cmd("continue"))
    s.cmd("delete 2")
    s.line("continue")
    s.expect(r"^Continuing\.\n")
    ticks.moves()
    cleanup, = t.processes("dndbg-cleanup")
    os.kill(cleanup, signal.SIGSTOP)
    os.kill(s.pid, signal.SIGKILL)
    s.wait()
    for _ in range(ROUNDS):
        ticks.moves()
    os.kill(cleanup, signal.SIGCONT)
    ticks.cleaned()
    ticks.right()


def test_signals(t):
    """Signals that the program gets at any moment are each handled once, also
    where its threads stand with one that is due when dndbg is killed."""
    ticks = Ticks(t, "hit", "signals", 1).ready()
    for stops in range(ROUNDS):
        s = t.start("-p", str(ticks.pid))
        s.cmd("handle SIG50 nostop noprint pass")
        s.cmd("break Ticks.Program.Half")
        for _ in range(stops + 1):
            s.cmd("continue")
        os.kill(s.pid, signal.SIGKILL)
        s.wait()
        ticks.cleaned()
    ticks.right()


def chained(pid, handler):
    """Where images have among their data what libc's sigaction has given them
    of that handler: struct sigaction, its flags behind 128 bytes of mask. The
    address alone may be that of a mapping which has taken the handler's place.
    """
    found, behind = [], None
    with open(f"/proc/{pid}/maps") as maps, \
         open(f"/proc/{pid}/mem", "rb", 0) as mem:
        for start, end, path in re.findall(
                r"^(\w+)-(\w+) rw-p \S+ \S+ \d+ *(.*)$", maps.read(), re.M):
            # zeros behind an image are its as well
            if not path.startswith("/") and start != behind:
                continue
            behind = end
            mem.seek(int(start, 16))
            data = mem.read(int(end, 16) - int(start, 16))
            for match in re.finditer(
                    re.escape(handler.to_bytes(8, "little")), data):
                flags = data[match.start() + 136:match.start() + 140]
                if int.from_bytes(flags, "little") & 4:  # SA_SIGINFO
                    found.append(f"{start} + {match.start():#x}: {path}")
    return found


def test_predecessor(t):
    """A runtime that starts while we are there takes our handler of SIGTRAP
    for its predecessor, which is asked about each SIGTRAP of somebody else's.
    When that is gone, its predecessor is who was before us."""
    for end in "detach", "kill":
        program = stop_at_mapping(t, t.program("Ticks", "hit", host="dotnet"),
                                  "libhostfxr.so")
        s = t.start("-p", str(program.pid))
        s.line("continue")
        s.expect(r"^Continuing\.\n")
        os.kill(program.pid, signal.SIGCONT)
        program.ready()
        handler = int(program.ours()[0].split("-")[0], 16)
        if end == "detach":
            s.interrupt()
            s.expect(r"^\(dndbg\) ")
            s.cmd("detach")
        else:
            os.kill(s.pid, signal.SIGKILL)
            s.wait()
            program.await_cleaning()
        program.untouched()
        t.check_equal([], chained(program.pid, handler))
        program.right()


def test_put_first(t):
    """dndbg dies while it takes its handler out of the chain of a runtime's
    that has come behind it: before each call of that, from the first on, which
    writes down (struct orphan_action) who was there before."""
    for at in range(1, 13):
        log = os.path.join(t.dir, f"log-{at}")
        program = stop_at_mapping(t, t.program("Ticks", "hit", host="dotnet"),
                                  "libhostfxr.so")
        s = t.start("-p", str(program.pid),
                    env=preloaded(t, KILL_FROM=ACTION_BYTES, KILL_AT=at,
                                  KILL_LOG=log))
        s.line("continue")
        s.expect(r"^Continuing\.\n")
        os.kill(program.pid, signal.SIGCONT)
        t.check_equal(-signal.SIGKILL, s.wait())
        program.ready()
        program.await_cleaning()
        program.untouched()
        first = read_log(log)[0]
        t.check_equal(("dndbg", ACTION_BYTES), (first[0], first[3]))
        # its data is in the pages behind its code
        t.check_equal([], chained(program.pid, (first[2] & -4096) - 4096))
        program.right()


def test_followed(t):
    """What the program starts is followed, and goes on as well, though its
    runtime has set its own handler of SIGTRAP behind ours: that writes a dump of
    each trap before it asks whoever had the signal before."""
    t.env.update(DOTNET_DbgEnableMiniDump="1", DOTNET_DbgMiniDumpType="1",
                 DOTNET_DbgMiniDumpName=os.path.join(t.dir, "core"))
    ticks = Ticks(t, "hit", "children", 2).ready()
    log = os.path.join(t.dir, "log")
    commands = ["set follow-exec on", "break Ticks.Program.Answer",
                "continue", "bt", "delete", "break Ticks.Program.Half",
                "continue", "continue"]
    words = [word for line in commands for word in ("-ex", line)]

    def run(**settings):
        t.run("--batch", "-p", str(ticks.pid), *words,
              env=preloaded(t, **settings))
        ticks.cleaned()

    run(KILL_LOG=log)
    calls = [call for call in read_log(log) if call[0] == "dndbg"]
    put = max(i for i, call in enumerate(calls) if call[3] == ACTION_BYTES)
    half, eighth = len(calls) // 2, len(calls) // 8
    for point in [*range(put - 24, put, 6), *range(half, len(calls), eighth)]:
        run(KILL_AT=point)
    ticks.right()
    t.check(not os.path.exists(os.path.join(t.dir, "core")), "a dump is made")


def test_births(t):
    """The cleanup process traces the threads that are made meanwhile: it does
    not wait for itself to let them go."""
    ticks = Ticks(t, "births", 1).ready()
    log = os.path.join(t.dir, "log")
    kill_running(t, ticks, KILL_LOG=log, WIDE_SEIZE=10)
    ticks.cleaned()
    seized = log_of(log, "cleanup").count("ptrace-4206")
    t.check(seized < 200, f"{seized} tries to seize")
    ticks.right()


def test_notifications(t):
    """The runtime tells nobody any more of what it catches, by a C++ exception
    for each: the cleanup process takes that back, or the next to attach."""
    ticks = Ticks(t, "throws", 500).ready()
    thrown = ticks.throws(2)
    log = os.path.join(t.dir, "log")
    flags = 0
    for settings in {"KILL_LOG": log}, {"KILL_CLEANUP": 1}:
        s = t.start("-p", str(ticks.pid), env=preloaded(t, **settings))
        s.cmd("tbreak " + t.at("Ticks", "nap"))
        s.cmd("continue")
        # the first number of four bytes that is written
        flags = flags or next(addr for _, call, addr, size in read_log(log)
                              if call == "vmwrite" and size == 4)
        s.line("next")
        t.wait_for("the wish to hear of catches",
                   lambda: word(ticks.pid, flags) & 8)
        os.kill(s.pid, signal.SIGKILL)
        s.wait()
        if "KILL_CLEANUP" in settings:
            t.check(ticks.throws(2) > thrown, "it throws no more than before")
            t.run("--batch", "-p", str(ticks.pid))
        ticks.cleaned()
        t.check_equal(0, word(ticks.pid, flags) & 0xffffffff)
        t.check_equal(thrown, ticks.throws(2))
    ticks.right()
