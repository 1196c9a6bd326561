/* Finding out how the values of a type are to be seen; see look.h. */
#include "view/look.h"

#include <ctype.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/reader.h"
#include "base/str.h"
#include "meta/md.h"
#include "view/attribute.h"
#include "view/cache.h"

/* ---- Attributes of types --------------------------------------------- */

/* Attributes for debuggers, decoded; see attribute.h. */

enum {
	TEXT_MAX = 4096,
	NAMED_MAX = 8,
	NESTING_MAX = 16,
	PROLOG = 1, // II.23.3
	NO_TEXT = 0xff,
	ELEMENT_STRING = 0x0e,
	ELEMENT_TYPE = 0x50,
};

static const char display_name[] =
    "System.Diagnostics.DebuggerDisplayAttribute";
static const char proxy_name[] =
    "System.Diagnostics.DebuggerTypeProxyAttribute";
static const char browsable_name[] =
    "System.Diagnostics.DebuggerBrowsableAttribute";

/* An attribute whose parts are texts and types alone. */
struct texts {
	const char *first; /* of the constructor */
	const char *name, *type, *target;
};

/* A SerString; NULL: null, or not to be read. */
static const char *read_text(const struct view *w, struct reader *r)
{
	if (r->bad || !reader_left(r))
		return NULL;
	if (*(const uint8_t *)r->p == NO_TEXT) {
		reader_skip(r, 1);
		return NULL;
	}
	struct bytes text = reader_bytes(r, reader_cuint(r));
	if (r->bad || text.n > TEXT_MAX)
		return NULL;
	return arena_strndup(w->arena, (const char *)text.p, text.n);
}

static void take_named(struct texts *t, const char *name, const char *value)
{
	if (!strcmp(name, "Name"))
		t->name = value;
	else if (!strcmp(name, "Type"))
		t->type = value;
	else if (!strcmp(name, "Target") || !strcmp(name, "TargetTypeName"))
		t->target = value;
}

static bool read_texts(const struct view *w, struct bytes blob,
		       struct texts *ret)
{
	struct reader r;
	memset(ret, 0, sizeof(*ret));
	reader_init(&r, blob.p, blob.n);
	if (reader_u16(&r) != PROLOG)
		return false;
	ret->first = read_text(w, &r);
	uint16_t n = reader_u16(&r);
	for (uint16_t i = 0; i < n && i < NAMED_MAX && !r.bad; i++) {
		reader_skip(&r, 1);
		uint8_t element = reader_u8(&r);
		if (element != ELEMENT_STRING && element != ELEMENT_TYPE)
			break;
		const char *name = read_text(w, &r);
		const char *value = read_text(w, &r);
		if (name)
			take_named(ret, name, value);
	}
	return true;
}

/* Does @name ("Ns.Outer+Inner, Assembly, ...") name @type's definition? */
static bool is_named(const struct view *w, const struct type *type,
		     const char *name)
{
	struct types *ts = vm_types(w->vm);
	const struct type *at = type;
	const char *end = name + strcspn(name, ",[");
	for (int i = 0; at && i < NESTING_MAX; i++) {
		const char *own = type_simple_name(at);
		size_t n = strlen(own);
		if ((size_t)(end - name) < n || memcmp(end - n, own, n))
			return false;
		end -= n;
		const struct type *outer =
		    type_enclosing(ts, (struct type *)at);
		if (outer) {
			if (end == name || *--end != '+')
				return false;
		} else {
			const char *space = type_namespace(at);
			n = strlen(space);
			if (!n)
				return end == name;
			return (size_t)(end - name) == n + 1 &&
			       !memcmp(name, space, n) && name[n] == '.';
		}
		at = outer;
	}
	return false;
}

