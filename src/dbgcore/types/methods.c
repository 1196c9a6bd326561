/*
 * The table of methods, one for each definition, declaring instance and
 * arguments, and what metadata says of them: name, signature, body, local
 * variables, clauses. Signatures and bodies are read at first use and kept.
 */
#include "types/methods.h"

#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "meta/csname.h"
#include "meta/il.h"
#include "types/types_priv.h"

enum {
	METHODS_MAX = 1 << 16,
	NAME_MAX_BYTES = 4096,
};

/* ---- Interning ------------------------------------------------------- */

static uint64_t hash_method(const struct type_method *m)
{
	uint64_t h = type_hash((uintptr_t)m->owner, m->token);
	h = type_hash(h, (uint64_t)m->array << 32 | (m->token ? 0 : m->rva));
	for (size_t i = 0; i < m->n_args; i++)
		h = type_hash(h, (uintptr_t)m->args[i]);
	return h;
}

static bool same_method(const struct type_method *a,
			const struct type_method *b)
{
	return a->owner == b->owner && a->token == b->token &&
	       a->array == b->array && a->n_args == b->n_args &&
	       (a->token || a->rva == b->rva) &&
	       (!a->n_args ||
		!memcmp(a->args, b->args, a->n_args * sizeof(a->args[0])));
}

struct type_method *type_method_intern(struct types *ts,
				       const struct type_method *proto)
{
	uint64_t hash = hash_method(proto);
	struct type_method *first = map_find(&ts->methods, hash);
	for (struct type_method *m = first; m; m = m->facts->next) {
		if (same_method(m, proto))
			return m;
	}
	struct type_method *m = arena_copy(ts->arena, proto, 1, sizeof(*proto));
	m->args = arena_copy(ts->arena, proto->args, proto->n_args,
			     sizeof(proto->args[0]));
	m->facts = arena_alloc(ts->arena, sizeof(*m->facts));
	m->facts->next = first;
	map_put(&ts->methods, hash, m);
	return m;
}

struct type_method *type_method_get(struct types *ts, struct type *owner,
				    uint32_t token, struct type *const *args,
				    size_t n_args)
{
	struct type *all[TYPE_ARGS_MAX];
	const struct md *md = &owner->module->md;
	uint32_t rid = MD_TOKEN_RID(token);
	struct type_method proto = {
	    .name = md_col_string(md, MD_METHODDEF, rid, METHOD_NAME),
	    .owner = owner,
	    .module = owner->module,
	    .token = token,
	    .flags = (uint16_t)md_col(md, MD_METHODDEF, rid, METHOD_FLAGS),
	    .impl_flags =
		(uint16_t)md_col(md, MD_METHODDEF, rid, METHOD_IMPL_FLAGS),
	    .rva = md_col(md, MD_METHODDEF, rid, METHOD_RVA),
	    .args = all,
	    // TypeOrMethodDef (II.24.2.6): tag 1 is MethodDef.
	    .n_args = type_generic_count(owner->module, rid << 1 | 1, NULL),
	};
	for (size_t i = 0; i < proto.n_args; i++)
		all[i] = n_args == proto.n_args
			     ? args[i]
			     : type_param(ts, true, (uint32_t)i);
	return type_method_intern(ts, &proto);
}

struct type_method *type_method_instance(struct types *ts,
					 const struct type_method *m,
					 struct type *const *args,
					 size_t n_args)
{
	return type_method_get(ts, m->owner, m->token, args, n_args);
}

/* ---- Lists ----------------------------------------------------------- */

