#! fixture=Hello exit=1
## Around the line of the frame, on, back, and the forms of a place.
+break @print
Breakpoint 1 at {...}: file Hello.cs, line {@print}.
+run
...
{@print}	{...}// @print
+list
{n}	    {
{n}	        static int Main(string[] args)
{@main-open}	        { // @main-open
{@first}	{...}// @first
{@call}	{...}// @call
{@print}=>	{...}// @print
{@last}	{...}// @last
{@return}	{...}// @return
{@end}	        } // @end
{n}	
+list
{n}	        static int Add(int a, int b)
{@add-open}	        { // @add-open
{@add}	{...}// @add
{@add-return}	{...}// @add-return
{@add-end}	        } // @add-end
{n}	    }
{n}	}
+list -
{n}	    {
...
{@end}	        } // @end
{n}	
+list -
1	// The smallest {...}
...
{n}	    static class Program
+list 1,2
1	// The smallest {...}
2	using System;
+list @add,@add-return
{@add}	{...}// @add
{@add-return}	{...}// @add-return
+set listsize 3
+list @call
{@first}	{...}// @first
{@call}	{...}// @call
{@print}=>	{...}// @print
+list
{@last}	{...}// @last
{@return}	{...}// @return
{@end}	        } // @end
+list @last,
{@last}	{...}// @last
{@return}	{...}// @return
{@end}	        } // @end
+list ,@call
{@main-open}	        { // @main-open
{@first}	{...}// @first
{@call}	{...}// @call
+list Add
{@add-open}	        { // @add-open
{@add}	{...}// @add
{@add-return}	{...}// @add-return
+list Hello.Program.Add(int, int)
{@add-open}	        { // @add-open
{@add}	{...}// @add
{@add-return}	{...}// @add-return
+list 9999
{...}Error in sourced command file: Line number {n} out of range; Hello.cs has {n} lines.
