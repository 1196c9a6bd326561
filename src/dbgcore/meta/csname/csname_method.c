/*
 * C# names of methods. A method is first traced to the place its author
 * wrote it: MoveNext of a state machine to the async or iterator method, a
 * lambda or local function out of its closure classes into the method around
 * it. Then:
 *
 *   Ns.Type.Method(int)		Ns.Type.Method.lambda(int)
 *   Ns.Type.Type(int)			Ns.Type.Method.Local(int)
 *   Ns.Type..cctor()			Ns.Type.Prop.get()
 *   Ns.Type.~Type()			Ns.Type.operator +(A, A)
 */
#include "meta/csname/csname_priv.h"
#include "meta/md_priv.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"

/* ---- Names that compilers make ------------------------------------------- */

/*
 * Names the C# and VB compilers make, and the author's name inside them
 * (Roslyn's GeneratedNames): "<inner>Krest", where K tells the kind.
 */

static bool made_name_parse(const char *name, struct made_name *ret)
{
	size_t depth = 0;

	if (*name != '<')
		return false;
	for (size_t i = 0; name[i] && i < CSNAME_MAX; i++) {
		if (name[i] == '<')
			depth++;
		else if (name[i] == '>' && !--depth) {
			ret->inner = name + 1;
			ret->inner_len = i - 1;
			ret->kind = name[i + 1];
			ret->rest = name + i + 1 + !!ret->kind;
			return true;
		}
	}
	return false;
}

size_t csname_file_prefix(const char *name)
{
	struct made_name m;

	if (!made_name_parse(name, &m) || m.kind != 'F' ||
	    strspn(m.rest, "0123456789ABCDEF") != 64 ||
	    strncmp(m.rest + 64, "__", 2))
		return 0;
	return (size_t)(m.rest - name) + 66;
}

static const char *cut(struct arena *arena, const char *s, size_t len)
{
	return len ? arena_strndup(arena, s, len) : NULL;
}

static const char *vb_name(struct arena *arena, const char *name)
{
	static const char local[] = "$VB$Local_";
	static const char hoisted[] = "$VB$ResumableLocal_";

	if (!strcmp(name, "$VB$Me"))
		return "this";
	if (str_starts(name, local))
		return name + sizeof(local) - 1;
	if (str_starts(name, hoisted)) {
		name += sizeof(hoisted) - 1;
		const char *end = strrchr(name, '$');

		return cut(arena, name, end ? (size_t)(end - name) : 0);
	}
	return NULL;
}

const char *csname_source_name(struct arena *arena, const char *name)
{
	struct made_name m;

	if (!strncmp(name, "$VB$", 4))
		return vb_name(arena, name);
	// Closures kept in locals, and what else has no source.
	if (!strncmp(name, "CS$", 3) || strchr(name, '$'))
		return NULL;
	if (!made_name_parse(name, &m))
		return *name ? name : NULL;
	switch (m.kind) {
	case '4': // <>4__this
		return m.inner_len ? NULL : "this";
	case '5': // <x>5__2, a hoisted local
	case 'P': // <x>P, a captured parameter of a primary constructor
	case 'i': // <X>i__Field of an anonymous type
	case 'k': // <X>k__BackingField
		return cut(arena, m.inner, m.inner_len);
	}
	return NULL;
}

/* ---- C# names of methods ------------------------------------------------- */

enum {
	METHOD_FLAGS = 2,
	METHOD_NAME = 3,
	METHOD_SIG = 4,
	METHOD_VIRTUAL = 0x0040,
	METHOD_SPECIAL = 0x0800,
	PARAM_IN = 0x1,
	PARAM_OUT = 0x2,
	MAX_CLOSURES = 8,
};

