/*
 * Methods by token (MethodDef, MemberRef, MethodSpec: II.22), by the runtime's
 * MethodDesc, and extension methods by name. A MemberRef does not name a row:
 * its name and signature are compared with the methods of the class and its
 * bases.
 */
#include "types/methodref.h"
#include "types/types_priv.h"

#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "meta/csname.h"
#include "meta/il.h"

/* ---- Methods as objects -------------------------------------------------- */

/*
 * The table of methods, one for each definition, declaring instance and
 * arguments, and what metadata says of them: name, signature, body, local
 * variables, clauses. Signatures and bodies are read at first use and kept.
 */

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
	const struct type_sig *sig = NULL;
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

/* ---- Methods by token (MethodDef, MemberRef, MethodSpec ------------------ */

enum {
	SIG_GENERIC = 0x10,
	ATTRIBUTE_PARENT = 0,
	ATTRIBUTE_TYPE = 1,
	ATTRIBUTE_BITS = 5, /* HasCustomAttribute (II.24.2.6): 0 MethodDef */
	ATTRIBUTE_TYPEDEF = 3,
};

/* ---- Signatures as they are written ---------------------------------- */

static bool same_sig_type(const struct md *a_md, const struct sig_type *a,
			  const struct md *b_md, const struct sig_type *b);

static bool same_name(const struct md *a_md, uint32_t a, const struct md *b_md,
		      uint32_t b)
{
	enum md_table ta = MD_TOKEN_TABLE(a), tb = MD_TOKEN_TABLE(b);
	uint32_t ra = MD_TOKEN_RID(a), rb = MD_TOKEN_RID(b);
	if ((ta != MD_TYPEDEF && ta != MD_TYPEREF) ||
	    (tb != MD_TYPEDEF && tb != MD_TYPEREF))
		return false;
	// Name and namespace are columns 1 and 2 of both tables.
	return !strcmp(md_col_string(a_md, ta, ra, TYPEDEF_NAME),
		       md_col_string(b_md, tb, rb, TYPEDEF_NAME)) &&
	       !strcmp(md_col_string(a_md, ta, ra, TYPEDEF_NAMESPACE),
		       md_col_string(b_md, tb, rb, TYPEDEF_NAMESPACE));
}

static bool same_sig_method(const struct md *a_md, const struct sig_method *a,
			    const struct md *b_md, const struct sig_method *b)
{
	if (a->n_params != b->n_params || a->n_generic != b->n_generic ||
	    (a->convention ^ b->convention) & 0x30 ||
	    !same_sig_type(a_md, a->ret, b_md, b->ret))
		return false;
	for (uint32_t i = 0; i < a->n_params; i++) {
		if (!same_sig_type(a_md, a->params[i], b_md, b->params[i]))
			return false;
	}
	return true;
}

/* The parser has capped the depth. */
static bool same_sig_type(const struct md *a_md, const struct sig_type *a,
			  const struct md *b_md, const struct sig_type *b)
{
	if (!a || !b || a->elem != b->elem || a->number != b->number ||
	    a->n_args != b->n_args)
		return a == b;
	if (a->method || b->method)
		return a->method && b->method &&
		       same_sig_method(a_md, a->method, b_md, b->method);
	if (a->token || b->token) {
		if (!same_name(a_md, a->token, b_md, b->token))
			return false;
	}
	for (uint32_t i = 0; i < a->n_args; i++) {
		if (!same_sig_type(a_md, a->args[i], b_md, b->args[i]))
			return false;
	}
	return !a->inner || same_sig_type(a_md, a->inner, b_md, b->inner);
}

/* ---- MemberRef ------------------------------------------------------- */

struct member {
	struct types *ts;
	const struct md *md; /* of the reference */
	const char *name;
	struct bytes blob;
	struct sig_method *sig;
	struct arena *arena;
};

static bool sig_fits(struct member *mb, const struct type_method *m)
{
	struct sig_method *sig;
	struct dbg_error *err = sig_parse_method(
	    md_col_blob(&m->module->md, MD_METHODDEF, MD_TOKEN_RID(m->token),
			METHOD_SIGNATURE),
	    mb->arena, &sig);
	return !dbg_err_drop(err) &&
	       same_sig_method(mb->md, mb->sig, &m->module->md, sig);
}

