// A web service with a database: ASP.NET Core, Entity Framework Core, SQLite.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.Json;
using System.Text.RegularExpressions;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
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

public interface IClock { int Year { get; } }

public class Clock : IClock { public int Year => 2026; }

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

    static async Task<string> Answer(int id, Shop shop, HttpContext context)
    {
        Order order = await shop.Orders.Include(o => o.Items) // @query
            .SingleOrDefaultAsync(o => o.Id == id);
        if (order == null) // @found
            return "no order " + id; // @none
        double total = Sum(order.Items); // @total
        bool big = total > 100; // @big
        string answer = $"{order.Customer} {total}";
        IClock clock = context.RequestServices.GetRequiredService<IClock>();
        JsonDocument json = JsonDocument.Parse("{\"tags\":[\"a\",\"b\"]}");
        See.Value("id", id); // @see
        See.Value("order.Customer", order.Customer);
        See.Value("order.Items.Count", order.Items.Count);
        See.Value("order.Items[1].Name", order.Items[1].Name);
        See.Value("order.Items[1].Price", order.Items[1].Price);
        See.Value("total", total);
        See.Value("big", big);
        See.Value("answer", answer);
        See.Value("order.Items.Sum(i => i.Count * i.Price)", order.Items.Sum(i => i.Count * i.Price));
        See.Value("order.Items.Where(i => i.Price > 3).Select(i => i.Name).First()", order.Items.Where(i => i.Price > 3).Select(i => i.Name).First());
        See.Value("shop.Model.GetEntityTypes().Count()", shop.Model.GetEntityTypes().Count());
        See.Value("shop.ChangeTracker.HasChanges()", shop.ChangeTracker.HasChanges());
        See.Value("shop.ChangeTracker.Entries().Count()", shop.ChangeTracker.Entries().Count());
        See.Value("shop.ChangeTracker.Entries<Order>().Count()", shop.ChangeTracker.Entries<Order>().Count());
        See.Value("shop.Entry(order).State == EntityState.Unchanged", shop.Entry(order).State == EntityState.Unchanged);
        See.Value("shop.Orders.Local.Count", shop.Orders.Local.Count);
        See.Value("JsonSerializer.Serialize(order.Id)", JsonSerializer.Serialize(order.Id));
        See.Value("context.Request.Query[\"tag\"].Count", context.Request.Query["tag"].Count);
        See.Value("context.Request.Query[\"tag\"].ToString()", context.Request.Query["tag"].ToString());
        See.Value("context.Request.Headers[\"x-trace\"].ToString()", context.Request.Headers["x-trace"].ToString());
        See.Value("context.Request.Path.Value", context.Request.Path.Value);
        See.Value("context.Request.RouteValues[\"id\"].ToString()", context.Request.RouteValues["id"].ToString());
        See.Value("context.Connection.ClientCertificate == null", context.Connection.ClientCertificate == null);
        See.Value("context.RequestServices.GetService<IClock>().Year", context.RequestServices.GetService<IClock>().Year);
        See.Value("clock.Year", clock.Year);
        See.Value("new Uri(\"http://example.org:81/a?b=1\").Host", new Uri("http://example.org:81/a?b=1").Host);
        See.Value("Regex.IsMatch(order.Customer, \"^A\")", Regex.IsMatch(order.Customer, "^A"));
        See.Value("json.RootElement.GetProperty(\"tags\")[1].GetString()", json.RootElement.GetProperty("tags")[1].GetString());
        return answer;
    }

    static void Main(string[] args)
    {
        WebApplicationBuilder builder = WebApplication.CreateBuilder(args);
        builder.Logging.ClearProviders();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Services.AddSingleton<IClock, Clock>();
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
