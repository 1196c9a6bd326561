/*
 * IL of the typed tree. Each lambda becomes a static method whose first
 * parameter is its closure, an object[] of the variables that it shares: each
 * of them lives in a vector of one element, which is made where its method
 * begins. What is the frame's needs no closure: it has an address.
 */
#include "eval/bind/bindtuple.h"
#include "eval/generate/generate_priv.h"
#include "eval/overload/bindparam.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"

/* ---- Operators ------------------------------------------------------- */

/* IL of numbers: instructions by table of element type and operator. */

static bool is_unsigned(enum elem e)
{
	return e == ELEM_U1 || e == ELEM_U2 || e == ELEM_U4 || e == ELEM_U8 ||
	       e == ELEM_U || e == ELEM_CHAR || e == ELEM_BOOLEAN;
}

static bool is_real(enum elem e)
{
	return e == ELEM_R4 || e == ELEM_R8;
}

/* ---- Conversions ----------------------------------------------------- */

static const struct {
	enum elem to;
	uint16_t plain, checked, checked_unsigned;
} conversions[] = {
    {ELEM_I1, IL_OP_CONV_I1, IL_OP_CONV_OVF_I1, IL_OP_CONV_OVF_I1_UN},
    {ELEM_U1, IL_OP_CONV_U1, IL_OP_CONV_OVF_U1, IL_OP_CONV_OVF_U1_UN},
    {ELEM_BOOLEAN, IL_OP_CONV_U1, IL_OP_CONV_OVF_U1, IL_OP_CONV_OVF_U1_UN},
    {ELEM_I2, IL_OP_CONV_I2, IL_OP_CONV_OVF_I2, IL_OP_CONV_OVF_I2_UN},
    {ELEM_U2, IL_OP_CONV_U2, IL_OP_CONV_OVF_U2, IL_OP_CONV_OVF_U2_UN},
    {ELEM_CHAR, IL_OP_CONV_U2, IL_OP_CONV_OVF_U2, IL_OP_CONV_OVF_U2_UN},
    {ELEM_I4, IL_OP_CONV_I4, IL_OP_CONV_OVF_I4, IL_OP_CONV_OVF_I4_UN},
    {ELEM_U4, IL_OP_CONV_U4, IL_OP_CONV_OVF_U4, IL_OP_CONV_OVF_U4_UN},
    {ELEM_I8, IL_OP_CONV_I8, IL_OP_CONV_OVF_I8, IL_OP_CONV_OVF_I8_UN},
    {ELEM_U8, IL_OP_CONV_U8, IL_OP_CONV_OVF_U8, IL_OP_CONV_OVF_U8_UN},
    {ELEM_I, IL_OP_CONV_I, IL_OP_CONV_OVF_I, IL_OP_CONV_OVF_I_UN},
    {ELEM_U, IL_OP_CONV_U, IL_OP_CONV_OVF_U, IL_OP_CONV_OVF_U_UN},
    {ELEM_R4, IL_OP_CONV_R4, IL_OP_CONV_R4, IL_OP_CONV_R4},
    {ELEM_R8, IL_OP_CONV_R8, IL_OP_CONV_R8, IL_OP_CONV_R8},
};

static struct dbg_error *ilgen_number(struct generator *e,
				      const struct bound *n)
{
	enum elem from = n->a->type->elem, to = n->type->elem;
	struct dbg_error *err = ilgen_value(e, n->a);
	if (err)
		return err;
	if (is_real(to) && is_unsigned(from))
		ilgen_op(e, IL_OP_CONV_R_UN);
	// What is on the stack is extended as its type says.
	if (!n->checked && to == ELEM_I8 && is_unsigned(from))
		to = ELEM_U8;
	else if (!n->checked && to == ELEM_U8 && !is_unsigned(from) &&
		 !is_real(from))
		to = ELEM_I8;
	for (size_t i = 0; i < sizeof(conversions) / sizeof(conversions[0]);
	     i++) {
		if (conversions[i].to != to)
			continue;
		uint16_t op = !n->checked ? conversions[i].plain
			      : is_unsigned(from)
				  ? conversions[i].checked_unsigned
				  : conversions[i].checked;
		ilgen_op(e, op);
		return NULL;
	}
	return dbg_err(DBG_E_RUNTIME, "no conversion to a number");
}

/* ---- Operators ------------------------------------------------------- */

