/*
 * The type system: types, fields, their layout.
 *
 * struct type is canonical: equal types are one pointer, wherever they
 * come from (a MethodTable of the program, a signature, a C# name), until
 * types_stop says that they are made anew or gone. It says what the
 * metadata says, so a type that the program has never loaded is as good as any
 * other; the runtime's own record, its MethodTable, is found on demand and
 * decides the layout where there is one.
 *
 * A generic definition is its instance over its own parameters: List<T> is
 * List<VAR 0>. Parameters have a number and no owner, as in signatures;
 * type_subst puts arguments in their place.
 *
 * What leads nowhere (an assembly that is not loaded, broken metadata) is an
 * error with the name of what was sought. NULL without an error is said
 * where it can be. What a stopped program shows has a type all the same, which
 * is marked as inexact (type_shown, type_of_record): of a type that leads
 * nowhere, of a generic parameter in shared code and of a type that the program
 * has made by Reflection.Emit it has the name alone.
 */
#ifndef TYPES_TYPES_H
#define TYPES_TYPES_H

#include "code/code.h"
#include "dac/dac.h"
#include "dbg.h"
#include "meta/sig.h"

struct arena;
struct target;
struct value_facts;
struct type_field;
struct type_method;
struct type_facts;
struct types;

/* TypeAttributes, ECMA-335 II.23.1.15: of struct type.flags. */
enum {
	TYPE_INTERFACE = 0x20,
	TYPE_ABSTRACT = 0x80,
	TYPE_SEALED = 0x100,
};

enum type_kind {
	TYPE_KIND_PRIM,   /* elem: VOID, BOOLEAN .. R8, I, U */
	TYPE_KIND_ENUM,   /* elem: of the underlying type */
	TYPE_KIND_STRUCT, /* any other value type */
	TYPE_KIND_CLASS,  /* string, object, delegates, boxed in general */
	TYPE_KIND_INTERFACE,
	TYPE_KIND_ARRAY,
	TYPE_KIND_POINTER,
	TYPE_KIND_FUNCTION, /* function pointer */
	TYPE_KIND_BYREF,
	TYPE_KIND_VAR,  /* number: of the class's parameters */
	TYPE_KIND_MVAR, /* ... of the method's */
};

/* Types of the core library that are more than their fields. */
enum type_special {
	TYPE_SPECIAL_NONE,
	TYPE_SPECIAL_OBJECT,
	TYPE_SPECIAL_STRING,
	TYPE_SPECIAL_VALUETYPE, /* the class System.ValueType */
	TYPE_SPECIAL_ENUM,      /* the class System.Enum */
	TYPE_SPECIAL_ARRAY,     /* the class System.Array */
	TYPE_SPECIAL_DELEGATE,  /* System.Delegate, System.MulticastDelegate */
	TYPE_SPECIAL_NULLABLE,
	TYPE_SPECIAL_DECIMAL,
	TYPE_SPECIAL_TYPE, /* System.Type */
	TYPE_SPECIAL_TYPEDBYREF,
	TYPE_SPECIAL_TUPLE, /* ValueTuple<...> */
	TYPE_SPECIAL_DATETIME,
	TYPE_SPECIAL_TIMESPAN,
	TYPE_SPECIAL_DATEONLY,
	TYPE_SPECIAL_TIMEONLY,
	TYPE_SPECIAL_DATETIMEOFFSET,
	TYPE_SPECIAL_GUID,
	TYPE_SPECIAL_HALF,
	TYPE_SPECIAL_INT128,
	TYPE_SPECIAL_UINT128,
	TYPE_SPECIAL_SPAN,   /* Span<T>, ReadOnlySpan<T> */
	TYPE_SPECIAL_MEMORY, /* Memory<T>, ReadOnlyMemory<T> */
};

