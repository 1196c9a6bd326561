/*
 * The physical layout is computed once: for each table the place of its rows
 * and the offset and width of each column, which depend on the sizes of the
 * heaps and of the tables referred to. After that a cell is one addition and
 * a load of 2 or 4 bytes. Nothing is copied.
 */
#include "meta/md.h"

#include <string.h>

#include "base/err.h"
#include "meta/md_priv.h"

enum {
	MAX_ROWS = 0xffffff, /* a rid has 24 bits */
	MAX_STREAMS = 32,
};

static struct dbg_error *broken(const char *what)
{
	return dbg_err(DBG_E_FORMAT, "broken metadata: %s", what);
}

static uint32_t rows_for_index(const struct md *md, unsigned int table)
{
	uint32_t own = md->tables[table].n_rows;

	return own ? own : md->external_rows[table];
}

// II.24.2.6: a coded index has 2 bytes while every table it may name has
// fewer than 2^(16 - tag bits) rows.
static unsigned int coded_size(const struct md *md, unsigned int kind)
{
	const struct md_coded *coded = &md_coded[kind];

	for (unsigned int i = 0; i < coded->n; i++) {
		if (coded->tables[i] == MD_NO_TABLE)
			continue;
		if (rows_for_index(md, coded->tables[i]) >> (16 - coded->bits))
			return 4;
	}
	return 2;
}

static unsigned int column_size(const struct md *md, uint8_t type,
				uint8_t heap_sizes)
{
	if (md->wide && type != MD_U16)
		return 4;
	switch (type) {
	case MD_U16:
		return 2;
	case MD_U32:
		return 4;
	case MD_STRING:
		return heap_sizes & 1 ? 4 : 2;
	case MD_GUID:
		return heap_sizes & 2 ? 4 : 2;
	case MD_BLOB:
		return heap_sizes & 4 ? 4 : 2;
	}
	if (type >= MD_CODED)
		return coded_size(md, type - MD_CODED);
	return rows_for_index(md, type) > 0xffff ? 4 : 2;
}

static void lay_out(struct md *md, unsigned int table, uint8_t heap_sizes)
{
	struct md_layout *t = &md->tables[table];
	unsigned int offset = 0;

	for (unsigned int i = 0; i < MD_MAX_COLUMNS; i++) {
		uint8_t type = md_schema[table][i];

		if (type == MD_END)
			break;
		t->col_offset[i] = (uint8_t)offset;
		t->col_size[i] = (uint8_t)column_size(md, type, heap_sizes);
		offset += t->col_size[i];
	}
	t->row_size = offset;
}

static struct dbg_error *read_tables(struct md *md, struct bytes stream)
{
	struct reader r;

	reader_init(&r, stream.p, stream.n);
	reader_skip(&r, 6);
	uint8_t heap_sizes = reader_u8(&r);
	reader_skip(&r, 1);
	uint64_t valid = reader_u64(&r);
	md->sorted = reader_u64(&r);
	for (unsigned int i = 0; i < MD_N_TABLES; i++) {
		if (!(valid >> i & 1))
			continue;
		uint32_t n = reader_u32(&r);
		if (n > MAX_ROWS)
			return broken("too many rows");
		if (n && md_schema[i][0] == MD_END)
			return broken("unknown table");
		md->tables[i].n_rows = n;
	}
	if (heap_sizes & 0x40)
		reader_skip(&r, 4);
	// The indirections of edit-and-continue images, which no compiler
	// writes into a file.
	if (md_rows(md, MD_FIELDPTR) || md_rows(md, MD_METHODPTR) ||
	    md_rows(md, MD_PARAMPTR) || md_rows(md, MD_EVENTPTR) ||
	    md_rows(md, MD_PROPERTYPTR))
		return dbg_err(DBG_E_UNSUPPORTED, "edit-and-continue metadata");
	for (unsigned int i = 0; i < MD_N_TABLES; i++) {
		struct md_layout *t = &md->tables[i];

		if (!t->n_rows)
			continue;
		lay_out(md, i, heap_sizes);
		t->rows = reader_bytes(&r, (size_t)t->n_rows * t->row_size);
	}
	return r.bad ? broken("truncated tables") : NULL;
}

