#! fixture=HitLoop args=5 exit=1
## What is no variable is said in a sentence.
+tbreak @main
...
+run
...
{@main}	{...}
+display $nosuch
1: $nosuch = <error: '$nosuch' is void: "set $nosuch = VALUE" gives it a value>
+undisplay 1
+set $keep = args
+next
{n}	{...}
+display $keep
2: $keep = <error: $keep is of an earlier stop: only numbers and strings are kept while the program runs>
+display args@2
3: args@2 = <error: Only an element (a[i]@n) and what a pointer points to (*p@n) can be extended with '@'.>
+display args[0]@0
4: args[0]@0 = <error: Invalid number 0 of repetitions.>
+display args[0]@3
5: args[0]@3 = {"5", <error: {...}>}
+set $rip = 3
{...}Error in sourced command file: '$rip' is a register, which cannot be assigned to.
