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

/* ---- treenode.c --------------------------------------------------------- */

/* The method of @type of this name that takes @args; @of: its object. */
DBG_MUST struct dbg_error *tree_call(struct tree *t, struct bound *of,
				     struct type *type, const char *name,
				     struct bound *const *args, size_t n,
				     struct bound **ret);
/* A factory method. */
DBG_MUST struct dbg_error *tree_make(struct tree *t, const char *name,
				     struct bound *const *args, size_t n,
				     struct bound **ret);
DBG_MUST struct dbg_error *tree_array(struct tree *t, struct type *element,
				      struct bound *const *list, size_t n,
				      struct bound **ret);
/* Does @n use a parameter of one of the lambdas that are made into trees? */
bool tree_uses(const struct tree *t, const struct bound *n);
/* The value of @v, which does not. */
DBG_MUST struct dbg_error *tree_constant(struct tree *t, struct bound *v,
					 struct type *type, struct bound **ret);
/* @node, of the type @from, converted. */
DBG_MUST struct dbg_error *tree_as(struct tree *t, struct bound *node,
				   struct type *from, struct type *to,
				   struct bound **ret);
/* The tree of @x, as a @to. */
DBG_MUST struct dbg_error *tree_to(struct tree *t, const struct expr *x,
				   struct type *to, struct bound **ret);
/* LambdaExpression of the delegate @type. */
DBG_MUST struct dbg_error *tree_lambda(struct tree *t, const struct expr *x,
				       struct type *type, struct bound **ret);

/* ---- treenode.c --------------------------------------------------------- */

/* The tree of @x, which was bound as @v and uses a parameter. */
DBG_MUST struct dbg_error *tree_node(struct tree *t, const struct expr *x,
				     struct bound *v, struct bound **ret);

#endif