static struct dbg_error *read_pdb_stream(struct md *md)
{
	struct reader r;

	reader_init(&r, md->pdb.p, md->pdb.n);
	reader_skip(&r, 24);
	uint64_t referenced = reader_u64(&r);
	for (unsigned int i = 0; i < MD_N_TABLES; i++) {
		if (!(referenced >> i & 1))
			continue;
		uint32_t n = reader_u32(&r);
		if (n > MAX_ROWS)
			return broken("too many rows");
		md->external_rows[i] = n;
	}
	return r.bad ? broken("truncated #Pdb stream") : NULL;
}

// Cut the heap behind its last terminator: every offset inside is then a
// terminated string.
static struct bytes terminated(struct bytes heap)
{
	while (heap.n && heap.p[heap.n - 1])
		heap.n--;
	return heap;
}

static void take_stream(struct md *md, const char *name, struct bytes b,
			struct bytes *tables)
{
	if (!strcmp(name, "#~") || !strcmp(name, "#-"))
		*tables = b;
	else if (!strcmp(name, "#Strings"))
		md->strings = terminated(b);
	else if (!strcmp(name, "#US"))
		md->us = b;
	else if (!strcmp(name, "#GUID"))
		md->guids = b;
	else if (!strcmp(name, "#Blob"))
		md->blobs = b;
	else if (!strcmp(name, "#Pdb"))
		md->pdb = b;
	else if (!strcmp(name, "#JTD"))
		md->wide = true;
}

// II.24.2.2: a name of at most 32 bytes, padded to 4.
static bool read_stream_name(struct reader *r, char name[33])
{
	for (unsigned int i = 0; i < 32; i += 4) {
		struct bytes part = reader_bytes(r, 4);

		if (r->bad)
			return false;
		memcpy(name + i, part.p, 4);
		if (memchr(part.p, 0, 4))
			return true;
	}
	name[32] = '\0';
	return true;
}

static struct dbg_error *read_streams(struct bytes bytes, struct md *md,
				      struct bytes *ret_tables)
{
	char name[33];
	struct reader r;

	reader_init(&r, bytes.p, bytes.n);
	if (reader_u32(&r) != 0x424a5342)
		return dbg_err(DBG_E_FORMAT, "not .NET metadata");
	reader_skip(&r, 8);
	uint32_t version = reader_u32(&r);
	reader_skip(&r, version);
	reader_skip(&r, 2);
	uint16_t n_streams = reader_u16(&r);
	if (r.bad || n_streams > MAX_STREAMS)
		return broken("bad root");
	for (unsigned int i = 0; i < n_streams; i++) {
		uint32_t offset = reader_u32(&r);
		uint32_t size = reader_u32(&r);

		if (!read_stream_name(&r, name))
			return broken("truncated stream header");
		struct bytes b = bytes_slice(bytes, offset, size);
		if (!b.p)
			return broken("a stream lies outside");
		take_stream(md, name, b, ret_tables);
	}
	return ret_tables->p ? NULL : broken("no tables");
}

struct dbg_error *md_parse(struct bytes bytes, struct md *ret)
{
	struct bytes tables = {NULL, 0};
	struct md md = {.sorted = 0};
	struct dbg_error *err;

	err = read_streams(bytes, &md, &tables);
	if (!err && md.pdb.p)
		err = read_pdb_stream(&md);
	if (!err)
		err = read_tables(&md, tables);
	if (err)
		return err;
	*ret = md;
	return NULL;
}

uint32_t md_rows(const struct md *md, enum md_table table)
{
	return table < MD_N_TABLES ? md->tables[table].n_rows : 0;
}

static uint32_t cell(const struct md_layout *t, uint32_t rid, unsigned int col)
{
	const uint8_t *p =
	    t->rows.p + (size_t)(rid - 1) * t->row_size + t->col_offset[col];

	if (t->col_size[col] == 2)
		return p[0] | (uint32_t)p[1] << 8;
	return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
	       (uint32_t)p[3] << 24;
}

