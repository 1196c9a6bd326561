#! fixture=Loads args="contexts 1 bytes" exit=0
## Assemblies that come and go, by their path or, from bytes, their name.
+catch load Plugin
Catchpoint 1 (load Plugin)
+tcatch unload ^/.*Plugin\.dll$
Temporary catchpoint 2 (unload ^/.*Plugin\.dll$)
+catch load nothing|like this
Catchpoint 3 (load nothing|like this)
+tcatch load
Temporary catchpoint 4 (load)
+run
Starting program: {out}/Loads.dll contexts 1 bytes

Temporary catchpoint 4
  Inferior loaded {out}/Loads.dll
{addr} in {...}
+info breakpoints
Num     Type           Disp Enb Address            What
1       catchpoint     keep y                      load of library matching Plugin
2       catchpoint     del  y                      unload of library matching ^/.*Plugin\.dll$
3       catchpoint     keep y                      load of library matching nothing|like this
+continue
Continuing.

Catchpoint 1
  Inferior loaded {out}/LoadsPlugin.dll
{addr} in System.Runtime.Loader.AssemblyLoadContext.LoadFromAssemblyPath (...) from System.Private.CoreLib.dll (IL {...})
+info program
Program: {out}/Loads.dll
Process {n}, stopped in thread 1.
It stopped where a library was loaded.
It stopped at breakpoint 1.
+ignore 1 1
Will ignore next 1 crossing of breakpoint 1.
## The second context; then the one that goes again.
+continue
Continuing.
9 11 14

Catchpoint 1
  Inferior loaded {out}/LoadsPlugin.dll
{addr} in System.Runtime.Loader.AssemblyLoadContext.LoadFromAssemblyPath (...) from System.Private.CoreLib.dll (IL {...})
+disable 1
+continue
Continuing.
...
Temporary catchpoint 2
  Inferior unloaded {out}/LoadsPlugin.dll
...
+catch load ^LoadsPlugin
Catchpoint 5 (load ^LoadsPlugin)
+continue
Continuing.
unloads 7 left 0
[Switching to thread 1 (Thread {n} "Main Thread")]

Catchpoint 5
  Inferior loaded LoadsPlugin.dll
...
+continue
Continuing.

Catchpoint 5
  Inferior loaded LoadsPlugin.dll
...
+info breakpoints
Num     Type           Disp Enb Address            What
1       catchpoint     keep n                      load of library matching Plugin
	breakpoint already hit 3 times
3       catchpoint     keep y                      load of library matching nothing|like this
5       catchpoint     keep y                      load of library matching ^LoadsPlugin
	breakpoint already hit 2 times
+delete
+continue
Continuing.
17 19
ok
[Inferior 1 (process {n}) exited normally]