/* `not`: compare the result with 0. */
static const struct row {
	enum op op;
	uint16_t plain, is_unsigned, real;
	uint16_t checked, checked_unsigned; /* 0: as unchecked */
	bool not ;
} rows[] = {
    {OP_ADD, IL_OP_ADD, IL_OP_ADD, IL_OP_ADD, IL_OP_ADD_OVF, IL_OP_ADD_OVF_UN,
     false},
    {OP_SUBTRACT, IL_OP_SUB, IL_OP_SUB, IL_OP_SUB, IL_OP_SUB_OVF,
     IL_OP_SUB_OVF_UN, false},
    {OP_MULTIPLY, IL_OP_MUL, IL_OP_MUL, IL_OP_MUL, IL_OP_MUL_OVF,
     IL_OP_MUL_OVF_UN, false},
    {OP_DIVIDE, IL_OP_DIV, IL_OP_DIV_UN, IL_OP_DIV, 0, 0, false},
    {OP_REMAINDER, IL_OP_REM, IL_OP_REM_UN, IL_OP_REM, 0, 0, false},
    {OP_SHIFT_LEFT, IL_OP_SHL, IL_OP_SHL, IL_OP_SHL, 0, 0, false},
    {OP_SHIFT_RIGHT, IL_OP_SHR, IL_OP_SHR_UN, IL_OP_SHR, 0, 0, false},
    {OP_SHIFT_UNSIGNED, IL_OP_SHR_UN, IL_OP_SHR_UN, IL_OP_SHR_UN, 0, 0, false},
    {OP_AND, IL_OP_AND, IL_OP_AND, IL_OP_AND, 0, 0, false},
    {OP_OR, IL_OP_OR, IL_OP_OR, IL_OP_OR, 0, 0, false},
    {OP_XOR, IL_OP_XOR, IL_OP_XOR, IL_OP_XOR, 0, 0, false},
    {OP_EQUAL, IL_OP_CEQ, IL_OP_CEQ, IL_OP_CEQ, 0, 0, false},
    {OP_NOT_EQUAL, IL_OP_CEQ, IL_OP_CEQ, IL_OP_CEQ, 0, 0, true},
    {OP_LESS, IL_OP_CLT, IL_OP_CLT_UN, IL_OP_CLT, 0, 0, false},
    {OP_GREATER, IL_OP_CGT, IL_OP_CGT_UN, IL_OP_CGT, 0, 0, false},
    // !(a > b), which for numbers that are none must be false
    {OP_LESS_EQUAL, IL_OP_CGT, IL_OP_CGT_UN, IL_OP_CGT_UN, 0, 0, true},
    {OP_GREATER_EQUAL, IL_OP_CLT, IL_OP_CLT_UN, IL_OP_CLT_UN, 0, 0, true},
};

static uint16_t instruction(const struct row *r, const struct bound *n)
{
	enum elem elem = n->a->type->elem;
	if (is_real(elem))
		return r->real;
	bool checked = n->checked && r->checked;
	if (is_unsigned(elem))
		return checked ? r->checked_unsigned : r->is_unsigned;
	return checked ? r->checked : r->plain;
}

/* A shift counts modulo the size of its operand (12.11). */
static void mask_count(struct generator *e, const struct bound *n)
{
	enum elem elem = n->a->type->elem;
	bool wide = elem == ELEM_I8 || elem == ELEM_U8 || elem == ELEM_I ||
		    elem == ELEM_U;
	if (n->op != OP_SHIFT_LEFT && n->op != OP_SHIFT_RIGHT &&
	    n->op != OP_SHIFT_UNSIGNED)
		return;
	ilgen_int(e, wide ? 63 : 31, false);
	ilgen_op(e, IL_OP_AND);
}

/* The operators on numbers, whose operands are pushed here. */
static struct dbg_error *ilgen_binary(struct generator *e,
				      const struct bound *n)
{
	const struct row *r = rows;
	while (r < rows + sizeof(rows) / sizeof(rows[0]) && r->op != n->op)
		r++;
	if (r == rows + sizeof(rows) / sizeof(rows[0]))
		return dbg_err(DBG_E_UNSUPPORTED,
			       "operator '%s' is not served yet",
			       op_text(n->op));
	struct dbg_error *err = ilgen_value(e, n->a);
	if (!err)
		err = ilgen_value(e, n->b);
	if (err)
		return err;
	mask_count(e, n);
	ilgen_op(e, instruction(r, n));
	if (r->not ) {
		ilgen_int(e, 0, false);
		ilgen_op(e, IL_OP_CEQ);
	}
	return NULL;
}

/* ---- Instructions ---------------------------------------------------- */

static void ilgen_bytes(struct generator *e, uint64_t value, size_t n)
{
	for (size_t i = 0; i < n; i++)
		str_addc(&e->code, (char)(value >> (8 * i)));
}

void ilgen_op(struct generator *e, enum il_code op)
{
	if (op > 0xff)
		ilgen_bytes(e, op >> 8, 1);
	ilgen_bytes(e, op & 0xff, 1);
}

static void ilgen_op4(struct generator *e, enum il_code op, uint32_t operand)
{
	ilgen_op(e, op);
	ilgen_bytes(e, operand, 4);
}

void ilgen_var(struct generator *e, enum il_code op, uint32_t index)
{
	ilgen_op(e, op);
	ilgen_bytes(e, index, 2);
}

static uint32_t add_entry(struct generator *e, struct made_entry entry)
{
	if (e->n_pool == e->cap_pool) {
		size_t cap = e->cap_pool ? e->cap_pool * 2 : 16;
		struct made_entry *more =
		    arena_calloc(e->b->arena, cap, sizeof(*more));
		if (e->n_pool)
			memcpy(more, e->pool, e->n_pool * sizeof(*more));
		e->pool = more;
		e->cap_pool = cap;
	}
	e->pool[e->n_pool] = entry;
	return (uint32_t)e->n_pool++;
}

void ilgen_type(struct generator *e, enum il_code op, struct type *type)
{
	ilgen_op4(
	    e, op,
	    add_entry(e, (struct made_entry){.kind = MADE_TYPE, .type = type}));
}

void ilgen_call(struct generator *e, enum il_code op, struct type_method *m)
{
	ilgen_op4(e, op,
		  add_entry(e, (struct made_entry){.kind = MADE_METHOD,
						   .method = m}));
}

void ilgen_field(struct generator *e, enum il_code op, struct type_field *f)
{
	ilgen_op4(
	    e, op,
	    add_entry(e, (struct made_entry){.kind = MADE_FIELD, .field = f}));
}

void ilgen_int(struct generator *e, int64_t value, bool wide)
{
	if (!wide) {
		ilgen_op4(e, IL_OP_LDC_I4, (uint32_t)value);
		return;
	}
	ilgen_op(e, IL_OP_LDC_I8);
	ilgen_bytes(e, (uint64_t)value, 8);
}

