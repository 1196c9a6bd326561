/*
 * What the address space is used for. The mappings are divided by what the
 * runtime and the threads tell about parts of them; the rest is described by
 * its file, its access or its first bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "dac/memory.h"
#include "session/heap/sessionheap.h"
#include "target/proc.h"

enum {
	ARENA_SIZE = 64 << 20, // of glibc, where each of its arenas begins
	CHUNK_MAPPED = 2,      // IS_MMAPPED of a chunk's size
	LARGE_MIN = 128 << 10, // glibc's smallest threshold for these
	// pages that are looked at for the beginning of one, in all
	LARGE_TRIES = 1 << 16,
};

const char *dbg_region_name(enum dbg_region_kind kind)
{
	static const char *const names[] = {
	    [DBG_REGION_GC] = "GC heap",
	    [DBG_REGION_GC_FREE] = "GC free",
	    [DBG_REGION_GC_TABLE] = "GC tables",
	    [DBG_REGION_HANDLES] = "handle tables",
	    [DBG_REGION_CODE] = "JIT code",
	    [DBG_REGION_LOADER] = "loader heaps",
	    [DBG_REGION_EXECUTABLE] = "executable memory",
	    [DBG_REGION_STACK] = "stacks",
	    [DBG_REGION_MALLOC] = "malloc",
	    [DBG_REGION_MALLOC_LARGE] = "malloc, large blocks",
	    [DBG_REGION_FILE] = "files",
	    [DBG_REGION_KERNEL] = "kernel's",
	    [DBG_REGION_OTHER] = "other",
	    [DBG_REGION_RESERVED] = "reserved",
	};

	return kind < DBG_N_REGIONS ? names[kind] : "?";
}

struct regions {
	struct dbg_region *v;
	size_t n, cap;
	uint32_t tries; /* what is left of LARGE_TRIES */
};

static void region_add(struct regions *r, const struct dbg_region *one)
{
	if (one->end <= one->start)
		return;
	mem_grow(&r->v, &r->cap, r->n, sizeof(*r->v));
	r->v[r->n++] = *one;
}

/* ---- What is known of parts ------------------------------------------ */

static void add_heap(struct dbg *dbg, struct regions *known,
		     struct dbg_memory *ret)
{
	struct heap *h;
	struct dbg_error *err = session_heap_get(session_standing(dbg), &h);

	if (err) {
		ret->no_heap = arena_strdup(dbg->inspect.arena, err->message);
		dbg_error_destroy(err);
		return;
	}
	for (size_t i = 0; i < h->n_parts; i++) {
		const struct gc_part *p = &h->parts[i].is;

		region_add(
		    known,
		    &(struct dbg_region){
			.start = p->start,
			.end = p->committed > p->end ? p->committed : p->end,
			.kind = DBG_REGION_GC,
			.generation = p->generation,
		    });
	}
}

static void add_runtime(struct dbg *dbg, struct regions *known)
{
	static const enum dbg_region_kind kinds[] = {
	    [DAC_MEMORY_CODE] = DBG_REGION_CODE,
	    [DAC_MEMORY_LOADER] = DBG_REGION_LOADER,
	    [DAC_MEMORY_HANDLES] = DBG_REGION_HANDLES,
	    [DAC_MEMORY_GC_TABLE] = DBG_REGION_GC_TABLE,
	    [DAC_MEMORY_GC_FREE] = DBG_REGION_GC_FREE,
	};
	struct dac_memory *v;
	size_t n = 0;

	dac_memory(dbg->inspect.dac, dbg->inspect.arena, &v, &n);
	for (size_t i = 0; i < n; i++)
		region_add(known, &(struct dbg_region){
				      .start = v[i].start,
				      .end = v[i].end,
				      .kind = kinds[v[i].kind],
				      .name = v[i].name,
				  });
}

