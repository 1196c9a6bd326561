"""The collector's heap, of programs that run and of cores: what Heap.cs has
made is found, all of it and no more."""
import json
import os
import subprocess

import drive

# What Heap.cs makes. A Leaf each: 100 nodes, 150 in pairs, 3 of the Holder, the
# finalized one, the static's, the attached one, and the 7 of the dead.
COUNTS = {"Node": 1001, "Leaf": 263, "Pair[]": 1, "Pair": 1,
          "Holder": 1, "Finalized": 1, "Key": 1, "Attached": 1, "OnStack": 1,
          "InStatic": 2, "InHandle": 1, "Target": 4, "Big": 1, "Leaf[]": 1,
          "Leaf[,]": 1, "Dead": 7, "Locked": 1, "Inflated": 1}
# Workstation GC, server GC, and segments in place of regions.
KINDS = {"workstation": {}, "server": {"DOTNET_gcServer": "1"},
         "segments": {"DOTNET_GCName": "libclrgc.so"}}


class Standing:
    """Heap.cs as it runs; it ends at the end of its input."""

    def __init__(self, t, config="Debug", env=None):
        self.t = t
        self.process = subprocess.Popen(
            t.program("Heap", config=config, host="dotnet"), text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={**t.env, **(env or {})})
        t.check_equal("ready\n", self.process.stdout.readline())
        self.pid = str(self.process.pid)
        # to begin to read makes objects, too
        t.wait_for("the program to read", self.reads)

    def reads(self):
        with open(f"/proc/{self.pid}/syscall") as file:
            return file.read().startswith("0 0x")  # read(2)

    def ends(self):
        self.t.check_equal(0, drive.tracer_of(self.process.pid))
        self.process.communicate("", timeout=30 * drive.SLOW)
        self.t.check_equal(0, self.process.returncode)


def ask(t, what, target, *args):
    """What a one-shot command gives in JSON."""
    done = t.run("heap", what, target, *args, "--json")
    t.check_equal((0, ""), (done.returncode, done.stderr))
    return json.loads(done.stdout)


def own(stat):
    """How many objects there are of each type of Heap.cs."""
    return {one["type"].removeprefix("HeapShape."): one["count"]
            for one in stat["types"] if one["type"].startswith("HeapShape.")
            and "<" not in one["type"]}


def addresses(t, target, pattern):
    found = ask(t, "list", target, "--type", pattern)
    return [one["address"] for one in found["objects"]]


def dump(t, env=None, config="Debug"):
    """A core of Heap.cs by createdump."""
    path = f"{t.dir}/heap.core"
    subprocess.run(
        t.program("Heap", "dump", config=config, host="dotnet"),
        env={**t.env, **(env or {}), "DOTNET_DbgEnableMiniDump": "1",
             "DOTNET_DbgMiniDumpType": "2", "DOTNET_DbgMiniDumpName": path},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        timeout=60 * drive.SLOW)
    t.check(os.path.exists(path), f"createdump wrote no '{path}'")
    return path


def look(t, target):
    """What is the same of a program and of its core."""
    stat = ask(t, "stat", target)
    t.check_equal([], stat["damages"])
    t.check_equal(COUNTS, own(stat))
    listed = ask(t, "list", target, "--free", "--refs")
    t.check_equal((stat["count"], stat["bytes"]),
                  (listed["count"], listed["bytes"]))
    t.check_equal(stat["count"], len(listed["objects"]))
    # every reference leads to an object
    known = {one["address"] for one in listed["objects"]}
    t.check_equal(set(), {to for one in listed["objects"]
                          for to in one.get("refs", [])} - known)
    places = {}
    for one in listed["objects"]:
        places.setdefault(one["type"], set()).add(one["generation"])
    t.check_equal({"large"}, places["HeapShape.Leaf[]"])
    t.check_equal({"0"}, places["HeapShape.Dead"])
    t.check_in("pinned", places["byte[]"])
    parts = ask(t, "segments", target)
    t.check(stat["bytes"] <= parts["bytes"], "more than there is")
    return parts


def test_program(t):
    """A program that runs, and goes on; Debug and Release."""
    for config in "Debug", "Release":
        program = Standing(t, config)
        t.check_equal("workstation", look(t, program.pid)["kind"])
        program.ends()


