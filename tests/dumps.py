"""Core dumps to look at: who writes them, what they have to show, and how to
damage them."""
import bisect
import glob
import os
import re
import resource
import shutil
import struct
import subprocess

from drive import CACHE, TIME, Failure

# What createdump is told by, and how much it writes.
KINDS = {"mini": "1", "heap": "2", "triage": "3", "full": "4"}
LOOK = ["bt", "info args", "up", "info args", "info locals",
        "info exception"]
# What we write ourselves: the options of gcore.
OWN = {"full": "", "heap": "--heap", "mini": "--mini --compress"}


# createdump fails if a thread ends while it stops them all: the one that
# compiles in the background, which ends when it had nothing to do for 4 s,
# stays.
STEADY = {"DOTNET_TC_BackgroundWorkerTimeoutMs": "7fffffff"}


def crash_settings(path, kind):
    """What has the runtime's createdump write a core when a program crashes."""
    return {**STEADY, "DOTNET_DbgEnableMiniDump": "1",
            "DOTNET_DbgMiniDumpType": KINDS[kind],
            "DOTNET_DbgMiniDumpName": path}


# ---- Programs ----------------------------------------------------------------

CONFIG = """{{
  "runtimeOptions": {{
    "includedFrameworks": [
      {{ "name": "Microsoft.NETCore.App", "version": "{}" }}
    ],
    "configProperties": {{ "System.Globalization.Invariant": true }}
  }}
}}
"""


def framework_dependent(t, fixture, config):
    return t.program(fixture, config=config, host="dotnet")


def self_contained(t, fixture, config):
    """The program with its runtime beside it."""
    made = os.path.dirname(t.program(fixture, config=config)[0])
    place = f"{t.dir}/self"
    root = t.env["DOTNET_ROOT"]
    runtime, = glob.glob(f"{root}/shared/Microsoft.NETCore.App/*")
    host, = glob.glob(f"{root}/host/fxr/*/libhostfxr.so")
    shutil.copytree(os.path.realpath(runtime), place)
    for path in (host, *glob.glob(f"{made}/*")):
        shutil.copy(path, place)
    with open(f"{place}/{fixture}.runtimeconfig.json", "w") as file:
        file.write(CONFIG.format(os.path.basename(runtime)))
    return [f"{place}/{fixture}"]


def single_file(t, fixture, config):
    config = "Release/" if config == "Release" else ""
    space = {"Heap": "HeapShape"}.get(fixture, fixture)
    return [f"{CACHE}/single/{config}{t.runtime}/Single", space]


HOSTS = {"framework-dependent": framework_dependent,
         "self-contained": self_contained, "single-file": single_file}


# ---- Who writes them ---------------------------------------------------------

def bare(words):
    """The words that start a program without a debugger."""
    return ["dotnet", *words] if words[0].endswith(".dll") else words


def dump(t, words, kind):
    """Have the runtime's own createdump write a core."""
    path = f"{t.dir}/{kind}.core"
    done = subprocess.run(bare(words), stdout=subprocess.DEVNULL,
                          env={**t.env, **crash_settings(path, kind)},
                          stderr=subprocess.PIPE, timeout=300 * TIME)
    t.check(os.path.exists(path), f"createdump wrote no '{path}':\n"
            + done.stderr.decode(errors="replace"))
    return path