static const struct {
	const char *name, *text;
} operators[] = {
    {"op_Addition", "+"},
    {"op_BitwiseAnd", "&"},
    {"op_BitwiseOr", "|"},
    {"op_Decrement", "--"},
    {"op_Division", "/"},
    {"op_Equality", "=="},
    {"op_ExclusiveOr", "^"},
    {"op_False", "false"},
    {"op_GreaterThan", ">"},
    {"op_GreaterThanOrEqual", ">="},
    {"op_Increment", "++"},
    {"op_Inequality", "!="},
    {"op_LeftShift", "<<"},
    {"op_LessThan", "<"},
    {"op_LessThanOrEqual", "<="},
    {"op_LogicalNot", "!"},
    {"op_Modulus", "%"},
    {"op_Multiply", "*"},
    {"op_OnesComplement", "~"},
    {"op_RightShift", ">>"},
    {"op_Subtraction", "-"},
    {"op_True", "true"},
    {"op_UnaryNegation", "-"},
    {"op_UnaryPlus", "+"},
    {"op_UnsignedRightShift", ">>>"},
};

static const char *method_name(const struct md *md, uint32_t rid)
{
	return md_col_string(md, MD_METHODDEF, rid, METHOD_NAME);
}

static const char *typedef_name(const struct md *md, uint32_t rid)
{
	return md_col_string(md, MD_TYPEDEF, rid, 1);
}

/*
 * Find the author's method name in the name of a state machine, "<M>d__0" or
 * "VB$StateMachine_0_M".
 */
static bool machine_source(const char *type, const char **ret, size_t *ret_len)
{
	static const char vb[] = "VB$StateMachine_";
	struct made_name m;

	if (made_name_parse(type, &m) && m.kind == 'd' && m.inner_len) {
		*ret = m.inner;
		*ret_len = m.inner_len;
		return true;
	}
	if (!str_starts(type, vb))
		return false;
	const char *name = strchr(type + sizeof(vb) - 1, '_');
	if (!name)
		return false;
	*ret = name + 1;
	*ret_len = strcspn(name + 1, "`");
	return true;
}

bool csname_is_machine(const char *type)
{
	const char *source;
	size_t len;

	return machine_source(type, &source, &len);
}

// Is @source the method's name? In a state machine's type name, the dots of an
// explicit implementation are dashes.
static bool same_source(const char *method, const char *source, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		char c = method[i];

		if (!c || (c != source[i] && !(c == '.' && source[i] == '-')))
			return false;
	}
	return !method[len];
}

// Does a StateMachineAttribute of the method name this type?
static bool names_machine(const struct md *md, uint32_t method,
			  const char *type)
{
	static const char *const attributes[] = {
	    "System.Runtime.CompilerServices.AsyncStateMachineAttribute",
	    "System.Runtime.CompilerServices.IteratorStateMachineAttribute",
	    ("System.Runtime.CompilerServices."
	     "AsyncIteratorStateMachineAttribute"),
	};
	size_t len = strlen(type);

	for (size_t i = 0; i < 3; i++) {
		struct bytes blob;
		struct reader r;

		if (!md_has_attribute(md, MD_TOKEN(MD_METHODDEF, method),
				      attributes[i], &blob))
			continue;
		reader_init(&r, blob.p, blob.n);
		reader_skip(&r, 2);
		uint32_t size = reader_cuint(&r);
		struct bytes name = reader_bytes(&r, size);
		// "Ns.Outer+<M>d__0", then perhaps ", assembly".
		const uint8_t *comma =
		    name.n ? memchr(name.p, ',', name.n) : NULL;
		if (comma)
			name.n = (size_t)(comma - name.p);
		if (name.n > len && name.p[name.n - len - 1] == '+' &&
		    !memcmp(name.p + name.n - len, type, len))
			return true;
	}
	return false;
}

uint32_t csname_kickoff(const struct md *md, uint32_t rid)
{
	uint32_t first, end, found = 0;
	const char *source, *name = method_name(md, rid);
	size_t len;

	// A finally block of an iterator is a method of its own.
	if (strcmp(name, "MoveNext") && !str_starts(name, "<>m__Finally"))
		return 0;
	uint32_t machine = md_method_type(md, rid);
	const char *type = typedef_name(md, machine);
	uint32_t outer = md_enclosing(md, machine);
	if (!outer || !machine_source(type, &source, &len))
		return 0;
	md_type_methods(md, outer, &first, &end);
	for (uint32_t i = first; i < end; i++) {
		uint32_t method = md_member(md, MD_LIST_METHODS, i);

		if (!same_source(method_name(md, method), source, len))
			continue;
		// Overloads are told apart by their attribute alone.
		if (found && names_machine(md, method, type))
			return method;
		if (!found)
			found = method;
	}
	return found;
}

