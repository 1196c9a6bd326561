/*
 * Compiling calls, newobj and pointers to functions. The arguments of a call
 * already lie side by side on the stack of the caller: that place becomes the
 * callee's frame, and its result comes back to the same place.
 */
#include "il/compile/compile_priv.h"

#include "base/err.h"

bool token_method(struct compiler *c, uint32_t token, struct type_method **ret)
{
	if (c->made) {
		if (token >= c->made->n_pool ||
		    c->made->pool[token].kind != MADE_METHOD)
			return fail(c, "no method for token %u", token);
		*ret = c->made->pool[token].method;
		return true;
	}
	struct dbg_error *err =
	    type_method_of_token(c->ts, &c->ctx, token, ret);
	return err ? fail_err(c, err) : true;
}

/* The arguments of a call are on the stack, as @sig has them; their place. */
static bool pop_args(struct compiler *c, const struct type_sig *sig,
		     bool has_this, uint32_t *ret)
{
	struct spot s;
	*ret = c->top;
	for (size_t k = sig->n_params; k-- > 0;) {
		struct shape shape;
		if (!shape_of(c, sig->params[k], &shape) || !pop(c, &s) ||
		    !coerce(c, &s, shape.kind))
			return false;
		if (s.shape.place != shape.place)
			return fail(c, "another argument is expected");
		*ret = s.at;
	}
	if (has_this) {
		if (!pop(c, &s) || !coerce(c, &s, KIND_I8))
			return false;
		*ret = s.at;
	}
	return true;
}

/* Push the result of a call: it is where the arguments were. */
static bool push_result(struct compiler *c, const struct type_sig *sig)
{
	struct shape shape;
	if (!shape_of(c, sig->ret, &shape))
		return false;
	if (shape.place)
		push(c, &shape);
	return true;
}

static void room(struct compiler *c, uint32_t end)
{
	if (end > c->high)
		c->high = end;
}

static bool sig_of(struct compiler *c, struct type_method *m,
		   const struct type_sig **ret)
{
	struct dbg_error *err = method_sig(c->vm, m, ret);
	return err ? fail_err(c, err) : true;
}

static bool shared_site(struct compiler *c, struct type_method *m,
			struct site **ret)
{
	struct dbg_error *err = site_of(c->vm, m, ret);
	return err ? fail_err(c, err) : true;
}

/* ---- Methods of arrays and delegates ----------------------------------- */

static bool array_call(struct compiler *c, struct type_method *m,
		       const struct type_sig *sig)
{
	struct site *s = arena_alloc(c->keep, sizeof(*s));
	struct shape shape;
	uint32_t at, top = c->top;
	s->type = m->owner;
	if (!shape_of(c, m->owner->inner, &shape) ||
	    !pop_args(c, sig, m->array != TYPE_ARRAY_NEW, &at))
		return false;
	struct op op = {.fn = op_array_address, .a = at, .n = shape.size};
	op.x.site = s;
	if (m->array == TYPE_ARRAY_NEW) {
		op.fn = op_array_new;
		op.n = (uint32_t)sig->n_params;
		op.d = push_kind(c, KIND_REF);
	} else if (m->array == TYPE_ARRAY_SET) {
		op.fn = op_array_set;
		op.b = top - shape.place;
	} else {
		op.d = push_kind(c, KIND_I8);
	}
	*emit(c, op.fn, 0, 0, 0) = op;
	if (m->array == TYPE_ARRAY_GET) {
		struct spot addr;
		if (!pop(c, &addr))
			return false;
		emit_load(c, &shape, addr.at, 0);
	}
	return true;
}

static bool is_invoke(const struct type_method *m)
{
	return m->owner && m->owner->is_delegate && !strcmp(m->name, "Invoke");
}

/* ---- call and callvirt ------------------------------------------------- */

static bool emit_call(struct compiler *c, op_fn *fn, struct site *s,
		      const struct type_sig *sig)
{
	uint32_t at;
	if (!pop_args(c, sig, sig->has_this, &at))
		return false;
	emit(c, fn, at, at, 0)->x.site = s;
	return push_result(c, sig);
}