struct type {
	enum type_kind kind;
	/*
	 * PRIM, ENUM: see there. Of others as in signatures: STRING, OBJECT,
	 * CLASS (interfaces too), VALUETYPE, SZARRAY, ARRAY, PTR, FNPTR, BYREF,
	 * VAR, MVAR.
	 */
	enum elem elem;
	enum type_special special;
	bool open;          /* mentions a VAR or MVAR */
	bool inexact;       /* is or mentions one with a label */
	bool is_delegate;   /* derives from MulticastDelegate */
	bool is_reference;  /* a place of it holds an object reference */
	bool is_value;      /* PRIM, ENUM, STRUCT; not pointers */
	uint32_t number;    /* VAR, MVAR */
	uint32_t rank;      /* ARRAY; 1 with elem ARRAY: not from 0 */
	uint32_t flags;     /* TYPE_INTERFACE and others */
	struct type *inner; /* ARRAY, POINTER, BYREF */
	struct type **args; /* generic arguments, outermost class first */
	size_t n_args;
	const char *label;          /* of what has a name alone; else NULL */
	struct code_module *module; /* of the definition; NULL: made type */
	uint32_t token;             /* TypeDef, 0: made type */
	const struct type_sig *function; /* FUNCTION; NULL: not known */
	struct types *of;                /* the table that it is in */
	struct type_facts *facts;        /* of types/ alone */
};

/*
 * The arguments that generic parameters stand for, and the module that tokens
 * belong to.
 */
struct type_context {
	struct code_module *module;
	struct type *const *class_args;
	size_t n_class_args;
	struct type *const *method_args;
	size_t n_method_args;
	uint32_t method; /* MethodDef for names of its parameters, or 0 */
};

/*
 * A thread, whose thread statics are meant. Its runtime Thread* is found when
 * it is first needed, since that takes a walk over all threads.
 */
struct thread_ref {
	uint64_t (*find)(struct thread_ref *ref); /* 0: none */
	void *arg;
	pid_t tid;
	bool found;
	uint64_t addr;
};
/* Get the Thread*, found now or before; 0: none. @ref may be NULL. */
uint64_t thread_ref_get(struct thread_ref *ref);

/* The session's. @t, @d (NULL: there is no runtime) and @c are borrowed. */
struct types *types_create(struct target *t, struct dac *d, struct code *c);
void types_destroy(struct types *ts);
enum types_kept {
	TYPES_STAND,
	/* A module that was not loaded is now: types are made anew, and those
	   that somebody holds may be read on, but are not equal to them. */
	TYPES_ANEW,
	TYPES_GONE, /* a module was unloaded: no type survives */
};

/* A new stop: what was not loaded may be now. */
enum types_kept types_stop(struct types *ts);
/* Nobody holds a type from before the last stop. */
void types_release(struct types *ts);
/*
 * With @on the runtime is not asked, because its threads run: an object whose
 * type was not met before has no type.
 */
void types_quiet(struct types *ts, bool on);
/* @runs says whether a thread runs the static constructor of a class. */
void types_ask_runs(struct types *ts, bool (*runs)(void *arg, uint64_t mt),
		    void *arg);
struct target *types_target(struct types *ts);
struct dac *types_dac(struct types *ts);
struct code *types_code(struct types *ts);
/* System.Private.CoreLib; NULL: not loaded yet. */
struct code_module *types_core(struct types *ts);

/* ---- Making types ---------------------------------------------------- */

/* Primitive, void, string, object, I, U, TYPEDBYREF; NULL: no such elem. */
struct type *type_of_elem(struct types *ts, enum elem elem);
static inline bool type_is_pointer(const struct type *type)
{
	return type->kind == TYPE_KIND_POINTER ||
	       type->kind == TYPE_KIND_FUNCTION;
}

/* NULL if @mt is no MethodTable, or its module is not known. */
struct type *type_of_mt(struct types *ts, uint64_t mt);
/*
 * As type_of_mt, but inexact where the metadata of the type or of a part of it
 * is not known. NULL: @mt is no MethodTable.
 */
struct type *type_of_record(struct types *ts, uint64_t mt);
/* A slot of the type in which the room value/ keeps its facts. */
struct value_facts **type_value(const struct type *type);
/*
 * Does @arg say what a parameter stands for? Not if it is NULL or a parameter
 * itself, nor __Canon, by which shared code stands for any class.
 */
bool type_is_argument(const struct type *arg);
/* A definition over its own parameters, if it is generic. */
struct type *type_def(struct types *ts, struct code_module *module,
		      uint32_t token);
/*
 * Make an instance of @def. @args: as many as the definition has, the arguments
 * of enclosing classes first.
 */
struct type *type_instance(struct types *ts, const struct type *def,
			   struct type *const *args, size_t n_args);
