#! fixture=Hello exit=1
## A display is shown where its variables are, as in gdb.
+display sum
+break @call
...
+run
...
{@call}	{...}// @call
1: sum = 0
+display args.Length
2: args.Length = 0
+display 6 * 7
3: 6 * 7 = 42
+step
Hello.Program.Add (a=2, b=3) at Hello.cs:{@add}
{@add}	{...}// @add
3: 6 * 7 = 42
+info display
Auto-display expressions now in effect:
Num Enb Expression
1:   y  sum
(cannot be evaluated in the current context)
2:   y  args.Length
(cannot be evaluated in the current context)
3:   y  6 * 7
+display a + sum
4: a + sum = 2
+next
{@add-return}	{...}// @add-return
3: 6 * 7 = 42
4: a + sum = 7
+up
...
{@call}	{...}// @call
+display
1: sum = 0
2: args.Length = 0
3: 6 * 7 = 42
+down
...
+finish
...
{@call}	{...}// @call
Value returned is $1 = 5
1: sum = 0
2: args.Length = 0
3: 6 * 7 = 42
+next
{@print}	{...}// @print
1: sum = 5
2: args.Length = 0
3: 6 * 7 = 42
+display nosuch
{...}Error in sourced command file: no 'nosuch' in this context{...}
