/*
 * Named children of values: fields, properties, what a proxy shows instead,
 * and the groups beside them (static members, what is not public, the raw
 * view).
 *
 * Children are walked by one function, named_each, that counts or collects,
 * so that the number announced is the number given. What has to be interpreted
 * is interpreted only for those that are collected.
 */
#include "view/named.h"

#include <string.h>

#include "base/mem.h"
#include "eval/member.h"
#include "view/proxy.h"
#include "view/view_priv.h"

enum {
	BASES_MAX = 1000,
	ROOTS_MAX = 4,     // root-hidden members in each other
	PROPERTY_NAME = 1, // a column, II.22.34
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

const char *named_primary(const struct view *w, const char *path)
{
	struct form form;
	if (!path)
		return NULL;
	path = arena_strndup(w->arena, path, form_parse(path, &form));
	return is_primary(path) ? path : arena_printf(w->arena, "(%s)", path);
}

static const char *member_path(struct walk *k, const struct field *f)
{
	const struct view *w = k->w;
	const struct value *v = &k->parent->value;
	if (f->kind != FIELD_INSTANCE)
		return arena_printf(w->arena, "%s.%s",
				    value_type_name(f->owner), f->source);
	const char *path = named_primary(w, k->parent->path);
	if (!path)
		return NULL;
	struct value seen = value_dereference(w->values, v);
	if (!seen.type ||
	    member_same(
		member_field(w->values, k->declared, seen.type, f->source), f))
		return arena_printf(w->arena, "%s.%s", path, f->source);
	return arena_printf(w->arena, "((%s)%s).%s", value_type_name(f->owner),
			    path, f->source);
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

static void fill_field(struct walk *k, const struct value *seen,
		       const struct field *f, bool hidden, struct node *to)
{
	const struct view *w = k->w;
	to->name = f->source;
	if (hidden)
		to->name = arena_printf(w->arena, "%s (%s)", f->source,
					value_type_name(f->owner));
	to->path = member_path(k, f);
	if (f->kind == FIELD_INSTANCE) {
		to->value = value_field(w->values, seen, f);
	} else {
		to->value = value_static(w->values, f, w->thread);
		to->is_static = true;
	}
}

static void add_field(struct walk *k, const struct value *seen,
		      const struct field *f, bool hidden)
{
	struct node *to = take(k);
	if (to)
		fill_field(k, seen, f, hidden, to);
}

/* ---- Members --------------------------------------------------------- */

/* Which members are meant, of the value or of what stands for it. */
enum which {
	WHICH_PUBLIC, /* of what stands for it */
	WHICH_OWN,
	WHICH_OTHERS, /* that are apart */
	WHICH_STATIC,
	WHICH_OTHER_STATICS,
};

static bool is_of_others(enum which which)
{
	return which == WHICH_OTHERS || which == WHICH_OTHER_STATICS;
}

static bool is_of_statics(enum which which)
{
	return which == WHICH_STATIC || which == WHICH_OTHER_STATICS;
}

/* What is not public of a class that is not the user's own is apart. */
static bool is_apart(const struct walk *k, const struct member *m)
{
	return k->w->editor && !m->is_public && !k->parent->form.hidden &&
	       !look_is_users(k->w, m->owner);
}

/*
 * Properties are for who unfolds one level at a time, and for what has nothing
 * else.
 */
static bool is_wanted(const struct walk *k, const struct member *m,
		      enum which which, bool of_proxy)
{
	const struct view *w = k->w;
	if (m->browse == BROWSE_NEVER && !w->raw && !k->parent->form.hidden)
		return false;
	if (m->is_static != is_of_statics(which))
		return false;
	if (!m->field && !w->properties && !k->bare && !of_proxy)
		return false;
	return which == WHICH_PUBLIC ? m->is_public
				     : is_apart(k, m) == is_of_others(which);
}

static const char *property_path(struct walk *k, const struct member *m)
{
	const struct view *w = k->w;
	if (m->is_static)
		return arena_printf(w->arena, "%s.%s",
				    value_type_name(m->owner), m->name);
	const char *path = named_primary(w, k->parent->path);
	// an interface's, implemented by its full name
	const char *dot = strrchr(m->name, '.');
	if (!path)
		return NULL;
	if (dot)
		return arena_printf(w->arena, "((%.*s)%s).%s",
				    (int)(dot - m->name), m->name, path,
				    dot + 1);
	if (!m->hidden && k->declared &&
	    value_type_derives(w->values, k->declared, m->owner))
		return arena_printf(w->arena, "%s.%s", path, m->name);
	return arena_printf(w->arena, "((%s)%s).%s", value_type_name(m->owner),
			    path, m->name);
}

/* Names as the property declares them, or as @self has them. */
static void name_tuples(const struct view *w, const struct member *m,
			const struct value *self, struct value *v)
{
	size_t n;
	if (!v->type || !tuple_is_in(v->type) || !m->owner->module)
		return;
	const char *const *names =
	    tuple_names(&m->owner->module->md, m->token, w->arena, &n);
	if (names)
		value_name(v, names, n);
	value_inherit_names(self, v);
}

static void fill_property(struct walk *k, const struct value *self,
			  const struct member *m, bool of_proxy,
			  struct node *to)
{
	to->name = m->name;
	if (m->hidden)
		to->name = arena_printf(k->w->arena, "%s (%s)", m->name,
					value_type_name(m->owner));
	to->is_static = m->is_static;
	to->why = member_value(k->w, m, self, &to->value, &to->needs_call);
	name_tuples(k->w, m, self, &to->value);
	if (!of_proxy)
		to->path = property_path(k, m);
}

static void fill_member(struct walk *k, const struct value *self,
			const struct member *m, bool of_proxy, struct node *to)
{
	bool getter = of_proxy || (m->getter && k->w->editor);
	if (m->field && !getter)
		fill_field(k, self, m->field, m->hidden, to);
	else
		fill_property(k, self, m, of_proxy, to);
}

/* Has it named children, and no rows? */
static bool is_plain_object(const struct view *w, const struct value *seen)
{
	struct elements els;
	uint64_t n;
	if (seen->where == VALUE_ABSENT || value_is_null(w->values, seen) ||
	    view_elements(w, seen, &els))
		return false;
	struct look *look = look_get(w, seen->type);
	return !look || !proxy_count(w, look, seen, &n);
}

/*
 * A member whose author wants its children in its place. Elements are the rows
 * of the parent; what has no children is shown itself.
 */
static void add_root(struct walk *k, const struct value *self,
		     const struct member *m, bool of_proxy)
{
	struct look *look = look_get(k->w, k->seen->type);
	struct node node = {0};
	if (look && proxy_shows_rows(k->w, look, k->seen, m))
		return;
	fill_member(k, self, m, of_proxy, &node);
	struct value seen = {0};
	if (!node.why)
		seen = view_seen(k->w, &node.value);
	struct walk inner = *k;
	inner.parent = &node;
	if (inner.depth++ < ROOTS_MAX && is_plain_object(k->w, &seen))
		named_each(&inner, &seen);
	if (inner.n > k->n) {
		k->n = inner.n;
		k->n_nodes = inner.n_nodes;
		return;
	}
	struct node *to = take(k);
	if (to)
		*to = node;
}

static void add_looked(struct walk *k, struct look *look,
		       const struct value *self, enum which which,
		       bool of_proxy)
{
	const struct member *all;
	size_t n;
	look_members(k->w, look, &all, &n);
	for (size_t i = 0; i < n; i++) {
		if (!is_wanted(k, &all[i], which, of_proxy))
			continue;
		bool is_root = all[i].browse == BROWSE_ROOT_HIDDEN &&
			       !all[i].is_static && !k->w->raw;
		struct node *to = is_root ? NULL : take(k);
		if (is_root)
			add_root(k, self, &all[i], of_proxy);
		else if (to)
			fill_member(k, self, &all[i], of_proxy, to);
	}
}

/* Without a look: fields alone. */
static void add_fields(struct walk *k, struct type *actual,
		       const struct value *seen, bool statics)
{
	struct type *type = actual;
	for (int i = 0; type && i < BASES_MAX; i++) {
		const struct field *fields;
		size_t n;
		value_type_fields(k->w->values, type, &fields, &n);
		for (size_t j = 0; j < n; j++) {
			const struct field *f = &fields[j];
			if (f->source && statics == (f->kind != FIELD_INSTANCE))
				add_field(k, seen, f,
					  value_type_field(k->w->values, actual,
							   f->source) != f);
		}
		type = value_type_parent(k->w->values, type);
	}
}

static void add_which(struct walk *k, struct type *type,
		      const struct value *seen, enum which which)
{
	struct look *look = look_get(k->w, type);
	struct view authors = *k->w;
	// what is shown raw has its properties, too, if they are asked for
	authors.raw = false;
	if (!look && (k->w->properties || k->bare))
		look = look_get(&authors, type);
	if (look)
		add_looked(k, look, seen, which, false);
	else if (!is_of_others(which))
		add_fields(k, type, seen, which == WHICH_STATIC);
}

/* Are there any? */
static bool has_which(const struct walk *k, struct type *type,
		      const struct value *seen, enum which which)
{
	struct walk count = {.w = k->w, .parent = k->parent, .seen = k->seen};
	add_which(&count, type, seen, which);
	return count.n > 0;
}

static void add_group(struct walk *k, enum node_kind kind, const char *name,
		      struct type *type)
{
	// A member whose children are in its place has none of these two.
	if (k->depth && (kind == NODE_STATICS || kind == NODE_RAW))
		return;
	struct node *to = take(k);
	if (!to)
		return;
	to->kind = kind;
	to->name = name;
	to->group = type;
	to->value = k->parent->value;
	to->path = kind == NODE_STATICS ? NULL : k->parent->path;
	to->form.hidden = k->parent->form.hidden;
	if (kind == NODE_RAW && to->path)
		to->path = arena_printf(k->w->arena, "%s,raw", to->path);
	if (kind == NODE_RESULTS && to->path)
		to->path = arena_printf(k->w->arena, "%s,results", to->path);
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
	const struct field *f =
	    value_type_property(w->values, type, *ret, &found);
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
	for (uint32_t i = first; i < end; i++) {
		uint32_t p =
		    md_member(&type->module->md, MD_LIST_PROPERTIES, i);

		const struct field *f = module_value(w, type, p, &name);
		struct node *to = f ? take(k) : NULL;
		if (!to)
			continue;
		to->name = name;
		to->path = arena_printf(w->arena, "%s.%s",
					value_type_name(type), name);
		to->value = value_static(w->values, f, w->thread);
		to->is_static = true;
	}
}

static void add_tuple(struct walk *k, const struct value *seen)
{
	const struct view *w = k->w;
	size_t n = tuple_count(seen->type);
	for (size_t i = 0; i < n; i++) {
		struct node *to = take(k);
		if (!to)
			continue;
		to->name = value_element_name(seen, i);
		if (!to->name)
			to->name = arena_printf(w->arena, "Item%zu", i + 1);
		to->value = member_tuple(w->values, seen, i);
		const char *path = named_primary(w, k->parent->path);
		if (path)
			to->path =
			    arena_printf(w->arena, "%s.%s", path, to->name);
	}
}

static void add_target(struct walk *k, const struct value *seen)
{
	uint64_t addr;
	struct type *inner = seen->type->inner;
	if (!inner || inner->elem == ELEM_VOID ||
	    !value_pointer(k->w->values, seen, &addr) || !addr)
		return;
	struct node *to = take(k);
	if (!to)
		return;
	const char *path = k->parent->path;
	to->name = arena_printf(k->w->arena, "*%s", k->parent->name);
	to->value = value_target(k->w->values, seen);
	if (path)
		to->path =
		    arena_printf(k->w->arena, "*%s", named_primary(k->w, path));
}

/* What a ThreadLocal<T> holds in the thread that is looked at. */
static void add_thread_value(struct walk *k, const struct value *seen)
{
	struct node *to = take(k);
	if (!to)
		return;
	const struct view *w = k->w;
	const char *path = named_primary(w, k->parent->path);
	to->name = "Value";
	to->value = value_thread_local(w->values, seen, w->thread);
	if (path)
		to->path = arena_printf(w->arena, "%s.Value", path);
}

static bool has_fields(const struct view *w, struct type *type)
{
	for (int i = 0; type && i < BASES_MAX; i++) {
		const struct field *fields;
		size_t n;
		value_type_fields(w->values, type, &fields, &n);
		for (size_t j = 0; j < n; j++)
			if (fields[j].kind == FIELD_INSTANCE)
				return true;
		type = value_type_parent(w->values, type);
	}
	return false;
}

static void add_object(struct walk *k, const struct value *seen)
{
	struct type *type = seen->type;
	struct look *look = k->w->editor ? look_get(k->w, type) : NULL;
	k->bare = !has_fields(k->w, type);
	add_which(k, type, seen, WHICH_OWN);
	k->bare = false;
	if (has_which(k, type, NULL, WHICH_STATIC) ||
	    has_which(k, type, NULL, WHICH_OTHER_STATICS))
		add_group(k, NODE_STATICS, "static members", type);
	if (has_which(k, type, seen, WHICH_OTHERS))
		add_group(k, NODE_OTHERS, "non-public members", type);
	if (look && look->list)
		add_group(k, NODE_RESULTS, "Results View", type);
}

/* The members of the proxy that @look names, without making it. */
static void count_proxied(struct walk *k, const struct look *look)
{
	struct type *type = value_type_closed(look->proxy->owner);
	struct look *of = type ? look_get(k->w, type) : NULL;
	if (of)
		add_looked(k, of, NULL, WHICH_PUBLIC, true);
}

/* What a proxy shows in the place of @seen; false: it has none. */
static bool add_proxied(struct walk *k, const struct value *seen)
{
	struct look *look = look_get(k->w, seen->type);
	if (!look || !look->proxy)
		return false;
	if (!k->nodes && proxy_is_counted(look)) {
		count_proxied(k, look);
	} else {
		const struct proxy *p = proxy_get(k->w, look, seen);
		if (p && !p->why)
			add_looked(k, p->look, &p->subject, WHICH_PUBLIC, true);
	}
	if (k->w->editor)
		add_group(k, NODE_RAW, "Raw View", seen->type);
	return true;
}

static void add_members(struct walk *k, const struct value *seen)
{
	struct elements els;
	if (seen->type->special == TYPE_SPECIAL_STRING ||
	    seen->type->special == TYPE_SPECIAL_NULLABLE ||
	    wellknown_scalar(seen->type) || view_elements(k->w, seen, &els))
		return;
	if (seen->type->special == TYPE_SPECIAL_TUPLE) {
		add_tuple(k, seen);
		return;
	}
	bool raw = k->parent->kind == NODE_RAW || k->parent->form.raw;
	if (!raw && add_proxied(k, seen))
		return;
	if (value_type_is_thread_local(k->w->values, seen->type))
		add_thread_value(k, seen);
	add_object(k, seen);
}

static void add_statics(struct walk *k, struct type *type)
{
	add_which(k, type, NULL, WHICH_STATIC);
	add_module_values(k, type);
	if (has_which(k, type, NULL, WHICH_OTHER_STATICS))
		add_group(k, NODE_OTHER_STATICS, "non-public members", type);
}

void named_each(struct walk *k, const struct value *seen)
{
	const struct node *node = k->parent;
	if (node->kind == NODE_STATICS) {
		add_statics(k, node->group);
		return;
	}
	if (node->kind == NODE_OTHER_STATICS) {
		add_which(k, node->group, NULL, WHICH_OTHER_STATICS);
		return;
	}
	if (seen->where == VALUE_ABSENT || value_is_null(k->w->values, seen))
		return;
	k->seen = seen;
	k->declared = node->value.type;
	if (k->declared && k->declared->kind == TYPE_KIND_BYREF)
		k->declared = k->declared->inner;
	if (node->kind == NODE_OTHERS)
		add_which(k, seen->type, seen, WHICH_OTHERS);
	else if (type_is_pointer(seen->type))
		add_target(k, seen);
	else if (seen->type->is_reference ||
		 seen->type->kind == TYPE_KIND_STRUCT)
		add_members(k, seen);
}
