/*
 * Raw values: what type a place has, where it lies, what is inside it. No
 * execution, no C# rules, no text but the names of types.
 *
 * A type is one of the type system (types/types.h): the exact static type of a
 * place, as far as it is known.
 *
 * A value is (type, where). Reading never fails as a call: what cannot be
 * read becomes VALUE_ABSENT with its reason, and a list goes on.
 * value_dereference leads from what is stored to what is meant: through a
 * by-ref to its target, from a reference to the object's run-time type, from a
 * box to the value inside.
 */
#ifndef VALUE_VALUE_H
#define VALUE_VALUE_H

#include "code/code.h"
#include "dac/dac.h"
#include "dbg.h"
#include "meta/sig.h"
#include "types/types.h"

struct str;
struct arena;
struct target;
struct values;

/* ---- Types ----------------------------------------------------------- */

/* The session's types. @t, @d and @c are borrowed. */
struct values *values_create(struct target *t, struct dac *d, struct code *c);
void values_destroy(struct values *ts);
/*
 * Begin a new stop. The program may have loaded types meanwhile; true: the
 * types have been made anew. Pointers to the earlier ones are invalid if a
 * module was unloaded, see enum types_kept.
 */
bool values_stop(struct values *ts);
/* The type system that they are of; borrowed. */
struct types *values_types(struct values *ts);
struct target *values_target(struct values *ts);
struct dac *values_dac(struct values *ts);
struct code *values_code(struct values *ts);

/*
 * Read an interpreter's own memory, in which it keeps the objects it has made,
 * at addresses that the program cannot have. False: nothing is there.
 */
typedef bool values_read_fn(void *arg, uint64_t addr, void *buf, size_t n);
/*
 * Where the value of @field, which hot reload added to the class of @object, is
 * there; 0: it has none yet.
 */
typedef uint64_t values_late_fn(void *arg, struct type_field *field,
				uint64_t object);
void values_set_beside(struct values *ts, values_read_fn *read,
		       values_late_fn *late, void *arg);

/* NULL if @type mentions parameters: no place has such a type. */
static inline struct type *value_type_closed(struct type *type)
{
	return type->open ? NULL : type;
}
/* The type for rules that have to know all of it; NULL: it is inexact. */
static inline struct type *value_type_exact(struct type *type)
{
	return type->inexact ? NULL : type;
}
/* The type of the MethodTable at @mt; NULL if there is no MethodTable. */
struct type *value_type_of_mt(struct values *ts, uint64_t mt);
/* The type of a primitive, string, object or void. */
struct type *value_type_of_elem(struct values *ts, enum elem elem);
/* Is it the class System.Tuple<...> (not the struct ValueTuple)? */
bool value_type_is_tuple_class(const struct type *type);
/* Make a pointer to @inner, and a by-ref to @inner. */
struct type *value_type_pointer_to(struct values *ts, struct type *inner);
struct type *value_type_byref_to(struct values *ts, struct type *inner);
/* Type of a TypeDef; NULL if there is none. */
struct type *value_type_of_def(struct values *ts, struct code_module *m,
			       uint32_t token);
/* The instance of the generic definition @module, @token with @args. */
struct type *value_type_instance(struct values *ts, struct code_module *module,
				 uint32_t token, struct type **args,
				 size_t n_args);
struct type *value_type_array_of(struct values *ts, struct type *inner,
				 uint32_t rank);

/*
 * The type that a signature describes, never NULL. @hint is a MethodTable to
 * use if a type in the signature cannot be found, 0: none. A type parameter
 * without an argument in @ctx becomes an object reference, under the
 * parameter's name.
 */
struct type *value_type_of_sig(struct values *ts, const struct sig_type *sig,
			       const struct type_context *ctx, uint64_t hint);

/* Type of a TypeDef, TypeRef or TypeSpec; NULL if it is not known. */
struct type *value_type_of_token(struct values *ts,
				 const struct type_context *ctx,
				 uint32_t token);

/*
 * The MethodTable of @type, searched for on the first call; 0 if the program
 * has not loaded the type.
 */
uint64_t value_type_mt(struct values *ts, struct type *type);
/* Base class; NULL for object, interfaces and unknown ones. */
struct type *value_type_parent(struct values *ts, struct type *type);
/* Is @type (of an object) @base or derived from it? Interfaces: no. */
bool value_type_derives(struct values *ts, struct type *type,
			struct type *base);