static struct type_method *find_member(struct member *mb, struct type *type)
{
	struct type_method *const *methods;
	size_t n;
	type_methods(mb->ts, type, &methods, &n);
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(methods[i]->name, mb->name) &&
		    sig_fits(mb, methods[i]))
			return methods[i];
	}
	return NULL;
}

static const struct {
	const char *name;
	enum type_array_op op;
} array_ops[] = {{"Get", TYPE_ARRAY_GET},
		 {"Set", TYPE_ARRAY_SET},
		 {"Address", TYPE_ARRAY_ADDRESS},
		 {".ctor", TYPE_ARRAY_NEW}};

struct type_method *type_method_of_array(struct types *ts, struct type *type,
					 enum type_array_op op)
{
	struct type_method proto = {.owner = type,
				    .array = op,
				    .rva = op == TYPE_ARRAY_SET ? type->rank + 1
								: type->rank};
	for (size_t i = 0; i < sizeof(array_ops) / sizeof(array_ops[0]); i++) {
		if (array_ops[i].op == op)
			proto.name = array_ops[i].name;
	}
	return type_method_intern(ts, &proto);
}

static struct type_method *array_method(struct types *ts, struct type *type,
					const struct member *mb)
{
	for (size_t i = 0; i < sizeof(array_ops) / sizeof(array_ops[0]); i++) {
		if (strcmp(array_ops[i].name, mb->name))
			continue;
		uint32_t n = mb->sig->n_params, rank = type->rank;
		bool good = array_ops[i].op == TYPE_ARRAY_SET ? n == rank + 1
			    : array_ops[i].op == TYPE_ARRAY_NEW
				? n == rank || n == 2 * rank
				: n == rank;
		// The number of parameters stands where others have an RVA.
		struct type_method proto = {.name = array_ops[i].name,
					    .owner = type,
					    .array = array_ops[i].op,
					    .rva = n};
		return good ? type_method_intern(ts, &proto) : NULL;
	}
	return NULL;
}

static struct dbg_error *member_search(struct member *mb, struct type *type,
				       struct type_method **ret)
{
	struct type *at = type;
	if (type->kind == TYPE_KIND_ARRAY) {
		*ret = array_method(mb->ts, type, mb);
		if (*ret)
			return NULL;
	}
	for (int i = 0; at && i < TYPE_BASES_MAX; i++) {
		*ret = find_member(mb, at);
		if (*ret)
			return NULL;
		struct dbg_error *err = type_parent(mb->ts, at, &at);
		if (err)
			return err;
	}
	return dbg_err(DBG_E_NOT_FOUND, "'%s' has no method '%s' as it is used",
		       type_name(mb->ts, type), mb->name);
}

static struct dbg_error *of_def(struct types *ts,
				const struct type_context *ctx, uint32_t token,
				struct type_method **ret)
{
	struct code_module *m = ctx->module;
	uint32_t rid = MD_TOKEN_RID(token);
	struct type *type = NULL;
	if (rid && rid <= md_rows(&m->md, MD_METHODDEF))
		type = type_def(
		    ts, m, MD_TOKEN(MD_TYPEDEF, md_method_type(&m->md, rid)));
	if (!type)
		return dbg_err(DBG_E_FORMAT,
			       "token 0x%08x of '%s' is no method", token,
			       m->name);
	if (type->n_args && type->n_args == ctx->n_class_args)
		type =
		    type_instance(ts, type, ctx->class_args, ctx->n_class_args);
	*ret = type_method_get(ts, type, token, NULL, 0);
	return NULL;
}

