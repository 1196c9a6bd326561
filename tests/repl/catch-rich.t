#! fixture=Throws args="rich" exit=0
## An exception with all that is within it: numbers, data, a list.
+catch throw
Catchpoint 1 (throw)
+run
Starting program: {out}/Throws.dll rich

Exception thrown: System.InvalidOperationException: "outer"
It will be caught in Throws.Program.Rich at Throws.cs:{n}.
{addr} in Throws.Program.Rich () at Throws.cs:{@rich-throw}
{@rich-throw}{...}// @rich-throw
+info exception
System.InvalidOperationException: "outer"
   HResult = 0x80131234
   Data "order" = 17
   Data 3 = "three"
 ---> System.AggregateException: "many (first) (second)"
   HResult = 0x80131500
   ---> System.FormatException: "first"
     HResult = 0x80131537
     ---> System.ArgumentException: "deep"
       HResult = 0x80070057
   ---> Throws.ShopException: "second"
     HResult = 0x80131500
+continue
Continuing.
rich 11
ok
[Inferior 1 (process {n}) exited normally]