static bool call_direct(struct compiler *c, struct type_method *m)
{
	const struct type_sig *sig;
	struct site *s;
	if (!sig_of(c, m, &sig))
		return false;
	if (m->array != TYPE_ARRAY_NONE)
		return array_call(c, m, sig);
	if (!shared_site(c, m, &s))
		return false;
	return emit_call(c, is_invoke(m) ? op_invoke : op_call, s, sig);
}

/* Find the place of `this` of a call with the signature @sig. */
static bool receiver(struct compiler *c, const struct type_sig *sig,
		     uint32_t *ret)
{
	if (!sig->has_this || c->n_stack < sig->n_params + 1)
		return fail(c, "nothing to call a method of");
	*ret = c->stack[c->n_stack - sig->n_params - 1].at;
	return true;
}

static bool call_virtual(struct compiler *c, struct type_method *m)
{
	const struct type_sig *sig;
	uint32_t at = 0;
	if (!sig_of(c, m, &sig) || !receiver(c, sig, &at))
		return false;
	if (m->array != TYPE_ARRAY_NONE || is_invoke(m))
		return call_direct(c, m);
	if (!(m->flags & TYPE_METHOD_VIRTUAL)) {
		emit(c, op_check, 0, at, 0);
		return call_direct(c, m);
	}
	struct site *s = arena_alloc(c->keep, sizeof(*s));
	s->method = m;
	s->sig = sig;
	return emit_call(c, op_call_virtual, s, sig);
}

/* A call of @m with an address of a @type (III.2.1). */
static bool call_constrained(struct compiler *c, struct type_method *m,
			     struct type *type)
{
	const struct type_sig *sig;
	struct type_method *target = NULL;
	struct shape shape;
	uint32_t at = 0;
	bool box = false;
	if (!sig_of(c, m, &sig) || !shape_of(c, type, &shape))
		return false;
	if (sig->has_this && !receiver(c, sig, &at))
		return false;
	if (sig->has_this && type->is_reference) {
		emit(c, ops_load[ACCESS_8], at, at, 0);
		return call_virtual(c, m);
	}
	struct dbg_error *err =
	    type_method_constrained(c->ts, m, type, &target, &box);
	if (err)
		return fail_err(c, err);
	if (box) {
		struct op *op = emit(c, op_box_receiver, 0, at, 0);
		op->x.type = type;
		op->n = shape.size;
	}
	return call_direct(c, target);
}

bool gen_constrained(struct compiler *c, const struct il_insn *in, int arg)
{
	(void)arg;
	return token_type(c, (uint32_t)in->value, &c->constrained);
}

bool gen_call(struct compiler *c, const struct il_insn *in, int arg)
{
	struct type_method *m = NULL;
	struct type *type = c->constrained;
	(void)arg;
	c->constrained = NULL;
	if (!token_method(c, (uint32_t)in->value, &m))
		return false;
	return type ? call_constrained(c, m, type) : call_direct(c, m);
}

bool gen_call_virtual(struct compiler *c, const struct il_insn *in, int arg)
{
	struct type_method *m = NULL;
	struct type *type = c->constrained;
	(void)arg;
	c->constrained = NULL;
	if (!token_method(c, (uint32_t)in->value, &m))
		return false;
	if (m->flags & TYPE_METHOD_STATIC && !type)
		return fail(c, "a virtual call of a static method");
	return type ? call_constrained(c, m, type) : call_virtual(c, m);
}

