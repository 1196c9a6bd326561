#! fixture=Hello exit=0
#! glibc='musl hides its functions and has no tables to unwind them'
## Before the first instruction there is a process and nothing of .NET in it.
+starti
Starting program: {out}/Hello.dll

Program stopped.
{addr} in {...} from ld-linux-x86-64.so.2
+info program
Program: {out}/Hello.dll
Process {n}, stopped in thread 1.
It stopped before its first instruction.
+stepi
{addr} in {...} from ld-linux-x86-64.so.2
+info threads
  Id   Target Id {...}
* 1    Thread {...} in {...} from ld-linux-x86-64.so.2
+tbreak @add
Temporary breakpoint 1 (Hello.cs:{@add}) pending: the runtime is not loaded yet.
+continue
Continuing.

Temporary breakpoint 1, Hello.Program.Add (a=2, b=3) at Hello.cs:{@add}
{@add}{...}// @add
+starti
Starting program: {out}/Hello.dll

Program stopped.
{addr} in {...} from ld-linux-x86-64.so.2
+continue
Continuing.
hello world 5
ok
[Inferior 1 (process {n}) exited normally]
