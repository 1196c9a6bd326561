/* Methods that fit a call: overload.c finds them and compares two. */
#ifndef EVAL_OVERLOAD_H
#define EVAL_OVERLOAD_H

#include "eval/bind/bind_priv.h"

enum {
	NOT_GIVEN = -1
};

/* A method that fits, and which argument each parameter has. */
struct candidate {
	struct type_method *method;
	const struct type_method *declared; /* has its parameters */
	const struct type_sig *open; /* before type arguments were found */
	const struct type_sig *sig;
	bool expanded; /* the rest goes into the array of `params` */
	bool generic;
	size_t n_given;         /* parameters with an argument of their own */
	int map[BIND_ARGS_MAX]; /* by parameter */
};

/* 1: @x has the more special parameters (12.6.4.3), -1: @y has, 0: neither. */
int more_special(struct binder *b, const struct call *c,
		 const struct candidate *x, const struct candidate *y);

/* As call_resolve, among the static virtual methods @name of the interfaces of
 * @type; the method is that which @type has for it. */
DBG_MUST struct dbg_error *call_implemented(struct binder *b, struct type *type,
					    const char *name, struct call *c,
					    struct choice *best);

/* As call_resolve, among the operators ("op_Addition") of extension blocks. */
DBG_MUST struct dbg_error *call_extension_operator(struct binder *b,
						   const char *name,
						   struct call *c,
						   struct choice *ret);

/*
 * The call of an instance operator for assignments (C# 14), or of the Add of a
 * collection initializer, which @c names, on @to: of its type, its base types
 * or an extension; *ret NULL: none fits.
 */
DBG_MUST struct dbg_error *call_assignment_operator(struct binder *b,
						    struct bound *to,
						    struct call *c,
						    struct bound **ret);

/* ---- What static types choose in generic code; see standin.c ------------- */

/*
 * Are there arguments of @c whose static type may mention a type parameter of
 * the frame's? Then *ret is the call and @to are the methods as for any type
 * argument; @constrained: that meets the constraints, but is
 * no more than they say. @sure: which of its types do mention one is known.
 */
bool standin_call(struct binder *b, const struct call *c,
		  struct type_method *const *methods, size_t n,
		  bool constrained, struct call *ret, struct type_method **to,
		  bool *sure);

/* ---- Arguments about the caller; see bindfunction.c ---------------------- */

/*
 * The argument that the compiler passes for the optional parameter @p because
 * of a caller-info attribute (System.Runtime.CompilerServices); NULL: it has
 * none, or the value is not known.
 */
struct bound *caller_argument(struct binder *b, const struct call *c,
			      const struct candidate *k,
			      const struct type_param *p);

/* ---- Parameters by the nearest declaration; see declared.c --------------- */

/* Bits of type_param.flags. */
enum {
	PARAM_IN = 1,
	PARAM_OPTIONAL = 0x10,
};

/*
 * The method whose parameters the call @c of @m is read by: the override that
 * the static type of the receiver has, else @m.
 */
const struct type_method *parameters_of(struct binder *b, const struct call *c,
					struct type_method *m);

/* The number of the parameter @name; -1: there is none. */
int parameter_named(const struct candidate *k, const char *name);
bool parameter_is(const struct candidate *k, uint32_t i, uint16_t flag);

/* What the parameter @i is if no argument is given for it. */
DBG_MUST struct dbg_error *default_argument(struct binder *b,
					    const struct call *c,
					    const struct candidate *k,
					    uint32_t i, struct bound **ret);

#endif
