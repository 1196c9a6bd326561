/* Operators of C# on settled values. */
#ifndef EVAL_ARITH_H
#define EVAL_ARITH_H

#include "value/value.h"

struct arena;

/* + - * / % & | ^ << >> == != < <= > >= (not && || ??). */
DBG_MUST struct dbg_error *arith_binary(struct types *ts, struct arena *arena,
					const char *op, const struct value *ab,
					struct value *ret);
/* + - ! ~ */
DBG_MUST struct dbg_error *arith_unary(struct types *ts, const char *op,
				       const struct value *v,
				       struct value *ret);
/* Numeric, enum, char and pointer conversions of a cast. */
DBG_MUST struct dbg_error *arith_convert(struct types *ts,
					 const struct value *v, struct type *to,
					 struct value *ret);
/* A bool value's truth; false if it is no bool or unreadable. */
bool arith_bool(struct types *ts, const struct value *v, bool *ret);
struct value arith_make_bool(struct types *ts, bool b);
/* Numbers that conversions know: primitives, enums, decimals. */
bool arith_is_number(const struct type *type);

#endif
