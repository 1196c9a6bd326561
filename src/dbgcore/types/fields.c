/*
 * Fields of types: by token and by name, through the base types; their types,
 * offsets, where a static lies, initial data and constants. Metadata names
 * them, the runtime's record decides where they are.
 */
#include <string.h>

#include "base/err.h"
#include "dac/objectlayout.h"
#include "types/types_priv.h"
#include "target/target.h"

enum {
	FIELDS_MAX = 1 << 16,
	FIELDRVA_RVA = 0,
	FIELDRVA_FIELD = 1,
	CONSTANT_TYPE = 0,
	CONSTANT_PARENT = 1,
	CONSTANT_VALUE = 2,
	/* HasConstant (II.24.2.6): two bits of tag, 0 is Field. */
	CONSTANT_BITS = 2,
	LOOKED_AT = 64, // bytes of a static
};

static const char thread_static[] = "System.ThreadStaticAttribute";

/* ---- Lists ----------------------------------------------------------- */

static struct type_field *make_field(struct types *ts, struct type *type,
				     uint32_t rid)
{
	const struct md *md = &type->module->md;
	struct type_field *f = arena_alloc(ts->arena, sizeof(*f));
	f->owner = type;
	f->token = MD_TOKEN(MD_FIELD, rid);
	f->flags = (uint16_t)md_col(md, MD_FIELD, rid, FIELD_FLAGS);
	f->name = md_col_string(md, MD_FIELD, rid, FIELD_NAME);
	f->is_const = f->flags & FIELD_LITERAL_FLAG;
	f->is_static = f->flags & FIELD_STATIC_FLAG;
	f->is_rva = f->flags & FIELD_RVA_FLAG;
	f->is_thread = f->is_static && !f->is_const &&
		       md_has_attribute(md, f->token, thread_static, NULL);
	return f;
}

void type_fields(struct types *ts, struct type *type,
		 struct type_field *const **ret, size_t *ret_n)
{
	struct type_field_list *own = &type->facts->fields;
	if (!own->made) {
		uint32_t first = 0, end = 0;
		own->made = true;
		if (type->module)
			md_type_fields(&type->module->md,
				       MD_TOKEN_RID(type->token), &first, &end);
		size_t n =
		    end > first && end - first < FIELDS_MAX ? end - first : 0;
		own->v = arena_calloc(ts->arena, n + 1, sizeof(own->v[0]));
		own->n = n;
		for (size_t i = 0; i < n; i++) {
			own->v[i] = make_field(ts, type,
					       md_member(&type->module->md,
							 MD_LIST_FIELDS,
							 first + (uint32_t)i));
			own->v[i]->index = (uint32_t)i;
		}
	}
	*ret = own->v;
	*ret_n = own->n;
}

static void make_late(struct types *ts, struct type *type,
		      struct type_field_list *late)
{
	const struct md *md = &type->module->md;
	uint32_t own = MD_TOKEN_RID(type->token);
	uint32_t n = md->members ? md_rows(md, MD_FIELD) : 0;
	size_t cap = 0;
	for (uint32_t rid = 1; rid <= n && cap < FIELDS_MAX; rid++)
		cap +=
		    md_field_is_late(md, rid) && md_field_type(md, rid) == own;
	late->v = arena_calloc(ts->arena, cap + 1, sizeof(late->v[0]));
	for (uint32_t rid = 1; rid <= n && late->n < cap; rid++) {
		if (!md_field_is_late(md, rid) || md_field_type(md, rid) != own)
			continue;
		struct type_field *f = make_field(ts, type, rid);
		f->is_late = true;
		f->index = (uint32_t)late->n;
		late->v[late->n++] = f;
	}
}

void type_late_fields(struct types *ts, struct type *type,
		      struct type_field *const **ret, size_t *ret_n)
{
	struct type_field_list *late = &type->facts->late;
	if (!late->made && type->module)
		make_late(ts, type, late);
	late->made = true;
	*ret = late->v;
	*ret_n = late->n;
}

struct type_field *type_field_own(struct types *ts, struct type *type,
				  const char *name)
{
	struct type_field *const *fields;
	size_t n;
	type_fields(ts, type, &fields, &n);
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(fields[i]->name, name))
			return fields[i];
	}
	type_late_fields(ts, type, &fields, &n);
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(fields[i]->name, name))
			return fields[i];
	}
	return NULL;
}

struct dbg_error *type_field_find(struct types *ts, struct type *type,
				  const char *name, struct type_field **ret)
{
	for (int i = 0; type && i < TYPE_BASES_MAX; i++) {
		*ret = type_field_own(ts, type, name);
		if (*ret)
			return NULL;
		struct dbg_error *err = type_parent(ts, type, &type);
		if (err)
			return err;
	}
	*ret = NULL;
	return NULL;
}

