System.Console.WriteLine("depot " + args.Length); // @depot
