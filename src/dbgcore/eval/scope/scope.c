/*
 * Variables of a frame.
 *
 * A method's own arguments and slots come first. Where the compiler moved
 * variables away they are looked for in the object that holds them.
 */
#include "eval/scope.h"
#include "eval/scope/scope_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "meta/csname.h"

/* ---- What the symbols alone know of a frame ------------------------------ */

/*
 * Constants of a frame (`const` locals exist in the symbols only), the generic
 * arguments of its method, and Visual Basic's Static locals.
 */

enum {
	METHOD_ARGS_MAX = 64
};

/* ---- Constants (Portable PDB, LocalConstant signature) --------------- */

static struct type *token_type(struct gather *g, uint32_t coded)
{
	struct sig_type sig = {.elem = ELEM_VALUETYPE};
	sig.token = md_typedef_or_ref(coded);
	return value_type_of_sig(g->ts, &sig, &g->scope->context, 0);
}

static struct value string_constant(struct gather *g, struct reader *r)
{
	struct type *type = value_type_of_elem(g->ts, ELEM_STRING);
	size_t n = reader_left(r);
	struct bytes units = reader_bytes(r, n);
	// A lone 0xff is null; text has an even length.
	if (n == 1 && units.p[0] == 0xff)
		return value_bytes(type, &(uint64_t){0}, sizeof(uint64_t));
	return value_constant(g->ts, g->arena, type, units);
}

/* A primitive's value, then perhaps the enum that it belongs to. */
static struct value primitive_constant(struct gather *g, struct reader *r,
				       enum elem elem)
{
	struct type *type = value_type_of_elem(g->ts, elem);
	struct bytes bytes = reader_bytes(r, type_size(type));
	if (r->bad)
		return value_absent(type, WHY_NONE, 0);
	if (reader_left(r)) {
		struct type *of = token_type(g, reader_cuint(r));
		if (of->kind == TYPE_KIND_ENUM &&
		    type_size(of) == type_size(type))
			type = of;
	}
	return value_constant(g->ts, g->arena, type, bytes);
}

static struct value general_constant(struct gather *g, struct reader *r,
				     enum elem elem)
{
	if (elem == ELEM_OBJECT)
		return value_bytes(value_type_of_elem(g->ts, ELEM_OBJECT),
				   &(uint64_t){0}, sizeof(uint64_t));
	if (elem != ELEM_CLASS && elem != ELEM_VALUETYPE)
		return value_absent(value_type_of_elem(g->ts, ELEM_OBJECT),
				    WHY_NONE, 0);
	struct type *type = token_type(g, reader_cuint(r));
	struct bytes bytes = reader_bytes(r, reader_left(r));
	if (type->is_reference)
		return value_bytes(type, &(uint64_t){0}, sizeof(uint64_t));
	return value_constant(g->ts, g->arena, type, bytes);
}

void scope_add_constant(struct gather *g, const struct pdb_local *local)
{
	struct reader r;
	reader_init(&r, local->constant.p, local->constant.n);
	enum elem elem = reader_u8(&r);
	while (elem == ELEM_CMOD_OPT || elem == ELEM_CMOD_REQD) {
		reader_cuint(&r);
		elem = reader_u8(&r);
	}
	struct value v;
	if (elem == ELEM_STRING)
		v = string_constant(g, &r);
	else if (elem >= ELEM_BOOLEAN && elem <= ELEM_R8)
		v = primitive_constant(g, &r, elem);
	else
		v = general_constant(g, &r, elem);
	if (!r.bad)
		scope_add(g, local->name, VAR_CONST, v);
}

/* ---- Generic arguments ----------------------------------------------- */

void scope_method_args(struct gather *g, uint64_t method)
{
	struct type_context *c = &g->scope->context;
	const struct md *md = &c->module->md;
	uint64_t mts[METHOD_ARGS_MAX];
	uint32_t n;
	// GenericParam: Owner is column 2, a method's tag is 1.
	if (!md_find(md, MD_GENERICPARAM, 2, MD_TOKEN_RID(c->method) << 1 | 1,
		     &n) ||
	    n > METHOD_ARGS_MAX ||
	    dac_method_args(values_dac(g->ts), method, mts, n) != n)
		return;
	struct type **args = arena_calloc(g->arena, n, sizeof(*args));
	for (uint32_t i = 0; i < n; i++)
		args[i] = value_type_of_mt(g->ts, mts[i]);
	c->method_args = args;
	c->n_method_args = n;
}

/*
 * Visual Basic keeps a Static local in a field of the method's class,
 * "$STATIC$Count$20188$calls": method, its signature, variable.
 */
