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
	CANONICAL_BIT = 1, /* a MethodTable in the place of the EEClass */
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
	struct dac_assumed at;

	t->is_array = true;
	t->rank = 1;
	if (t->base_size > ARRAY_BASE)
		t->rank = (t->base_size - ARRAY_BASE) / 8;
	// the element type is where generic types have their arguments
	if (dac_holds(d, ASSUME_TYPE_INSTANCE, &at) &&
	    target_read_some(d->target, t->addr + at.value, &element,
			     sizeof(element)) == sizeof(element) &&
	    !(element & TYPEDESC_BIT))
		t->element = element;
}

static bool flags_say_value(struct dac *d, uint64_t mt, uint64_t offset)
{
	uint32_t flags;

	return target_read_some(d->target, mt + offset, &flags,
				sizeof(flags)) == sizeof(flags) &&
	       (flags & MT_CATEGORY) == MT_VALUE_TYPE;
}

/*
 * Verify the flags' offset: by them a string is a class, and int a value type.
 */
bool type_flags_hold(struct dac *d, uint64_t offset)
{
	const struct dac_learned *l = &d->learned;

	return !flags_say_value(d, dac_globals(d)->string_type, offset) &&
	       (!l->int_type || flags_say_value(d, l->int_type, offset));
}

/*
 * Tell the kind of a type by its base (I.8.9.7): value types derive from
 * ValueType or Enum, except Enum itself. Without the core library's metadata,
 * which tell these two, by the runtime's flags; object <- ValueType <- Enum are
 * then told apart by depth, since naming them would make the DAC copy those
 * metadata.
 */
static void describe_kind(struct dac *d, struct dac_type *t)
{
	const struct dac_learned *l = &d->learned;
	struct type_entry *parent;
	struct dac_assumed flags;

	if (l->value_type && l->enum_type) {
		t->is_enum = t->parent == l->enum_type;
		t->is_value_type = t->is_enum || (t->parent == l->value_type &&
						  t->addr != l->enum_type);
		return;
	}
	if (dbg_err_drop(entry_get(d, t->parent, &parent)) ||
	    !dac_holds(d, ASSUME_TYPE_FLAGS, &flags))
		return;
	t->is_value_type = flags_say_value(d, t->addr, flags.value);
	t->is_enum = t->is_value_type &&
		     parent->type.parent != dac_globals(d)->object_type;
}

static void type_describe(struct dac *d, struct dac_type *t)
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
	describe_kind(d, t);
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
	type_describe(d, &e->type);
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
 * FieldDesc (vm/field.h, the same in .NET 8 to 11) is read as it lies:
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
	ELEM_I4 = 0x08, /* II.23.1.16 */
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

static bool field_read(struct dac *d, uint64_t addr, struct dac_field *ret)
{
	struct field_desc desc;

	if (target_read_some(d->target, addr, &desc, sizeof(desc)) !=
	    sizeof(desc))
		return false;
	*ret = field_from(&desc, addr);
	return true;
}

static bool field_ask(struct dac *d, uint64_t addr, struct dac_field *ret,
		      uint64_t *ret_next)
{
	struct sos_field data = {0};

	if (DAC_CALL(d, d->sos, SOS_FIELD, addr, &data) < 0)
		return false;
	*ret = (struct dac_field){
	    .addr = addr,
	    .token = data.token,
	    .elem = data.elem,
	    .offset = data.offset,
	    .is_static = data.is_static || data.is_thread_static,
	    .is_thread_static = data.is_thread_static,
	    .enclosing = data.enclosing,
	};
	*ret_next = data.next;
	return true;
}

/*
 * Read a FieldDesc directly or, if its layout is not as expected, through the
 * DAC.
 */
static bool field_get(struct dac *d, uint64_t addr, struct dac_field *ret,
		      uint64_t *ret_next)
{
	struct dac_assumed words;

	if (!dac_holds(d, ASSUME_FIELD_DESC, &words))
		return field_ask(d, addr, ret, ret_next);
	*ret_next = addr + sizeof(struct field_desc);
	return field_read(d, addr, ret);
}

