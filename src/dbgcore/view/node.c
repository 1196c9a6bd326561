/*
 * Nodes: children of values, with names and paths.
 *
 * Children are walked by one function, each_named, that counts or collects,
 * so that the number announced is the number given.
 */
#include "view/view.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "eval/member.h"
#include "view/view_priv.h"

enum {
	BASES_MAX = 1000,
	INDEXED_MAX = 10000, // elements of one request without a count
	PROPERTY_NAME = 1,   // a column, II.22.34
};

struct walk {
	const struct view *w;
	const struct node *parent;
	struct type *declared; /* static type of the parent's place */
	uint64_t first, count; /* of those that are wanted */
	uint64_t n;            /* seen so far */
	struct node *nodes;    /* NULL: only count */
	size_t n_nodes;
};

/* ---- Paths ----------------------------------------------------------- */

/* Does `.x` behind @path bind to the whole of it? */
static bool is_primary(const char *path)
{
	int depth = 0;
	for (size_t i = 0; path[i]; i++) {
		char c = path[i];
		if (c == '(' || c == '[')
			depth++;
		else if (c == ')' || c == ']')
			depth--;
		// What follows a closing parenthesis directly would be the
		// operand of a cast.
		if (c == ')' && depth == 0 && path[i + 1] &&
		    !strchr(".[?)", path[i + 1]))
			return false;
		if (depth == 0 && strchr(" +-*/%&|^<>=!~?:\"'", c))
			return false;
	}
	return true;
}

static const char *primary(const struct view *w, const char *path)
{
	if (!path || is_primary(path))
		return path;
	return arena_printf(w->arena, "(%s)", path);
}

static const char *member_path(struct walk *k, const struct field *f)
{
	const struct view *w = k->w;
	const struct value *v = &k->parent->value;
	if (f->kind != FIELD_INSTANCE)
		return arena_printf(w->arena, "%s.%s", f->owner->name,
				    f->source);
	const char *path = primary(w, k->parent->path);
	if (!path)
		return NULL;
	struct value seen = value_dereference(w->types, v);
	if (!seen.type ||
	    member_same(
		member_field(w->types, k->declared, seen.type, f->source), f))
		return arena_printf(w->arena, "%s.%s", path, f->source);
	return arena_printf(w->arena, "((%s)%s).%s", f->owner->name, path,
			    f->source);
}

/* ---- Named children -------------------------------------------------- */

/* Room for the next child if it is wanted; NULL if only counted. */
static struct node *take(struct walk *k)
{
	uint64_t at = k->n++;
	if (!k->nodes || at < k->first || at - k->first >= k->count)
		return NULL;
	return &k->nodes[k->n_nodes++];
}

/* A field of the same name nearer to the object's own class? */
static bool is_hidden(struct walk *k, struct type *actual,
		      const struct field *f)
{
	const struct field *nearest =
	    type_field(k->w->types, actual, f->source);
	return nearest != f;
}

static void add_field(struct walk *k, struct type *actual,
		      const struct value *seen, const struct field *f)
{
	struct node *to = take(k);
	if (!to)
		return;
	const struct view *w = k->w;
	to->name = f->source;
	if (is_hidden(k, actual, f))
		to->name = arena_printf(w->arena, "%s (%s)", f->source,
					f->owner->name);
	to->path = member_path(k, f);
	if (f->kind == FIELD_INSTANCE) {
		to->value = value_field(w->types, seen, f);
	} else {
		to->value = value_static(w->types, f, w->thread);
		to->is_static = true;
	}
}

static bool is_wanted(const struct field *f, bool statics)
{
	return f->source && statics == (f->kind != FIELD_INSTANCE);
}

/*
 * What a module of F# binds by `let` is a field of another class, which a
 * property of the module returns.
 */
static const struct field *module_value(const struct view *w, struct type *type,
					uint32_t property, const char **ret)
{
	bool found;
	*ret = md_col_string(&type->module->md, MD_PROPERTY, property,
			     PROPERTY_NAME);
	const struct field *f = type_property(w->types, type, *ret, &found);
	return f && f->kind != FIELD_INSTANCE && f->owner != type ? f : NULL;
}