static const char *plain_operator(const char *name)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
		if (!strcmp(operators[i].name, name))
			return operators[i].text;
	return NULL;
}

static const char *operator_text(const char *name, bool *ret_checked)
{
	static const char checked[] = "op_Checked";
	char plain[64] = "op_";
	const char *text = plain_operator(name);

	*ret_checked = !text && str_starts(name, checked);
	if (!*ret_checked)
		return text;
	name += sizeof(checked) - 1;
	size_t len = strlen(name);
	if (len > sizeof(plain) - 4)
		return NULL;
	memcpy(plain + 3, name, len + 1);
	return plain_operator(plain);
}

// Conversions are named by the type they make; @rid 0: not known.
static bool put_conversion(struct namer *n, const char *name, uint32_t rid)
{
	struct sig_method *sig;
	struct dbg_error *err;

	if (!strcmp(name, "op_Implicit"))
		namer_put(n, "implicit operator");
	else if (!strcmp(name, "op_Explicit"))
		namer_put(n, "explicit operator");
	else if (!strcmp(name, "op_CheckedExplicit"))
		namer_put(n, "explicit operator checked");
	else
		return false;
	if (!rid)
		return true;
	err = sig_parse_method(
	    md_col_blob(n->md, MD_METHODDEF, rid, METHOD_SIG), n->tmp, &sig);
	if (!err) {
		namer_put(n, " ");
		namer_put_sig(n, sig->ret);
	}
	dbg_error_destroy(err);
	return true;
}

static bool put_operator(struct namer *n, const char *name, uint32_t rid)
{
	bool checked;

	if (!str_starts(name, "op_"))
		return false;
	if (put_conversion(n, name, rid))
		return true;
	const char *text = operator_text(name, &checked);
	if (!text)
		return false;
	namer_put(n, checked ? "operator checked " : "operator ");
	namer_put(n, text);
	return true;
}

static bool put_accessor(struct namer *n, const char *name)
{
	static const char *const kinds[] = {"get", "set", "add", "remove"};

	for (size_t i = 0; i < 4; i++) {
		size_t len = strlen(kinds[i]);

		if (strncmp(name, kinds[i], len) || name[len] != '_')
			continue;
		namer_put(n, name + len + 1);
		namer_put(n, ".");
		namer_put(n, kinds[i]);
		return true;
	}
	return false;
}

// The class's own name, without arity.
static void put_class(struct namer *n, uint32_t type)
{
	const char *name = typedef_name(n->md, type);

	name += csname_file_prefix(name);
	namer_putn(n, name, strcspn(name, "`"));
}

static bool is_finalizer(const struct md *md, uint32_t rid, const char *name)
{
	if (strcmp(name, "Finalize"))
		return false;
	struct bytes sig = md_col_blob(md, MD_METHODDEF, rid, METHOD_SIG);
	return md_col(md, MD_METHODDEF, rid, METHOD_FLAGS) & METHOD_VIRTUAL &&
	       sig.n > 1 && !sig.p[1];
}

// "System.IEquatable<System.Int32>." with keywords, as one would write it.
static void put_interface(struct namer *n, const char *text, size_t len)
{
	char word[32];

	while (len && !namer_full(n)) {
		size_t run = 0;

		while (run < len && !strchr("<>,", text[run]))
			run++;
		const char *keyword = NULL;
		if (run < sizeof(word)) {
			memcpy(word, text, run);
			word[run] = '\0';
			keyword = csname_keyword(word);
		}
		if (keyword)
			namer_put(n, keyword);
		else
			namer_putn(n, text, run);
		if (run < len)
			namer_put(n, text[run] == ','   ? ", "
				     : text[run] == '<' ? "<"
							: ">");
		run += run < len;
		text += run;
		len -= run;
	}
}

