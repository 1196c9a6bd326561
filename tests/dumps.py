"""Core dumps to look at."""
import os
import subprocess

# What createdump is told by, and how much it writes.
KINDS = {"mini": "1", "heap": "2", "full": "4"}


def dump(t, words, kind):
    """Have the runtime's own createdump write a core."""
    path = f"{t.dir}/{kind}.core"
    env = {**t.env, "DOTNET_DbgEnableMiniDump": "1",
           "DOTNET_DbgMiniDumpType": KINDS[kind],
           "DOTNET_DbgMiniDumpName": path}
    subprocess.run(["dotnet", *words], env=env, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, timeout=60)
    t.check(os.path.exists(path), f"createdump wrote no '{path}'")
    return path
