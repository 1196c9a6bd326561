// What embedder.c calls, and what calls it back.
using System;
using System.Runtime.InteropServices;

public static unsafe class Scale
{
    public struct Sample
    {
        public int Count;
        public double Weight;
        public byte* Name;
    }

    static int calls;

    [UnmanagedCallersOnly]
    public static double Weigh(Sample* sample,
                               delegate* unmanaged<double, double> convert)
    {
        calls++; // @weigh
        string name = Marshal.PtrToStringUTF8((IntPtr)sample->Name);
        double total = sample->Count * sample->Weight;
        double converted = convert(total); // @convert
        See.Value("name", name); // @see
        See.Value("total", total);
        See.Value("converted", converted);
        See.Value("calls", calls);
        See.Value("sample->Count", sample->Count);
        See.Value("sample->Weight", sample->Weight);
        return converted;
    }
}
