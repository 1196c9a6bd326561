/*
 * The words and the punctuation that the grammar of C# names: one table for
 * tokens, parser and messages. A word that is not in it is a name like any
 * other, also where C# reserves it (`event`, `params`), since programs in
 * Visual Basic and F# use such names.
 */
#ifndef EVAL_WORD_H
#define EVAL_WORD_H

/* Identifier, text. A reserved word is a name only as @word. */
#define RESERVED_WORDS(X)                                                      \
	X(AS, "as")                                                            \
	X(BASE, "base")                                                        \
	X(BREAK, "break")                                                      \
	X(CASE, "case")                                                        \
	X(CATCH, "catch")                                                      \
	X(CHECKED, "checked")                                                  \
	X(CONST, "const")                                                      \
	X(CONTINUE, "continue")                                                \
	X(DEFAULT, "default")                                                  \
	X(DELEGATE, "delegate")                                                \
	X(DO, "do")                                                            \
	X(ELSE, "else")                                                        \
	X(FALSE, "false")                                                      \
	X(FINALLY, "finally")                                                  \
	X(FIXED, "fixed")                                                      \
	X(FOR, "for")                                                          \
	X(FOREACH, "foreach")                                                  \
	X(GOTO, "goto")                                                        \
	X(IF, "if")                                                            \
	X(IN, "in")                                                            \
	X(IS, "is")                                                            \
	X(LOCK, "lock")                                                        \
	X(NEW, "new")                                                          \
	X(NULL, "null")                                                        \
	X(OUT, "out")                                                          \
	X(REF, "ref")                                                          \
	X(RETURN, "return")                                                    \
	X(SIZEOF, "sizeof")                                                    \
	X(STACKALLOC, "stackalloc")                                            \
	X(STATIC, "static")                                                    \
	X(SWITCH, "switch")                                                    \
	X(THIS, "this")                                                        \
	X(THROW, "throw")                                                      \
	X(TRUE, "true")                                                        \
	X(TRY, "try")                                                          \
	X(TYPEOF, "typeof")                                                    \
	X(UNCHECKED, "unchecked")                                              \
	X(UNSAFE, "unsafe")                                                    \
	X(USING, "using")                                                      \
	X(WHILE, "while")

/* Keywords that are types, and the element type of each. */
#define TYPE_WORDS(X)                                                          \
	X(BOOL, "bool", BOOLEAN)                                               \
	X(BYTE, "byte", U1)                                                    \
	X(CHAR, "char", CHAR)                                                  \
	X(DECIMAL, "decimal", VALUETYPE)                                       \
	X(DOUBLE, "double", R8)                                                \
	X(FLOAT, "float", R4)                                                  \
	X(INT, "int", I4)                                                      \
	X(LONG, "long", I8)                                                    \
	X(OBJECT, "object", OBJECT)                                            \
	X(SBYTE, "sbyte", I1)                                                  \
	X(SHORT, "short", I2)                                                  \
	X(STRING, "string", STRING)                                            \
	X(UINT, "uint", U4)                                                    \
	X(ULONG, "ulong", U8)                                                  \
	X(USHORT, "ushort", U2)                                                \
	X(VOID, "void", VOID)

/* Words that mean something in their place and are names elsewhere. */
#define CONTEXTUAL_WORDS(X)                                                    \
	X(AND, "and")                                                          \
	X(ASCENDING, "ascending")                                              \
	X(ASYNC, "async")                                                      \
	X(AWAIT, "await")                                                      \
	X(BY, "by")                                                            \
	X(DESCENDING, "descending")                                            \
	X(EQUALS, "equals")                                                    \
	X(FROM, "from")                                                        \
	X(GROUP, "group")                                                      \
	X(INTO, "into")                                                        \
	X(JOIN, "join")                                                        \
	X(LET, "let")                                                          \
	X(NAMEOF, "nameof")                                                    \
	X(NOT, "not")                                                          \
	X(ON, "on")                                                            \
	X(OR, "or")                                                            \
	X(ORDERBY, "orderby")                                                  \
	X(SELECT, "select")                                                    \
	X(SCOPED, "scoped")                                                    \
	X(VAR, "var")                                                          \
	X(WHEN, "when")                                                        \
	X(WHERE, "where")                                                      \
	X(WITH, "with")                                                        \
	X(YIELD, "yield")

/* Longest first: the first that fits is taken. */
#define PUNCTUATION(X)                                                         \
	X(COALESCE_ASSIGN, "?\?=")                                             \
	X(SHIFT_LEFT_ASSIGN, "<<=")                                            \
	X(ARROW, "=>")                                                         \
	X(AND_AND, "&&")                                                       \
	X(OR_OR, "||")                                                         \
	X(COALESCE, "?\?")                                                     \
	X(IF_DOT, "?.")                                                        \
	X(EQUAL, "==")                                                         \
	X(NOT_EQUAL, "!=")                                                     \
	X(LESS_EQUAL, "<=")                                                    \
	X(GREATER_EQUAL, ">=")                                                 \
	X(SHIFT_LEFT, "<<")                                                    \
	X(POINTS_TO, "->")                                                     \
	X(COLONS, "::")                                                        \
	X(RANGE, "..")                                                         \
	X(INCREMENT, "++")                                                     \
	X(DECREMENT, "--")                                                     \
	X(ADD_ASSIGN, "+=")                                                    \
	X(SUBTRACT_ASSIGN, "-=")                                               \
	X(MULTIPLY_ASSIGN, "*=")                                               \
	X(DIVIDE_ASSIGN, "/=")                                                 \
	X(REMAINDER_ASSIGN, "%=")                                              \
	X(AND_ASSIGN, "&=")                                                    \
	X(OR_ASSIGN, "|=")                                                     \
	X(XOR_ASSIGN, "^=")                                                    \
	X(OPEN, "(")                                                           \
	X(CLOSE, ")")                                                          \
	X(OPEN_INDEX, "[")                                                     \
	X(CLOSE_INDEX, "]")                                                    \
	X(OPEN_BRACE, "{")                                                     \
	X(CLOSE_BRACE, "}")                                                    \
	X(DOT, ".")                                                            \
	X(COMMA, ",")                                                          \
	X(SEMICOLON, ";")                                                      \
	X(QUESTION, "?")                                                       \
	X(COLON, ":")                                                          \
	X(LESS, "<")                                                           \
	X(GREATER, ">")                                                        \
	X(ADD, "+")                                                            \
	X(SUBTRACT, "-")                                                       \
	X(MULTIPLY, "*")                                                       \
	X(DIVIDE, "/")                                                         \
	X(REMAINDER, "%")                                                      \
	X(AND, "&")                                                            \
	X(OR, "|")                                                             \
	X(XOR, "^")                                                            \
	X(NOT, "!")                                                            \
	X(COMPLEMENT, "~")                                                     \
	X(ASSIGN, "=")                                                         \
	X(AT, "@")

#define WORD_ID(id, ...) WORD_##id,
enum word {
	WORD_NONE, /* any other name */
	RESERVED_WORDS(WORD_ID) WORD_LAST_RESERVED,
	TYPE_WORDS(WORD_ID) WORD_LAST_TYPE,
	CONTEXTUAL_WORDS(WORD_ID)
};
#undef WORD_ID

#define PUNCT_ID(id, text) PUNCT_##id,
enum punct {
	PUNCT_NONE,
	PUNCTUATION(PUNCT_ID)
};
#undef PUNCT_ID

#endif
