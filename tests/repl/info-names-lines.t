#! fixture=Hello args=a exit=1
## Where a function begins; a pattern that is none.
+tbreak @print
...
+run
...
{@print}{...}
+info functions Program
All functions matching regular expression "Program":

File Hello.cs:
{@add-open}:	static int Hello.Program.Add(int, int);
{@main-open}:	static int Hello.Program.Main(string[]);
...
+info functions -x Program
{...}Error in sourced command file: No option "-x": there are -q, -n, -t TYPE-REGEX and -m MODULE.
