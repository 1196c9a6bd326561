// A service that asks itself for its page, and is edited meanwhile (edits.json).
static class Service
{
    // @service
    static string Answer(int n)
    {
        string text = "answer " + n;
        Program.Tell(text, [text, n]); // @answer
        return text;
    }

    static async Task Main(string[] args)
    {
        var builder = WebApplication.CreateBuilder(args);
        builder.Logging.ClearProviders();
        builder.Services.AddRazorPages();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        var app = builder.Build();
        app.MapRazorPages();
        app.MapGet("/work/{n}", (int n) => Program.Work(n));
        app.MapGet("/answer/{n}", (int n) => Answer(n));
        await app.StartAsync();
        using var client = new HttpClient { Timeout = Timeout.InfiniteTimeSpan };
        for (int n = 1;; n++)
        {
            await client.GetStringAsync(app.Urls.First() + "/?n=" + n);
            await client.GetStringAsync(app.Urls.First() + "/answer/" + n);
            await client.GetStringAsync(app.Urls.First() + "/work/" + n);
            await Task.Delay(50);
        }
    }
}
