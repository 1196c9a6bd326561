/*
 * Metadata with updates. All rows are kept by rid, in columns of four bytes:
 * @rows. Readers see a view of them, in which tables that are searched by
 * bisection are sorted again and members are listed by their owners: members
 * that an update adds come after all others, so an owner's can no longer be
 * told by a range of rows.
 */
#include "meta/md_update.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "meta/md_priv.h"

enum {
	HEAP_MAX = 256 << 20, /* of all updates together */
	MODULE_ENC_ID = 3,    /* columns of Module */
	MODULE_BASE_ID = 4,
	METHODDEF_RVA = 0,
};

/*
 * The operation that EncLog gives for a row (II.22.12 reserves it; Roslyn,
 * EncLog.Operation).
 */
enum operation {
	ROW_DEFAULT,
	ADD_METHOD,
	ADD_FIELD,
	ADD_PARAM,
	ADD_PROPERTY,
	ADD_EVENT,
};

/* The lists of members, and which column of the owner has them in a file. */
static const struct list {
	uint8_t member, owner, column;
	enum operation add;
} lists[MD_N_LISTS] = {
    {MD_METHODDEF, MD_TYPEDEF, 5, ADD_METHOD},
    {MD_FIELD, MD_TYPEDEF, 4, ADD_FIELD},
    {MD_PARAM, MD_METHODDEF, 5, ADD_PARAM},
    {MD_PROPERTY, MD_PROPERTYMAP, 1, ADD_PROPERTY},
    {MD_EVENT, MD_EVENTMAP, 1, ADD_EVENT},
};

/* A heap that grows; what was handed out of it stays. */
struct heap {
	uint8_t *p;
	size_t n, cap;
};

enum {
	STRINGS,
	USER_STRINGS,
	BLOBS,
	GUIDS,
	BODIES,
	N_HEAPS,
};

struct md_updates {
	struct md rows, view;
	struct heap heaps[N_HEAPS];
	uint32_t *owners[MD_N_LISTS]; /* by member's rid - 1; 0: none */
	struct md_members *members;
	uint8_t id[MD_GUID_SIZE]; /* EncId of the last update */
	bool updated;
	uint8_t *late;  /* by field rid - 1, see md_field_is_late */
	void **retired; /* former memory of the heaps */
	size_t n_retired, cap_retired;
};

static struct dbg_error *broken(const char *what)
{
	return dbg_err(DBG_E_FORMAT, "broken update: %s", what);
}

/* ---- Heaps ----------------------------------------------------------- */

static void heap_add(struct md_updates *u, struct heap *h, struct bytes b)
{
	if (h->n + b.n > h->cap) {
		size_t cap = 2 * (h->n + b.n);
		uint8_t *p = xmalloc(cap);

		if (h->n)
			memcpy(p, h->p, h->n);
		if (h->p) {
			mem_grow(&u->retired, &u->cap_retired, u->n_retired,
				 sizeof(*u->retired));
			u->retired[u->n_retired++] = h->p;
		}
		h->p = p;
		h->cap = cap;
	}
	if (b.n)
		memcpy(h->p + h->n, b.p, b.n);
	h->n += b.n;
}

static struct bytes heap_bytes(const struct heap *h)
{
	return (struct bytes){h->p, h->n};
}

/*
 * #Strings without its padding, which is dropped when the next update's is
 * appended.
 */
static struct bytes unpadded(struct bytes strings)
{
	while (strings.n > 1 && !strings.p[strings.n - 1] &&
	       !strings.p[strings.n - 2])
		strings.n--;
	return strings;
}

/* An update's #GUID begins with room for all of those before. */
static struct bytes guids_behind(struct bytes guids, size_t n)
{
	return guids.n > n ? bytes_slice(guids, n, guids.n - n)
			   : (struct bytes){NULL, 0};
}

static bool heaps_fit(const struct md_updates *u, const struct md *delta,
		      struct bytes il)
{
	const size_t more[N_HEAPS] = {delta->strings.n, delta->us.n,
				      delta->blobs.n, delta->guids.n, il.n};

	for (int i = 0; i < N_HEAPS; i++)
		if (more[i] > HEAP_MAX || u->heaps[i].n + more[i] > HEAP_MAX)
			return false;
	return true;
}

