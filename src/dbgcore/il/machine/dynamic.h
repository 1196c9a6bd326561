/* Methods that the program has made at run time; see dynamic.c. */
#ifndef IL_DYNAMIC_H
#define IL_DYNAMIC_H

#include <stdint.h>

#include "dbg.h"

struct type_method;
struct vm;

/* The DynamicMethod that is @base, a delegate's _methodBase; 0: it is none. */
uint64_t dynamic_object(struct vm *vm, uint64_t base);
/*
 * The method that the DynamicMethod at @object stands for, until the next stop.
 * DBG_E_UNSUPPORTED where it has what is not known here.
 */
DBG_MUST struct dbg_error *dynamic_method(struct vm *vm, uint64_t object,
					  struct type_method **ret);

#endif
