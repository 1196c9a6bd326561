/* Variables that the user declares; see declared.h. */
#include "eval/declared.h"

#include <inttypes.h>

#include "base/err.h"
#include "base/mem.h"
#include "code/code.h"
#include "eval/history.h"
#include "stack/stack.h"

/* The name of @name in this frame: by its method and where it begins. */
static const char *declared_key(const struct eval *e, const char *name)
{
	const struct frame *f = e->scope->frame;
	const struct code_pos *pos = f ? f->pos : NULL;
	return arena_printf(e->scratch, "%d:%" PRIx64 ":%" PRIx64 " %s",
			    f ? (int)f->tid : 0, pos ? pos->method : 0,
			    f ? f->raw.bp : 0, name);
}

bool declared_names(const struct eval *e, const char *name)
{
	struct history *h = e->history ? history_declared(e->history) : NULL;
	return h && !scope_var(e->scope, name) &&
	       history_has(h, declared_key(e, name));
}

struct dbg_error *declared_get(const struct eval *e, const char *name,
			       struct value *ret)
{
	struct history *h = history_declared(e->history);
	struct dbg_error *err =
	    history_variable(h, e->values, declared_key(e, name), ret);
	if (!err)
		return NULL;
	enum dbg_code code = err->code;
	dbg_error_destroy(err);
	return dbg_err(code,
		       "'%s' is not known any more: of what is declared only "
		       "numbers and strings are kept while the program runs",
		       name);
}

struct dbg_error *declared_set(const struct eval *e, const char *name,
			       const struct value *v)
{
	if (!e->history)
		return dbg_err(DBG_E_UNSUPPORTED,
			       "'%s' cannot be declared here", name);
	if (scope_var(e->scope, name))
		return dbg_err(DBG_E_ARGUMENT,
			       "'%s' is declared in the program already", name);
	history_set(history_declared(e->history), e->values,
		    declared_key(e, name), v);
	return NULL;
}
