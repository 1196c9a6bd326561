/*
 * Names of gdb's in expressions: the number of the frame's thread (`$_thread`),
 * and convenience variables, which are whatever was assigned to them.
 */
#include "eval/dollar.h"

#include <string.h>
#include <strings.h>

#include "base/err.h"
#include "base/str.h"
#include "stack/stack.h"

bool dollar_names(const char *name)
{
	return name[0] == '$' && name[1] && !history_names(name) &&
	       !str_starts(name, "$VB$") && strcmp(name, "$exception") &&
	       strcasecmp(name, "$returnvalue");
}

struct dbg_error *dollar_get(const struct eval *e, const char *name,
			     struct value *ret)
{
	int32_t thread;

	if (!strcmp(name, "$_thread") && e->scope->frame) {
		thread = (int32_t)e->scope->frame->thread;
		*ret = value_bytes(value_type_of_elem(e->values, ELEM_I4),
				   &thread, sizeof(thread));
		return NULL;
	}
	if (!e->history)
		return dbg_err(DBG_E_NOT_FOUND, "'%s' is void", name);
	return history_variable(e->history, e->values, name + 1, ret);
}

struct dbg_error *dollar_set(const struct eval *e, const char *name,
			     const struct value *v)
{
	if (stack_register_named(name + 1))
		return dbg_err(DBG_E_UNSUPPORTED,
			       "'%s' is a register, which cannot be assigned "
			       "to",
			       name);
	if (!strcmp(name, "$_thread") || !e->history)
		return dbg_err(DBG_E_ARGUMENT, "'%s' cannot be assigned to",
			       name);
	history_set(e->history, e->values, name + 1, v);
	return NULL;
}
