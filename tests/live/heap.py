"""The collector's heap, of programs that run and of cores: what Heap.cs has
made is found, all of it and no more."""
import glob
import json
import os
import subprocess

import drive
import dumps

# What Heap.cs makes. A Leaf each: 100 nodes, 150 in pairs, 3 of the Holder, the
# finalized one, the static's, the attached one, and the 7 of the dead.
COUNTS = {"Node": 1001, "Leaf": 263, "Pair[]": 1, "Pair": 1,
          "Holder": 1, "Finalized": 1, "Key": 1, "Attached": 1, "OnStack": 1,
          "InStatic": 2, "InHandle": 1, "Target": 4, "Big": 1, "Leaf[]": 1,
          "Leaf[,]": 1, "Dead": 7, "Locked": 1, "Inflated": 1}
# Workstation GC, server GC with heaps that come and go or not, and segments in
# place of regions. With one processor there is no server GC: there are two.
SERVER = {"DOTNET_gcServer": "1", "DOTNET_PROCESSOR_COUNT": "2"}
KINDS = {"workstation": {}, "server": SERVER,
         "segments": {"DOTNET_GCName": "libclrgc.so"},
         # fixed and by itself: DATAS, which is so unless told since 9
         "fixed": {**SERVER, "DOTNET_GCHeapCount": "2",
                   "DOTNET_GCDynamicAdaptationMode": "0"},
         "datas": {**SERVER, "DOTNET_GCDynamicAdaptationMode": "1"}}


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
        """Its first thread is in read(2) of a copy of its standard input."""
        with open(f"/proc/{self.pid}/syscall") as file:
            number, *args = file.read().split()
        return number == "0" and (
            os.readlink(f"/proc/{self.pid}/fd/{int(args[0], 16)}") ==
            os.readlink(f"/proc/{self.pid}/fd/0"))

    def ends(self):
        self.t.check_equal(0, drive.tracer_of(self.process.pid))
        self.process.communicate("", timeout=30 * drive.TIME)
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


def dump(t, env=None, config="Debug", more="0"):
    """A core of Heap.cs by createdump, with so many nodes more."""
    path = f"{t.dir}/heap{more}.core"
    done = subprocess.run(
        t.program("Heap", "dump", more, config=config, host="dotnet"),
        env={**t.env, **(env or {}), **dumps.crash_settings(path, "heap"),
             "DOTNET_TieredCompilation": "0"},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        timeout=60 * drive.TIME)
    t.check(os.path.exists(path), f"no '{path}': {done.stdout}")
    return path


