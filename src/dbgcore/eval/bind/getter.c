/*
 * Getters that only return a field, which such a property is, with a place in
 * the program; setters that belong to getters.
 */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "eval/bind/bind_priv.h"
#include "il/made.h"

struct type_field *getter_field(struct binder *b, struct type_method *m)
{
	return made_code_of(m) ? NULL : type_method_field(b->ts, m);
}

/* Does @set take what @get takes, and behind it what that returns? */
static bool is_setter(struct binder *b, struct type_method *set,
		      const struct type_sig *get)
{
	const struct type_sig *sig;
	if (dbg_err_drop(type_method_sig(b->ts, set, &sig)) ||
	    sig->n_params != get->n_params + 1 ||
	    sig->has_this != get->has_this ||
	    sig->n_generic != get->n_generic ||
	    sig->params[get->n_params] != get->ret)
		return false;
	for (uint32_t i = 0; i < get->n_params; i++) {
		if (sig->params[i] != get->params[i])
			return false;
	}
	return true;
}

struct type_method *getter_setter(struct binder *b, struct type_method *getter)
{
	const struct type_sig *sig;
	struct type_method *const *all;
	size_t n;
	const char *name = strrchr(getter->name, '.');
	name = name ? name + 1 : getter->name;
	if (!str_starts(name, "get_") ||
	    dbg_err_drop(type_method_sig(b->ts, getter, &sig)))
		return NULL;
	const char *wanted =
	    arena_printf(b->arena, "%.*sset_%s", (int)(name - getter->name),
			 getter->name, name + 4);
	type_methods(b->ts, getter->owner, &all, &n);
	for (size_t i = 0; i < n; i++) {
		struct type_method *set = all[i];
		if (strcmp(set->name, wanted))
			continue;
		if (getter->n_args)
			set = type_method_instance(b->ts, set, getter->args,
						   getter->n_args);
		if (is_setter(b, set, sig))
			return set;
	}
	return NULL;
}
