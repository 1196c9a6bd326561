/* The runtime's own memory as ISOSDacInterface13 tells it: see memory.c. */
#include "dac/memory.h"

#include <stdlib.h>

#include "base/str.h"
#include "dac/remote/channel.h"
#include "dac/compound.h"
#include "dac/dac_priv.h"
#include "dac/daclist.h"

static const struct com_iid IID_SOS13 = {
    0x3176a8ed,
    0x597b,
    0x4f54,
    {0xa7, 0x1f, 0x83, 0x69, 0x5c, 0x6a, 0x8c, 0x5e}};

enum {
	REGIONS_MAX = 1 << 20,
	MANAGERS_MAX = 8,
	HEAPS_MAX = 4096,
	BLOCKS = 1024, /* of a heap; more if these are too few */
	BLOCKS_MORE = 8,
	BLOCKS_MAX = 1 << 19,
	CODE_HEAP_HOST = 1,
	CODE_HEAP_LOADER = 0,
	HEAP_EXPLICIT = 1,
};

// A core's DAC gives them by way of the channel.
static_assert(BLOCKS_MAX * sizeof(struct loader_block) <= CHANNEL_DATA / 2, "");

struct found {
	struct dac *d;
	void *sos13;
	struct arena *arena;
	struct dac_memory *v;
	size_t n, cap;
	enum dac_memory_kind kind;
	const char *name;
};

static void memory_region_add(struct found *f, uint64_t start, uint64_t size)
{
	if (!size || start + size < start || f->n == REGIONS_MAX)
		return;
	mem_grow(&f->v, &f->cap, f->n, sizeof(*f->v));
	f->v[f->n++] =
	    (struct dac_memory){start, start + size, f->kind, f->name};
}

static void add_list(struct found *f, enum dac_method_id lists,
		     enum dac_memory_kind kind)
{
	_cleanup_com_ void *list = NULL;

	if (DAC_CALL(f->d, f->sos13, lists, &list) < 0 || !list)
		return;
	f->kind = kind;
	f->name = NULL;
	const struct sos_region *v;
	struct dac_elements all =
	    dac_list_read(f->d, list, REGIONS_NEXT, REGIONS_MAX);

	v = all.v;
	for (size_t i = 0; i < all.n; i++)
		memory_region_add(f, v[i].start, v[i].size);
	free(all.v);
}

/* ---- Loader heaps ---------------------------------------------------- */

static void add_blocks(struct found *f, uint64_t heap, uint32_t kind)
{
	_cleanup_free_ struct loader_block *v = NULL;
	uint32_t n = 0, room = BLOCKS;

	// How many there are is not told before.
	for (; room <= BLOCKS_MAX; room *= BLOCKS_MORE) {
		free(v);
		v = xcalloc(room, sizeof(*v));
		n = 0;
		DAC_CALL(f->d, f->sos13, SOS13_HEAP_BLOCKS, heap, kind, room, v,
			 &n);
		if (n < room)
			break;
	}
	for (uint32_t i = 0; i < n && i < room; i++)
		memory_region_add(f, v[i].start, v[i].size);
}

static void add_allocator(struct found *f, uint64_t allocator)
{
	uint64_t heaps[LOADER_HEAPS_MAX] = {0};
	uint32_t kinds[LOADER_HEAPS_MAX] = {0};
	struct loader_heap_name names[LOADER_HEAPS_MAX] = {0};
	int32_t n = 0, n_names = 0;

	if (DAC_CALL(f->d, f->sos13, SOS13_HEAP_NAMES,
		     (int32_t)LOADER_HEAPS_MAX, names, &n_names) < 0)
		n_names = 0;
	if (!allocator ||
	    DAC_CALL(f->d, f->sos13, SOS13_HEAPS, allocator,
		     (int32_t)LOADER_HEAPS_MAX, heaps, kinds, &n) < 0)
		return;
	f->kind = DAC_MEMORY_LOADER;
	for (int32_t i = 0; i < n && i < LOADER_HEAPS_MAX; i++) {
		f->name = i < n_names && *names[i].text
			      ? arena_strdup(f->arena, names[i].text)
			      : NULL;
		if (heaps[i])
			add_blocks(f, heaps[i], kinds[i]);
	}
}

static void add_domains(struct found *f)
{
	struct dac_domains all;
	uint64_t before = 0;

	if (dbg_err_drop(dac_domain_addrs(f->d, f->arena, &all)))
		return;
	for (size_t i = 0; i <= all.n; i++) {
		uint64_t domain = i < all.n ? all.addrs[i] : all.system;
		uint64_t allocator = 0;

		if (!domain ||
		    DAC_CALL(f->d, f->sos13, SOS13_DOMAIN_ALLOCATOR, domain,
			     &allocator) < 0 ||
		    allocator == before)
			continue;
		add_allocator(f, allocator);
		before = allocator;
	}
}

/* ---- Code ------------------------------------------------------------ */

static void add_code_heaps(struct found *f, uint64_t manager)
{
	uint32_t n = 0, got = 0;

	if (DAC_CALL(f->d, f->d->sos, SOS_CODE_HEAPS, manager, (uint32_t)0,
		     NULL, &n) < 0 ||
	    !n)
		return;
	if (n > HEAPS_MAX)
		n = HEAPS_MAX;
	struct sos_code_heap *v = arena_calloc(f->arena, n, sizeof(*v));
	if (DAC_CALL(f->d, f->d->sos, SOS_CODE_HEAPS, manager, n, v, &got) < 0)
		return;
	for (uint32_t i = 0; i < n; i++) {
		if (v[i].kind == CODE_HEAP_LOADER)
			add_blocks(f, v[i].heap, HEAP_EXPLICIT);
		else if (v[i].kind == CODE_HEAP_HOST &&
			 v[i].current > v[i].heap)
			memory_region_add(f, v[i].heap,
					  v[i].current - v[i].heap);
	}
}

static void add_code(struct found *f)
{
	struct sos_jit_manager managers[MANAGERS_MAX] = {{0}};
	uint32_t n = 0;

	// It does not tell how many it has filled in.
	if (DAC_CALL(f->d, f->d->sos, SOS_JIT_MANAGERS, (uint32_t)MANAGERS_MAX,
		     managers, &n) < 0)
		return;
	f->kind = DAC_MEMORY_CODE;
	f->name = NULL;
	for (uint32_t i = 0; i < MANAGERS_MAX && managers[i].addr; i++)
		add_code_heaps(f, managers[i].addr);
}

void dac_memory(struct dac *d, struct arena *arena, struct dac_memory **ret,
		size_t *ret_n)
{
	_cleanup_com_ void *sos13 = dac_query(d, d->process, &IID_SOS13);
	struct found f = {.d = d, .sos13 = sos13, .arena = arena};

	if (sos13) {
		add_code(&f);
		add_domains(&f);
		add_list(&f, SOS13_HANDLE_TABLES, DAC_MEMORY_HANDLES);
		add_list(&f, SOS13_GC_TABLES, DAC_MEMORY_GC_TABLE);
		add_list(&f, SOS13_GC_FREE, DAC_MEMORY_GC_FREE);
	}
	*ret = arena_copy(arena, f.v, f.n, sizeof(*f.v));
	*ret_n = f.n;
	mem_free_ptr(&f.v);
}
