#! fixture=Throws args="static native exit" exit=3
## In a static constructor, in a method that native code calls, and one whose
## handler ends the program.
+catch throw
Catchpoint 1 (throw)
+run
Starting program: {out}/Throws.dll static native exit

Exception thrown: System.InvalidOperationException: "level zero"
It becomes a TypeInitializationException in Throws.Program.Broken..cctor.
{addr} in Throws.Program.Level (n=0) at Throws.cs:{@level-throw}
{@level-throw}{...}// @level-throw
+bt
#0  {addr} in Throws.Program.Level (n=0) at Throws.cs:{@level-throw}
#1  {addr} in Throws.Program.Broken..cctor () at Throws.cs:{@static-field}
...
#{n}  {addr} in Throws.Program.Static () at Throws.cs:{@static-use}
...
+continue
Continuing.

Exception thrown: System.TypeInitializationException: "The type initializer for 'Broken' threw an exception."
It will be caught in Throws.Program.Static at Throws.cs:{n}.
...
+info exception
System.TypeInitializationException: "The type initializer for 'Broken' threw an exception."
   HResult = 0x80131534
 ---> System.InvalidOperationException: "level zero"
{8,9,10}   at Throws.Program.Level(int) in {src}/Throws.cs:line {@level-throw}
{11}   at Throws.Program.Level(Int32 n) in {src}/Throws.cs:line {@level-throw}
   at Throws.Program.Broken..cctor() in {src}/Throws.cs:line {@static-field}
{11}   at System.Runtime.CompilerServices.InitHelpers.CallClassConstructor({...}
   HResult = 0x80131509
+continue
Continuing.
static 10

Exception thrown: System.InvalidOperationException: "level zero"
It will be caught in Throws.Program.OrNot at Throws.cs:{@native-catch}.
{addr} in Throws.Program.Level (n=0) at Throws.cs:{@level-throw}
{@level-throw}{...}// @level-throw
+bt
#0  {addr} in Throws.Program.Level (n=0) at Throws.cs:{@level-throw}
#1  {addr} in Throws.Program.OrNot ({...}) at Throws.cs:{n}
...
#2  {addr} in Throws.Program.Native () at Throws.cs:{@native-call}
...
+continue
Continuing.
native 2

Exception thrown: System.InvalidOperationException: "level zero"
It will be caught in Throws.Program.Exit at Throws.cs:{n}.
{addr} in Throws.Program.Level (n=0) at Throws.cs:{@level-throw}
{@level-throw}{...}// @level-throw
+continue
Continuing.
[Inferior 1 (process {n}) exited with code 03]