def look(t, target):
    """What is the same of a program and of its core."""
    stat = ask(t, "stat", target)
    t.check_equal([], stat["damages"])
    t.check_equal(COUNTS, own(stat))
    listed = ask(t, "list", target, "--free", "--refs")
    t.check_equal(listed["count"], len(listed["objects"]))
    if os.path.exists(target):
        # a program may make objects between the two
        t.check_equal((stat["count"], stat["bytes"]),
                      (listed["count"], listed["bytes"]))
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
    """Cores of each kind of collector: nothing is damaged, and generations are
    full of objects."""
    for kind, env in KINDS.items():
        core = dump(t, env)
        parts = look(t, core)
        t.check_equal("workstation" if kind in ("workstation", "segments")
                      else "server", parts["kind"])
        check = ask(t, "verify", core)
        t.check_equal((kind, []), (kind, check["faults"]))
        room, filled = {}, {}
        for one in parts["segments"]:
            room[one["generation"]] = (room.get(one["generation"], 0) +
                                       one["bytes"])
        for one in ask(t, "stat", core, "--by-gen")["types"]:
            filled[one["generation"]] = (filled.get(one["generation"], 0) +
                                         one["bytes"])
        # others have room that threads are about to allocate from
        for generation in "1", "2", "frozen":
            t.check_equal((kind, generation, room.get(generation, 0)),
                          (kind, generation, filled.get(generation, 0)))


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
    for args, count in ((["--type", r"HeapShape\.Node$"], 1001),
                        (["--type", r"HeapShape\.Node$", "--gen", "0"], 0),
                        (["--type", r"\.Dead$", "--gen", "gen0"], 7),
                        (["--type", r"\.Leaf", "--min", "1K"], 1),
                        (["--type", r"\.Leaf", "--max", "24"], 263),
                        (["--type", r"\.Leaf$", "--heap", "0"], 263)):
        t.check_equal(count, ask(t, "stat", path, *args)["count"])
        t.check_equal(count, ask(t, "list", path, *args)["count"])
    done = t.run("--batch", "--core", path, "-ex",
                 r"dumpheap -stat -type HeapShape\.Node$", "-ex",
                 r"dumpheap -type \.Holder$", "-ex", "eeheap")
    t.check_match(r"(?m)^0x[0-9a-f]{12} +1001 +40040  HeapShape\.Node$",
                  done.stdout)
    t.check_match(r"(?m)^0x[0-9a-f]{12}  0x[0-9a-f]{12} +56  2 +HeapShape\."
                  "Holder$", done.stdout)
    t.check_match(r"(?m)^Workstation GC, 1 heap, regions$", done.stdout)
    for args, why in (("--gen 7", "is no generation"),
                      ("--min many", "is no size"),
                      ("--heap 99", "there is no heap 99"),
                      ("--by-gen --retained", "not divided by generation"),
                      ("--colour", "No option"),
                      ("--type", "needs a value")):
        done = t.run("heap", "stat", path, *args.split())
        t.check_equal(1, done.returncode)
        t.check_in(why, done.stderr)
    # an option that a command has no use for is not passed over
    for what, args, why in (
            ("verify", "--live", 'No option "--live": "verify" takes [--json]'),
            ("object", "8 --type X", 'No option "--type"'),
            ("segments", "--stat", 'No option "--stat"'),
            ("list", "--by-gen", 'No option "--by-gen"'),
            ("list", "--refs", "with --json alone"),
            ("size", "8 --live", "An object is measured by itself"),
            ("size", "--together --top 3", "no list that --top could cut")):
        done = t.run("heap", what, path, *args.split())
        t.check_equal(1, done.returncode)
        t.check_in(why, done.stderr)
    shown = ask(t, "roots", path, "--top", "2")
    t.check_equal(2, len(shown["roots"]))
    t.check(shown["count"] > 2, shown)


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


# ---- The heap as a whole -----------------------------------------------------

def test_strings(t):
    """Texts that there is more than one string of."""
    found = ask(t, "strings", dump(t), "--top", "100000")
    first = found["strings"][0]
    t.check_equal((50, 40, 49 * 104, '"' + 40 * "d" + '"'),
                  tuple(first[x] for x in ("count", "length", "wasted",
                                           "text")))
    t.check_equal(found["wasted"], sum(x["wasted"] for x in found["strings"]))
    t.check(found["wasted"] < found["bytes"], found)
    t.check_equal(len(found["strings"]), found["duplicated"])


def test_diff(t):
    """What 500 nodes more come to, seen from either core."""
    few, many = dump(t), dump(t, more="500")
    for old, new, nodes, leaves in ((few, many, 500, 50),
                                    (many, few, -500, -50)):
        found = ask(t, "diff", old, new)
        grown = {one["type"].removeprefix("HeapShape."):
                 (one["count"] - one["oldCount"],
                  one["bytes"] - one["oldBytes"]) for one in found["types"]}
        t.check_equal((nodes, nodes * 40), grown["Node"])
        t.check_equal((leaves, leaves * 24), grown["Leaf"])
        t.check_equal(set(), {"Holder", "Pair[]", "Big", "Dead"} & set(grown))
    done = t.run("--batch", "--core", many, "-ex", f"heap diff {few}")
    t.check_match(r"(?m)^\+500 +\+20000 +1501 +1001  HeapShape\.Node$",
                  done.stdout)
    done = t.run("heap", "diff", f"{t.dir}/none.core", few)
    t.check_equal(1, done.returncode)
    t.check_in("none.core", done.stderr)


