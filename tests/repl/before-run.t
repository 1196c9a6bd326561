#! fixture=Names exit=1
## Of a program that is not run the files tell: names, sources, places.
+info source
No current source file.
+break Program.Local
Breakpoint 1 at Names.Program.Local: file Names.cs, line {n}.
+break @nested
Breakpoint 2 at Names.Program.Nested.lambda: file Names.cs, line {@nested}.
+tbreak Names.Pair.Put
Temporary breakpoint 3 at Names.Pair<T>.Put: file Names.cs, line {n}.
+break Program.Locale
Breakpoint 4 (Program.Locale) pending: no method 'Program.Locale' in the program's files.
+break Name.cs:12
Breakpoint 5 (Name.cs:12) pending: no file of the program has symbols for 'Name.cs'.
+break Names.cs:9999
Breakpoint 6 (Names.cs:9999) pending: no code at or after line 9999 of 'Names.cs'.
+delete
+break @await-loop
Breakpoint 7 at Names.Program.Await: file Names.cs, line {@await-loop}.
+list
{n}	{...}
...
+info source
Current source file is Names.cs
Located in {src}/Names.cs
Contains {n} lines.
Source language is C#.
+info sources Names
{src}/Names.cs
+list @primary,@primary
{@primary}	            return x + seed + label.Length; // @primary
+info line @primary
Line {@primary} of "Names.cs" is not compiled yet <Names.Seeded.Get(int)>.
+info line Seeded.Get
Line {@primary} of "Names.cs" is not compiled yet <Names.Seeded.Get(int)>.
+info functions Seeded
All functions matching regular expression "Seeded":

File Names.cs:
{n}:	int Names.Seeded.Get(int);
{n}:	Names.Seeded.Seeded(int, string);
+complete break Names.Seeded.
break Names.Seeded.Get
break Names.Seeded.Seeded
+info breakpoints
Num     Type           Disp Enb Address            What
7       breakpoint     keep y   <not compiled>     in Names.Program.Await(int, System.Collections.Generic.List<string>) at Names.cs:{@await-loop}
+run
Starting program: {out}/Names.dll

Breakpoint 7, Names.Program.Await {...} at Names.cs:{@await-loop}
{@await-loop}{...}
+kill
[Inferior 1 (process {n}) killed]
+info breakpoints
Num     Type           Disp Enb Address            What
7       breakpoint     keep y   <not compiled>     in Names.Program.Await(int, System.Collections.Generic.List<string>) at Names.cs:{@await-loop}
	breakpoint already hit 1 time
+file
+info functions Seeded
{...}Error in sourced command file: {...}