static struct dbg_error *of_ref(struct types *ts,
				const struct type_context *ctx, uint32_t token,
				struct type_method **ret)
{
	const struct md *md = &ctx->module->md;
	uint32_t rid = MD_TOKEN_RID(token);
	uint32_t parent = md_memberref_parent(
	    md_col(md, MD_MEMBERREF, rid, MEMBERREF_PARENT));
	if (MD_TOKEN_TABLE(parent) == MD_METHODDEF)
		return of_def(ts, ctx, parent, ret);
	struct type *type;
	struct member mb = {
	    .ts = ts,
	    .md = md,
	    .name = md_col_string(md, MD_MEMBERREF, rid, MEMBERREF_NAME),
	    .blob = md_col_blob(md, MD_MEMBERREF, rid, MEMBERREF_SIGNATURE),
	};
	struct dbg_error *err = type_of_token(ts, ctx, parent, &type);
	if (err)
		return err;
	mb.arena = arena_create();
	err = sig_parse_method(mb.blob, mb.arena, &mb.sig);
	if (!err)
		err = member_search(&mb, type, ret);
	arena_destroy(mb.arena);
	return err;
}

static struct dbg_error *of_spec(struct types *ts,
				 const struct type_context *ctx, uint32_t token,
				 struct type_method **ret)
{
	struct type *args[TYPE_ARGS_MAX];
	struct sig_type **types;
	struct type_method *m;
	uint32_t n = 0;
	const struct md *md = &ctx->module->md;
	uint32_t rid = MD_TOKEN_RID(token);
	struct dbg_error *err = type_method_of_token(
	    ts, ctx, md_methoddef_or_ref(md_col(md, MD_METHODSPEC, rid, 0)),
	    &m);
	if (err)
		return err;
	struct arena *arena = arena_create();
	err = sig_parse_methodspec(md_col_blob(md, MD_METHODSPEC, rid, 1),
				   arena, &types, &n);
	for (uint32_t i = 0; !err && i < n && i < TYPE_ARGS_MAX; i++)
		err = type_of_sig(ts, types[i], ctx, &args[i]);
	arena_destroy(arena);
	if (!err && (n != m->n_args || n > TYPE_ARGS_MAX))
		err = dbg_err(DBG_E_FORMAT,
			      "wrong number of generic arguments in '%s'",
			      ctx->module->name);
	if (!err)
		*ret = type_method_instance(ts, m, args, n);
	return err;
}

struct dbg_error *type_method_of_token(struct types *ts,
				       const struct type_context *ctx,
				       uint32_t token, struct type_method **ret)
{
	switch (MD_TOKEN_TABLE(token)) {
	case MD_METHODDEF:
		return of_def(ts, ctx, token, ret);
	case MD_MEMBERREF:
		return of_ref(ts, ctx, token, ret);
	case MD_METHODSPEC:
		// Its method is none: the metadata has no ring here.
		return of_spec(ts, ctx, token, ret);
	default:
		return dbg_err(DBG_E_FORMAT,
			       "token 0x%08x of '%s' is no method", token,
			       ctx->module->name);
	}
}

/* ---- MethodDesc ------------------------------------------------------ */

/* Generic arguments of the method itself. */
static bool read_desc_args(struct types *ts, uint64_t desc, size_t n,
			   struct type **ret)
{
	uint64_t args[TYPE_ARGS_MAX];
	if (!ts->dac || n > TYPE_ARGS_MAX ||
	    dac_method_args(ts->dac, desc, args, n) != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		ret[i] = type_of_mt(ts, args[i]);
		if (!ret[i])
			return false;
	}
	return true;
}

/* The base of @exact, or it, that is an instance of @type's definition. */
static struct type *exact_owner(struct types *ts, struct type *type,
				struct type *exact)
{
	struct type *found = NULL;
	if (!exact || !type->n_args ||
	    dbg_err_drop(type_as(ts, exact, type, &found)) || !found)
		return type;
	return found;
}

