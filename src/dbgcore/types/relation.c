/*
 * Relations between types: bases, interfaces, assignability (ECMA-335 I.8.7).
 */
#include <string.h>

#include "base/err.h"
#include "types/types_priv.h"

enum {
	VARIANCE = 3, /* GenericParamAttributes, II.23.1.7 */
	COVARIANT = 1,
	CONTRAVARIANT = 2,
	INTERFACES_MAX = 4096,
};

/* Generic interfaces of a vector, besides the interfaces of System.Array. */
static const char *const vector_interfaces[] = {
    "System.Collections.Generic.IList`1",
    "System.Collections.Generic.ICollection`1",
    "System.Collections.Generic.IEnumerable`1",
    "System.Collections.Generic.IReadOnlyList`1",
    "System.Collections.Generic.IReadOnlyCollection`1",
};

/* ---- Bases ----------------------------------------------------------- */

static struct dbg_error *find_parent(struct types *ts, struct type *type,
				     struct type **ret)
{
	*ret = NULL;
	if (type->kind == TYPE_KIND_ARRAY) {
		*ret = type_core(ts, "System.Array");
		return NULL;
	}
	if (!type->module || type->kind == TYPE_KIND_INTERFACE)
		return NULL;
	uint32_t token = md_typedef_or_ref(md_col(&type->module->md, MD_TYPEDEF,
						  MD_TOKEN_RID(type->token),
						  TYPEDEF_EXTENDS));
	if (!MD_TOKEN_RID(token))
		return NULL;
	struct type_context ctx = type_context(type);
	return type_of_token(ts, &ctx, token, ret);
}

struct dbg_error *type_parent(struct types *ts, struct type *type,
			      struct type **ret)
{
	struct type_facts *facts = type->facts;
	if (!facts->has_parent) {
		struct type *parent;
		struct dbg_error *err = find_parent(ts, type, &parent);
		if (err)
			return err;
		facts->parent = parent;
		facts->has_parent = true;
	}
	*ret = facts->parent;
	return NULL;
}

struct dbg_error *type_derives(struct types *ts, struct type *type,
			       struct type *base, bool *ret)
{
	struct dbg_error *err;
	for (int i = 0; type && i < TYPE_BASES_MAX; i++) {
		if (type == base) {
			*ret = true;
			return NULL;
		}
		err = type_parent(ts, type, &type);
		if (err)
			return err;
	}
	*ret = false;
	return NULL;
}

/* ---- Interfaces ------------------------------------------------------ */

struct collection {
	struct types *ts;
	struct type **types;
	size_t n, cap;
};

static void interface_add(struct collection *c, struct type *type)
{
	for (size_t i = 0; i < c->n; i++) {
		if (c->types[i] == type)
			return;
	}
	if (c->n >= INTERFACES_MAX)
		return;
	mem_grow(&c->types, &c->cap, c->n, sizeof(c->types[0]));
	c->types[c->n++] = type;
}

static struct dbg_error *collect_of(struct collection *c, struct type *type)
{
	struct type *const *more;
	size_t n;
	if (!type)
		return NULL;
	struct dbg_error *err = type_interfaces(c->ts, type, &more, &n);
	for (size_t i = 0; !err && i < n; i++)
		interface_add(c, more[i]);
	return err;
}

static struct dbg_error *collect_own(struct collection *c, struct type *type)
{
	const struct md *md = &type->module->md;
	uint32_t n, rid = MD_TOKEN_RID(type->token);
	uint32_t row = md_find(md, MD_INTERFACEIMPL, 0, rid, &n);
	struct type_context ctx = type_context(type);
	for (; row && row <= md_rows(md, MD_INTERFACEIMPL); row++) {
		struct type *found;
		if (md_col(md, MD_INTERFACEIMPL, row, 0) != rid)
			break;
		uint32_t token =
		    md_typedef_or_ref(md_col(md, MD_INTERFACEIMPL, row, 1));
		struct dbg_error *err =
		    type_of_token(c->ts, &ctx, token, &found);
		if (err)
			return err;
		interface_add(c, found);
		err = collect_of(c, found);
		if (err)
			return err;
	}
	return NULL;
}

