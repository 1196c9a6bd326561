#! fixture=Throws config=Debug,Release args="hardware framework" exit=0
## Faults of the processor and throws by the runtime and the framework.
+catch throw
Catchpoint 1 (throw)
+run
Starting program: {out}/Throws.dll hardware framework

Exception thrown: System.NullReferenceException: "Object reference not set to an instance of an object."
It will be caught in {...} at Throws.cs:{n}.
{addr} in Throws.Program.Hardware () at Throws.cs:{@null}
{@null}{...}// @null
+continue
Continuing.

Exception thrown: System.DivideByZeroException: "Attempted to divide by zero."
It will be caught in {...} at Throws.cs:{n}.
{addr} in Throws.Program.Hardware () at Throws.cs:{@divide}
{@divide}{...}// @divide
+continue
Continuing.

Exception thrown: System.IndexOutOfRangeException: "Index was outside the bounds of the array."
...
+continue
Continuing.

Exception thrown: System.InvalidCastException: "Unable to cast object of type 'System.String' to type 'System.Int32'."
...
+continue
Continuing.
hardware 15

Exception thrown: System.FormatException: "The input string 'not a number' was not in a correct format."
...
+continue
Continuing.

Exception thrown: System.Collections.Generic.KeyNotFoundException: "The given key 'absent' was not present in the dictionary."
...
+continue
Continuing.
framework 7
ok
[Inferior 1 (process {n}) exited normally]