bool dac_field_at(struct dac *d, uint64_t addr, struct dac_field *ret)
{
	uint64_t next;

	return field_get(d, addr, ret, &next);
}

/*
 * Is the first field of a string, its length, an int at the beginning, and does
 * the FieldDesc say whose it is? A small core may lack that one: nothing speaks
 * against the offset then.
 */
bool field_desc_holds(struct dac *d, uint64_t offset)
{
	struct type_entry *string;
	struct dac_field f;
	struct dbg_error *err =
	    entry_get(d, dac_globals(d)->string_type, &string);

	if (offset != offsetof(struct field_desc, word1))
		return false;
	if (dbg_err_drop(err) || !field_read(d, string->type.first_field, &f))
		return true;
	return f.enclosing == string->type.addr && f.elem == ELEM_I4 &&
	       !f.offset && !f.is_static;
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
		if (!field_get(d, addr, &e->fields[e->n_fields], &addr))
			break;
		e->n_fields++;
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
	struct dac_assumed at;

	for (int i = 0; i < 2 && dac_holds(d, ASSUME_TYPE_CLASS, &at); i++) {
		if (target_read_some(d->target, mt + at.value, &word,
				     sizeof(word)) != sizeof(word))
			return 0;
		if (!(word & CANONICAL_BIT))
			return word;
		mt = word & ~(uint64_t)CANONICAL_BIT;
	}
	return 0;
}

/*
 * Values of the byte in EEClass that says how much of the base size is not the
 * value: header, MethodTable and the padding of the last 8 bytes. It is found
 * as the one byte that is 20 for int and 22 for char.
 */
enum {
	PADDING_INT = 20,
	PADDING_CHAR = 22,
};

struct core_classes {
	uint8_t of_int[EECLASS_END], of_char[EECLASS_END];
};

static bool core_classes_read(struct dac *d, struct core_classes *ret)
{
	uint64_t class_int = eeclass_of(d, d->learned.int_type);
	uint64_t class_char = eeclass_of(d, d->learned.char_type);

	return class_int && class_char &&
	       target_read_some(d->target, class_int, ret->of_int,
				EECLASS_END) == EECLASS_END &&
	       target_read_some(d->target, class_char, ret->of_char,
				EECLASS_END) == EECLASS_END;
}

static bool is_padding(const struct core_classes *c, uint64_t offset)
{
	return c->of_int[offset] == PADDING_INT &&
	       c->of_char[offset] == PADDING_CHAR;
}

bool padding_find(struct dac *d, uint64_t *ret)
{
	struct core_classes c;

	*ret = 0;
	if (!core_classes_read(d, &c))
		return false;
	for (uint64_t offset = EECLASS_FIRST; offset < EECLASS_END; offset++) {
		if (!is_padding(&c, offset))
			continue;
		if (*ret)
			return false;
		*ret = offset;
	}
	return *ret;
}

bool padding_holds(struct dac *d, uint64_t offset)
{
	struct core_classes c;

	return offset < EECLASS_END && core_classes_read(d, &c) &&
	       is_padding(&c, offset);
}

static void size_value(struct dac *d, struct type_entry *e)
{
	struct dac_assumed at;
	uint8_t padding = BOX_OVERHEAD;

	e->size_known = true;
	if (!e->type.is_value_type || e->type.base_size < BOX_OVERHEAD)
		return;
	// Without these types there is nothing to hold it against, yet.
	if (d->learned.int_type && d->learned.char_type &&
	    dac_holds(d, ASSUME_TYPE_PADDING, &at)) {
		uint64_t eeclass = eeclass_of(d, e->type.addr);

		if (eeclass)
			(void)target_read_some(d->target, eeclass + at.value,
					       &padding, 1);
	}
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
