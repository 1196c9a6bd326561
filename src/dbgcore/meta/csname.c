/*
 * C# names of types. Whatever the source (a token, a signature, the DAC's
 * text), a type is brought to its metadata name and the printed names of its
 * arguments; namer_put_instance makes the C# form of these.
 */
#include "meta/csname.h"
#include "meta/csname/csname_priv.h"
#include "meta/il.h"
#include "meta/md_priv.h"

#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

/* ---- C# names of types --------------------------------------------------- */

enum {
	MAX_NESTING = 32,
	MAX_ARITY = 1024,
};

static const struct {
	const char *name, *keyword;
	enum elem elem;
} keywords[] = {
    {"System.Boolean", "bool", ELEM_BOOLEAN},
    {"System.Byte", "byte", ELEM_U1},
    {"System.Char", "char", ELEM_CHAR},
    {"System.Decimal", "decimal", ELEM_END},
    {"System.Double", "double", ELEM_R8},
    {"System.Int16", "short", ELEM_I2},
    {"System.Int32", "int", ELEM_I4},
    {"System.Int64", "long", ELEM_I8},
    {"System.IntPtr", "nint", ELEM_I},
    {"System.Object", "object", ELEM_OBJECT},
    {"System.SByte", "sbyte", ELEM_I1},
    {"System.Single", "float", ELEM_R4},
    {"System.String", "string", ELEM_STRING},
    {"System.UInt16", "ushort", ELEM_U2},
    {"System.UInt32", "uint", ELEM_U4},
    {"System.UInt64", "ulong", ELEM_U8},
    {"System.UIntPtr", "nuint", ELEM_U},
    {"System.Void", "void", ELEM_VOID},
    {NULL, "System.TypedReference", ELEM_TYPEDBYREF},
};

enum {
	N_KEYWORDS = sizeof(keywords) / sizeof(keywords[0])
};

const char *csname_keyword(const char *full_name)
{
	if (strncmp(full_name, "System.", 7))
		return NULL;
	for (size_t i = 0; i < N_KEYWORDS; i++)
		if (keywords[i].name && !strcmp(keywords[i].name, full_name))
			return keywords[i].keyword;
	return NULL;
}

const char *csname_of_keyword(const char *keyword)
{
	for (size_t i = 0; i < N_KEYWORDS; i++)
		if (!strcmp(keywords[i].keyword, keyword))
			return keywords[i].name;
	return NULL;
}

static const char *elem_keyword(enum elem elem)
{
	for (size_t i = 0; i < N_KEYWORDS; i++)
		if (keywords[i].elem == elem && elem != ELEM_END)
			return keywords[i].keyword;
	return NULL;
}

void namer_init(struct namer *n, const struct md *md, uint32_t context,
		const struct csname_args *args, struct str *out)
{
	static const struct csname_args none = {NULL, 0, NULL, 0};

	n->md = md;
	n->context = context;
	n->args = args ? args : &none;
	n->tmp = arena_create();
	n->out = out;
	n->limit = out->len + CSNAME_MAX;
	// "" rather than nothing, for whoever takes the string.
	str_add(out, "");
}

void namer_deinit(struct namer *n)
{
	arena_destroy(n->tmp);
}

bool namer_full(const struct namer *n)
{
	return n->out->len >= n->limit;
}

void namer_putn(struct namer *n, const char *text, size_t len)
{
	if (namer_full(n))
		return;
	size_t left = n->limit - n->out->len;
	str_addn(n->out, text, len < left ? len : left);
}

void namer_put(struct namer *n, const char *text)
{
	namer_putn(n, text, strnlen(text, CSNAME_MAX));
}

// The arity of "Name`2", and the length of "Name".
static size_t split_arity(const char *name, size_t len, size_t *ret_len)
{
	size_t arity = 0, tick = len;

	*ret_len = len;
	while (tick && name[tick - 1] >= '0' && name[tick - 1] <= '9')
		tick--;
	if (tick == len || !tick || name[tick - 1] != '`')
		return 0;
	for (size_t i = tick; i < len && arity <= MAX_ARITY; i++)
		arity = arity * 10 + (size_t)(name[i] - '0');
	if (arity > MAX_ARITY)
		return 0;
	*ret_len = tick - 1;
	return arity;
}