/* The attribute @name of the assembly @m whose Target is @type. */
static bool of_assembly(const struct view *w, const struct code_module *m,
			const struct type *type, const char *name,
			struct texts *ret)
{
	struct bytes blob;
	uint32_t rid = 0;
	while (md_attribute_next(&m->md, MD_TOKEN(MD_ASSEMBLY, 1), name, &rid,
				 &blob)) {
		if (read_texts(w, blob, ret) && ret->target &&
		    is_named(w, type, ret->target))
			return true;
	}
	return false;
}

/*
 * Find an attribute of the type, on the type itself or on an assembly of the
 * program or the type's own with the type as Target.
 */
static bool attribute_texts(const struct view *w, const struct type *type,
			    const char *name, struct texts *ret,
			    struct code_module **ret_m)
{
	struct bytes blob;
	if (!type->module || !type->token)
		return false;
	*ret_m = type->module;
	if (type_attribute(type, name, &blob))
		return read_texts(w, blob, ret);
	size_t n;
	struct code_module *const *all =
	    code_modules(values_code(w->values), &n);
	for (size_t i = 0; i < n; i++) {
		if (all[i]->framework && all[i] != type->module)
			continue;
		*ret_m = all[i];
		if (of_assembly(w, all[i], type, name, ret))
			return true;
	}
	return false;
}

/* DebuggerDisplay of @type itself (not of its bases); false: it has none. */
static bool attribute_display(const struct view *w, const struct type *type,
			      struct display_attribute *ret)
{
	struct texts t;
	struct code_module *m;
	if (!attribute_texts(w, type, display_name, &t, &m))
		return false;
	*ret = (struct display_attribute){t.first, t.name, t.type};
	return true;
}

/*
 * The metadata name of the type that DebuggerTypeProxy of @type itself names,
 * and the module to look for it first; NULL: it has none.
 */
static const char *attribute_proxy(const struct view *w,
				   const struct type *type,
				   struct code_module **ret)
{
	struct texts t;
	return attribute_texts(w, type, proxy_name, &t, ret) ? t.first : NULL;
}

/* DebuggerBrowsable of a Field or Property. */
static enum browse attribute_browse(const struct code_module *m, uint32_t token)
{
	struct bytes blob;
	struct reader r;
	if (!md_has_attribute(&m->md, token, browsable_name, &blob))
		return BROWSE_COLLAPSED;
	reader_init(&r, blob.p, blob.n);
	if (reader_u16(&r) != PROLOG)
		return BROWSE_COLLAPSED;
	uint32_t state = reader_u32(&r);
	if (r.bad || (state != BROWSE_NEVER && state != BROWSE_ROOT_HIDDEN))
		return BROWSE_COLLAPSED;
	return (enum browse)state;
}

/* ---- How values look ------------------------------------------------- */

enum {
	BASES_MAX = 100,
	PIECES_MAX = 64,
	MEMBERS_MAX = 2000,
	ACCESS_DERIVED = 4, // a bit of protected, protected internal, public
};

static const char compiler_made[] =
    "System.Runtime.CompilerServices.CompilerGeneratedAttribute";

static struct type *base_of(const struct view *w, struct type *type)
{
	struct type *parent = NULL;
	return dbg_err_drop(type_parent(vm_types(w->vm), type, &parent))
		   ? NULL
		   : parent;
}

/* ---- Formats --------------------------------------------------------- */

static bool is_static_method(const struct type_method *m)
{
	return m->flags & TYPE_METHOD_STATIC;
}

/* The instance method without parameters of this name: a getter or not. */
static struct type_method *find_method(const struct view *w, struct type *type,
				       const char *name, bool is_getter)
{
	struct types *ts = vm_types(w->vm);
	for (int i = 0; type && i < BASES_MAX; i++) {
		const struct type_property *all;
		const struct type_sig *sig;
		size_t n;
		type_properties(ts, type, &all, &n);
		for (size_t k = 0; is_getter && k < n; k++) {
			struct type_method *m = all[k].getter;
			if (m && !is_static_method(m) &&
			    !strcmp(all[k].name, name) &&
			    !dbg_err_drop(type_method_sig(ts, m, &sig)) &&
			    !sig->n_params)
				return m;
		}
		struct type_method *m =
		    is_getter ? NULL : type_method_named(ts, type, name, 0);
		if (m && !is_static_method(m) && !m->n_args)
			return m;
		type = base_of(w, type);
	}
	return NULL;
}

