#! fixture=Names exit=1
## Functions, types and static fields by pattern: what the source names, and
## none of what the compiler made of it.
+tbreak @generic-class
...
+run
...
{@generic-class}{...}
+info functions Names\.Pair
All functions matching regular expression "Names\.Pair":

File Names.cs:
{n}:	static Names.Pair<T>..cctor();
{n}:	static void Names.Pair<T>.Both<U>(U, T);
{n}:	static Names.Pair<T>.Inner..cctor();
{n}:	void Names.Pair<T>.Put(T);
{n}:	bool Names.Pair<T>.Put.lambda(T);

Without line numbers, in Names.dll:
	Names.Pair<T>.Inner.Inner();
	Names.Pair<T>.Pair();
+info functions -n (Await|Stream|Pure|<Main>)
All functions matching regular expression "(Await|Stream|Pure|<Main>)":

File Names.cs:
{n}:	static System.Threading.Tasks.Task<int> Names.Program.Await(int, System.Collections.Generic.List<string>);
{n}:	int Names.Program.Await.lambda(int);
{n}:	static int Names.Program.Local.Pure(int);
{n}:	static System.Collections.Generic.IAsyncEnumerable<int> Names.Program.Stream(int);
+info functions Get\(int\)$
All functions matching regular expression "Get\(int\)$":

File Names.cs:
{n}:	int Names.Seeded.Get(int);
...
+info functions -t ^bool ^string.IsNullOrEmpty
All functions matching regular expression "^string.IsNullOrEmpty" with type matching regular expression "^bool":

Without line numbers, in System.Private.CoreLib.dll:
	static bool string.IsNullOrEmpty(string);
+info functions -t ^int ^string.IsNullOrEmpty
All functions matching regular expression "^string.IsNullOrEmpty" with type matching regular expression "^int":
+info functions -q nosuchname
+info types
All defined types:

File Names.cs:
	struct Names.Counter;
	class Names.Cube;
	class Names.Far.Distant;
	class Names.Pair<T>;
	class Names.Pair<T>.Inner;
	class Names.Program;
	class Names.Seeded;
	class Names.Square;

Without line numbers, in Names.dll:
	interface Names.IShape;
+info types -m System.Private.CoreLib ^System\.(Action|DayOfWeek|IDisposable|DateTime)$
All types matching regular expression "^System\.(Action|DayOfWeek|IDisposable|DateTime)$":

Without line numbers, in System.Private.CoreLib.dll:
	delegate System.Action;
	struct System.DateTime;
	enum System.DayOfWeek;
	interface System.IDisposable;
+info variables
All defined variables:

File Names.cs:
	static int Names.Far.Distant.Here;
	static (int, string) Names.Far.Distant.Pair;
	static int Names.Pair<T>.Inner.Count;
	static int Names.Pair<T>.made;
	static int Names.Program.depth;
+info variables -t string -m Names.dll .
All variables matching regular expression "." with type matching regular expression "string":

File Names.cs:
	static (int, string) Names.Far.Distant.Pair;
+info functions -m nosuch .
{...}Error in sourced command file: no module 'nosuch'.
