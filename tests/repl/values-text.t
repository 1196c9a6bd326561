#! fixture=Values args="strings"
## Strings: escapes, null, and as much as the setting allows.
+break @strings
Breakpoint 1 at {...}: file Values.cs, line {@strings}.
+run
Starting program: {out}/Values.dll strings

Breakpoint 1, Values.Program.Strings () at Values.cs:{@strings}
{@strings}{...}
+info locals
empty = ""
plain = "plain"
none = null
quoted = "say \"hi\" \\ end"
lines = "one\r\n\ttwo\0three"
unicode = "héllo 世界 😀"
lone = "x\ud83dy"
longer = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"...
huge = "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz"...
builder = {built}
+set print elements 10
+print longer
$1 = "aaaaaaaaaa"...
+print unicode
$2 = "héllo 世界 "...
+set print elements 0
+print longer
$3 = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa{...}aaaaEND"
+kill
[Inferior 1 (process {n}) killed]
