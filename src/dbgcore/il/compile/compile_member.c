/*
 * Compiling fields, statics, strings, casts, boxes, arrays and tokens. A token
 * is resolved here, once, with the generic arguments of the method that is
 * compiled; what the operation needs of it (offset, type, size) stands in the
 * operation or, where that is more than two numbers, in a site.
 */
#include "il/compile/compile_priv.h"

#include "base/err.h"

/* ---- Compiling calls, newobj and pointers to functions ------------------- */

/*
 * The arguments of a call already lie side by side on the stack of the caller:
 * that place becomes the callee's frame, and its result comes back to the same
 * place.
 */

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

/* ---- Fields and instances ------------------------------------------------ */

static struct site *new_site(struct compiler *c)
{
	return arena_alloc(c->keep, sizeof(struct site));
}

static const struct made_entry *entry_of(struct compiler *c, uint32_t token,
					 enum made_kind kind)
{
	if (token < c->made->n_pool && c->made->pool[token].kind == kind)
		return &c->made->pool[token];
	fail(c, "nothing of its kind for token %u", token);
	return NULL;
}

/* ---- Fields ------------------------------------------------------------ */

static bool token_field(struct compiler *c, const struct il_insn *in,
			struct type_field **ret, struct shape *shape)
{
	uint32_t token = (uint32_t)in->value;
	struct type *type;
	if (c->made) {
		const struct made_entry *e = entry_of(c, token, MADE_FIELD);
		if (!e)
			return false;
		*ret = e->field;
	} else {
		struct dbg_error *err =
		    type_field_of_token(c->ts, &c->ctx, token, ret);
		if (err)
			return fail_err(c, err);
	}
	struct dbg_error *err = type_field_type(c->ts, *ret, &type);
	return err ? fail_err(c, err) : shape_of(c, type, shape);
}

/*
 * Its offset from what a reference, or an address of a struct, at @at points
 * to. Where one that hot reload added is takes the place of the reference.
 */
static bool field_offset(struct compiler *c, struct type_field *f, uint32_t at,
			 uint64_t *ret)
{
	uint32_t offset = 0;
	*ret = 0;
	if (f->is_late) {
		struct site *s = new_site(c);
		s->field = f;
		emit(c, op_late_field, at, at, 0)->x.site = s;
		return true;
	}
	struct dbg_error *err = type_field_offset(c->ts, f, &offset);
	if (err)
		return fail_err(c, err);
	*ret = offset + (f->owner->is_value ? 0 : 8);
	return true;
}

bool gen_field(struct compiler *c, const struct il_insn *in, int arg)
{
	struct type_field *f = NULL;
	struct shape shape;
	struct spot of;
	uint64_t offset = 0;
	if (!token_field(c, in, &f, &shape))
		return false;
	if (f->is_static)
		return gen_pop(c, in, arg) && gen_static(c, in, arg);
	if (!pop(c, &of))
		return false;
	bool in_struct = of.shape.kind == KIND_STRUCT;
	if ((!in_struct && !coerce(c, &of, KIND_I8)) ||
	    !field_offset(c, f, of.at, &offset))
		return false;
	if (in_struct) {
		if (offset > of.shape.size ||
		    shape.size > of.shape.size - offset)
			return fail(c, "a field outside of its struct");
		uint32_t to = push(c, &shape);
		emit(c, ops_move[shape.access], to, of.at + (uint32_t)offset, 0)
		    ->n = shape.size;
		return true;
	}
	emit_load(c, &shape, of.at, offset);
	return true;
}

bool gen_field_address(struct compiler *c, const struct il_insn *in, int arg)
{
	struct type_field *f = NULL;
	struct shape shape;
	struct spot of;
	uint64_t offset = 0;
	if (!token_field(c, in, &f, &shape))
		return false;
	if (f->is_static)
		return gen_pop(c, in, arg) && gen_static_address(c, in, arg);
	if (!pop(c, &of) || !coerce(c, &of, KIND_I8) ||
	    !field_offset(c, f, of.at, &offset))
		return false;
	emit(c, op_field_address, push_kind(c, KIND_I8), of.at, 0)->x.i =
	    (int64_t)offset;
	return true;
}