void type_methods(struct types *ts, struct type *type,
		  struct type_method *const **ret, size_t *ret_n)
{
	struct type_facts *facts = type->facts;
	if (!facts->has_methods) {
		uint32_t first = 0, end = 0;
		if (type->module)
			md_type_methods(&type->module->md,
					MD_TOKEN_RID(type->token), &first,
					&end);
		size_t n =
		    end > first && end - first < METHODS_MAX ? end - first : 0;
		facts->methods =
		    arena_calloc(ts->arena, n + 1, sizeof(facts->methods[0]));
		for (size_t i = 0; i < n; i++) {
			uint32_t rid =
			    md_member(&type->module->md, MD_LIST_METHODS,
				      first + (uint32_t)i);
			facts->methods[i] = type_method_get(
			    ts, type, MD_TOKEN(MD_METHODDEF, rid), NULL, 0);
		}
		facts->n_methods = n;
		facts->has_methods = true;
	}
	*ret = facts->methods;
	*ret_n = facts->n_methods;
}

static uint32_t param_count(const struct type_method *m)
{
	struct reader r;
	struct bytes sig =
	    md_col_blob(&m->module->md, MD_METHODDEF, MD_TOKEN_RID(m->token),
			METHOD_SIGNATURE);
	reader_init(&r, sig.p, sig.n);
	if (reader_u8(&r) & 0x10)
		reader_cuint(&r);
	return reader_cuint(&r);
}

struct type_method *type_method_named(struct types *ts, struct type *type,
				      const char *name, int n_params)
{
	struct type_method *const *methods;
	size_t n;
	type_methods(ts, type, &methods, &n);
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(methods[i]->name, name) &&
		    (n_params < 0 ||
		     param_count(methods[i]) == (uint32_t)n_params))
			return methods[i];
	}
	return NULL;
}

struct type_method *type_method_cctor(struct types *ts, struct type *type)
{
	return type->module ? type_method_named(ts, type, ".cctor", 0) : NULL;
}

struct type_method *type_method_invoke(struct types *ts, struct type *type)
{
	return type->is_delegate ? type_method_named(ts, type, "Invoke", -1)
				 : NULL;
}

/* ---- Signatures ------------------------------------------------------ */

uint64_t *type_method_desc(struct type_method *m)
{
	return &m->facts->desc;
}

struct type_context type_method_context(const struct type_method *m)
{
	return (struct type_context){.module = m->module,
				     .class_args = m->owner->args,
				     .n_class_args = m->owner->n_args,
				     .method_args = m->args,
				     .n_method_args = m->n_args};
}

static struct dbg_error *array_sig(struct types *ts, struct type_method *m)
{
	struct type *type = m->owner;
	struct type *integer = type_of_elem(ts, ELEM_I4);
	struct type *none = type_of_elem(ts, ELEM_VOID);
	struct type_sig *sig = arena_alloc(ts->arena, sizeof(*sig));
	sig->has_this = true;
	sig->convention = 0x20;
	sig->n_params = m->rva;
	sig->params =
	    arena_calloc(ts->arena, sig->n_params + 1u, sizeof(sig->params[0]));
	for (size_t i = 0; i < sig->n_params; i++)
		sig->params[i] = integer;
	sig->ret = none;
	if (m->array == TYPE_ARRAY_GET)
		sig->ret = type->inner;
	else if (m->array == TYPE_ARRAY_ADDRESS)
		sig->ret = type_byref(ts, type->inner);
	else if (m->array == TYPE_ARRAY_SET)
		sig->params[sig->n_params - 1] = type->inner;
	m->facts->sig = sig;
	return NULL;
}

static struct dbg_error *read_sig(struct types *ts, struct type_method *m)
{
	struct sig_method *parsed;
	struct type_context ctx = type_method_context(m);
	struct arena *arena = arena_create();
	struct dbg_error *err = sig_parse_method(
	    md_col_blob(&m->module->md, MD_METHODDEF, MD_TOKEN_RID(m->token),
			METHOD_SIGNATURE),
	    arena, &parsed);
	if (!err)
		err = type_sig_make(ts, parsed, &ctx, &m->facts->sig);
	arena_destroy(arena);
	return err;
}