void scope_add_statics(struct gather *g)
{
	const struct code_pos *pos = g->frame->pos;
	const struct var *self = scope_var(g->scope, "this");
	const char *method = code_method_def_name(pos->module, pos->token);
	const struct field *fields;
	size_t n_fields = 0, n = strlen(method);
	if (g->scope->type)
		value_type_fields(g->ts, g->scope->type, &fields, &n_fields);
	for (size_t i = 0; i < n_fields; i++) {
		const struct field *f = &fields[i];
		if (!str_starts(f->name, "$STATIC$") ||
		    strncmp(f->name + 8, method, n) || f->name[8 + n] != '$')
			continue;
		const char *name = strchr(f->name + 8 + n + 1, '$');
		if (!name || strchr(name + 1, '$'))
			continue;
		struct value v;
		if (f->kind != FIELD_INSTANCE) {
			v = value_static(g->ts, f, g->scope->thread);
		} else if (self) {
			struct value at =
			    value_dereference(g->ts, &self->value);
			v = value_field(g->ts, &at, f);
		} else {
			continue;
		}
		scope_add(g, name + 1, VAR_LOCAL, v);
	}
}

/* ---- Variables of a frame ------------------------------------------------ */

/* ---- Closures -------------------------------------------------------- */

/*
 * Variables that the compiler has moved: into the state machine of an async
 * method or iterator (`this` of MoveNext), and into closures (`this` of a
 * lambda, locals and arguments of a class <>c__DisplayClass), which may refer
 * to the closures around them.
 */

static void scope_expand(struct gather *g, const struct value *v,
			 unsigned int depth);

static void scope_expand_outer(struct gather *g, const struct value *v);

static const char *scope_spelled(const char *name);

static struct var *scope_find(const struct scope *s, const char *name);

static void scope_note_dynamic(struct gather *g, const struct code_module *m,
			       uint32_t token, struct value *v);

enum {
	TYPEDEF_NAME = 1, // II.22.37
};

/*
 * Number N of "<name>5__N", a variable, or "<>8__N", a closure; 0 if it is
 * none.
 */
static size_t hoisted_index(const char *name)
{
	const char *mark = strstr(name, ">5__");
	if (!mark)
		mark = strstr(name, ">8__");
	return mark ? strtoul(mark + 4, NULL, 10) : 0;
}

/*
 * Get the block that a hoisted variable or closure belongs to; NULL: not known.
 */
static const struct il_range *hoisted_range(const struct gather *g,
					    const char *name)
{
	size_t n = hoisted_index(name);
	if (n == 0 || n > g->n_hoisted || !g->hoisted[n - 1].length)
		return NULL;
	return &g->hoisted[n - 1];
}

/*
 * Is it a variable's that hot reload has taken out of the method, or given
 * another field, as the frame runs it? Its old field stays, and keeps what it
 * had in a call that goes on.
 */
static bool hoisted_is_gone(const struct gather *g, const char *name)
{
	return g->frame->pos->version && str_starts(name, "<") &&
	       !str_starts(name, "<>") && hoisted_index(name);
}

static bool hoisted_in_scope(const struct gather *g, const char *name)
{
	const struct il_range *r = hoisted_range(g, name);
	uint32_t il = g->frame->pos->il_offset;
	return r ? il >= r->start && il - r->start < r->length
		 : !hoisted_is_gone(g, name);
}

/* Is it a class that holds variables: a closure or state machine? */
static bool scope_holds(const struct type *type)
{
	return value_type_is_closure(type) || value_type_is_state_machine(type);
}

static void replace(struct gather *g, struct var *var, const struct value *v)
{
	var->value = *v;
	var->origin = g->origin;
}

static void expand_this(struct gather *g, const struct value *v,
			unsigned int depth)
{
	struct value settled = value_dereference(g->ts, v);
	if (settled.type && value_type_is_closure(settled.type)) {
		scope_expand_outer(g, v);
		return;
	}
	if (settled.type && scope_holds(settled.type)) {
		scope_expand(g, v, depth + 1);
		return;
	}
	struct var *known = scope_find(g->scope, "this");
	if (known)
		replace(g, known, v);
	else
		scope_add(g, "this", VAR_THIS, *v);
}

static bool is_author_object(const struct field *f)
{
	return !strcmp(f->name, "<>4__this") || !strcmp(f->name, "$VB$Me");
}

static const char *type_def_name(const struct type *type)
{
	return type->module
		   ? md_col_string(&type->module->md, MD_TYPEDEF,
				   MD_TOKEN_RID(type->token), TYPEDEF_NAME)
		   : "";
}

// Is it a field of a closure or state machine that refers to another closure?
static bool holds_closure(const char *name)
{
	static const char *const starts[] = {
	    "CS$<>8__locals",
	    "<>8__",
	    "$VB$NonLocal_",
	    "$VB$ResumableLocal_$VB$Closure_",
	};
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		if (str_starts(name, starts[i]))
			return true;
	return false;
}

/*
 * Is it the name that the C# compiler gives to the object that holds the range
 * variables of a query?
 */
static bool scope_is_range(const char *name)
{
	return str_starts(name, "<>h__TransparentIdentifier") ||
	       str_starts(name, "<<>h__TransparentIdentifier");
}