/* Has a nested type a special method of this name? */
static bool has_special(const struct md *md, uint32_t nested, const char *name)
{
	uint32_t first, end;

	md_type_methods(md, nested, &first, &end);
	for (; first < end; first++) {
		uint32_t rid = md_member(md, MD_LIST_METHODS, first);

		if (md_col(md, MD_METHODDEF, rid, METHOD_FLAGS) &
			METHOD_SPECIAL &&
		    !strcmp(md_col_string(md, MD_METHODDEF, rid, METHOD_NAME),
			    name))
			return true;
	}
	return false;
}

/*
 * Is it the code of an extension property (C# 14)? The property itself is in a
 * type that the compiler has made for the block, "<G>$" and a hash.
 */
static bool is_extension_accessor(const struct md *md, uint32_t type,
				  const char *name)
{
	if (!str_starts(name, "get_") && !str_starts(name, "set_"))
		return false;
	for (uint32_t row = 1; row <= md_rows(md, MD_NESTEDCLASS); row++) {
		uint32_t nested = md_col(md, MD_NESTEDCLASS, row, 0);

		if (md_col(md, MD_NESTEDCLASS, row, 1) == type &&
		    str_starts(typedef_name(md, nested), "<G>$") &&
		    has_special(md, nested, name))
			return true;
	}
	return false;
}

/*
 * A method's name as in the source. @rid is 0 for one known by name only,
 * the method around a lambda.
 */
static void put_name(struct namer *n, uint32_t type, uint32_t rid,
		     const char *name)
{
	const char *dot = strrchr(name, '.');
	bool special =
	    !rid ||
	    md_col(n->md, MD_METHODDEF, rid, METHOD_FLAGS) & METHOD_SPECIAL ||
	    is_extension_accessor(n->md, type, name);

	if (!strcmp(name, ".ctor")) {
		put_class(n, type);
		return;
	}
	if (!strcmp(name, "<Main>$")) {
		namer_put(n, "Main");
		return;
	}
	if (is_finalizer(n->md, rid, name)) {
		namer_put(n, "~");
		put_class(n, type);
		return;
	}
	// Explicit implementations: Ns.IFace.get_Prop.
	if (dot && dot > name) {
		put_interface(n, name, (size_t)(dot + 1 - name));
		name = dot + 1;
	}
	if (special && (put_operator(n, name, rid) || put_accessor(n, name)))
		return;
	namer_put(n, name);
}

// The class around closures: their names begin with "<>c".
static uint32_t author_class(const struct md *md, uint32_t type)
{
	for (int i = 0; i < MAX_CLOSURES; i++) {
		uint32_t outer = md_enclosing(md, type);

		if (!outer || !str_starts(typedef_name(md, type), "<>c"))
			break;
		type = outer;
	}
	return type;
}

// Generic parameters @first .. of a type or method, given or by name.
static void put_generics(struct namer *n, uint32_t owner, size_t first)
{
	bool method = MD_TOKEN_TABLE(owner) == MD_METHODDEF;
	const char *const *given =
	    method ? n->args->method_args : n->args->type_args;
	size_t n_given = method ? n->args->n_method_args : n->args->n_type_args;
	size_t count = csname_n_generic(n->md, owner);

	if (count <= first)
		return;
	const char **list = arena_calloc(n->tmp, count - first, sizeof(*list));
	for (size_t i = first; i < count; i++) {
		const char *name =
		    i < n_given ? given[i]
				: csname_generic(n->md, owner, (uint32_t)i);

		list[i - first] = name ? name : "?";
	}
	namer_put_list(n, list, count - first);
}

// A local function gets the closures it uses as ref parameters.
static bool is_closure(const struct md *md, const struct sig_type *t)
{
	if (t->elem != ELEM_BYREF)
		return false;
	uint32_t token = t->inner->token;
	return MD_TOKEN_TABLE(token) == MD_TYPEDEF &&
	       str_starts(typedef_name(md, MD_TOKEN_RID(token)),
			  "<>c__DisplayClass");
}

static void put_param(struct namer *n, uint32_t method, uint32_t seq,
		      const struct sig_type *t)
{
	uint32_t rid = md_param_find(n->md, method, seq);
	uint32_t flags = md_col(n->md, MD_PARAM, rid, 0);

	if (t->elem == ELEM_BYREF && flags & (PARAM_IN | PARAM_OUT)) {
		namer_put(n, flags & PARAM_OUT ? "out " : "in ");
		t = t->inner;
	}
	namer_put_sig(n, t);
}

