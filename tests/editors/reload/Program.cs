// A program that is edited while it runs (edits.json). What it tells is what a
// debugger that stands at that line has to answer.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;

// @types

class Shape
{
    public int first = 1;
    // @fields

    public string Show(int n)
    {
        string text = "shape " + first + n;
        Program.Tell(text); // @shape
        return text;
    }
}

class Box<T>
{
    public T value;

    public string Text()
    {
        string text = "box " + value;
        Program.Tell(text); // @box
        return text;
    }
}

static class Program
{
    static Shape shape = new Shape();
    // @statics

    public static void Tell(object value)
    {
        Console.WriteLine("told " + value);
    }

    static int Plain(int n)
    {
        int a = n * 2;
        int b = a + 1;
        Tell(a + b + n); // @plain
        return a;
    }

    static int Lambda(int n)
    {
        Func<int, int> f = v => v + n;
        Tell(f(n)); // @lambda
        return f(3);
    }

    static async Task<int> Later(int n)
    {
        int before = n + 1;
        await Task.Delay(20);
        int after = before * 2;
        Tell(before + after); // @later
        return after;
    }

    // @methods
    static int Below(int n)
    {
        int twice = n * 2;
        Tell(twice + n); // @below
        return twice;
    }

    static int Last(int n)
    {
        int less = n - 1;
        Tell(less * n); // @last
        return less;
    }

    static void Round(int n)
    {
        Plain(n);
        Lambda(n);
        shape.Show(n);
        new Box<int> { value = n }.Text();
        new Box<string> { value = "s" + n }.Text();
        // @calls
        Below(n);
        Last(n);
        Tell(n); // @round
    }

    static async Task Main()
    {
        for (int n = 1;; n++)
        {
            Round(n);
            await Later(n);
            await Task.Delay(50);
        }
    }
}