def overwrite(path, mt, place, was, becomes):
    """In a core: the word at a place of the object of a type that has @was
    there; becomes may be (another place, a word)."""
    place_of, word = becomes if isinstance(becomes, tuple) else (place, becomes)
    with open(path, "rb+") as file:
        text = file.read()
        i = text.find(mt)
        while text[i + place:i + place + 8] != was:
            i = text.index(mt, i + 1)
        file.seek(i + place_of)
        file.write(word)


def test_verify(t):
    """A heap that is whole; a reference that leads into the midst of an
    object; an object without a type."""
    path = dump(t)
    listed = ask(t, "list", path, "--refs")
    found = ask(t, "verify", path)
    t.check_equal((listed["count"],
                   sum(len(x.get("refs", [])) for x in listed["objects"])),
                  (found["objects"], found["references"]))
    t.check_equal(([], 0), (found["faults"], found["count"]))
    at, = addresses(t, path, r"\.Holder$")
    shown = ask(t, "object", path, at)
    last, = (x for x in shown["refs"] if x["name"] == "Last")
    word = int(shown["methodTable"], 16).to_bytes(8, "little")
    was = int(last["object"], 16)
    overwrite(path, word, last["offset"], was.to_bytes(8, "little"),
              (was + 8).to_bytes(8, "little"))
    found = ask(t, "verify", path)
    t.check_equal([(at, hex(int(at, 16) + last["offset"]), hex(was + 8),
                    f"Last of the HeapShape.Holder at {at} leads to "
                    f"{was + 8:#x}, where no object begins")],
                  [(x["object"], x["slot"], x["value"], x["text"])
                   for x in found["faults"]])
    overwrite(path, word, last["offset"], (was + 8).to_bytes(8, "little"),
              (0, b"\x08" * 8))
    done = t.run("--batch", "--core", path, "-ex", "verifyheap")
    t.check_match(rf"(?m)^the heap is damaged at {at}, where no object is: ",
                  done.stdout)
    t.check_match("(?m)^The heap is damaged: [0-9]+ objects", done.stdout)


# ---- What keeps objects alive ------------------------------------------------

def snapshot(t, env=None):
    """A core of Heap.cs as it stands, by createdump."""
    program = Standing(t, env={**(env or {}), **dumps.STEADY})
    path = f"{t.dir}/standing{program.pid}.core"
    runtime, = glob.glob(f"{t.env['DOTNET_ROOT']}/shared/"
                         "Microsoft.NETCore.App/*")
    done = subprocess.run([f"{runtime}/createdump", "-h", "-f", path,
                           program.pid], capture_output=True, text=True,
                          timeout=60 * drive.TIME)
    t.check(os.path.exists(path), done.stdout + done.stderr)
    program.ends()
    return path, f"{runtime}/libmscordaccore.so"


def paths(t, target, address, *args):
    found = ask(t, "roots", target, address, *args)
    return [(one["kind"], one["root"].partition(" 0x")[0],
             [(step["type"].removeprefix("HeapShape."), step.get("by"))
              for step in one["path"]]) for one in found["paths"]]