struct dbg_error *type_method_of_desc(struct types *ts, uint64_t desc,
				      struct type *exact,
				      struct type_method **ret)
{
	struct type *args[TYPE_ARGS_MAX];
	struct dac_method dm;
	if (!ts->dac)
		return dbg_err(
		    DBG_E_NOT_FOUND,
		    "no runtime is there that has a method at 0x%llx",
		    (unsigned long long)desc);
	struct dbg_error *err = dac_method_get(ts->dac, desc, &dm);
	if (err)
		return err;
	struct type *owner = type_of_mt(ts, dm.type);
	if (dm.dynamic)
		return dbg_err(DBG_E_UNSUPPORTED,
			       "it calls code that the program has made at run "
			       "time, whose IL is in no file");
	if (!owner || !owner->module)
		return dbg_err(DBG_E_NOT_FOUND,
			       "the method at 0x%llx has no metadata",
			       (unsigned long long)desc);
	owner = exact_owner(ts, owner, exact);
	struct type_method *m = type_method_get(ts, owner, dm.token, NULL, 0);
	if (m->n_args && read_desc_args(ts, desc, m->n_args, args))
		m = type_method_instance(ts, m, args, m->n_args);
	*ret = m;
	return NULL;
}

/* ---- Extension methods ----------------------------------------------- */

static bool is_extension_ctor(const struct md *md, uint32_t token)
{
	uint32_t rid = MD_TOKEN_RID(token), type;
	if (MD_TOKEN_TABLE(token) == MD_MEMBERREF)
		type = md_memberref_parent(
		    md_col(md, MD_MEMBERREF, rid, MEMBERREF_PARENT));
	else
		type = MD_TOKEN(MD_TYPEDEF, md_method_type(md, rid));
	enum md_table table = MD_TOKEN_TABLE(type);
	return (table == MD_TYPEDEF || table == MD_TYPEREF) &&
	       !strcmp(
		   md_col_string(md, table, MD_TOKEN_RID(type), TYPEDEF_NAME),
		   "ExtensionAttribute");
}

static struct type_extension *add_extension(struct types *ts,
					    struct type_module *im,
					    uint32_t rid, uint32_t marker)
{
	struct type_extension *e = arena_alloc(ts->arena, sizeof(*e));
	e->name = md_col_string(&im->m->md, MD_METHODDEF, rid, METHOD_NAME);
	e->module = im;
	e->method = rid;
	e->marker = marker;
	uint64_t hash = str_hash(e->name, strlen(e->name));
	e->next = map_find(&ts->extensions, hash);
	map_put(&ts->extensions, hash, e);
	return e;
}

static bool is_added(struct types *ts, const struct type_module *im,
		     const char *name, uint32_t rid)
{
	struct type_extension *e =
	    map_find(&ts->extensions, str_hash(name, strlen(name)));
	while (e && (e->module != im || e->method != rid))
		e = e->next;
	return e;
}

/* The method "<Extension>$" of a type in the block @rid; 0: there is none. */
static uint32_t marker_of(const struct md *md, uint32_t rid)
{
	for (uint32_t t = rid + 1; t <= md_rows(md, MD_TYPEDEF); t++) {
		uint32_t found = md_enclosing(md, t) == rid
				     ? md_method_named(md, t, "<Extension>$")
				     : 0;
		if (found)
			return found;
	}
	return 0;
}

/*
 * Are both rows the same method? In a generic block only names are compared,
 * since the signatures number their type parameters differently.
 */
static bool is_same_method(const struct md *md, uint32_t a, uint32_t b,
			   bool generic)
{
	struct bytes x = md_col_blob(md, MD_METHODDEF, a, METHOD_SIGNATURE);
	struct bytes y = md_col_blob(md, MD_METHODDEF, b, METHOD_SIGNATURE);
	return (generic || (x.n == y.n && !memcmp(x.p, y.p, x.n))) &&
	       !strcmp(md_col_string(md, MD_METHODDEF, a, METHOD_NAME),
		       md_col_string(md, MD_METHODDEF, b, METHOD_NAME));
}

/*
 * The static members, without operators, of an extension block: what @rid, the
 * block, declares is in the class too, where the parameters of a generic block
 * are the method's first.
 */