bool gen_set_field(struct compiler *c, const struct il_insn *in, int arg)
{
	struct type_field *f = NULL;
	struct shape shape;
	struct spot of, value;
	uint64_t offset = 0;
	(void)arg;
	if (!token_field(c, in, &f, &shape))
		return false;
	if (f->is_static)
		return fail(c, "a static is set through an object");
	if (!pop(c, &value) || !pop(c, &of) || !coerce(c, &of, KIND_I8) ||
	    !coerce(c, &value, shape.kind) ||
	    !field_offset(c, f, of.at, &offset))
		return false;
	if (value.shape.place != shape.place)
		return fail(c, "another value is stored");
	struct op *op = emit(c, ops_store[shape.access], 0, of.at, value.at);
	op->n = shape.size;
	op->x.i = (int64_t)offset;
	return true;
}

/* Inside of the class's own static constructor it is being initialised. */
static uint32_t static_address(struct compiler *c, struct type_field *f)
{
	struct site *s = new_site(c);
	s->field = f;
	s->init = f->is_rva ? NULL : f->owner;
	uint32_t at = push_kind(c, KIND_I8);
	emit(c, op_static, at, 0, 0)->x.site = s;
	return at;
}

bool gen_static_address(struct compiler *c, const struct il_insn *in, int arg)
{
	struct type_field *f = NULL;
	struct shape shape;
	(void)arg;
	if (!token_field(c, in, &f, &shape))
		return false;
	static_address(c, f);
	return true;
}

bool gen_static(struct compiler *c, const struct il_insn *in, int arg)
{
	struct type_field *f = NULL;
	struct shape shape;
	struct spot at;
	(void)arg;
	if (!token_field(c, in, &f, &shape))
		return false;
	static_address(c, f);
	if (!pop(c, &at))
		return false;
	emit_load(c, &shape, at.at, 0);
	return true;
}

bool gen_set_static(struct compiler *c, const struct il_insn *in, int arg)
{
	struct type_field *f = NULL;
	struct shape shape;
	struct spot at;
	(void)arg;
	if (!token_field(c, in, &f, &shape) || !c->n_stack ||
	    !coerce(c, &c->stack[c->n_stack - 1], shape.kind))
		return fail(c, "nothing fit is on the stack");
	struct spot value = c->stack[c->n_stack - 1];
	if (value.shape.place != shape.place)
		return fail(c, "another value is stored");
	static_address(c, f);
	if (!pop(c, &at) || !pop(c, &value))
		return false;
	emit(c, ops_store[shape.access], 0, at.at, value.at)->n = shape.size;
	return true;
}

/* ---- Literals, casts, boxes -------------------------------------------- */

bool gen_string(struct compiler *c, const struct il_insn *in, int arg)
{
	struct site *s = new_site(c);
	uint32_t token = (uint32_t)in->value;
	(void)arg;
	if (c->made) {
		const struct made_entry *e = entry_of(c, token, MADE_STRING);
		if (!e)
			return false;
		s->text =
		    (struct bytes){(const uint8_t *)e->units, e->n_units * 2};
	} else {
		s->text = md_user_string(&c->ctx.module->md, token & 0xffffff);
		s->text.n &= ~(size_t)1;
	}
	emit(c, op_string, push_kind(c, KIND_REF), 0, 0)->x.site = s;
	return true;
}

/* @arg: 0 castclass, 1 isinst. */
bool gen_cast(struct compiler *c, const struct il_insn *in, int arg)
{
	struct site *s = new_site(c);
	struct spot of;
	if (!token_type(c, (uint32_t)in->value, &s->type) || !pop(c, &of) ||
	    !coerce(c, &of, KIND_I8))
		return false;
	struct op *op = emit(c, op_cast, push_kind(c, KIND_REF), of.at, 0);
	op->n = (uint32_t)arg;
	op->x.site = s;
	return true;
}

/* T of Nullable<T>, and where its value is. */
static bool nullable(struct compiler *c, struct type *type, struct type **ret,
		     uint32_t *ret_offset)
{
	struct type_field *f = NULL;
	if (type->special != TYPE_SPECIAL_NULLABLE || type->n_args != 1)
		return fail(c, "a Nullable is expected");
	struct dbg_error *err = type_field_find(c->ts, type, "value", &f);
	if (!err && f)
		err = type_field_offset(c->ts, f, ret_offset);
	*ret = type->args[0];
	return err ? fail_err(c, err) : true;
}

