"""A program that allocates, throws, starts processes, threads and tasks, loads
and unloads contexts and takes signals at full speed, while a person at the
prompt sets and deletes breakpoints, steps and looks around: at its end its own
sums are right. Which commands come is drawn by lot; what is drawn is said when
a run goes wrong. DNDBG_STORM says how many actions a run does."""
import os
import random
import signal

import drive

ACTIONS = int(os.environ.get("DNDBG_STORM") or 12)
LONG = 60
PROMPT = r"^\(dndbg\) "
# What each kind of work passes.
PLACES = {
    "allocate": ["allocate"],
    "throw": ["throw", "odd", "hit"],
    "start": ["child"],
    "threads": ["thread", "hit"],
    "tasks": ["await", "hit"],
    "contexts": [],
    "signals": ["signal"],
}
LOOKS = ["bt", "info threads", "thread apply all bt 5", "info locals",
         "info breakpoints", "info sharedlibrary", "x/4i $pc"]
STEPS = ["next", "step", "finish", "stepi", "until"]


class Storm:
    """A session on the program, and what was done in it."""

    def __init__(self, t, seed):
        self.t = t
        self.random = random.Random(seed)
        # All at once leave too little time to each on a slow machine.
        kinds = ["allocate", "throw",
                 *self.random.sample(sorted(set(PLACES) - {"allocate",
                                                           "throw"}), 2)]
        self.places = [mark for kind in kinds for mark in PLACES[kind]]
        self.did = [f"seed {seed}", *kinds]
        self.number = 0
        self.s = t.start("--args", *t.program("Storm", *kinds))
        self.s.line("run")
        self.s.expect("^ready ")
        # what it starts has its name, too, for a moment
        self.pid = int(self.s.expect(r"\n"))

    def cmd(self, text):
        self.did.append(text)
        return self.s.cmd(text, LONG)

    def stop(self):
        """Pause, by a signal to dndbg: Ctrl-C at the terminal would end the
        processes that the program starts."""
        self.did.append("interrupt")
        self.s.signal(signal.SIGINT)
        self.s.expect(PROMPT)

    def resume(self):
        self.did.append("continue")
        self.used = self.time()
        self.s.line("continue")
        self.s.expect(r"Continuing\.")

    def breakpoint(self):
        """Set one, let it be hit, look around, delete it."""
        mark = self.random.choice(self.places)
        kind = self.random.choice(["b", "tbreak"])
        self.cmd(f"{kind} {self.t.at('Storm', mark)}")
        self.number += 1
        self.resume()
        self.s.expect(r"reakpoint \d+,", LONG)
        self.s.expect(PROMPT)
        for _ in range(self.random.randrange(3)):
            self.cmd(self.random.choice(LOOKS))
        if kind == "b":
            self.cmd(f"delete {self.number}")
        self.steps()

    def steps(self):
        """Some steps. One may lead off the end of its thread, and so to no
        stop of its own: a breakpoint of another thread is one then."""
        self.cmd(f"b {self.t.at('Storm', 'allocate')} if n % 100 == 0")
        self.number += 1
        for _ in range(self.random.randrange(3)):
            self.cmd(self.random.choice(STEPS))
        self.cmd(f"delete {self.number}")

    def count(self):
        """Let it be hit often without a stop."""
        mark = self.random.choice(self.places)
        self.cmd(f"b {self.t.at('Storm', mark)}")
        self.number += 1
        self.cmd(f"ignore {self.number} 1000000000")
        self.resume()
        self.t.wait_for("the program runs on", self.runs)
        self.stop()
        self.cmd(f"delete {self.number}")

    def exception(self):
        self.cmd("catch throw Storm.Odd")
        self.number += 1
        self.resume()
        self.s.expect("Exception thrown: Storm.Odd", LONG)
        self.s.expect(PROMPT)
        self.cmd(f"delete {self.number}")

    def pause(self):
        self.resume()
        self.t.wait_for("the program runs on", self.runs)
        self.stop()
        self.cmd(self.random.choice(LOOKS))

    def time(self):
        """The processor time that the program has used."""
        with open(f"/proc/{self.pid}/stat") as file:
            return sum(map(int,
                           file.read().rpartition(")")[2].split()[11:13]))

    def runs(self):
        return self.time() > self.used

    def end(self):
        self.cmd("delete")
        self.resume()
        self.s.line("")
        said = self.s.expect(r"exited (normally|with code)", LONG)
        self.t.check_in("\nright", said.replace("\r", ""))
        self.t.check_not_in("wrong", said)


def storm(t, seed):
    run = Storm(t, seed)
    try:
        run.stop()
        for _ in range(ACTIONS):
            run.random.choice([run.breakpoint, run.breakpoint, run.count,
                               run.exception, run.pause])()
        run.end()
    except drive.Failure as failure:
        raise drive.Failure(f"{failure}\ndone: {'; '.join(run.did)}")


def test_storm(t):
    storm(t, int(t.runtime) * 1000 + ACTIONS)
