// The program of scripts/demo: a bank with two accounts. Demo.dll [AMOUNT]
using System;
using System.Collections.Generic;

namespace Demo
{
    record Account(string Owner)
    {
        public decimal Balance { get; set; }
    }

    class Bank
    {
        private readonly Dictionary<string, Account> accounts = new();

        public Account Open(string owner, decimal balance)
        {
            var account = new Account(owner) { Balance = balance };
            accounts.Add(owner, account);
            return account;
        }

        public void Transfer(string from, string to, decimal amount)
        {
            Account source = accounts[from];
            Account target = accounts[to];
            if (source.Balance < amount)
                throw new InvalidOperationException($"{from} has only {source.Balance}");
            source.Balance -= amount;
            target.Balance += amount;
        }
    }

    static class Program
    {
        static void Main(string[] args)
        {
            var bank = new Bank();
            bank.Open("ann", 100m);
            bank.Open("bob", 20m);
            bank.Transfer("ann", "bob", args.Length > 0 ? decimal.Parse(args[0]) : 30m);
            try
            {
                bank.Transfer("bob", "ann", 500m);
            }
            catch (InvalidOperationException e)
            {
                Console.WriteLine("refused: " + e.Message);
            }
            Console.WriteLine("done");
        }
    }
}