// Is the mapping a thread's stack: does a stack pointer lie in it? Except where
// it is known to be something else: the kernel, and cores, join neighbours.
static struct dbg_region stack_at(const struct proc_map *map,
				  const struct regs *regs,
				  const struct dbg_region *known, size_t n)
{
	struct dbg_region ret = {
	    .start = map->start, .end = map->end, .kind = DBG_REGION_STACK};
	uint64_t sp = regs_sp(regs);
	// the page in which the C library describes the thread is its last
	uint64_t top = (regs_thread(regs) | 0xfff) + 1;

	if (top > sp && top < ret.end)
		ret.end = top;
	for (size_t i = 0; i < n; i++) {
		if (known[i].end <= sp && known[i].end > ret.start)
			ret.start = known[i].end;
		if (known[i].start > sp && known[i].start < ret.end)
			ret.end = known[i].start;
	}
	return ret;
}

static void add_stacks(struct dbg *dbg, const struct proc_maps *maps,
		       struct regions *known)
{
	size_t n_parts = known->n;
	struct dbg_thread *v;
	size_t n = 0;
	struct dbg_error *err = stack_threads(dbg->inspect.stack, &v, &n);

	if (dbg_err_drop(err))
		return;
	for (size_t i = 0; i < n; i++) {
		struct regs regs;

		err = target_regs(dbg->target, v[i].tid, &regs);
		if (dbg_err_drop(err))
			continue;
		const struct proc_map *map =
		    proc_maps_find(maps, regs_sp(&regs));

		if (!map || *map->path == '/')
			continue;
		stack_thread_describe(dbg->inspect.stack, &v[i]);
		struct dbg_region one = stack_at(map, &regs, known->v, n_parts);

		one.thread = v[i].number;
		one.name = v[i].name;
		region_add(known, &one);
	}
}

// Sort by address; of two regions that begin at one address, the longer first.
static int by_address(const void *a, const void *b)
{
	const struct dbg_region *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end > y->end ? -1 : x->end < y->end;
}

// Resolve overlaps: of two overlapping regions the first one is believed.
static void untangle(struct regions *r)
{
	uint64_t end = 0;
	size_t n = 0;

	if (r->n)
		qsort(r->v, r->n, sizeof(*r->v), by_address);
	for (size_t i = 0; i < r->n; i++) {
		struct dbg_region one = r->v[i];

		if (one.start < end)
			one.start = end;
		if (one.start >= one.end)
			continue;
		end = one.end;
		r->v[n++] = one;
	}
	r->n = n;
}

/* ---- What is left ---------------------------------------------------- */

// Is it an arena of malloc? It begins with its description (glibc's heap_info).
static bool is_arena(struct dbg *dbg, const struct proc_map *map)
{
	uint64_t head[4];

	return map->read && !(map->start % ARENA_SIZE) &&
	       target_read_some(dbg->target, map->start, head, sizeof(head)) ==
		   sizeof(head) &&
	       head[0] && head[2] && head[2] <= ARENA_SIZE &&
	       !(head[2] & 0xfff) && head[3] >= head[2] &&
	       head[3] <= ARENA_SIZE;
}

// The size of a large block of malloc: it begins a page with its size and the
// bit that says that it has a mapping of its own (glibc's mmapped chunk); 0:
// none. The kernel joins neighbours.
static uint64_t large_block(struct dbg *dbg, uint64_t at, uint64_t end)
{
	uint64_t head[2];

	if (target_read_some(dbg->target, at, head, sizeof(head)) !=
		sizeof(head) ||
	    head[0] || (head[1] & 0xfff) != CHUNK_MAPPED ||
	    head[1] - CHUNK_MAPPED > end - at || head[1] < LARGE_MIN)
		return 0;
	return head[1] - CHUNK_MAPPED;
}

// Add what a mapping has from @at to @end: large blocks, and the parts between
// them, whose use is not known.
static void add_rest(struct dbg *dbg, struct regions *ret,
		     struct dbg_region rest, uint64_t at, uint64_t end)
{
	bool blocks = rest.kind == DBG_REGION_OTHER && rest.write;

	rest.start = at;
	at = (at + 0xfff) & ~(uint64_t)0xfff;
	while (blocks && ret->tries) {
		at = target_present_from(dbg->target, at, end);
		uint64_t size = at < end ? large_block(dbg, at, end) : 0;
		struct dbg_region block = rest;

		if (at >= end)
			break;
		if (!size) {
			ret->tries--;
			at += 0x1000;
			continue;
		}
		rest.end = at;
		region_add(ret, &rest);
		block.kind = DBG_REGION_MALLOC_LARGE;
		block.start = at;
		block.end = rest.start = at += size;
		region_add(ret, &block);
	}
	rest.end = end;
	region_add(ret, &rest);
}