size_t ilgen_branch(struct generator *e, enum il_code op)
{
	ilgen_op4(e, op, 0);
	return e->code.len;
}

void ilgen_land(struct generator *e, size_t branch)
{
	uint32_t distance = (uint32_t)(e->code.len - branch);
	for (size_t i = 0; i < 4; i++)
		e->code.s[branch - 4 + i] = (char)(distance >> (8 * i));
}

/* ---- Variables ------------------------------------------------------- */

static uint32_t add_slot(struct generator *e, const struct bound_var *var,
			 struct type *type)
{
	if (e->n_slots == e->cap_slots) {
		size_t cap = e->cap_slots ? e->cap_slots * 2 : 8;
		struct slot *more =
		    arena_calloc(e->b->arena, cap, sizeof(*more));
		if (e->n_slots)
			memcpy(more, e->slots, e->n_slots * sizeof(*more));
		e->slots = more;
		e->cap_slots = cap;
	}
	e->slots[e->n_slots] = (struct slot){.var = var, .type = type};
	return (uint32_t)e->n_slots++;
}

uint32_t ilgen_temporary(struct generator *e, struct type *type)
{
	return add_slot(e, NULL, type);
}

static uint32_t slot_of(struct generator *e, const struct bound_var *var)
{
	for (size_t i = 0; i < e->n_slots; i++) {
		if (e->slots[i].var == var)
			return (uint32_t)i;
	}
	return add_slot(e, var,
			var->captured ? type_vector(e->b->ts, var->type)
				      : var->type);
}

void ilgen_holder(struct generator *e, const struct bound_var *var)
{
	struct type *object = bind_prim(e->b, ELEM_OBJECT);
	uint32_t i = 0;
	if (var->owner == e->lambda) {
		ilgen_var(e, IL_OP_LDLOC, slot_of(e, var));
		return;
	}
	while (i < e->lambda->n_captures && e->lambda->captures[i] != var)
		i++;
	ilgen_var(e, IL_OP_LDARG, 0);
	ilgen_type(e, IL_OP_CASTCLASS, type_vector(e->b->ts, object));
	ilgen_int(e, i, false);
	ilgen_op(e, IL_OP_LDELEM_REF);
	ilgen_type(e, IL_OP_CASTCLASS, type_vector(e->b->ts, var->type));
}

static void ilgen_variable_address(struct generator *e,
				   const struct bound_var *var)
{
	if (var->captured) {
		ilgen_holder(e, var);
		ilgen_int(e, 0, false);
		ilgen_type(e, IL_OP_LDELEMA, var->type);
	} else if (var->is_param) {
		ilgen_var(e, IL_OP_LDARGA, var->index + 1);
	} else {
		ilgen_var(e, IL_OP_LDLOCA, slot_of(e, var));
	}
}

void ilgen_variable(struct generator *e, const struct bound_var *var)
{
	if (var->captured) {
		ilgen_variable_address(e, var);
		ilgen_type(e, IL_OP_LDOBJ, var->type);
	} else if (var->is_param) {
		ilgen_var(e, IL_OP_LDARG, var->index + 1);
	} else {
		ilgen_var(e, IL_OP_LDLOC, slot_of(e, var));
	}
}

/* Pop into a variable. */
static void ilgen_set(struct generator *e, const struct bound_var *var)
{
	if (!var->captured) {
		ilgen_var(e, IL_OP_STLOC, slot_of(e, var));
		return;
	}
	uint32_t slot = ilgen_temporary(e, var->type);
	ilgen_var(e, IL_OP_STLOC, slot);
	ilgen_variable_address(e, var);
	ilgen_var(e, IL_OP_LDLOC, slot);
	ilgen_type(e, IL_OP_STOBJ, var->type);
}

/* Give a captured variable of this method a new vector. */
static void ilgen_fresh(struct generator *e, const struct bound_var *var)
{
	if (!var->captured || var->owner != e->lambda)
		return;
	ilgen_int(e, 1, false);
	ilgen_type(e, IL_OP_NEWARR, var->type);
	ilgen_var(e, IL_OP_STLOC, slot_of(e, var));
}

void ilgen_prologue(struct generator *e)
{
	struct binder *b = e->b;
	for (size_t i = 0; i < b->n_locals; i++)
		ilgen_fresh(e, b->locals[i]);
	for (size_t i = 0; e->lambda && i < e->lambda->n_params; i++) {
		const struct bound_var *var = e->lambda->params[i];
		if (!var->captured)
			continue;
		ilgen_int(e, 1, false);
		ilgen_type(e, IL_OP_NEWARR, var->type);
		ilgen_op(e, IL_OP_DUP);
		ilgen_int(e, 0, false);
		ilgen_var(e, IL_OP_LDARG, var->index + 1);
		ilgen_type(e, IL_OP_STELEM, var->type);
		ilgen_var(e, IL_OP_STLOC, slot_of(e, var));
	}
}

/* ---- Places ---------------------------------------------------------- */

static void ilgen_constant_address(struct generator *e, uint64_t addr)
{
	ilgen_int(e, (int64_t)addr, true);
	ilgen_op(e, IL_OP_CONV_U);
}

/*
 * Push the operands of an element access: for a vector its reference and the
 * index, for other arrays the element's address.
 */
