var builder = WebApplication.CreateBuilder(args);
var app = builder.Build();

app.MapGet("/", () => "welcome");
app.MapGet("/hello/{name}", (string name) =>
{
    string greeting = "hello " + name;
    return greeting; // @greeting
});

app.Run();
