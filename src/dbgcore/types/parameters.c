/*
 * Parameters of methods with names, defaults and `params`; generic parameters
 * with their constraints; properties with their accessors. What the binder asks
 * and the machine does not.
 */
#include <string.h>

#include "base/err.h"
#include "types/types_priv.h"

enum {
	PARAM_FLAGS = 0,
	PARAM_SEQUENCE = 1,
	PARAM_NAME = 2,
	CONSTANT_TYPE = 0,
	CONSTANT_PARENT = 1,
	CONSTANT_VALUE = 2,
	/* HasConstant (II.24.2.6): two bits of tag, 1 is Param. */
	CONSTANT_PARAM = 1,
	CONSTRAINT_OWNER = 0,
	CONSTRAINT_TYPE = 1,
	CONSTRAINTS_MAX = 256,
	PROPERTYMAP_PARENT = 0,
	PROPERTYMAP_LIST = 1,
	PROPERTY_NAME = 1,
	SEMANTICS_KIND = 0,
	SEMANTICS_METHOD = 1,
	SEMANTICS_OF = 2,
	SEMANTICS_SETTER = 1,
	SEMANTICS_GETTER = 2,
	PROPERTIES_MAX = 1 << 16,
};

/* ---- Parameters ------------------------------------------------------ */

static void read_constant(const struct md *md, uint32_t rid,
			  struct type_param *ret)
{
	uint32_t n, row = md_find(md, MD_CONSTANT, CONSTANT_PARENT,
				  rid << 2 | CONSTANT_PARAM, &n);
	if (!row)
		return;
	ret->constant = md_col(md, MD_CONSTANT, row, CONSTANT_TYPE) & 0xff;
	ret->value = md_col_blob(md, MD_CONSTANT, row, CONSTANT_VALUE);
}

void type_method_param(const struct type_method *m, uint32_t i,
		       struct type_param *ret)
{
	uint32_t first, end;
	*ret = (struct type_param){.name = "", .constant = ELEM_END};
	if (!m->token)
		return;
	const struct md *md = &m->module->md;
	md_method_params(md, MD_TOKEN_RID(m->token), &first, &end);
	for (uint32_t at = first; at < end; at++) {
		uint32_t rid = md_member(md, MD_LIST_PARAMS, at);

		if (md_col(md, MD_PARAM, rid, PARAM_SEQUENCE) != i + 1)
			continue;
		ret->name = md_col_string(md, MD_PARAM, rid, PARAM_NAME);
		ret->flags = (uint16_t)md_col(md, MD_PARAM, rid, PARAM_FLAGS);
		ret->token = MD_TOKEN(MD_PARAM, rid);
		ret->is_params =
		    md_has_attribute(md, ret->token,
				     "System.ParamArrayAttribute", NULL) ||
		    md_has_attribute(md, ret->token,
				     "System.Runtime.CompilerServices."
				     "ParamCollectionAttribute",
				     NULL);
		read_constant(md, rid, ret);
		return;
	}
}

uint32_t type_method_return_token(const struct type_method *m)
{
	uint32_t first, end;
	if (!m->token)
		return 0;
	const struct md *md = &m->module->md;
	md_method_params(md, MD_TOKEN_RID(m->token), &first, &end);
	for (uint32_t i = first; i < end; i++) {
		uint32_t rid = md_member(md, MD_LIST_PARAMS, i);

		if (md_col(md, MD_PARAM, rid, PARAM_SEQUENCE) == 0)
			return MD_TOKEN(MD_PARAM, rid);
	}
	return 0;
}

static struct dbg_error *read_constraints(struct types *ts,
					  const struct type_context *ctx,
					  uint32_t param,
					  struct type_generic_param *ret)
{
	const struct md *md = &ctx->module->md;
	uint32_t n, row = md_find(md, MD_GENERICPARAMCONSTRAINT,
				  CONSTRAINT_OWNER, param, &n);
	if (!row || n > CONSTRAINTS_MAX)
		return NULL;
	ret->constraints =
	    arena_calloc(ts->arena, n, sizeof(ret->constraints[0]));
	for (uint32_t i = 0; i < n; i++) {
		uint32_t token = md_typedef_or_ref(md_col(
		    md, MD_GENERICPARAMCONSTRAINT, row + i, CONSTRAINT_TYPE));
		struct dbg_error *err = type_of_token(
		    ts, ctx, token, &ret->constraints[ret->n_constraints]);
		if (err)
			return err;
		ret->n_constraints++;
	}
	return NULL;
}