def test_roots(t):
    """Paths from a variable, a static field, a handle; by a dependent handle;
    garbage has none. The same of the program and of its core, and where there
    may be fewer heaps than tables of handles."""
    program = Standing(t)
    core = snapshot(t)[0]
    many = snapshot(t, KINDS["datas"])[0]
    for target in program.pid, core, many:
        targets = addresses(t, target, r"\.Target$")
        found = sorted(path for at in targets for path in paths(t, target, at))
        by = [("Target", "Reach")]
        kinds = {kind: (root, steps[:1], steps[-1:])
                 for kind, root, steps in found if kind != "handle"}
        t.check_equal(("onStack in HeapShape.Program.Wait, thread 1",
                       [("OnStack", None)], by), kinds["stack"])
        t.check_equal(("static HeapShape.Statics.Root", [("object[]", None)],
                       by), kinds["static"])
        t.check_in(("handle", "strong handle", [("InHandle", None), *by]),
                   found)
        at, = addresses(t, target, r"\.Attached$")
        (kind, root, steps), = paths(t, target, at)
        t.check_equal(("static", "static HeapShape.Program.keep"), (kind, root))
        t.check_equal([("Key", "[57]"), ("Attached", "(a dependent handle)")],
                      steps[-2:])
        for at in addresses(t, target, r"\.Dead$"):
            t.check_equal([], paths(t, target, at))
        t.check_equal({"Dead": 7, "Leaf": 7},
                      own(ask(t, "stat", target, "--dead")))
        live = dict(COUNTS, Leaf=COUNTS["Leaf"] - 7)
        del live["Dead"]
        t.check_equal(live, own(ask(t, "stat", target, "--live")))
    program.ends()
    done = t.run("--batch", "--core", many, "-ex", f"gcroot {at}")
    t.check_match(r"(?m)^Nothing keeps the HeapShape\.Dead at 0x[0-9a-f]{12} "
                  "alive: it is garbage\\.$", done.stdout)


def test_paths(t):
    """What keeps objects alive, merged by type: each way with what it keeps and
    what that retains, down to roots. The same of the program and its core."""
    program = Standing(t)
    core = snapshot(t)[0]
    keep = [("type", "object[]"), ("type", "System.Collections.Generic.List"
             "<object>"), ("root", "static HeapShape.Program.keep")]
    for target in program.pid, core:
        ways = ask(t, "paths", target, r"\.Leaf$")["ways"]
        kept = sizes(t, target, "--type", r"\.Leaf$", "--together")
        t.check_equal(((256, 256 * 24), "HeapShape.Leaf"),
                      ((ways[0]["count"], ways[0]["retained"]),
                       ways[0]["text"]))
        t.check_equal(kept["retained"], (256, ways[0]["retained"]))
        below = {}
        for way in ways[1:]:
            if way["depth"] == 1:
                below[way["text"].removeprefix("HeapShape.")] = chain = [way]
            else:
                chain.append(way)
        t.check_equal(
            {"Pair[]": (150, 1), "Node": (100, 1000), "Holder": (3, 1),
             "Pair": (1, 1), "Finalized": (1, 1), "Attached": (1, 1)},
            {text: (way[0]["count"], way[0]["objects"])
             for text, way in below.items()})
        for text, behind in (("Pair[]", keep), ("Node", keep), ("Pair", [
                ("root", "static HeapShape.Statics.Boxed")])):
            t.check_equal(behind, [(x["kind"], x["text"])
                                   for x in below[text][1:]])
        t.check_equal(sum(x["retained"] for x in ways if x["kind"] == "root"),
                      ways[0]["retained"])
        found = ask(t, "paths", target, r"\.(Dead|InHandle)$")
        t.check_equal((7, "strong handle"),
                      (found["garbage"], found["ways"][-1]["text"]))
        cut = ask(t, "paths", target, r"\.Leaf$", "--depth", "1", "--top", "2")
        t.check_equal(["Leaf", "Pair[]", "...", keep[2][1], "Node", "...",
                       keep[2][1], "(4 more ways)"],
                      [x["text"].removeprefix("HeapShape.")
                       for x in cut["ways"]])
        t.check_equal(6, cut["ways"][-1]["count"])
    program.ends()
    done = t.run("--batch", "--core", core, "-ex", r"heap paths HeapShape\.Node$")
    # the type may be an option, as with the other commands
    t.check_equal(done.stdout, t.run(
        "--batch", "--core", core, "-ex",
        r"heap paths --type HeapShape\.Node$").stdout)
    t.check_match(r"(?m)^ +Kept +Retained +By  Kept by\n +1001 +42440 +"
                  r"HeapShape\.Node\n +1000 +42400 +1    object\[\]\n +1000 "
                  r"+42400 +1      System\.Collections\.Generic\.List<object>\n",
                  done.stdout)