static enum dbg_region_kind kind_of(struct dbg *dbg, const struct proc_map *map)
{
	if (!strncmp(map->path, "/memfd:doublemapper", 19))
		return map->read || map->exec ? DBG_REGION_EXECUTABLE
					      : DBG_REGION_RESERVED;
	if (*map->path == '/')
		return DBG_REGION_FILE;
	if (!strcmp(map->path, "[heap]"))
		return DBG_REGION_MALLOC;
	if (!strncmp(map->path, "[v", 2) || !strncmp(map->path, "[uprobes", 8))
		return DBG_REGION_KERNEL;
	if (!map->read && !map->write && !map->exec)
		return DBG_REGION_RESERVED;
	if (map->exec)
		return DBG_REGION_EXECUTABLE;
	return is_arena(dbg, map) ? DBG_REGION_MALLOC : DBG_REGION_OTHER;
}

static void mapping_split(struct dbg *dbg, const struct proc_map *map,
			  const struct regions *known, size_t *k,
			  struct regions *ret)
{
	const struct dbg_region rest = {
	    .kind = kind_of(dbg, map),
	    .name =
		*map->path ? arena_strdup(dbg->inspect.arena, map->path) : NULL,
	    .read = map->read,
	    .write = map->write,
	    .exec = map->exec,
	};
	uint64_t at = map->start;

	while (*k < known->n && known->v[*k].end <= at)
		(*k)++;
	for (size_t i = *k; i < known->n && known->v[i].start < map->end; i++) {
		struct dbg_region one = known->v[i];

		one.start = one.start > at ? one.start : at;
		one.end = one.end < map->end ? one.end : map->end;
		add_rest(dbg, ret, rest, at, one.start);
		// a loader heap has reserved more than it uses
		if (rest.kind == DBG_REGION_RESERVED) {
			one.kind = rest.kind;
			one.name = NULL;
		}
		one.read = map->read;
		one.write = map->write;
		one.exec = map->exec;
		region_add(ret, &one);
		at = one.end;
	}
	add_rest(dbg, ret, rest, at, map->end);
}

static bool take_resident(struct dbg *dbg, struct regions *r)
{
	_cleanup_free_ struct target_range *v = xcalloc(r->n + 1, sizeof(*v));
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].kind != DBG_REGION_RESERVED)
			v[n++] = (struct target_range){r->v[i].start,
						       r->v[i].end, 0};
	if (!target_resident(dbg->target, v, n))
		return false;
	n = 0;
	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].kind != DBG_REGION_RESERVED)
			r->v[i].resident = v[n++].resident;
	return true;
}

struct dbg_error *dbg_memory_list(struct dbg_stopped at, struct dbg_memory *ret)
{
	struct dbg *dbg = at.dbg;
	struct regions known = {0}, all = {.tries = LARGE_TRIES};
	const struct proc_maps *maps;
	size_t k = 0;
	struct dbg_error *err = session_need_stop(at);

	if (!err)
		err = target_maps(dbg->target, &maps);
	if (err)
		return err;
	*ret = (struct dbg_memory){0};
	if (dbg->inspect.dac) {
		add_heap(dbg, &known, ret);
		add_runtime(dbg, &known);
	}
	untangle(&known);
	add_stacks(dbg, maps, &known);
	untangle(&known);
	// what was read meanwhile may have made them anew
	err = target_maps(dbg->target, &maps);
	for (size_t i = 0; !err && i < maps->n; i++)
		mapping_split(dbg, &maps->v[i], &known, &k, &all);
	if (!err) {
		ret->has_resident = take_resident(dbg, &all);
		ret->v = arena_copy(dbg->inspect.arena, all.v, all.n,
				    sizeof(*all.v));
		ret->n = all.n;
	}
	free(known.v);
	free(all.v);
	return err;
}