bool value_type_is_exception(struct values *ts, struct type *type);
/* The C# name of the type; of a by-ref, the name of what it refers to. */
const char *value_type_name(const struct type *type);
/*
 * Has the compiler made the type: for a closure ("<>c__DisplayClass"), for a
 * state machine, for anything?
 */
bool value_type_is_closure(const struct type *type);
bool value_type_is_state_machine(const struct type *type);
bool value_type_is_compiler_made(const struct type *type);
/*
 * The first type in the core library with this full metadata name; NULL if
 * there is none.
 */
struct type *value_type_core(struct values *ts, const char *full_name);

/*
 * Find the TypeDef that @name ("Ns.Outer.Inner", any dots) and generic arity
 * @n_args name, in @near first, then in every module; a name without its
 * namespace serves if it is in a module with symbols. Of the copies of a module
 * that several load contexts have, the one of @near's context is meant. False
 * if none, or if value_type_in_copies.
 */
bool value_type_find_def(struct values *ts, struct code_module *near,
			 const char *name, size_t n_args,
			 struct code_module **ret_module, uint32_t *ret_token);
/*
 * The name of the module in whose copies, none of them of @near's load context,
 * the type is; NULL: it is in one, or in none.
 */
const char *value_type_in_copies(struct values *ts, struct code_module *near,
				 const char *name, size_t n_args);

/* ---- Fields ---------------------------------------------------------- */

enum field_kind {
	FIELD_INSTANCE,
	FIELD_STATIC,
	FIELD_THREAD,
	FIELD_CONST
};

struct field {
	struct type_field *in_types; /* the same in the type system */
	const char *name;            /* in metadata */
	const char *source; /* as its author named it; NULL: compiler's own */
	enum field_kind kind;
	bool property;       /* backing field of an automatic property */
	uint16_t attributes; /* II.23.1.5 */
	uint32_t token;
	struct type *type;
	uint32_t offset; /* INSTANCE */
	struct type *owner;
	struct dac_field raw;
	const uint16_t *units; /* CONST of a string: its text */
	size_t n_units;
	const char *const *names; /* of tuple elements, as in struct value */
	size_t n_names;
};

/*
 * Get the fields that @type itself declares (not its bases), in order of
 * declaration, with constants. None (*ret_n 0) if the type is not loaded.
 */
void value_type_fields(struct values *ts, struct type *type,
		       const struct field **ret, size_t *ret_n);
/*
 * Called for each part of a value, a structure or a field of one, at the offset
 * @at in the value. Returning false ends the walk.
 */
typedef bool value_type_part_fn(void *arg, struct type *part, uint32_t at);
/*
 * Call @fn for the instance fields of a value of @type, in order; a field that
 * is a struct is followed by its own fields. False if @fn ended the walk, or if
 * the fields do not describe the whole value, as in an inline array or fixed
 * buffer.
 */
bool value_type_each_part(struct values *ts, struct type *type,
			  value_type_part_fn *fn, void *arg);
/*
 * The field of this metadata or source name in @type or its nearest base
 * that has it; NULL if there is none.
 */
const struct field *value_type_field(struct values *ts, struct type *type,
				     const char *name);
/*
 * The field that backs the property @name of @type or its bases; NULL if the
 * getter does more than return a field. *ret_found: is there such a property?
 */
const struct field *value_type_property(struct values *ts, struct type *type,
					const char *name, bool *ret_found);

/*
 * Names of tuple elements that the compiler left with a Field or Param
 * @token, as in struct value; NULL if there are none.
 */
const char *const *tuple_names(const struct md *md, uint32_t token,
			       struct arena *arena, size_t *ret_n);

struct enumerator {
	const char *name;
	uint64_t value; /* sign- or zero-extended */
};

/* Names of an enum, by value as unsigned; *ret_flags: it has [Flags]. */
void value_type_enumerators(struct values *ts, struct type *type,
			    const struct enumerator **ret, size_t *ret_n,
			    bool *ret_flags);

/* ---- Values ---------------------------------------------------------- */

enum value_where {
	VALUE_ABSENT,
	VALUE_MEMORY, /* at addr */
	VALUE_BYTES,  /* in a register, a constant, a result */
	VALUE_TEXT,   /* a string literal: UTF-16, no object */
};

