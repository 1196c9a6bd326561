/*
 * Which method runs: slots of classes (a table for each type, as the runtime
 * builds it from newslot, names and signatures, then MethodImpls), interfaces
 * (MethodImpls, then names, from the most derived class up; default
 * implementations; variance), static abstracts.
 */
#include <string.h>

#include "base/err.h"
#include "types/types_priv.h"

enum {
	METHODIMPL_CLASS = 0,
	METHODIMPL_BODY = 1,
	METHODIMPL_DECLARATION = 2,
	ACCESS_MASK = 7,
	ACCESS_PUBLIC = 6,
	SLOTS_MAX = 1 << 16,
};

/* ---- Signatures ------------------------------------------------------ */

/*
 * Do methods of one name agree in all but their class? Types that are not
 * loaded count as equal: the names agree, and so do the counts.
 */
static bool sig_agrees(struct types *ts, struct type_method *a,
		       struct type_method *b)
{
	const struct type_sig *sa, *sb;
	if (a->n_args != b->n_args)
		return false;
	if (dbg_err_drop(type_method_sig(ts, a, &sa)) ||
	    dbg_err_drop(type_method_sig(ts, b, &sb)))
		return true;
	return sa->n_params == sb->n_params && sa->ret == sb->ret &&
	       (!sa->n_params || !memcmp(sa->params, sb->params,
					 sa->n_params * sizeof(sa->params[0])));
}

/* @m over its own parameters. */
static struct type_method *definition(struct types *ts, struct type_method *m)
{
	return m->n_args ? type_method_get(ts, m->owner, m->token, NULL, 0) : m;
}

/* @found with the arguments of @m, unless it has its own already. */
static struct type_method *with_args(struct types *ts,
				     struct type_method *found,
				     const struct type_method *m)
{
	return found->n_args && found->n_args == m->n_args &&
		       definition(ts, found) == found
		   ? type_method_instance(ts, found, m->args, m->n_args)
		   : found;
}

/* ---- MethodImpls ----------------------------------------------------- */

static const char *member_name(const struct md *md, uint32_t token)
{
	if (MD_TOKEN_TABLE(token) == MD_MEMBERREF)
		return md_col_string(md, MD_MEMBERREF, MD_TOKEN_RID(token),
				     MEMBERREF_NAME);
	return md_col_string(md, MD_METHODDEF, MD_TOKEN_RID(token),
			     METHOD_NAME);
}

struct impl_row {
	struct type_method *declaration, *body;
};

/*
 * The rows of @type behind *@row whose declaration is named @name (NULL:
 * any); false at the end. A row whose parts are not loaded is passed over.
 */
static bool next_impl(struct types *ts, struct type *type, const char *name,
		      uint32_t *row, struct impl_row *ret)
{
	const struct md *md = &type->module->md;
	uint32_t n, rid = MD_TOKEN_RID(type->token);
	struct type_context ctx = type_context(type);
	*row = *row ? *row + 1
		    : md_find(md, MD_METHODIMPL, METHODIMPL_CLASS, rid, &n);
	for (; *row && *row <= md_rows(md, MD_METHODIMPL); ++*row) {
		if (md_col(md, MD_METHODIMPL, *row, METHODIMPL_CLASS) != rid)
			return false;
		uint32_t decl = md_methoddef_or_ref(
		    md_col(md, MD_METHODIMPL, *row, METHODIMPL_DECLARATION));
		uint32_t body = md_methoddef_or_ref(
		    md_col(md, MD_METHODIMPL, *row, METHODIMPL_BODY));
		if (name && strcmp(member_name(md, decl), name))
			continue;
		if (dbg_err_drop(type_method_of_token(ts, &ctx, decl,
						      &ret->declaration)) ||
		    dbg_err_drop(
			type_method_of_token(ts, &ctx, body, &ret->body)))
			continue;
		return true;
	}
	return false;
}

/* The body that @type's own rows give @m; NULL: none. */
static struct type_method *own_impl(struct types *ts, struct type *type,
				    const struct type_method *m)
{
	struct impl_row row;
	uint32_t at = 0;
	while (type->module && next_impl(ts, type, m->name, &at, &row)) {
		if (row.declaration == m)
			return row.body;
	}
	return NULL;
}