def dump_running(t, pid, option):
    """Have createdump write a core of a process that goes on (-n: mini)."""
    path = f"{t.dir}/running{option}.core"
    tool, = glob.glob(f"{t.env['DOTNET_ROOT']}/shared/Microsoft.NETCore.App"
                      "/*/createdump")
    done = subprocess.run([tool, option, "-f", path, pid], text=True,
                          timeout=300 * TIME, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    t.check(os.path.exists(path), f"createdump wrote no '{path}':\n"
            + done.stdout)
    return path


def kernel_core(t, words, pages=None):
    """A core that the kernel writes, of these kinds of pages (coredump_filter);
    None where it gives it to a program."""
    with open("/proc/sys/kernel/core_pattern") as file:
        if "/" in file.read():
            return None
    where = f"{t.dir}/kernel"
    os.makedirs(where, exist_ok=True)
    limit = resource.getrlimit(resource.RLIMIT_CORE)[1]

    def prepare():
        resource.setrlimit(resource.RLIMIT_CORE, (limit, limit))
        if pages:
            with open("/proc/self/coredump_filter", "w") as file:
                file.write(pages)

    subprocess.run(bare(words), env=t.env, cwd=where, timeout=300 * TIME,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   preexec_fn=prepare)
    return glob.glob(f"{where}/core*")[0]


def flags(commands):
    return [word for command in commands for word in ("-ex", command)]


def core(t, path, commands=LOOK):
    return t.run("--batch", *flags(commands), "--core", path)


def shown(text):
    """The part that the commands of LOOK printed, addresses aside."""
    found = re.search(r"^#0 ", text, re.M)
    if not found:
        raise Failure("no stack is shown:\n" + text)
    return re.sub(r"0x[0-9a-f]{16}", "{addr}", text[found.start():]).strip()


def own(t, kind):
    return f"{t.dir}/own-{kind}.core"


def live(t, words):
    """What the program itself shows where nobody catches its exception. A
    core of each kind is written there, and of a snapshot, which has to show
    the same."""
    done = t.batch(["catch unhandled", "run", *LOOK,
                    *(f"gcore {option} {own(t, kind)}"
                      for kind, option in OWN.items()), "snapshot", *LOOK,
                    f"gcore --heap {own(t, 'snapshot')}"], words)
    text, frozen = shown(done.stdout).split("[Snapshot of process ")
    text = text[:text.index("Saved corefile")].strip()
    t.check_equal(text, shown(frozen[:frozen.index("Saved corefile")]))
    return text


def same(wanted, got):
    """Is there all that the program showed, or that it cannot be read?"""
    parts = re.split("<cannot read 0x[0-9a-f]+>|<not in the core>", got)
    return re.fullmatch(".*".join(map(re.escape, parts)), wanted)


# ---- Damage ------------------------------------------------------------------

class Damaged:
    """The words of a core's memory, to be changed."""

    def __init__(self, path):
        self.path = path
        with open(path, "rb") as file:
            self.bytes = bytearray(file.read())
        at, = struct.unpack_from("<Q", self.bytes, 32)
        count, = struct.unpack_from("<H", self.bytes, 56)
        self.segments = []
        for i in range(count):
            kind, _, offset, start, _, size = struct.unpack_from(
                "<IIQQQQ", self.bytes, at + 56 * i)
            if kind == 1:  # PT_LOAD
                self.segments.append((start, start + size, offset))

    def place(self, addr):
        for start, end, offset in self.segments:
            if start <= addr <= end - 8:
                return offset + addr - start
        return None

    def word(self, addr):
        """None where the core has nothing."""
        at = self.place(addr)
        return None if at is None else struct.unpack_from("<Q", self.bytes,
                                                          at)[0]

    def put(self, addr, word):
        struct.pack_into("<Q", self.bytes, self.place(addr), word)

    def save(self, path):
        with open(path, "wb") as file:
            file.write(self.bytes)
        return path

    def pointers(self):
        """Words that lead into the core: (offset, address, word)."""
        found = []
        starts = [start for start, _, _ in sorted(self.segments)]
        ends = {start: end for start, end, _ in self.segments}
        for start, end, offset in self.segments:
            count = max(0, min(end - start, len(self.bytes) - offset)) // 8
            words = struct.unpack_from(f"<{count}Q", self.bytes, offset)
            for i, word in enumerate(words):
                if word & 7 or not starts[0] <= word < 1 << 47:
                    continue
                at = starts[bisect.bisect_right(starts, word) - 1]
                if word < ends[at]:
                    found.append((offset + 8 * i, start + 8 * i, word))
        return found

    def link(self, objects):
        """The offset of what leads from each of a list's objects to the
        next."""
        for offset in range(0, 0xd00, 8):
            if all(self.word(one + offset) in (other, other + offset)
                   for one, other in zip(objects, objects[1:])):
                return offset
        raise Failure(f"{self.path}: no list of {objects}")
