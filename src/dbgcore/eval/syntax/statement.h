/*
 * Syntax of C#: the tree of an expression. No meaning here, so it can be tested
 * and fuzzed without a program; types, patterns and the statements of lambdas
 * are nodes of the same tree.
 *
 * statement.c is the entry point; creation.c, operator.c, creation.c,
 * operator.c, statement.c, statement.c and query.c parse expressions,
 * creation.c types. The parser turns query expressions into the method calls
 * that they stand for.
 */
#ifndef EVAL_STATEMENT_H
#define EVAL_STATEMENT_H

#include "eval/syntax/token.h"

struct arena;

enum {
	EXPR_DEPTH_MAX = 100
};

/* The comment behind each kind says which fields of struct expr it uses. */
enum expr_kind {
	/* Leaves */
	EXPR_LITERAL, /* token */
	EXPR_NULL,
	EXPR_BOOL,  /* token->integer */
	EXPR_NAME,  /* name, args: type arguments */
	EXPR_THIS,  /* name "this" */
	EXPR_BASE,  /* name "base" */
	EXPR_ALIAS, /* name of `name::`; a MEMBER is around it */

	/* Types; NAME, ALIAS and MEMBER may be one too */
	EXPR_KEYWORD,       /* name, elem: int, string, decimal ... */
	EXPR_ARRAY_TYPE,    /* a[,]: rank */
	EXPR_NULLABLE_TYPE, /* a? */
	EXPR_POINTER_TYPE,  /* a* */
	EXPR_TUPLE_TYPE,    /* list of PARAM: type, name or NULL */
	EXPR_VAR_TYPE,      /* var: to be inferred */

	/* Primary expressions */
	EXPR_MEMBER,       /* a.name, args; conditional, arrow */
	EXPR_INDEX,        /* a[list]; conditional */
	EXPR_CALL,         /* a(list) */
	EXPR_ARGUMENT,     /* in a list: [name:] [ref|out|in] a; modifier */
	EXPR_DECLARATION,  /* type name, or var (list): `out`, deconstruction */
	EXPR_SUPPRESS,     /* a! */
	EXPR_POSTFIX,      /* a op: ++ -- */
	EXPR_TYPEOF,       /* type; a name may have open arguments */
	EXPR_NAMEOF,       /* a */
	EXPR_SIZEOF,       /* type */
	EXPR_DEFAULT,      /* type; NULL: bare */
	EXPR_CHECKED,      /* checked(a), unchecked(a) */
	EXPR_TUPLE,        /* list of ARGUMENT: [name:] a */
	EXPR_INTERPOLATED, /* list of LITERAL strings and HOLE */
	EXPR_HOLE,         /* {a,b:token}: alignment and format or NULL */
	EXPR_COLLECTION,   /* [list], with SPREAD; b: CALL, what `with(...)`
			    * in front of them gives, or NULL */
	EXPR_SPREAD,       /* ..a in a collection */

	/* Creation */
	EXPR_NEW,                /* new type(list) b; type NULL: target-typed */
	EXPR_NEW_ARRAY,          /* new type[list] b; type of the array or NULL;
				  * on_stack: stackalloc */
	EXPR_ANONYMOUS,          /* new { list of INITIALIZER } */
	EXPR_OBJECT_INITIALIZER, /* { list of INITIALIZER } */
	EXPR_COLLECTION_INITIALIZER, /* { list; ARRAY_INITIALIZER for several }
				      */
	EXPR_INITIALIZER, /* name = b, or [list] = b when name is NULL */
	EXPR_WITH,        /* a with b: OBJECT_INITIALIZER */

	/* Operators */
	EXPR_UNARY,  /* op a: + - ! ~ * & ++ -- ^ */
	EXPR_BINARY, /* a op b, && || ?? too */
	EXPR_RANGE,  /* a..b, each may be NULL */
	EXPR_CAST,   /* (type)a */
	EXPR_IS,     /* a is b: a pattern */
	EXPR_AS,     /* a as type */
	EXPR_CHOICE, /* a ? b : c */
	EXPR_ASSIGN, /* a op= b; OP_NONE: a = b */
	EXPR_SWITCH, /* a switch { list of ARM } */
	EXPR_ARM,    /* a when c => b; a is a pattern, c or NULL */
	EXPR_THROW,  /* throw a */
	EXPR_REF,    /* ref a */
	EXPR_AWAIT,  /* await a */
	EXPR_LAMBDA, /* (list of PARAM) => a; a BLOCK or an expression */
	EXPR_PARAM, /* [modifier] [type] name [= a]; transparent: see query.c */