struct dbg_error *type_generic_param(struct types *ts, const struct type *type,
				     const struct type_method *m,
				     uint32_t number,
				     struct type_generic_param *ret)
{
	uint32_t first;
	struct code_module *module = m ? m->module : type->module;
	if (!module)
		return dbg_err(DBG_E_ARGUMENT, "not a generic definition");
	uint32_t owner = m ? MD_TOKEN_RID(m->token) << 1 | 1
			   : MD_TOKEN_RID(type->token) << 1;
	uint32_t n = type_generic_count(module, owner, &first);
	struct type_context ctx = {.module = module};
	*ret = (struct type_generic_param){.name = ""};
	for (uint32_t i = 0; i < n; i++) {
		const struct md *md = &module->md;
		if (md_col(md, MD_GENERICPARAM, first + i,
			   GENERICPARAM_NUMBER) != number)
			continue;
		ret->name = md_col_string(md, MD_GENERICPARAM, first + i,
					  GENERICPARAM_NAME);
		ret->flags = (uint16_t)md_col(md, MD_GENERICPARAM, first + i,
					      GENERICPARAM_FLAGS);
		return read_constraints(ts, &ctx, first + i, ret);
	}
	return dbg_err(DBG_E_ARGUMENT, "no generic parameter %u", number);
}

/* ---- Properties ------------------------------------------------------ */

static void add_accessors(struct types *ts, struct type *type,
			  struct type_property *p)
{
	const struct md *md = &type->module->md;
	// HasSemantics (II.24.2.6): one bit of tag, 1 is Property.
	uint32_t of = MD_TOKEN_RID(p->token) << 1 | 1;
	uint32_t n, row = md_find(md, MD_METHODSEMANTICS, SEMANTICS_OF, of, &n);
	for (; row && row <= md_rows(md, MD_METHODSEMANTICS); row++) {
		if (md_col(md, MD_METHODSEMANTICS, row, SEMANTICS_OF) != of)
			break;
		uint32_t kind =
		    md_col(md, MD_METHODSEMANTICS, row, SEMANTICS_KIND);
		uint32_t rid =
		    md_col(md, MD_METHODSEMANTICS, row, SEMANTICS_METHOD);
		struct type_method *m = type_method_get(
		    ts, type, MD_TOKEN(MD_METHODDEF, rid), NULL, 0);
		if (kind & SEMANTICS_GETTER)
			p->getter = m;
		if (kind & SEMANTICS_SETTER)
			p->setter = m;
	}
}

static void property_range(const struct type *type, uint32_t *ret_first,
			   uint32_t *ret_end)
{
	const struct md *md = &type->module->md;
	uint32_t rows = md_rows(md, MD_PROPERTYMAP);
	uint32_t n, row = md_find(md, MD_PROPERTYMAP, PROPERTYMAP_PARENT,
				  MD_TOKEN_RID(type->token), &n);
	*ret_first = *ret_end = 0;
	if (!row)
		return;
	*ret_first = md_col(md, MD_PROPERTYMAP, row, PROPERTYMAP_LIST);
	*ret_end = row < rows
		       ? md_col(md, MD_PROPERTYMAP, row + 1, PROPERTYMAP_LIST)
		       : md_rows(md, MD_PROPERTY) + 1;
}

void type_properties(struct types *ts, struct type *type,
		     const struct type_property **ret, size_t *ret_n)
{
	struct type_facts *facts = type->facts;
	if (!facts->has_properties && type->module) {
		uint32_t first, end;
		property_range(type, &first, &end);
		size_t n = end > first && end - first < PROPERTIES_MAX
			       ? end - first
			       : 0;
		facts->properties = arena_calloc(ts->arena, n + 1,
						 sizeof(facts->properties[0]));
		facts->n_properties = n;
		for (size_t i = 0; i < n; i++) {
			struct type_property *p = &facts->properties[i];
			uint32_t rid = first + (uint32_t)i;
			p->owner = type;
			p->token = MD_TOKEN(MD_PROPERTY, rid);
			p->name = md_col_string(&type->module->md, MD_PROPERTY,
						rid, PROPERTY_NAME);
			add_accessors(ts, type, p);
		}
	}
	facts->has_properties = true;
	*ret = facts->properties;
	*ret_n = facts->n_properties;
}

/* ---- Boxes ------------------------------------------------------------- */

static bool can_be_boxed(const struct type *type)
{
	return type->is_reference ||
	       (type->is_value && type->special != TYPE_SPECIAL_TYPEDBYREF &&
		!type_attribute(type,
				"System.Runtime.CompilerServices."
				"IsByRefLikeAttribute",
				NULL));
}

/*
 * The type behind a by-ref: of a parameter that is read or written by its
 * address.
 */
static const struct type *referred(const struct type *type)
{
	return type->kind == TYPE_KIND_BYREF ? type->inner : type;
}

bool type_method_boxes_result(const struct type_method *m,
			      const struct type_sig *sig)
{
	if (!strcmp(m->name, ".ctor") || !m->owner || !m->module ||
	    (sig->has_this && !can_be_boxed(m->owner)))
		return false;
	// a box of a nullable is one of what it holds, or null
	if (sig->has_this && m->owner->special == TYPE_SPECIAL_NULLABLE)
		return false;
	return sig->ret->elem == ELEM_VOID || can_be_boxed(referred(sig->ret));
}

bool type_method_boxes(const struct type_method *m, const struct type_sig *sig)
{
	if (!type_method_boxes_result(m, sig))
		return false;
	for (size_t i = 0; i < sig->n_params; i++)
		if (!can_be_boxed(referred(sig->params[i])))
			return false;
	return true;
}
