// What is edited while it runs (edits.json). What it tells is what a debugger that
// stands at that line has to answer: a value, and the variables.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

// @types

class Shape
{
    public int first = 1;
    // @fields

    public string Show(int n)
    {
        string text = "shape " + first + n;
        Program.Tell(text, [n, text]); // @shape
        return text;
    }
}

class Box<T>
{
    public T value;

    public string Text()
    {
        string text = "box " + value;
        Program.Tell(text, [text]); // @box
        return text;
    }
}

static class Program
{
    static Shape shape = new Shape();
    static IEnumerator<int> numbers = Numbers(2).GetEnumerator();
    static SemaphoreSlim asked = new SemaphoreSlim(0), answered = new SemaphoreSlim(0);
    static Task held;
    // @statics

    public static void Tell(object value, object[] variables)
    {
        Console.WriteLine("told " + value + " | " + string.Join(" | ", variables));
    }

    static int Plain(int n)
    {
        int a = n * 2;
        int b = a + 1;
        Tell(a + b + n, [a, b, n]); // @plain
        return a;
    }

    static int Lambda(int n)
    {
        Func<int, int> f = v => v + n;
        Tell(f(n), [n]); // @lambda
        return f(3);
    }

    static async Task<int> Later(int n)
    {
        int before = n + 1;
        await Task.Delay(20);
        int after = before * 2;
        Tell(before + after, [n, before, after]); // @later
        return after;
    }

    // One call, which waits while it is edited.
    static async Task Held()
    {
        int times = 0;
        for (;;)
        {
            await asked.WaitAsync();
            times++;
            Tell("held " + times, [times]); // @held
            answered.Release();
        }
    }

    // One enumeration, which has begun when it is edited.
    static IEnumerable<int> Numbers(int by)
    {
        for (int at = 1;; at += by)
        {
            Tell(at * by, [at, by]); // @number
            yield return at;
        }
    }

    static int Gone(int n)
    {
        return n + 1;
    }

    // @methods
    static int Below(int n)
    {
        int twice = n * 2;
        Tell(twice + n, [twice, n]); // @below
        return twice;
    }

    static int Last(int n)
    {
        int less = n - 1;
        Tell(less * n, [less, n]); // @last
        return less;
    }

    static void Round(int n)
    {
        Plain(n);
        Lambda(n);
        shape.Show(n);
        new Box<int> { value = n }.Text();
        new Box<string> { value = "s" + n }.Text();
        numbers.MoveNext();
        Plain(Gone(n));
        // @calls
        Below(n);
        Last(n);
        Tell(n, [n]); // @round
    }

    public static async Task Work(int n)
    {
        held ??= Held();
        Round(n);
        await Later(n);
        asked.Release();
        await answered.WaitAsync();
    }
}
