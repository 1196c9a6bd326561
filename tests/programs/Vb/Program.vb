' A program in Visual Basic: Async, a lambda that captures, Iterator, With.
Option Strict On
Imports System
Imports System.Collections.Generic
Imports System.Linq
Imports System.Threading.Tasks

Class Account
    Public Property Owner As String
    Public Balance As Integer

    Public Function Pay(amount As Integer) As Integer
        Balance -= amount ' @pay
        Return Balance
    End Function
End Class

Module Program
    Dim payments As Integer

    Sub See(name As String, value As Object)
        Dim text = If(TypeOf value Is String, """" & value.ToString() & """",
                      value.ToString())
        If TypeOf value Is Boolean Then text = text.ToLower()
        Console.WriteLine(name & " = " & text)
    End Sub

    Iterator Function Amounts(count As Integer) As IEnumerable(Of Integer)
        For i = 1 To count
            Yield i * 10 ' @yield
        Next
    End Function

    Async Function Settle(account As Account) As Task(Of Integer)
        Dim paid = 0 ' @settle
        For Each amount In Amounts(3)
            Await Task.Yield()
            account.Pay(amount) ' @call
            paid += amount
            payments += 1
        Next
        Dim rich = account.Balance > 30 ' @after
        See("paid", paid) ' @see
        See("account.Owner", account.Owner)
        See("account.Balance", account.Balance)
        See("payments", payments)
        See("rich", rich)
        Return paid
    End Function

    Function Main(args As String()) As Integer
        Dim account As New Account With {.Owner = "Grace", .Balance = 100}
        Dim paid = Settle(account).Result ' @main
        Dim factor = 2
        Dim doubled = Amounts(2).Select(Function(n) n * factor).ToList()
        Dim last = doubled(1) ' @last
        See("factor", factor) ' @end
        See("last", last)
        See("doubled.Count", doubled.Count)
        See("account.Balance", account.Balance)
        See("paid", paid)
        Return last + 2
    End Function
End Module
