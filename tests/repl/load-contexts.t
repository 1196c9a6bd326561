#! fixture=Loads args="contexts bytes"
## One assembly in several load contexts, and from bytes: bound in each.
+break @plugin-run
Breakpoint 1 (LoadsPlugin.cs:{@plugin-run}) pending: no file of the program has symbols for 'LoadsPlugin.cs'.
+break LoadsPlugin!Generic.Add
Breakpoint 2 (LoadsPlugin!Generic.Add) pending: module 'LoadsPlugin' is not loaded.
+disable 1
+run
Starting program: {out}/Loads.dll contexts bytes

Breakpoint 2, Plugin.Generic<string>.Add (n=1) at LoadsPlugin.cs:{@plugin-generic}
{@plugin-generic}{...}
+info sharedlibrary Plugin
From                To                  Syms Read Shared Object Library
{addr}  {addr}  Yes       {out}/LoadsPlugin.dll (context first)
                                                   {out}/LoadsPlugin.pdb
{addr}  {addr}  Yes       {out}/LoadsPlugin.dll
                                                   {out}/LoadsPlugin.pdb
+continue
Continuing.

Breakpoint 2, Plugin.Generic<string>.Add (n=1) at LoadsPlugin.cs:{@plugin-generic}
{@plugin-generic}{...}
+info breakpoints
Num     Type           Disp Enb Address            What
1       breakpoint     keep n   <MULTIPLE>         LoadsPlugin.cs:{@plugin-run}
1.1                         n   {addr} in Plugin.Work.Run(int) at LoadsPlugin.cs:{@plugin-run}
1.2                         n   {addr} in Plugin.Work.Run(int) at LoadsPlugin.cs:{@plugin-run}
2       breakpoint     keep y   <MULTIPLE>         LoadsPlugin!Generic.Add
	breakpoint already hit 2 times
2.1                         y   {addr} in Plugin.Generic<T>.Add(int) at LoadsPlugin.cs:{@plugin-generic}
2.2                         y   {addr} in Plugin.Generic<T>.Add(int) at LoadsPlugin.cs:{@plugin-generic}
+enable 1
+disable 2
+continue
Continuing.

Breakpoint 1, Plugin.Work.Run (n=3) at LoadsPlugin.cs:{@plugin-run}
{@plugin-run}{...}
+print Plugin.Work.calls
$1 = 1
+continue
Continuing.
9 11 14

Breakpoint 1, Plugin.Work.Run (n=5) at LoadsPlugin.cs:{@plugin-run}
{@plugin-run}{...}
+info sharedlibrary Plugin
From                To                  Syms Read Shared Object Library
{addr}  {addr}  Yes       {out}/LoadsPlugin.dll (context first)
                                                   {out}/LoadsPlugin.pdb
{addr}  {addr}  Yes       {out}/LoadsPlugin.dll (context second)
                                                   {out}/LoadsPlugin.pdb
{addr}  {addr}  Yes       LoadsPlugin.dll (context Assembly.Load(byte[], ...))
                                                   {out}/LoadsPlugin.pdb
{addr}  {addr}  Yes       LoadsPlugin.dll
                                                   {out}/LoadsPlugin.pdb
+kill
[Inferior 1 (process {n}) killed]