/* The method that a call of @m on an object of @type runs; NULL: none. */
static struct type_method *
implementation(const struct view *w, struct type_method *m, struct type *type)
{
	struct type_method *found = NULL;
	if (!m ||
	    dbg_err_drop(type_method_virtual(vm_types(w->vm), m, type, &found)))
		return NULL;
	return found;
}

/* Is @piece a name, or a call without arguments: a member of @from? */
static void resolve(const struct view *w, struct look *look, struct type *from,
		    struct piece *piece)
{
	struct type *type = value_type_exact(look->type);
	size_t n = 0;
	while (isalnum((unsigned char)piece->text[n]) || piece->text[n] == '_')
		n++;
	bool is_call = !strcmp(piece->text + n, "()");
	if (!n || (piece->text[n] && !is_call) || !type)
		return;
	const char *name = arena_strndup(w->arena, piece->text, n);
	struct type_method *m = find_method(w, from, name, !is_call);
	piece->getter = implementation(w, m, type);
	if (piece->getter || is_call)
		return;
	const struct field *f = value_type_field(w->values, look->type, name);
	if (f && f->kind == FIELD_INSTANCE && !f->property)
		piece->field = f;
}

/*
 * Offset of the format specifiers in @expr: its first comma outside of
 * brackets.
 */
static size_t specifiers(const char *expr)
{
	int depth = 0;
	bool quoted = false;
	for (size_t i = 0; expr[i]; i++) {
		if (expr[i] == '"')
			quoted = !quoted;
		else if (quoted)
			continue;
		else if (strchr("([{", expr[i]))
			depth++;
		else if (strchr(")]}", expr[i]))
			depth--;
		else if (expr[i] == ',' && depth == 0)
			return i;
	}
	return strlen(expr);
}

static void make_expression(const struct view *w, const char *text, size_t len,
			    struct piece *piece)
{
	while (len && text[0] == ' ')
		text++, len--;
	char *expr = arena_strndup(w->arena, text, len);
	size_t n = specifiers(expr);
	size_t end = n;
	for (const char *at = expr + n; *at == ',';) {
		size_t part = strcspn(++at, ",");
		if ((part == 2 && !strncmp(at, "nq", 2)) ||
		    (part == 3 && !strncmp(at, "raw", 3)))
			piece->bare = true;
		else if (part == 1 && strchr("xhdb", *at))
			piece->letter = *at;
		at += part;
	}
	while (end && expr[end - 1] == ' ')
		end--;
	expr[end] = 0;
	piece->text = expr;
	piece->is_expr = true;
}

/* The brace that closes the expression at @p; NULL: none. */
static const char *closing(const char *p)
{
	bool quoted = false;
	for (; *p; p++) {
		if (*p == '"')
			quoted = !quoted;
		else if (*p == '}' && !quoted)
			return p;
	}
	return NULL;
}

/* Cut @text into pieces; a format with a fault is none. */
static void parse(const struct view *w, struct look *look, struct type *from,
		  const char *text, struct format *ret)
{
	struct piece pieces[PIECES_MAX] = {0};
	_cleanup_str_ struct str literal = {0};
	size_t n = 0;
	if (!text)
		return;
	for (const char *p = text;; p++) {
		if (*p == '\\' && p[1]) {
			str_addc(&literal, *++p);
			continue;
		}
		if (*p && *p != '{') {
			str_addc(&literal, *p);
			continue;
		}
		if (n + 2 > PIECES_MAX)
			return;
		if (literal.len)
			pieces[n++].text =
			    arena_strdup(w->arena, str_get(&literal));
		str_clear(&literal);
		if (!*p)
			break;
		const char *close = closing(p);
		if (!close)
			return;
		make_expression(w, p + 1, (size_t)(close - p - 1), &pieces[n]);
		resolve(w, look, from, &pieces[n++]);
		p = close;
	}
	ret->pieces = arena_copy(w->arena, pieces, n, sizeof(pieces[0]));
	ret->n = n;
	ret->given = true;
}