def test_exceptions(t):
    """Exception objects, kept and dead; those that are the same are one."""
    program = Standing(t)
    core = dump(t)
    line = t.line("Heap", "failed")
    for target in program.pid, core:
        found = ask(t, "exceptions", target)
        by_type = {one["type"]: one for one in found["exceptions"]}
        first = by_type["System.ArgumentException"]
        t.check_equal((5, "System.ArgumentException", '"kept" \ufffd\x01',
                       "0x80070057"),
                      tuple(first[x] for x in ("count", "type", "message",
                                               "hresult")))
        t.check_equal(1, len(first["stack"]))
        t.check_match(r"^at HeapShape\.Program\.Failed\(\) in .*Heap\.cs:line "
                      f"{line}$", first["stack"][0])
        t.check_equal((5, []), (by_type["System.TimeoutException"]["count"],
                                by_type["System.TimeoutException"]["stack"]))
        t.check_equal(found["count"],
                      sum(one["count"] for one in found["exceptions"]))
        each = ask(t, "exceptions", target, "--all", "--type",
                   "ArgumentException$|TimeoutException$")["exceptions"]
        t.check_equal({one["object"] for one in each
                       if one["type"] == "System.TimeoutException"},
                      {one["inner"] for one in each if "inner" in one})
        t.check_equal(10, len(each))
    t.check_equal("dump", by_type["System.InvalidOperationException"]["message"])
    program.ends()
    done = t.run("--batch", "--core", core, "-ex", "dae -type Argument -top 1")
    t.check_match(r"(?m)^ +5  0x[0-9a-f]{12}  System\.ArgumentException: "
                  r'"kept" .*\n   at HeapShape\.Program\.Failed\(\) in .*:line '
                  rf"{line}\nTotal 5 exceptions\n\Z", done.stdout)


def sizes(t, target, *args):
    """Amounts by name, as (count, bytes)."""
    return {one["size"]: (one["count"], one["bytes"])
            for one in ask(t, "size", target, *args)["sizes"]}