static void add_module_values(struct walk *k, struct type *type)
{
	const struct view *w = k->w;
	uint32_t first, end;
	const char *name;
	if (!fsharp_is_module(type))
		return;
	md_type_properties(&type->module->md, MD_TOKEN_RID(type->token), &first,
			   &end);
	for (uint32_t p = first; p < end; p++) {
		const struct field *f = module_value(w, type, p, &name);
		struct node *to = f ? take(k) : NULL;
		if (!to)
			continue;
		to->name = name;
		to->path = arena_printf(w->arena, "%s.%s", type->name, name);
		to->value = value_static(w->types, f, w->thread);
		to->is_static = true;
	}
}

static void add_fields(struct walk *k, struct type *actual,
		       const struct value *seen, bool statics)
{
	struct type *type = actual;
	for (int i = 0; type && i < BASES_MAX; i++) {
		const struct field *fields;
		size_t n;
		type_fields(k->w->types, type, &fields, &n);
		for (size_t j = 0; j < n; j++) {
			if (is_wanted(&fields[j], statics))
				add_field(k, actual, seen, &fields[j]);
		}
		type = type_parent(k->w->types, type);
	}
}

static bool has_statics(const struct view *w, struct type *type)
{
	for (int i = 0; type && i < BASES_MAX; i++) {
		const struct field *fields;
		size_t n;
		type_fields(w->types, type, &fields, &n);
		for (size_t j = 0; j < n; j++) {
			if (is_wanted(&fields[j], true))
				return true;
		}
		type = type_parent(w->types, type);
	}
	return false;
}

static void add_statics_group(struct walk *k, struct type *type)
{
	if (!has_statics(k->w, type))
		return;
	struct node *to = take(k);
	if (!to)
		return;
	to->kind = NODE_STATICS;
	to->name = "static members";
	to->group = type;
}

static void add_tuple(struct walk *k, const struct value *seen)
{
	const struct view *w = k->w;
	size_t n = member_tuple_count(seen->type);
	for (size_t i = 0; i < n; i++) {
		struct node *to = take(k);
		if (!to)
			continue;
		bool named = seen->names && i < seen->n_names &&
			     i < seen->type->n_args && seen->names[i];
		to->name = named ? seen->names[i]
				 : arena_printf(w->arena, "Item%zu", i + 1);
		to->value = member_tuple(w->types, seen, i);
		const char *path = primary(w, k->parent->path);
		if (path)
			to->path =
			    arena_printf(w->arena, "%s.%s", path, to->name);
	}
}

static void add_target(struct walk *k, const struct value *seen)
{
	uint64_t addr;
	struct type *inner = seen->type->inner;
	if (!inner || inner->kind == TYPE_VOID ||
	    !value_pointer(k->w->types, seen, &addr) || !addr)
		return;
	struct node *to = take(k);
	if (!to)
		return;
	const char *path = k->parent->path;
	to->name = arena_printf(k->w->arena, "*%s", k->parent->name);
	to->value = value_target(k->w->types, seen);
	if (path)
		to->path =
		    arena_printf(k->w->arena, "*%s", primary(k->w, path));
}

/* What a ThreadLocal<T> holds in the thread that is looked at. */
static void add_thread_value(struct walk *k, const struct value *seen)
{
	struct node *to = take(k);
	if (!to)
		return;
	const struct view *w = k->w;
	const char *path = primary(w, k->parent->path);
	to->name = "Value";
	to->value = value_thread_local(w->types, seen, w->thread);
	if (path)
		to->path = arena_printf(w->arena, "%s.Value", path);
}

static void add_members(struct walk *k, const struct value *seen)
{
	struct elements els;
	if (seen->type->special == SPECIAL_STRING ||
	    seen->type->special == SPECIAL_NULLABLE ||
	    wellknown_scalar(seen->type) || view_elements(k->w, seen, &els))
		return;
	if (seen->type->special == SPECIAL_TUPLE) {
		add_tuple(k, seen);
		return;
	}
	if (type_is_thread_local(k->w->types, seen->type))
		add_thread_value(k, seen);
	add_fields(k, seen->type, seen, false);
	add_statics_group(k, seen->type);
}

/* @seen: what the parent is seen as, unless it is a group. */
static void each_named(struct walk *k, const struct value *seen)
{
	const struct node *node = k->parent;
	if (node->kind == NODE_STATICS) {
		add_fields(k, node->group, NULL, true);
		add_module_values(k, node->group);
		return;
	}
	if (seen->where == VALUE_ABSENT || value_is_null(k->w->types, seen))
		return;
	k->declared = node->value.type;
	if (k->declared && k->declared->kind == TYPE_BYREF)
		k->declared = k->declared->inner;
	if (seen->type->kind == TYPE_POINTER)
		add_target(k, seen);
	else if (seen->type->kind == TYPE_CLASS ||
		 seen->type->kind == TYPE_STRUCT)
		add_members(k, seen);
}