/* ---- Attributes ------------------------------------------------------ */

static void find_display(const struct view *w, struct look *look,
			 struct type *type)
{
	struct display_attribute text;
	for (int i = 0; type && i < BASES_MAX; i++) {
		if (attribute_display(w, type, &text)) {
			parse(w, look, type, text.value, &look->value);
			parse(w, look, type, text.name, &look->name);
			parse(w, look, type, text.type, &look->kind);
			return;
		}
		type = base_of(w, type);
	}
}

/* The type that "Ns.Proxy`1, Assembly, Version=..." names, in @m at first. */
static struct type *named_type(const struct view *w, struct code_module *m,
			       const char *text)
{
	struct types *ts = vm_types(w->vm);
	size_t n = strcspn(text, ",[");
	const char *name = arena_strndup(w->arena, text, n);
	struct type *type = type_named(ts, m, name);
	if (!type)
		type = type_core(ts, name);
	const char *assembly = text[n] == ',' ? text + n + 1 : NULL;
	if (type || !assembly)
		return type;
	while (*assembly == ' ')
		assembly++;
	assembly = arena_strndup(w->arena, assembly, strcspn(assembly, ","));
	m = code_module_named(values_code(w->values), assembly);
	return m ? type_named(ts, m, name) : NULL;
}

/*
 * Find the proxy's constructor with one parameter that takes an object of
 * @type.
 */
static struct type_method *constructor(const struct view *w, struct type *proxy,
				       struct type *type)
{
	struct types *ts = vm_types(w->vm);
	struct type_method *const *all;
	const struct type_sig *sig;
	size_t n;
	type_methods(ts, proxy, &all, &n);
	for (size_t i = 0; i < n; i++) {
		bool fits = false;
		if (strcmp(all[i]->name, ".ctor") ||
		    dbg_err_drop(type_method_sig(ts, all[i], &sig)) ||
		    sig->n_params != 1)
			continue;
		if (!dbg_err_drop(
			type_assignable(ts, type, sig->params[0], &fits)) &&
		    fits)
			return all[i];
	}
	return NULL;
}

static void find_proxy(const struct view *w, struct look *look,
		       struct type *type)
{
	struct types *ts = vm_types(w->vm);
	struct type *self = type;
	struct code_module *m;
	const char *name = NULL;
	for (int i = 0; type && i < BASES_MAX; i++) {
		name = attribute_proxy(w, type, &m);
		if (name)
			break;
		type = base_of(w, type);
	}
	struct type *proxy = name ? named_type(w, m, name) : NULL;
	// a generic proxy takes the type arguments of the class that names it
	if (proxy && proxy->n_args)
		proxy = proxy->n_args == type->n_args
			    ? type_instance(ts, proxy, type->args, type->n_args)
			    : NULL;
	if (proxy)
		look->proxy = constructor(w, proxy, self);
}

/* An override that says more than the name of the type. */
static void find_to_string(const struct view *w, struct look *look,
			   struct type *type)
{
	struct types *ts = vm_types(w->vm);
	struct type *object = type_of_elem(ts, ELEM_OBJECT);
	struct type_method *m =
	    object ? type_method_named(ts, object, "ToString", 0) : NULL;
	m = implementation(w, m, type);
	if (m && m->owner->special != TYPE_SPECIAL_OBJECT &&
	    m->owner->special != TYPE_SPECIAL_VALUETYPE)
		look->to_string = m;
}

static bool implements(const struct view *w, struct type *type,
		       const char *name)
{
	struct types *ts = vm_types(w->vm);
	struct type *iface = type_core(ts, name);
	bool is = false;
	return iface && !dbg_err_drop(type_assignable(ts, type, iface, &is)) &&
	       is;
}

