#! fixture=Assign args="gc" time=90
## The only reference to a young object is written into an old one (a field,
## an element, a static, structs with references): it lives through the
## collections of the young, of a workstation and of a server.
+break @store
Breakpoint 1 at {...}: file Assign.cs, line {@store}.
+commands
>silent
>set var keeper.Field = a
>set var a = null
>set var many[77777] = b
>set var b = null
>set var Shared.Item = c
>set var c = null
>set var slots[50] = slot
>set var keeper.Inside.Item = slot.Item
>set var slot = default
>continue
>end
+run
Starting program: {out}/Assign.dll gc
2 2 2
...
True True True 9 True True True
...
True True True 9 True True True
...
True True True 9 True True True
ok
[Inferior 1 (process {n}) exited normally]
+set environment DOTNET_gcServer=1
+run
Starting program: {out}/Assign.dll gc
2 2 2
...
True True True 9 True True True
...
True True True 9 True True True
...
True True True 9 True True True
ok
[Inferior 1 (process {n}) exited normally]
## While a collection of all marks in the background.
+set environment DOTNET_gcServer=0
+set args background
+run
Starting program: {out}/Assign.dll background
...
True True
ok
[Inferior 1 (process {n}) exited normally]