enum value_why {
	WHY_OPTIMIZED,   /* the JIT kept no trace of it here */
	WHY_NOT_IN_CORE, /* nor is what tells where it was */
	WHY_UNREADABLE,  /* addr says where */
	WHY_UNLOADED,    /* its type's layout is not known */
	WHY_UNINIT,      /* statics of a class not initialised yet */
	WHY_THREAD,      /* ... of this thread, which has not used them */
	WHY_NOT_OBJECT,  /* addr holds no object */
	WHY_NONE,        /* nothing is there (empty) */
};

struct value {
	struct type *type; /* NULL only if absent */
	enum value_where where;
	enum value_why why; /* ABSENT */
	uint64_t addr;
	uint8_t bytes[16];
	bool is_dynamic; /* declared so, and no object of the type object */
	bool fixed; /* MEMORY on the stack or in a static: the GC leaves it */
	const struct dac_var *in_register; /* BYTES: that variable, or NULL */
	const uint16_t *units;             /* TEXT, borrowed */
	size_t n_units;
	/*
	 * Names of tuple elements in order of II.23.2.12's tree, borrowed;
	 * NULL: none, single names may be NULL.
	 */
	const char *const *names;
	size_t n_names;
	const struct type *named; /* the type whose tuples @names belong to:
				     this value's declared type, or the declared
				     type of the value it is a part of */
};

/*
 * How many elements a tuple has, with the elements of nested Rest tuples; 0: it
 * is no tuple.
 */
size_t tuple_count(const struct type *type);
/* Are there tuples among the types that @type is made of? */
bool tuple_is_in(const struct type *type);
/*
 * Append the C# name of @type, with the @n @names as the names of its tuples'
 * elements (@n 0: they have none).
 */
void tuple_type_text(const struct type *type, const char *const *names,
		     size_t n, struct str *out);
/* Give the tuples in the declared type of @v their names, borrowed. */
void value_name(struct value *v, const char *const *names, size_t n);
/* The name of element @i; NULL: it has none. */
const char *value_element_name(const struct value *tuple, size_t i);
/*
 * Give the names of tuple elements that a value has to a part of it: to element
 * @i of a tuple, or to any other part of @whole.
 */
void value_name_element(const struct value *tuple, size_t i,
			struct value *element);
void value_inherit_names(const struct value *whole, struct value *part);

struct value value_absent(struct type *type, enum value_why why, uint64_t addr);
struct value value_memory(struct type *type, uint64_t addr);
/* A value without a place, from its @n bytes (at most 16). */
struct value value_bytes(struct type *type, const void *bytes, size_t n);
struct value value_text(struct values *ts, const uint16_t *units, size_t n);

/* Copy bytes of the place; false if unreadable, absent or not there. */
bool value_read(struct values *ts, const struct value *v, uint64_t offset,
		void *buf, size_t n);
/* Read the reference or pointer that the place holds; false if unreadable. */
bool value_pointer(struct values *ts, const struct value *v, uint64_t *ret);
/*
 * Read the integer of a PRIM or ENUM place, sign- or zero-extended; false if
 * unreadable, or of the type R4 or R8.
 */
bool value_integer(struct values *ts, const struct value *v, uint64_t *ret);

/* See the head of this file. The result's type is exact or it is absent. */
struct value value_dereference(struct values *ts, const struct value *v);
/* Is it a reference that holds null? */
bool value_is_null(struct values *ts, const struct value *v);
/* A reference to the object at @addr, its type read from there. */
struct value value_object(struct values *ts, uint64_t addr);

/* Instance field of a settled struct or object. */
struct value value_field(struct values *ts, const struct value *v,
			 const struct field *f);
/*
 * Get the instance field @name of the settled @v, itself settled. False if
 * there is no such field, or its value is absent.
 */
bool value_member(struct values *ts, const struct value *v, const char *name,
		  struct value *ret);
/*
 * Write @from, of @to's type (NULL: zeros), into the place @to; the GC is
 * told of references. DBG_E_STATE if it has no address, or while the GC is at
 * work, which it is not while @thread (may be NULL) runs managed code.
 */
DBG_MUST struct dbg_error *value_store(struct values *ts,
				       struct thread_ref *thread,
				       const struct value *to,
				       const struct value *from);

/*
 * Read the four words of a decimal constant. C# keeps it in an attribute of the
 * field or parameter @token: DecimalConstant(scale, sign, high, middle, low).
 * False: there is no such attribute.
 */
bool value_decimal_attribute(const struct code_module *m, uint32_t token,
			     uint32_t words[4]);