static void expand_range(struct gather *g, const struct value *v,
			 enum var_kind kind, unsigned int depth)
{
	struct value at = value_dereference(g->ts, v);
	const struct var_origin *holder = g->origin;
	const struct field *fields;
	size_t n;
	if (at.where == VALUE_ABSENT || value_is_null(g->ts, &at) ||
	    depth > CLOSURES_MAX)
		return;
	value_type_fields(g->ts, at.type, &fields, &n);
	for (size_t i = 0; i < n; i++) {
		const struct field *f = &fields[i];
		const struct var_origin origin = {
		    .holder = holder, .field = f, .type = f->type};
		struct value value = value_field(g->ts, &at, f);
		if (f->kind != FIELD_INSTANCE)
			continue;
		if (holder)
			g->origin =
			    arena_copy(g->arena, &origin, 1, sizeof(origin));
		if (scope_is_range(f->name))
			expand_range(g, &value, kind, depth + 1);
		else if (f->source)
			scope_add(g, scope_spelled(f->source), kind, value);
		g->origin = holder;
	}
}

/* Add the range variables in @v, of such a name, those within it first. */
static void scope_expand_range(struct gather *g, const struct value *v,
			       enum var_kind kind)
{
	expand_range(g, v, kind, 0);
}

static void expand_variable(struct gather *g, const struct value *v,
			    const struct field *f, unsigned int depth)
{
	struct value value = value_field(g->ts, v, f);
	if (is_author_object(f)) {
		expand_this(g, &value, depth);
		return;
	}
	if (holds_closure(f->name)) {
		if (hoisted_in_scope(g, f->name))
			scope_expand(g, &value, depth + 1);
		return;
	}
	if (scope_is_range(f->name)) {
		scope_expand_range(g, &value, VAR_LOCAL);
		return;
	}
	if (!f->source || str_starts(f->name, "<>") ||
	    str_starts(f->name, "CS$") || str_ends(f->name, "@"))
		return;
	if (v->type->module)
		scope_note_dynamic(g, v->type->module, f->token, &value);
	if (value_type_is_state_machine(v->type)) {
		bool local = f->name[0] == '<' ||
			     str_starts(f->name, "$VB$ResumableLocal_");
		if (!local || hoisted_in_scope(g, f->name))
			scope_add(g, f->source, local ? VAR_LOCAL : VAR_ARG,
				  value);
		return;
	}
	// A captured argument lives in the closure from the start on; its
	// own place is stale.
	// C#'s own `this` is in "<>4__this"
	bool csharp = str_starts(type_def_name(v->type), "<>c__");
	const char *name = csharp ? scope_spelled(f->source) : f->source;
	struct var *known = scope_find(g->scope, name);
	if (known && known->level == g->level)
		replace(g, known, &value);
	else
		scope_add(g, name, VAR_LOCAL, value);
}

static void expand_field(struct gather *g, const struct value *v,
			 const struct field *f, unsigned int depth)
{
	uint32_t end = g->end;
	const struct var_origin *holder = g->origin;
	const struct var_origin origin = {
	    .holder = holder, .field = f, .type = f->type};
	const struct il_range *r = value_type_is_state_machine(v->type)
				       ? hoisted_range(g, f->name)
				       : NULL;
	if (r)
		g->end = r->start + r->length;
	if (holder)
		g->origin = arena_copy(g->arena, &origin, 1, sizeof(origin));
	expand_variable(g, v, f, depth);
	g->origin = holder;
	g->end = end;
}

/*
 * How far inside the closure @type is nested; an inner one has the higher
 * level. The compiler numbers the closures of a method from the outside in,
 * including closures of its lambdas and local functions: <>c__DisplayClass3_1.
 */
static unsigned int closure_level(const struct type *type)
{
	enum {
		MOST = 10000
	};
	const char *name = type_def_name(type);
	size_t n = strcspn(name, "`"), at = n;
	while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9')
		at--;
	unsigned long ordinal = at < n ? strtoul(name + at, NULL, 10) : 0;
	return ordinal < MOST ? MOST - (unsigned int)ordinal : 1;
}

static bool is_outer(const struct gather *g, uint64_t addr)
{
	for (size_t i = 0; i < g->n_outer; i++) {
		if (g->outer[i] == addr)
			return true;
	}
	return false;
}

static void expand_fields(struct gather *g, const struct value *at,
			  unsigned int depth)
{
	const struct field *fields;
	size_t n;
	bool machine = value_type_is_state_machine(at->type);
	value_type_fields(g->ts, at->type, &fields, &n);
	// what a state machine was given is known before what it makes
	for (size_t i = 0; machine && i < n; i++) {
		if (is_author_object(&fields[i]))
			expand_field(g, at, &fields[i], depth);
	}
	for (size_t i = 0; i < n; i++) {
		if (fields[i].kind == FIELD_INSTANCE &&
		    (!machine || !is_author_object(&fields[i])))
			expand_field(g, at, &fields[i], depth);
	}
}

/*
 * Show the fields of such a one as variables; @depth: of closures around each
 * other.
 */
