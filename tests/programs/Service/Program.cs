// A web service with a database: ASP.NET Core, Entity Framework Core, SQLite.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.EntityFrameworkCore;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

public class Order
{
    public int Id { get; set; }
    public string Customer { get; set; }
    public List<Item> Items { get; set; } = new();
}

public class Item
{
    public int Id { get; set; }
    public string Name { get; set; }
    public int Count { get; set; }
    public double Price { get; set; }
}

public class Shop : DbContext
{
    public Shop(DbContextOptions<Shop> options) : base(options) { }

    public DbSet<Order> Orders { get; set; }
}

static class Program
{
    static double Sum(List<Item> items)
    {
        double sum = 0; // @sum
        foreach (Item item in items)
            sum += item.Count * item.Price;
        return sum; // @sum-end
    }

    static async Task<string> Answer(int id, Shop shop)
    {
        Order order = await shop.Orders.Include(o => o.Items) // @query
            .SingleOrDefaultAsync(o => o.Id == id);
        if (order == null) // @found
            return "no order " + id; // @none
        double total = Sum(order.Items); // @total
        bool big = total > 100; // @big
        string answer = $"{order.Customer} {total}";
        See.Value("id", id); // @see
        See.Value("order.Customer", order.Customer);
        See.Value("order.Items.Count", order.Items.Count);
        See.Value("order.Items[1].Name", order.Items[1].Name);
        See.Value("order.Items[1].Price", order.Items[1].Price);
        See.Value("total", total);
        See.Value("big", big);
        See.Value("answer", answer);
        return answer;
    }

    static void Main(string[] args)
    {
        WebApplicationBuilder builder = WebApplication.CreateBuilder(args);
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Services.AddDbContext<Shop>(options =>
            options.UseSqlite("Data Source=shop.db"));
        WebApplication app = builder.Build();
        using (IServiceScope scope = app.Services.CreateScope()) {
            Shop shop = scope.ServiceProvider.GetRequiredService<Shop>();
            shop.Database.EnsureCreated();
            shop.Add(new Order { Customer = "Ada", Items = {
                new Item { Name = "tea", Count = 3, Price = 2.5 },
                new Item { Name = "pot", Count = 1, Price = 94.25 } } });
            shop.SaveChanges();
        }
        app.MapGet("/order/{id}", Answer);
        app.Start();
        Console.WriteLine("listening on " + app.Urls.First());
        app.WaitForShutdown();
        Console.WriteLine("done");
    }
}
