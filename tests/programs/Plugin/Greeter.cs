// What the plug-in host loads and unloads.
public class Greeter
{
    static int greeted;
    string greeting = "hello";

    public string Greet(string name, int times)
    {
        greeted += times; // @greet
        string text = greeting + " " + name; // @text
        See.Value("name", name); // @see
        See.Value("times", times);
        See.Value("text", text);
        See.Value("greeting", greeting);
        See.Value("greeted", greeted);
        return text;
    }
}
