/*
 * Types: MethodTables, their names, fields and sizes.
 *
 * Facts about a MethodTable never change while it lives, so they are read
 * once and kept. What the DAC does not tell is read from the runtime's
 * structures and checked against what it does tell: the padding of a value
 * type (EEClass::m_cbBaseSizePadding) against types of known size.
 */
#include "dac/compound.h"
#include "dac/dac_priv.h"

enum {
	ARRAY_BASE = 24,   /* header, MethodTable, length */
	BOX_OVERHEAD = 16, /* header, MethodTable */
	FIELDS_MAX = 1 << 16,
	// MethodTable::m_pPerInstInfo, or the element type of an array; the
	// same in .NET 8, 9 and 10.
	MT_PER_INST = 48,
	// MethodTable::m_dwFlags: enum_flag_Category_ValueType_Mask, and its
	// value for structs, enums and primitives; the same in 8, 9 and 10.
	MT_CATEGORY = 0x000c0000,
	MT_VALUE_TYPE = 0x00040000,
	// MethodTable::m_pEEClass or, with the bit, a MethodTable.
	MT_EECLASS = 40,
	CANONICAL_BIT = 1,
	TYPEDESC_BIT = 2,
	EECLASS_FIRST = 40, /* where the small fields of EEClass are */
	EECLASS_END = 96,
};

struct type_entry {
	struct dac_type type;
	const char *name;
	struct dac_field *fields;
	size_t n_fields;
	bool fields_known, size_known;
};

static struct dbg_error *entry_get(struct dac *d, uint64_t mt,
				   struct type_entry **ret);

static struct dbg_error *no_type(uint64_t mt)
{
	return dbg_err(DBG_E_MEMORY, "no type at 0x%llx",
		       (unsigned long long)mt);
}

/* ---- Description ----------------------------------------------------- */

const struct sos_globals *dac_globals(struct dac *d)
{
	if (!d->learned.globals_known)
		d->learned.globals_known =
		    DAC_CALL(d, d->sos, SOS_USEFUL_GLOBALS,
			     &d->learned.globals) >= 0;
	return &d->learned.globals;
}

static struct dbg_error *name_get(struct dac *d, struct type_entry *e)
{
	uint32_t n = 0;

	if (e->name)
		return NULL;
	d->scratch[0] = 0;
	int32_t hr = DAC_CALL(d, d->sos, SOS_TYPE_NAME, e->type.addr,
			      (uint32_t)DAC_SCRATCH_UNITS, d->scratch, &n);
	if (hr < 0)
		return dac_err(hr, "cannot name the type at 0x%llx",
			       (unsigned long long)e->type.addr);
	e->name = dac_scratch_text(d, DAC_SCRATCH_UNITS, d->facts);
	return NULL;
}

bool dac_is_core_grandchild(struct dac *d, uint64_t mt)
{
	struct type_entry *e, *parent, *object;
	struct dbg_error *err = entry_get(d, mt, &e);

	if (!err)
		err = entry_get(d, e->type.parent, &parent);
	if (!err)
		err = entry_get(d, dac_globals(d)->object_type, &object);
	bool ret = !err && e->type.module == object->type.module &&
		   parent->type.parent == object->type.addr;
	dbg_error_destroy(err);
	return ret;
}

static void describe_array(struct dac *d, struct dac_type *t)
{
	uint64_t element = 0;

	t->is_array = true;
	t->rank = 1;
	if (t->base_size > ARRAY_BASE)
		t->rank = (t->base_size - ARRAY_BASE) / 8;
	if (target_read_some(d->target, t->addr + MT_PER_INST, &element,
			     sizeof(element)) == sizeof(element) &&
	    !(element & TYPEDESC_BIT))
		t->element = element;
}

static void describe(struct dac *d, struct dac_type *t)
{
	const struct sos_globals *g = dac_globals(d);

	t->is_string = t->addr == g->string_type;
	t->is_free = t->addr == g->free_type;
	if (t->is_string || t->is_free || !t->parent)
		return;
	if (t->component_size) {
		describe_array(d, t);
		return;
	}
	uint32_t flags;
	struct type_entry *parent;
	struct dbg_error *err = entry_get(d, t->parent, &parent);

	if (dbg_err_drop(err) ||
	    target_read_some(d->target, t->addr, &flags, sizeof(flags)) !=
		sizeof(flags))
		return;
	t->is_value_type = (flags & MT_CATEGORY) == MT_VALUE_TYPE;
	// object <- ValueType <- Enum: told apart by their depth, since to
	// name them costs the DAC a copy of the core library's metadata
	t->is_enum = t->is_value_type && parent->type.parent != g->object_type;
}

