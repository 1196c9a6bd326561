/* IL of numbers: instructions by table of element type and operator. */
#include "base/err.h"
#include "eval/bind/generate_priv.h"

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

struct dbg_error *ilgen_number(struct generator *e, const struct bound *n)
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

struct dbg_error *ilgen_binary(struct generator *e, const struct bound *n)
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
