#! fixture=Throws args='inner rethrow filtered' config=Debug,Release
## A catch that runs, inside of others too, is one frame: its method's.
+break @inner-second
...
+break @inner-catch
...
+break @rethrow
...
+break @rethrow-catch
...
+break @filter-catch
...
+run
...
+bt
{Debug}#0  Throws.Program.Inner () at Throws.cs:{@inner-second}
{Release}#0  {...}Throws.Program.Inner () at Throws.cs:{@inner-second}
#1  {addr} in Throws.Program.Section ({...}) at Throws.cs:{@section}
#2  {addr} in Throws.Program.Main ({...}) at Throws.cs:{n}
+continue
...
+bt
#0  {...}Throws.Program.Inner () at Throws.cs:{@inner-catch}
#1  {addr} in Throws.Program.Section ({...}) at Throws.cs:{@section}
#2  {addr} in Throws.Program.Main ({...}) at Throws.cs:{n}
+continue
...
+bt
#0  {...}Throws.Program.Rethrow () at Throws.cs:{@rethrow}
#1  {addr} in Throws.Program.Section ({...}) at Throws.cs:{@section}
#2  {addr} in Throws.Program.Main ({...}) at Throws.cs:{n}
+continue
...
+bt
#0  {...}Throws.Program.Rethrow () at Throws.cs:{@rethrow-catch}
#1  {addr} in Throws.Program.Section ({...}) at Throws.cs:{@section}
#2  {addr} in Throws.Program.Main ({...}) at Throws.cs:{n}
+continue
...
+bt
#0  {...}Throws.Program.Filtered () at Throws.cs:{@filter-catch}
#1  {addr} in Throws.Program.Section ({...}) at Throws.cs:{@section}
#2  {addr} in Throws.Program.Main ({...}) at Throws.cs:{n}
+continue
...
ok
...
