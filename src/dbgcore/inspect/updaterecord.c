/*
 * Updates that the program was given before it was seen here (hot reload). The
 * runtime keeps no deltas of metadata or PDB, but the agent does that `dotnet
 * watch` or an editor has put into the program, for assemblies that load later
 * (dotnet/sdk, src/Dotnet.Watch/HotReloadAgent/HotReloadAgent.cs). How it keeps
 * them has changed with the SDK, what an update is has not: an object or an
 * element of an array with fields of these names. So all of these on the heap
 * are taken, and put in order by the ids that each delta has: its own and that
 * of the one it follows. Objects that nobody refers to any more may be among
 * them, so of two that follow the same one that goes on longer is taken.
 */
#include "inspect/updaterecord.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "code/object.h"
#include "dac/assumption.h"
#include "dac/objectlayout.h"
#include "heap/heap.h"
#include "inspect/inspect.h"
#include "meta/md_update.h"

enum {
	DELTA_MAX = 64 << 20,
	ALL_MAX = 512 << 20, /* bytes of all that are read */
	UPDATES_MAX = 1 << 12,
};

/* An update found on the heap. Its bytes are owned. */
struct recorded {
	struct code_module *module;
	struct code_update update;
	uint8_t id[MD_GUID_SIZE], base[MD_GUID_SIZE];
	bool follows; /* there is a @base */
};

/* ---- Reading --------------------------------------------------------- */

static struct code_module *module_of_guid(struct update_records *r,
					  const uint8_t *guid)
{
	size_t n;
	struct code_module *const *modules = code_modules(r->code, &n);

	for (size_t i = 0; i < n; i++) {
		const uint8_t *mvid = md_mvid(&modules[i]->md);

		if (modules[i]->n_missed && mvid &&
		    !memcmp(mvid, guid, MD_GUID_SIZE))
			return modules[i];
	}
	return NULL;
}

/* Read the bytes of the array that the reference at @at points to. */
static bool bytes_read(struct update_records *r, uint64_t at, struct bytes *ret)
{
	struct target *t = r->target;
	uint64_t array = 0, mt = 0;
	uint32_t n = 0;
	struct dbg_error *err = target_read_u64(t, at, &array);

	if (dbg_err_drop(err))
		return false;
	if (!array)
		return true;
	err = target_read_u64(t, array, &mt);
	if (!err)
		err = target_read_u32(t, array + ARRAY_LENGTH, &n);
	if (dbg_err_drop(err) || !r->is_bytes(r->arg, mt & ~(uint64_t)7) ||
	    n > DELTA_MAX || n > ALL_MAX - r->bytes)
		return false;
	uint8_t *p = xmalloc((size_t)n + 1);
	err = target_read(t, array + ARRAY_DATA, p, n);
	if (dbg_err_drop(err)) {
		free(p);
		return false;
	}
	r->bytes += n;
	*ret = (struct bytes){p, n};
	return true;
}

static bool ids_read(struct recorded *u)
{
	const uint8_t *id, *base;

	if (dbg_err_drop(md_parse(u->update.md, &u->update.delta)))
		return false;
	id = md_delta_id(&u->update.delta);
	base = md_delta_base(&u->update.delta);
	if (id)
		memcpy(u->id, id, MD_GUID_SIZE);
	if (base)
		memcpy(u->base, base, MD_GUID_SIZE);
	u->follows = base;
	return id;
}

static bool record_has(const struct update_records *r, const struct recorded *u)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].module == u->module &&
		    !memcmp(r->v[i].id, u->id, MD_GUID_SIZE))
			return true;
	return false;
}

/* Add the update whose fields are laid out as in an object at @object. */
static void update_add(struct update_records *r, const struct update_shape *s,
		       uint64_t object)
{
	uint8_t guid[MD_GUID_SIZE];
	struct recorded u = {.module = NULL};

	if (r->n < UPDATES_MAX &&
	    target_read_some(r->target, object + s->offsets[UPDATE_MODULE],
			     guid, sizeof(guid)) == sizeof(guid))
		u.module = module_of_guid(r, guid);
	if (u.module &&
	    bytes_read(r, object + s->offsets[UPDATE_MD], &u.update.md) &&
	    bytes_read(r, object + s->offsets[UPDATE_IL], &u.update.il) &&
	    bytes_read(r, object + s->offsets[UPDATE_PDB], &u.update.pdb) &&
	    ids_read(&u) && !record_has(r, &u)) {
		mem_grow(&r->v, &r->cap, r->n, sizeof(*r->v));
		r->v[r->n++] = u;
	} else {
		code_update_deinit(&u.update);
	}
}