/* ---- Slots of a class ------------------------------------------------ */

static size_t slot_of(const struct type *type, const struct type_method *m)
{
	for (size_t i = type->facts->n_slots; i > 0; i--) {
		if (type->facts->slots[i - 1] == m)
			return i - 1;
	}
	return SIZE_MAX;
}

/* The newest slot that @m, which is not newslot, overrides. */
static size_t overridden(struct types *ts, const struct type *type,
			 struct type_method *m)
{
	for (size_t i = type->facts->n_slots; i > 0; i--) {
		struct type_method *have = type->facts->slots[i - 1];
		if (!strcmp(have->name, m->name) && sig_agrees(ts, have, m))
			return i - 1;
	}
	return SIZE_MAX;
}

/*
 * Put @m into @slot, and into all others with the same method: a covariant
 * override has a slot of its own and its base's, which stay one for classes
 * that derive from it ([PreserveBaseOverrides]).
 */
static void override(struct type_facts *facts, size_t slot,
		     struct type_method *m)
{
	struct type_method *before = facts->slots[slot];
	for (size_t i = 0; i < facts->n_slots; i++) {
		if (facts->slots[i] == before)
			facts->slots[i] = m;
	}
}

static void fill_own(struct types *ts, struct type *type)
{
	struct type_facts *facts = type->facts;
	struct type_method *const *methods;
	struct impl_row row;
	uint32_t at = 0;
	size_t n;
	type_methods(ts, type, &methods, &n);
	for (size_t i = 0; i < n; i++) {
		struct type_method *m = methods[i];
		if (!(m->flags & TYPE_METHOD_VIRTUAL) ||
		    (m->flags & TYPE_METHOD_STATIC))
			continue;
		size_t slot = m->flags & TYPE_METHOD_NEWSLOT
				  ? SIZE_MAX
				  : overridden(ts, type, m);
		if (slot == SIZE_MAX)
			facts->slots[facts->n_slots++] = m;
		else
			override(facts, slot, m);
	}
	while (next_impl(ts, type, NULL, &at, &row)) {
		size_t slot =
		    row.declaration->owner->kind == TYPE_KIND_INTERFACE
			? SIZE_MAX
			: slot_of(type, row.declaration);
		if (slot != SIZE_MAX)
			override(facts, slot, row.body);
	}
}

static struct dbg_error *make_slots(struct types *ts, struct type *type,
				    unsigned int depth)
{
	struct type_facts *facts = type->facts;
	struct type_method *const *methods;
	struct type *parent;
	size_t n, n_parent = 0;
	if (facts->has_slots)
		return NULL;
	if (depth > TYPE_BASES_MAX)
		return dbg_err(DBG_E_FORMAT, "'%s' derives from itself",
			       type_name(ts, type));
	struct dbg_error *err = type_parent(ts, type, &parent);
	if (!err && parent)
		err = make_slots(ts, parent, depth + 1);
	if (err)
		return err;
	type_methods(ts, type, &methods, &n);
	if (parent)
		n_parent = parent->facts->n_slots;
	if (n_parent + n > SLOTS_MAX)
		return dbg_err(DBG_E_FORMAT, "'%s' has too many methods",
			       type_name(ts, type));
	facts->slots =
	    arena_calloc(ts->arena, n_parent + n + 1, sizeof(facts->slots[0]));
	if (n_parent)
		memcpy(facts->slots, parent->facts->slots,
		       n_parent * sizeof(facts->slots[0]));
	facts->n_slots = n_parent;
	if (type->module)
		fill_own(ts, type);
	facts->has_slots = true;
	return NULL;
}

/* @m is a definition, virtual, of a class. */
static struct dbg_error *by_slot(struct types *ts, struct type_method *m,
				 struct type *type, struct type_method **ret)
{
	struct dbg_error *err = make_slots(ts, m->owner, 0);
	if (!err)
		err = make_slots(ts, type, 0);
	if (err)
		return err;
	size_t slot = slot_of(m->owner, m);
	// Overridden in its own class by a MethodImpl, or @type is another.
	*ret = slot < type->facts->n_slots ? type->facts->slots[slot] : m;
	return NULL;
}