static void add_statics(struct types *ts, struct type_module *im, uint32_t rid,
			uint32_t class)
{
	const struct md *md = &im->m->md;
	uint32_t first, end, from, to;
	uint32_t marker = marker_of(md, rid);
	bool generic =
	    strchr(md_col_string(md, MD_TYPEDEF, rid, TYPEDEF_NAME), '`');
	md_type_methods(md, rid, &first, &end);
	for (; marker && first < end; first++) {
		uint32_t own = md_member(md, MD_LIST_METHODS, first);
		if (!(md_col(md, MD_METHODDEF, own, METHOD_FLAGS) &
		      TYPE_METHOD_STATIC) ||
		    str_starts(
			md_col_string(md, MD_METHODDEF, own, METHOD_NAME),
			"op_"))
			continue;
		md_type_methods(md, class, &from, &to);
		for (; from < to; from++) {
			uint32_t of = md_member(md, MD_LIST_METHODS, from);
			if (is_same_method(md, own, of, generic))
				add_extension(ts, im, of, marker)->declared =
				    generic ? own : 0;
		}
	}
}

/*
 * The type @rid stands for an extension block (C# 14) of the class around it,
 * which has the getters of its properties and its operators; its methods have
 * the attribute themselves. @seen: classes that blocks seen before stand for.
 */
static void add_block(struct types *ts, struct type_module *im, uint32_t rid,
		      bool *seen)
{
	const struct md *md = &im->m->md;
	uint32_t class = md_enclosing(md, rid), first, end;
	if (!class || class > md_rows(md, MD_TYPEDEF))
		return;
	add_statics(ts, im, rid, class);
	if (seen[class])
		return;
	seen[class] = true;
	md_type_methods(md, class, &first, &end);
	for (; first < end; first++) {
		uint32_t own = md_member(md, MD_LIST_METHODS, first);
		const char *name =
		    md_col_string(md, MD_METHODDEF, own, METHOD_NAME);
		if ((str_starts(name, "get_") || str_starts(name, "op_")) &&
		    !is_added(ts, im, name, own))
			add_extension(ts, im, own, 0);
	}
}

static void read_extensions(struct types *ts, struct type_module *im)
{
	const struct md *md = &im->m->md;
	uint32_t ctor = 0; // the last one seen that is the attribute's
	_cleanup_free_ bool *seen =
	    xcalloc(md_rows(md, MD_TYPEDEF) + 1, sizeof(*seen));
	im->extensions_read = true;
	for (uint32_t row = 1; row <= md_rows(md, MD_CUSTOMATTRIBUTE); row++) {
		uint32_t parent =
		    md_col(md, MD_CUSTOMATTRIBUTE, row, ATTRIBUTE_PARENT);
		uint32_t of = parent & ((1 << ATTRIBUTE_BITS) - 1);
		if (of && of != ATTRIBUTE_TYPEDEF)
			continue;
		uint32_t type =
		    md_col(md, MD_CUSTOMATTRIBUTE, row, ATTRIBUTE_TYPE);
		if (type != ctor &&
		    !is_extension_ctor(md, md_custom_attribute_type(type)))
			continue;
		ctor = type;
		if (of)
			add_block(ts, im, parent >> ATTRIBUTE_BITS, seen);
		else
			add_extension(ts, im, parent >> ATTRIBUTE_BITS, 0);
	}
}

static void need_extensions(struct types *ts, struct code_module *m)
{
	struct type_module *im = type_module_get(ts, m);
	if (!im->extensions_read)
		read_extensions(ts, im);
}

static void unloaded_extensions(void *arg, struct code_module *m)
{
	need_extensions(arg, m);
}

/* The first extension of this name in the loaded modules; the rest follow. */
static struct type_extension *extensions_named(struct types *ts,
					       const char *name)
{
	size_t n;
	struct code_module *const *modules = code_modules(ts->code, &n);
	for (size_t i = 0; i < n; i++)
		need_extensions(ts, modules[i]);
	code_each_unloaded(ts->code, NULL, unloaded_extensions, ts);
	return map_find(&ts->extensions, str_hash(name, strlen(name)));
}

/* The method @rid of a module; NULL: its type is not known. */
static struct type_method *method_of_row(struct types *ts,
					 struct code_module *m, uint32_t rid)
{
	struct type *type =
	    type_def(ts, m, MD_TOKEN(MD_TYPEDEF, md_method_type(&m->md, rid)));
	return type ? type_method_get(ts, type, MD_TOKEN(MD_METHODDEF, rid),
				      NULL, 0)
		    : NULL;
}