void update_records_add(struct update_records *r, const struct update_shape *s,
			uint64_t addr, uint64_t size)
{
	uint32_t n;

	if (!s->is_array) {
		update_add(r, s, addr);
		return;
	}
	if (!s->size || target_read_some(r->target, addr + ARRAY_LENGTH, &n,
					 sizeof(n)) != sizeof(n))
		return;
	// An object's fields begin behind its MethodTable pointer, the fields
	// of an array's element at its first byte.
	for (uint64_t i = 0; i < n && ARRAY_DATA + (i + 1) * s->size <= size;
	     i++)
		update_add(r, s, addr + ARRAY_DATA + i * s->size - HEAP_WORD);
}

/* ---- Order ----------------------------------------------------------- */

/*
 * Which update @u follows, as its number + 1; 0: it follows the module's image;
 * n + 1: one that is not there.
 */
static size_t before(const struct update_records *r, const struct recorded *u)
{
	size_t i = 0;

	if (!u->follows)
		return 0;
	while (i < r->n && (r->v[i].module != u->module ||
			    memcmp(r->v[i].id, u->base, MD_GUID_SIZE)))
		i++;
	return i + 1;
}

/*
 * The length of the row of updates that ends with number @i; 0: the row does
 * not begin at the module's image.
 */
static size_t depth(const struct update_records *r, const size_t *befores,
		    size_t i)
{
	size_t n = 1;

	while (befores[i] && befores[i] <= r->n && n <= r->n) {
		i = befores[i] - 1;
		n++;
	}
	return befores[i] ? 0 : n;
}

/*
 * Take the updates of @m out of @r, in their order, into @arena; returns how
 * many. None if two of them might be the last.
 */
static size_t row_of(struct update_records *r, const struct code_module *m,
		     struct arena *arena, struct code_update **ret)
{
	size_t *befores = arena_calloc(arena, r->n + 1, sizeof(*befores));
	size_t longest = 0, last = 0;
	bool sure = false;

	for (size_t i = 0; i < r->n; i++)
		befores[i] = before(r, &r->v[i]);
	for (size_t i = 0; i < r->n; i++) {
		size_t n = r->v[i].module == m ? depth(r, befores, i) : 0;

		if (n < longest || !n)
			continue;
		sure = n > longest;
		longest = n;
		last = i;
	}
	if (!sure)
		return 0;
	*ret = arena_calloc(arena, longest, sizeof(**ret));
	for (size_t i = longest; i-- > 0; last = befores[last] - 1) {
		(*ret)[i] = r->v[last].update;
		r->v[last].update = (struct code_update){.broken = NULL};
	}
	return longest;
}

void update_records_apply(struct update_records *r, struct code_module *m,
			  struct str *said)
{
	struct arena *arena = arena_create();
	struct code_update *updates = NULL;
	struct code_update_done done;
	size_t n = row_of(r, m, arena, &updates);

	code_updates_recover(r->code, m, updates, n, &done);
	for (size_t i = 0; i < n; i++)
		code_update_deinit(&updates[i]);
	arena_destroy(arena);
	code_update_say(m, &done, said);
}

void update_records_deinit(struct update_records *r)
{
	for (size_t i = 0; i < r->n; i++)
		code_update_deinit(&r->v[i].update);
	free(r->v);
}

/* ---- Types ----------------------------------------------------------- */

/* A type of objects on the heap; its updates, if it is one that holds any. */
struct shape {
	bool holds;
	struct update_shape of;
};

struct finding {
	struct inspect *in;
	struct map shapes; /* by MethodTable */
	struct update_records found;
	struct arena *arena;
};

