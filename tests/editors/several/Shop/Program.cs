int price = 12;
System.Console.WriteLine("shop " + price); // @shop