struct dbg_error *type_method_sig(struct types *ts, struct type_method *m,
				  const struct type_sig **ret)
{
	if (!m->facts->sig) {
		struct dbg_error *err =
		    m->token ? read_sig(ts, m) : array_sig(ts, m);
		if (err)
			return err;
	}
	*ret = m->facts->sig;
	return NULL;
}

struct dbg_error *type_sig_of_token(struct types *ts,
				    const struct type_context *ctx,
				    uint32_t token, const struct type_sig **ret)
{
	struct sig_method *parsed;
	struct arena *arena = arena_create();
	struct dbg_error *err =
	    sig_parse_method(md_col_blob(&ctx->module->md, MD_STANDALONESIG,
					 MD_TOKEN_RID(token), 0),
			     arena, &parsed);
	if (!err)
		err = type_sig_make(ts, parsed, ctx, ret);
	arena_destroy(arena);
	return err;
}

/* ---- Names, attributes ----------------------------------------------- */

static const char *make_name(struct types *ts, struct type_method *m)
{
	const char *types[TYPE_ARGS_MAX], *own[TYPE_ARGS_MAX];
	_cleanup_str_ struct str name = {0};
	if (!m->token)
		return arena_printf(ts->arena, "%s.%s", type_name(ts, m->owner),
				    m->name);
	struct type *type = m->owner;
	bool is_def = type_generic(ts, type) == type;
	for (size_t i = 0; i < type->n_args; i++)
		types[i] = type_name(ts, type->args[i]);
	bool open = m->n_args && m->args[0]->kind == TYPE_KIND_MVAR;
	for (size_t i = 0; i < m->n_args; i++)
		own[i] = type_name(ts, m->args[i]);
	struct csname_args args = {.type_args = types,
				   .n_type_args = is_def ? 0 : type->n_args,
				   .method_args = own,
				   .n_method_args = open ? 0 : m->n_args};
	csname_method(&m->module->md, m->token, true, &args, &name);
	return arena_strdup(ts->arena, str_get(&name));
}

const char *type_method_name(struct types *ts, struct type_method *m)
{
	if (!m->facts->name)
		m->facts->name = make_name(ts, m);
	return m->facts->name;
}

bool type_method_attribute(const struct type_method *m, const char *name,
			   struct bytes *ret_blob)
{
	return m->token &&
	       md_has_attribute(&m->module->md, m->token, name, ret_blob);
}

/* ---- Bodies ---------------------------------------------------------- */

static struct dbg_error *add_locals(struct types *ts, struct type_method *m,
				    uint32_t token, struct arena *arena,
				    struct type_method_body *body)
{
	struct sig_type **types;
	uint32_t n;
	struct type_context ctx = type_method_context(m);
	if (!token)
		return NULL;
	struct dbg_error *err =
	    sig_parse_locals(md_col_blob(&m->module->md, MD_STANDALONESIG,
					 MD_TOKEN_RID(token), 0),
			     arena, &types, &n);
	if (err)
		return err;
	body->locals = arena_calloc(ts->arena, n + 1u, sizeof(body->locals[0]));
	for (uint32_t i = 0; i < n && !err; i++)
		err = type_of_sig(ts, types[i], &ctx, &body->locals[i]);
	body->n_locals = n;
	return err;
}

static void add_clauses(struct types *ts, struct type_method *m,
			const struct il_body *raw,
			struct type_method_body *body)
{
	struct type_context ctx = type_method_context(m);
	body->n_clauses = raw->n_clauses;
	body->clauses = arena_calloc(ts->arena, raw->n_clauses + 1,
				     sizeof(body->clauses[0]));
	for (size_t i = 0; i < raw->n_clauses; i++) {
		const struct il_clause *c = &raw->clauses[i];
		struct type_eh *eh = &body->clauses[i];
		*eh = (struct type_eh){
		    .flags = c->flags,
		    .try_start = c->try_offset,
		    .try_end = c->try_offset + c->try_length,
		    .handler_start = c->handler_offset,
		    .handler_end = c->handler_offset + c->handler_length,
		    .filter = c->flags == 1 ? c->token_or_filter : 0,
		};
		// An exception of a type that is not loaded is never thrown.
		if (c->flags == 0 &&
		    dbg_err_drop(type_of_token(ts, &ctx, c->token_or_filter,
					       &eh->caught)))
			eh->caught = NULL;
	}
}

