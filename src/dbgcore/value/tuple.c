/*
 * Names of tuple elements, from TupleElementNamesAttribute(string[]): one list
 * with the names of all tuples in a type. First all names of a tuple, including
 * those beyond the seventh element; then, in order, the names in its element
 * types (dotnet/roslyn, TupleNamesEncoder).
 */
#include "value/value.h"

#include <string.h>

#include "base/mem.h"
#include "base/reader.h"
#include "base/str.h"

enum {
	NAMES_MAX = 1024,
	NULL_STRING = 0xff,
	NESTING_MAX = 16,
	ELEMENTS_MAX = 1000,
	OWN_MAX = 7, // elements in front of the nested tuple Rest
};

/* ---- The list -------------------------------------------------------- */

/* A SerString (II.23.3): null, or UTF-8 behind its length. */
static const char *take_string(struct reader *r, struct arena *arena)
{
	if (reader_left(r) && *r->p == NULL_STRING) {
		reader_u8(r);
		return NULL;
	}
	struct bytes b = reader_bytes(r, reader_cuint(r));
	return b.p ? arena_strndup(arena, (const char *)b.p, b.n) : NULL;
}

const char *const *tuple_names(const struct md *md, uint32_t token,
			       struct arena *arena, size_t *ret_n)
{
	struct bytes blob;
	struct reader r;
	*ret_n = 0;
	if (!md_has_attribute(md, token,
			      "System.Runtime.CompilerServices."
			      "TupleElementNamesAttribute",
			      &blob))
		return NULL;
	reader_init(&r, blob.p, blob.n);
	reader_u16(&r); // prolog
	uint32_t n = reader_u32(&r);
	if (r.bad || n > NAMES_MAX)
		return NULL;
	const char **names = arena_calloc(arena, n + 1, sizeof(names[0]));
	for (uint32_t i = 0; i < n; i++)
		names[i] = take_string(&r, arena);
	if (r.bad)
		return NULL;
	*ret_n = n;
	return names;
}

/* ---- Places in it ---------------------------------------------------- */

size_t tuple_count(const struct type *type)
{
	size_t n = 0;
	if (type->special != TYPE_SPECIAL_TUPLE)
		return 0;
	while (type->n_args == OWN_MAX + 1 && n < ELEMENTS_MAX &&
	       type->args[OWN_MAX]->special == TYPE_SPECIAL_TUPLE) {
		n += OWN_MAX;
		type = type->args[OWN_MAX];
	}
	return n + type->n_args;
}

static size_t names_in(const struct type *type, int depth)
{
	size_t n = 0;
	if (!type || depth > NESTING_MAX)
		return 0;
	n = tuple_count(type) + names_in(type->inner, depth + 1);
	for (size_t i = 0; i < type->n_args; i++)
		n += names_in(type->args[i], depth + 1);
	return n;
}

bool tuple_is_in(const struct type *type)
{
	return names_in(type, 0) != 0;
}

/*
 * Index of the first name that belongs to the type of element @i, in the list
 * of names of a tuple.
 */
static size_t names_of_element(const struct type *type, size_t i)
{
	size_t at = 0;
	for (;; i -= OWN_MAX) {
		at += tuple_count(type);
		for (size_t k = 0; k < i && k < OWN_MAX; k++)
			at += names_in(type->args[k], 0);
		if (i < OWN_MAX)
			return at;
		type = type->args[OWN_MAX];
	}
}

/* ---- Names of types -------------------------------------------------- */

/* The rest of a list of names. */
struct names_left {
	const char *const *names;
	size_t n;
};

static void text_named(const struct type *type, struct names_left *left,
		       int depth, struct str *out);

/* Add @part of a type, whose own name stands somewhere in @text. */
static const char *part_named(const struct type *part, const char *text,
			      struct names_left *left, int depth,
			      struct str *out)
{
	const char *name = value_type_name(part);
	const char *at = strstr(text, name);
	if (!at)
		return text;
	str_addn(out, text, (size_t)(at - text));
	text_named(part, left, depth + 1, out);
	return at + strlen(name);
}

