/*
 * Objects of the framework's own types, read by the names of their fields
 * (Task, Exception, ...): offsets are found by name in each runtime, since they
 * differ between versions.
 */
#include "code/object.h"
#include "dac/objectlayout.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "code/code_priv.h"
#include "target/target.h"

enum {
	BASES_MAX = 64,
	FIELD_NAME = 1, /* column of the Field table */
};

/* The field among the type's own; NULL: none. */
static const struct dac_field *own_field(const struct code_module *m,
					 const struct dac_field *fields,
					 size_t n, const char *name)
{
	for (size_t i = 0; m && i < n; i++) {
		uint32_t rid = MD_TOKEN_RID(fields[i].token);

		if (!fields[i].is_static &&
		    !strcmp(md_col_string(&m->md, MD_FIELD, rid, FIELD_NAME),
			    name))
			return &fields[i];
	}
	return NULL;
}

bool object_offset(struct code *c, uint64_t mt, const char *name, uint32_t *ret)
{
	for (int depth = 0; mt && depth < BASES_MAX; depth++) {
		const struct dac_type *type;
		const struct dac_field *fields, *field;
		size_t n;
		struct dbg_error *err = dac_type_get(c->dac, mt, &type);

		if (!err)
			err = dac_fields(c->dac, mt, &fields, &n);
		if (dbg_err_drop(err))
			return false;
		field = own_field(code_module_find(c, type->module), fields, n,
				  name);
		if (field) {
			*ret = OBJECT_FIELDS + field->offset;
			return true;
		}
		mt = type->parent;
	}
	return false;
}

uint64_t object_field(struct code *c, uint64_t addr, const char *name)
{
	uint64_t mt;
	uint32_t offset;
	struct dbg_error *err = target_read_u64(c->target, addr, &mt);

	// the low bits of a MethodTable pointer are the GC's
	if (!err && object_offset(c, mt & ~(uint64_t)7, name, &offset))
		return addr + offset;
	dbg_error_destroy(err);
	return 0;
}

uint64_t object_ref(struct code *c, uint64_t addr, const char *name)
{
	uint64_t field = object_field(c, addr, name), object = 0;

	if (field)
		dbg_error_destroy(target_read_u64(c->target, field, &object));
	return object;
}

const char *object_string(struct code *c, uint64_t addr, struct arena *arena)
{
	uint16_t units[OBJECT_STRING_MAX];
	uint32_t n = 0;
	struct dbg_error *err =
	    target_read_u32(c->target, addr + STRING_LENGTH, &n);

	if (n > OBJECT_STRING_MAX)
		n = OBJECT_STRING_MAX;
	if (!err)
		err = target_read(c->target, addr + STRING_CHARS, units,
				  n * sizeof(*units));
	if (dbg_err_drop(err))
		return NULL;

	_cleanup_str_ struct str text = {0};

	str_add_utf16(&text, units, n);
	return arena_strdup(arena, str_get(&text));
}