static struct dbg_error *read_body(struct types *ts, struct type_method *m,
				   struct arena *arena)
{
	struct il_body raw;
	struct dbg_error *err =
	    il_body_parse(code_il(m->module, m->rva), arena, &raw);
	if (err)
		return dbg_err_prefix(err, "%s", type_method_name(ts, m));
	struct type_method_body *body = arena_alloc(ts->arena, sizeof(*body));
	body->code = raw.code;
	body->max_stack = raw.max_stack;
	body->init_locals = raw.init_locals;
	err = add_locals(ts, m, raw.local_sig, arena, body);
	if (err)
		return err;
	add_clauses(ts, m, &raw, body);
	m->facts->body = body;
	return NULL;
}

struct dbg_error *type_method_body(struct types *ts, struct type_method *m,
				   const struct type_method_body **ret)
{
	if (!m->facts->body) {
		if (!m->token || !m->rva || (m->impl_flags & 3))
			return dbg_err(DBG_E_STATE, "%s has no IL",
				       type_method_name(ts, m));
		if (!m->module->pe.n_sections)
			return dbg_err(DBG_E_STATE,
				       "the file of '%s', which has the IL of "
				       "%s, cannot be read",
				       m->module->name,
				       type_method_name(ts, m));
		if (m->module->unknown_update)
			return dbg_err(
			    DBG_E_STATE,
			    "'%s' was changed by hot reload, and what %s does "
			    "now is not known: %s",
			    m->module->name, type_method_name(ts, m),
			    m->module->unknown_update);
		struct arena *arena = arena_create();
		struct dbg_error *err = read_body(ts, m, arena);
		arena_destroy(arena);
		if (err)
			return err;
	}
	*ret = m->facts->body;
	return NULL;
}

/* ---- Methods that only return a field -------------------------------- */

/* A value is of another type than its field without IL that converts it. */
static bool returns_as_is(struct types *ts, struct type_method *m,
			  struct type_field *f)
{
	const struct type_sig *sig;
	struct type *type;

	return !dbg_err_drop(type_method_sig(ts, m, &sig)) &&
	       !dbg_err_drop(type_field_type(ts, f, &type)) &&
	       (type == sig->ret || !sig->ret->is_value);
}

/* The token of the field that is loaded, and nothing else done; 0: more is. */
static uint32_t loaded_field(struct bytes code)
{
	struct il_insn insn;
	uint32_t token = 0;
	bool loads = false;

	for (uint32_t at = 0; il_decode(code, at, &insn) && insn.op;) {
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
			return 0;
		case IL_OP_LDFLD:
		case IL_OP_LDSFLD:
			if (token || (insn.op->code == IL_OP_LDFLD) != loads)
				return 0;
			token = (uint32_t)insn.value;
			continue;
		case IL_OP_RET:
			return token;
		default:
			return 0;
		}
	}
	return 0;
}

struct type_field *type_method_field(struct types *ts, struct type_method *m)
{
	enum {
		CODE_MAX = 16
	};
	const struct type_method_body *body;
	struct type_context context = type_method_context(m);
	struct type_field *f = NULL;

	if (!m->rva || dbg_err_drop(type_method_body(ts, m, &body)) ||
	    body->code.n > CODE_MAX)
		return NULL;

	uint32_t token = loaded_field(body->code);

	return token &&
		       !dbg_err_drop(
			   type_field_of_token(ts, &context, token, &f)) &&
		       returns_as_is(ts, m, f)
		   ? f
		   : NULL;
}
