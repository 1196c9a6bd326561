#! fixture=Displays
## [DebuggerDisplay]: the line that a type's author wants to be seen.
+break @shown
Breakpoint 1 at {...}: file Displays.cs, line {@shown}.
+run
Starting program: {out}/Displays.dll

Breakpoint 1, Displays.Program.Main () at Displays.cs:{@shown}
{@shown}{...}
+print customer
$1 = Ann <ann@example.org>
+print order
$2 = Order 7: 2 lines for Ann <ann@example.org>, "big"
+print special
$3 = Order 8: 0 lines for Ann <ann@example.org>, "small"
+print point
$4 = 3{4}
+print wrong
$5 = {A = 1}
