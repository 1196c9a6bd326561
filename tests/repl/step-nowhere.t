#! fixture=Steps args=loops
+tbreak @loops
Temporary breakpoint 1 at {...}: file Steps.cs, line {@loops}.
+run
Starting program: {out}/Steps.dll loops

Temporary breakpoint 1, Steps.Program.Loops () at Steps.cs:{@loops}
{@loops}{...}// @loops
+advance Nowhere.Method
{...}no method 'Nowhere.Method' in the loaded modules.
