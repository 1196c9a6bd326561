/*
 * Getters that only return a field: `ldarg.0; ldfld; ret`, with what a compiler
 * without optimization puts between. Such a property is its field, with a
 * place in the program.
 */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "eval/bind/bind_priv.h"
#include "il/made.h"
#include "meta/il.h"

/*
 * Does the getter return the field as it is? A value may be of another type
 * than its field without IL that converts it.
 */
static bool returns_as_is(struct binder *b, struct type_method *m,
			  struct type_field *f)
{
	const struct type_sig *sig;
	struct type *type;
	return !dbg_err_drop(type_method_sig(b->ts, m, &sig)) &&
	       !dbg_err_drop(type_field_type(b->ts, f, &type)) &&
	       (type == sig->ret || !sig->ret->is_value);
}

struct type_field *getter_field(struct binder *b, struct type_method *m)
{
	const struct type_method_body *body;
	struct type_context context = type_method_context(m);
	struct type_field *f = NULL;
	struct il_insn insn;
	uint32_t token = 0;
	bool loads = false;
	if (made_code_of(m) || !m->rva ||
	    dbg_err_drop(type_method_body(b->ts, m, &body)) ||
	    body->code.n > 16)
		return NULL;
	for (uint32_t at = 0; il_decode(body->code, at, &insn) && insn.op;) {
		at += insn.size;
		switch (insn.op->code) {
		case IL_OP_NOP:
		case IL_OP_STLOC_0:
		case IL_OP_LDLOC_0:
			continue;
		case IL_OP_LDARG_0:
			loads = true;
			continue;
		case IL_OP_BR_S:
			if (insn.value == (int64_t)at || !insn.value)
				continue;
			return NULL;
		case IL_OP_LDFLD:
		case IL_OP_LDSFLD:
			if (token || (insn.op->code == IL_OP_LDFLD) != loads)
				return NULL;
			token = (uint32_t)insn.value;
			continue;
		case IL_OP_RET:
			break;
		default:
			return NULL;
		}
		break;
	}
	if (!token ||
	    dbg_err_drop(type_field_of_token(b->ts, &context, token, &f)) ||
	    !returns_as_is(b, m, f))
		return NULL;
	return f;
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