static void heaps_add(struct md_updates *u, const struct md *from)
{
	struct heap *h = u->heaps;

	heap_add(u, &h[STRINGS], unpadded(from->strings));
	heap_add(u, &h[USER_STRINGS], from->us);
	heap_add(u, &h[BLOBS], from->blobs);
	heap_add(u, &h[GUIDS], guids_behind(from->guids, h[GUIDS].n));
	u->rows.strings = heap_bytes(&h[STRINGS]);
	u->rows.us = heap_bytes(&h[USER_STRINGS]);
	u->rows.blobs = heap_bytes(&h[BLOBS]);
	u->rows.guids = heap_bytes(&h[GUIDS]);
}

/* ---- Rows ------------------------------------------------------------ */

/* Every column that is not of two bytes by definition has four. */
static void lay_out(struct md_layout *t, unsigned int table)
{
	uint8_t offset = 0;

	for (unsigned int i = 0;
	     i < MD_MAX_COLUMNS && md_schema[table][i] != MD_END; i++) {
		t->col_offset[i] = offset;
		t->col_size[i] = md_schema[table][i] == MD_U16 ? 2 : 4;
		offset = (uint8_t)(offset + t->col_size[i]);
	}
	t->row_size = offset;
}

static uint8_t *table_rows(const struct md_layout *t)
{
	return (uint8_t *)(uintptr_t)t->rows.p;
}

static void set_cell(struct md_layout *t, uint32_t rid, unsigned int col,
		     uint32_t value)
{
	uint8_t *p = table_rows(t) + (size_t)(rid - 1) * t->row_size +
		     t->col_offset[col];

	for (unsigned int i = 0; i < t->col_size[col]; i++)
		p[i] = (uint8_t)(value >> 8 * i);
}

/* Make @ret a table of @n rows that begins with the rows of @from. */
static void table_grow(const struct md *from, unsigned int table, uint32_t n,
		       struct md_layout *ret)
{
	const struct md_layout *old = &from->tables[table];
	struct md_layout t = {.n_rows = n};

	if (n) {
		lay_out(&t, table);
		t.rows.n = (size_t)n * t.row_size;
		t.rows.p = xcalloc(1, t.rows.n);
	}
	for (uint32_t rid = 1; rid <= old->n_rows; rid++)
		for (unsigned int col = 0;
		     col < MD_MAX_COLUMNS && t.col_size[col]; col++)
			set_cell(&t, rid, col, md_col(from, table, rid, col));
	*ret = t;
}

static void tables_free(struct md *md)
{
	for (unsigned int i = 0; i < MD_N_TABLES; i++)
		free(table_rows(&md->tables[i]));
	memset(md->tables, 0, sizeof(md->tables));
}

/* Is it a column where an owner's list of members begins? */
static bool is_list(unsigned int table, unsigned int col)
{
	for (unsigned int i = 0; i < MD_N_LISTS; i++)
		if (lists[i].owner == table && lists[i].column == col)
			return true;
	return false;
}

/* Row @from of the delta becomes row @rid. */
static void row_take(struct md *rows, const struct md *delta,
		     unsigned int table, uint32_t from, uint32_t rid,
		     uint32_t il_base)
{
	struct md_layout *t = &rows->tables[table];

	for (unsigned int col = 0; col < MD_MAX_COLUMNS && t->col_size[col];
	     col++) {
		uint32_t value = md_col(delta, table, from, col);

		if (is_list(table, col))
			continue;
		if (table == MD_METHODDEF && col == METHODDEF_RVA && value)
			value = MD_UPDATED_IL | (il_base + value);
		set_cell(t, rid, col, value);
	}
}

/*
 * Maps the delta's rows: its i-th row of a table is the i-th that EncMap lists
 * for that table. Its row of Module is in no map.
 */
struct delta_map {
	uint32_t n[MD_N_TABLES];    /* seen so far */
	uint32_t rows[MD_N_TABLES]; /* of each table with this update */
};

static uint32_t map_token(const struct md *delta, uint32_t i)
{
	return md_col(delta, MD_ENCMAP, i, 0);
}

static bool is_delta_table(uint32_t table)
{
	return table < MD_DOCUMENT && table != MD_MODULE &&
	       table != MD_ENCLOG && table != MD_ENCMAP;
}

static struct dbg_error *map_check(const struct md_updates *u,
				   const struct md *delta,
				   struct delta_map *map)
{
	uint32_t last = 0;

