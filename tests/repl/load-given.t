#! fixture=Loads args=given exit=0
## A PDB that is nowhere but in the bytes given to the runtime with those of
## the assembly: breakpoints bind before any of its code runs.
+break @plugin-run
Breakpoint 1 (LoadsPlugin.cs:{@plugin-run}) pending: no file of the program has symbols for 'LoadsPlugin.cs'.
+run
Starting program: {out}/Loads.dll given

Breakpoint 1, Plugin.Work.Run (n=7) at LoadsPlugin.cs:{@plugin-run}
{@plugin-run}{...}// @plugin-run
+info sharedlibrary Plugin
From                To                  Syms Read Shared Object Library
{addr}  {addr}  Yes       LoadsPlugin.dll
                                                   in memory, given with the assembly
+continue
Continuing.
{n}

Breakpoint 1, Plugin.Work.Run (n=8) at LoadsPlugin.cs:{@plugin-run}
{@plugin-run}{...}// @plugin-run
+delete
+continue
Continuing.
{n}
ok
[Inferior 1 (process {n}) exited normally]