static void put_params(struct namer *n, uint32_t rid)
{
	struct sig_method *sig;
	struct dbg_error *err;
	bool any = false;

	err = sig_parse_method(
	    md_col_blob(n->md, MD_METHODDEF, rid, METHOD_SIG), n->tmp, &sig);
	if (err) {
		dbg_error_destroy(err);
		namer_put(n, "(?)");
		return;
	}
	namer_put(n, "(");
	for (uint32_t i = 0; i < sig->n_params && !namer_full(n); i++) {
		if (is_closure(n->md, sig->params[i]))
			continue;
		if (any)
			namer_put(n, ", ");
		put_param(n, rid, i + 1, sig->params[i]);
		any = true;
	}
	namer_put(n, ")");
}

// "Method.lambda" or "Method.Local" of what was written inside Method.
static void put_inner(struct namer *n, uint32_t rid, uint32_t type,
		      const struct made_name *m)
{
	uint32_t outer = author_class(n->md, type);
	uint32_t token = MD_TOKEN(MD_TYPEDEF, type);
	char *method = arena_strndup(n->tmp, m->inner, m->inner_len);

	namer_put_type(n, MD_TOKEN(MD_TYPEDEF, outer), false);
	namer_put(n, ".");
	put_name(n, outer, 0, method);
	// A generic method's closures are generic in its parameters.
	put_generics(n, token,
		     csname_n_generic(n->md, MD_TOKEN(MD_TYPEDEF, outer)));
	namer_put(n, ".");
	if (m->kind == 'b') {
		namer_put(n, "lambda");
		return;
	}
	const char *local = m->rest + (str_starts(m->rest, "__") ? 2 : 0);
	namer_putn(n, local, strcspn(local, "|"));
	put_generics(n, MD_TOKEN(MD_METHODDEF, rid), 0);
}

// Returns where the parameter list begins.
static size_t put_method(struct namer *n, uint32_t rid, bool params)
{
	uint32_t type = md_method_type(n->md, rid);
	const char *name = method_name(n->md, rid);
	struct made_name m;

	if (made_name_parse(name, &m) && m.inner_len &&
	    (m.kind == 'b' || m.kind == 'g')) {
		put_inner(n, rid, type, &m);
	} else {
		// The type that holds global functions has no C# name.
		if (type > 1) {
			namer_put_type(n, MD_TOKEN(MD_TYPEDEF, type), false);
			namer_put(n, ".");
		}
		put_name(n, type, rid, name);
		put_generics(n, MD_TOKEN(MD_METHODDEF, rid), 0);
	}
	size_t list = n->out->len;
	if (params)
		put_params(n, rid);
	return list;
}

/*
 * Split the type arguments of a generic method's state machine, which has the
 * parameters of the class first, then those of the method.
 */
static struct csname_args kickoff_args(const struct md *md, uint32_t kickoff,
				       const struct csname_args *args)
{
	uint32_t type = md_method_type(md, kickoff);
	size_t of_class = csname_n_generic(md, MD_TOKEN(MD_TYPEDEF, type));
	struct csname_args split = *args;

	if (of_class < args->n_type_args) {
		split.n_type_args = of_class;
		split.method_args = args->type_args + of_class;
		split.n_method_args = args->n_type_args - of_class;
	}
	return split;
}

size_t csname_method(const struct md *md, uint32_t token, bool params,
		     const struct csname_args *args, struct str *out)
{
	uint32_t rid = MD_TOKEN_RID(token);
	uint32_t kickoff = csname_kickoff(md, rid);
	struct csname_args split;
	struct namer n;

	if (kickoff && args) {
		split = kickoff_args(md, kickoff, args);
		args = &split;
	}
	if (kickoff)
		rid = kickoff;
	namer_init(&n, md, MD_TOKEN(MD_METHODDEF, rid), args, out);
	size_t list = put_method(&n, rid, params);
	namer_deinit(&n);
	return list;
}