static struct dbg_error *entry_read(struct dac *d, uint64_t mt,
				    struct type_entry **ret)
{
	struct sos_type_all all = {0};

	if (DAC_CALL(d, d->sos, SOS_TYPE_ALL, mt, NULL, &all) < 0)
		return no_type(mt);
	const struct sos_type data = all.type;
	const struct sos_type_fields counts = all.fields;
	struct type_entry *e = arena_alloc(d->facts, sizeof(*e));
	e->type = (struct dac_type){
	    .addr = mt,
	    .module = data.module,
	    .token = data.token & 0xffffff ? data.token : 0,
	    .parent = data.parent,
	    .base_size = data.base_size,
	    .component_size = data.component_size,
	    .n_fields = counts.n_instance,
	    .n_statics = counts.n_static,
	    .first_field = counts.first,
	};
	map_put(&d->types, mt, e);
	describe(d, &e->type);
	*ret = e;
	return NULL;
}

static struct dbg_error *entry_get(struct dac *d, uint64_t mt,
				   struct type_entry **ret)
{
	*ret = map_find(&d->types, mt);
	if (*ret)
		return NULL;
	return mt && !(mt & 7) ? entry_read(d, mt, ret) : no_type(mt);
}

struct dbg_error *dac_type_name(struct dac *d, uint64_t mt, const char **ret)
{
	struct dbg_error *err;
	struct type_entry *e;

	err = entry_get(d, mt, &e);
	if (!err)
		err = name_get(d, e);
	if (err)
		return err;
	*ret = e->name;
	return NULL;
}

/* ---- Fields ---------------------------------------------------------- */

static struct dbg_error *own_count(struct dac *d, const struct dac_type *t,
				   size_t *ret)
{
	struct dbg_error *err;
	struct type_entry *parent;
	uint32_t inherited = 0;

	if (t->parent) {
		err = entry_get(d, t->parent, &parent);
		if (err)
			return err;
		inherited = parent->type.n_fields;
	}
	uint32_t own = t->n_fields > inherited ? t->n_fields - inherited : 0;
	*ret = (size_t)own + t->n_statics;
	return NULL;
}

/*
 * FieldDesc (vm/field.h, the same in .NET 8, 9 and 10) is read as it lies:
 * the DAC's GetFieldDescData copies all metadata of the module to answer.
 */
struct field_desc {
	uint64_t enclosing;
	uint32_t word1; /* rid 24, static, thread static, RVA, access 3, full */
	uint32_t word2; /* offset 27, element type 5 */
};

enum {
	FIELD_STATIC = 1 << 24,
	FIELD_THREAD = 1 << 25,
	FIELD_FULL_RID = 1 << 30, /* else the upper 7 bits are a hash */
	FIELD_RID = 0xffffff,
	FIELD_SHORT_RID = 0x1ffff,
	FIELD_OFFSET = 0x7ffffff,
	FIELD_ELEM_SHIFT = 27,
	TOKEN_FIELD = 0x04000000,
};

static struct dac_field field_from(const struct field_desc *desc, uint64_t addr)
{
	uint32_t rid = desc->word1 & FIELD_FULL_RID
			   ? desc->word1 & FIELD_RID
			   : desc->word1 & FIELD_SHORT_RID;

	return (struct dac_field){
	    .addr = addr,
	    .token = TOKEN_FIELD | rid,
	    .elem = desc->word2 >> FIELD_ELEM_SHIFT,
	    .offset = desc->word2 & FIELD_OFFSET,
	    .is_static = desc->word1 & (FIELD_STATIC | FIELD_THREAD),
	    .is_thread_static = desc->word1 & FIELD_THREAD,
	    .enclosing = desc->enclosing,
	};
}

bool dac_field_at(struct dac *d, uint64_t addr, struct dac_field *ret)
{
	struct field_desc desc;

	if (target_read_some(d->target, addr, &desc, sizeof(desc)) !=
	    sizeof(desc))
		return false;
	*ret = field_from(&desc, addr);
	return true;
}

