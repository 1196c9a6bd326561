/* The strings of literals, and which of the program's they are; literaltext.c.
 */
#ifndef IL_LITERALTEXT_H
#define IL_LITERALTEXT_H

#include "heap/heap.h"
#include "il/machine/vm_priv.h"

enum {
	LITERAL_UNITS_MAX = 1 << 20,
};

/* The one object of @text (UTF-16), which is copied; 0: there is no memory. */
uint64_t literal_object(struct vm *vm, struct bytes text);
/* The program was written to, or has run: it may have other literals. */
void literals_forget(struct vm *vm);
/* The string for a literal of the text of @object; *ret if INTERNED_AT. */
enum interned literal_interned(struct vm *vm, uint64_t object, uint64_t *ret);
/* The program's string where @object is the machine's of a literal, or it. */
uint64_t literal_twin(struct vm *vm, uint64_t object);
/* Use @object as the string of all literals with its text from now on. */
void literal_adopt(struct vm *vm, uint64_t object);

#endif