	memset(map, 0, sizeof(*map));
	for (unsigned int i = 0; i < MD_N_TABLES; i++)
		map->rows[i] = md_rows(&u->rows, i);
	for (uint32_t i = 1; i <= md_rows(delta, MD_ENCMAP); i++) {
		uint32_t token = map_token(delta, i);
		uint32_t table = MD_TOKEN_TABLE(token);
		uint32_t rid = MD_TOKEN_RID(token);

		if (!is_delta_table(table) || !rid || token <= last)
			return broken("its map is out of order");
		last = token;
		if (++map->n[table] > md_rows(delta, table))
			return broken("its map names rows that it lacks");
		if (rid > map->rows[table] + 1)
			return broken("it leaves out rows");
		if (rid > map->rows[table])
			map->rows[table] = rid;
	}
	for (unsigned int i = 0; i < MD_N_TABLES; i++)
		if (is_delta_table(i) && map->n[i] != md_rows(delta, i))
			return broken("its map leaves out rows");
	return NULL;
}

/* ---- Members --------------------------------------------------------- */

static void owners_grow(uint32_t **owners, uint32_t had, uint32_t n)
{
	*owners = xrealloc(*owners, ((size_t)n + 1) * sizeof(**owners));
	memset(*owners + had, 0, ((size_t)n - had) * sizeof(**owners));
}

/* Find the owners of members in a file, by the ranges in the owners' rows. */
static void owners_of_file(const struct md *md, const struct list *l,
			   uint32_t *owners)
{
	uint32_t n = md_rows(md, l->member), n_owners = md_rows(md, l->owner);

	for (uint32_t rid = 1; rid <= n_owners; rid++) {
		uint32_t first = md_col(md, l->owner, rid, l->column);
		uint32_t end = rid < n_owners
				   ? md_col(md, l->owner, rid + 1, l->column)
				   : n + 1;

		for (uint32_t i = first; i && i < end && i <= n; i++)
			owners[i - 1] = rid;
	}
}

static void late_grow(struct md_updates *u, uint32_t had, uint32_t n)
{
	u->late = xrealloc(u->late, (size_t)n + 1);
	memset(u->late + had, 0, (size_t)n - had);
}

static void owner_set(struct md_updates *u, unsigned int which, uint32_t rid,
		      uint32_t owner, uint32_t n_types)
{
	u->owners[which][rid - 1] = owner;
	if (which == MD_LIST_FIELDS)
		u->late[rid - 1] = owner <= n_types;
}

/*
 * EncLog names the owner in front of each member that is added to it. @n_types:
 * how many types there were before.
 */
static void owners_of_delta(struct md_updates *u, const struct md *delta,
			    uint32_t n_types)
{
	for (uint32_t i = 1; i < md_rows(delta, MD_ENCLOG); i++) {
		uint32_t add = md_col(delta, MD_ENCLOG, i, 1);
		uint32_t owner = md_col(delta, MD_ENCLOG, i, 0);
		uint32_t member = md_col(delta, MD_ENCLOG, i + 1, 0);
		uint32_t rid = MD_TOKEN_RID(member);

		for (unsigned int k = 0; k < MD_N_LISTS; k++)
			if (add == lists[k].add &&
			    MD_TOKEN_TABLE(owner) == lists[k].owner &&
			    MD_TOKEN_TABLE(member) == lists[k].member && rid &&
			    rid <= md_rows(&u->rows, lists[k].member) &&
			    MD_TOKEN_RID(owner) <=
				md_rows(&u->rows, lists[k].owner))
				owner_set(u, k, rid, MD_TOKEN_RID(owner),
					  n_types);
	}
}

static void members_free(struct md_members *m)
{
	for (unsigned int i = 0; m && i < MD_N_LISTS; i++) {
		free(m->lists[i].rids);
		free(m->lists[i].starts);
	}
	free(m);
}

static bool is_listed(const struct md_updates *u, unsigned int which,
		      uint32_t rid)
{
	return u->owners[which][rid - 1] &&
	       (which != MD_LIST_FIELDS || !u->late[rid - 1]);
}

/* Members by owner, each owner's by rising rid. */
static void list_make(const struct md_updates *u, unsigned int which,
		      struct md_member_list *ret)
{
	const struct md *rows = &u->rows;
	const struct list *l = &lists[which];
	const uint32_t *owners = u->owners[which];
	uint32_t n = md_rows(rows, l->member),
		 n_owners = md_rows(rows, l->owner);

