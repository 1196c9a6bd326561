using System;
using System.Threading;

class Account
{
    public int Balance = 100;
    public string Owner { get; set; } = "Ada";

    public int After(int amount)
    {
        return Balance - amount;
    }
}

static class Program
{
    static void Take(Account account, int amount)
    {
        account.Balance -= amount; // @take
    }

    // What the program was given: its arguments, and variables by name.
    static void Tell(string[] args)
    {
        foreach (string arg in args)
            Console.WriteLine("given [" +
                (arg[0] == '$' ? Environment.GetEnvironmentVariable(arg[1..]) : arg) + "]"); // @tell
    }

    static void Main(string[] args)
    {
        Tell(args);
        var account = new Account();
        Take(account, 30); // @call
        Take(account, 20);
        int last = 0;
        for (int i = 0; i < 3000; i++)
        {
            Thread.Sleep(100); // @turn
            last = i; // @last
        }
        Console.WriteLine(account.Balance + last);
    }
}