uint32_t md_col(const struct md *md, enum md_table table, uint32_t rid,
		unsigned int col)
{
	if (table >= MD_N_TABLES || col >= MD_MAX_COLUMNS)
		return 0;
	const struct md_layout *t = &md->tables[table];
	if (!rid || rid > t->n_rows || !t->col_size[col])
		return 0;
	return cell(t, rid, col);
}

const char *md_string(const struct md *md, uint32_t offset)
{
	if (offset >= md->strings.n)
		return "";
	return (const char *)md->strings.p + offset;
}

static struct bytes sized(struct bytes heap, uint32_t offset)
{
	struct bytes rest = {NULL, 0};
	struct reader r;

	if (offset && offset < heap.n)
		rest = bytes_slice(heap, offset, heap.n - offset);
	reader_init(&r, rest.p, rest.n);
	uint32_t size = reader_cuint(&r);
	return reader_bytes(&r, size);
}

struct bytes md_blob(const struct md *md, uint32_t offset)
{
	return sized(md->blobs, offset);
}

struct bytes md_user_string(const struct md *md, uint32_t offset)
{
	struct bytes b = sized(md->us, offset);

	// The last byte tells whether there are unusual characters.
	b.n &= ~(size_t)1;
	return b;
}

const uint8_t *md_guid(const struct md *md, uint32_t index)
{
	if (!index)
		return NULL;
	return bytes_slice(md->guids, (uint64_t)(index - 1) * 16, 16).p;
}

const char *md_col_string(const struct md *md, enum md_table table,
			  uint32_t rid, unsigned int col)
{
	return md_string(md, md_col(md, table, rid, col));
}

struct bytes md_col_blob(const struct md *md, enum md_table table, uint32_t rid,
			 unsigned int col)
{
	return md_blob(md, md_col(md, table, rid, col));
}