static struct dbg_error *ilgen_element(struct generator *e,
				       const struct bound *n)
{
	struct type_method *address = NULL;
	struct dbg_error *err = ilgen_value(e, n->a);
	for (size_t i = 0; !err && i < n->n_list; i++) {
		err = ilgen_value(e, n->list[i]);
		if (!err && n->list[i]->type->elem == ELEM_I8)
			ilgen_op(e, n->a->type->elem == ELEM_SZARRAY
					? IL_OP_CONV_OVF_I
					: IL_OP_CONV_OVF_I4);
	}
	if (err || n->a->type->elem == ELEM_SZARRAY)
		return err;
	address =
	    type_method_of_array(e->b->ts, n->a->type, TYPE_ARRAY_ADDRESS);
	ilgen_call(e, IL_OP_CALL, address);
	return NULL;
}

/*
 * Push the address of a leaf's value, in the program or copied into the
 * interpreter's memory.
 */
static struct dbg_error *ilgen_leaf(struct generator *e, const struct bound *n)
{
	struct binder *b = e->b;
	const struct value *v = n->value;
	uint64_t addr = n->addr;
	if (v && v->where == VALUE_ABSENT)
		return fetch_missing(b, n->syntax, v);
	if (v && v->where == VALUE_BYTES) {
		addr = vm_room(b->vm, sizeof(v->bytes));
		if (!addr || !vm_write(b->vm, addr, v->bytes, sizeof(v->bytes)))
			return dbg_err(DBG_E_STATE, "no memory for '%s'",
				       bind_source(b, n->syntax));
	}
	ilgen_constant_address(e, addr);
	return NULL;
}

static struct dbg_error *ilgen_field_owner(struct generator *e,
					   const struct bound *n)
{
	return n->a->type->is_value ? ilgen_address(e, n->a)
				    : ilgen_value(e, n->a);
}

struct dbg_error *ilgen_address(struct generator *e, const struct bound *n)
{
	struct dbg_error *err;
	uint32_t slot;
	switch (n->kind) {
	case BOUND_PLACE:
		return ilgen_leaf(e, n);
	case BOUND_VAR:
		ilgen_variable_address(e, n->var);
		return NULL;
	case BOUND_FIELD:
		if (n->is_static) {
			ilgen_field(e, IL_OP_LDSFLDA, n->field);
			return NULL;
		}
		err = ilgen_field_owner(e, n);
		if (!err)
			ilgen_field(e, IL_OP_LDFLDA, n->field);
		return err;
	case BOUND_ELEMENT:
		err = ilgen_element(e, n);
		if (!err && n->a->type->elem == ELEM_SZARRAY)
			ilgen_type(e, IL_OP_LDELEMA, n->type);
		return err;
	case BOUND_DEREF:
		return ilgen_value(e, n->a);
	default:
		err = ilgen_value(e, n);
		slot = ilgen_temporary(e, n->type);
		ilgen_var(e, IL_OP_STLOC, slot);
		ilgen_var(e, IL_OP_LDLOCA, slot);
		return err;
	}
}

static struct dbg_error *ilgen_store(struct generator *e, const struct bound *n)
{
	struct dbg_error *err;
	uint32_t slot = ilgen_temporary(e, n->type);
	const struct bound *to = n->a;
	if (to->kind == BOUND_VAR && !to->var->captured && !to->var->is_param) {
		err = ilgen_value(e, n->b);
		ilgen_op(e, IL_OP_DUP);
		ilgen_var(e, IL_OP_STLOC, slot_of(e, to->var));
		return err;
	}
	// the array may be one of a more special type
	bool is_checked = to->kind == BOUND_ELEMENT &&
			  to->a->type->elem == ELEM_SZARRAY &&
			  to->type->is_reference;
	err = is_checked ? ilgen_element(e, to) : ilgen_address(e, to);
	if (!err)
		err = ilgen_value(e, n->b);
	ilgen_op(e, IL_OP_DUP);
	ilgen_var(e, IL_OP_STLOC, slot);
	ilgen_type(e, is_checked ? IL_OP_STELEM : IL_OP_STOBJ, n->type);
	ilgen_var(e, IL_OP_LDLOC, slot);
	return err;
}

/* ---- Values ---------------------------------------------------------- */

static struct dbg_error *ilgen_constant(struct generator *e,
					const struct bound *n)
{
	uint64_t bits;
	float f = (float)n->real;
	uint32_t word;
	switch (n->type->elem) {
	case ELEM_R8:
		memcpy(&bits, &n->real, sizeof(bits));
		ilgen_op(e, IL_OP_LDC_R8);
		ilgen_bytes(e, bits, 8);
		break;
	case ELEM_R4:
		memcpy(&word, &f, sizeof(word));
		ilgen_op4(e, IL_OP_LDC_R4, word);
		break;
	case ELEM_I8:
	case ELEM_U8:
		ilgen_int(e, n->integer, true);
		break;
	case ELEM_I:
	case ELEM_U:
		ilgen_int(e, n->integer, true);
		ilgen_op(e, IL_OP_CONV_I);
		break;
	default:
		ilgen_int(e, n->integer, false);
		break;
	}
	return NULL;
}

static struct dbg_error *ilgen_default(struct generator *e,
				       const struct bound *n)
{
	if (n->type->elem == ELEM_VOID)
		return NULL;
	if (!n->type->is_value) {
		ilgen_op(e, IL_OP_LDNULL);
		return NULL;
	}
	uint32_t slot = ilgen_temporary(e, n->type);
	ilgen_var(e, IL_OP_LDLOCA, slot);
	ilgen_type(e, IL_OP_INITOBJ, n->type);
	ilgen_var(e, IL_OP_LDLOC, slot);
	return NULL;
}

static struct dbg_error *ilgen_list(struct generator *e, const struct bound *n)
{
	struct dbg_error *err = NULL;
	for (size_t i = 0; !err && i < n->n_list; i++)
		err = ilgen_value(e, n->list[i]);
	return err;
}

