/*
 * IL instructions as text, with the names that their tokens stand for, in the
 * form of ildasm.
 */
#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "meta/csname/csname_priv.h"
#include "meta/il.h"
#include "meta/md_priv.h"

enum {
	MAX_STRING = 200, /* UTF-16 units of a literal */
	MAX_CASES = 64,
};

struct member {
	uint32_t parent; /* type token, 0: none */
	const char *name;
	struct bytes sig;
	uint32_t context; /* what names the callee's parameters */
	struct csname_args args;
};

static void put_char(struct str *out, uint16_t unit)
{
	static const char plain[] = "\\\"\a\b\f\n\r\t\v";
	static const char letters[] = "\\\"abfnrtv";
	const char *at = unit && unit < 0x80 ? strchr(plain, unit) : NULL;

	if (at)
		str_addf(out, "\\%c", letters[at - plain]);
	else if (unit < 0x20 || unit == 0x7f || unit >= 0xd800)
		str_addf(out, "\\u%04x", unit);
	else
		str_add_utf16(out, &unit, 1);
}

static void put_literal(const struct md *md, uint32_t token, struct str *out)
{
	struct bytes text = md_user_string(md, MD_TOKEN_RID(token));
	struct reader r;

	reader_init(&r, text.p, text.n);
	str_addc(out, '"');
	for (int i = 0; reader_left(&r) && i < MAX_STRING; i++)
		put_char(out, reader_u16(&r));
	str_add(out, reader_left(&r) ? "\"..." : "\"");
}

static void find_method(const struct md *md, uint32_t rid, struct member *m)
{
	uint32_t type = md_method_type(md, rid);

	m->parent = type > 1 ? MD_TOKEN(MD_TYPEDEF, type) : 0;
	m->name = md_col_string(md, MD_METHODDEF, rid, 3);
	m->sig = md_col_blob(md, MD_METHODDEF, rid, 4);
	m->context = MD_TOKEN(MD_METHODDEF, rid);
}

static void find_field(const struct md *md, uint32_t rid, struct member *m)
{
	uint32_t type = md_field_type(md, rid);

	m->parent = type > 1 ? MD_TOKEN(MD_TYPEDEF, type) : 0;
	m->name = md_col_string(md, MD_FIELD, rid, 1);
	m->sig = md_col_blob(md, MD_FIELD, rid, 2);
	m->context = m->parent;
}

// Print the arguments of an instantiation in the caller's terms.
static const char *const *texts(struct namer *n, struct sig_type **types,
				uint32_t count)
{
	const char **list =
	    count ? arena_calloc(n->tmp, count, sizeof(*list)) : NULL;
	size_t total = 0;

	for (uint32_t i = 0; i < count; i++) {
		list[i] = total < CSNAME_MAX ? namer_sig_text(n, types[i]) : "";
		total += strlen(list[i]);
	}
	return list;
}

static void find_memberref(struct namer *n, uint32_t rid, struct member *m)
{
	struct sig_type *type;
	struct dbg_error *err;

	m->parent = md_memberref_parent(md_col(n->md, MD_MEMBERREF, rid, 0));
	if (MD_TOKEN_TABLE(m->parent) == MD_METHODDEF)
		find_method(n->md, MD_TOKEN_RID(m->parent), m);
	m->name = md_col_string(n->md, MD_MEMBERREF, rid, 1);
	m->sig = md_col_blob(n->md, MD_MEMBERREF, rid, 2);
	if (MD_TOKEN_TABLE(m->parent) == MD_MODULEREF)
		m->parent = 0;
	if (MD_TOKEN_TABLE(m->parent) == MD_TYPEDEF)
		m->context = m->parent;
	if (MD_TOKEN_TABLE(m->parent) != MD_TYPESPEC)
		return;
	err = sig_parse_type(
	    md_col_blob(n->md, MD_TYPESPEC, MD_TOKEN_RID(m->parent), 0), n->tmp,
	    &type);
	if (!err && type->elem == ELEM_GENERICINST) {
		m->args.type_args = texts(n, type->args, type->n_args);
		m->args.n_type_args = type->n_args;
	}
	dbg_error_destroy(err);
}

static bool find_member(struct namer *n, uint32_t token, struct member *m)
{
	uint32_t rid = MD_TOKEN_RID(token);

	switch (MD_TOKEN_TABLE(token)) {
	case MD_METHODDEF:
		find_method(n->md, rid, m);
		return true;
	case MD_FIELD:
		find_field(n->md, rid, m);
		return true;
	case MD_MEMBERREF:
		find_memberref(n, rid, m);
		return true;
	}
	return false;
}