/* ---- Interfaces ------------------------------------------------------ */

/* Does @type's own list of interfaces, or what these extend, have @iface? */
static bool lists(struct types *ts, struct type *type, struct type *iface)
{
	struct type *const *all, *parent;
	struct type *const *base;
	size_t n, n_base = 0;
	if (dbg_err_drop(type_interfaces(ts, type, &all, &n)))
		return false;
	const struct md *md = &type->module->md;
	uint32_t rows, rid = MD_TOKEN_RID(type->token);
	bool own = md_find(md, MD_INTERFACEIMPL, 0, rid, &rows) != 0;
	if (dbg_err_drop(type_parent(ts, type, &parent)))
		parent = NULL;
	if (parent && dbg_err_drop(type_interfaces(ts, parent, &base, &n_base)))
		n_base = 0;
	for (size_t i = 0; i < n; i++) {
		if (all[i] != iface)
			continue;
		// A class that names it again implements it again.
		return own || i >= n_base;
	}
	return false;
}

/* A public method of @type or a base that is as @m wants it. */
static struct type_method *by_name(struct types *ts, struct type *type,
				   struct type_method *m, bool is_static)
{
	for (int i = 0; type && i < TYPE_BASES_MAX; i++) {
		struct type_method *const *methods;
		size_t n;
		type_methods(ts, type, &methods, &n);
		for (size_t j = 0; j < n; j++) {
			struct type_method *c = methods[j];
			if ((c->flags & ACCESS_MASK) == ACCESS_PUBLIC &&
			    !(c->flags & TYPE_METHOD_STATIC) == !is_static &&
			    (is_static || (c->flags & TYPE_METHOD_VIRTUAL)) &&
			    !strcmp(c->name, m->name) && sig_agrees(ts, c, m))
				return c;
		}
		if (dbg_err_drop(type_parent(ts, type, &type)))
			return NULL;
	}
	return NULL;
}

static struct dbg_error *in_classes(struct types *ts, struct type_method *m,
				    struct type *type, struct type_method **ret)
{
	bool is_static = m->flags & TYPE_METHOD_STATIC;
	struct type *at = type;
	*ret = NULL;
	for (int i = 0; at && i < TYPE_BASES_MAX && !*ret; i++) {
		*ret = own_impl(ts, at, m);
		if (!*ret && at->module && lists(ts, at, m->owner))
			*ret = by_name(ts, at, m, is_static);
		struct dbg_error *err = type_parent(ts, at, &at);
		if (err)
			return err;
	}
	if (*ret && !is_static && ((*ret)->flags & TYPE_METHOD_VIRTUAL) &&
	    !((*ret)->flags & TYPE_METHOD_FINAL) &&
	    (*ret)->owner->kind != TYPE_KIND_INTERFACE)
		return by_slot(ts, *ret, type, ret);
	return NULL;
}

/* The most derived interface of @type that implements @m itself. */
static struct dbg_error *by_default(struct types *ts, struct type_method *m,
				    struct type *type, struct type_method **ret)
{
	struct type *const *all;
	size_t n;
	struct type *best = NULL;
	struct dbg_error *err = type_interfaces(ts, type, &all, &n);
	*ret = NULL;
	for (size_t i = 0; !err && i < n; i++) {
		bool derived = true;
		struct type_method *body = own_impl(ts, all[i], m);
		if (!body)
			continue;
		if (best)
			err = type_assignable(ts, all[i], best, &derived);
		if (derived) {
			best = all[i];
			*ret = body;
		}
	}
	if (!err && !*ret && !(m->flags & TYPE_METHOD_ABSTRACT))
		*ret = m;
	return err;
}

/*
 * Find the method of System.SZArrayHelper that implements @m, a method of a
 * generic interface of vectors. NULL: there is none.
 */
static struct type_method *of_vector(struct types *ts, struct type_method *m)
{
	struct type *helper = type_core(ts, "System.SZArrayHelper");
	const struct type_sig *sig;
	if (!helper || m->owner->n_args != 1 ||
	    dbg_err_drop(type_method_sig(ts, m, &sig)))
		return NULL;
	struct type_method *found =
	    type_method_named(ts, helper, m->name, (int)sig->n_params);
	return found && found->n_args == 1
		   ? type_method_instance(ts, found, m->owner->args, 1)
		   : NULL;
}