static struct dbg_error *ilgen_call_node(struct generator *e,
					 const struct bound *n)
{
	struct type_method *m = n->method;
	bool direct = (m->flags & TYPE_METHOD_STATIC) || m->owner->is_value ||
		      n->nonvirtual;
	struct dbg_error *err = ilgen_list(e, n);
	if (!err)
		ilgen_call(e, direct ? IL_OP_CALL : IL_OP_CALLVIRT, m);
	return err;
}

static struct dbg_error *ilgen_array(struct generator *e, const struct bound *n)
{
	struct type *element = n->type->inner;
	struct dbg_error *err = ilgen_value(e, n->a);
	ilgen_type(e, IL_OP_NEWARR, element);
	for (size_t i = 0; !err && i < n->n_list; i++) {
		ilgen_op(e, IL_OP_DUP);
		ilgen_int(e, (int64_t)i, false);
		err = ilgen_value(e, n->list[i]);
		ilgen_type(e, IL_OP_STELEM, element);
	}
	return err;
}

// Both ends leave their value in a local.
static struct dbg_error *ilgen_choice(struct generator *e,
				      const struct bound *n)
{
	if (n->type->elem == ELEM_VOID)
		return ilgen_if(e, n);
	uint32_t slot = ilgen_temporary(e, n->type);
	struct dbg_error *err = ilgen_value(e, n->a);
	size_t otherwise = ilgen_branch(e, IL_OP_BRFALSE);
	if (!err)
		err = ilgen_value(e, n->b);
	if (n->b->kind != BOUND_THROW)
		ilgen_var(e, IL_OP_STLOC, slot);
	size_t end = ilgen_branch(e, IL_OP_BR);
	ilgen_land(e, otherwise);
	if (!err)
		err = ilgen_value(e, n->c);
	if (n->c->kind != BOUND_THROW)
		ilgen_var(e, IL_OP_STLOC, slot);
	ilgen_land(e, end);
	ilgen_var(e, IL_OP_LDLOC, slot);
	return err;
}

static struct dbg_error *ilgen_effect(struct generator *e,
				      const struct bound *n)
{
	for (size_t i = 0; i < n->n_list; i++) {
		struct dbg_error *err = ilgen_statement(e, n->list[i]);
		if (err)
			return err;
	}
	return ilgen_value(e, n->a);
}

/* ---- Dispatch -------------------------------------------------------- */

/* Push a, then one instruction on the node's type. */
static struct dbg_error *ilgen_on_type(struct generator *e,
				       const struct bound *n)
{
	static const uint16_t ops[] = {
	    [BOUND_CAST] = IL_OP_CASTCLASS,  [BOUND_BOX] = IL_OP_BOX,
	    [BOUND_UNBOX] = IL_OP_UNBOX_ANY, [BOUND_AS] = IL_OP_ISINST,
	    [BOUND_DEREF] = IL_OP_LDOBJ,     [BOUND_THROW] = IL_OP_THROW,
	    [BOUND_LENGTH] = IL_OP_LDLEN,
	};
	if (n->kind == BOUND_THROW && !n->a) {
		ilgen_op(e, IL_OP_RETHROW);
		return NULL;
	}
	struct dbg_error *err = ilgen_value(e, n->a);
	if (err)
		return err;
	if (n->kind == BOUND_THROW) {
		ilgen_op(e, IL_OP_THROW);
	} else if (n->kind == BOUND_LENGTH) {
		ilgen_op(e, IL_OP_LDLEN);
		ilgen_op(e, IL_OP_CONV_I4);
	} else {
		ilgen_type(e, ops[n->kind], n->type);
	}
	return NULL;
}

static struct dbg_error *ilgen_field_value(struct generator *e,
					   const struct bound *n)
{
	if (n->is_static) {
		ilgen_field(e, IL_OP_LDSFLD, n->field);
		return NULL;
	}
	struct dbg_error *err = ilgen_field_owner(e, n);
	if (!err)
		ilgen_field(e, IL_OP_LDFLD, n->field);
	return err;
}

static struct dbg_error *ilgen_unary(struct generator *e, const struct bound *n)
{
	struct dbg_error *err = ilgen_value(e, n->a);
	ilgen_op(e, n->op == OP_MINUS ? IL_OP_NEG : IL_OP_NOT);
	return err;
}

static struct dbg_error *ilgen_new(struct generator *e, const struct bound *n)
{
	struct dbg_error *err = ilgen_list(e, n);
	if (!err && !n->method)
		err = dbg_err(DBG_E_RUNTIME, "no constructor");
	if (!err)
		ilgen_call(e, IL_OP_NEWOBJ, n->method);
	return err;
}

static struct dbg_error *ilgen_text(struct generator *e, const struct bound *n)
{
	ilgen_op4(e, IL_OP_LDSTR,
		  add_entry(e, (struct made_entry){.kind = MADE_STRING,
						   .units = n->units,
						   .n_units = n->n_units}));
	return NULL;
}

static struct dbg_error *ilgen_place(struct generator *e, const struct bound *n)
{
	struct dbg_error *err = ilgen_leaf(e, n);
	ilgen_type(e, IL_OP_LDOBJ, n->type);
	return err;
}

static struct dbg_error *ilgen_var_node(struct generator *e,
					const struct bound *n)
{
	ilgen_variable(e, n->var);
	return NULL;
}

static struct dbg_error *ilgen_element_value(struct generator *e,
					     const struct bound *n)
{
	struct dbg_error *err = ilgen_element(e, n);
	bool vector = n->a->type->elem == ELEM_SZARRAY;
	ilgen_type(e, vector ? IL_OP_LDELEM : IL_OP_LDOBJ, n->type);
	return err;
}

