// The tests that each framework runs: one that passes, with data, one that
// fails, and those that end the program, or do not, as $DIES says. [Test],
// [Cases] and [Case] are the framework's own attributes: see its Framework.cs.
using System;
using System.Threading;
using System.Threading.Tasks;

public class Thing
{
    public string Name;
    public long Id;
}

public partial class Sums
{
    Thing last = new Thing { Name = "of a test", Id = 1L << 40 };

    [Cases]
    [Case(42)]
    public void Adds(int start)
    {
        string word = "abc" + start;
        int sum = start; // @loop
        for (int i = 0; i < word.Length; i++)
            sum += word[i];
        See.Value("start", start); // @see
        See.Value("word", word);
        See.Value("word.Length", word.Length);
        See.Value("sum", sum);
        See.Value("last.Name", last.Name);
        See.Value("last.Id", last.Id);
        if (sum != 438)
            throw new InvalidOperationException("sum");
    }

    [Test]
    public void Fails()
    {
        throw new InvalidOperationException(last.Name);
    }

    [Cases]
    [Case(7)]
    public void Dies(int times)
    {
        string how = Environment.GetEnvironmentVariable("DIES");
        if (how == "thread")
        {
            var thread = new Thread(() => Throws(times)); // @thread
            thread.Start();
            thread.Join(); // @join
        }
        if (how == "fast")
            Environment.FailFast("in a test"); // @fast
        if (how == "stack")
            Console.WriteLine(Endless(times)); // @stack
        if (how == "hang")
            Hangs(); // @hang
        if (how == "endless")
            Spins(); // @spin
    }

    [Test]
    public async Task DiesLater()
    {
        SynchronizationContext.SetSynchronizationContext(new Turns());
        await Task.Yield();
        if (Environment.GetEnvironmentVariable("DIES") == "async")
            await Later(); // @async
    }

    static async Task Later()
    {
        await Task.Yield();
        Environment.FailFast("later"); // @later
    }

    // What is continued here runs one after the other: nothing goes on with
    // what a method has begun before that has returned.
    class Turns : SynchronizationContext
    {
        public override void Post(SendOrPostCallback go, object state)
        {
            ThreadPool.QueueUserWorkItem(_ => {
                lock (this)
                {
                    SetSynchronizationContext(this);
                    go(state);
                    SetSynchronizationContext(null);
                }
            });
        }
    }

    static void Throws(int times)
    {
        throw new InvalidOperationException("not in the test's thread"); // @throws
    }

    static int Endless(int n)
    {
        return Endless(n + 1) + Endless(n + 2); // @endless
    }

    static long turns;

    static void Spins()
    {
        while (turns >= 0) turns = turns + 1 & long.MaxValue; // @spins
    }

    static readonly object first = new object(), second = new object();

    // Two threads, each of which waits for what the other holds.
    static void Hangs()
    {
        using var both = new Barrier(2);
        var other = new Thread(() => {
            lock (second)
            {
                both.SignalAndWait();
                lock (first) // @other
                    Console.WriteLine("never");
            }
        });
        other.Start();
        lock (first)
        {
            both.SignalAndWait();
            lock (second) // @one
                Console.WriteLine("never");
        }
    }
}