/* Does the type implement an instance of the generic interface @name? */
static bool is_instance(const struct view *w, struct type *type,
			const char *name)
{
	struct types *ts = vm_types(w->vm);
	struct type *def = type_core(ts, name), *as = NULL;
	return def && !dbg_err_drop(type_as(ts, type, def, &as)) && as;
}

/* The class by which System.Linq shows what IEnumerable alone enumerates. */
static void find_debug_view(const struct view *w, struct look *look,
			    struct type *type)
{
	struct code *code = values_code(w->values);
	struct code_module *linq = code_module_named(code, "System.Linq");
	if (!linq)
		linq = code_module_unloaded(code, NULL, "System.Linq");
	struct type *view =
	    linq ? type_named(vm_types(w->vm), linq,
			      "System.Linq.SystemCore_EnumerableDebugView")
		 : NULL;
	if (view)
		look->list = constructor(w, view, type);
}

/* Find how a list is made of an enumerable object of this type. */
static void find_list(const struct view *w, struct look *look,
		      struct type *type)
{
	struct types *ts = vm_types(w->vm);
	struct type *list = type_core(ts, "System.Collections.Generic.List`1");
	struct type *def =
	    type_core(ts, "System.Collections.Generic.IEnumerable`1");
	struct type *as = NULL;
	if (!list || !def || type->special == TYPE_SPECIAL_STRING ||
	    dbg_err_drop(type_as(ts, type, def, &as)))
		return;
	if (!as) {
		find_debug_view(w, look, type);
		return;
	}
	list = type_instance(ts, list, as->args, as->n_args);
	if (list)
		look->list = constructor(w, list, type);
}

static struct look *look_make(const struct view *w, struct type *type)
{
	struct type *il = value_type_exact(type);
	if (!il || il->open)
		return NULL;
	struct look *look = arena_alloc(w->arena, sizeof(*look));
	memset(look, 0, sizeof(*look));
	look->type = type;
	find_display(w, look, il);
	find_proxy(w, look, il);
	if (!look->value.given)
		find_to_string(w, look, il);
	look->is_list = implements(w, il, "System.Collections.IList");
	look->is_map =
	    implements(w, il, "System.Collections.IDictionary") ||
	    is_instance(w, il, "System.Collections.Generic.IDictionary`2");
	look->is_sequence = implements(w, il, "System.Collections.IEnumerable");
	if (look->is_sequence)
		find_list(w, look, il);
	look->count = implementation(w, find_method(w, il, "Count", true), il);
	return look;
}

struct look *look_get(const struct view *w, struct type *type)
{
	if (w->raw || !w->vm || !w->cache || !type || !type->module ||
	    type->kind == TYPE_KIND_ARRAY)
		return NULL;
	struct look *known =
	    map_find(&w->cache->looks, (uint64_t)(uintptr_t)type);
	if (!known) {
		known = look_make(w, type);
		if (known)
			map_put(&w->cache->looks, (uint64_t)(uintptr_t)type,
				known);
	}
	return known;
}

/* ---- Members --------------------------------------------------------- */

struct list {
	struct member *all;
	size_t n, cap;
};

static bool has(const struct list *l, const char *name)
{
	for (size_t i = 0; i < l->n; i++) {
		if (!strcmp(l->all[i].name, name))
			return true;
	}
	return false;
}

static struct member *add(struct list *l, const char *name)
{
	bool hidden = has(l, name);
	mem_grow(&l->all, &l->cap, l->n, sizeof(l->all[0]));
	struct member *m = &l->all[l->n++];
	memset(m, 0, sizeof(*m));
	m->name = name;
	m->hidden = hidden;
	return m;
}

static const struct type_property *
property_named(const struct type_property *all, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(all[i].name, name))
			return &all[i];
	}
	return NULL;
}

static bool is_public_method(const struct type_method *m)
{
	return m && m->flags & ACCESS_DERIVED;
}

