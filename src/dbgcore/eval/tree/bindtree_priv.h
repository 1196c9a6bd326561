/* An expression tree under construction: treenode.c, treenode.c. */
#ifndef EVAL_BINDTREE_PRIV_H
#define EVAL_BINDTREE_PRIV_H

#include "eval/bind/bindmade.h"
#include "eval/tree/treenode.h"

enum {
	TREE_METHODS_MAX = 64, /* overloads of a factory method */
	TREE_PARAMS_MAX = 16
};

/* A parameter of a lambda, and the variable of its ParameterExpression. */
struct tree_name {
	struct tree_name *outer;
	const struct bound_var *var;
	struct bound *parameter;
};

struct tree {
	struct binder *b;
	struct type *factory;    /* System.Linq.Expressions.Expression */
	const struct expr *at;   /* what is being made */
	struct tree_name *names; /* in scope, innermost first */
	struct bound *stores[TREE_PARAMS_MAX]; /* of the parameters */
	size_t n_stores;
};

#endif