static void scope_expand(struct gather *g, const struct value *v,
			 unsigned int depth)
{
	unsigned int level = g->level;
	if (depth > CLOSURES_MAX)
		return;
	struct value at = value_dereference(g->ts, v);
	if (at.where == VALUE_ABSENT || value_is_null(g->ts, &at)) {
		g->scope->partial = true;
		return;
	}
	uint64_t addr = at.addr;
	if (at.type->is_reference && !value_pointer(g->ts, &at, &addr))
		return;
	if (is_outer(g, addr))
		return;
	if (level) {
		g->level = closure_level(at.type);
		if (g->n_outer < CLOSURES_MAX)
			g->outer[g->n_outer++] = addr;
	}
	expand_fields(g, &at, depth);
	g->level = level;
}

/*
 * Add the variables of a closure that the method was given, as `this` or by
 * reference, below the method's own.
 */
static void scope_expand_outer(struct gather *g, const struct value *v)
{
	unsigned int level = g->level;
	g->level = 1;
	scope_expand(g, v, 0);
	g->level = level;
}

/* ---- Imports --------------------------------------------------------- */

/*
 * Namespaces and types that `using` directives import into a method, from the
 * PDB's ImportScope rows (Portable PDB, Imports Blob), and what is always
 * imported in Visual Basic.
 */

enum {
	LOCALSCOPE_METHOD = 0,
	LOCALSCOPE_IMPORTS = 1,
	IMPORTSCOPE_PARENT = 0,
	IMPORTSCOPE_BLOB = 1,
	ASSEMBLYREF_NAME = 6,
	PARENTS_MAX = 64,
	IMPORTS_MAX = 1000,
};

/* Kinds of imports. */
enum {
	USING_NAMESPACE = 1,
	USING_ASSEMBLY_NAMESPACE = 2,
	USING_TYPE = 3,
	XML_NAMESPACE = 4,
	ASSEMBLY_ALIAS_USED = 5,
	ASSEMBLY_ALIAS = 6,
	ALIAS_NAMESPACE = 7,
	ALIAS_ASSEMBLY_NAMESPACE = 8,
	ALIAS_TYPE = 9,
};

struct collector {
	struct gather *g;
	const struct md *pdb;
	struct reader r;
	size_t cap;
};

/* Read a name, a blob of UTF-8. */
static const char *take_name(struct collector *c)
{
	struct bytes b = md_blob(c->pdb, reader_cuint(&c->r));

	return arena_strndup(c->g->arena, (const char *)b.p, b.n);
}

static struct type *take_type(struct collector *c)
{
	uint32_t token = md_typedef_or_ref(reader_cuint(&c->r));
	return value_type_of_token(c->g->ts, &c->g->scope->context, token);
}

static void take_import(struct collector *c, struct import *ret)
{
	uint32_t kind = reader_u8(&c->r);
	if (kind == XML_NAMESPACE || kind == ASSEMBLY_ALIAS_USED ||
	    kind == ASSEMBLY_ALIAS || kind >= ALIAS_NAMESPACE)
		ret->alias = take_name(c);
	if (kind == USING_ASSEMBLY_NAMESPACE || kind == ASSEMBLY_ALIAS ||
	    kind == ALIAS_ASSEMBLY_NAMESPACE)
		reader_cuint(&c->r);
	if (kind == USING_TYPE || kind == ALIAS_TYPE)
		ret->type = take_type(c);
	else if (kind == USING_NAMESPACE || kind == USING_ASSEMBLY_NAMESPACE ||
		 kind == ALIAS_NAMESPACE || kind == ALIAS_ASSEMBLY_NAMESPACE)
		ret->space = take_name(c);
	else if (kind == XML_NAMESPACE)
		reader_cuint(&c->r);
	else if (kind != ASSEMBLY_ALIAS_USED && kind != ASSEMBLY_ALIAS)
		c->r.bad = true; // its length is not known
}

static void import_add(struct collector *c, const struct import *import)
{
	struct scope *s = c->g->scope;
	if (s->n_imports == c->cap) {
		size_t cap = c->cap ? c->cap * 2 : 16;
		struct import *more =
		    arena_calloc(c->g->arena, cap, sizeof(more[0]));
		if (s->n_imports)
			memcpy(more, s->imports,
			       s->n_imports * sizeof(more[0]));
		s->imports = more;
		c->cap = cap;
	}
	s->imports[s->n_imports++] = *import;
}

/* Is there anything of Visual Basic's runtime library in it? */
static bool is_visual_basic(const struct md *md)
{
	for (uint32_t r = 1; r <= md_rows(md, MD_ASSEMBLYREF); r++) {
		if (str_starts(
			md_col_string(md, MD_ASSEMBLYREF, r, ASSEMBLYREF_NAME),
			"Microsoft.VisualBasic"))
			return true;
	}
	return false;
}

/*
 * Add Visual Basic's Modules: their members are in scope as by `using static`.
 */