bool gen_calli(struct compiler *c, const struct il_insn *in, int arg)
{
	struct site *s = arena_alloc(c->keep, sizeof(*s));
	struct spot code;
	uint32_t at, token = (uint32_t)in->value;
	struct dbg_error *err = NULL;
	(void)arg;
	if (c->made) {
		if (token >= c->made->n_pool ||
		    c->made->pool[token].kind != MADE_SIG)
			return fail(c, "no signature for token %u", token);
		s->sig = c->made->pool[token].sig;
	} else {
		err = type_sig_of_token(c->ts, &c->ctx, token, &s->sig);
	}
	if (!err)
		err = site_fill(c->vm, s);
	if (err)
		return fail_err(c, err);
	if (!pop(c, &code) || !pop_args(c, s->sig, s->sig->has_this, &at))
		return false;
	emit(c, op_call_pointer, at, at, code.at)->x.site = s;
	return push_result(c, s->sig);
}

/* ---- newobj ------------------------------------------------------------ */

/* String's constructors are methods called Ctor that make the string. */
static bool new_string(struct compiler *c, struct type_method *m,
		       const struct type_sig *sig)
{
	struct type_method *const *all;
	const struct type_sig *other;
	struct site *s;
	size_t n;
	uint32_t at;
	type_methods(c->ts, m->owner, &all, &n);
	for (size_t k = 0; k < n; k++) {
		if (strcmp(all[k]->name, "Ctor"))
			continue;
		if (!sig_of(c, all[k], &other))
			return false;
		bool same = other->n_params == sig->n_params;
		for (size_t p = 0; same && p < sig->n_params; p++)
			same = other->params[p] == sig->params[p];
		if (!same)
			continue;
		if (!shared_site(c, all[k], &s) ||
		    !pop_args(c, sig, false, &at))
			return false;
		emit(c, op_new_string, at, at, 0)->x.site = s;
		room(c, at + s->args_size);
		push_kind(c, KIND_REF);
		return true;
	}
	return fail(c, "no such constructor of string");
}

bool gen_new(struct compiler *c, const struct il_insn *in, int arg)
{
	struct type_method *m = NULL;
	const struct type_sig *sig;
	struct shape shape;
	struct site *s;
	uint32_t at;
	(void)arg;
	if (!token_method(c, (uint32_t)in->value, &m) || !sig_of(c, m, &sig))
		return false;
	if (m->array != TYPE_ARRAY_NONE)
		return array_call(c, m, sig);
	if (!m->owner || !sig->has_this || !shape_of(c, m->owner, &shape))
		return fail(c, "no constructor");
	if (m->owner->special == TYPE_SPECIAL_STRING)
		return new_string(c, m, sig);
	if (!shared_site(c, m, &s) || !pop_args(c, sig, false, &at))
		return false;
	bool is_delegate = m->owner->is_delegate;
	bool is_value = m->owner->is_value;
	struct op *op =
	    emit(c, is_delegate ? op_new_delegate : op_new_call, at, at, 0);
	op->x.site = s;
	op->n = is_value ? shape.place : 0;
	room(c, at + shape.place + 16 + s->args_size);
	push(c, &shape);
	return true;
}

/* ---- Functions --------------------------------------------------------- */

bool gen_function(struct compiler *c, const struct il_insn *in, int arg)
{
	struct type_method *m = NULL;
	struct type *type = c->constrained;
	struct site *s = arena_alloc(c->keep, sizeof(*s));
	bool box;
	(void)arg;
	c->constrained = NULL;
	if (!token_method(c, (uint32_t)in->value, &m))
		return false;
	if (type) {
		struct dbg_error *err =
		    type_method_constrained(c->ts, m, type, &m, &box);
		if (err)
			return fail_err(c, err);
	}
	s->method = m;
	emit(c, op_function, push_kind(c, KIND_I8), 0, 0)->x.site = s;
	return true;
}

bool gen_virtual_function(struct compiler *c, const struct il_insn *in, int arg)
{
	struct type_method *m = NULL;
	struct site *s = arena_alloc(c->keep, sizeof(*s));
	struct spot object;
	(void)arg;
	if (!token_method(c, (uint32_t)in->value, &m) || !pop(c, &object))
		return false;
	s->method = m;
	emit(c, op_virtual_function, push_kind(c, KIND_I8), object.at, 0)
	    ->x.site = s;
	return true;
}