// First rid whose cell is not below @value; rows + 1 if there is none.
static uint32_t lower_bound(const struct md_layout *t, unsigned int col,
			    uint64_t value)
{
	uint32_t low = 1, high = t->n_rows + 1;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (cell(t, mid, col) < value)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

uint32_t md_find(const struct md *md, enum md_table table, unsigned int col,
		 uint32_t value, uint32_t *ret_n)
{
	*ret_n = 0;
	if (table >= MD_N_TABLES || col >= MD_MAX_COLUMNS)
		return 0;
	const struct md_layout *t = &md->tables[table];
	if (!t->n_rows || !t->col_size[col])
		return 0;
	if (md_is_sorted(md, table, col)) {
		uint32_t first = lower_bound(t, col, value);
		uint32_t end = lower_bound(t, col, (uint64_t)value + 1);

		*ret_n = end > first ? end - first : 0;
		return *ret_n ? first : 0;
	}
	for (uint32_t rid = 1; rid <= t->n_rows; rid++) {
		if (cell(t, rid, col) != value)
			continue;
		*ret_n = 1;
		return rid;
	}
	return 0;
}

static const struct md_member_list *list_of(const struct md *md,
					    enum md_table member)
{
	static const uint8_t members[MD_N_LISTS] = {
	    MD_METHODDEF, MD_FIELD, MD_PARAM, MD_PROPERTY, MD_EVENT};

	for (unsigned int i = 0; i < MD_N_LISTS; i++)
		if (members[i] == member)
			return &md->members->lists[i];
	return NULL;
}

/*
 * Get the range [begin, end) of list entries that belong to row @owner. Entries
 * are numbered from 1, as rids are; an owner without entries has an empty
 * range.
 */
static void member_range(const struct md_member_list *l, uint32_t owner,
			 uint32_t range[2])
{
	range[0] = range[1] = 0;
	if (!owner || owner > l->n_owners)
		return;
	range[0] = l->starts[owner - 1] + 1;
	range[1] = l->starts[owner] + 1;
}

uint32_t md_member(const struct md *md, enum md_list list, uint32_t i)
{
	if (!md->members)
		return i;
	const struct md_member_list *l = &md->members->lists[list];
	return i && i <= l->n ? l->rids[i - 1] : 0;
}

/*
 * Get the range of @member rows that row @rid of @table owns: from its column
 * @col to the same column of the next row.
 */
static void list_range(const struct md *md, enum md_table table, uint32_t rid,
		       unsigned int col, enum md_table member,
		       uint32_t range[2])
{
	uint32_t n = md_rows(md, member);

	if (md->members) {
		member_range(list_of(md, member), rid, range);
		return;
	}
	uint32_t first = md_col(md, table, rid, col);
	uint32_t end = n + 1;

	if (rid < md_rows(md, table))
		end = md_col(md, table, rid + 1, col);
	if (end > n + 1)
		end = n + 1;
	if (!first || first > end)
		first = end = 0;
	range[0] = first;
	range[1] = end;
}

enum {
	TYPEDEF_FIELDS = 4,
	TYPEDEF_METHODS = 5,
	METHODDEF_PARAMS = 5
};

void md_type_methods(const struct md *md, uint32_t typedef_rid,
		     uint32_t *ret_first, uint32_t *ret_end)
{
	uint32_t range[2];

	list_range(md, MD_TYPEDEF, typedef_rid, TYPEDEF_METHODS, MD_METHODDEF,
		   range);
	*ret_first = range[0];
	*ret_end = range[1];
}

void md_type_fields(const struct md *md, uint32_t typedef_rid,
		    uint32_t *ret_first, uint32_t *ret_end)
{
	uint32_t range[2];

	list_range(md, MD_TYPEDEF, typedef_rid, TYPEDEF_FIELDS, MD_FIELD,
		   range);
	*ret_first = range[0];
	*ret_end = range[1];
}

void md_type_properties(const struct md *md, uint32_t typedef_rid,
			uint32_t *ret_first, uint32_t *ret_end)
{
	enum {
		PARENT = 0,
		LIST = 1
	};
	uint32_t range[2], n;
	uint32_t row = md_find(md, MD_PROPERTYMAP, PARENT, typedef_rid, &n);

	*ret_first = *ret_end = 0;
	if (!row)
		return;
	list_range(md, MD_PROPERTYMAP, row, LIST, MD_PROPERTY, range);
	*ret_first = range[0];
	*ret_end = range[1];
}

void md_method_params(const struct md *md, uint32_t method_rid,
		      uint32_t *ret_first, uint32_t *ret_end)
{
	uint32_t range[2];

	list_range(md, MD_METHODDEF, method_rid, METHODDEF_PARAMS, MD_PARAM,
		   range);
	*ret_first = range[0];
	*ret_end = range[1];
}

// The last type whose list does not start behind the member: those before it
// with the same start are empty.
static uint32_t owner(const struct md *md, unsigned int col,
		      enum md_table member, uint32_t rid)
{
	const struct md_layout *t = &md->tables[MD_TYPEDEF];
	uint32_t range[2];

	if (!rid || rid > md_rows(md, member) || !t->n_rows)
		return 0;
	if (md->members)
		return list_of(md, member)->owners[rid - 1];
	uint32_t type = lower_bound(t, col, (uint64_t)rid + 1) - 1;
	if (!type)
		return 0;
	list_range(md, MD_TYPEDEF, type, col, member, range);
	return rid >= range[0] && rid < range[1] ? type : 0;
}

uint32_t md_method_type(const struct md *md, uint32_t method_rid)
{
	return owner(md, TYPEDEF_METHODS, MD_METHODDEF, method_rid);
}

uint32_t md_field_type(const struct md *md, uint32_t field_rid)
{
	return owner(md, TYPEDEF_FIELDS, MD_FIELD, field_rid);
}

bool md_field_is_late(const struct md *md, uint32_t field_rid)
{
	return md->members && field_rid && field_rid <= md_rows(md, MD_FIELD) &&
	       md->members->late[field_rid - 1];
}

uint32_t md_enclosing(const struct md *md, uint32_t typedef_rid)
{
	uint32_t n;
	uint32_t rid = md_find(md, MD_NESTEDCLASS, 0, typedef_rid, &n);

	return md_col(md, MD_NESTEDCLASS, rid, 1);
}

const char *md_namespace(const struct md *md, uint32_t typedef_rid)
{
	// A damaged table may be a ring.
	for (int i = 0; i < 64; i++) {
		uint32_t outer = md_enclosing(md, typedef_rid);

		if (!outer)
			break;
		typedef_rid = outer;
	}
	return md_col_string(md, MD_TYPEDEF, typedef_rid, 2);
}

const uint8_t *md_mvid(const struct md *md)
{
	return md_guid(md, md_col(md, MD_MODULE, 1, 2));
}

const char *md_param_name(const struct md *md, uint32_t method_rid,
			  uint32_t seq)
{
	uint32_t rid = md_param_find(md, method_rid, seq);

	return md_col_string(md, MD_PARAM, rid, 2);
}

uint32_t md_param_find(const struct md *md, uint32_t method_rid, uint32_t seq)
{
	uint32_t first, end;

	md_method_params(md, method_rid, &first, &end);
	for (uint32_t i = first; i < end; i++) {
		uint32_t rid = md_member(md, MD_LIST_PARAMS, i);

		if (md_col(md, MD_PARAM, rid, 1) == seq)
			return rid;
	}
	return 0;
}

// The type that declares the constructor of an attribute.
static uint32_t attribute_class(const struct md *md, uint32_t ctor)
{
	uint32_t rid = MD_TOKEN_RID(ctor);

	if (MD_TOKEN_TABLE(ctor) == MD_METHODDEF) {
		uint32_t type = md_method_type(md, rid);

		return type ? MD_TOKEN(MD_TYPEDEF, type) : 0;
	}
	if (MD_TOKEN_TABLE(ctor) == MD_MEMBERREF)
		return md_memberref_parent(md_col(md, MD_MEMBERREF, rid, 0));
	return 0;
}

/* Is the TypeDef or TypeRef of that full name? Enclosing types are ignored. */
static bool md_type_is(const struct md *md, uint32_t token, const char *name)
{
	enum md_table table = MD_TOKEN_TABLE(token);
	uint32_t rid = MD_TOKEN_RID(token);

	if (table != MD_TYPEDEF && table != MD_TYPEREF)
		return false;
	// Name and namespace are columns 1 and 2 of both.
	const char *space = md_col_string(md, table, rid, 2);
	size_t n = strlen(space);
	if (n && (strncmp(name, space, n) || name[n++] != '.'))
		return false;
	return !strcmp(name + n, md_col_string(md, table, rid, 1));
}

uint32_t md_attribute_after(const struct md *md, uint32_t token, uint32_t after,
			    uint32_t *ret_class)
{
	uint32_t parent = md_encode(MD_HAS_CUSTOM_ATTRIBUTE, token);
	uint32_t n, rid = after + 1;

	if (!after)
		rid = md_find(md, MD_CUSTOMATTRIBUTE, 0, parent, &n);
	for (; rid && rid <= md_rows(md, MD_CUSTOMATTRIBUTE); rid++) {
		if (md_col(md, MD_CUSTOMATTRIBUTE, rid, 0) == parent) {
			*ret_class = attribute_class(
			    md, md_custom_attribute_type(
				    md_col(md, MD_CUSTOMATTRIBUTE, rid, 1)));
			return rid;
		}
		if (md_is_sorted(md, MD_CUSTOMATTRIBUTE, 0))
			break;
	}
	return 0;
}

bool md_attribute_next(const struct md *md, uint32_t token, const char *name,
		       uint32_t *rid, struct bytes *ret_blob)
{
	uint32_t class;

	while ((*rid = md_attribute_after(md, token, *rid, &class))) {
		if (!md_type_is(md, class, name))
			continue;
		if (ret_blob)
			*ret_blob =
			    md_col_blob(md, MD_CUSTOMATTRIBUTE, *rid, 2);
		return true;
	}
	return false;
}

bool md_has_attribute(const struct md *md, uint32_t token, const char *name,
		      struct bytes *ret_blob)
{
	uint32_t rid = 0;

	return md_attribute_next(md, token, name, &rid, ret_blob);
}