/* ---- Tokens ---------------------------------------------------------- */

static struct dbg_error *of_def(struct types *ts,
				const struct type_context *ctx, uint32_t token,
				struct type_field **ret)
{
	struct code_module *m = ctx->module;
	uint32_t rid = MD_TOKEN_RID(token);
	struct type *type =
	    type_def(ts, m, MD_TOKEN(MD_TYPEDEF, md_field_type(&m->md, rid)));
	struct type_field *const *fields;
	size_t n = 0;
	// A field of a generic class is named by a MemberRef, but by those
	// who mean the class's own instance.
	if (type && type->n_args && type->n_args == ctx->n_class_args)
		type =
		    type_instance(ts, type, ctx->class_args, ctx->n_class_args);
	bool late = md_field_is_late(&m->md, rid);
	if (type && late)
		type_late_fields(ts, type, &fields, &n);
	else if (type)
		type_fields(ts, type, &fields, &n);
	uint32_t index = n ? rid - MD_TOKEN_RID(fields[0]->token) : 0;
	for (index = late ? 0 : index;
	     late && index < n && fields[index]->token != token;)
		index++;
	if (index >= n || fields[index]->token != token)
		return dbg_err(DBG_E_FORMAT, "token 0x%08x of '%s' is no field",
			       token, m->name);
	*ret = fields[index];
	return NULL;
}

static struct dbg_error *of_ref(struct types *ts,
				const struct type_context *ctx, uint32_t token,
				struct type_field **ret)
{
	const struct md *md = &ctx->module->md;
	uint32_t rid = MD_TOKEN_RID(token);
	struct type *type;
	struct dbg_error *err =
	    type_of_token(ts, ctx,
			  md_memberref_parent(
			      md_col(md, MD_MEMBERREF, rid, MEMBERREF_PARENT)),
			  &type);
	const char *name = md_col_string(md, MD_MEMBERREF, rid, MEMBERREF_NAME);
	if (!err)
		err = type_field_find(ts, type, name, ret);
	if (!err && !*ret)
		err = dbg_err(DBG_E_NOT_FOUND, "'%s' has no field '%s'",
			      type_name(ts, type), name);
	return err;
}

struct dbg_error *type_field_of_token(struct types *ts,
				      const struct type_context *ctx,
				      uint32_t token, struct type_field **ret)
{
	struct type_field *f = NULL;
	struct dbg_error *err;
	if (MD_TOKEN_TABLE(token) == MD_MEMBERREF)
		err = of_ref(ts, ctx, token, &f);
	else
		err = of_def(ts, ctx, token, &f);
	if (!err)
		*ret = f;
	return err;
}

/* ---- Facts ----------------------------------------------------------- */

struct dbg_error *type_field_type(struct types *ts, struct type_field *f,
				  struct type **ret)
{
	if (!f->type) {
		struct sig_type *sig;
		struct type_context ctx = type_context(f->owner);
		struct arena *arena = arena_create();
		struct dbg_error *err = sig_parse_field(
		    md_col_blob(&ctx.module->md, MD_FIELD,
				MD_TOKEN_RID(f->token), FIELD_SIGNATURE),
		    arena, &sig);
		if (!err)
			err = type_of_sig(ts, sig, &ctx, &f->type);
		arena_destroy(arena);
		if (err)
			return err;
	}
	*ret = f->type;
	return NULL;
}

struct dbg_error *type_field_offset(struct types *ts, struct type_field *f,
				    uint32_t *ret)
{
	const struct type_layout *layout;
	struct dbg_error *err = type_layout(ts, f->owner, &layout);
	if (!err)
		*ret = f->offset;
	return err;
}

static const struct dac_field *raw_field(struct types *ts,
					 const struct type_field *f)
{
	const struct dac_field *raw;
	size_t n;
	uint64_t mt = type_mt(ts, f->owner);
	if (!mt || dbg_err_drop(dac_fields(ts->dac, mt, &raw, &n)))
		return NULL;
	for (size_t i = 0; i < n; i++) {
		if (raw[i].token == f->token)
			return &raw[i];
	}
	return NULL;
}

struct dbg_error *type_field_static(struct types *ts, struct type_field *f,
				    struct thread_ref *thread, uint64_t *ret)
{
	uint64_t of = 0;
	*ret = 0;
	if (f->is_late)
		return type_late_place(ts, f, 0, ret);
	const struct dac_field *raw = raw_field(ts, f);
	if (!raw)
		return NULL;
	if (raw->is_thread_static)
		of = thread_ref_get(thread);
	if (raw->is_thread_static && !of)
		return NULL;
	return dac_static_addr(ts->dac, f->owner->facts->mt, raw, of, ret);
}