static bool is_update_type(struct finding *f, uint64_t mt)
{
	static const char *const names[] = {
	    "Microsoft.DotNet.HotReload.RuntimeManagedCodeUpdate",
	    "Microsoft.DotNet.HotReload.UpdateDelta",
	    "Microsoft.Extensions.HotReload.UpdateDelta",
	};
	const char *name;

	if (dbg_err_drop(dac_type_name(f->in->dac, mt, &name)))
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* Offsets in an object of @mt. */
static bool shape_fields(struct finding *f, uint64_t mt,
			 struct update_shape *ret)
{
	static const char *const names[N_UPDATE_PARTS][2] = {
	    [UPDATE_MODULE] = {"<ModuleId>k__BackingField", "ModuleId"},
	    [UPDATE_MD] = {"<MetadataDelta>k__BackingField", "MetadataDelta"},
	    [UPDATE_IL] = {"<ILDelta>k__BackingField", "ILDelta"},
	    [UPDATE_PDB] = {"<PdbDelta>k__BackingField",
			    "<PdbBytes>k__BackingField"},
	};

	for (int i = 0; i < N_UPDATE_PARTS; i++)
		if (!object_offset(f->in->code, mt, names[i][0],
				   &ret->offsets[i]) &&
		    !object_offset(f->in->code, mt, names[i][1],
				   &ret->offsets[i]))
			return false;
	return true;
}

static const struct shape *shape_of(struct finding *f, uint64_t mt)
{
	struct shape *s = map_find(&f->shapes, mt);
	const struct dac_type *type;

	if (s)
		return s;
	s = arena_calloc(f->arena, 1, sizeof(*s));
	map_put(&f->shapes, mt, s);
	if (dbg_err_drop(dac_type_get(f->in->dac, mt, &type)))
		return s;
	bool array = type->is_array && type->rank == 1 && type->element;
	uint64_t of = array ? type->element : mt;
	s->of.is_array = array;
	s->of.size = type->component_size;
	s->holds = is_update_type(f, of) && shape_fields(f, of, &s->of);
	return s;
}

static bool is_bytes(void *arg, uint64_t mt)
{
	struct dac *dac = arg;
	const struct dac_type *type;

	return !dbg_err_drop(dac_type_get(dac, mt, &type)) && type->is_array &&
	       type->component_size == 1;
}

static bool object_visit(void *arg, const struct heap_object *o)
{
	struct finding *f = arg;
	const struct shape *s;

	if (!o->type->has_refs)
		return true;
	s = shape_of(f, o->type->mt);
	if (s->holds)
		update_records_add(&f->found, &s->of, o->addr, o->size);
	return true;
}

/* ---- The whole ------------------------------------------------------- */

static bool lacks_any(struct inspect *in)
{
	size_t n;
	struct code_module *const *modules = code_modules(in->code, &n);

	for (size_t i = 0; i < n; i++)
		if (modules[i]->n_missed)
			return true;
	return false;
}

void update_record_read(struct inspect *in)
{
	struct finding f = {
	    .in = in,
	    .found = {.code = in->code,
		      .target = in->target,
		      .is_bytes = is_bytes,
		      .arg = in->dac},
	};
	const struct heap_watch watch = {.interrupted = &in->interrupted};
	_cleanup_str_ struct str said = {0};
	struct heap *heap = NULL;
	size_t n;
	struct code_module *const *modules;

	if (!lacks_any(in))
		return;
	f.arena = arena_create();
	struct dbg_error *err =
	    heap_create(in->target, in->dac, &watch, false, &heap);
	if (!err)
		err = heap_each(heap, false, object_visit, &f);
	// what there is without it is said of each module
	dbg_error_destroy(err);
	modules = code_modules(in->code, &n);
	for (size_t i = 0; i < n; i++) {
		if (!modules[i]->n_missed)
			continue;
		str_clear(&said);
		update_records_apply(&f.found, modules[i], &said);
		dac_say(in->dac, str_get(&said));
	}
	update_records_deinit(&f.found);
	heap_destroy(heap);
	map_deinit(&f.shapes);
	arena_destroy(f.arena);
}
