/* Exceptions inside of the execution, and its other ends; see throw.c. */
#ifndef IL_THROW_H
#define IL_THROW_H

#include <stdint.h>

struct dbg_error;
struct op;
struct vm;
struct vm_class;

/*
 * Drop what is being executed. Classes whose static constructors have not come
 * to their ends begin anew.
 */
void execution_drop(struct vm *vm);
/* Throw @exception at @i; the handler's first operation, or NULL. */
const struct op *throw_object(struct vm *vm, const struct op *i,
			      uint64_t exception);
/* A new one of the core library. */
const struct op *throw_new(struct vm *vm, const struct op *i, const char *type);
/* The exception that each use of @c, whose initialisation has failed, throws.
 */
const struct op *throw_failed(struct vm *vm, const struct op *i,
			      const struct vm_class *c);
/* As throw_new for memory at @addr: NullReference, or the end. */
const struct op *throw_bad(struct vm *vm, const struct op *i, uint64_t addr);
/* End the execution. */
const struct op *vm_refuse(struct vm *vm, const struct op *i,
			   struct dbg_error *err);
const struct op *vm_spent(struct vm *vm, const struct op *i, const char *what);
uint64_t exception_new(struct vm *vm, const char *type);

#endif