/* What the runtime has of it; see dac_late_holder. */
static struct dbg_error *late_record(struct types *ts, struct type_field *f,
				     uint64_t object, uint64_t *ret)
{
	struct type *owner = f->owner;
	uint32_t rid = MD_TOKEN_RID(f->token);
	uint64_t mt = owner->n_args ? 0 : type_mt(ts, owner);
	bool known =
	    f->is_static
		? dac_late_static(ts->dac, owner->module->addr, rid, ret)
		: dac_late_holder(ts->dac, object, mt, rid, ret);
	return known && !f->is_thread
		   ? NULL
		   : dbg_err(
			 DBG_E_UNSUPPORTED,
			 "the field '%s' was added by hot reload, and where "
			 "its value is is not known",
			 f->name);
}

struct dbg_error *type_late_place(struct types *ts, struct type_field *f,
				  uint64_t object, uint64_t *ret)
{
	struct type *type;
	uint64_t at = 0;
	*ret = 0;
	struct dbg_error *err = type_field_type(ts, f, &type);
	if (!err && !f->is_const)
		err = late_record(ts, f, object, &at);
	if (err || !at)
		return err;
	bool box = type->kind == TYPE_KIND_STRUCT;
	if (!f->is_static)
		at += OBJECT_FIELDS;
	// a reference of a static has a place of its own, as a box has
	else if (type->is_reference || box)
		err = target_read_u64(ts->target, at, &at);
	if (!err && at && !type->is_reference && (box || !f->is_static)) {
		err = target_read_u64(ts->target, at, &at);
		at += err || !at ? 0 : box ? OBJECT_FIELDS : ARRAY_DATA;
	}
	if (!err)
		*ret = at;
	return err;
}

struct bytes type_field_data(const struct type_field *f)
{
	const struct code_module *m = f->owner->module;
	uint32_t n, row = md_find(&m->md, MD_FIELDRVA, FIELDRVA_FIELD,
				  MD_TOKEN_RID(f->token), &n);
	if (!row || !m->pe.n_sections)
		return (struct bytes){0};
	return pe_at_rva(&m->pe,
			 md_col(&m->md, MD_FIELDRVA, row, FIELDRVA_RVA));
}

struct bytes type_field_constant(const struct type_field *f,
				 enum elem *ret_elem)
{
	const struct md *md = &f->owner->module->md;
	uint32_t n, row = md_find(md, MD_CONSTANT, CONSTANT_PARENT,
				  MD_TOKEN_RID(f->token) << CONSTANT_BITS, &n);
	*ret_elem = ELEM_END;
	if (!row)
		return (struct bytes){0};
	*ret_elem = md_col(md, MD_CONSTANT, row, CONSTANT_TYPE) & 0xff;
	return md_col_blob(md, MD_CONSTANT, row, CONSTANT_VALUE);
}

static bool has_place(const struct type_field *f)
{
	return f->is_static && !f->is_const && !f->is_rva && !f->is_thread;
}

/* Is something in the static @f, which is at @addr in the program? */
static bool is_written(struct types *ts, struct type_field *f, uint64_t addr)
{
	uint8_t bytes[LOOKED_AT];
	struct type *type;
	const struct type_layout *layout;
	if (dbg_err_drop(type_field_type(ts, f, &type)) ||
	    dbg_err_drop(type_layout(ts, type, &layout)))
		return false;
	size_t n = layout->size < sizeof(bytes) ? layout->size : sizeof(bytes);
	if (target_read_some(ts->target, addr, bytes, n) != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (bytes[i])
			return true;
	}
	return false;
}

bool type_is_initialized(struct types *ts, struct type *type)
{
	struct type_field *const *fields;
	size_t n;
	bool any = false;
	if (!type_method_cctor(ts, type))
		return true;
	type_fields(ts, type, &fields, &n);
	for (size_t i = 0; i < n; i++) {
		uint64_t addr;
		if (!has_place(fields[i]))
			continue;
		if (dbg_err_drop(type_field_static(ts, fields[i], NULL, &addr)))
			return false;
		// Statics may have their places before they have values.
		if (!any && addr &&
		    dac_is_class_ready(ts->dac, type_mt(ts, type)))
			return true;
		any = true;
		if (!addr || dac_has_class_failed(ts->dac, type_mt(ts, type)))
			return false;
		// the static constructor is at work, or was
		if (is_written(ts, fields[i], addr))
			return true;
	}
	if (any)
		return !ts->quiet && ts->runs &&
		       ts->runs(ts->runs_arg, type_mt(ts, type));
	return type_mt(ts, type) != 0;
}
