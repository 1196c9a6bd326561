/* Helpers shared by the tables of natives. */
#ifndef IL_NATIVE_TYPE_H
#define IL_NATIVE_TYPE_H

#include "base/mem.h"
#include "base/str.h"
#include "il/machine/native.h"

/* Methods that do nothing, and those whose answer never changes. */
enum native_end native_nothing(struct native *n);
enum native_end native_true(struct native *n);
enum native_end native_false(struct native *n);
enum native_end native_zero(struct native *n); /* of 64 bits */

/* A new string of @text, UTF-8. */
enum native_end native_text(struct native *n, const char *text, uint64_t *ret);
/* Return the string @text. */
enum native_end native_ret_text(struct native *n, const char *text);
/*
 * Read the string object at @string into @ret, of @size bytes, with a NUL
 * behind it. False: it is longer, or holds NUL or what is not ASCII.
 */
bool native_ascii(struct native *n, uint64_t string, char *ret, size_t size);
/* Get, set the field @name of the object at @addr. */
enum native_end native_get_field(struct native *n, uint64_t addr,
				 const char *name, void *to, size_t size);
enum native_end native_set_field(struct native *n, uint64_t addr,
				 const char *name, const void *from,
				 size_t size);
/*
 * The result is @object once @ctor, without parameters, has run on it.
 */
enum native_end native_construct(struct native *n, uint64_t object,
				 struct type_method *ctor);

/* The System.Threading.Thread of the thread that is looked at; 0: none. */
uint64_t native_thread_object(struct native *n);
/*
 * Thread.ManagedThreadId of the thread that the execution stands for; 0: none.
 */
uint32_t native_thread_id(struct native *n);

/*
 * Names as reflection has them: "List`1" or "Int32[]"; "Ns.Outer+Inner`1";
 * "System.Collections.Generic.List`1[System.Int32]"; with the assemblies of
 * arguments, "...List`1[[System.Int32, System.Private.CoreLib, ...]]", and with
 * its own.
 */
void native_simple_name(struct types *ts, struct type *type, struct str *out);
void native_full_name(struct types *ts, struct type *type, struct str *out);
void native_display_name(struct types *ts, struct type *type, struct str *out);
void native_qualified_name(struct types *ts, struct type *type,
			   struct str *out);
void native_assembly_qualified_name(struct types *ts, struct type *type,
				    struct str *out);
/* Append the suffixes behind the innermost element's name: "[]&". */
void native_suffixes(const struct type *type, struct str *out);

#endif
