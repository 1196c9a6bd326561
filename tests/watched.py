"""The program that is watched while it runs, dndbg that watches it, and what
docs/monitoring.md shows of it."""
import os
import re
import signal
import struct
import subprocess
import time

import drive


class Watched:
    """A program that does what it is told, and knows what it did: Watched.cs"""

    def __init__(self, t, config="Release", words=None):
        self.t = t
        self.process = subprocess.Popen(
            words or t.program("Watched", config=config, host="dotnet"),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=t.env)
        self.pid = self.process.pid
        t.check_equal("ready\n", self.process.stdout.readline())
        self.idle = self.threads()  # while nobody watches it

    def do(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().strip()

    def threads(self):
        """Of the runtime's traces, and of the server that makes them."""
        names = []
        for tid in os.listdir(f"/proc/{self.pid}/task"):
            try:
                with open(f"/proc/{self.pid}/task/{tid}/comm") as file:
                    names.append(file.read().strip())
            except OSError:
                pass  # it has ended
        return names.count(".NET EventPipe")

    def end(self):
        self.process.stdin.close()
        self.t.check_equal(0, self.process.wait())
        self.process.stdout.close()


class Watching:
    """dndbg that watches it, and has begun to."""

    def __init__(self, t, program, *words, preexec_fn=None):
        self.t = t
        self.program = program
        words = list(words)
        if "--seconds" not in words:
            words += ["--seconds", "600"]  # however slow the program is
        if words[0] == "events" and "--nettrace" not in words:
            words += ["--nettrace", f"{t.dir}/copy.nettrace"]
        if "--nettrace" in words:
            self.copy = words[words.index("--nettrace") + 1]
        self.process = subprocess.Popen(
            [t.dndbg, *words, str(program.pid)], env=t.env, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True, preexec_fn=preexec_fn)
        # A guardian is called so when the trace has begun; a sampler looks at
        # the program's memory then.
        t.wait_for("the beginning", lambda: self.process.poll() is not None or
                   (t.processes("dndbg-guardian") if words[0] != "sample" else
                    self.has_opened(program)))
        if self.process.poll():
            t.check_equal("", self.process.stderr.read())

    def has_opened(self, program):
        for file in os.scandir(f"/proc/{self.process.pid}/fd"):
            try:
                if os.readlink(file.path) == f"/proc/{program.pid}/mem":
                    return True
            except FileNotFoundError:
                pass  # it is closed again
        return False

    def probe(self, kind, *lines):
        """Have the program do these in turn until the runtime tells events of
        this kind: .NET 11 answers a moment before it heeds what it is asked for,
        and lets go what happens meanwhile. How often it was done."""
        described = "Microsoft-Windows-DotNETRuntime\0".encode("utf-16-le") + \
            struct.pack("<i", kind)
        done = []

        def is_told():
            with open(self.copy, "rb") as copy:
                if described in copy.read():
                    return True
            done.append(self.program.do(lines[len(done) % len(lines)]))
            time.sleep(0.1)  # a runtime writes ten times a second
            return False

        self.t.wait_for(f"events of kind {kind}", is_told, 60)
        return len(done)

    def until(self, word):
        """Its first line that has the word."""
        return next((line for line in self.process.stdout if word in line), "")

    def end(self, status=0):
        """What it prints, and complaints."""
        out, err = drive.ending(self.process, 60)
        self.t.check_equal((status, out), (self.process.returncode, out))
        return out, err

    def interrupt(self):
        self.process.send_signal(signal.SIGINT)
        out, err = self.end()
        self.t.check_equal("", err)
        return out


def shown(name):
    """A block of docs/monitoring.md, without its command."""
    with open(f"{drive.TOP}/docs/monitoring.md", encoding="utf-8") as file:
        text = file.read()
    block = text.split(f"<!-- {name} -->\n```\n")[1].split("```\n")[0]
    return block.split("\n", 1)[1]


def shape(text):
    """Without its numbers, their units, and how it ended."""
    text = re.sub(r"\d+(\.\d+)?( (us|ms|s|B|KB|MB|%)(?!\w))?", "N", text)
    text = text.replace(", interrupted", "")
    return re.sub(r"[ \t]+", " ", text)