void namer_put_list(struct namer *n, const char *const *args, size_t n_args)
{
	if (!n_args)
		return;
	namer_put(n, "<");
	for (size_t i = 0; i < n_args && !namer_full(n); i++) {
		if (i)
			namer_put(n, ", ");
		namer_put(n, args[i]);
	}
	namer_put(n, ">");
}

// "<>", "<,>" as in typeof(Dictionary<,>).
static void put_open(struct namer *n, size_t arity)
{
	namer_put(n, "<");
	for (size_t i = 1; i < arity; i++)
		namer_put(n, ",");
	namer_put(n, ">");
}

// The eighth part of a long tuple is a tuple of the rest.
static void put_tuple(struct namer *n, const char *const *args, size_t n_args)
{
	static const char single[] = "System.ValueTuple<";
	const char *rest = n_args == 8 ? args[7] : NULL;

	namer_put(n, "(");
	for (size_t i = 0; i < n_args - !!rest; i++) {
		if (i)
			namer_put(n, ", ");
		namer_put(n, args[i]);
	}
	if (rest) {
		size_t len = strlen(rest);

		namer_put(n, ", ");
		if (rest[0] == '(' && rest[len - 1] == ')')
			namer_putn(n, rest + 1, len - 2);
		else if (str_starts(rest, single) && rest[len - 1] == '>')
			namer_putn(n, rest + sizeof(single) - 1,
				   len - sizeof(single));
		else
			namer_put(n, rest);
	}
	namer_put(n, ")");
}

static bool put_sugar(struct namer *n, const char *full,
		      const char *const *args, size_t n_args)
{
	size_t len;

	if (!n_args || strncmp(full, "System.", 7))
		return false;
	if (n_args == 1 && !strcmp(full, "System.Nullable`1")) {
		namer_put(n, args[0]);
		namer_put(n, "?");
		return true;
	}
	if (n_args < 2 || n_args > 8 ||
	    !str_starts(full, "System.ValueTuple`") ||
	    split_arity(full, strlen(full), &len) != n_args)
		return false;
	put_tuple(n, args, n_args);
	return true;
}

// Put the namespace of a file-local type, skip what stands before its name.
static const char *put_space(struct namer *n, const char *full)
{
	size_t open = strcspn(full, "<+");
	size_t skip = csname_file_prefix(full + open);

	if (!skip)
		return full;
	namer_putn(n, full, open);
	return full + open + skip;
}

void namer_put_instance(struct namer *n, const char *full,
			const char *const *args, size_t n_args, bool sugar)
{
	const char *keyword = n_args ? NULL : csname_keyword(full);
	size_t left = n_args, len;

	if (keyword)
		namer_put(n, keyword);
	if (keyword || (sugar && put_sugar(n, full, args, n_args)))
		return;
	while (!namer_full(n)) {
		full = put_space(n, full);
		size_t part = strcspn(full, "+");
		size_t arity = split_arity(full, part, &len);

		namer_putn(n, full, len);
		if (arity > left) {
			put_open(n, arity);
		} else if (arity) {
			namer_put_list(n, args, arity);
			args += arity;
			left -= arity;
		}
		full += part;
		if (!*full)
			break;
		full++;
		namer_put(n, ".");
	}
	// Parameters that no part of the name tells of.
	namer_put_list(n, args, left);
}

uint32_t csname_n_generic(const struct md *md, uint32_t owner)
{
	uint32_t n;

	md_find(md, MD_GENERICPARAM, 2, md_encode(MD_TYPE_OR_METHODDEF, owner),
		&n);
	return n < MAX_ARITY ? n : MAX_ARITY;
}

const char *csname_generic(const struct md *md, uint32_t owner, uint32_t number)
{
	uint32_t n;
	uint32_t first = md_find(md, MD_GENERICPARAM, 2,
				 md_encode(MD_TYPE_OR_METHODDEF, owner), &n);

	for (uint32_t rid = first; first && rid < first + n; rid++)
		if (md_col(md, MD_GENERICPARAM, rid, 0) == number)
			return md_col_string(md, MD_GENERICPARAM, rid, 3);
	return NULL;
}