bool gen_box(struct compiler *c, const struct il_insn *in, int arg)
{
	struct type *type = NULL;
	struct shape shape;
	struct spot of;
	uint32_t offset = 0;
	(void)arg;
	if (!token_type(c, (uint32_t)in->value, &type) ||
	    !shape_of(c, type, &shape))
		return false;
	if (type->is_reference)
		return true;
	if (!pop(c, &of) || !coerce(c, &of, shape.kind))
		return false;
	if (of.shape.place != shape.place)
		return fail(c, "another value is boxed");
	bool maybe = type->special == TYPE_SPECIAL_NULLABLE;
	if (maybe && !nullable(c, type, &type, &offset))
		return false;
	struct op *op = emit(c, maybe ? op_box_nullable : op_box,
			     push_kind(c, KIND_REF), of.at, 0);
	op->x.type = type;
	op->n = offset;
	return true;
}

static bool unbox_to(struct compiler *c, struct type *type)
{
	struct spot of;
	if (type->special == TYPE_SPECIAL_NULLABLE)
		return fail(c, "the address of a boxed Nullable");
	if (!pop(c, &of) || !coerce(c, &of, KIND_I8))
		return false;
	emit(c, op_unbox, push_kind(c, KIND_I8), of.at, 0)->x.type = type;
	return true;
}

bool gen_unbox(struct compiler *c, const struct il_insn *in, int arg)
{
	struct type *type = NULL;
	(void)arg;
	return token_type(c, (uint32_t)in->value, &type) && unbox_to(c, type);
}

bool gen_unbox_any(struct compiler *c, const struct il_insn *in, int arg)
{
	struct type *type = NULL;
	struct shape shape;
	struct spot of;
	uint32_t offset = 0;
	if (!token_type(c, (uint32_t)in->value, &type) ||
	    !shape_of(c, type, &shape))
		return false;
	if (type->is_reference)
		return gen_cast(c, in, 0);
	if (type->special != TYPE_SPECIAL_NULLABLE) {
		if (!unbox_to(c, type) || !pop(c, &of))
			return false;
		emit_load(c, &shape, of.at, 0);
		return true;
	}
	(void)arg;
	if (!nullable(c, type, &type, &offset) || !pop(c, &of))
		return false;
	// the box is read before its place is written
	uint32_t to = push(c, &shape);
	struct op *op = emit(c, op_unbox_nullable, to, of.at, shape.size);
	op->x.type = type;
	op->n = offset;
	return true;
}

/* ---- Arrays ------------------------------------------------------------ */

bool gen_new_array(struct compiler *c, const struct il_insn *in, int arg)
{
	struct type *type = NULL;
	struct spot n;
	(void)arg;
	if (!token_type(c, (uint32_t)in->value, &type) || !pop(c, &n))
		return false;
	uint32_t size = n.shape.kind == KIND_I4 ? 4 : 8;
	struct op *op = emit(c, op_new_array, push_kind(c, KIND_REF), n.at, 0);
	op->n = size;
	op->x.type = type_vector(c->ts, type);
	return true;
}

bool gen_length(struct compiler *c, const struct il_insn *in, int arg)
{
	struct spot of;
	(void)in;
	(void)arg;
	if (!pop(c, &of) || !coerce(c, &of, KIND_I8))
		return false;
	emit(c, op_length, push_kind(c, KIND_I8), of.at, 0);
	return true;
}

static bool elem_shape(struct compiler *c, int elem, struct shape *ret)
{
	*ret = (struct shape){
	    .kind = KIND_REF, .access = ACCESS_8, .size = 8, .place = 8};
	if (elem == ELEM_OBJECT)
		return true;
	struct type *type = type_of_elem(c->ts, (enum elem)elem);
	return type ? shape_of(c, type, ret) : fail(c, "an unknown type");
}

static bool load_element(struct compiler *c, const struct shape *shape)
{
	struct spot array, index;
	if (!pop(c, &index) || !pop(c, &array) || !coerce(c, &array, KIND_I8) ||
	    index.shape.kind > KIND_I8)
		return fail(c, "an array and an index are expected");
	uint32_t to = push(c, shape);
	struct op *op =
	    emit(c, ops_element[shape->access], to, array.at, index.at);
	op->n = shape->size;
	op->x.i = index.shape.kind == KIND_I8 ? 8 : 4;
	return true;
}

static bool store_element(struct compiler *c, const struct shape *shape)
{
	struct spot array, index, value;
	if (!pop(c, &value) || !pop(c, &index) || !pop(c, &array) ||
	    !coerce(c, &array, KIND_I8) || index.shape.kind > KIND_I8 ||
	    !coerce(c, &value, shape->kind))
		return fail(c, "an array, an index and a value are expected");
	if (value.shape.place != shape->place)
		return fail(c, "another value is stored");
	op_fn *fn = shape->kind == KIND_REF ? op_set_element_ref
					    : ops_set_element[shape->access];
	struct op *op = emit(c, fn, value.at, array.at, index.at);
	op->n = shape->size;
	op->x.i = index.shape.kind == KIND_I8 ? 8 : 4;
	return true;
}

