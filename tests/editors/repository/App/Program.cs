using System;
using System.Threading;

class Account
{
    public int Balance = 100;
}

static class Program
{
    static void Take(Account account, int amount)
    {
        account.Balance -= amount; // @take
    }

    static void Main()
    {
        var account = new Account();
        Take(account, 30); // @call
        Take(account, 20);
        for (int i = 0; i < 600; i++)
            Thread.Sleep(100);
        Console.WriteLine(account.Balance);
    }
}