static struct dbg_error *ilgen_by_ref(struct generator *e,
				      const struct bound *n)
{
	return ilgen_address(e, n->a);
}

static struct dbg_error *ilgen_tuple(struct generator *e, const struct bound *n)
{
	struct bound *made;
	struct dbg_error *err = tuple_new(e->b, n, &made);
	return err ? err : ilgen_value(e, made);
}

typedef struct dbg_error *ilgen_fn(struct generator *e, const struct bound *n);

static ilgen_fn *const by_kind[] = {
    [BOUND_CONST] = ilgen_constant,
    [BOUND_STRING] = ilgen_text,
    [BOUND_DEFAULT] = ilgen_default,
    [BOUND_PLACE] = ilgen_place,
    [BOUND_VAR] = ilgen_var_node,
    [BOUND_FIELD] = ilgen_field_value,
    [BOUND_ELEMENT] = ilgen_element_value,
    [BOUND_LENGTH] = ilgen_on_type,
    [BOUND_DEREF] = ilgen_on_type,
    [BOUND_ADDRESS] = ilgen_by_ref,
    [BOUND_CALL] = ilgen_call_node,
    [BOUND_NEW] = ilgen_new,
    [BOUND_ARRAY] = ilgen_array,
    [BOUND_NUMBER] = ilgen_number,
    [BOUND_CAST] = ilgen_on_type,
    [BOUND_BOX] = ilgen_on_type,
    [BOUND_UNBOX] = ilgen_on_type,
    [BOUND_AS] = ilgen_on_type,
    [BOUND_UNARY] = ilgen_unary,
    [BOUND_BINARY] = ilgen_binary,
    [BOUND_CHOICE] = ilgen_choice,
    [BOUND_STORE] = ilgen_store,
    [BOUND_EFFECT] = ilgen_effect,
    [BOUND_DELEGATE] = ilgen_delegate,
    [BOUND_LAMBDA] = ilgen_lambda,
    [BOUND_THROW] = ilgen_on_type,
    [BOUND_TUPLE] = ilgen_tuple,
    [BOUND_BLOCK] = ilgen_block,
    [BOUND_IF] = ilgen_if,
    [BOUND_LOOP] = ilgen_loop,
    [BOUND_ONCE] = ilgen_once,
    [BOUND_BREAK] = ilgen_jump,
    [BOUND_CONTINUE] = ilgen_jump,
    [BOUND_RETURN] = ilgen_return,
    [BOUND_TRY] = ilgen_try,
};

struct dbg_error *ilgen_value(struct generator *e, const struct bound *n)
{
	ilgen_fn *fn = n->kind < sizeof(by_kind) / sizeof(by_kind[0])
			   ? by_kind[n->kind]
			   : NULL;
	if (!fn)
		return bind_error(e->b, n->syntax, "'%s' has no value",
				  bind_source(e->b, n->syntax));
	return fn(e, n);
}

/* ---- IL of statements ---------------------------------------------------- */

/*
 * IL of statements. They stand at the top of a method, with nothing on the
 * stack. Every jump is a `leave`, which runs the finally blocks that it goes
 * out of, and empties the stack; where it leads is filled in when that place
 * is reached.
 */

/* ---- Jumps ----------------------------------------------------------- */

/* A jump to the end (or step) of @to, NULL: to the end of the method. */
static void jump_to(struct generator *e, const struct bound *to, bool again)
{
	if (e->n_jumps == e->cap_jumps) {
		size_t cap = e->cap_jumps ? e->cap_jumps * 2 : 16;
		struct jump *more =
		    arena_calloc(e->b->arena, cap, sizeof(*more));
		if (e->n_jumps)
			memcpy(more, e->jumps, e->n_jumps * sizeof(*more));
		e->jumps = more;
		e->cap_jumps = cap;
	}
	e->jumps[e->n_jumps++] = (struct jump){
	    .to = to, .again = again, .at = ilgen_branch(e, IL_OP_LEAVE)};
}

void ilgen_land_all(struct generator *e, const struct bound *to, bool again)
{
	size_t n = 0;
	for (size_t i = 0; i < e->n_jumps; i++) {
		const struct jump *j = &e->jumps[i];
		if (j->to == to && j->again == again)
			ilgen_land(e, j->at);
		else
			e->jumps[n++] = *j;
	}
	e->n_jumps = n;
}

static void jump_back(struct generator *e, enum il_code op, size_t target)
{
	size_t at = ilgen_branch(e, op);
	uint32_t distance = (uint32_t)target - (uint32_t)at;
	for (size_t i = 0; i < 4; i++)
		e->code.s[at - 4 + i] = (char)(distance >> (8 * i));
}

/* ---- Flow ------------------------------------------------------------ */

struct dbg_error *ilgen_statement(struct generator *e, const struct bound *n)
{
	struct dbg_error *err = ilgen_value(e, n);
	bool value =
	    n->kind != BOUND_THROW && n->type && n->type->elem != ELEM_VOID;
	if (!err && value)
		ilgen_op(e, IL_OP_POP);
	return err;
}

struct dbg_error *ilgen_block(struct generator *e, const struct bound *n)
{
	struct dbg_error *err = NULL;
	// Each time round a loop, a lambda shares a new variable.
	for (size_t i = 0; i < n->n_vars; i++)
		ilgen_fresh(e, n->vars[i]);
	for (size_t i = 0; !err && i < n->n_list; i++)
		err = ilgen_statement(e, n->list[i]);
	return err;
}

