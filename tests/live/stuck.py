"""The runtime's state, of a program that runs and of its core: what Stuck.cs
holds still is found, all of it and no more."""
import json
import subprocess

import drive

# Two workers, however many processors there are.
WORKERS = {"DOTNET_ThreadPool_ForceMinWorkerThreads": "2",
           "DOTNET_ThreadPool_ForceMaxWorkerThreads": "2"}


class Stuck:
    """Stuck.cs as it stands; it ends at the end of its input."""

    def __init__(self, t, *args, config="Debug"):
        self.t = t
        self.process = subprocess.Popen(
            t.program("Stuck", *args, config=config, host="dotnet"), text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={**t.env, **WORKERS})
        t.check_equal("ready\n", self.process.stdout.readline())
        self.pid = str(self.process.pid)

    def core(self):
        path = f"{self.t.dir}/stuck.core"
        done = self.t.run("dump", "--type", "heap", "-o", path, self.pid)
        self.t.check_equal((0, ""), (done.returncode, done.stderr))
        return path

    def targets(self):
        """What is to show the same: the program and its core."""
        return self.pid, self.core()

    def ends(self):
        self.t.check_equal(0, drive.tracer_of(self.process.pid))
        self.process.communicate("", timeout=30 * drive.SLOW)
        self.t.check_equal(0, self.process.returncode)


def ask(t, command, target, *args):
    """What a one-shot command gives in JSON."""
    done = t.run(command, target, *args, "--json")
    t.check_equal((0, ""), (done.returncode, done.stderr))
    return json.loads(done.stdout)


# ---- Stacks ------------------------------------------------------------------

def branches(stacks, above=()):
    """Each branch: the user's own frames from the outermost on, and how many
    threads stand at its end."""
    for one in stacks:
        way = above + tuple((f["name"], f["line"]) for f in one["frames"]
                            if f["own"])
        if "threads" in one:
            yield way, len(one["threads"])
        yield from branches(one.get("stacks", []), way)


def test_stacks(t):
    """Threads at one place are one branch, below what they share with others."""
    program = Stuck(t)
    cross = ("Stuck.Program.Cross.lambda", t.line("Stuck", "cross"))
    for target in program.targets():
        found = ask(t, "pstacks", target)
        own = [(way, n) for way, n in branches(found["stacks"]) if way]
        t.check_equal(found["threads"],
                      sum(n for _, n in branches(found["stacks"])))
        t.check_equal([2, 2] if t.runtime == "8" else [2, 2, 2],
                      [n for way, n in own if way[0] == cross])
        # two lambdas that call one method
        worker = ("Stuck.Program.Worker", t.line("Stuck", "worker"))
        t.check_equal([1, 1], [n for way, n in own if way[-1] == worker])
        done = t.run("pstacks", target)
        t.check_match(r"^ +2 Stuck\.Program\.Locks\.lambda\(bool\) at .*\n"
                      r"( +2 .*\n)*      +threads \d+, \d+$", done.stdout)
    # what the user has set stays as it was
    done = t.run("--batch", "--core", target, "-ex", "pstacks", "-ex",
                 "show runtime-threads")
    t.check_match(r"runtime-threads.*\bon\b", done.stdout)
    program.ends()
