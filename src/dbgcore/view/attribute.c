/* Attributes for debuggers, decoded; see attribute.h. */
#include "view/attribute.h"

#include <string.h>

#include "base/mem.h"
#include "base/reader.h"
#include "meta/md.h"

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

/* Is @name ("Ns.Outer+Inner, Assembly, ...") that of @type's definition? */
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

/* Those of the program's own assemblies, and of the type's, count. */
static bool find(const struct view *w, const struct type *type,
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

bool attribute_display(const struct view *w, const struct type *type,
		       struct display_attribute *ret)
{
	struct texts t;
	struct code_module *m;
	if (!find(w, type, display_name, &t, &m))
		return false;
	*ret = (struct display_attribute){t.first, t.name, t.type};
	return true;
}

const char *attribute_proxy(const struct view *w, const struct type *type,
			    struct code_module **ret)
{
	struct texts t;
	return find(w, type, proxy_name, &t, ret) ? t.first : NULL;
}

enum browse attribute_browse(const struct code_module *m, uint32_t token)
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
