"""Programs in a container: of other pids, mounts and root, with a runtime that
nobody outside can name. Only root can make one."""
import os

SCRIPT = """
set -e
root=$1
mount --rbind / "$root"
mount -t tmpfs tmpfs "$root/mnt"
mkdir "$root/mnt/dotnet" "$root/mnt/app"
mount --bind "$2" "$root/mnt/dotnet"
mount --bind "$3" "$root/mnt/app"
mount -t proc proc "$root/proc"
export DOTNET_ROOT=/mnt/dotnet
shift 3
exec chroot "$root" /mnt/dotnet/dotnet "$@"
"""


def words(t, fixture, *args, dotnet=None):
    """What starts a fixture as the first process of one."""
    root = os.path.join(t.dir, "root")
    os.mkdir(root)
    return ["unshare", "--pid", "--fork", "--mount", "sh", "-c", SCRIPT, "sh",
            root, os.path.realpath(dotnet or t.env["DOTNET_ROOT"]),
            os.path.dirname(t.program(fixture)[0]), f"/mnt/app/{fixture}.dll",
            *args]
