#!/usr/bin/env python3
"""Random sessions: tests/monkey/monkey.py [options]

Commands drawn from the tables of each front, with sensible arguments and silly
ones, on programs that check themselves. dndbg must not die, hang or be reported
by a sanitizer, each answer must be well-formed, and the program must not be
hurt. A failure is made shorter while it stays the same failure, and kept as a
file:
    tests/monkey/monkey.py --replay FILE
carries it out once more. Kept in tests/monkey/kept it is a test from then on.

    --front prompt|mi|dap   only this (all)
    --runtime N             only this; may be given several times (10, 11)
    --seconds N             how long to explore (60)
    --seed N                the first seed; without it, a new one each time
    --sessions N            so many sessions from the seed instead
    --check                 what is kept, and 40 sessions of fixed seeds
The last line is "monkey: N passed, N failed, N skipped".
"""
import argparse
import concurrent.futures
import glob
import os
import random
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import adapter
import drive
import machine
import plan
import play
import prompt
import words

FRONTS = {"prompt": (prompt, prompt.Prompt), "mi": (machine, machine.Machine),
          "dap": (adapter, adapter.Adapter)}
# A minimum that is found sooner is worth more than a smaller one.
SHRINK_SECONDS = 240


class Makers:
    """Makes plans of seeds."""

    def __init__(self, dndbg):
        self.tables = {name: module.Table(dndbg)
                       for name, (module, _) in FRONTS.items()}
        self.programs = words.programs()

    def plan(self, front, runtime, seed):
        rng = random.Random(f"{front} {seed}")
        judge = rng.random() < 0.6
        program = self.programs[0] if judge else rng.choice(self.programs)
        made = plan.Plan(front, runtime, seed, rng, program)
        maker = FRONTS[front][0].Maker(self.tables[front], made, program, rng)
        made.steps = maker.steps(rng.choice([8, 15, 30, 60]))
        return made


def carry_out(one, dndbg):
    """Carry out a plan: the fault or nothing, and what was said."""
    session = FRONTS[one.front][1](one, dndbg)
    try:
        session.run()
    except play.Fault as e:
        return e, session.trace
    return None, session.trace


def shrink(one, fault, dndbg):
    """Drop steps while the same fault appears."""
    deadline = time.monotonic() + SHRINK_SECONDS * drive.SLOW
    steps = list(one.steps)
    size = max(len(steps) // 2, 1)
    while size and steps:
        at = 0
        dropped = False
        while at < len(steps) and time.monotonic() < deadline:
            fewer = steps[:at] + steps[at + size:]
            found, _ = carry_out(one.but(fewer), dndbg)
            if found and found.kind == fault.kind:
                steps, fault, dropped = fewer, found, True
            else:
                at += size
        if time.monotonic() >= deadline:
            break
        if not dropped or size > 1:
            size //= 2
    return one.but(steps), fault


def report(one, fault, trace, folder, dndbg, shorter):
    """Say what failed and how to see it again."""
    os.makedirs(folder, exist_ok=True)
    path = f"{folder}/{one.front}-{one.runtime}-{one.seed}.json"
    one.save(path)
    with open(path[:-5] + ".txt", "w") as file:
        file.write(f"{fault.kind}\n{fault}\n\n" + "\n".join(trace) + "\n")
    print(f"FAIL {one.front} on .NET {one.runtime}, seed {one.seed}, "
          f"{one.fixture} {' '.join(one.args)} ({one.how}): {fault.kind}\n"
          f"  {path}", flush=True)
    if shorter:
        small, fault = shrink(one, fault, dndbg)
        small.save(path)
        print(f"  in {len(small.steps)} steps:\n" + "\n".join(
            f"    {step}"[:300] for step in small.steps) + f"\n{fault}"[:6000],
            flush=True)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--dndbg", default="./dndbg")
    parser.add_argument("--front", action="append", choices=sorted(FRONTS))
    parser.add_argument("--runtime", action="append", choices=drive.RUNTIMES)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--sessions", type=int)
    parser.add_argument("--replay", nargs="*")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--no-shrink", action="store_true")
    parser.add_argument("--no-build", action="store_true")
    parser.add_argument("-j", type=int, default=2)
    parser.add_argument("-v", action="store_true")
    parser.add_argument("--trace", action="store_true",
                        help="show what was given and what was said")
    parser.add_argument("--keep", default="monkey-failures",
                        help="where failures are put")
    options = parser.parse_args()
    if not options.no_build:
        for script in "build-fixtures", "build-solution":
            subprocess.run([f"{drive.TOP}/scripts/{script}"], check=True)
    dndbg = os.path.abspath(options.dndbg)
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    kinds = {}

    def one(made):
        began = time.monotonic()
        fault, trace = carry_out(made, dndbg)
        counts["failed" if fault else "passed"] += 1
        if fault:
            known = kinds.get(fault.kind)
            kinds[fault.kind] = (known or 0) + 1
            report(made, fault, trace, options.keep, dndbg,
                   not known and not options.no_shrink)
        elif options.v:
            print(f"ok {made.front} {made.runtime} {made.seed} {made.fixture} "
                  f"{made.how} {len(made.steps)} steps, "
                  f"{time.monotonic() - began:.1f} s", flush=True)
        if options.trace:
            print("\n".join(trace), flush=True)

    if options.replay:
        for path in options.replay:
            one(plan.Plan.load(path))
    else:
        explore(options, Makers(dndbg), one)
    for kind in sorted(kinds):
        print(f"{kinds[kind]} times {kind}")
    print("monkey: " + ", ".join(f"{n} {what}" for what, n in counts.items()))
    return 1 if counts["failed"] or not counts["passed"] else 0


def explore(options, makers, one):
    """Sessions until time is up or their number is reached."""
    fronts = options.front or sorted(FRONTS)
    runtimes = options.runtime or ["10", "11"]
    seed = options.seed
    if options.check:
        seed = 1
        options.sessions = options.sessions or 40
        for path in sorted(glob.glob(f"{HERE}/kept/*.json")):
            one(plan.Plan.load(path))
    elif seed is None:
        seed = random.SystemRandom().randrange(10 ** 9)
        print(f"the first seed is {seed}", flush=True)
    deadline = time.monotonic() + options.seconds
    with concurrent.futures.ThreadPoolExecutor(options.j) as pool:
        running = set()
        number = 0
        while (number < options.sessions if options.sessions
               else time.monotonic() < deadline):
            made = makers.plan(fronts[number % len(fronts)],
                               runtimes[number // len(fronts) % len(runtimes)],
                               seed + number)
            number += 1
            running.add(pool.submit(one, made))
            while len(running) >= options.j:
                done, running = concurrent.futures.wait(
                    running, return_when=concurrent.futures.FIRST_COMPLETED)
                for each in done:
                    each.result()
        for each in running:
            each.result()


if __name__ == "__main__":
    sys.exit(main())