static struct dbg_error *collect_all(struct collection *c, struct type *type)
{
	struct type *parent;
	struct dbg_error *err = type_parent(c->ts, type, &parent);
	if (!err)
		err = collect_of(c, parent);
	if (!err && type->module)
		err = collect_own(c, type);
	size_t n = sizeof(vector_interfaces) / sizeof(vector_interfaces[0]);
	bool vector = type->elem == ELEM_SZARRAY &&
		      (type->inner->is_reference || type->inner->is_value ||
		       type->inner->open);
	for (size_t i = 0; !err && vector && i < n; i++) {
		struct type *def = type_core(c->ts, vector_interfaces[i]);
		if (def)
			interface_add(
			    c, type_instance(c->ts, def, &type->inner, 1));
	}
	return err;
}

struct dbg_error *type_interfaces(struct types *ts, struct type *type,
				  struct type *const **ret, size_t *ret_n)
{
	struct type_facts *facts = type->facts;
	if (!facts->has_interfaces) {
		struct collection c = {.ts = ts};
		// An interface that extends itself ends here.
		facts->has_interfaces = true;
		struct dbg_error *err = collect_all(&c, type);
		facts->interfaces =
		    arena_copy(ts->arena, c.types, c.n, sizeof(c.types[0]));
		facts->n_interfaces = c.n;
		mem_free_ptr(&c.types);
		if (err) {
			facts->has_interfaces = false;
			return err;
		}
	}
	*ret = facts->interfaces;
	*ret_n = facts->n_interfaces;
	return NULL;
}

/* ---- Assignability --------------------------------------------------- */

static bool is_ring(unsigned int depth)
{
	return depth > TYPE_DEPTH_MAX;
}

static struct dbg_error *assignable(struct types *ts, struct type *from,
				    struct type *to, unsigned int depth,
				    bool *ret);

/* int and uint, an enum and its integer are one as elements of arrays. */
static enum elem reduced(const struct type *type)
{
	switch (type->elem) {
	case ELEM_U1:
		return ELEM_I1;
	case ELEM_U2:
		return ELEM_I2;
	case ELEM_U4:
		return ELEM_I4;
	case ELEM_U8:
		return ELEM_I8;
	case ELEM_U:
		return ELEM_I;
	default:
		return type->elem;
	}
}

static struct dbg_error *elements_fit(struct types *ts, struct type *from,
				      struct type *to, unsigned int depth,
				      bool *ret)
{
	*ret = from == to;
	if (*ret)
		return NULL;
	if (from->is_reference && to->is_reference)
		return assignable(ts, from, to, depth, ret);
	bool simple =
	    from->kind == TYPE_KIND_PRIM || from->kind == TYPE_KIND_ENUM;
	*ret = simple &&
	       (to->kind == TYPE_KIND_PRIM || to->kind == TYPE_KIND_ENUM) &&
	       from->elem != ELEM_VOID && reduced(from) == reduced(to);
	return NULL;
}

static uint32_t variance(const struct type *type, uint32_t number)
{
	uint32_t first;
	uint32_t n = type_generic_count(type->module,
					MD_TOKEN_RID(type->token) << 1, &first);
	for (uint32_t i = 0; i < n; i++) {
		if (md_col(&type->module->md, MD_GENERICPARAM, first + i,
			   GENERICPARAM_NUMBER) == number)
			return md_col(&type->module->md, MD_GENERICPARAM,
				      first + i, GENERICPARAM_FLAGS) &
			       VARIANCE;
	}
	return 0;
}

/* Two instances of one definition. */
static struct dbg_error *varies(struct types *ts, struct type *from,
				struct type *to, unsigned int depth, bool *ret)
{
	*ret = from == to;
	if (*ret || is_ring(depth) || from->module != to->module ||
	    from->token != to->token || from->n_args != to->n_args)
		return NULL;
	for (size_t i = 0; i < from->n_args; i++) {
		struct type *a = from->args[i], *b = to->args[i];
		bool fits = a == b;
		if (!fits && a->is_reference && b->is_reference) {
			struct dbg_error *err = NULL;
			uint32_t how = variance(from, (uint32_t)i);
			if (how == COVARIANT)
				err = assignable(ts, a, b, depth + 1, &fits);
			else if (how == CONTRAVARIANT)
				err = assignable(ts, b, a, depth + 1, &fits);
			if (err)
				return err;
		}
		if (!fits)
			return NULL;
	}
	*ret = true;
	return NULL;
}

