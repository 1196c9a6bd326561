/*
 * Compiling fields, statics, strings, casts, boxes, arrays and tokens. A token
 * is resolved here, once, with the generic arguments of the method that is
 * compiled; what the operation needs of it (offset, type, size) stands in the
 * operation or, where that is more than two numbers, in a site.
 */
#include "il/compile/compile_priv.h"

#include "base/err.h"

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