static void add_standard_modules(struct collector *c)
{
	static const char name[] = "Microsoft.VisualBasic.CompilerServices."
				   "StandardModuleAttribute";
	struct gather *g = c->g;
	const struct md *md = &g->frame->pos->module->md;
	if (!is_visual_basic(md))
		return;
	for (uint32_t r = 1;
	     r <= md_rows(md, MD_TYPEDEF) && g->scope->n_imports < IMPORTS_MAX;
	     r++) {
		uint32_t token = MD_TOKEN(MD_TYPEDEF, r);
		struct import import = {0};
		if (!md_has_attribute(md, token, name, NULL))
			continue;
		import.type =
		    value_type_of_token(g->ts, &g->scope->context, token);
		if (import.type)
			import_add(c, &import);
	}
}

/* Add the `using` directives that hold in the method. */
static void scope_add_imports(struct gather *g)
{
	const struct code_pos *pos = g->frame->pos;
	struct collector c = {.g = g};
	uint32_t n;
	add_standard_modules(&c);
	if (!pos->module->pdb)
		return;
	uint32_t method;
	c.pdb = pdb_method_md(pos->module->pdb, code_pos_method(pos), &method);
	if (!c.pdb)
		return;
	uint32_t row =
	    md_find(c.pdb, MD_LOCALSCOPE, LOCALSCOPE_METHOD, method, &n);
	uint32_t at =
	    row ? md_col(c.pdb, MD_LOCALSCOPE, row, LOCALSCOPE_IMPORTS) : 0;
	for (int i = 0; at && i < PARENTS_MAX; i++) {
		struct bytes blob =
		    md_col_blob(c.pdb, MD_IMPORTSCOPE, at, IMPORTSCOPE_BLOB);
		reader_init(&c.r, blob.p, blob.n);
		while (reader_left(&c.r) && g->scope->n_imports < IMPORTS_MAX) {
			struct import import = {0};
			take_import(&c, &import);
			if (c.r.bad)
				break;
			if (import.space || import.type)
				import_add(&c, &import);
		}
		at = md_col(c.pdb, MD_IMPORTSCOPE, at, IMPORTSCOPE_PARENT);
	}
}

/* ---- Scopes ---------------------------------------------------------- */

enum {
	METHOD_RVA = 0,
	METHOD_SIGNATURE = 4,
	SIG_HASTHIS = 0x20,
	LOCAL_HIDDEN = 1, // pdb_local.attributes
	VARS_MAX = 4096,
};

/* ---- The list -------------------------------------------------------- */

struct var *scope_add(struct gather *g, const char *name, enum var_kind kind,
		      struct value value)
{
	struct scope *s = g->scope;
	if (s->n_vars == g->cap) {
		size_t cap = g->cap ? g->cap * 2 : 16;
		struct var *more = arena_calloc(g->arena, cap, sizeof(more[0]));
		if (s->n_vars)
			memcpy(more, s->vars, s->n_vars * sizeof(more[0]));
		s->vars = more;
		g->cap = cap;
	}
	struct var *v = &s->vars[s->n_vars];
	v->name = name;
	v->kind = kind;
	v->value = value;
	v->end = g->end;
	v->level = g->level;
	v->origin = g->origin;
	if (s->n_vars < VARS_MAX)
		s->n_vars++;
	return v;
}

/* A variable's name as C# spells it: `@this` is not the object. */
static const char *scope_spelled(const char *name)
{
	if (!strcmp(name, "this"))
		return "@this";
	return strcmp(name, "base") ? name : "@base";
}

/*
 * Find the innermost variable of this name, the one that C# means: a parameter
 * of a lambda or local function, not the captured one that it hides. NULL:
 * none.
 */
static struct var *scope_find(const struct scope *s, const char *name)
{
	struct var *found = NULL;
	for (size_t i = s->n_vars; i-- > 0;) {
		struct var *v = &s->vars[i];
		if (!strcmp(v->name, name) &&
		    (!found || v->level < found->level))
			found = v;
	}
	return found;
}

const struct var *scope_var(const struct scope *s, const char *name)
{
	return scope_find(s, name);
}

/* Note that the next variable is argument or slot @index of the method. */
static void set_origin(struct gather *g, bool is_arg, uint32_t index,
		       const struct value *v, const struct dac_var *place)
{
	const struct var_origin origin = {
	    .is_arg = is_arg, .index = index, .type = v->type, .place = place};
	g->origin = arena_copy(g->arena, &origin, 1, sizeof(origin));
}

static bool is_hidden(const struct scope *s, const struct var *v)
{
	return v->level && scope_find(s, v->name)->level < v->level;
}

/*
 * Sort: this, then arguments, then the rest, each in the order found; variables
 * hidden by an inner one are removed.
 */
static void sort(struct gather *g)
{
	struct scope *s = g->scope;
	struct var *sorted =
	    arena_calloc(g->arena, s->n_vars + 1, sizeof(sorted[0]));
	size_t n = 0;
	for (int kind = VAR_THIS; kind <= VAR_LOCAL; kind++) {
		for (size_t i = 0; i < s->n_vars; i++) {
			int own = s->vars[i].kind == VAR_CONST
				      ? VAR_LOCAL
				      : (int)s->vars[i].kind;
			if (own == kind && !is_hidden(s, &s->vars[i]))
				sorted[n++] = s->vars[i];
		}
	}
	s->vars = sorted;
	s->n_vars = n;
}