struct dbg_error *ilgen_if(struct generator *e, const struct bound *n)
{
	struct dbg_error *err = ilgen_value(e, n->a);
	size_t otherwise = ilgen_branch(e, IL_OP_BRFALSE);
	if (!err)
		err = ilgen_statement(e, n->b);
	if (err || !n->c) {
		ilgen_land(e, otherwise);
		return err;
	}
	size_t end = ilgen_branch(e, IL_OP_BR);
	ilgen_land(e, otherwise);
	err = ilgen_statement(e, n->c);
	ilgen_land(e, end);
	return err;
}

struct dbg_error *ilgen_loop(struct generator *e, const struct bound *n)
{
	struct dbg_error *err = NULL;
	size_t start = e->code.len, out = 0;
	if (n->a && !n->late) {
		err = ilgen_value(e, n->a);
		out = ilgen_branch(e, IL_OP_BRFALSE);
	}
	if (!err)
		err = ilgen_statement(e, n->b);
	ilgen_land_all(e, n, true);
	if (!err && n->c)
		err = ilgen_statement(e, n->c);
	if (!err && n->a && n->late) {
		err = ilgen_value(e, n->a);
		jump_back(e, IL_OP_BRTRUE, start);
	} else {
		jump_back(e, IL_OP_BR, start);
	}
	if (out)
		ilgen_land(e, out);
	ilgen_land_all(e, n, false);
	return err;
}

struct dbg_error *ilgen_once(struct generator *e, const struct bound *n)
{
	struct dbg_error *err = ilgen_statement(e, n->b);
	ilgen_land_all(e, n, false);
	return err;
}

struct dbg_error *ilgen_jump(struct generator *e, const struct bound *n)
{
	jump_to(e, n->a, n->kind == BOUND_CONTINUE);
	return NULL;
}

struct dbg_error *ilgen_return(struct generator *e, const struct bound *n)
{
	struct dbg_error *err = NULL;
	if (n->a && e->returns) {
		err = ilgen_value(e, n->a);
		ilgen_var(e, IL_OP_STLOC, e->result);
	}
	jump_to(e, NULL, false);
	return err;
}

/* ---- Exceptions ------------------------------------------------------ */

static void add_clause(struct generator *e, struct type_eh clause)
{
	struct type_eh *more =
	    arena_calloc(e->b->arena, e->n_clauses + 1, sizeof(*more));
	if (e->n_clauses)
		memcpy(more, e->clauses, e->n_clauses * sizeof(*more));
	more[e->n_clauses++] = clause;
	e->clauses = more;
}

/* `when`: is it of the type, and is the condition true? */
static struct dbg_error *ilgen_filter(struct generator *e,
				      const struct bound *n)
{
	ilgen_type(e, IL_OP_ISINST, n->var->type);
	ilgen_set(e, n->var);
	ilgen_variable(e, n->var);
	size_t other = ilgen_branch(e, IL_OP_BRFALSE);
	uint32_t slot = ilgen_temporary(e, bind_prim(e->b, ELEM_I4));
	struct dbg_error *err = ilgen_value(e, n->a);
	ilgen_var(e, IL_OP_STLOC, slot);
	size_t end = ilgen_branch(e, IL_OP_BR);
	ilgen_land(e, other);
	ilgen_int(e, 0, false);
	ilgen_var(e, IL_OP_STLOC, slot);
	ilgen_land(e, end);
	ilgen_var(e, IL_OP_LDLOC, slot);
	ilgen_op(e, IL_OP_ENDFILTER);
	return err;
}

static struct dbg_error *ilgen_catch(struct generator *e, const struct bound *n,
				     struct type_eh clause)
{
	struct dbg_error *err = NULL;
	clause.flags = n->a ? 1 : 0;
	clause.filter = (uint32_t)e->code.len;
	clause.caught = n->var->type;
	if (n->a)
		err = ilgen_filter(e, n);
	clause.handler_start = (uint32_t)e->code.len;
	if (n->a)
		ilgen_op(e, IL_OP_POP);
	else
		ilgen_set(e, n->var);
	if (!err)
		err = ilgen_statement(e, n->b);
	jump_to(e, n, false);
	clause.handler_end = (uint32_t)e->code.len;
	add_clause(e, clause);
	return err;
}

struct dbg_error *ilgen_try(struct generator *e, const struct bound *n)
{
	struct type_eh clause = {.try_start = (uint32_t)e->code.len};
	struct dbg_error *err = ilgen_statement(e, n->a);
	jump_to(e, n, false);
	clause.try_end = (uint32_t)e->code.len;
	for (size_t i = 0; !err && i < n->n_list; i++) {
		err = ilgen_catch(e, n->list[i], clause);
		// behind the handler is behind the statement
		for (size_t k = 0; k < e->n_jumps; k++) {
			if (e->jumps[k].to == n->list[i])
				e->jumps[k].to = n;
		}
	}
	if (!err && n->b) {
		clause.try_end = (uint32_t)e->code.len;
		clause.flags = 2;
		clause.handler_start = (uint32_t)e->code.len;
		err = ilgen_statement(e, n->b);
		ilgen_op(e, IL_OP_ENDFINALLY);
		clause.handler_end = (uint32_t)e->code.len;
		add_clause(e, clause);
	}
	ilgen_land_all(e, n, false);
	return err;
}

/* ---- Methods and delegates ----------------------------------------------- */

/*
 * Methods and delegates: the expression is one method, each lambda in it
 * another, whose `this` is the closure with the variables that it captures.
 */

static struct dbg_error *ilgen_delegate_new(struct generator *e,
					    const struct bound *n)
{
	struct type_method *ctor =
	    type_method_named(e->b->ts, n->type, ".ctor", 2);
	if (!ctor)
		return dbg_err(DBG_E_RUNTIME, "'%s' is no delegate",
			       type_name(e->b->ts, n->type));
	ilgen_call(e, IL_OP_NEWOBJ, ctor);
	return NULL;
}