// MethodSpec: a method with arguments for its parameters.
static bool find_any(struct namer *n, uint32_t token, struct member *m)
{
	uint32_t rid = MD_TOKEN_RID(token);
	struct sig_type **types;
	struct dbg_error *err;
	uint32_t count;

	if (MD_TOKEN_TABLE(token) != MD_METHODSPEC)
		return find_member(n, token, m);
	uint32_t method =
	    md_methoddef_or_ref(md_col(n->md, MD_METHODSPEC, rid, 0));
	if (!find_member(n, method, m))
		return false;
	err = sig_parse_methodspec(md_col_blob(n->md, MD_METHODSPEC, rid, 1),
				   n->tmp, &types, &count);
	if (!err) {
		m->args.method_args = texts(n, types, count);
		m->args.n_method_args = count;
	}
	dbg_error_destroy(err);
	return true;
}

static void put_qualified(struct namer *n, const struct member *m)
{
	namer_put(n, " ");
	if (m->parent) {
		namer_put_type(n, m->parent, false);
		namer_put(n, ".");
	}
	namer_put(n, m->name);
	namer_put_list(n, m->args.method_args, m->args.n_method_args);
}

static void put_field(struct namer *n, struct namer *callee,
		      const struct member *m)
{
	struct sig_type *type;
	struct dbg_error *err;

	err = sig_parse_field(m->sig, n->tmp, &type);
	if (err)
		namer_put(n, "?");
	else
		namer_put_sig(callee, type);
	dbg_error_destroy(err);
	put_qualified(n, m);
}

static void put_function(struct namer *n, struct namer *callee,
			 const struct member *m)
{
	struct sig_method *sig;
	struct dbg_error *err;

	err = sig_parse_method(m->sig, n->tmp, &sig);
	if (err) {
		dbg_error_destroy(err);
		namer_put(n, "?");
		put_qualified(n, m);
		return;
	}
	namer_put_sig(callee, sig->ret);
	put_qualified(n, m);
	namer_put(n, "(");
	for (uint32_t i = 0; i < sig->n_params && !namer_full(n); i++) {
		if (i)
			namer_put(n, ", ");
		namer_put_sig(callee, sig->params[i]);
	}
	namer_put(n, ")");
}

static void put_member(struct namer *n, const struct member *m)
{
	struct namer callee = *n;

	callee.context = m->context;
	callee.args = &m->args;
	if (m->sig.n && (m->sig.p[0] & 0x0f) == 0x06)
		put_field(n, &callee, m);
	else
		put_function(n, &callee, m);
}

static void put_calli(struct namer *n, uint32_t token)
{
	struct member m = {
	    .name = "*",
	    .sig = md_col_blob(n->md, MD_STANDALONESIG, MD_TOKEN_RID(token), 0),
	};

	put_function(n, n, &m);
}

static void put_token(const struct md *md, uint32_t method_token,
		      uint32_t token, struct str *out)
{
	struct member m = {.parent = 0};
	struct namer n;

	namer_init(&n, md, method_token, NULL, out);
	switch (MD_TOKEN_TABLE(token)) {
	case MD_TYPEDEF:
	case MD_TYPEREF:
	case MD_TYPESPEC:
		// A TypeDef is printed with its own parameters' names.
		namer_put_type(&n, token, true);
		break;
	case MD_STANDALONESIG:
		put_calli(&n, token);
		break;
	default:
		if (find_any(&n, token, &m))
			put_member(&n, &m);
		else
			str_addf(out, "0x%08x", token);
	}
	namer_deinit(&n);
}

static void put_switch(const struct il_insn *insn, struct str *out)
{
	struct reader r;

	reader_init(&r, insn->cases, (size_t)insn->n_cases * 4);
	str_addc(out, '(');
	for (uint32_t i = 0; i < insn->n_cases; i++) {
		if (i == MAX_CASES) {
			str_add(out, ", ...");
			break;
		}
		uint32_t target = insn->offset + insn->size + reader_u32(&r);
		str_addf(out, "%sIL_%04x", i ? ", " : "", target);
	}
	str_addc(out, ')');
}

void il_text(const struct md *md, uint32_t method_token,
	     const struct il_insn *insn, struct str *out)
{
	if (!insn->op) {
		str_add(out, "(not an opcode)");
		return;
	}
	str_add(out, insn->op->name);
	if (insn->op->operand != IL_NONE)
		str_addc(out, ' ');
	switch (insn->op->operand) {
	case IL_NONE:
		break;
	case IL_BR1:
	case IL_BR4:
		str_addf(out, "IL_%04x", (uint32_t)insn->value);
		break;
	case IL_R4:
		str_addf(out, "%.9g", insn->real);
		break;
	case IL_R8:
		str_addf(out, "%.17g", insn->real);
		break;
	case IL_SWITCH:
		put_switch(insn, out);
		break;
	case IL_TOKEN:
		if (!md)
			str_addf(out, "0x%08x", (uint32_t)insn->value);
		else if (insn->op->code == IL_OP_LDSTR)
			put_literal(md, (uint32_t)insn->value, out);
		else
			put_token(md, method_token, (uint32_t)insn->value, out);
		break;
	default:
		str_addf(out, "%" PRId64, insn->value);
	}
}
