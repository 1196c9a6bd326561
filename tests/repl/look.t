#! fixture=Hello args=a exit=0
## What is shown at each stop, in which form, and what memory and code hold.
+break @print
Breakpoint 1 at {...}: file Hello.cs, line {@print}.
+info display
There are no auto-display expressions now.
+run
...
{@print}	{...}// @print
+display sum
1: sum = 5
+display/x sum
2: /x sum = 0x5
+display 1 / (sum - 5)
3: 1 / (sum - 5) = <error: {...}>
+undisplay 3
+info display
Auto-display expressions now in effect:
Num Enb Expression
1:   y  sum
2:   y  /x sum
+next
hello a 5
{@last}	{...}// @last
1: sum = 5
2: /x sum = 0x5
+undisplay 1
+disable display 2
+next
ok
{@return}	{...}// @return
+enable display
+display
2: /x sum = 0x5
+delete display
+info display
There are no auto-display expressions now.
+print/x sum
$1 = 0x5
+print/t sum
$2 = 101
+print sum
$3 = 5
+output sum
>echo \n
5+echo \n

+whatis sum
type = int
+ptype sum
type = int
+print args
$4 = {"a"}
+set print elements 0
+print args[0]
$5 = "a"
+info source
Current source file is Hello.cs
Located in {src}/Hello.cs
Contains {n} lines.
Source language is C#.
Symbols of module Hello.dll.
+info line
Line {@return} of "Hello.cs" starts at address {addr} <Hello.Program.Main(string[])>.
+info line *$pc
Line {@return} of "Hello.cs" starts at address {addr} <Hello.Program.Main(string[])>.
+info line Add
Line {@add} of "Hello.cs" starts at address {addr} <Hello.Program.Add(int, int)>.
+info frame
Stack level 0, frame at {addr}:
 pc = {addr} in Hello.Program.Main(string[]) (Hello.cs:{@return})
 kind: managed
 module: Hello.dll
 method token: {addr}
 IL offset: {addr}
 code: {addr} to {addr}, not optimized
 Saved registers:
  rbp at {addr}, rip at {addr}
+info registers rip
rip            {addr} {...}
+x/2xg $sp
{addr}:	{addr}	{addr}
+x/1i $pc
=> {addr}:	{...}
+x
   {addr}:	{...}
+disassemble /il
Dump of IL code for method Hello.Program.Main(string[]):
{@main-open}	        { // @main-open
   IL_0000:	nop
{@first}	{...}// @first
   IL_0001:	ldarg.0
...
{@call}	{...}// @call
   IL_{...}:	ldc.i4.2
   IL_{...}:	ldc.i4.3
   IL_{...}:	call int Hello.Program.Add(int, int)
   IL_{...}:	stloc.1
...
{@return}	{...}// @return
=> IL_{...}:	ldarg.0
...
{@end}	        } // @end
   IL_{...}:	ldloc.3
   IL_{...}:	ret
End of IL dump.
+disassemble /r
Dump of assembler code for function Hello.Program.Main(string[]):
   {addr} <+0>:	55	push rbp
...
{@return}	{...}// @return
=> {addr} <+{n}> IL_{...}:	{...}
...
{@end}	        } // @end
...
   {addr} <+{n}>:	c3	ret
End of assembler dump.
+continue
Continuing.
[Inferior 1 (process {n}) exited normally]
