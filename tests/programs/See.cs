using System;
using System.Globalization;

// Values as the debugger writes them: what a program says of itself is compared
// with what the debugger says of it.
public static class See
{
    public static Action<string> Print = Console.WriteLine;

    public static void Value(string expression, object value)
    {
        Print(expression + " = " + Text(value));
    }

    static string Text(object value)
    {
        return value switch {
            null => "null",
            string text => '"' + text + '"',
            bool truth => truth ? "true" : "false",
            IFormattable one => one.ToString(null, CultureInfo.InvariantCulture),
            _ => value.ToString(),
        };
    }
}
