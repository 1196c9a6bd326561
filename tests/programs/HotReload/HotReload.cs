// A program that is given updates, as `dotnet watch` gives them. Its first
// argument is the directory of its source file, which it edits (see Deltas.cs).
// With a second one it keeps a record of its updates, and goes on for ever.
using System;
using System.Collections.Generic;
using System.IO;
using System.Reflection.Metadata;
using System.Threading;
using Microsoft.DotNet.HotReload;

[assembly: MetadataUpdateHandler(typeof(Caches.Handler))]
[assembly: MetadataUpdateHandler(typeof(BadHandler))]

class Shape
{
    public int first = 1;
//3     public int second = 90;
//3     public string name = "added";
//3     public DateTime date;
//3     public DayOfWeek day;
//3     static int uses;
//3     static string last;
//3     static DateTime when;

    public string Show() { return "shape " + first; } //until 1
//1     public string Show() { return "edited " + (first + Program.Changed(first)); }
//3     public string More() { return name + second; }
//3     public string Use()
//3     {
//3         second += 3;
//3         name = "used";
//3         date = date.AddDays(second);
//3         day = DayOfWeek.Friday;
//3         last = name + ++uses;
//3         when = date;
//3         return More() + date.Day + day + last + when.Day;
//3     }
}

class Box<T>
{
    public T value;

    public string Text()
    {
        string text = "box " + value; //until 1
//1         int length = 7;
//1         string text = "new box " + value + length;
        return text; // @text
    }
}

static class Program
{
    static Shape shape = new Shape();
//2     static int total = 5;

    static int Above(int n)
    {
        return n + 1; // @above
    }

//1     // a comment
//1     // and one more
    public static int Changed(int n)
    {
        int x = n * 2; // @old //until 1
//1         string text = "got " + n;
//1         int y = n * 10; // @new
//1         int x = y + text.Length;
//2         x += Added(x);
//4         x += 1000; // @four
        return x; // @changed
    }

//2     static int Added(int n)
//2     {
//2         Func<int, int> triple = v => v * 3; // @lambda
//2         total += n;
//2         return triple(n) + total; // @added
//2     }

    static int Below(int n)
    {
        int twice = n * 2;
        return twice; // @below
    }