/* The type a place holds variables by: through a by-ref. */
static struct type *holder_type(struct type *type)
{
	return type->kind == TYPE_KIND_BYREF ? type->inner : type;
}

/* ---- Arguments ------------------------------------------------------- */

static struct value place(struct type *type, const struct dac_var *var)
{
	if (var && var->unread)
		return value_absent(type, WHY_NOT_IN_CORE, 0);
	if (!var || !var->present)
		return value_absent(type, WHY_OPTIMIZED, 0);
	struct value v = var->in_register
			     ? value_bytes(type, var->bytes, sizeof(var->bytes))
			     : value_memory(type, var->addr);
	v.fixed = !var->in_register && !var->moves;
	v.in_register = var->in_register ? var : NULL;
	return v;
}

static struct dac_var *frame_vars(struct gather *g, bool args, size_t *ret_n)
{
	struct dac_var *vars;
	*ret_n = 0;
	struct dbg_error *err =
	    stack_frame_vars(g->ts, g->frame, args, g->arena, &vars, ret_n);
	if (err) {
		// Each is absent then, but their names and types are known.
		dbg_error_destroy(err);
		*ret_n = 0;
		return NULL;
	}
	return vars;
}

void scope_set_class(struct scope *s, struct type *type)
{
	s->type = type;
	// a definition has none but its own parameters
	if (!type || type->open)
		return;
	s->context.class_args = type->args;
	s->context.n_class_args = type->n_args;
}

/*
 * Get the exact types of code over __Canon from the object it works on: the
 * base class of `this` that declares the method.
 */
static void context_from_this(struct gather *g, const struct value *v)
{
	struct type *declared = g->scope->type;
	struct value at = value_dereference(g->ts, v);
	if (at.where == VALUE_ABSENT || !declared || !declared->n_args)
		return;
	struct type *type = at.type;
	for (int i = 0; type && i < 1000; i++) {
		if (type->module == declared->module &&
		    type->token == declared->token) {
			scope_set_class(g->scope, type);
			return;
		}
		type = value_type_parent(g->ts, type);
	}
}

static void add_this(struct gather *g, const struct dac_var *var)
{
	struct type *type = g->scope->type;
	struct value v = place(type, var);
	// Methods of structs get the address of theirs.
	if (!type->is_reference)
		v.type = value_type_byref_to(g->ts, type);
	context_from_this(g, &v);
	if (v.type->is_reference)
		v.type = g->scope->type;
	set_origin(g, true, 0, &v, var);
	if (value_type_is_closure(type))
		scope_expand_outer(g, &v);
	else if (scope_holds(type))
		scope_expand(g, &v, 0);
	else
		scope_add(g, "this", VAR_THIS, v);
}

/* Param: Flags, Sequence, Name. */
static uint32_t param_token(const struct md *md, uint32_t method_rid,
			    uint32_t seq)
{
	uint32_t first, end;
	md_method_params(md, method_rid, &first, &end);
	for (uint32_t i = first; i < end; i++) {
		uint32_t p = md_member(md, MD_LIST_PARAMS, i);

		if (md_col(md, MD_PARAM, p, 1) == seq)
			return MD_TOKEN(MD_PARAM, p);
	}
	return 0;
}

void scope_name_param(struct gather *g, uint32_t method_rid, uint32_t seq,
		      struct value *v)
{
	const struct md *md = &g->scope->module->md;
	size_t n;
	if (!v->type || !tuple_is_in(v->type))
		return;
	const char *const *names =
	    tuple_names(md, param_token(md, method_rid, seq), g->arena, &n);
	value_name(v, names, n);
}

static bool is_object(const struct value *v)
{
	return v->type && v->type->is_reference &&
	       !strcmp(value_type_name(v->type), "object");
}

/* Note what is declared as `dynamic`, by the attribute of @token. */
static void scope_note_dynamic(struct gather *g, const struct code_module *m,
			       uint32_t token, struct value *v)
{
	(void)g;
	v->is_dynamic =
	    token && is_object(v) &&
	    md_has_attribute(&m->md, token,
			     "System.Runtime.CompilerServices.DynamicAttribute",
			     NULL);
}

/*
 * Correct the place of a variable in a floating-point register, which the
 * runtime reports wrongly: at a method's first instruction the calling
 * convention tells it, later it is unknown.
 */
static void fix_floats(const struct gather *g, size_t *n_floats,
		       struct value *v)
{
	if (g->frame->raw.leaf && !g->frame->level && g->frame->pos->enters)
		value_argument(g->ts, g->frame->tid, n_floats, v);
	else if (v->in_register && value_has_floats(g->ts, v->type))
		*v = value_absent(v->type, WHY_OPTIMIZED, 0);
}