/* The definition of an instance over its own parameters. */
struct type *type_generic(struct types *ts, struct type *type);
struct type *type_vector(struct types *ts, struct type *inner);
struct type *type_array(struct types *ts, struct type *inner, uint32_t rank);
struct type *type_pointer(struct types *ts, struct type *inner);
/* A function pointer whose signature is not known. */
struct type *type_any_function(struct types *ts);
struct type *type_byref(struct types *ts, struct type *inner);
struct type *type_param(struct types *ts, bool of_method, uint32_t number);
struct type *type_nullable(struct types *ts, struct type *inner);
/* Replace parameters; those that @ctx has no argument for stay. */
struct type *type_subst(struct types *ts, struct type *type,
			const struct type_context *ctx);

DBG_MUST struct dbg_error *type_of_sig(struct types *ts,
				       const struct sig_type *sig,
				       const struct type_context *ctx,
				       struct type **ret);
/*
 * As type_of_sig, for a type that is only shown, whatever the program has
 * loaded: inexact where no definition is found, and where a parameter has no
 * argument in @ctx or a shared one.
 */
struct type *type_shown(struct types *ts, const struct sig_type *sig,
			const struct type_context *ctx);
/* A primitive, string or object; inexact without a core library. */
struct type *type_shown_elem(struct types *ts, enum elem elem);
/* TypeDef, TypeRef, TypeSpec. */
DBG_MUST struct dbg_error *type_of_token(struct types *ts,
					 const struct type_context *ctx,
					 uint32_t token, struct type **ret);
/*
 * The definition of a full metadata name, "System.Collections.Generic.List`1",
 * nested ones by '+', in the core library; NULL if it has none.
 */
struct type *type_core(struct types *ts, const char *name);
/*
 * As type_core, in the module @m, which may forward it; NULL if it is not
 * there, or the module it is forwarded to is not loaded.
 */
struct type *type_named(struct types *ts, struct code_module *m,
			const char *name);

/* ---- Facts ----------------------------------------------------------- */

/* The MethodTable of exactly this type; 0: the program has not loaded it. */
uint64_t type_mt(struct types *ts, struct type *type);
/* As type_mt, but a generic definition has a MethodTable here: its own. */
uint64_t type_record(struct types *ts, struct type *type);
/*
 * The type's MethodTable, or, if the program has none for it, a made-up number
 * that is no address of the program. It is used as the first word of
 * interpreted objects and in a RuntimeTypeHandle, and never changes.
 */
uint64_t type_handle(struct types *ts, struct type *type);
/* Is @handle made up, because the program has not loaded the type? */
bool type_handle_is_made(const struct types *ts, uint64_t handle);
/* The type of a handle or MethodTable; NULL if it is none. */
struct type *type_of_handle(struct types *ts, uint64_t handle);

/* C# name, "System.Collections.Generic.List<int>"; never NULL. */
const char *type_name(struct types *ts, struct type *type);
/*
 * Name of the definition in metadata, "List`1"; "" for made types (arrays,
 * pointers).
 */
const char *type_simple_name(const struct type *type);
const char *type_namespace(const struct type *type);
/* The class whose member it is, not instantiated; NULL: none. */
struct type *type_enclosing(struct types *ts, struct type *type);

/* *ret NULL: object, interfaces, pointers, by-refs, parameters. */
DBG_MUST struct dbg_error *type_parent(struct types *ts, struct type *type,
				       struct type **ret);
/*
 * Get all interfaces, each once, including inherited ones and those that
 * interfaces extend; an array has the generic ones over its element type.
 * Borrowed.
 */
DBG_MUST struct dbg_error *type_interfaces(struct types *ts, struct type *type,
					   struct type *const **ret,
					   size_t *ret_n);
/*
 * May a reference to an object of @from be used as one to @to: identity,
 * bases, interfaces, variance, arrays (ECMA-335 I.8.7)? A value type as @from
 * means its box; Nullable<T> as @to means T's.
 */
DBG_MUST struct dbg_error *type_assignable(struct types *ts, struct type *from,
					   struct type *to, bool *ret);
/* Is @type @base, or derived from it? Classes only, no variance. */
DBG_MUST struct dbg_error *type_derives(struct types *ts, struct type *type,
					struct type *base, bool *ret);