def test_sizes(t):
    """What objects keep alive: known of some; for the others the dominator
    tree says what holding back each object does."""
    core = snapshot(t)[0]
    for pattern, own, kept in (
            (r"\.Holder$", (1, 56), (4, 56 + 3 * 24)),
            (r"\.Big$", (1, 24), (2, 24 + 160024)),
            (r"\.Key$", (1, 24), (3, 3 * 24)),  # by a dependent handle
            (r"HeapShape\.Node$", (1001, 40040), (1101, 40040 + 100 * 24)),
            (r"\.Leaf$", (263, 263 * 24), (256, 256 * 24))):
        found = sizes(t, core, "--type", pattern, "--together")
        t.check_equal((own, kept), (found["own"], found["retained"]))
        t.check(found["inclusive"] >= kept, found)
    t.check_equal((256, 256 * 24), found["live"])
    dead = addresses(t, core, r"\.Dead$")[0]
    found = sizes(t, core, dead)
    t.check_equal([(1, 24), (0, 0), (2, 48), (0, 0)],
                  [found[x] for x in ("own", "live", "inclusive", "retained")])
    top = ask(t, "size", core, "--top", "25")["objects"]
    t.check_equal(25, len(top))
    t.check_equal(sorted((-one["retained"] for one in top)),
                  [-one["retained"] for one in top])
    for one in top[::6]:
        t.check_equal(one["retained"],
                      sizes(t, core, one["object"])["retained"][1])
    # those without references, too, which nothing else can be below
    leaves = ask(t, "size", core, "--type", r"\.Leaf$", "--top", "300")
    t.check_equal([24] * 256,
                  [one["retained"] for one in leaves["objects"]])
    types = {one["type"].removeprefix("HeapShape."): one["retained"]
             for one in ask(t, "stat", core, "--retained")["types"]}
    for name, kept in (("Holder", 128), ("Big", 160048), ("Node", 42440),
                       ("Key", 72), ("Leaf", 256 * 24), ("Dead", 0)):
        t.check_equal((name, kept), (name, types[name]))
    # options may stand in front of the program
    for args in ("--type", r"\.Leaf$", "--together"), ("--top", "3"):
        t.check_equal(t.run("heap", "size", core, *args).stdout,
                      t.run("heap", "size", *args, core).stdout)
    # and SOS's names are commands from the shell, too
    for sos, ours in (("objsize", core, dead), ("heap", "size", core, dead)), \
            (("dumpheap", core, "-stat"), ("heap", "stat", core)), \
            (("gcroot", core, top[0]["object"]),
             ("heap", "roots", core, top[0]["object"])):
        done = t.run(*sos)
        t.check_equal((0, ""), (done.returncode, done.stderr))
        t.check_equal(t.run(*ours).stdout, done.stdout)
    t.check_equal(t.run("dumpheap", core, "-stat").stdout,
                  t.run("dumpheap", "-stat", core, "--snapshot").stdout)
    # the last word is an option's value, and no program
    for words in (("heap", "size", "--together"),
                  ("heap", "stat", "--type", "Leaf", core, "--top", "2"),
                  ("dumpheap", "-type", "2")):
        done = t.run(*words)
        t.check_equal(2, done.returncode)
        t.check_match("^usage: dndbg (heap SUBCOMMAND|dumpheap) PID",
                      done.stderr)
    done = t.run("--batch", "--core", core, "-ex", f"objsize {dead}")
    t.check_match(r"(?m)^inclusive +2 +48  with all", done.stdout)


def test_left_out(t):
    """Of a core that most of the heap is not in, each command says so, and
    nothing is called garbage."""
    core = f"{t.dir}/mini.core"
    done = t.batch(["b " + t.at("Heap", "wait"), "run",
                    f"gcore --mini {core}"], t.program("Heap"))
    t.check_in("Saved corefile", done.stdout)
    for words in (("paths", core, "Leaf$"), ("size", core),
                  ("size", core, "--together"), ("strings", core),
                  ("stat", core)):
        done = t.run("heap", *words)
        t.check_equal((0, ""), (done.returncode, done.stderr))
        t.check_match(r"(?m)^the heap (is damaged|cannot be read) at 0x\w+"
                      r"(, where no object is)?: \d+ bytes up to 0x\w+ are "
                      "left out$", done.stdout)
        t.check_not_in("garbage", done.stdout)
        t.check_not_in(": 0 bytes", done.stdout)
    t.check_not_in(": 0 bytes", t.run("heap", "verify", core).stdout)


def whole(t, command, target, *args):
    done = t.run(command, target, *args, "--json")
    t.check_equal((0, ""), (done.returncode, done.stderr))
    return json.loads(done.stdout)


def test_locks(t):
    """A thin lock taken twice, and one that a thread waits for."""
    program = Standing(t)
    held = {one["type"].removeprefix("HeapShape."): one
            for one in whole(t, "syncblk", program.pid)["locks"]}
    for name, depth, waiting in (("Locked", 2, 0), ("Inflated", 1, 1)):
        one = held[name]
        t.check_equal((True, 1, 1, depth, waiting),
                      (one["held"], one["thread"], one["managedId"],
                       one["depth"], one["waiting"]))
    t.check_equal((False, True),
                  tuple("index" in held[x] for x in ("Locked", "Inflated")))
    program.ends()
    done = t.batch(["break " + t.at("Hello", "add"), "run", "syncblk",
                    "syncblk --json"], t.program("Hello"))
    t.check_match(r'\nNo lock is held or waited for\.\n\{.*"locks": ?\[\]',
                  done.stdout)


