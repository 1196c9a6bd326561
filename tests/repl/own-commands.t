#! fixture=Hello args=a runtimes=10 exit=0
## Commands of the user's own, and commands that take others' output.
+break Add
Breakpoint 1 at Hello.Program.Add: file Hello.cs, line {@add}.
+run
...
{@add}	{...}// @add
+define two
>print $arg0 + $argc
>echo done\n
>end
+two 3 4
\+print 3 + 2
$1 = 5
\+echo done\n
done
+define nested
>define inner
>echo inner $arg0\n
>end
>inner x
>end
+nested
\+define inner
\+inner x
\+echo inner x\n
inner x
+document two
>Adds the number of its arguments.
>
>To the first one.
>end
+help two
Adds the number of its arguments.

To the first one.
+alias bl = info breakpoints
+bl
Num     Type           Disp Enb Address            What
1       breakpoint     keep y   {addr} in Hello.Program.Add(int, int) at Hello.cs:{@add}
	breakpoint already hit 1 time
+alias -a twice = two 1
+twice 2 3
\+print 1 + 3
$2 = 4
\+echo done\n
done
+help bl
bl -- alias of "info breakpoints"
+show user two
User command "two":
  print $arg0 + $argc
  echo done\n

+complete two
two
+complete info s
info scope
info sharedlibrary
info siginfo
info signals
info skip
info source
info sources
info stack
info statics
info symbol
+complete set logg
set logging enabled
set logging file
set logging overwrite
set logging redirect
+apropos outermost
backtrace -- show the stack
frame apply -- do a command in several frames
dumpasync -- show async calls that wait, as chains of who awaits whom
+pipe info breakpoints | wc -l
3
+| bl | head -1
Num     Type           Disp Enb Address            What
+pipe -d // bl // grep -c 'already\|Num'
2
+printf "a=%d hex %#x [%-4s|%4d] %c%%\n", a, b, "x", a + b, 'y'
a=2 hex 0x3 [x   |   5] y%
+printf "%s and %s\n", a, "a\"b"
2 and a"b
+printf "plain\n"
plain
+frame function Main
\#1  {addr} in Hello.Program.Main (args={string[1]}) at Hello.cs:{@call}
{@call}{...}
+printf "%s\n", args[0]
a
+frame level 0
\#0  Hello.Program.Add (a=2, b=3) at Hello.cs:{@add}
{@add}{...}
+frame apply all -q output 1
>frame apply 1 info args
11+frame apply 1 info args
\#0  Hello.Program.Add (a=2, b=3) at Hello.cs:{@add}
a = 2
b = 3
+frame apply -1 info args
\#1  {addr} in Hello.Program.Main (args={string[1]}) at Hello.cs:{@call}
args = {"a"}
+frame apply level 1 -q info args
args = {"a"}
+frame apply all -s print b
\#0  Hello.Program.Add (a=2, b=3) at Hello.cs:{@add}
$3 = 3
\#1  {addr} in Hello.Program.Main (args={string[1]}) at Hello.cs:{@call}
+frame apply all -c -q print b
$4 = 3
{...}'b'{...}
+frame
\#0  Hello.Program.Add (a=2, b=3) at Hello.cs:{@add}
{@add}{...}
+thread name worker
+info threads 1
  Id   Target Id                      Frame
* 1    Thread {n} "worker"{...} Hello.Program.Add (a=2, b=3) at Hello.cs:{@add}
+info threads 77
No threads match '77'.
+info registers rip $rsp
rip            {addr} {...}
rsp            {addr} {...}
+call a + b
$5 = 5
+delete
+set logging overwrite
+set logging file seen
+set logging enabled
Copying output to seen.
+print 42
$6 = 42
+set logging enabled off
+shell cat seen
Copying output to seen.
\+print 42
$6 = 42
\+set logging enabled off
+continue
...