/* string[] is an IList<object>, though that is not variant. */
static struct dbg_error *vector_fits(struct types *ts, struct type *from,
				     struct type *to, unsigned int depth,
				     bool *ret)
{
	if (from->elem != ELEM_SZARRAY || to->n_args != 1)
		return NULL;
	struct type *def = type_generic(ts, to);
	size_t n = sizeof(vector_interfaces) / sizeof(vector_interfaces[0]);
	for (size_t i = 0; i < n; i++) {
		if (type_core(ts, vector_interfaces[i]) == def)
			return elements_fit(ts, from->inner, to->args[0],
					    depth + 1, ret);
	}
	return NULL;
}

static struct dbg_error *implements(struct types *ts, struct type *from,
				    struct type *to, unsigned int depth,
				    bool *ret)
{
	struct type *const *all;
	size_t n;
	struct dbg_error *err = varies(ts, from, to, depth, ret);
	if (err || *ret)
		return err;
	err = type_interfaces(ts, from, &all, &n);
	for (size_t i = 0; i < n && !err && !*ret; i++)
		err = varies(ts, all[i], to, depth + 1, ret);
	if (err || *ret)
		return err;
	return vector_fits(ts, from, to, depth, ret);
}

static struct dbg_error *derives(struct types *ts, struct type *from,
				 struct type *to, unsigned int depth, bool *ret)
{
	struct dbg_error *err = type_derives(ts, from, to, ret);
	if (err || *ret || !from->is_delegate)
		return err;
	return varies(ts, from, to, depth, ret);
}

static struct dbg_error *assignable(struct types *ts, struct type *from,
				    struct type *to, unsigned int depth,
				    bool *ret)
{
	*ret = from == to;
	if (*ret || is_ring(depth))
		return NULL;
	if (to->special == TYPE_SPECIAL_NULLABLE && to->n_args == 1) {
		*ret = to->args[0] == from;
		return NULL;
	}
	if (!from->is_reference && !from->is_value)
		return NULL;
	if (to->special == TYPE_SPECIAL_OBJECT) {
		*ret = from->elem != ELEM_VOID;
		return NULL;
	}
	if (!to->is_reference)
		return NULL;
	if (to->kind == TYPE_KIND_INTERFACE)
		return implements(ts, from, to, depth, ret);
	if (to->kind != TYPE_KIND_ARRAY)
		return derives(ts, from, to, depth, ret);
	if (from->kind != TYPE_KIND_ARRAY || from->rank != to->rank ||
	    (from->elem != to->elem && to->elem == ELEM_SZARRAY))
		return NULL;
	return elements_fit(ts, from->inner, to->inner, depth + 1, ret);
}

struct dbg_error *type_assignable(struct types *ts, struct type *from,
				  struct type *to, bool *ret)
{
	return assignable(ts, from, to, 0, ret);
}

struct dbg_error *type_as(struct types *ts, struct type *type,
			  const struct type *def, struct type **ret)
{
	struct type *const *all;
	struct dbg_error *err;
	size_t n;
	*ret = NULL;
	if (def->kind != TYPE_KIND_INTERFACE) {
		for (int i = 0; type && i < TYPE_BASES_MAX; i++) {
			if (type->module == def->module &&
			    type->token == def->token) {
				*ret = type;
				return NULL;
			}
			err = type_parent(ts, type, &type);
			if (err)
				return err;
		}
		return NULL;
	}
	err = type_interfaces(ts, type, &all, &n);
	if (!err && type->module == def->module && type->token == def->token)
		*ret = type;
	for (size_t i = 0; i < n && !err && !*ret; i++) {
		if (all[i]->module == def->module &&
		    all[i]->token == def->token)
			*ret = all[i];
	}
	return err;
}
