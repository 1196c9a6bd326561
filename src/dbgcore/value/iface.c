/*
 * Interfaces of types, from the InterfaceImpl table of the class and its bases.
 */
#include "value/value.h"

#include "value/value_priv.h"

enum {
	TYPEDEF_FLAGS = 0,
	INTERFACE_FLAG = 0x20,
	BASES_MAX = 1000
};

bool type_is_interface(const struct type *type)
{
	return type->module && !type->is_array &&
	       (md_col(&type->module->md, MD_TYPEDEF, MD_TOKEN_RID(type->token),
		       TYPEDEF_FLAGS) &
		INTERFACE_FLAG);
}

/* The type that an InterfaceImpl row of @type names. */
static struct type *interface_type(struct types *ts, struct type *type,
				   uint32_t token)
{
	struct type_context ctx = {.module = type->module,
				   .type_args = type->args,
				   .n_type_args = type->n_args};
	return type_of_token(ts, &ctx, token);
}

/* Compilers list the interfaces of a class with all that these extend. */
static bool lists(struct types *ts, struct type *type, struct type *iface)
{
	const struct md *md = &type->module->md;
	uint32_t n, rid = MD_TOKEN_RID(type->token);
	uint32_t row = md_find(md, MD_INTERFACEIMPL, 0, rid, &n);
	for (; row && row <= md_rows(md, MD_INTERFACEIMPL); row++) {
		if (md_col(md, MD_INTERFACEIMPL, row, 0) != rid)
			break;
		struct type *found = interface_type(
		    ts, type,
		    md_typedef_or_ref(md_col(md, MD_INTERFACEIMPL, row, 1)));
		if (found && type_same(ts, found, iface))
			return true;
	}
	return false;
}

bool type_implements(struct types *ts, struct type *type, struct type *iface)
{
	for (int i = 0; type && i < BASES_MAX; i++) {
		if (type_same(ts, type, iface) ||
		    (type->module && lists(ts, type, iface)))
			return true;
		type = type_parent(ts, type);
	}
	return false;
}