	ret->owners = owners;
	ret->n = n;
	ret->n_owners = n_owners;
	ret->rids = xcalloc((size_t)n + 1, sizeof(*ret->rids));
	ret->starts = xcalloc((size_t)n_owners + 2, sizeof(*ret->starts));
	for (uint32_t i = 0; i < n; i++)
		if (is_listed(u, which, i + 1))
			ret->starts[owners[i]]++;
	// starts[i] is where the list of owner i + 1 begins, and before that
	// where the next of them goes
	for (uint32_t i = 1, at = 0; i <= n_owners; i++) {
		uint32_t own = ret->starts[i];

		ret->starts[i] = at;
		at += own;
	}
	for (uint32_t i = 0; i < n; i++)
		if (is_listed(u, which, i + 1))
			ret->rids[ret->starts[owners[i]]++] = i + 1;
}

static void members_make(struct md_updates *u)
{
	members_free(u->members);
	u->members = xcalloc(1, sizeof(*u->members));
	u->members->late = u->late;
	for (unsigned int i = 0; i < MD_N_LISTS; i++)
		list_make(u, i, &u->members->lists[i]);
}

/* ---- The view -------------------------------------------------------- */

struct sorting {
	uint32_t key, rid;
};

static int sorting_compare(const void *a, const void *b)
{
	const struct sorting *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->rid > y->rid) - (x->rid < y->rid);
}

static void table_sort(const struct md *rows, unsigned int table, int col,
		       struct md_layout *ret)
{
	const struct md_layout *t = &rows->tables[table];
	struct sorting *order = xcalloc((size_t)t->n_rows + 1, sizeof(*order));

	for (uint32_t rid = 1; rid <= t->n_rows; rid++)
		order[rid - 1] = (struct sorting){
		    md_col(rows, table, rid, (unsigned int)col), rid};
	qsort(order, t->n_rows, sizeof(*order), sorting_compare);
	*ret = *t;
	ret->rows.p = xcalloc(1, t->rows.n + 1);
	for (uint32_t i = 0; i < t->n_rows; i++)
		memcpy(table_rows(ret) + (size_t)i * t->row_size,
		       t->rows.p + (size_t)(order[i].rid - 1) * t->row_size,
		       t->row_size);
	free(order);
}

static bool view_owns(const struct md_updates *u, unsigned int table)
{
	return u->view.tables[table].rows.p != u->rows.tables[table].rows.p;
}

static void view_free(struct md_updates *u)
{
	for (unsigned int i = 0; i < MD_N_TABLES; i++)
		if (view_owns(u, i))
			free(table_rows(&u->view.tables[i]));
	memset(&u->view, 0, sizeof(u->view));
}

/*
 * Make the view: sort these tables by their keys. Nothing refers to their rows
 * by rid, except to GenericParam: its constraints and attributes, which the
 * compiler never adds to an existing row.
 */
static void view_make(struct md_updates *u)
{
	u->view = u->rows;
	u->view.members = u->members;
	u->view.sorted = 0;
	for (unsigned int i = 0; i < MD_DOCUMENT; i++) {
		int col = md_sort_column(i);

		if (col < 0)
			continue;
		u->view.sorted |= (uint64_t)1 << i;
		if (u->rows.tables[i].n_rows)
			table_sort(&u->rows, i, col, &u->view.tables[i]);
	}
}

/* ---- The whole ------------------------------------------------------- */

struct md_updates *md_updates_create(const struct md *base)
{
	struct md_updates *u = xcalloc(1, sizeof(*u));

	late_grow(u, 0, md_rows(base, MD_FIELD));
	heaps_add(u, base);
	for (unsigned int i = 0; i < MD_N_TABLES; i++)
		table_grow(base, i, md_rows(base, i), &u->rows.tables[i]);
	for (unsigned int i = 0; i < MD_N_LISTS; i++) {
		owners_grow(&u->owners[i], 0, md_rows(base, lists[i].member));
		owners_of_file(base, &lists[i], u->owners[i]);
	}
	return u;
}

void md_updates_destroy(struct md_updates *u)
{
	if (!u)
		return;
	view_free(u);
	tables_free(&u->rows);
	members_free(u->members);
	for (unsigned int i = 0; i < MD_N_LISTS; i++)
		free(u->owners[i]);
	free(u->late);
	for (size_t i = 0; i < u->n_retired; i++)
		free(u->retired[i]);
	free(u->retired);
	for (unsigned int i = 0; i < N_HEAPS; i++)
		free(u->heaps[i].p);
	free(u);
}