static void text_named(const struct type *type, struct names_left *left,
		       int depth, struct str *out)
{
	const char *text = value_type_name(type);
	size_t n = tuple_count(type), own = n < left->n ? n : left->n;
	const char *const *names = left->names;
	// a tuple of the rest is written as elements, in another order
	if (!names_in(type, 0) || n > OWN_MAX || depth > NESTING_MAX) {
		size_t used = names_in(type, 0);
		used = used < left->n ? used : left->n;
		left->names += used;
		left->n -= used;
		str_add(out, text);
		return;
	}
	left->names += own;
	left->n -= own;
	if (type->inner)
		text = part_named(type->inner, text, left, depth, out);
	for (size_t i = 0; i < type->n_args; i++) {
		text = part_named(type->args[i], text, left, depth, out);
		if (i < own && names[i])
			str_addf(out, " %s", names[i]);
	}
	str_add(out, text);
}

void tuple_type_text(const struct type *type, const char *const *names,
		     size_t n, struct str *out)
{
	struct names_left left = {names, n};
	text_named(type, &left, 0, out);
}

/* ---- Names of values ------------------------------------------------- */

void value_name(struct value *v, const char *const *names, size_t n)
{
	const struct type *type = v->type;
	while (type && type->kind == TYPE_KIND_BYREF)
		type = type->inner;
	v->names = n ? names : NULL;
	v->n_names = v->names ? n : 0;
	v->named = type;
}

void value_name_element(const struct value *tuple, size_t i,
			struct value *element)
{
	if (!tuple->names || tuple->named != tuple->type || !element->type ||
	    i >= tuple_count(tuple->type))
		return;
	size_t at = names_of_element(tuple->type, i);
	size_t n = names_in(element->type, 0);
	if (at <= tuple->n_names && n <= tuple->n_names - at)
		value_name(element, tuple->names + at, n);
}

const char *value_element_name(const struct value *tuple, size_t i)
{
	bool own = tuple->names && tuple->named == tuple->type;
	return own && i < tuple->n_names ? tuple->names[i] : NULL;
}

/* ---- Parts of what has names ----------------------------------------- */

/* Looking for a type in another one. */
struct search {
	const struct type *wanted;
	const char *const *names; /* of what is looked through, */
	size_t at, n;             /* and how far that went */
	const char *const *found;
	size_t n_found; /* names in wanted */
	bool differ;    /* it is there twice, with other names */
};

static bool are_same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static void note_found(struct search *s)
{
	const char *const *names = s->names + s->at;
	if (s->n_found > s->n - s->at)
		return;
	for (size_t i = 0; s->found && i < s->n_found; i++)
		s->differ |= !are_same(names[i], s->found[i]);
	s->found = names;
}

static void look_through(struct search *s, const struct type *type, int depth)
{
	if (!type || depth > NESTING_MAX || s->at >= s->n)
		return;
	if (type == s->wanted)
		note_found(s);
	s->at += tuple_count(type);
	look_through(s, type->inner, depth + 1);
	for (size_t i = 0; i < type->n_args; i++)
		look_through(s, type->args[i], depth + 1);
}

static bool have_same_args(const struct type *a, const struct type *b)
{
	return a->n_args && a->n_args == b->n_args &&
	       a->special != TYPE_SPECIAL_TUPLE &&
	       b->special != TYPE_SPECIAL_TUPLE &&
	       !memcmp(a->args, b->args, a->n_args * sizeof(*a->args));
}

void value_inherit_names(const struct value *whole, struct value *part)
{
	const struct type *type = part->type;
	if (!whole->names || part->names || !type || !whole->named)
		return;
	struct search s = {.wanted = type,
			   .names = whole->names,
			   .n = whole->n_names,
			   .n_found = names_in(type, 0)};
	if (s.n_found)
		look_through(&s, whole->named, 0);
	if (s.found && !s.differ)
		value_name(part, s.found, s.n_found);
	else if (have_same_args(type, whole->named))
		value_name(part, whole->names, whole->n_names);
	else if (whole->type && whole->type->special != TYPE_SPECIAL_TUPLE &&
		 (!whole->type->module || whole->type->module->framework)) {
		// a part of a collection may hold what is named
		value_name(part, whole->names, whole->n_names);
		part->named = whole->named;
	}
}