/* ---- Indexed children ------------------------------------------------ */

static const char *join(const struct view *w, const char *a, const char *b)
{
	size_t n_a = strlen(a), n_b = strlen(b);
	char *joined = arena_alloc(w->arena, n_a + n_b + 1);
	memcpy(joined, a, n_a);
	memcpy(joined + n_a, b, n_b);
	return joined;
}

/* "[1, 2]" of a flat index. */
static void index_name(const struct elements *els, uint64_t flat,
		       struct str *out)
{
	int64_t index[ARRAY_RANK_MAX];
	if (els->plain) {
		str_addc(out, '[');
		str_addu(out, flat);
		str_addc(out, ']');
		return;
	}
	for (uint32_t i = els->rank; i-- > 0;) {
		index[i] = els->lower[i] + (int64_t)(flat % els->lengths[i]);
		flat /= els->lengths[i];
	}
	for (uint32_t i = 0; i < els->rank; i++)
		str_addf(out, "%s%" PRId64, i ? ", " : "[", index[i]);
	str_addc(out, ']');
}

static void indexed(const struct view *w, const struct node *node,
		    uint64_t first, uint64_t count, struct node **ret,
		    size_t *ret_n)
{
	struct elements els;
	struct value seen = view_seen(w, &node->value);
	*ret_n = 0;
	*ret = NULL;
	if (!view_elements(w, &seen, &els) || first >= els.n)
		return;
	if (count == 0 || count > INDEXED_MAX)
		count = INDEXED_MAX;
	if (count > els.n - first)
		count = els.n - first;
	struct node *nodes = arena_calloc(w->arena, count, sizeof(nodes[0]));
	const char *path = primary(w, node->path);
	_cleanup_str_ struct str name = {0};
	for (uint64_t i = 0; i < count; i++) {
		str_clear(&name);
		index_name(&els, first + i, &name);
		nodes[i].name = arena_strdup(w->arena, str_get(&name));
		nodes[i].value = element_get(&els, first + i);
		if (path)
			nodes[i].path = join(w, path, nodes[i].name);
	}
	*ret = nodes;
	*ret_n = count;
}

/* ---- The room's functions -------------------------------------------- */

void view_children(const struct view *w, const struct node *node,
		   enum dbg_children kind, uint64_t first, uint32_t count,
		   struct node **ret, size_t *ret_n)
{
	if (kind == DBG_CHILDREN_INDEXED && node->kind == NODE_VALUE) {
		indexed(w, node, first, count, ret, ret_n);
		return;
	}
	struct walk k = {.w = w, .parent = node};
	struct value seen = {0};
	if (node->kind == NODE_VALUE)
		seen = view_seen(w, &node->value);
	if (kind == DBG_CHILDREN_NAMED)
		each_named(&k, &seen);
	uint64_t n = k.n;
	*ret = NULL;
	*ret_n = 0;
	if (first >= n)
		return;
	struct walk all = {.w = w, .parent = node, .first = first};
	all.count = count && count < n - first ? count : n - first;
	all.nodes = arena_calloc(w->arena, all.count, sizeof(all.nodes[0]));
	each_named(&all, &seen);
	*ret = all.nodes;
	*ret_n = all.n_nodes;
}

static uint64_t address_of(const struct view *w, const struct value *seen)
{
	uint64_t addr;
	if (seen->where == VALUE_ABSENT || seen->where == VALUE_TEXT)
		return 0;
	// Of an object its own address, not that of the reference.
	if (seen->type->kind == TYPE_CLASS)
		return value_pointer(w->types, seen, &addr) ? addr : 0;
	return seen->where == VALUE_MEMORY ? seen->addr : 0;
}

/* Name of the type of the place @v, if what @at it is has another. */
static const char *declared_name(const struct value *v, const struct value *at)
{
	const struct type *type = v->type;
	if (type && type->kind == TYPE_BYREF)
		type = type->inner;
	return type && at->type && at->where != VALUE_ABSENT &&
		       type->kind == TYPE_CLASS && type != at->type &&
		       strcmp(type->name, at->type->name)
		   ? type->name
		   : NULL;
}

