#! fixture=Throws args=unhandled-null
+catch throw NullReferenceException
Catchpoint 1 (throw NullReferenceException)
+run
Starting program: {out}/Throws.dll unhandled-null

Exception thrown: System.NullReferenceException: "Object reference not set to an instance of an object."
It will not be caught.
{addr} in Throws.Program.Unhandled (how="unhandled-null") at Throws.cs:{@unhandled-null}
{@unhandled-null}{...}// @unhandled-null
+continue
Continuing.
Unhandled exception. System.NullReferenceException: Object reference not set to an instance of an object.
...

Unhandled exception: System.NullReferenceException: "Object reference not set to an instance of an object."
{addr} in Throws.Program.Unhandled (how="unhandled-null") at Throws.cs:{@unhandled-null}
{@unhandled-null}{...}// @unhandled-null
+kill
[Inferior 1 (process {n}) killed]
