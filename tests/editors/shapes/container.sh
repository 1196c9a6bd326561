#!/bin/sh
# App as the first process of a container: of its own pids, mounts and root,
# with a dndbg in its PATH. Prints what App prints.
cd "$(dirname "$0")" || exit
dotnet=$(dirname "$(readlink -f "$(command -v dotnet)")")
dndbg=$(echo "$EDITORS"/person/extensions/dndbg*/bin)
exec unshare --pid --fork --kill-child --mount sh -ec '
	mkdir -p "$1/root"
	mount --rbind / "$1/root"
	mount -t tmpfs tmpfs "$1/root/mnt"
	mkdir "$1/root/mnt/dotnet" "$1/root/mnt/app" "$1/root/mnt/tmp"
	mount --bind "$2" "$1/root/mnt/dotnet"
	mount --bind "$1/moved" "$1/root/mnt/app"
	mount --bind "$3" "$1/root/usr/local/bin"
	mount -t proc proc "$1/root/proc"
	exec chroot "$1/root" env -i PATH=/usr/local/bin:/usr/bin:/bin \
		TMPDIR=/mnt/tmp /mnt/dotnet/dotnet /mnt/app/App.dll ready
' sh "$PWD" "$dotnet" "$dndbg"