static struct dbg_error *exact_interface(struct types *ts,
					 struct type_method *m,
					 struct type *type,
					 struct type_method **ret)
{
	*ret = NULL;
	if (type->elem == ELEM_SZARRAY && m->owner->n_args == 1) {
		*ret = of_vector(ts, m);
		if (*ret)
			return NULL;
	}
	struct dbg_error *err = in_classes(ts, m, type, ret);
	if (!err && !*ret)
		err = by_default(ts, m, type, ret);
	return err;
}

/*
 * Find the method like @m of another instance of its interface that @type
 * implements, where variance makes the two compatible.
 */
static struct dbg_error *by_variance(struct types *ts, struct type_method *m,
				     struct type *type,
				     struct type_method **ret)
{
	struct type *const *all;
	size_t n;
	struct dbg_error *err = type_interfaces(ts, type, &all, &n);
	for (size_t i = 0; !err && !*ret && i < n; i++) {
		bool fits = false;
		if (all[i] == m->owner || all[i]->module != m->module ||
		    all[i]->token != m->owner->token)
			continue;
		err = type_assignable(ts, all[i], m->owner, &fits);
		if (err || !fits)
			continue;
		err = exact_interface(
		    ts, type_method_get(ts, all[i], m->token, NULL, 0), type,
		    ret);
	}
	return err;
}

static bool has_interface(struct types *ts, struct type *type,
			  const struct type *iface)
{
	struct type *const *all;
	size_t n;
	if (type == iface)
		return true;
	if (dbg_err_drop(type_interfaces(ts, type, &all, &n)))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (all[i] == iface)
			return true;
	}
	return false;
}

static struct dbg_error *by_interface(struct types *ts, struct type_method *m,
				      struct type *type,
				      struct type_method **ret)
{
	struct dbg_error *err = NULL;
	*ret = NULL;
	if (type->elem == ELEM_SZARRAY || has_interface(ts, type, m->owner))
		err = exact_interface(ts, m, type, ret);
	if (!err && !*ret)
		err = by_variance(ts, m, type, ret);
	if (!err && !*ret)
		err = dbg_err(DBG_E_NOT_FOUND, "'%s' does not implement %s",
			      type_name(ts, type), type_method_name(ts, m));
	return err;
}

/* ---- The calls ------------------------------------------------------- */

static struct dbg_error *find_impl(struct types *ts, struct type_method *m,
				   struct type *type, struct type_method **ret)
{
	struct type_method *def = definition(ts, m), *found = NULL;
	struct dbg_error *err;
	if (m->owner->kind == TYPE_KIND_INTERFACE)
		err = by_interface(ts, def, type, &found);
	else
		err = by_slot(ts, def, type, &found);
	if (!err)
		*ret = with_args(ts, found, m);
	return err;
}

struct dbg_error *type_method_virtual(struct types *ts, struct type_method *m,
				      struct type *type,
				      struct type_method **ret)
{
	uint64_t key = (uintptr_t)m;
	if (!(m->flags & TYPE_METHOD_VIRTUAL) || !m->token ||
	    (type == m->owner && (m->flags & TYPE_METHOD_FINAL))) {
		*ret = m;
		return NULL;
	}
	struct type_method *known = map_find(&type->facts->impls, key);
	if (!known) {
		struct dbg_error *err = find_impl(ts, m, type, &known);
		if (err)
			return err;
		map_put(&type->facts->impls, key, known);
	}
	*ret = known;
	return NULL;
}

struct dbg_error *type_method_constrained(struct types *ts,
					  struct type_method *m,
					  struct type *type,
					  struct type_method **ret,
					  bool *ret_box)
{
	*ret_box = false;
	struct dbg_error *err = type_method_virtual(ts, m, type, ret);
	if (err || (m->flags & TYPE_METHOD_STATIC) || !type->is_value)
		return err;
	*ret_box = (*ret)->owner != type;
	return NULL;
}