static uint32_t enclosing(const struct md *md, uint32_t token)
{
	uint32_t rid = MD_TOKEN_RID(token);

	if (MD_TOKEN_TABLE(token) == MD_TYPEDEF) {
		uint32_t outer = md_enclosing(md, rid);

		return outer ? MD_TOKEN(MD_TYPEDEF, outer) : 0;
	}
	uint32_t scope = md_resolution_scope(md_col(md, MD_TYPEREF, rid, 0));
	return MD_TOKEN_TABLE(scope) == MD_TYPEREF ? scope : 0;
}

static void put_metadata(struct namer *n, uint32_t token)
{
	uint32_t chain[MAX_NESTING];
	size_t depth = 0;

	for (; token && depth < MAX_NESTING; token = enclosing(n->md, token))
		chain[depth++] = token;
	for (size_t i = depth; i--;) {
		enum md_table table = MD_TOKEN_TABLE(chain[i]);
		uint32_t rid = MD_TOKEN_RID(chain[i]);
		const char *space = md_col_string(n->md, table, rid, 2);

		if (i + 1 < depth) {
			namer_put(n, "+");
		} else if (*space) {
			namer_put(n, space);
			namer_put(n, ".");
		}
		namer_put(n, md_col_string(n->md, table, rid, 1));
	}
}

static bool is_named_type(uint32_t token)
{
	return MD_TOKEN_TABLE(token) == MD_TYPEDEF ||
	       MD_TOKEN_TABLE(token) == MD_TYPEREF;
}

// Metadata name of a TypeDef or TypeRef, in n->tmp.
static const char *metadata_text(struct namer *n, uint32_t token)
{
	_cleanup_str_ struct str text = {NULL, 0, 0};
	struct namer sub = *n;

	sub.out = &text;
	sub.limit = CSNAME_MAX;
	put_metadata(&sub, token);
	return arena_strdup(n->tmp, str_get(&text));
}

// The texts printed for the generic parameters of a TypeDef.
static const char **type_args(struct namer *n, uint32_t token, size_t count)
{
	const char **list =
	    count ? arena_calloc(n->tmp, count, sizeof(*list)) : NULL;

	for (size_t i = 0; i < count; i++) {
		if (i < n->args->n_type_args) {
			list[i] = n->args->type_args[i];
			continue;
		}
		const char *name = csname_generic(n->md, token, (uint32_t)i);
		list[i] = name ? name : "?";
	}
	return list;
}

void namer_put_type(struct namer *n, uint32_t token, bool sugar)
{
	struct sig_type *type;
	struct dbg_error *err;

	if (MD_TOKEN_TABLE(token) == MD_TYPESPEC) {
		err = sig_parse_type(
		    md_col_blob(n->md, MD_TYPESPEC, MD_TOKEN_RID(token), 0),
		    n->tmp, &type);
		if (!err)
			namer_put_sig(n, type);
		else
			namer_put(n, "?");
		dbg_error_destroy(err);
		return;
	}
	if (!is_named_type(token)) {
		namer_put(n, "?");
		return;
	}
	size_t count = MD_TOKEN_TABLE(token) == MD_TYPEDEF
			   ? csname_n_generic(n->md, token)
			   : 0;
	namer_put_instance(n, metadata_text(n, token),
			   type_args(n, token, count), count, sugar);
}

/* Text of a type of a signature, in n->tmp. */
static const char *namer_sig_text(struct namer *n, const struct sig_type *type)
{
	_cleanup_str_ struct str text = {NULL, 0, 0};
	struct namer sub = *n;

	sub.out = &text;
	sub.limit = CSNAME_MAX;
	namer_put_sig(&sub, type);
	return arena_strdup(n->tmp, str_get(&text));
}

static void put_sig_instance(struct namer *n, const struct sig_type *t)
{
	const char **args =
	    t->n_args ? arena_calloc(n->tmp, t->n_args, sizeof(*args)) : NULL;
	size_t total = 0;

	for (uint32_t i = 0; i < t->n_args; i++) {
		// Past the limit nothing of it would be printed.
		args[i] =
		    total < CSNAME_MAX ? namer_sig_text(n, t->args[i]) : "";
		total += strlen(args[i]);
	}
	const char *full =
	    is_named_type(t->token) ? metadata_text(n, t->token) : "?";
	namer_put_instance(n, full, args, t->n_args, true);
}