struct dbg_error *ilgen_delegate(struct generator *e, const struct bound *n)
{
	struct dbg_error *err = NULL;
	bool is_virtual =
	    n->a && !n->nonvirtual && (n->method->flags & TYPE_METHOD_VIRTUAL);
	if (n->a && !(n->method->flags & TYPE_METHOD_STATIC))
		err = ilgen_value(e, n->a);
	else
		ilgen_op(e, IL_OP_LDNULL);
	if (err)
		return err;
	if (is_virtual)
		ilgen_op(e, IL_OP_DUP);
	ilgen_call(e, is_virtual ? IL_OP_LDVIRTFTN : IL_OP_LDFTN, n->method);
	return ilgen_delegate_new(e, n);
}

static struct dbg_error *method_finish(struct generator *e, const char *name,
				       const struct type_sig *sig,
				       struct type_method **ret)
{
	struct arena *arena = e->b->e->arena;
	struct type **locals =
	    arena_calloc(arena, e->n_slots + 1, sizeof(*locals));
	for (size_t i = 0; i < e->n_slots; i++)
		locals[i] = e->slots[i].type;
	for (size_t i = 0; i < e->n_pool; i++)
		if (e->pool[i].kind == MADE_STRING)
			e->pool[i].units = arena_copy(
			    arena, e->pool[i].units, e->pool[i].n_units,
			    sizeof(*e->pool[i].units));
	const struct made_code code = {
	    .code = {arena_copy(arena, e->code.s, e->code.len, 1), e->code.len},
	    .locals = locals,
	    .n_locals = e->n_slots,
	    .clauses = arena_copy(arena, e->clauses, e->n_clauses,
				  sizeof(*e->clauses)),
	    .n_clauses = e->n_clauses,
	    .pool = arena_copy(arena, e->pool, e->n_pool, sizeof(*e->pool)),
	    .n_pool = e->n_pool};
	str_deinit(&e->code);
	*ret = made_create(arena, name, sig, &code);
	return NULL;
}

/*
 * Generate one method that returns the value of @body, by the signature @sig.
 */
static struct dbg_error *ilgen_body(struct binder *b,
				    const struct bound_lambda *lambda,
				    const struct bound *body,
				    const struct type_sig *sig,
				    struct type_method **ret)
{
	struct generator e = {.b = b, .lambda = lambda};
	struct dbg_error *err;
	bool value = body->kind != BOUND_THROW && body->type->elem != ELEM_VOID;
	e.returns = sig->ret->elem != ELEM_VOID;
	ilgen_prologue(&e);
	if (body->kind == BOUND_BLOCK) {
		if (e.returns)
			e.result = ilgen_temporary(&e, sig->ret);
		err = ilgen_statement(&e, body);
		ilgen_land_all(&e, NULL, false);
		if (e.returns)
			ilgen_var(&e, IL_OP_LDLOC, e.result);
	} else {
		err = ilgen_value(&e, body);
		if (value && !e.returns)
			ilgen_op(&e, IL_OP_POP);
	}
	ilgen_op(&e, IL_OP_RET);
	if (!err)
		return method_finish(&e, lambda ? "lambda" : "expression", sig,
				     ret);
	str_deinit(&e.code);
	return err;
}

static struct dbg_error *ilgen_closure(struct generator *e,
				       const struct bound_lambda *l)
{
	ilgen_int(e, (int64_t)l->n_captures, false);
	ilgen_type(e, IL_OP_NEWARR, bind_prim(e->b, ELEM_OBJECT));
	for (size_t i = 0; i < l->n_captures; i++) {
		ilgen_op(e, IL_OP_DUP);
		ilgen_int(e, (int64_t)i, false);
		ilgen_holder(e, l->captures[i]);
		ilgen_op(e, IL_OP_STELEM_REF);
	}
	return NULL;
}

struct dbg_error *ilgen_lambda(struct generator *e, const struct bound *n)
{
	const struct bound_lambda *l = n->lambda;
	struct binder *b = e->b;
	const struct type_sig *invoke;
	struct type_method *m;
	struct dbg_error *err =
	    type_method_sig(b->ts, type_method_invoke(b->ts, n->type), &invoke);
	if (err)
		return err;
	struct type_sig sig = {.ret = invoke->ret, .n_params = l->n_params + 1};
	sig.params =
	    arena_calloc(b->e->arena, sig.n_params, sizeof(*sig.params));
	sig.params[0] = bind_prim(b, ELEM_OBJECT);
	for (size_t i = 0; i < l->n_params; i++)
		sig.params[i + 1] = l->params[i]->type;
	err = ilgen_body(b, l, n->a, &sig, &m);
	if (!err)
		err = ilgen_closure(e, l);
	if (err)
		return err;
	ilgen_call(e, IL_OP_LDFTN, m);
	return ilgen_delegate_new(e, n);
}

struct dbg_error *ilgen_method(struct binder *b, struct bound *body,
			       struct type_method **ret)
{
	struct type_sig sig = {.ret = body->type};
	const struct frame_params *p = b->params;
	if (p) {
		sig.n_params = p->n + 1;
		sig.params = arena_calloc(b->e->arena, sig.n_params,
					  sizeof(*sig.params));
		sig.params[0] = bind_prim(b, ELEM_OBJECT);
	}
	for (size_t i = 0; p && i < p->n; i++)
		sig.params[i + 1] = p->vars[i]->type;
	return ilgen_body(b, NULL, body, &sig, ret);
}