def clrmd(t, core, dac, roots):
    """What ClrMD finds, told of more roots: words of lines, by their first."""
    done = subprocess.run(
        ["dotnet", f"{drive.CACHE}/fixtures/Agree/Agree.dll", core, dac,
         *sorted(roots)],
        capture_output=True, text=True, env=t.env, timeout=120 * drive.TIME)
    t.check_equal((0, ""), (done.returncode, done.stderr))
    found = {}
    for line in done.stdout.splitlines():
        kind, *words = line.split()
        found.setdefault(kind, []).append(words)
    return found


def agree_on_contents(t, core, theirs, ours):
    """Exceptions, texts of strings, segments, what is alive and retained."""
    t.check_equal(
        sorted((at, hresult, kind, int(frames), inner,
                bytes.fromhex(text[0]).decode() if text else
                # what Exception.Message makes of null
                f"Exception of type '{kind}' was thrown.")
               for at, hresult, kind, frames, inner, *text
               in theirs["exception"]),
        sorted((one["object"], one["hresult"], one["type"], len(one["stack"]),
                one.get("inner", "0x0"), one["message"])
               for one in ask(t, "exceptions", core, "--all")["exceptions"]))
    t.check_equal(
        sorted((int(count), int(length), at)
               for count, length, at in theirs["text"]),
        sorted((one["count"], one["length"], one["object"]) for one in
               ask(t, "strings", core, "--top", "100000")["strings"]))
    kinds = {"Generation0": "0", "Generation1": "1", "Generation2": "2"}
    parts = ask(t, "segments", core)["segments"]
    known = {(one["begin"], one["allocated"]): (one["generation"], one["heap"])
             for one in parts}
    # a region that is empty is not listed, and the one that is allocated from
    # has several parts where it is a segment
    for kind, start, end, heap in theirs["segment"]:
        if kind == "Ephemeral" or start == end:
            continue
        t.check_equal(((start, end), kinds.get(kind, kind.lower())),
                      ((start, end), known.get((start, end), ("none",))[0]))
        if kind != "Frozen":
            t.check_equal(int(heap), known[start, end][1])
    frozen = {one["address"] for one in ours if one["generation"] == "frozen"}
    t.check_equal(sorted({at for at, _ in theirs["alive"]} - frozen),
                  sorted({one["address"] for one in
                          ask(t, "list", core, "--live")["objects"]} - frozen))
    for name, count, size in theirs["retained"]:
        kept = sizes(t, core, "--type", rf"HeapShape\.{name}$", "--together")
        t.check_equal((name, (int(count), int(size))), (name, kept["retained"]))
        way = ask(t, "paths", core, rf"HeapShape\.{name}$")["ways"][0]
        t.check_equal((name, int(size)), (name, way["retained"]))


def depths_from(roots, links, but=()):
    """How many objects there are on the shortest way to each, those @but
    aside."""
    found = {at: 1 for at in roots if at not in but}
    ring = list(found)
    while ring:
        ring = [to for at in ring for to in links.get(at, ())
                if to not in found and to not in but
                and not found.__setitem__(to, found[at] + 1)]
    return found


