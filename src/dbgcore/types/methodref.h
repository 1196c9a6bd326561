/*
 * Methods as objects: what a token, a name or a MethodDesc means, with all
 * generic arguments; signatures, bodies, parameters; which override runs.
 *
 * struct type_method is canonical like struct type: one pointer for one
 * (declaring instance, MethodDef, method arguments). A generic method over its
 * own parameters is its definition. Arrays of several dimensions have methods
 * without metadata (Get, Set, Address, .ctor): token 0, see array.
 */
#ifndef TYPES_METHODREF_H
#define TYPES_METHODREF_H

#include "types/types.h"

struct type_method_facts;

/* Bits of type_method.flags: MethodAttributes, II.23.1.10. */
enum {
	TYPE_METHOD_STATIC = 0x10,
	TYPE_METHOD_FINAL = 0x20,
	TYPE_METHOD_VIRTUAL = 0x40,
	TYPE_METHOD_NEWSLOT = 0x100,
	TYPE_METHOD_ABSTRACT = 0x400,
	TYPE_METHOD_SPECIAL_NAME = 0x800,
	TYPE_METHOD_PINVOKE = 0x2000,
	/* Bits of impl_flags: MethodImplAttributes, II.23.1.11. */
	TYPE_METHOD_RUNTIME = 0x3,
	TYPE_METHOD_SYNCHRONIZED = 0x20,
	TYPE_METHOD_INTERNAL_CALL = 0x1000,
};

struct type_sig {
	bool has_this;
	bool is_vararg;
	uint8_t convention; /* II.23.2.1's first byte */
	uint32_t n_generic; /* parameters of the method's own */
	struct type *ret;
	struct type **params; /* without `this` */
	size_t n_params;
};

enum type_array_op {
	TYPE_ARRAY_NONE,
	TYPE_ARRAY_GET,
	TYPE_ARRAY_SET,
	TYPE_ARRAY_ADDRESS,
	TYPE_ARRAY_NEW, /* n_params: rank lengths, or twice that with bounds */
};

struct type_method {
	const char *name;   /* in metadata */
	struct type *owner; /* the instance that declares it */
	struct code_module *module;
	uint32_t token; /* MethodDef; 0: see array */
	uint16_t flags, impl_flags;
	uint32_t rva;
	enum type_array_op array;
	struct type **args; /* its own generic arguments */
	size_t n_args;
	struct type_method_facts *facts; /* of il/ alone */
};

/* ---- Finding methods ------------------------------------------------- */

/* Own methods in order of declaration, generic ones as definitions. */
void type_methods(struct types *ts, struct type *type,
		  struct type_method *const **ret, size_t *ret_n);
struct type_method *type_method_get(struct types *ts, struct type *owner,
				    uint32_t token, struct type *const *args,
				    size_t n_args);
/* @m, generic, with other arguments. */
struct type_method *type_method_instance(struct types *ts,
					 const struct type_method *m,
					 struct type *const *args,
					 size_t n_args);
/*
 * The first own method of @type of this name and number of parameters (-1:
 * any); NULL if there is none.
 */
struct type_method *type_method_named(struct types *ts, struct type *type,
				      const char *name, int n_params);
/* A method of an array of several dimensions. */
struct type_method *type_method_of_array(struct types *ts, struct type *type,
					 enum type_array_op op);
/* The static constructor of @type; NULL: it has none. */
struct type_method *type_method_cctor(struct types *ts, struct type *type);
/* Invoke of a delegate type; NULL: it is none. */
struct type_method *type_method_invoke(struct types *ts, struct type *type);
/*
 * Find a method by its token: MethodDef, MemberRef or MethodSpec. A MemberRef
 * is also searched in the bases of the class that it names.
 */
DBG_MUST struct dbg_error *type_method_of_token(struct types *ts,
						const struct type_context *ctx,
						uint32_t token,
						struct type_method **ret);
/*
 * Find the method of a MethodDesc of the program. Type arguments that its code
 * shares are System.__Canon; @exact, the type of `this` (may be NULL), supplies
 * the class's own arguments.
 */
DBG_MUST struct dbg_error *type_method_of_desc(struct types *ts, uint64_t desc,
					       struct type *exact,
					       struct type_method **ret);

typedef bool type_method_fn(void *arg, struct type_method *m);
/*
 * Calls @fn for every extension method of this name, or getter ("get_Name") of
 * an extension property, or operator ("op_Addition"), in the loaded modules and
 * in System.Linq, until it returns false. The first call reads the modules'
 * attributes.
 */
void type_extension_each(struct types *ts, const char *name, type_method_fn *fn,
			 void *arg);
/*
 * ... for every static method, getter or setter of this name with which blocks
 * extend @type. Of a generic block it has the block's arguments, behind which a
 * method may have parameters of its own.
 */
