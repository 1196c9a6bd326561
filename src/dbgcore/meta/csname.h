/*
 * C# names of types and methods from metadata alone: keywords for
 * primitives, nested types by '.', `n suffixes as <...>, compiler-made
 * bodies (async, iterators, lambdas, local functions) under the name their
 * author gave them.
 */
#ifndef META_CSNAME_H
#define META_CSNAME_H

#include "base/str.h"
#include "meta/sig.h"

struct md;

/*
 * Arguments of generic parameters, as printed C# names in order; for a missing
 * one the parameter's own name (T) is printed.
 */
struct csname_args {
	const char *const *type_args; /* of the class, outermost first */
	size_t n_type_args;
	const char *const *method_args;
	size_t n_method_args;
};

/* "int" for "System.Int32", NULL for a type without keyword. */
const char *csname_keyword(const char *full_name);
/*
 * Length of what the compiler puts before the name of a file-local type,
 * "<File>F" and a hash in 64 digits and "__"; 0 for another type.
 */
size_t csname_file_prefix(const char *name);
/* "System.Int32" for "int", NULL for what is no keyword of a type. */
const char *csname_of_keyword(const char *keyword);

/*
 * Append the name of a TypeDef, TypeRef or TypeSpec token. @args may be NULL.
 * Enclosing classes and namespace come first: Ns.Outer<T>.Inner.
 */
void csname_type(const struct md *md, uint32_t token,
		 const struct csname_args *args, struct str *out);
/*
 * Name of a generic parameter of a TypeDef or MethodDef; NULL if there is none
 * of that number.
 */
const char *csname_generic(const struct md *md, uint32_t owner,
			   uint32_t number);
/* Metadata name "Ns.Outer+Inner`1", as reflection and the DAC spell it. */
void csname_metadata_type(const struct md *md, uint32_t token, struct str *out);
/*
 * Append a signature type. VAR and MVAR that @args does not give are named
 * by the generic parameters of MethodDef @method_token (0: T0, M0).
 */
void csname_sig(const struct md *md, const struct sig_type *type,
		uint32_t method_token, const struct csname_args *args,
		struct str *out);
/*
 * Append "Ns.Type.Method(int, string)" of a MethodDef as its author sees it:
 * constructors by the class's name (Ns.Type.Type(int)), a static one as
 * Ns.Type..cctor(), property accessors as Ns.Type.Prop.get, operators as
 * "operator +", MoveNext of a state machine as the method it was made from,
 * a lambda as "Method.AnonymousMethod__N_M" style: Ns.Type.Method.lambda(x),
 * a local function as Ns.Type.Method.Local(int). Without parameter list if
 * !@params. Returns where in @out the parameter list begins, at its '('.
 */
size_t csname_method(const struct md *md, uint32_t token, bool params,
		     const struct csname_args *args, struct str *out);
/*
 * The rid of the method that MoveNext of a state machine, or a finally block of
 * an iterator, was made from; 0: it was not. Found by names and attributes
 * alone; for MoveNext pdb_kickoff_of is more reliable.
 */
uint32_t csname_kickoff(const struct md *md, uint32_t rid);
/*
 * Is it the name of a state machine's class, "<M>d__0"? M may be a lambda's or
 * a local function's, which have brackets themselves.
 */
bool csname_is_machine(const char *type);
/*
 * The field, parameter or local name its author gave: "<x>5__2" is x,
 * "<>4__this" is this, "<Prop>k__BackingField" is Prop. NULL if compiler-made
 * without a source name. Borrowed or in @arena.
 */
struct arena;
const char *csname_source_name(struct arena *arena, const char *name);

/*
 * Convert the DAC's spelling of a type ("System.Collections.Generic.List`1
 * [[System.Int32, System.Private.CoreLib]][]") to C#:
 * "System.Collections.Generic.List<int>[]". Anything it cannot read is kept.
 */
void csname_from_dac(const char *dac_name, struct str *out);
/*
 * Append the CLR name of a type that is known by its C# name, without
 * assemblies: "System.Collections.Generic.List`1[[System.Int32]][]". Nested
 * types of generic ones are told by '+', others keep the '.'.
 */
void csname_to_clr(const char *name, struct str *out);
struct pattern;
/* Does the C# name @name of a type match, or its CLR name? */
bool csname_matches(const struct pattern *p, const char *name);

#endif