static enum dbg_value_kind kind_of(const struct view *w,
				   const struct value *seen)
{
	struct elements els;
	if (seen->where == VALUE_ABSENT)
		return DBG_VALUE_ABSENT;
	if (seen->type->kind == TYPE_ENUM)
		return DBG_VALUE_ENUM;
	if ((seen->type->kind != TYPE_CLASS &&
	     seen->type->kind != TYPE_STRUCT) ||
	    seen->type->special == SPECIAL_NULLABLE ||
	    wellknown_scalar(seen->type) || value_is_null(w->types, seen))
		return DBG_VALUE_SCALAR;
	if (seen->type->special == SPECIAL_STRING)
		return DBG_VALUE_STRING;
	if (view_elements(w, seen, &els))
		return seen->type->kind == TYPE_STRUCT && view_is_text(&els)
			   ? DBG_VALUE_STRING
			   : DBG_VALUE_ARRAY;
	return type_is_delegate(w->types, seen->type) ? DBG_VALUE_DELEGATE
						      : DBG_VALUE_OBJECT;
}

void view_describe(const struct view *w, const struct node *node,
		   struct dbg_value *ret)
{
	memset(ret, 0, sizeof(*ret));
	struct walk k = {.w = w, .parent = node};
	struct value at = {0}, seen = {0};
	if (node->kind == NODE_VALUE) {
		at = value_dereference(w->types, &node->value);
		seen = view_open(w, &at);
	}
	each_named(&k, &seen);
	ret->n_named = (uint32_t)k.n;
	ret->name = node->name ? node->name : "";
	ret->path = node->path;
	ret->is_static = node->is_static;
	ret->kind = DBG_VALUE_GROUP;
	ret->brief = true;
	ret->type = "";
	ret->text = "";
	if (node->kind == NODE_STATICS)
		return;
	_cleanup_str_ struct str text = {0};
	ret->brief = view_text_seen(w, &seen, &text);
	ret->kind = kind_of(w, &seen);
	ret->text = arena_strdup(w->arena, str_get(&text));
	ret->type = at.type ? at.type->name : "";
	ret->addr = address_of(w, &seen);
	if (ret->addr && seen.type->kind != TYPE_CLASS)
		ret->size = seen.type->size;
	struct elements els;
	if (view_elements(w, &seen, &els)) {
		ret->n_indexed = els.n;
		ret->data = els.addr;
	} else if (seen.where != VALUE_ABSENT &&
		   seen.type->kind == TYPE_POINTER)
		(void)value_pointer(w->types, &seen, &ret->data);
	ret->declared = declared_name(&node->value, &at);
}

void view_statics(const struct view *w, struct type *type, struct node **ret,
		  size_t *ret_n)
{
	struct node group = {.kind = NODE_STATICS, .group = type};
	view_children(w, &group, DBG_CHILDREN_NAMED, 0, 0, ret, ret_n);
}

// Move the last of @n nodes in front of those whose blocks end behind its own.
static void sort_in(struct node *nodes, uint32_t *ends, size_t n)
{
	for (size_t i = n - 1; i && ends[i - 1] > ends[i]; i--) {
		struct node node = nodes[i];
		uint32_t end = ends[i];

		nodes[i] = nodes[i - 1];
		ends[i] = ends[i - 1];
		nodes[i - 1] = node;
		ends[i - 1] = end;
	}
}

void view_scope(const struct view *w, const struct scope *s,
		enum dbg_scope which, struct node **ret, size_t *ret_n)
{
	struct node *nodes =
	    arena_calloc(w->arena, s->n_vars + 1, sizeof(nodes[0]));
	uint32_t *ends = arena_calloc(w->arena, s->n_vars + 1, sizeof(ends[0]));
	size_t n = 0;
	for (size_t i = 0; i < s->n_vars; i++) {
		const struct var *v = &s->vars[i];
		bool arg = v->kind == VAR_THIS || v->kind == VAR_ARG;
		if (which != DBG_SCOPE_ALL && arg != (which == DBG_SCOPE_ARGS))
			continue;
		nodes[n].name = v->name;
		nodes[n].path = v->name;
		nodes[n].value = v->value;
		ends[n++] = v->end;
		if (which == DBG_SCOPE_LOCALS)
			sort_in(nodes, ends, n);
	}
	*ret = nodes;
	*ret_n = n;
}