static const char *param_name(struct gather *g, const char *name, uint32_t seq)
{
	return name[0] ? scope_spelled(name)
		       : arena_printf(g->arena, "arg_%u", seq);
}

static void add_arguments(struct gather *g, const struct sig_method *sig)
{
	size_t n;
	struct dac_var *vars = frame_vars(g, true, &n);
	const struct md *md = &g->frame->pos->module->md;
	uint32_t rid = MD_TOKEN_RID(g->frame->pos->token);
	size_t at = 0, n_floats = 0;
	if (sig->convention & SIG_HASTHIS) {
		if (g->scope->type)
			add_this(g, n ? &vars[0] : NULL);
		at = 1;
	}
	for (uint32_t i = 0; i < sig->n_params; i++, at++) {
		const struct dac_var *var = at < n ? &vars[at] : NULL;
		struct type *type =
		    value_type_of_sig(g->ts, sig->params[i], &g->scope->context,
				      var ? var->type : 0);
		struct value v = place(type, var);
		fix_floats(g, &n_floats, &v);
		set_origin(g, true, (uint32_t)at, &v, var);
		const char *name = md_param_name(md, rid, i + 1);
		scope_name_param(g, rid, i + 1, &v);
		scope_note_dynamic(g, g->scope->module,
				   param_token(md, rid, i + 1), &v);
		if (scope_holds(holder_type(type)))
			scope_expand_outer(g, &v);
		else if (scope_is_range(name))
			scope_expand_range(g, &v, VAR_ARG);
		else if (name[0] != '<')
			scope_add(g, param_name(g, name, i + 1), VAR_ARG, v);
	}
}

/* ---- Locals ---------------------------------------------------------- */

static void set_tuple_names(struct gather *g, const struct pdb_local *local,
			    struct value *v)
{
	const char **names;
	size_t n;
	uint32_t token = MD_TOKEN(MD_LOCALVARIABLE, local->rid);
	pdb_tuple_names(g->frame->pos->module->pdb, token, g->arena, &names,
			&n);
	value_name(v, names, n);
}

static void add_local(struct gather *g, const struct slots *slots,
		      const struct pdb_local *local)
{
	if (local->slot >= slots->n_sigs)
		return;
	const struct dac_var *var =
	    local->slot < slots->n_vars ? &slots->vars[local->slot] : NULL;
	struct type *type =
	    value_type_of_sig(g->ts, slots->sigs[local->slot],
			      &g->scope->context, var ? var->type : 0);
	// The prolog clears the locals; before its end they hold anything.
	if (g->frame->pos->in_prolog)
		var = NULL;
	struct value v = place(type, var);
	set_origin(g, false, local->slot, &v, var);
	if (str_starts(local->name, "CS$<>8__locals") ||
	    scope_holds(holder_type(type))) {
		scope_expand(g, &v, 0);
		return;
	}
	const enum {
		HIDDEN = 1
	} hidden = HIDDEN;
	if ((local->attributes & hidden) || strchr(local->name, '<') ||
	    str_starts(local->name, "CS$"))
		return;
	set_tuple_names(g, local, &v);
	v.is_dynamic = is_object(&v) &&
		       pdb_is_dynamic(g->frame->pos->module->pdb,
				      MD_TOKEN(MD_LOCALVARIABLE, local->rid));
	scope_add(g, scope_spelled(local->name), VAR_LOCAL, v);
}

static void add_named_locals(struct gather *g, const struct slots *slots)
{
	const struct code_pos *pos = g->frame->pos;
	struct pdb_local *locals;
	size_t n;
	struct dbg_error *err =
	    pdb_locals(pos->module->pdb, code_pos_method(pos), pos->il_offset,
		       g->arena, &locals, &n);
	if (dbg_err_drop(err))
		return;
	for (size_t i = 0; i < n; i++) {
		g->end = locals[i].start + locals[i].length;
		g->origin = NULL;
		if (locals[i].slot == UINT32_MAX)
			scope_add_constant(g, &locals[i]);
		else
			add_local(g, slots, &locals[i]);
	}
	g->end = UINT32_MAX;
}

static void add_nameless_locals(struct gather *g, const struct slots *slots)
{
	for (uint32_t i = 0; i < slots->n_sigs; i++) {
		struct pdb_local local = {.slot = i, .name = "?"};
		const struct dac_var *var =
		    i < slots->n_vars ? &slots->vars[i] : NULL;
		struct type *type =
		    value_type_of_sig(g->ts, slots->sigs[i], &g->scope->context,
				      var ? var->type : 0);
		if (scope_holds(holder_type(type))) {
			add_local(g, slots, &local);
			continue;
		}
		// without a name and a value it says nothing
		if (!var || (!var->present && !var->unread))
			continue;
		g->origin = NULL;
		scope_add(g, arena_printf(g->arena, "local_%u", i), VAR_LOCAL,
			  place(type, var));
	}
}