	/* Patterns (11.2) */
	PATTERN_CONSTANT, /* a; a name may turn out to be a type */
	PATTERN_TYPE,     /* type [name] */
	PATTERN_VAR,      /* var name, var (list) */
	PATTERN_DISCARD,  /* _ */
	PATTERN_RELATION, /* op a */
	PATTERN_NOT,      /* not a */
	PATTERN_AND,      /* a and b */
	PATTERN_OR,       /* a or b */
	PATTERN_SHAPE,    /* [type] (list) { args } [name]; positional: list */
	PATTERN_MEMBER,   /* [path a or name]: b, part of a SHAPE */
	PATTERN_LIST,     /* [list] [name] */
	PATTERN_SLICE,    /* ..[a] in a list */

	/* Statements of a lambda's body */
	STMT_BLOCK,    /* { list } */
	STMT_EXPR,     /* a; */
	STMT_LOCAL,    /* type, list of INITIALIZER name = b or NULL */
	STMT_FUNCTION, /* type name(...) a: the LAMBDA of it */
	STMT_IF,       /* if (a) b else c */
	STMT_WHILE,    /* while (a) b */
	STMT_DO,       /* do b while (a) */
	STMT_FOR,      /* for (list; a; args) b; list may be one LOCAL */
	STMT_FOREACH,  /* foreach (type name in a) b; c: a deconstruction */
	STMT_RETURN,   /* return a; a or NULL */
	STMT_THROW,    /* throw a; a or NULL */
	STMT_BREAK,
	STMT_CONTINUE,
	STMT_SWITCH,  /* switch (a) { list of SECTION } */
	STMT_SECTION, /* args: ARMs without b, pattern NULL: default; list */
	STMT_TRY,     /* try a, list of CATCH, finally b or NULL */
	STMT_CATCH,   /* catch (type name) when (a) b */
	STMT_USING,   /* using (a: LOCAL or expression) b; b NULL: to the end */
	STMT_LOCK,    /* lock (a) b */
	STMT_CHECKED, /* checked b, unchecked b */
	STMT_EMPTY,
};

/* Keep in the order of the table of operators in operator.c. */
enum op {
	OP_NONE,
	OP_ADD,
	OP_SUBTRACT,
	OP_MULTIPLY,
	OP_DIVIDE,
	OP_REMAINDER,
	OP_SHIFT_LEFT,
	OP_SHIFT_RIGHT,
	OP_SHIFT_UNSIGNED,
	OP_AND,
	OP_OR,
	OP_XOR,
	OP_EQUAL,
	OP_NOT_EQUAL,
	OP_LESS,
	OP_GREATER,
	OP_LESS_EQUAL,
	OP_GREATER_EQUAL,
	OP_AND_ALSO,
	OP_OR_ELSE,
	OP_COALESCE,
	OP_ARRAY, /* @: gdb's arrays */
	OP_PLUS,  /* unary from here */
	OP_MINUS,
	OP_NOT,
	OP_COMPLEMENT,
	OP_DEREFERENCE,
	OP_ADDRESS,
	OP_INCREMENT,
	OP_DECREMENT,
	OP_FROM_END, /* ^ */
	N_OPS
};

/* How an argument or a parameter is passed. */
enum expr_modifier {
	MODIFIER_NONE,
	MODIFIER_REF,
	MODIFIER_OUT,
	MODIFIER_IN,
	MODIFIER_PARAMS
};

struct expr {
	enum expr_kind kind;
	enum op op;
	enum elem elem; /* KEYWORD */
	enum expr_modifier modifier;
	uint32_t start, end; /* of the whole, in the text */
	uint32_t rank;       /* ARRAY_TYPE */
	bool conditional;    /* ?. and ?[ */
	bool arrow;          /* -> */
	bool unchecked;
	bool async;       /* a LAMBDA */
	bool on_stack;    /* stackalloc */
	bool positional;  /* a SHAPE has parentheses */
	bool parens;      /* stands in parentheses of its own */
	bool transparent; /* a PARAM or ANONYMOUS made for a query */
	const struct token *token;
	const char *name;
	struct expr *a, *b, *c;
	struct expr **list;
	size_t n_list;
	struct expr **args;
	size_t n_args;
	struct expr *type;
};

/* Parse all of @text as an expression; the tree is in @arena. */
DBG_MUST struct dbg_error *expr_parse(const char *text, struct arena *arena,
				      struct expr **ret);
/*
 * An expression, or a declaration: STMT_LOCAL, or the EXPR_ASSIGN of a
 * deconstruction.
 */
DBG_MUST struct dbg_error *
expr_parse_statement(const char *text, struct arena *arena, struct expr **ret);
/* Parse all of @text as a type. */
DBG_MUST struct dbg_error *
expr_parse_type(const char *text, struct arena *arena, struct expr **ret);

/* An operator as it is written. */
const char *op_text(enum op op);

#endif
