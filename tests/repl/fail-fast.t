#! fixture=Throws args=unhandled-fast
## FailFast is no exception, although it aborts.
+catch unhandled
Catchpoint 1 (unhandled)
+run
Starting program: {out}/Throws.dll unhandled-fast
...

Program received signal SIGABRT, Aborted.
...
+info exception
No exception here.
