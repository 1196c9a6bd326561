/*
 * Nodes: what the API tells of a value, and its children, those in rows
 * included: elements of arrays, and of what a proxy shows as rows.
 */
#include "view/view.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "eval/member.h"
#include "view/proxy.h"
#include "view/view_priv.h"

/* ---- Names ----------------------------------------------------------- */

/*
 * Named children of values: fields, properties, what a proxy shows instead,
 * and the groups beside them (static members, what is not public, the raw
 * view).
 *
 * Children are walked by one function, named_each, that counts or collects,
 * so that the number announced is the number given. What has to be interpreted
 * is interpreted only for those that are collected.
 */

struct walk {
	const struct view *w;
	const struct node *parent;
	const struct value *seen; /* the parent, or what a member of it is */
	struct type *declared;    /* static type of the parent's place */
	bool bare;          /* it has no fields: properties are its members */
	unsigned int depth; /* members whose children are in their place */
	uint64_t first, count; /* of those that are wanted */
	uint64_t n;            /* seen so far */
	struct node *nodes;    /* NULL: only count */
	size_t n_nodes;
};

static void named_each(struct walk *k, const struct value *seen);

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

/* @path, so that `.x` behind it binds to the whole of it; NULL stays NULL. */
static const char *named_primary(const struct view *w, const char *path)
{
	struct form form;
	if (!path)
		return NULL;
	path = arena_strndup(w->arena, path, form_parse(path, &form));
	return is_primary(path) ? path : arena_printf(w->arena, "(%s)", path);
}

static bool is_in_name(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c & 0x80;
}

/*
 * Can C# say it? Not the names that compilers make: "<>f__AnonymousType0<int>",
 * VB$AnonymousType_0, add@94, "Pipe #1 input at line 9".
 */
static bool is_speakable(const char *name)
{
	for (size_t i = 0; name[i]; i++) {
		char before = i ? name[i - 1] : '.';
		if (strchr("$@#|`-!", name[i]) ||
		    (name[i] == '<' &&
		     (!is_in_name(before) || name[i + 1] == '>')) ||
		    (name[i] == '>' && is_in_name(name[i + 1])))
			return false;
	}
	return true;
}

static bool is_identifier(const char *name)
{
	return is_speakable(name) && !strchr(name, ' ');
}

/* The static @name of @type; NULL: it has none that C# can say. */
static const char *static_path(const struct view *w, const char *type,
			       const char *name)
{
	return is_speakable(type) && is_identifier(name)
		   ? arena_printf(w->arena, "%s.%s", type, name)
		   : NULL;
}

/* The member @name of the value at @path, known as of @type. */
static const char *cast_path(const struct view *w, const char *type,
			     const char *path, const char *name, bool hidden)
{
	if (!is_identifier(name) || (hidden && !is_speakable(type)))
		return NULL;
	return arena_printf(w->arena, "((%s)%s).%s",
			    is_speakable(type) ? type : "dynamic", path, name);
}

static const char *member_path(struct walk *k, const struct field *f)
{
	const struct view *w = k->w;
	const struct value *v = &k->parent->value;
	if (f->kind != FIELD_INSTANCE)
		return static_path(w, value_type_name(f->owner), f->source);
	const char *path = named_primary(w, k->parent->path);
	if (!path)
		return NULL;
	struct value seen = value_dereference(w->values, v);
	if (!seen.type ||
	    member_same(
		member_field(w->values, k->declared, seen.type, f->source), f))
		return arena_printf(w->arena, "%s.%s", path, f->source);
	return cast_path(w, value_type_name(f->owner), path, f->source, true);
}

/* ---- Named children -------------------------------------------------- */

/* Room for the next child if it is wanted; NULL if only counted. */
static struct node *child_slot(struct walk *k)
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
	struct node *to = child_slot(k);
	if (to)
		fill_field(k, seen, f, hidden, to);
}

/* ---- Members --------------------------------------------------------- */

/* Which members are asked for, of the value or of its proxy. */
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