bool look_is_users(const struct view *w, const struct type *type)
{
	const struct code_module *m = type->module;
	return m && m->pdb && !m->framework &&
	       (!m->optimized || code_all_optimized(values_code(w->values)));
}

/*
 * Add a field. If it backs the property @p, it has the property's access and
 * attributes.
 */
static void add_field(const struct view *w, struct list *l,
		      const struct field *f, const struct type_property *p)
{
	struct member *m = add(l, f->source);
	m->field = f;
	m->owner = f->owner;
	m->is_static = f->kind != FIELD_INSTANCE;
	m->is_public = f->attributes & ACCESS_DERIVED;
	m->token = f->token;
	if (p) {
		bool found;
		m->is_public = is_public_method(p->getter);
		m->token = p->token;
		// `field ??= ...`: what it returns is not in the field yet
		if (f->property && !m->is_static &&
		    value_type_property(w->values, f->owner, f->source,
					&found) != f)
			m->getter = p->getter;
	}
	// what the compiler hides of its own has no property instead
	if (p || f->name[0] != '<')
		m->browse = attribute_browse(f->owner->module, m->token);
	else
		m->browse = BROWSE_COLLAPSED;
}

/*
 * Is the property in the list already, by its field or by an override in a
 * nearer class? A property that a nearer class hides by `new` is not.
 */
static bool is_shown(const struct list *l, const struct type *owner,
		     const struct type_property *p)
{
	bool shown = false;
	for (size_t i = 0; i < l->n && !shown; i++) {
		const struct member *m = &l->all[i];
		shown = !strcmp(m->name, p->name) &&
			(m->owner == owner ||
			 (p->getter->flags & TYPE_METHOD_VIRTUAL) != 0);
	}
	return shown;
}

static void add_property(const struct view *w, struct list *l,
			 struct type *owner, const struct type_property *p)
{
	const struct type_sig *sig;
	struct types *ts = vm_types(w->vm);
	// of a library those that implement an interface by its name are noise
	if (!p->getter || is_shown(l, owner, p) ||
	    (strchr(p->name, '.') && !look_is_users(w, owner)) ||
	    dbg_err_drop(type_method_sig(ts, p->getter, &sig)) ||
	    sig->n_params || sig->ret->kind == TYPE_KIND_BYREF ||
	    type_method_attribute(p->getter, compiler_made, NULL))
		return;
	struct member *m = add(l, p->name);
	m->getter = p->getter;
	m->owner = owner;
	m->is_static = is_static_method(p->getter);
	m->is_public = is_public_method(p->getter);
	m->token = p->token;
	m->browse = attribute_browse(owner->module, p->token);
}

static void add_own(const struct view *w, struct list *l, struct type *type)
{
	const struct type_property *properties = NULL;
	const struct field *fields;
	size_t n, n_properties = 0;
	struct type *il = value_type_exact(type);
	if (il)
		type_properties(vm_types(w->vm), il, &properties,
				&n_properties);
	value_type_fields(w->values, type, &fields, &n);
	for (size_t i = 0; i < n && l->n < MEMBERS_MAX; i++) {
		if (fields[i].source)
			add_field(w, l, &fields[i],
				  property_named(properties, n_properties,
						 fields[i].source));
	}
	for (size_t i = 0; i < n_properties && l->n < MEMBERS_MAX; i++)
		add_property(w, l, type, &properties[i]);
}

void look_members(const struct view *w, struct look *look,
		  const struct member **ret, size_t *ret_n)
{
	if (!look->has_members) {
		struct list l = {0};
		struct type *type = look->type;
		for (int i = 0; type && type->module && i < BASES_MAX; i++) {
			add_own(w, &l, type);
			type = value_type_parent(w->values, type);
		}
		look->members =
		    arena_copy(w->arena, l.all, l.n, sizeof(l.all[0]));
		look->n_members = l.n;
		look->has_members = true;
		mem_free_ptr(&l.all);
	}
	*ret = look->members;
	*ret_n = look->n_members;
}