void type_extension_each(struct types *ts, const char *name, type_method_fn *fn,
			 void *arg)
{
	struct type_extension *e = extensions_named(ts, name);
	for (; e; e = e->next) {
		if (e->marker || strcmp(e->name, name))
			continue;
		struct type_method *m =
		    method_of_row(ts, e->module->m, e->method);
		if (m && !fn(arg, m))
			return;
	}
}

enum {
	BLOCK_PARAMS_MAX = 8
};

/* The arguments by which @open, of a block's parameters, is @type. */
static bool match(struct types *ts, struct type *open, struct type *type,
		  struct type **args)
{
	if (!open->open)
		return open == type;
	if (open->kind == TYPE_KIND_VAR) {
		if (open->number >= BLOCK_PARAMS_MAX ||
		    (args[open->number] && args[open->number] != type))
			return false;
		args[open->number] = type;
		return true;
	}
	if (open->kind != type->kind || open->elem != type->elem ||
	    open->rank != type->rank || open->n_args != type->n_args ||
	    !open->inner != !type->inner ||
	    (open->n_args && type_generic(ts, open) != type_generic(ts, type)))
		return false;
	for (size_t i = 0; i < open->n_args; i++) {
		if (!match(ts, open->args[i], type->args[i], args))
			return false;
	}
	return !open->inner || match(ts, open->inner, type->inner, args);
}

/*
 * @m of an extension class, whose first type parameters are the block's: these
 * are @args; NULL if it is not what @declared declares in the block.
 */
static struct type_method *static_instance(struct types *ts,
					   struct type_method *m,
					   struct type_method *declared,
					   struct type **args)
{
	const struct type_sig *a = NULL, *b = NULL;
	uint32_t n = 0;
	while (n < BLOCK_PARAMS_MAX && args[n])
		n++;
	if (dbg_err_drop(type_method_sig(ts, declared, &a)) ||
	    n + a->n_generic > BLOCK_PARAMS_MAX)
		return NULL;
	const struct type_context ctx = {.class_args = args,
					 .n_class_args = n,
					 .method_args = args + n,
					 .n_method_args = a->n_generic};
	for (uint32_t i = n; i < n + a->n_generic; i++)
		args[i] = type_param(ts, true, i);
	m = type_method_instance(ts, m, args, n + a->n_generic);
	if (dbg_err_drop(type_method_sig(ts, m, &b)) ||
	    a->n_params != b->n_params || n + a->n_generic != b->n_generic ||
	    type_subst(ts, a->ret, &ctx) != b->ret)
		return NULL;
	for (uint32_t i = 0; i < a->n_params; i++) {
		if (type_subst(ts, a->params[i], &ctx) != b->params[i])
			return NULL;
	}
	return m;
}

/* The static method @e of @type; NULL: it is of another. */
static struct type_method *
static_of(struct types *ts, const struct type_extension *e, struct type *type)
{
	struct type *args[BLOCK_PARAMS_MAX] = {0};
	const struct type_sig *sig = NULL;
	struct code_module *module = e->module->m;
	struct type_method *m = method_of_row(ts, module, e->method);
	struct type_method *marker = method_of_row(ts, module, e->marker);
	if (!m || !marker || dbg_err_drop(type_method_sig(ts, marker, &sig)) ||
	    sig->n_params != 1 || !match(ts, sig->params[0], type, args))
		return NULL;
	if (!e->declared)
		return m;
	struct type_method *declared = method_of_row(ts, module, e->declared);
	return declared ? static_instance(ts, m, declared, args) : NULL;
}

void type_static_extension_each(struct types *ts, const char *name,
				struct type *type, type_method_fn *fn,
				void *arg)
{
	struct type_extension *e = extensions_named(ts, name);
	for (; e; e = e->next) {
		struct type_method *m = e->marker && !strcmp(e->name, name)
					    ? static_of(ts, e, type)
					    : NULL;
		if (m && !fn(arg, m))
			return;
	}
}
