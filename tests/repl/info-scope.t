#! fixture=Names exit=1
## What a place has in scope, of a program that is not run and of one that is.
+info scope @struct-this
Scope for Names.cs:{@struct-this}:
Symbol n is an argument of type int.
+info scope @await-loop
Scope for Names.cs:{@await-loop}:
Symbol count is an argument of type int.
Symbol words is an argument of type System.Collections.Generic.List<string>.
...
Symbol word is a variable of type string.
...
+info scope Program.Local
Scope for Program.Local:
Symbol argument is an argument of type int.
+tbreak @generic-class
...
+run
...
{@generic-class}{...}
+info scope @generic-class
Scope for Names.cs:{@generic-class}:
Symbol item is an argument of type T.
Symbol inner is a variable of type Names.Pair<T>.Inner.
Symbol same is a variable of type System.Func<T, bool>.
+info symbol $pc
Names.Pair<T>.Put(T) + {n}
+return 3
{...}Error in sourced command file: A managed frame cannot be dropped: the runtime would not release the locks that it holds, nor run its finally blocks. Use "finish" to run to its end, or "jump" or "set next-statement" to go to its return statement.