bool gen_element(struct compiler *c, const struct il_insn *in, int arg)
{
	struct shape shape;
	(void)in;
	return elem_shape(c, arg, &shape) && load_element(c, &shape);
}

bool gen_set_element(struct compiler *c, const struct il_insn *in, int arg)
{
	struct shape shape;
	(void)in;
	return elem_shape(c, arg, &shape) && store_element(c, &shape);
}

bool gen_element_type(struct compiler *c, const struct il_insn *in, int arg)
{
	struct type *type = NULL;
	struct shape shape;
	(void)arg;
	return token_type(c, (uint32_t)in->value, &type) &&
	       shape_of(c, type, &shape) && load_element(c, &shape);
}

bool gen_set_element_type(struct compiler *c, const struct il_insn *in, int arg)
{
	struct type *type = NULL;
	struct shape shape;
	(void)arg;
	return token_type(c, (uint32_t)in->value, &type) &&
	       shape_of(c, type, &shape) && store_element(c, &shape);
}

bool gen_element_address(struct compiler *c, const struct il_insn *in, int arg)
{
	struct type *type = NULL;
	struct shape shape;
	struct spot array, index;
	(void)arg;
	if (!token_type(c, (uint32_t)in->value, &type) ||
	    !shape_of(c, type, &shape) || !pop(c, &index) || !pop(c, &array) ||
	    !coerce(c, &array, KIND_I8) || index.shape.kind > KIND_I8)
		return fail(c, "an array and an index are expected");
	struct op *op = emit(c, op_element_address, push_kind(c, KIND_I8),
			     array.at, index.at);
	op->n = shape.size;
	op->x.i = index.shape.kind == KIND_I8 ? 8 : 4;
	return true;
}

/* ---- Tokens ------------------------------------------------------------ */

static bool field_token(struct compiler *c, const struct il_insn *in)
{
	struct type_field *f = NULL;
	struct shape shape;
	if (!token_field(c, in, &f, &shape))
		return false;
	struct site *s = new_site(c);
	s->field = f;
	emit(c, op_field_token, push_kind(c, KIND_I8), 0, 0)->x.site = s;
	return true;
}

/* Is the MemberRef @token of a field (II.23.2.4)? */
static bool is_field(struct compiler *c, uint32_t token)
{
	if (c->made)
		return token < c->made->n_pool &&
		       c->made->pool[token].kind == MADE_FIELD;
	if (MD_TOKEN_TABLE(token) == MD_FIELD)
		return true;
	if (MD_TOKEN_TABLE(token) != MD_MEMBERREF)
		return false;
	struct bytes sig = md_col_blob(&c->ctx.module->md, MD_MEMBERREF,
				       MD_TOKEN_RID(token), 2);
	return sig.n && (sig.p[0] & 0x0f) == 0x06;
}

/*
 * Handles are structs of one word: a RuntimeType object, or a number that
 * stands for the method or the field.
 */
bool gen_token(struct compiler *c, const struct il_insn *in, int arg)
{
	struct shape word = {
	    .kind = KIND_STRUCT, .access = ACCESS_8, .size = 8, .place = 8};
	uint32_t token = (uint32_t)in->value;
	struct type_method *method = NULL;
	struct type *type = NULL;
	(void)arg;
	if (is_field(c, token)) {
		if (!field_token(c, in))
			return false;
		c->stack[c->n_stack - 1].shape = word;
		return true;
	}
	bool of_type = c->made ? token < c->made->n_pool &&
				     c->made->pool[token].kind == MADE_TYPE
			       : MD_TOKEN_TABLE(token) == MD_TYPEDEF ||
				     MD_TOKEN_TABLE(token) == MD_TYPEREF ||
				     MD_TOKEN_TABLE(token) == MD_TYPESPEC;
	if (of_type) {
		if (!token_type(c, token, &type))
			return false;
		emit(c, op_type_token, push(c, &word), 0, 0)->x.type = type;
		return true;
	}
	if (!token_method(c, token, &method))
		return false;
	struct site *s = new_site(c);
	s->method = method;
	emit(c, op_method_token, push(c, &word), 0, 0)->x.site = s;
	return true;
}
