#! fixture=Rethrown args=again exit=134
## A frame that is gone cannot be finished, and has no variables.
+run
...
[thrown] Rethrown.Program.Deep (int) at Rethrown.cs:{@throw}
{@throw}{...}// @throw
+frame 2
#2  [thrown] Rethrown.Program.Again () at Rethrown.cs:{@kept}
{@kept}{...}// @kept
+finish
Run till exit from #2  [thrown] Rethrown.Program.Again () at Rethrown.cs:{@kept}
{...}frame 2 is not on the stack any more: it led to the throw.