// The class of the context, whose parameters VAR counts.
static uint32_t context_type(const struct namer *n)
{
	if (MD_TOKEN_TABLE(n->context) != MD_METHODDEF)
		return n->context;
	return MD_TOKEN(MD_TYPEDEF,
			md_method_type(n->md, MD_TOKEN_RID(n->context)));
}

static void put_variable(struct namer *n, const struct sig_type *t)
{
	bool method = t->elem == ELEM_MVAR;
	const char *const *given =
	    method ? n->args->method_args : n->args->type_args;
	size_t n_given = method ? n->args->n_method_args : n->args->n_type_args;

	if (t->number < n_given) {
		namer_put(n, given[t->number]);
		return;
	}
	uint32_t owner = method ? n->context : context_type(n);
	const char *name =
	    n->context ? csname_generic(n->md, owner, t->number) : NULL;
	if (name && *name)
		namer_put(n, name);
	else if (!namer_full(n))
		str_addf(n->out, "%c%u", method ? 'M' : 'T', t->number);
}

static void put_fnptr(struct namer *n, const struct sig_method *m)
{
	namer_put(n, "delegate*");
	if (m->convention & 0x0f)
		namer_put(n, " unmanaged");
	namer_put(n, "<");
	for (uint32_t i = 0; i < m->n_params && !namer_full(n); i++) {
		namer_put_sig(n, m->params[i]);
		namer_put(n, ", ");
	}
	namer_put_sig(n, m->ret);
	namer_put(n, ">");
}

static bool is_array(const struct sig_type *t)
{
	return t->elem == ELEM_SZARRAY || t->elem == ELEM_ARRAY;
}

// C# writes the outermost rank first: int[][,] is an array of int[,].
static void put_array(struct namer *n, const struct sig_type *t)
{
	const struct sig_type *base = t;

	while (is_array(base))
		base = base->inner;
	namer_put_sig(n, base);
	for (; is_array(t); t = t->inner) {
		namer_put(n, "[");
		for (uint32_t i = 1; t->elem == ELEM_ARRAY && i < t->number;
		     i++)
			namer_put(n, ",");
		namer_put(n, "]");
	}
}

void namer_put_sig(struct namer *n, const struct sig_type *t)
{
	const char *keyword = elem_keyword(t->elem);

	if (keyword) {
		namer_put(n, keyword);
		return;
	}
	switch (t->elem) {
	case ELEM_BYREF:
		namer_put(n, "ref ");
		namer_put_sig(n, t->inner);
		break;
	case ELEM_PTR:
		namer_put_sig(n, t->inner);
		namer_put(n, "*");
		break;
	case ELEM_SZARRAY:
	case ELEM_ARRAY:
		put_array(n, t);
		break;
	case ELEM_CLASS:
	case ELEM_VALUETYPE:
	case ELEM_GENERICINST:
		put_sig_instance(n, t);
		break;
	case ELEM_VAR:
	case ELEM_MVAR:
		put_variable(n, t);
		break;
	case ELEM_FNPTR:
		put_fnptr(n, t->method);
		break;
	default:
		namer_put(n, "?");
	}
}

void csname_type(const struct md *md, uint32_t token,
		 const struct csname_args *args, struct str *out)
{
	struct namer n;

	namer_init(&n, md, token, args, out);
	namer_put_type(&n, token, true);
	namer_deinit(&n);
}

void csname_metadata_type(const struct md *md, uint32_t token, struct str *out)
{
	struct namer n;

	namer_init(&n, md, token, NULL, out);
	if (is_named_type(token))
		put_metadata(&n, token);
	namer_deinit(&n);
}

void csname_sig(const struct md *md, const struct sig_type *type,
		uint32_t method_token, const struct csname_args *args,
		struct str *out)
{
	struct namer n;

	namer_init(&n, md, method_token, args, out);
	namer_put_sig(&n, type);
	namer_deinit(&n);
}

/* ---- IL as text ---------------------------------------------------------- */

/*
 * IL instructions as text, with the names that their tokens stand for, in the
 * form of ildasm.
 */

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
