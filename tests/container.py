"""Programs in a container: of other pids, mounts and root, with a runtime that
nobody outside can name. Only root can make one."""
import os

SCRIPT = """
set -e
root=$1
mount --rbind "$2" "$root"
mount -t tmpfs tmpfs "$root/mnt"
mkdir "$root/mnt/dotnet" "$root/mnt/app" "$root/mnt/tmp"
mount --bind "$3" "$root/mnt/dotnet"
mount --bind "$4" "$root/mnt/app"
mount -t proc proc "$root/proc"
[ "$2" = / ] || mount --rbind /dev "$root/dev"
[ "$2" = / ] || mount --bind /tmp "$root/tmp"
# The runtimes of two containers that start in the same tick of the clock would
# have one socket in one directory.
export DOTNET_ROOT=/mnt/dotnet TMPDIR=/mnt/tmp
shift 4
exec chroot "$root" /mnt/dotnet/dotnet "$@"
"""


def files(dotnet):
    """What a container with this runtime has as its root: ours, or, of a
    runtime that scripts/fetch-musl has made, only what is there."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(dotnet)))
    return root if os.path.exists(f"{root}/lib/libc.musl-x86_64.so.1") else "/"


def words(t, fixture, *args, dotnet=None, first=True):
    """What starts a fixture as the first process of one; or not as that, in a
    mount namespace alone."""
    root = os.path.join(t.dir, "root")
    os.makedirs(root, exist_ok=True)
    dotnet = os.path.realpath(dotnet or t.env["DOTNET_ROOT"])
    return ["unshare", *(["--pid", "--fork"] if first else []), "--mount", "sh", "-c", SCRIPT, "sh",
            root, files(dotnet), dotnet,
            os.path.dirname(t.program(fixture)[0]), f"/mnt/app/{fixture}.dll",
            *args]


AS_NOBODY = """
set -e
mount -t tmpfs tmpfs /mnt
mkdir /mnt/dotnet /mnt/app
mount --bind "$1" /mnt/dotnet
mount --bind "$2" /mnt/app
cp "$3" /mnt/dndbg
cp /bin/sleep /mnt/sleep
chmod 4755 /mnt/sleep
if [ "$4" ]
then
    mount -t tmpfs tmpfs /proc/sys/kernel
    mkdir /proc/sys/kernel/yama
    echo "$4" >/proc/sys/kernel/yama/ptrace_scope
fi
shift 4
cd /mnt
export DOTNET_ROOT=/mnt/dotnet HOME=/mnt
exec setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
"""


def as_nobody(t, *words, scope="", fixture="Busy"):
    """The words that run others as a user who may do nothing."""
    return ["unshare", "--mount", "sh", "-c", AS_NOBODY, "sh",
            os.path.realpath(t.env["DOTNET_ROOT"]),
            os.path.dirname(t.program(fixture)[0]), t.dndbg, scope, *words]
