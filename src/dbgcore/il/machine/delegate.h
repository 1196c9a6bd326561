/* Delegates; see delegate.c. */
#ifndef IL_DELEGATE_H
#define IL_DELEGATE_H

#include <stdint.h>

#include "dbg.h"

struct type_method;
struct vm;

/* The method that the delegate at @object, not a multicast one, calls. */
DBG_MUST struct dbg_error *delegate_method(struct vm *vm, uint64_t object,
					   struct type_method **ret);

#endif