static struct dbg_error *fields_read(struct dac *d, struct type_entry *e)
{
	struct dbg_error *err;
	size_t n;

	err = own_count(d, &e->type, &n);
	if (err)
		return err;
	if (n > FIELDS_MAX)
		return dbg_err(DBG_E_FORMAT, "type with %zu fields", n);
	e->fields = arena_calloc(d->facts, n + 1, sizeof(*e->fields));
	uint64_t addr = e->type.first_field;
	for (size_t i = 0; i < n && addr; i++) {
		if (!dac_field_at(d, addr, &e->fields[e->n_fields]))
			break;
		e->n_fields++;
		addr += sizeof(struct field_desc);
	}
	e->fields_known = true;
	return NULL;
}

uint64_t dac_field_type(struct dac *d, const struct dac_field *field)
{
	struct sos_field data = {0};

	return DAC_CALL(d, d->sos, SOS_FIELD, field->addr, &data) < 0
		   ? 0
		   : data.type;
}

struct dbg_error *dac_fields(struct dac *d, uint64_t mt,
			     const struct dac_field **ret, size_t *ret_n)
{
	struct dbg_error *err;
	struct type_entry *e;

	err = entry_get(d, mt, &e);
	if (!err && !e->fields_known)
		err = fields_read(d, e);
	if (err)
		return err;
	*ret = e->fields;
	*ret_n = e->n_fields;
	return NULL;
}

/* ---- Size of values -------------------------------------------------- */

// EEClass* of a MethodTable; an instantiation may refer to the MethodTable
// that stands for all that share their code. 0 if it cannot be read.
static uint64_t eeclass_of(struct dac *d, uint64_t mt)
{
	uint64_t word;

	for (int i = 0; i < 2; i++) {
		if (target_read_some(d->target, mt + MT_EECLASS, &word,
				     sizeof(word)) != sizeof(word))
			return 0;
		if (!(word & CANONICAL_BIT))
			return word;
		mt = word & ~(uint64_t)CANONICAL_BIT;
	}
	return 0;
}

/*
 * Where EEClass keeps how much of the base size is not the value: header,
 * MethodTable and what fills the last 8 bytes. It is the one byte that is 20
 * for int and 22 for char.
 */
static uint32_t padding_offset(struct dac *d)
{
	uint64_t class_int = eeclass_of(d, d->learned.int_type);
	uint64_t class_char = eeclass_of(d, d->learned.char_type);
	uint8_t of_int[EECLASS_END], of_char[EECLASS_END];
	uint32_t found = 0;

	if (!class_int || !class_char ||
	    target_read_some(d->target, class_int, of_int, EECLASS_END) !=
		EECLASS_END ||
	    target_read_some(d->target, class_char, of_char, EECLASS_END) !=
		EECLASS_END)
		return 0;
	for (uint32_t off = EECLASS_FIRST; off < EECLASS_END; off++) {
		if (of_int[off] != 20 || of_char[off] != 22)
			continue;
		if (found)
			return 0;
		found = off;
	}
	return found;
}

static void size_value(struct dac *d, struct type_entry *e)
{
	e->size_known = true;
	if (!e->type.is_value_type || e->type.base_size < BOX_OVERHEAD)
		return;
	if (!d->learned.padding_tried && d->learned.int_type) {
		d->learned.padding_tried = true;
		d->learned.padding_offset = padding_offset(d);
	}
	uint8_t padding = BOX_OVERHEAD;
	uint64_t eeclass =
	    d->learned.padding_offset ? eeclass_of(d, e->type.addr) : 0;
	if (eeclass)
		(void)target_read_some(d->target,
				       eeclass + d->learned.padding_offset,
				       &padding, 1);
	if (padding < BOX_OVERHEAD || padding >= BOX_OVERHEAD + 8)
		padding = BOX_OVERHEAD;
	e->type.value_size = e->type.base_size - padding;
}

struct dbg_error *dac_type_get(struct dac *d, uint64_t mt,
			       const struct dac_type **ret)
{
	struct dbg_error *err;
	struct type_entry *e;

	err = entry_get(d, mt, &e);
	if (err)
		return err;
	if (!e->size_known)
		size_value(d, e);
	*ret = &e->type;
	return NULL;
}
