/* The binder: see bound.h. */
#ifndef EVAL_BIND_PRIV_H
#define EVAL_BIND_PRIV_H

#include "eval/bind/bound.h"
#include "eval/eval.h"
#include "il/vm.h"

enum {
	BIND_STEPS_MAX = 200000,
	BIND_ARGS_MAX = 32
};

struct lambda_memo;
struct call;
struct frame_params;

/* Names that lambdas bring, innermost first. */
struct name_scope {
	struct name_scope *outer;
	struct bound_var *var;
};

struct binder {
	const struct eval *e;
	struct frame_params *params; /* see bindparam.h; NULL: values */
	const char *text;
	struct types *ts;
	struct vm *vm;
	struct arena *arena; /* the evaluation's; see e->arena for what stays */
	struct name_scope *names;
	struct bound_lambda *lambda; /* whose body is being bound */
	struct lambda_memo *memos;
	struct bound_var **locals; /* of the expression and its lambdas */
	size_t n_locals, cap_locals;
	bool checked, in_tree; /* in_tree: no `params` but arrays */
	bool of_machine;     /* a call sets a variable: one run computes all */
	struct bound *whole; /* what is evaluated */
	bool in_parts;       /* a part of it was executed by itself, */
	bool has_written;    /* ... and one wrote to the program's objects */
	struct type *wanted; /* an enum whose names stand bare, or NULL */
	struct bound_var **noted; /* see binddeclare.h */
	size_t n_noted;
	const struct expr *target; /* is assigned to */
	unsigned int steps;
	struct tuple_names *tuples;       /* see bindtuple.h */
	struct bound *breaks, *continues; /* what these jump out of */
};

/* ---- binder.c: nodes and expressions ------------------------------------ */

struct bound *bound_make(struct binder *b, enum bound_kind kind,
			 struct type *type, const struct expr *x);
struct bound *bound_int(struct binder *b, enum elem elem, int64_t value,
			const struct expr *x);
struct bound *bound_call(struct binder *b, struct type_method *m,
			 struct bound *const *args, size_t n, struct type *ret,
			 const struct expr *x);
struct type *bind_prim(struct binder *b, enum elem elem);
/*
 * Declare a temporary variable in the code that the binder makes: its node can
 * be stored to and read later.
 */
struct bound *bound_local(struct binder *b, struct type *type,
			  const struct expr *x);