static void read_slots(struct gather *g, struct slots *ret)
{
	const struct code_pos *pos = g->frame->pos;
	struct code_module *m = pos->module;
	struct bytes il = code_method_il(m, pos->token, pos->version);
	struct il_body body;
	if (!il.p)
		return;
	struct dbg_error *err = il_body_parse(il, g->arena, &body);
	if (!err && MD_TOKEN_RID(body.local_sig)) {
		struct bytes blob = md_col_blob(
		    &m->md, MD_STANDALONESIG, MD_TOKEN_RID(body.local_sig), 0);
		err =
		    sig_parse_locals(blob, g->arena, &ret->sigs, &ret->n_sigs);
	}
	if (err) {
		dbg_error_destroy(err);
		ret->n_sigs = 0;
	}
	if (ret->n_sigs)
		ret->vars = frame_vars(g, false, &ret->n_vars);
}

static void add_locals(struct gather *g)
{
	struct slots slots = {0};
	read_slots(g, &slots);
	if (g->frame->pos->module->pdb)
		add_named_locals(g, &slots);
	else
		add_nameless_locals(g, &slots);
	g->origin = NULL;
}

/* ---- The whole ------------------------------------------------------- */

/* The class that the author wrote around closures and state machines. */
static struct type *author_type(struct values *ts, struct type *type)
{
	for (int i = 0; type && i < CLOSURES_MAX; i++) {
		if (!value_type_is_compiler_made(type) || !type->module)
			return type;
		struct code_module *m = type->module;
		uint32_t outer =
		    md_enclosing(&m->md, MD_TOKEN_RID(type->token));
		if (!outer)
			return type;
		uint32_t n_params;
		// GenericParam: Owner is column 2, a TypeDef's tag is 0.
		uint32_t any =
		    md_find(&m->md, MD_GENERICPARAM, 2, outer << 1, &n_params);
		uint32_t token = MD_TOKEN(MD_TYPEDEF, outer);
		if (any && n_params <= type->n_args)
			type = value_type_instance(ts, m, token, type->args,
						   n_params);
		else
			type = value_type_of_def(ts, m, token);
	}
	return type;
}

/* Gather the variables of a suspended method: all are in its state machine. */
static void gather_machine(struct gather *g)
{
	const struct code_pos *pos = g->frame->pos;
	struct scope *s = g->scope;
	s->module = pos->module;
	s->context.module = pos->module;
	s->context.method = pos->token;
	scope_set_class(s, g->frame->machine->type);
	scope_add_imports(g);
	if (pos->module->pdb)
		pdb_hoisted_scopes(pos->module->pdb, code_pos_method(pos),
				   g->arena, &g->hoisted, &g->n_hoisted);
	scope_expand(g, g->frame->machine, 0);
	sort(g);
	s->type = author_type(g->ts, s->type);
}

static void add_variables(struct gather *g)
{
	const struct code_pos *pos = g->frame->pos;
	uint32_t rid = MD_TOKEN_RID(pos->token);
	if (pos->module->pdb)
		pdb_hoisted_scopes(pos->module->pdb, code_pos_method(pos),
				   g->arena, &g->hoisted, &g->n_hoisted);
	struct sig_method *sig;
	struct dbg_error *err = sig_parse_method(
	    md_col_blob(&pos->module->md, MD_METHODDEF, rid, METHOD_SIGNATURE),
	    g->arena, &sig);
	if (!err)
		add_arguments(g, sig);
	dbg_error_destroy(err);
	add_locals(g);
}

static struct dbg_error *scope_gather(struct gather *g)
{
	const struct code_pos *pos = g->frame->pos;
	struct dac_method method;
	struct stack_instance exact;
	struct scope *s = g->scope;
	if (g->frame->machine) {
		gather_machine(g);
		return NULL;
	}
	stack_frame_instance(g->ts, g->frame, &exact);
	struct dbg_error *err =
	    dac_method_get(values_dac(g->ts), exact.method, &method);
	if (err)
		return err;
	s->module = pos->module;
	s->context.module = pos->module;
	s->context.method = pos->token;
	scope_set_class(s, exact.type ? exact.type
				      : value_type_of_mt(g->ts, method.type));
	scope_method_args(g, exact.method);
	scope_add_imports(g);
	// what led to a throw has left its variables behind
	if (g->frame->kind != DBG_FRAME_THROWN)
		add_variables(g);
	s->type = author_type(g->ts, s->type);
	scope_add_statics(g);
	sort(g);
	return NULL;
}

struct dbg_error *scope_get(struct values *ts, const struct frame *frame,
			    struct thread_ref *thread, struct arena *arena,
			    struct scope **ret)
{
	struct dbg_error *err = NULL;
	struct scope *s = arena_alloc(arena, sizeof(*s));
	s->frame = frame;
	s->thread = thread;
	struct gather g = {
	    .ts = ts,
	    .frame = frame,
	    .arena = arena,
	    .scope = s,
	    .end = UINT32_MAX,
	};
	if (frame && frame->pos && frame->pos->module &&
	    MD_TOKEN_RID(frame->pos->token))
		err = scope_gather(&g);
	*ret = s;
	return err;
}
