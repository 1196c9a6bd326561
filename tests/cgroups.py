"""Groups of processes with a limit, where the machine lets tests make some."""
import os
import re
import signal


class Group:
    """A cgroup; when its test is over it is removed, with who is in it."""
    pid = 0

    def __init__(self, t, where):
        os.mkdir(where)
        self.t = t
        self.where = where
        t.sessions.append(self)

    def close(self):
        self.t.wait_for(f"the end of all in {self.where}", self.gone)

    def gone(self):
        try:
            with open(f"{self.where}/cgroup.procs") as file:
                for pid in file:
                    os.kill(int(pid), signal.SIGKILL)
        except OSError:
            pass  # it is gone, or the process is
        return removed(self.where)


def group_below_own(t, controller, name):
    """A cgroup of that name below the one that the test is in, of the hierarchy
    of @controller (a pattern) or the only one; None where none may be made."""
    with open("/proc/self/cgroup") as file:
        found = re.search(rf"^\d+:({controller})?:(.*)$", file.read(), re.M)
    if not found:
        return None
    try:
        return Group(t, f"/sys/fs/cgroup/{found[1] or ''}{found[2].rstrip('/')}"
                        f"/{name}")
    except OSError:
        return None


def of_memory(t, limit):
    """A cgroup of its own with a limit, None where none may be made; the
    function that puts a process into it."""
    group = group_below_own(t, "memory", f"dndbg-{t.tag}")
    if not group:
        return None, None
    where = group.where
    for name, peak in (("memory.limit_in_bytes", "memory.max_usage_in_bytes"),
                       ("memory.max", "memory.peak")):
        if all(os.path.exists(f"{where}/{one}") for one in (name, peak)):
            with open(f"{where}/{name}", "w") as file:
                file.write(str(limit))
            if os.path.exists(f"{where}/memory.swap.max"):
                with open(f"{where}/memory.swap.max", "w") as file:
                    file.write("0")
            return where, lambda: open(f"{where}/cgroup.procs",
                                       "w").write(str(os.getpid()))
    group.close()
    return None, None


def of_cpu(t, percent):
    """A cgroup of its own that has so much of a processor, None where none may
    be made; the function that puts a process into it."""
    group = group_below_own(t, "cpu(?:,cpuacct)?", f"dndbg-cpu-{t.tag}")
    if not group:
        return None, None
    where = group.where
    for name, limit in (("cpu.cfs_quota_us", percent * 1000),
                        ("cpu.max", f"{percent * 1000} 100000")):
        if os.path.exists(f"{where}/{name}"):
            with open(f"{where}/{name}", "w") as file:
                file.write(str(limit))
            return where, lambda pid: open(f"{where}/cgroup.procs",
                                           "w").write(str(pid))
    group.close()
    return None, None


def removed(where):
    try:
        os.rmdir(where)
    except OSError:
        return not os.path.exists(where)
    return True


def number(path, key=""):
    """The number behind a key at the beginning of a line."""
    with open(path) as file:
        return int(re.search(rf"^{key}(\d+)", file.read(), re.M)[1])


def memory_held(where):
    """Bytes that a group uses beside pages of files, which the kernel could take
    back; its limit's file."""
    for used, limit, names in (
            ("memory.usage_in_bytes", "memory.limit_in_bytes",
             ("total_active_file ", "total_inactive_file ")),
            ("memory.current", "memory.max",
             ("active_file ", "inactive_file "))):
        if os.path.exists(f"{where}/{used}"):
            return (number(f"{where}/{used}") -
                    sum(number(f"{where}/memory.stat", name)
                        for name in names), f"{where}/{limit}")
    raise OSError(f"{where} counts no memory")