def agree_on_paths(t, core, theirs, statics):
    """Each path begins at a root, and each of its steps is a reference; there
    is one by every object that refers to the target; the first of them is as
    short as any can be from a handle or static, or from others if none of
    these leads there."""
    depths = {at: int(depth) for at, depth in theirs["alive"]}
    roots = {at for _, at, *_ in theirs["root"]} | statics
    refers = {at: refs for at, _, _, _, *refs in theirs["object"]}
    lasting = depths_from(
        {at for kind, at, *_ in theirs["root"]
         if kind not in ("Stack", "FinalizerQueue")} | statics, refers)
    rest = depths_from(roots, refers, lasting)
    links = {(at, to) for at, _, _, _, *refs in theirs["object"] for to in refs}
    links |= {(at, to) for _, kind, at, to, _ in theirs["handle"]
              if kind == "Dependent"}
    referrers = {}
    for at, to in links:
        if at in depths:
            referrers.setdefault(to, set()).add(at)
    targets = sorted({*(target for target, *_ in theirs["path"]),
                      *list(depths)[::len(depths) // 100]})
    asked = [f"heap roots {at} --top 100000 --json" for at in targets]
    done = t.run("--batch", "--core", core,
                 *(word for line in asked for word in ("-ex", line)))
    answers = [json.loads(line) for line in done.stdout.splitlines()
               if line.startswith("{")]
    t.check_equal(targets, [one["object"] for one in answers])
    for target, found in zip(targets, answers):
        ways = [[step["object"] for step in one["path"]]
                for one in found["paths"]]
        t.check_equal(found["count"], len(ways))
        for way in ways:
            t.check_equal((True, target), (way[0] in roots, way[-1]))
            t.check_equal(set(), set(zip(way, way[1:])) - links)
        t.check_equal((target, referrers.get(target, set())),
                      (target, {way[-2] for way in ways if len(way) > 1}))
        first, least = found["paths"][0]["kind"], len(ways[0])
        if first in ("handle", "static"):
            t.check_equal((target, lasting.get(target, least)),
                          (target, least))
        elif least > 1:
            t.check_equal((target, False), (target, target in lasting))
            t.check_equal((target, rest.get(target, least)), (target, least))


def test_agreement(t):
    """ClrMD finds the same: objects with types, sizes and references, handles,
    finalizable objects, locks, and what stacks refer to."""
    # where there are fewer heaps than tables of handles ClrMD lacks some
    for kind in "workstation", "fixed", "segments":
        core, dac = snapshot(t, KINDS[kind])
        roots = ask(t, "roots", core)["roots"]
        # since .NET 9 those are kept where ClrMD does not look for them
        statics = {one["object"] for one in roots if one["kind"] == "static"}
        theirs = clrmd(t, core, dac, statics)
        ours = ask(t, "list", core, "--free", "--refs")["objects"]
        # it does not round sizes up
        t.check_equal(
            [(at, mt, (int(size) + 7) & ~7, free == "True", sorted(refs))
             for at, mt, size, free, *refs in theirs["object"]],
            [(one["address"], one["methodTable"], one["bytes"],
              one["type"] == "Free", sorted(one.get("refs", [])))
             for one in ours])
        names = {"counted": "refcounted", "sized": "sizedref"}
        t.check_equal(
            sorted((at, kind.lower(), to, more, strong == "True")
                   for at, kind, to, more, strong in theirs["handle"]),
            sorted((one["address"],
                    names.get(one["kind"], one["kind"].replace(" ", "")),
                    one["object"], one.get("dependent", "0x0"), one["strong"])
                   for one in whole(t, "handles", core)["handles"]
                   if "object" in one))
        t.check_equal(
            sorted(at for at, in theirs["final"]),
            sorted(one["object"]
                   for one in whole(t, "finalizequeue", core)["objects"]
                   if not one["due"]))
        # of the locks of .NET 11, which are objects, it knows nothing
        if t.runtime != "11":
            t.check_equal(
                [(int(index), at, held == "True", int(waiting))
                 for index, at, held, _, waiting in theirs["lock"]],
                [(one["index"], one["object"], one["held"], one["waiting"])
                 for one in whole(t, "syncblk", core, "--all")["locks"]
                 if "index" in one and "object" in one])
        t.check_equal(
            sorted((at, inside == "True", pinned == "True")
                   for kind, at, inside, pinned in theirs["root"]
                   if kind == "Stack"),
            sorted((one["object"], one["interior"], one["pinned"])
                   for one in roots if one["kind"] == "stack"))
        agree_on_contents(t, core, theirs, ours)
        agree_on_paths(t, core, theirs, statics)