static bool same_guid(const uint8_t *a, const uint8_t *b)
{
	return a && b && !memcmp(a, b, MD_GUID_SIZE);
}

const uint8_t *md_delta_id(const struct md *delta)
{
	return md_guid(delta, md_col(delta, MD_MODULE, 1, MODULE_ENC_ID));
}

const uint8_t *md_delta_base(const struct md *delta)
{
	return md_guid(delta, md_col(delta, MD_MODULE, 1, MODULE_BASE_ID));
}

/*
 * Fail if the delta belongs to another module, or does not follow the update
 * that was applied last.
 */
static struct dbg_error *delta_check(const struct md_updates *u,
				     const struct md *delta, struct bytes il)
{
	const uint8_t *mvid = md_mvid(delta);
	const uint8_t *follows = md_delta_base(delta);

	if (!same_guid(mvid, md_mvid(&u->rows)))
		return dbg_err(DBG_E_FORMAT, "it is of another module");
	if (u->updated && same_guid(md_delta_id(delta), u->id))
		return dbg_err(DBG_E_FORMAT, "it has been applied already");
	if (u->updated ? !same_guid(follows, u->id) : follows != NULL)
		return dbg_err(DBG_E_FORMAT,
			       "one that was applied before it is not known");
	if (!md_delta_id(delta))
		return broken("it has no id");
	if (!heaps_fit(u, delta, il))
		return broken("it is too large");
	return NULL;
}

static void rows_apply(struct md_updates *u, const struct md *delta,
		       const struct delta_map *map)
{
	uint32_t at[MD_N_TABLES] = {0};
	uint32_t il_base = (uint32_t)u->heaps[BODIES].n;
	struct md old = u->rows;
	uint32_t n_types = md_rows(&old, MD_TYPEDEF);

	late_grow(u, md_rows(&old, MD_FIELD), map->rows[MD_FIELD]);
	for (unsigned int i = 0; i < MD_N_LISTS; i++)
		owners_grow(&u->owners[i], md_rows(&old, lists[i].member),
			    map->rows[lists[i].member]);
	for (unsigned int i = 0; i < MD_N_TABLES; i++)
		table_grow(&old, i, map->rows[i], &u->rows.tables[i]);
	tables_free(&old);
	for (uint32_t i = 1; i <= md_rows(delta, MD_ENCMAP); i++) {
		uint32_t token = map_token(delta, i);
		uint32_t table = MD_TOKEN_TABLE(token);

		row_take(&u->rows, delta, table, ++at[table],
			 MD_TOKEN_RID(token), il_base);
	}
	owners_of_delta(u, delta, n_types);
}

uint32_t md_delta_method(const struct md *delta, uint32_t i)
{
	uint32_t token = map_token(delta, i);

	return MD_TOKEN_TABLE(token) == MD_METHODDEF ? MD_TOKEN_RID(token) : 0;
}

static struct dbg_error *update_check(const struct md_updates *u,
				      const struct md *delta, struct bytes il,
				      struct delta_map *ret)
{
	struct dbg_error *err = delta_check(u, delta, il);

	return err ? err : map_check(u, delta, ret);
}

struct dbg_error *md_updates_check(const struct md_updates *u,
				   const struct md *delta, struct bytes il)
{
	struct delta_map map;

	return update_check(u, delta, il, &map);
}

struct dbg_error *md_updates_apply(struct md_updates *u, const struct md *delta,
				   struct bytes il, struct md *ret)
{
	struct delta_map map;
	struct dbg_error *err = update_check(u, delta, il, &map);

	if (err)
		return err;
	view_free(u);
	rows_apply(u, delta, &map);
	heaps_add(u, delta);
	heap_add(u, &u->heaps[BODIES], il);
	members_make(u);
	view_make(u);
	memcpy(u->id, md_delta_id(delta), MD_GUID_SIZE);
	u->updated = true;
	*ret = u->view;
	return NULL;
}

struct bytes md_updates_il(const struct md_updates *u, uint32_t rva)
{
	struct bytes all = heap_bytes(&u->heaps[BODIES]);
	uint32_t at = rva & ~MD_UPDATED_IL;

	return at < all.n ? bytes_slice(all, at, all.n - at)
			  : (struct bytes){NULL, 0};
}
