#! fixture=Getters
## Getters, indexers and methods are interpreted; the program is not touched.
+break @stop if map["bb"] == 22 && order.Total > 9 && order.Label.Length == 8
Breakpoint 1 at {...}: file Getters.cs, line {@stop}.
+run
Starting program: {out}/Getters.dll

Breakpoint 1, Getters.Main () at Getters.cs:{@stop}
{@stop}{...}
+print list.Count
$1 = 3
+print list[1]
$2 = 20
+print map["bb"]
$3 = 22
+print map.Count
$4 = 2
+print date.Year
$5 = 2024
+print date.DayOfWeek
$6 = DayOfWeek.Thursday
+print order.Total
$7 = 10.0
+print order.Label
$8 = "#7: 10.0"
+print order.Next
$9 = {Id = 8, Price = 2.5, Count = 4}
+print order.Next.Label
$10 = "#8: 10.0"
+print order.Writes
$11 = 5
+print order.Count
$12 = 4
+print order["xyz"]
$13 = 10
+print order.ToString()
$14 = "Order 7"
+print order.Times(3)
$15 = 21
+print Twice(21)
$16 = 42
+print text.Length
$17 = 5
+print text.ToString()
$18 = "built"
+print span.TotalHours
$19 = 1.5
+print names[3]
$20 = "three"
+print s.ToUpper()
$21 = "A,B,C"
+print Order.Made
$22 = 3
+print s.Substring(2)
$23 = "b,c"
+print list.ToArray()
$24 = {10, 20, 30}
+print date.AddDays(1)
$25 = 2024-03-01 13:05:06
+print Spin(1000) == spun
$26 = true
+print new Order[2]
$27 = {null, null}
+print new[] { 1.5, 2 }
$28 = {1.5, 2}
+kill
[Inferior 1 (process {...}) killed]