def test_core(t):
    """Cores of each kind of collector."""
    for kind, env in KINDS.items():
        parts = look(t, dump(t, env))
        t.check_equal("server" if kind == "server" else "workstation",
                      parts["kind"])


def test_object(t):
    """Fields and references have their names, also within structures and
    arrays of structures; an address may be inside of the object."""
    path = dump(t)
    at, = addresses(t, path, r"\.Holder$")
    inside = hex(int(at, 16) + 9)
    for address in at, inside:
        found = ask(t, "object", path, address)
        t.check_equal((at, "HeapShape.Holder", "2"),
                      (found["address"], found["type"], found["generation"]))
        t.check_equal([("Last", "HeapShape.Leaf")] +
                      [(f"Inner.{side}", "HeapShape.Leaf")
                       for side in ("Left", "Right")],
                      [(one["name"], one["type"]) for one in found["refs"]])
        t.check_equal({"First": "0", "Last": "{HeapShape.Leaf}"},
                      {one["name"]: one["value"] for one in found["fields"]
                       if one["name"] != "Inner"})
    at, = addresses(t, path, r"\.Pair\[\]$")
    found = ask(t, "object", path, at)
    t.check_equal((100, 150), (found["length"], found["references"]))
    t.check_equal(["[0].Left", "[0].Right", "[1].Left", "[2].Left"],
                  [one["name"] for one in found["refs"][:4]])
    done = t.run("heap", "object", path, "8")
    t.check_equal((1, "dndbg: no object at 0x8\n"),
                  (done.returncode, done.stderr))


def test_filters(t):
    """By type, size and generation, at the prompt by the names of SOS."""
    path = dump(t)
    for args, count in ((["--type", r"\.Node$"], 1001),
                        (["--type", r"\.Node$", "--gen", "0"], 0),
                        (["--type", r"\.Dead$", "--gen", "gen0"], 7),
                        (["--type", r"\.Leaf", "--min", "1K"], 1),
                        (["--type", r"\.Leaf", "--max", "24"], 263),
                        (["--type", r"\.Leaf$", "--heap", "0"], 263)):
        t.check_equal(count, ask(t, "stat", path, *args)["count"])
        t.check_equal(count, ask(t, "list", path, *args)["count"])
    done = t.run("--batch", "--core", path, "-ex",
                 r"dumpheap -stat -type \.Node$", "-ex",
                 r"dumpheap -type \.Holder$", "-ex", "eeheap")
    t.check_match(r"(?m)^0x[0-9a-f]{12} +1001 +40040  HeapShape\.Node$",
                  done.stdout)
    t.check_match(r"(?m)^0x[0-9a-f]{12}  0x[0-9a-f]{12} +56  2 +HeapShape\."
                  "Holder$", done.stdout)
    t.check_match(r"(?m)^Workstation GC, 1 heap, regions$", done.stdout)
    for args, why in (("--gen 7", "is no generation"),
                      ("--min many", "is no size"),
                      ("--heap 99", "there is no heap 99"),
                      ("--colour", "No option"),
                      ("--type", "needs a value")):
        done = t.run("heap", "stat", path, *args.split())
        t.check_equal(1, done.returncode)
        t.check_in(why, done.stderr)


def test_damage(t):
    """A core whose objects were written over: what is left is told of, with
    the address where it ends."""
    path = dump(t)
    at = int(addresses(t, path, r"\.Holder$")[0], 16)
    mt, = (one["methodTable"] for one in ask(t, "stat", path)["types"]
           if one["type"] == "HeapShape.Holder")
    word = int(mt, 16).to_bytes(8, "little")
    with open(path, "rb+") as file:
        text = file.read().replace(word, b"\x08" * 8)
        file.seek(0)
        file.write(text)
    stat = ask(t, "stat", path)
    t.check_equal(1, len(stat["damages"]))
    t.check_match(rf"^the heap is damaged at {at:#x}, where no object is: \d+ "
                  r"bytes up to 0x[0-9a-f]+ are left out$",
                  stat["damages"][0])
    t.check_equal(1, own(stat)["Leaf[]"])