    // No edit changes it, but comments came into it.
    static int Noted(int n)
    {
//1         // It is a
        int a = n + 1; // @noted
        /* if */ if (a > 3)
            a += 2;
        else
//2         /* and { so
//2            on */
            a -= 22;
        int text = $"{a + "}".Length} {{ \" //".Length +
//3                    // in a statement
                   @"""/*".Length;
        Func<int, int> more = v =>
        {
            int w = v + text; // @in lambda
//2             // in a lambda
            return w + 1; // @lambda end
        };
//3         //
        return more(a); // @noted end
    }

    // Which one is which?
    static int Twin(int n)
    {
//1         // a comment
        return n + 3; // @twin
    }

    static int Twin(long n)
    {
//2         // another one
        return 4 + 4; // @other twin
    }

    static int Behind(int n)
    {
        int b = n + 5; // @behind
        return b;
    }

    // It is on the stack while it is replaced.
    static int Old(int n)
    {
        int kept = n + 40; // @kept
        Update(1); //until 1
//1         string other = "not here";
//1         kept += other.Length;
        return kept; // @old end
    }

    static ManualResetEvent gate = new ManualResetEvent(false);

    // It waits in a thread of its own, with a record.
    static int Parked(int n)
    {
        int kept = n + 35; // @parked
        gate.WaitOne(); // @waits
//3         string late = "late";
//3         kept += late.Length;
        return kept;
    }

    // Its variables are in a state machine, which goes on in the new code.
    static IEnumerable<int> Steps()
    {
        for (int n = 1;; n++)
        {
            int gone = n * 4; //until 3
            int much = n * 2 + gone; //until 3
//3             int much = n * 5;
            yield return n;
            Console.WriteLine("steps " + n + " " + much); // @steps
        }
    }

    static IEnumerator<int> steps = Steps().GetEnumerator();

    // It takes long to compile.
    static int Large(int n)
    {
        n = n * 3 + 1; //times 8000
//2         n = -1;
        return n;
    }

    static volatile bool calls;

    static void CallLarge()
    {
        calls = true;
        Large(0);
    }

    // It is compiled while it is replaced.
    static void UpdateLarge()
    {
        var thread = new Thread(CallLarge);
        thread.Start();
        while (!calls)
            Thread.Yield();
        Thread.Sleep(20);
        Update(2);
        thread.Join();
        Console.WriteLine("large: " + Large(0));
    }

    static string directory;
    static bool goes;
    static List<RuntimeManagedCodeUpdate> record;

    static void Update(int n)
    {
        string file = Path.Combine(AppContext.BaseDirectory, "HotReload." + n);
        var update = new RuntimeManagedCodeUpdate(
            typeof(Program).Module.ModuleVersionId,
            File.ReadAllBytes(file + ".md"), File.ReadAllBytes(file + ".il"),
            File.ReadAllBytes(file + ".pd"));
        File.Copy(file + ".cs", Path.Combine(directory, "HotReload.cs"), true);
        MetadataUpdater.ApplyUpdate(typeof(Program).Assembly,
            update.MetadataDelta, update.ILDelta, update.PdbDelta);
        record?.Add(update);
    }

    static void Round(int n)
    {
        int sum = Above(n) + Changed(n) + Below(n) + Noted(n) + Twin(n) +
                  Twin(2L) + Behind(n);
        steps.MoveNext();
        steps.MoveNext();
//3         if (record == null)
//3             Console.WriteLine("use " + shape.Use());
        Console.WriteLine(sum + ", " + shape.Show() + ", " +
                          new Box<int> { value = n }.Text() + ", " +
                          new Box<string> { value = "s" }.Text());
    }

    // Its loop goes on in the old code.
    static int Spin(int n)
    {
        for (int i = 0; i < 3; i++)
        {
            n += i; // @spins
            if (i == 0 && n == 1)
                Update(4);
        }
//4         n += 1;
        return n;
    }

    static void GoOn()
    {
        Console.WriteLine("ready");
        for (int n = 4;; Thread.Sleep(20))
        {
            Round(10); // @goes on
            if (goes)
                Update(n++);
            goes = false;
        }
    }

    static int Main(string[] args)
    {
        directory = args[0];
        if (args.Length > 1)
        {
            record = new List<RuntimeManagedCodeUpdate>();
            new Thread(() => Parked(7)) { IsBackground = true }.Start();
        }
        Round(10); // @round 0
        Console.WriteLine(Old(2));
        Round(10); // @round 1
        UpdateLarge();
        Round(10); // @round 2
        Update(3);
        Round(10); // @round 3
        if (record != null)
            GoOn();
        Console.WriteLine(Spin(1) + Spin(5)); // @spin
        return 0; // @end
    }
}

// Only an agent, or a debugger, calls them.
class Caches
{
    static List<string> told = new List<string>();

    internal class Handler
    {
        static void ClearCache(Type[] types) => told.Add("clear " + string.Join<Type>("|", types));
        static void UpdateApplication(Type[] types) =>
            Console.WriteLine("told: " + string.Join(", ", told) + ", application " +
                              Program.Changed(1));
    }
}

static class BadHandler
{
    public static void ClearCache(Type[] types) =>
        throw new InvalidOperationException("cannot clear");
    public static void UpdateApplication() { }
}

namespace Microsoft.DotNet.HotReload
{
    // As the agent of `dotnet watch` keeps what it has applied.
    readonly struct RuntimeManagedCodeUpdate
    {
        public byte[] MetadataDelta { get; }
        public byte[] ILDelta { get; }
        public byte[] PdbDelta { get; }
        public Guid ModuleId { get; }

        public RuntimeManagedCodeUpdate(Guid moduleId, byte[] metadataDelta,
                                        byte[] ilDelta, byte[] pdbDelta)
        {
            ModuleId = moduleId;
            MetadataDelta = metadataDelta;
            ILDelta = ilDelta;
            PdbDelta = pdbDelta;
        }
    }
}
