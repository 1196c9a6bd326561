"""A program that is attached to, keeps count of what it does, and must go on
as if nothing had been."""
import subprocess

import drive


class Busy:
    """A program that keeps count of what it does; see Busy.cs."""

    def __init__(self, t, *args, config="Debug", words=None,
                 **options):
        words = words or t.program("Busy", *args, config=config,
                                   host="dotnet")
        self.t = t
        self.process = subprocess.Popen(
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, env=t.env,
            **options)
        self.pid = self.process.pid

    def ready(self):
        self.t.check_equal("ready\n", self.process.stdout.readline())
        return self

    def right(self):
        """It ends, and its count is right."""
        try:
            out, _ = self.process.communicate("", timeout=30 * drive.TIME)
        except subprocess.TimeoutExpired:
            raise drive.Failure("the program does not end")
        self.t.check_equal("right\n", out)
        self.t.check_equal(0, self.process.returncode)

    def dump(self, path, *options):
        """A core of it that shows its threads is written while it runs."""
        done = self.t.run("dump", *options, "-o", path, str(self.pid))
        self.t.check_equal((0, path + "\n", ""),
                           (done.returncode, done.stdout, done.stderr))
        out = self.t.run("stack", path).stdout
        self.t.check_match(r" and 19 more with the same stack", out)
        self.t.check_in("Busy.Program.Wait()", out)

    def untouched(self):
        """Nobody traces it, and there is no memory of ours in it."""
        self.t.check_equal(0, drive.tracer_of(self.pid))
        self.t.check_equal([], self.ours())

    def await_cleaning(self):
        """dndbg was killed: its cleanup process takes everything out, and ends."""
        self.t.wait_for("the cleaning up",
                        lambda: not drive.tracer_of(self.pid) and
                        not self.t.processes("dndbg-cleanup") and
                        not self.ours())

    def ours(self):
        with open(f"/proc/{self.pid}/maps") as file:
            return [line for line in file
                    if " r-xp 00000000 00:00 0 \n" in line]


class Caller:
    """Calls, which waits for a line before it stands at @stop, and for another
    in Program.Wait."""

    def __init__(self, t):
        self.t = t
        self.process = subprocess.Popen(
            t.program("Calls", "wait", host="dotnet"), stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, env=t.env)
        self.pid = self.process.pid
        self.await_waiting()

    def await_waiting(self):
        while self.process.stdout.readline() not in ("waiting\n", ""):
            pass

    def say(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def right(self):
        """The call that waits is let go; then it ends, unhurt."""
        out, _ = self.process.communicate("over\n", timeout=30 * drive.TIME)
        self.t.check_equal("right 0\n", out)
        self.t.check_equal(0, self.process.returncode)


def batch(t, *commands, env=None):
    words = [word for command in commands for word in ("-ex", command)]
    done = t.run("--batch", *words, env=env)
    return done.stdout + done.stderr