/*
 * Is the member shown apart, in a group: not public, in a class that is not the
 * user's own?
 */
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
		return static_path(w, value_type_name(m->owner), m->name);
	const char *path = named_primary(w, k->parent->path);
	// an interface's, implemented by its full name
	const char *dot = strrchr(m->name, '.');
	if (!path)
		return NULL;
	if (dot) {
		// the alias of the source ("pb::") is nowhere else
		const char *from = strstr(m->name, "::");
		from = from ? from + 2 : m->name;
		return cast_path(
		    w, arena_strndup(w->arena, from, (size_t)(dot - from)),
		    path, dot + 1, true);
	}
	if (!m->hidden && k->declared &&
	    value_type_derives(w->values, k->declared, m->owner))
		return arena_printf(w->arena, "%s.%s", path, m->name);
	return cast_path(w, value_type_name(m->owner), path, m->name,
			 m->hidden);
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

/* Does the value have only named children, and no rows? */
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
	struct node *to = child_slot(k);
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
		struct node *to = is_root ? NULL : child_slot(k);
		if (is_root)
			add_root(k, self, &all[i], of_proxy);
		else if (to)
			fill_member(k, self, &all[i], of_proxy, to);
	}
}

/* Add the fields of a type that has no look (attributes, properties). */
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
	// The properties of a value shown raw are shown as well if they are
	// asked for.
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
	struct node *to = child_slot(k);
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
		to->path = arena_printf(k->w->arena, "%s,results",
					named_primary(k->w, to->path));
}

