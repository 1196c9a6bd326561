#! fixture=Loads args="emitted"
## Methods of Reflection.Emit and DynamicMethods have names in stacks.
+break @back
Breakpoint 1 at {...}: file Loads.cs, line {@back}.
+run
Starting program: {out}/Loads.dll emitted

Breakpoint 1, Loads.Program.Back (n=8) at Loads.cs:{@back}
{@back}{...}
+bt 2
\#0  Loads.Program.Back (n=8) at Loads.cs:{@back}
\#1  {addr} in Made.Thing.Twice (int) from Made (IL 0x0000)
(More stack frames follow...)
+up
\#1  {addr} in Made.Thing.Twice (int) from Made (IL 0x0000)
+info args
No arguments.
+info sharedlibrary Made
From                To                  Syms Read Shared Object Library
{addr}  {addr}  No        Made (optimized)
                                                   made by Reflection.Emit: there is no image and there are no symbols
+continue
Continuing.
10

Breakpoint 1, Loads.Program.Back (n=10) at Loads.cs:{@back}
{@back}{...}
+bt 2
\#0  Loads.Program.Back (n=10) at Loads.cs:{@back}
\#1  {addr} in [dynamic] Light (int)
(More stack frames follow...)
+up
\#1  {addr} in [dynamic] Light (int)
+info locals
No locals.
+kill
[Inferior 1 (process {n}) killed]