void type_static_extension_each(struct types *ts, const char *name,
				struct type *type, type_method_fn *fn,
				void *arg);

/* ---- Facts ----------------------------------------------------------- */

/*
 * Where to keep the MethodDesc by which the program calls @m, an instance of a
 * generic method; the word is 0 until it was asked for.
 */
uint64_t *type_method_desc(struct type_method *m);

/* The tokens of the method's body mean this. Borrows from @m. */
struct type_context type_method_context(const struct type_method *m);
/* Signature with the arguments of class and method in place. Borrowed. */
DBG_MUST struct dbg_error *type_method_sig(struct types *ts,
					   struct type_method *m,
					   const struct type_sig **ret);
/* "Ns.Type<int>.Method(string)"; never NULL. */
const char *type_method_name(struct types *ts, struct type_method *m);
bool type_method_attribute(const struct type_method *m, const char *name,
			   struct bytes *ret_blob);

struct type_eh {
	uint32_t flags; /* 0 catch, 1 filter, 2 finally, 4 fault */
	uint32_t try_start, try_end, handler_start, handler_end;
	uint32_t filter;     /* filter: its first offset */
	struct type *caught; /* catch; NULL: its type is not loaded */
};

struct type_method_body {
	struct bytes code;
	uint32_t max_stack;
	bool init_locals;
	struct type **locals;
	size_t n_locals;
	struct type_eh *clauses;
	size_t n_clauses;
};

/*
 * The body, with types. Parsed once, borrowed. DBG_E_STATE for abstract
 * methods and those without IL (runtime, P/Invoke).
 */
DBG_MUST struct dbg_error *
type_method_body(struct types *ts, struct type_method *m,
		 const struct type_method_body **ret);
/*
 * The field that @m only returns: `ldarg.0; ldfld; ret`, with what a compiler
 * without optimization puts between; NULL: it does more.
 */
struct type_field *type_method_field(struct types *ts, struct type_method *m);

struct type_param {
	const char *name;   /* "" : none */
	uint16_t flags;     /* ParamAttributes: 1 in, 2 out, 0x10 optional */
	uint32_t token;     /* Param; 0: no row */
	enum elem constant; /* ELEM_END: none */
	struct bytes value; /* of the constant */
	bool is_params;     /* [ParamArray] or [ParamCollection] */
};

/* Parameter @i from 0, without `this`. */
void type_method_param(const struct type_method *m, uint32_t i,
		       struct type_param *ret);

/* The Param row of what it returns, 0: there is none. */
uint32_t type_method_return_token(const struct type_method *m);

/* A generic parameter's row: of a method, or of a class (@m NULL). */
struct type_generic_param {
	const char *name;
	uint16_t flags; /* II.23.1.7: variance 3, class 4, struct 8, new 0x10 */
	struct type **constraints; /* may mention parameters */
	size_t n_constraints;
};
DBG_MUST struct dbg_error *type_generic_param(struct types *ts,
					      const struct type *type,
					      const struct type_method *m,
					      uint32_t number,
					      struct type_generic_param *ret);

/* A signature of its own, for calli. */
DBG_MUST struct dbg_error *type_sig_of_token(struct types *ts,
					     const struct type_context *ctx,
					     uint32_t token,
					     const struct type_sig **ret);

/* ---- Which method runs ----------------------------------------------- */

/*
 * The method that a callvirt of @m runs on an object of @type: overrides,
 * MethodImpls, interfaces with variance, default implementations. @m itself
 * if it is not virtual. DBG_E_NOT_FOUND if nothing implements it.
 */
DBG_MUST struct dbg_error *type_method_virtual(struct types *ts,
					       struct type_method *m,
					       struct type *type,
					       struct type_method **ret);
/*
 * The method that `constrained. @type` call or callvirt of @m runs (III.2.1):
 * static abstracts of interfaces too. If @type is a value type that inherits
 * the method, *ret is @m's of the base, and `this` is to be boxed
 * (*ret_box).
 */
DBG_MUST struct dbg_error *type_method_constrained(struct types *ts,
						   struct type_method *m,
						   struct type *type,
						   struct type_method **ret,
						   bool *ret_box);

/* ---- Properties ------------------------------------------------------ */

struct type_property {
	const char *name;
	struct type *owner;
	uint32_t token;
	struct type_method *getter, *setter; /* NULL: none */
};

/* Own properties in order of declaration; indexers have parameters. */
void type_properties(struct types *ts, struct type *type,
		     const struct type_property **ret, size_t *ret_n);

/* Can all that @m is given and returns, and its object, be in boxes? */
bool type_method_boxes(const struct type_method *m, const struct type_sig *sig);
/* ... that it returns, and its object? */
bool type_method_boxes_result(const struct type_method *m,
			      const struct type_sig *sig);

#endif
