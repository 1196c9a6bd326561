/* Unions of C# 15; see bindunion.c. */
#ifndef EVAL_BINDUNION_H
#define EVAL_BINDUNION_H

#include "eval/bind/bind_priv.h"

/*
 * @v as the union @to, or as the union that @to is the nullable type of, made
 * by the constructor of its case; *ret NULL: @to is none, or has no such case.
 */
DBG_MUST struct dbg_error *union_convert(struct binder *b, struct bound *v,
					 struct type *to, struct bound **ret);
/*
 * What a pattern about a union (or a nullable one) is matched against: its
 * Value, of type object, null if there is no union. @v itself if it is no
 * union. It is put into a variable, since patterns read it more than once.
 */
DBG_MUST struct dbg_error *union_content(struct binder *b, struct bound *v,
					 const struct expr *x,
					 struct bound **ret);

#endif
