/*
 * Nodes: what the API tells of a value, and its children, those in rows
 * included: elements of arrays, and of what a proxy shows as rows.
 */
#include "view/view.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "view/named.h"
#include "view/proxy.h"
#include "view/view_priv.h"

enum {
	INDEXED_MAX = 10000, // elements of one request without a count
	KEY_MAX = 1000,      // characters of a key
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

/* What a pointer leads to, as many as were asked for. */
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

/* An expression for the element of a collection that has an indexer. */
static const char *indexer_path(const struct view *w, const struct look *look,
				const char *path, const char *name)
{
	bool is_key = name[0] == '[' && (name[1] == '"' || name[1] == '-' ||
					 (name[1] >= '0' && name[1] <= '9'));
	if (!path || !is_key || !(look->is_list || look->is_map) ||
	    str_ends(name, "...]"))
		return NULL;
	return join(w, path, name);
}

static const struct field *pair_field(const struct view *w, struct type *type,
				      const char *name, const char *property)
{
	const struct field *f = value_type_field(w->values, type, name);
	return f ? f : value_type_field(w->values, type, property);
}

/* A pair of a map is its value, called by its key. */
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
	return true;
}

/*
 * Rows are called by their keys, [{Key}], if their author wants that, and
 * those of a map in any case.
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
			to->path =
			    !to->keyed && rows->look->is_map
				? NULL
				: indexer_path(w, rows->look, path, to->name);
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

/* Where editors are shown a value raw its properties are there all the same. */
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
	// Of an object its own address, not that of the reference.
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

/* Has it elements, or what can be enumerated? */
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

/* How many rows it has; of a collection without making them. */
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
		nodes[n].path = v->name;
		nodes[n].value = v->value;
		ends[n++] = v->end;
		if (which == DBG_SCOPE_LOCALS)
			sort_in(nodes, ends, n);
	}
	*ret = nodes;
	*ret_n = n;
}
