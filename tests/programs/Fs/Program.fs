// A program in F#: an expression tree, a task, closures.
module Calculator

open System.Threading.Tasks

type Expression =
    | Number of int
    | Add of Expression * Expression
    | Multiply of Expression * Expression

type Answer = { Text: string; Value: int }

let see (name: string) (value: obj) =
    let text =
        match value with
        | null -> "null"
        | :? string as s -> "\"" + s + "\""
        | :? bool as b -> if b then "true" else "false"
        | v -> string v
    System.Console.WriteLine(name + " = " + text)

let mutable evaluated = 0

let rec evaluate expression =
    evaluated <- evaluated + 1
    match expression with
    | Number n -> n // @number
    | Add(a, b) -> evaluate a + evaluate b
    | Multiply(a, b) -> evaluate a * evaluate b

let answer text expression =
    task {
        let value = evaluate expression // @evaluate
        do! Task.Yield()
        let found = { Text = text; Value = value } // @found
        see "text" text // @see
        see "value" value
        see "found.Text" found.Text
        see "found.Value" found.Value
        return found
    }

let scale factor numbers = List.map (fun n -> n * factor) numbers

[<EntryPoint>]
let main args =
    let tree = Add(Number 2, Multiply(Number 4, Number 10))
    let found = (answer "2+4*10" tree).Result // @main
    let scaled = scale 3 [ 1; 2; 3 ]
    let name = if args.Length > 0 then Some args[0] else None
    let total = List.sum scaled + evaluated // @total
    let same = found.Value = 42
    see "evaluated" evaluated // @end
    see "total" total
    see "same" same
    see "args.Length" args.Length
    see "found.Text" found.Text
    see "name.Value" name.Value
    found.Value
