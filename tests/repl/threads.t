#! fixture=Threads args=4
## Threads by name, each with its own stack and variables.
+break @all-waiting
Breakpoint 1 at {...}: file Threads.cs, line {@all-waiting}.
+run
Starting program: {out}/Threads.dll 4

Breakpoint 1, Threads.Program.All (count=4) at Threads.cs:{@all-waiting}
{@all-waiting}{...}// @all-waiting
+info threads
  Id   Target Id{...}Frame
* 1    Thread {n} "main thread"{...}Threads.Program.All (count=4) at Threads.cs:{@all-waiting}
...
  {n}{...}Thread {n} "worker-0"{...}
...
  {n}{...}Thread {n} "worker-1"{...}
...
  {n}{...}Thread {n} "worker-2"{...}
...
  {n}{...}Thread {n} "worker-3"{...}
...
+thread apply all bt

...
Thread {n} (Thread {n} "worker-3"):
...
#{n}{...}Threads.Program.WaitTask (id=3) at Threads.cs:{@wait-task}
#{n}{...}Threads.Program.Wait (id=3) at Threads.cs:{@start-task}
...
Thread {n} (Thread {n} "worker-2"):
...
#{n}{...}Threads.Program.WaitSleep (id=2) at Threads.cs:{@wait-sleep}
#{n}{...}Threads.Program.Wait (id=2) at Threads.cs:{@start-sleep}
...
Thread {n} (Thread {n} "worker-1"):
...
#{n}{...}Threads.Program.WaitLock (id=1) at Threads.cs:{@wait-lock}
#{n}{...}Threads.Program.Wait (id=1) at Threads.cs:{@start-lock}
...
Thread {n} (Thread {n} "worker-0"):
...
#{n}{...}Threads.Program.WaitEvent (id=0) at Threads.cs:{@wait-event}
#{n}{...}Threads.Program.Wait (id=0) at Threads.cs:{@start-event}
...
Thread 1 (Thread {n} "main thread"):
#0  Threads.Program.All (count=4) at Threads.cs:{@all-waiting}
#1  {addr} in Threads.Program.Main (args={string[1]}) at Threads.cs:{n}
+continue
Continuing.
...
ok
[Inferior 1 (process {n}) exited normally]