/* Make the error DBG_E_ARGUMENT with the column of @x. */
DBG_MUST struct dbg_error *
bind_error(const struct binder *b, const struct expr *x, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
const char *bind_source(const struct binder *b, const struct expr *x);

/* Bind @x as whatever it is: a value, type, namespace or method group. */
DBG_MUST struct dbg_error *bind_any(struct binder *b, const struct expr *x,
				    struct bound **ret);
/* Bind a value, or what a target type makes one (null, a lambda). */
DBG_MUST struct dbg_error *bind_operand(struct binder *b, const struct expr *x,
					struct bound **ret);
/* Bind a value that has a type. */
DBG_MUST struct dbg_error *bind_value(struct binder *b, const struct expr *x,
				      struct bound **ret);
DBG_MUST struct dbg_error *bind_type(struct binder *b, const struct expr *x,
				     struct type **ret);
/* Get a type of the core library by its metadata name, or an error. */
DBG_MUST struct dbg_error *bind_core(struct binder *b, const char *name,
				     struct type **ret);

void binder_init(struct binder *b, const struct eval *e, const char *text);

/* ---- fetch.c, evaluate.c: values -------------------------------------- */

/* The value of a node: in its place, if it has one. */
DBG_MUST struct dbg_error *fetch_value(struct binder *b, struct bound *n,
				       struct value *ret);
/* ... by the interpreter. */
DBG_MUST struct dbg_error *machine_value(struct binder *b, struct bound *n,
					 struct value *ret);
/*
 * What is done for its effect and cannot be called in the program, since it is
 * given a span or what an expression makes, has been interpreted: carry out
 * there what it has written.
 */
DBG_MUST struct dbg_error *bind_carry_writes(struct binder *b);
DBG_MUST struct dbg_error *fetch_truth(struct binder *b, struct bound *n,
				       bool *ret);
/* Is the static @f as the program has it: is its class initialised? */
bool fetch_is_ready(struct binder *b, const struct type_field *f);
/* Make the error that a value is absent. */
DBG_MUST struct dbg_error *fetch_missing(struct binder *b, const struct expr *x,
					 const struct value *v);
/* The field that the getter @m returns; NULL: it does more. */
struct type_field *getter_field(struct binder *b, struct type_method *m);
/*
 * Find the setter of the property whose getter is @getter, also of an extension
 * property. NULL: the property has no setter.
 */
struct type_method *getter_setter(struct binder *b, struct type_method *getter);

/* ---- bindname.c: what the debugger knows as values -------------------- */

/* Make a leaf with the value @v and the static type @type. */
struct bound *bound_value(struct binder *b, const struct value *v,
			  struct type *type, const struct expr *x);
/* ... with its own type, by-refs dereferenced. */
DBG_MUST struct dbg_error *bind_frame_value(struct binder *b,
					    const struct value *v,
					    const struct expr *x,
					    struct bound **ret);
/* @of with its object's run-time type; NULL: not known, or the same. */
struct bound *bind_actual(struct binder *b, struct bound *of);
/* Is the value of @of null now? False if that is not known. */
bool bind_is_null(struct binder *b, struct bound *of);
/* A tuple's element of this name, or one in memory; NULL: none. */
struct bound *bind_tuple_name(struct binder *b, struct bound *of,
			      const struct expr *x);
DBG_MUST struct dbg_error *bind_row_element(struct binder *b, struct bound *of,
					    struct call *c,
					    const struct expr *x,
					    struct bound **ret);
/* Bind & and *, and other operations on pointers. */
DBG_MUST struct dbg_error *bind_pointer(struct binder *b, const struct expr *x,
					struct bound **ret);
DBG_MUST struct dbg_error *bind_pointer_operator(struct binder *b, enum op op,
						 struct bound *l,
						 struct bound *r,
						 struct bound **ret);

DBG_MUST struct dbg_error *bind_name(struct binder *b, const struct expr *x,
				     struct bound **ret);
/* Find the methods, also extension methods, that `a.name` calls. */
DBG_MUST struct dbg_error *
bind_method_named(struct binder *b, const struct expr *x, struct bound **ret);
/* Does a variable of a lambda or of the frame have this name? */
bool name_is_known(struct binder *b, const char *name);
DBG_MUST struct dbg_error *bind_member(struct binder *b, const struct expr *x,
				       struct bound **ret);
/* Bind `.name` of the value or type @of. */
DBG_MUST struct dbg_error *bind_member_of(struct binder *b, struct bound *of,
					  const struct expr *x,
					  struct bound **ret);
/* Bind the property of the getter @m; @args: of an indexer. */
DBG_MUST struct dbg_error *bind_getter(struct binder *b, struct bound *of,
				       struct type_method *m,
				       struct bound **args, size_t n,
				       const struct expr *x,
				       struct bound **ret);
/* Is it the `base` in base.Member? */
bool bind_is_base(const struct bound *of);
/* The method called on @of: for `base` the inherited one. */
DBG_MUST struct dbg_error *
bind_of_base(struct binder *b, const struct bound *of, struct type_method **io);
/* Names of tuple elements that the compiler left with @token, 0: with none. */
void bind_note_names(struct binder *b, struct code_module *m, uint32_t token,
		     struct type *type);
/* Note if @v is what @token, or 0, declares as `dynamic`. */
void bind_note_dynamic(struct bound *v, const struct code_module *m,
		       uint32_t token);
/* Bind `this` for a call of a method that @owner declares. */
struct bound *bind_receiver(struct binder *b, struct bound *of,
			    const struct type *owner);

/* ---- overload.c, infer.c: calls --------------------------------------- */

struct call {
	const struct expr *x;
	const char *name;
	struct bound *args[BIND_ARGS_MAX];
	const char *names[BIND_ARGS_MAX]; /* name: of each, NULL */
	enum expr_modifier modifiers[BIND_ARGS_MAX];
	size_t n;
	struct type **given; /* type arguments */
	size_t n_given;
	struct type *of;              /* static type of the receiver, or NULL */
	const struct bound *receiver; /* an argument of extension methods */
	bool by_span;                 /* ... that may become a span */
};

/* How many type arguments of @m its extension block tells, else 0. */
size_t call_n_told(const struct type_method *m);
DBG_MUST struct dbg_error *bind_call(struct binder *b, const struct expr *x,
				     struct bound **ret);
/* Bind the call @x; its callee is already bound, as @of. */
DBG_MUST struct dbg_error *bind_call_of(struct binder *b, struct bound *of,
					const struct expr *x,
					struct bound **ret);
/* Bind the arguments in a list of ARGUMENT nodes. */
DBG_MUST struct dbg_error *call_arguments(struct binder *b,
					  struct expr *const *list, size_t n,
					  struct call *ret);
/*
 * The best of these methods for the arguments, or NULL in *ret. @args are
 * converted, in the order of parameters, into @ret_args (n_params of them).
 */
struct choice {
	struct type_method *method;
	const struct type_sig *sig;
	struct bound *args[BIND_ARGS_MAX];
};
DBG_MUST struct dbg_error *call_resolve(struct binder *b, struct call *c,
					struct type_method *const *methods,
					size_t n, struct choice *ret);
/* type.name(args), of @type itself. */
DBG_MUST struct dbg_error *call_static(struct binder *b, struct type *type,
				       const char *name,
				       struct bound *const *args, size_t n,
				       const struct expr *x,
				       struct bound **ret);
/* The error why none of these fits; NULL: @n is 0. */
DBG_MUST struct dbg_error *call_refused(struct binder *b, const struct call *c,
					struct type_method *const *methods,
					size_t n);
/*
 * Find type arguments of the generic method @m, with @expanded in the expanded
 * form of `params`; false: they are not told.
 */
bool infer_method(struct binder *b, const struct call *c, struct type_method *m,
		  bool expanded, struct type_method **ret);
/* Type of argument @i's parameter, with `params` expanded or not. */
struct type *call_param(struct binder *b, const struct type_sig *sig, size_t i,
			bool expanded);
/* Find the methods of this name in @type itself. */
size_t methods_named(struct binder *b, struct type *type, const char *name,
		     struct type_method **ret, size_t max);

/* ---- bindop.c, bindnew.c ---------------------------------------------- */

DBG_MUST struct dbg_error *bind_binary(struct binder *b, const struct expr *x,
				       struct bound **ret);
/* a op b of values. */
DBG_MUST struct dbg_error *bind_operator(struct binder *b, enum op op,
					 struct bound *l, struct bound *r,
					 const struct expr *x,
					 struct bound **ret);
/* Convert @v to bool, perhaps by its operator true. */
DBG_MUST struct dbg_error *bind_truth(struct binder *b, struct bound *v,
				      const struct expr *x, struct bound **ret);
/* Apply op_Increment or op_Decrement of @v; *ret NULL: it has none. */
DBG_MUST struct dbg_error *bind_user_step(struct binder *b, enum op op,
					  struct bound *v, const struct expr *x,
					  struct bound **ret);
DBG_MUST struct dbg_error *bind_is(struct binder *b, const struct expr *x,
				   struct bound **ret);
DBG_MUST struct dbg_error *bind_switch(struct binder *b, const struct expr *x,
				       struct bound **ret);
DBG_MUST struct dbg_error *bind_new(struct binder *b, const struct expr *x,
				    struct type *type, struct bound **ret);
DBG_MUST struct dbg_error *
bind_new_array(struct binder *b, const struct expr *x, struct bound **ret);
DBG_MUST struct dbg_error *bind_with(struct binder *b, const struct expr *x,
				     struct bound **ret);
DBG_MUST struct dbg_error *
bind_interpolated(struct binder *b, const struct expr *x, struct bound **ret);
/*
 * An interpolated string as what keeps its format and values apart: does @v
 * convert to @to so (10.2.5)?
 */
bool interpolated_fits(struct binder *b, const struct bound *v,
		       const struct type *to);
DBG_MUST struct dbg_error *interpolated_convert(struct binder *b,
						struct bound *v,
						struct type *to,
						struct bound **ret);
/* The best common type of values; NULL: none. */
struct type *bind_common_type(struct binder *b, struct bound *const *list,
			      size_t n);
/* Make a binary operation on numbers, without overflow check. */
struct bound *bound_binary(struct binder *b, enum op op, struct bound *l,
			   struct bound *r, struct type *type);
struct bound *bound_not(struct binder *b, struct bound *v);
struct bound *bound_choice(struct binder *b, struct bound *c, struct bound *x,
			   struct bound *y);

/* ---- generate.c ------------------------------------------------------ */

/* Make a static method that returns the value of @body. It takes b->params. */
DBG_MUST struct dbg_error *ilgen_method(struct binder *b, struct bound *body,
					struct type_method **ret);

#endif
