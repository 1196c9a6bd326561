using System;
using System.Collections.Generic;
using System.Threading;

class Account
{
    public string Owner = "Ada";
    public decimal Balance = 100.5m;
    public List<int> Entries = new() { 3, 4, 5 };
}

static class Program
{
    static int Double(int n)
    { // @body
        int twice = n * 2; // @double
        return twice;
    }

    static void Wait()
    {
        for (int turn = 0; ; turn++)
        {
            Thread.Sleep(20); // @turn
        }
    }

    static void Pay(Account account, decimal amount)
    {
        decimal left = account.Balance - amount;
        if (left < 0)
            throw new InvalidOperationException(account.Owner + " lacks " + -left); // @pay
        account.Balance = left;
    }

    static int Main(string[] args)
    {
        var account = new Account();
        if (args.Length > 1)
            Pay(account, 120);
        if (args.Length > 0)
            Wait();
        int n = 21; // @first
        int result = Double(n); // @call
        Console.WriteLine("doubled " + result); // @doubled
        string line = Console.ReadLine(); // @input
        Console.WriteLine("read " + line); // @read
        try
        {
            account.Owner = null;
            Console.WriteLine(account.Owner.Length); // @null
        }
        catch (NullReferenceException)
        {
            Console.WriteLine("caught");
        }
        return 0;
    }
}