/*
 * The value of a static field or constant. @thread, for a thread-static field,
 * may be NULL.
 */
struct value value_static(struct values *ts, const struct field *f,
			  struct thread_ref *thread);
/*
 * The value of @type that a method has returned to @tid, which is stopped
 * behind the call; absent without a type if its place is not known.
 */
struct value value_returned(struct values *ts, pid_t tid, struct type *type);
/*
 * As value_returned for a method of runtime async: the address of the
 * Continuation that it returns beside the result; 0: none, the call is done.
 */
uint64_t value_suspended(struct target *t, pid_t tid);
/*
 * Which references are in the registers that a value is returned in: the GC may
 * move their objects.
 */
enum value_moved {
	VALUE_MOVED_NOTHING,
	VALUE_MOVED_FIRST,  /* an object, in the first of them */
	VALUE_MOVED_BEHIND, /* ... the value's second word: a number is first */
	VALUE_MOVED_OTHER,  /* more than that, or that is not known */
};
enum value_moved value_returned_moved(struct values *ts, struct type *type);
/*
 * Complete @v, an argument of the method that @tid is about to enter, by its
 * parts in floating-point registers: the runtime only finds those in general
 * registers. *@n_floats: how many floating-point registers the arguments before
 * it use; it is updated.
 */
void value_argument(struct values *ts, pid_t tid, size_t *n_floats,
		    struct value *v);
/* Registers that a call is to find its arguments in, and how many are used. */
struct passing {
	struct regs *regs;
	struct fpregs *fpregs;
	size_t n_general, n_floats;
};

/*
 * Pass a word (`this`, a by-ref) in the next general register; false: none is
 * left.
 */
bool value_pass_word(struct passing *p, uint64_t word);
/*
 * Pass an argument of @type, @bytes, in registers; false: it is not passed in
 * registers, or how it is passed is not known.
 */
bool value_pass(struct values *ts, struct type *type, const uint8_t *bytes,
		struct passing *p);
/* Would some of an argument or variable of @type be in such registers? */
bool value_has_floats(struct values *ts, struct type *type);
/* The variable that a pointer or by-ref points to. */
struct value value_target(struct values *ts, const struct value *v);
/*
 * A constant of a Constant row or PDB LocalConstant: value bytes @blob of
 * type @type; a string's units are copied into @arena.
 */
struct value value_constant(struct values *ts, struct arena *arena,
			    struct type *type, struct bytes blob);

enum {
	ARRAY_RANK_MAX = 32
};

/* Elements in a row in memory: arrays, spans, Memory<T>. */
struct elements {
	struct type *type; /* of an element, NULL: unknown */
	uint64_t addr;     /* of the first */
	uint64_t n;
	uint32_t size; /* of one */
	uint32_t rank;
	bool plain; /* one dimension from 0 */
	uint32_t lengths[ARRAY_RANK_MAX];
	int32_t lower[ARRAY_RANK_MAX];
};

/* Elements of a settled value that has some; false: it has none. */
bool value_elements(struct values *ts, const struct value *v,
		    struct elements *ret);
struct value element_get(const struct elements *e, uint64_t index);

/* Length of a settled, non-null string; false if unreadable. */
bool value_string_length(struct values *ts, const struct value *v,
			 uint32_t *ret);
/* Units @first .. @first + @n of it; false if unreadable. */
bool value_string_read(struct values *ts, const struct value *v, uint32_t first,
		       uint16_t *buf, size_t n);
bool value_type_is_thread_local(struct values *ts, const struct type *type);
/*
 * The value of the ThreadLocal<T> @v (dereferenced) in @thread; WHY_THREAD: it
 * has none.
 */
struct value value_thread_local(struct values *ts, const struct value *v,
				struct thread_ref *thread);
/* Address of the MethodDesc that a function pointer calls; 0: unknown. */
uint64_t value_function_method(struct values *ts, uint64_t code);
/* Address of the MethodDesc that a settled delegate calls; 0: unknown. */
uint64_t value_delegate_method(struct values *ts, const struct value *v);
/* The list of a settled multicast delegate; false: it has one target. */
bool value_delegate_targets(struct values *ts, const struct value *v,
			    struct elements *ret);
/* The delegate, settled, at @index of that list. */
struct value value_delegate_target(struct values *ts, const struct elements *e,
				   uint64_t index);

#endif
