#! fixture=Parts
## A step within a method into another file says which: the lines of a method
## may stand in several.
+break @first
Breakpoint 1 at Sources.Parts.Parts: file Parts.cs, line {@first}.
+run
...
Breakpoint 1, Sources.Parts.Parts (this={Sources.Parts}) at Parts.cs:{@first}
...
+next
Sources.Parts.Parts (this={Sources.Parts}) at grammar.y:3
3	in {...}
+next
Sources.Parts.Parts (this={Sources.Parts}) at Parts.cs:{n}
{n}	        public Parts()
+next
{n}	        {