/*
 * Get the value that an F# module binds by `let`: a field of another class,
 * which a property of the module returns. NULL: the property is none of these.
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
		struct node *to = f ? child_slot(k) : NULL;
		if (!to)
			continue;
		to->name = name;
		to->path = static_path(w, value_type_name(type), name);
		to->value = value_static(w->values, f, w->thread);
		to->is_static = true;
	}
}

static void add_tuple(struct walk *k, const struct value *seen)
{
	const struct view *w = k->w;
	size_t n = tuple_count(seen->type);
	for (size_t i = 0; i < n; i++) {
		struct node *to = child_slot(k);
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
	struct node *to = child_slot(k);
	if (!to)
		return;
	const char *path = k->parent->path;
	to->name = arena_printf(k->w->arena, "*%s", k->parent->name);
	to->value = value_target(k->w->values, seen);
	if (path)
		to->path =
		    arena_printf(k->w->arena, "*%s", named_primary(k->w, path));
}

/* Add the value of a ThreadLocal<T> in the selected thread. */
static void add_thread_value(struct walk *k, const struct value *seen)
{
	struct node *to = child_slot(k);
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

/* Add what the proxy of @seen shows; false: it has none. */
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

/*
 * Walk the named children of k->parent; @seen: what it is seen as, unless it
 * is a group of statics.
 */
static void named_each(struct walk *k, const struct value *seen)
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

/* ---- Nodes ----------------------------------------------------------- */

enum {
	INDEXED_MAX = 10000, // elements of one request without a count
	KEY_MAX = 1000,      // characters of a key
	KEY_PARTS_MAX = 7,   // elements of a tuple without Rest
};

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

struct rows {
	struct elements els;
	const struct look *look; /* of what they are rows of; NULL: an array */
	const char *why;         /* there should be some, but they failed */
};

/* Get the elements that a pointer leads to, as many as the form asks for. */
static bool pointed_rows(const struct view *w, const struct node *node,
			 const struct value *seen, struct elements *ret)
{
	if (!node->form.count || !type_is_pointer(seen->type) ||
	    !seen->type->inner || !type_size(seen->type->inner) ||
	    !value_pointer(w->values, seen, &ret->addr) || !ret->addr)
		return false;
	ret->type = seen->type->inner;
	ret->size = type_size(ret->type);
	ret->n = node->form.count;
	ret->rank = 1;
	ret->plain = true;
	ret->lengths[0] = node->form.count;
	return true;
}

/* Or is it members of a type? */
static bool has_value(const struct node *node)
{
	return node->kind != NODE_STATICS && node->kind != NODE_OTHER_STATICS;
}

static bool is_enumerated(const struct node *node)
{
	return node->kind == NODE_RESULTS || node->form.results;
}

/* Elements of the value, or of what stands for it; false: there are none. */
static bool find_rows(const struct view *w, const struct node *node,
		      const struct value *seen, struct rows *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (seen->where == VALUE_ABSENT || value_is_null(w->values, seen))
		return false;
	bool has =
	    !is_enumerated(node) && (view_elements(w, seen, &ret->els) ||
				     pointed_rows(w, node, seen, &ret->els));
	struct look *look = has ? NULL : look_get(w, seen->type);
	if (look) {
		const struct proxy *p = is_enumerated(node)
					    ? proxy_results(w, look, seen)
					    : proxy_get(w, look, seen);
		has = p && (p->has_rows || p->why);
		if (has) {
			ret->els = p->rows;
			ret->why = p->why;
		}
		ret->look = look;
	}
	if (node->form.count && ret->els.n > node->form.count)
		ret->els.n = node->form.count;
	return has;
}

/*
 * An expression for the element of a collection that has an indexer; @key: the
 * index, if its name is none.
 */
static const char *indexer_path(const struct view *w, const struct look *look,
				const char *path, const char *name,
				const char *key)
{
	bool is_key = name[0] == '[' && (name[1] == '"' || name[1] == '-' ||
					 (name[1] >= '0' && name[1] <= '9'));
	if (!path || !(key || is_key) || !(look->is_list || look->is_map) ||
	    str_ends(name, "...]"))
		return NULL;
	return join(w, path, key ? key : name);
}

static const struct field *pair_field(const struct view *w, struct type *type,
				      const char *name, const char *property)
{
	const struct field *f = value_type_field(w->values, type, name);
	return f ? f : value_type_field(w->values, type, property);
}

static const char *key_index(const struct view *w, const struct value *key);

/* Add @key as an expression, if it is a number or a text. */
static bool add_key(const struct view *w, const struct value *key,
		    struct str *out)
{
	const char *index = key_index(w, key);
	struct value at = view_seen(w, key);
	uint64_t n;
	if (index) {
		str_addn(out, index + 1, strlen(index) - 2);
		return true;
	}
	if (!at.type || (at.type->special != TYPE_SPECIAL_STRING &&
			 !value_integer(w->values, &at, &n)))
		return false;
	view_text(w, &at, out);
	return !str_ends(str_get(out), "...");
}

/* "[(1, "a")]" of a tuple of such keys; NULL: it is none. */
static const char *tuple_index(const struct view *w, const struct value *tuple)
{
	_cleanup_str_ struct str text = {0};
	size_t n = tuple_count(tuple->type);
	if (n < 2 || n > KEY_PARTS_MAX)
		return NULL;
	for (size_t i = 1; i <= n; i++) {
		char name[] = {'I', 't', 'e', 'm', (char)('0' + i), 0};
		const struct field *f =
		    value_type_field(w->values, tuple->type, name);
		if (!f)
			return NULL;
		struct value part = value_field(w->values, tuple, f);
		str_add(&text, i == 1 ? "[(" : ", ");
		if (!add_key(w, &part, &text))
			return NULL;
	}
	return arena_printf(w->arena, "%s)]", str_get(&text));
}

/*
 * "[(Color)1]" of a key whose text is none in C#, "[(1, 2)]" of a tuple; NULL:
 * see indexer_path.
 */
static const char *key_index(const struct view *w, const struct value *key)
{
	struct value at = view_seen(w, key);
	uint64_t n;
	if (!at.type || at.where == VALUE_ABSENT)
		return NULL;
	if (tuple_count(at.type))
		return tuple_index(w, &at);
	if (!value_integer(w->values, &at, &n))
		return NULL;
	if (at.type->elem == ELEM_BOOLEAN)
		return n ? "[true]" : "[false]";
	if (at.type->kind != TYPE_KIND_ENUM && at.type->elem != ELEM_CHAR)
		return NULL;
	return arena_printf(w->arena, "[(%s)(%" PRId64 ")]",
			    value_type_name(at.type), (int64_t)n);
}

/* A pair of a map is its value, called by its key; its path is the index. */
static bool open_pair(const struct view *w, const struct value *seen,
		      struct node *node, struct str *name)
{
	struct type *type = seen->type;
	const struct field *key = pair_field(w, type, "key", "Key");
	const struct field *value = pair_field(w, type, "value", "Value");
	const char *simple = type_simple_name(type);
	if ((strcmp(simple, "KeyValuePair`2") &&
	     strcmp(simple, "DebugViewDictionaryItem`2")) ||
	    !key || !value)
		return false;
	struct value at = value_field(w->values, seen, key);
	str_addc(name, '[');
	view_text(w, &at, name);
	str_addc(name, ']');
	str_one_line(name, 0);
	node->value = value_field(w->values, seen, value);
	node->path = key_index(w, &at);
	return true;
}

/*
 * Name a row by its key, [{Key}]: in a map always, else if its type's author
 * wants that.
 */
static void name_row(const struct view *w, const struct look *of,
		     struct node *node)
{
	_cleanup_str_ struct str name = {0};
	struct value seen = view_seen(w, &node->value);
	struct view brief = *w;
	brief.elements = KEY_MAX;
	brief.display++;
	if (seen.where == VALUE_ABSENT || value_is_null(w->values, &seen))
		return;
	node->keyed =
	    (of && of->is_map && open_pair(&brief, &seen, node, &name)) ||
	    display_name(&brief, &seen, &name);
	if (node->keyed)
		node->name = arena_strdup(w->arena, str_get(&name));
}

static void make_rows(const struct view *w, const struct node *node,
		      const struct rows *rows, uint64_t first, uint64_t count,
		      struct node *nodes)
{
	const char *path = named_primary(w, node->path);
	_cleanup_str_ struct str name = {0};
	for (uint64_t i = 0; i < count; i++) {
		struct node *to = &nodes[i];
		str_clear(&name);
		index_name(&rows->els, first + i, &name);
		to->name = arena_strdup(w->arena, str_get(&name));
		to->value = element_get(&rows->els, first + i);
		value_inherit_names(&node->value, &to->value);
		name_row(w, rows->look, to);
		to->form.letter = node->form.letter;
		if (is_enumerated(node))
			to->path = NULL;
		else if (rows->look)
			to->path = !to->keyed && rows->look->is_map
				       ? NULL
				       : indexer_path(w, rows->look, path,
						      to->name, to->path);
		else if (path && !to->keyed)
			to->path = join(w, path, to->name);
	}
}

static void indexed(const struct view *w, const struct node *node,
		    uint64_t first, uint64_t count, struct node **ret,
		    size_t *ret_n)
{
	struct rows rows;
	struct value seen = view_seen(w, &node->value);
	*ret_n = 0;
	*ret = NULL;
	if (!find_rows(w, node, &seen, &rows))
		return;
	if (rows.why && !first) {
		*ret = arena_calloc(w->arena, 1, sizeof(**ret));
		(*ret)->name = "[...]";
		(*ret)->why = rows.why;
		*ret_n = 1;
		return;
	}
	if (first >= rows.els.n)
		return;
	if (count == 0 || count > INDEXED_MAX)
		count = INDEXED_MAX;
	if (count > rows.els.n - first)
		count = rows.els.n - first;
	*ret = arena_calloc(w->arena, count, sizeof(**ret));
	*ret_n = count;
	make_rows(w, node, &rows, first, count, *ret);
}

/* ---- The room's functions -------------------------------------------- */

/* An iterator: <Evens>d__6 of C#, evens@12 of F#, VB$StateMachine_5_Evens. */
static bool is_compilers(const struct type *type)
{
	const char *name = type_simple_name(type);
	return strpbrk(name, "<@$");
}

void view_enumerate(const struct view *w, struct node *node)
{
	struct value seen = view_seen(w, &node->value);
	const struct type *type = seen.type;
	struct rows rows;
	if (w->editor || node->form.raw || node->form.hidden ||
	    node->form.results || !type || !type->is_reference ||
	    seen.where == VALUE_ABSENT || find_rows(w, node, &seen, &rows) ||
	    !rows.look || !rows.look->list ||
	    (!type->module->framework && !is_compilers(type)))
		return;
	node->form.results = true;
	node->form.results =
	    find_rows(w, node, &seen, &rows) && !rows.why && rows.els.n != 0;
}

/* A value may be wanted raw, whatever the others are. */
static struct view view_of_node(const struct view *w, const struct node *node)
{
	struct view own = *w;
	own.raw |= node->form.raw;
	if (node->form.letter)
		own.letter = node->form.letter;
	return own;
}

/* In an editor, even a value that is shown raw has its properties. */
static const struct view *view_of_members(const struct view *w,
					  const struct view *own,
					  const struct node *node)
{
	return node->form.raw && w->editor ? w : own;
}

void view_children(const struct view *w, const struct node *node,
		   enum dbg_children kind, uint64_t first, uint32_t count,
		   struct node **ret, size_t *ret_n)
{
	struct view own = view_of_node(w, node), plain = *w;
	w = &own;
	// how many there are is not known before: they are all of its children
	bool results = node->kind == NODE_RESULTS && kind == DBG_CHILDREN_NAMED;
	if (results ||
	    (kind == DBG_CHILDREN_INDEXED && node->kind == NODE_VALUE)) {
		indexed(w, node, first, count, ret, ret_n);
		return;
	}
	const struct view *of_members = view_of_members(&plain, &own, node);
	struct walk k = {.w = of_members, .parent = node};
	struct value seen = {0};
	if (has_value(node))
		seen = view_seen(w, &node->value);
	if (kind == DBG_CHILDREN_NAMED && !node->form.results)
		named_each(&k, &seen);
	uint64_t n = k.n;
	*ret = NULL;
	*ret_n = 0;
	if (first >= n)
		return;
	struct walk all = {.w = of_members, .parent = node, .first = first};
	all.count = count && count < n - first ? count : n - first;
	all.nodes = arena_calloc(w->arena, all.count, sizeof(all.nodes[0]));
	named_each(&all, &seen);
	for (size_t i = 0; i < all.n_nodes; i++)
		all.nodes[i].form.letter = node->form.letter;
	*ret = all.nodes;
	*ret_n = all.n_nodes;
}

static uint64_t address_of(const struct view *w, const struct value *seen)
{
	uint64_t addr;
	if (seen->where == VALUE_ABSENT || seen->where == VALUE_TEXT)
		return 0;
	// The address of the object itself, not of the reference to it.
	if (seen->type->is_reference)
		return value_pointer(w->values, seen, &addr) ? addr : 0;
	return seen->where == VALUE_MEMORY ? seen->addr : 0;
}

/* Name of the type of the place @v, if what @at it is has another. */
static const char *declared_name(const struct value *v, const struct value *at)
{
	const struct type *type = v->type;
	if (type && type->kind == TYPE_KIND_BYREF)
		type = type->inner;
	return type && at->type && at->where != VALUE_ABSENT &&
		       type->is_reference && type != at->type &&
		       strcmp(value_type_name(type), value_type_name(at->type))
		   ? value_type_name(type)
		   : NULL;
}

static enum dbg_value_kind kind_of(const struct view *w,
				   const struct value *seen)
{
	struct elements els;
	if (seen->where == VALUE_ABSENT)
		return DBG_VALUE_ABSENT;
	if (seen->type->kind == TYPE_KIND_ENUM)
		return DBG_VALUE_ENUM;
	if ((!seen->type->is_reference &&
	     seen->type->kind != TYPE_KIND_STRUCT) ||
	    seen->type->special == TYPE_SPECIAL_NULLABLE ||
	    wellknown_scalar(seen->type) || value_is_null(w->values, seen))
		return DBG_VALUE_SCALAR;
	if (seen->type->special == TYPE_SPECIAL_STRING)
		return DBG_VALUE_STRING;
	if (view_elements(w, seen, &els))
		return seen->type->kind == TYPE_KIND_STRUCT &&
			       view_is_text(&els)
			   ? DBG_VALUE_STRING
			   : DBG_VALUE_ARRAY;
	return seen->type->is_delegate ? DBG_VALUE_DELEGATE : DBG_VALUE_OBJECT;
}

/* Does the value have elements, or can it be enumerated? */
static bool has_rows(const struct view *w, const struct node *node,
		     const struct value *seen)
{
	struct rows rows;
	struct elements els;
	return seen->where == VALUE_ABSENT || value_is_null(w->values, seen) ||
	       view_elements(w, seen, &els) || find_rows(w, node, seen, &rows);
}

/* The name of the type of @v, with the names of elements that it declares. */
static const char *type_text(const struct view *w, const struct value *v)
{
	_cleanup_str_ struct str text = {0};
	if (!v->type || !v->names || v->named != v->type)
		return v->type ? value_type_name(v->type) : "";
	tuple_type_text(v->type, v->names, v->n_names, &text);
	return arena_strdup(w->arena, str_get(&text));
}

static void describe_value(const struct view *w, const struct node *node,
			   const struct value *at, const struct value *seen,
			   struct dbg_value *ret)
{
	_cleanup_str_ struct str text = {0}, type = {0};
	if (!node->form.bare || seen->where == VALUE_ABSENT ||
	    !display_bare(w, seen, &text))
		ret->brief = view_text_seen(w, seen, &text);
	// what has nothing but properties does not look empty
	if (ret->brief && ret->n_named && !strcmp(str_get(&text), "{}")) {
		str_clear(&text);
		str_addf(&text, "{%s}", value_type_name(seen->type));
	}
	ret->kind = kind_of(w, seen);
	ret->text =
	    node->why ? node->why : arena_strdup(w->arena, str_get(&text));
	if (node->form.results && !has_rows(w, node, seen))
		ret->text = "<no results view: it is no IEnumerable>";
	ret->type = type_text(w, at);
	if (w->editor && seen->where != VALUE_ABSENT &&
	    seen->type->is_reference && display_type(w, seen, &type))
		ret->type = arena_strdup(w->arena, str_get(&type));
	ret->addr = address_of(w, seen);
	if (ret->addr && !seen->type->is_reference)
		ret->size = type_size(seen->type);
	ret->declared = declared_name(&node->value, at);
	// a union, which is shown as what it holds
	if (seen->where != VALUE_ABSENT && at->where != VALUE_ABSENT &&
	    at->type->special != TYPE_SPECIAL_NULLABLE &&
	    seen->type != at->type && !value_is_null(w->values, seen)) {
		ret->declared = ret->type;
		ret->type = value_type_name(seen->type);
	}
	ret->needs_call = node->needs_call;
}

/*
 * Tell how many rows the value has; a collection is counted without making its
 * rows.
 */
static void describe_rows(const struct view *w, const struct node *node,
			  const struct value *seen, struct dbg_value *ret)
{
	struct rows rows;
	if (seen->where == VALUE_ABSENT)
		return;
	if (type_is_pointer(seen->type))
		(void)value_pointer(w->values, seen, &ret->data);
	struct look *look =
	    ret->kind == DBG_VALUE_OBJECT && !is_enumerated(node)
		? look_get(w, seen->type)
		: NULL;
	if (look) {
		if (proxy_count(w, look, seen, &ret->n_indexed))
			ret->titled =
			    !ret->brief && !fsharp_is_list(seen->type);
		if (node->form.count && ret->n_indexed > node->form.count)
			ret->n_indexed = node->form.count;
		return;
	}
	if (!find_rows(w, node, seen, &rows))
		return;
	ret->n_indexed = rows.why ? 1 : rows.els.n;
	ret->titled = is_enumerated(node) && !ret->brief;
	if (!rows.look)
		ret->data = rows.els.addr;
}

void view_describe(const struct view *w, const struct node *node,
		   struct dbg_value *ret)
{
	struct view own = view_of_node(w, node);
	memset(ret, 0, sizeof(*ret));
	struct walk k = {.w = view_of_members(w, &own, node), .parent = node};
	struct value at = {0}, seen = {0};
	if (has_value(node)) {
		at = value_dereference(w->values, &node->value);
		seen = view_open(w, &at);
	}
	if (node->kind == NODE_RESULTS)
		k.n = 1;
	else if (!node->form.results)
		named_each(&k, &seen);
	ret->n_named = (uint32_t)k.n;
	ret->name = node->name ? node->name : "";
	ret->path = node->kind == NODE_OTHERS ? NULL : node->path;
	ret->is_static = node->is_static;
	ret->keyed = node->keyed;
	ret->kind = DBG_VALUE_GROUP;
	ret->brief = true;
	ret->type = "";
	ret->text = "";
	if (node->kind == NODE_RESULTS)
		ret->text = "Expanding the Results View will enumerate the "
			    "IEnumerable";
	if (node->kind != NODE_VALUE)
		return;
	describe_value(&own, node, &at, &seen, ret);
	describe_rows(&own, node, &seen, ret);
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
		if (is_identifier(v->name))
			nodes[n].path = v->name;
		nodes[n].value = v->value;
		ends[n++] = v->end;
		if (which == DBG_SCOPE_LOCALS)
			sort_in(nodes, ends, n);
	}
	*ret = nodes;
	*ret_n = n;
}
