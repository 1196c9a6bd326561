"""What can be seen of processes from outside, for whoever has to understand
later why one of them hung, died or kept something of a debugger."""
import glob
import os
import re
import shutil
import struct
import subprocess

import drive

NET = re.compile(r"^([0-9a-f]+)-([0-9a-f]+) r-xp 00000000 00:00 0 *$", re.M)
# Of net_code.h: the head of struct net_data, its masks, its traps.
HEAD = struct.Struct("<Q" + "4Q" * 3 + "Q16s")
MASKS, TRAPS = 64, 65536
STATUS = ("Name", "State", "TracerPid", "SigPnd", "ShdPnd", "SigBlk",
          "SigIgn", "SigCgt")


def read(path):
    try:
        with open(path, errors="replace") as file:
            return file.read()
    except OSError as e:
        return f"({e.strerror})\n"


def task_text(pid, tid):
    base = f"/proc/{pid}/task/{tid}"
    status = [" ".join(line.split()) for line in
              read(f"{base}/status").splitlines()
              if line.startswith(STATUS)]
    return (f"task {tid}: {', '.join(status)}\n"
            f"  waits in {read(base + '/wchan')}, call and registers "
            f"{read(base + '/syscall')}{read(base + '/stack')}")


def tasks_text(pid):
    """Where the threads of a process stand."""
    tids = sorted(map(int, filter(str.isdigit, map(
        os.path.basename, glob.glob(f"/proc/{pid}/task/*")))))
    return "".join(task_text(pid, tid) for tid in tids)


def nets(pid):
    """The nets in a process: their lines of its map."""
    with open(f"/proc/{pid}/maps") as file:
        return [match.group(0) for match in NET.finditer(file.read())]


def net_text(pid, line):
    """What the table of a net says."""
    addr = int(NET.match(line).group(2), 16)
    size = HEAD.size + MASKS * 16 + 8 + TRAPS * 8
    try:
        with open(f"/proc/{pid}/mem", "rb") as file:
            file.seek(addr)
            data = file.read(size)
    except OSError as e:
        return f"net {line}: {e.strerror}\n"
    head = HEAD.unpack_from(data)
    masks = struct.unpack_from(f"<{2 * MASKS}Q", data, HEAD.size)
    n, *traps = struct.unpack_from(f"<{1 + TRAPS}Q", data,
                                   HEAD.size + MASKS * 16)
    return (f"net {line}: magic {head[0]:x}, lock {head[13]}, "
            f"old handler {head[5]:x}, {n} slots\n"
            f"  masks {[f'{v:x}' for v in masks if v]}\n"
            f"  traps {[f'{v:x}' for v in traps[:n] if v]}\n")


def process_text(pid):
    """Everything of a process, without touching it."""
    text = f"process {pid}: {' '.join(read(f'/proc/{pid}/cmdline').split(chr(0)))}\n"
    text += tasks_text(pid)
    try:
        for line in nets(pid):
            text += net_text(pid, line)
    except OSError as e:
        text += f"no map: {e.strerror}\n"
    return text


def stacks_text(pid):
    """Its native stacks and registers; it is stopped for that, if it can be."""
    if not shutil.which("gdb"):
        return "no gdb\n"
    try:
        done = subprocess.run(
            ["gdb", "--batch", "-nx", "-p", str(pid),
             "-ex", "thread apply all bt 40",
             "-ex", "thread apply all info registers"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace",
            timeout=60 * drive.TIME)
    except subprocess.TimeoutExpired:
        return "gdb did not end\n"
    return done.stdout


def keep(directory, name, text):
    os.makedirs(directory, exist_ok=True)
    with open(f"{directory}/{name}", "a") as file:
        file.write(text)


def keep_processes(directory, pids):
    """Keep what is to be seen of these: at first without touching any."""
    for pid in pids:
        keep(directory, f"{pid}.txt", process_text(pid))
        keep(directory, f"{pid}.maps", read(f"/proc/{pid}/maps"))
    for pid in pids:
        keep(directory, f"{pid}.stacks", stacks_text(pid))