/*
 * The instance of generic interface or class definition @def that @type is or
 * implements, e.g. IEnumerable<string> for List<string>; *ret NULL: none. The
 * first one, if there are several.
 */
DBG_MUST struct dbg_error *type_as(struct types *ts, struct type *type,
				   const struct type *def, struct type **ret);
/* Does the definition have the attribute? *ret_blob (may be NULL): its value.
 */
bool type_attribute(const struct type *type, const char *name,
		    struct bytes *ret_blob);
/* Is it a union (C# 15): a class or struct whose Value is one of its cases? */
bool type_is_union(const struct type *type);

/* ---- Layout and fields ----------------------------------------------- */

struct type_layout {
	uint32_t size;  /* of a place: 8 for references */
	uint32_t align; /* of a place */
	/*
	 * Bytes of an object's fields behind its MethodTable (of a box: size);
	 * arrays and strings: what precedes the elements.
	 */
	uint32_t object;
	bool has_refs; /* a place holds object references */
};

/*
 * As in the program, if it has loaded the type or an instance that shares its
 * layout, else by the runtime's rules. Borrowed.
 */
DBG_MUST struct dbg_error *type_layout(struct types *ts, struct type *type,
				       const struct type_layout **ret);

struct type_field {
	const char *name;
	struct type *owner; /* the instance that declares it */
	uint32_t token;
	uint16_t flags; /* FieldAttributes, II.23.1.5 */
	bool is_static, is_const;
	bool is_thread; /* [ThreadStatic] */
	bool is_rva;    /* data of the image */
	bool is_late;   /* see type_late_fields */
	/*
	 * Instance fields, once type_layout of the owner succeeded: from
	 * the first byte of a struct, or behind the MethodTable of an object.
	 */
	uint32_t offset;
	uint32_t index;    /* among the owner's fields */
	struct type *type; /* NULL: see type_field_type */
};

/* Own fields in order of declaration, constants too. Borrowed. */
void type_fields(struct types *ts, struct type *type,
		 struct type_field *const **ret, size_t *ret_n);
/*
 * Those that hot reload added to @type when the program had it: they have no
 * part in its layout, and no offset. Constants are among them, too.
 */
void type_late_fields(struct types *ts, struct type *type,
		      struct type_field *const **ret, size_t *ret_n);
/*
 * Where the value of a late field is, in @object if it is none of a static; 0:
 * it was not used yet, and is the default one.
 */
DBG_MUST struct dbg_error *type_late_place(struct types *ts,
					   struct type_field *f,
					   uint64_t object, uint64_t *ret);
/* Own ones by name, late ones too; NULL: none. */
struct type_field *type_field_own(struct types *ts, struct type *type,
				  const char *name);
/*
 * Find a field by name in @type or its nearest base that has one; *ret NULL:
 * none.
 */
DBG_MUST struct dbg_error *type_field_find(struct types *ts, struct type *type,
					   const char *name,
					   struct type_field **ret);
/* Field, MemberRef. */
DBG_MUST struct dbg_error *type_field_of_token(struct types *ts,
					       const struct type_context *ctx,
					       uint32_t token,
					       struct type_field **ret);
DBG_MUST struct dbg_error *
type_field_type(struct types *ts, struct type_field *f, struct type **ret);
/* Size of a place of @type: 8 for references; 0: it is not known. */
uint32_t type_size(const struct type *type);
/* Offset of an instance field; lays its owner out. */
DBG_MUST struct dbg_error *
type_field_offset(struct types *ts, struct type_field *f, uint32_t *ret);
/*
 * Address of a static in the program, of the value inside its box if the
 * runtime boxes it; 0: its class is not initialised there. @thread may be
 * NULL.
 */
DBG_MUST struct dbg_error *type_field_static(struct types *ts,
					     struct type_field *f,
					     struct thread_ref *thread,
					     uint64_t *ret);
/* Data of an RVA field, from its file, to the end of the section. */
struct bytes type_field_data(const struct type_field *f);
/* Value of a constant; *ret_elem ELEM_END: it has none. */
struct bytes type_field_constant(const struct type_field *f,
				 enum elem *ret_elem);
/*
 * Has the program begun to run the static constructor of @type, as far as the
 * statics tell, or needs it none?
 */
bool type_is_initialized(struct types *ts, struct type *type);

#endif
