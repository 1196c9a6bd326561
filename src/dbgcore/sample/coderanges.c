/*
 * Lists all code of a program that no symbols name: see coderanges.h.
 *
 * JIT-compiled code is found in the runtime's code heaps: in front of each
 * method's code is a pointer to its header, which names the method, so all
 * versions of a method are found, also unreachable ones. Code of ReadyToRun
 * images is listed by each image. Stubs are in heaps of the runtime's loader,
 * one for each kind.
 */
#include "sample/coderanges.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "code/code.h"
#include "dac/assumption.h"
#include "dac/dac.h"
#include "dac/memory.h"
#include "meta/r2r.h"
#include "target/proc.h"
#include "target/target.h"
#include "target/unwind.h"

enum {
	CHUNK = 1 << 16,      /* bytes of code that are looked at at once */
	HEADER = 8,           /* of it, in front of the code: its address */
	STUB_HEADERS = 0x100, /* smaller ones are numbers of kinds of stubs */
	NO_METHOD = 0,        /* of a function of an image */
	HEAP_MAX = 1 << 30,   /* bytes of one piece of a heap */
};

struct range_lister {
	struct target *target;
	struct dac *dac;
	struct code *code;
	dbg_code_fn *fn;
	void *arg;
	struct arena *arena; /* for one range */
};

/* ---- Code of the JIT --------------------------------------------------- */

// Describe a method's code, by the JIT or compiled ahead. Texts are in the
// arena.
static void method_describe(const struct range_lister *l,
			    const struct dac_code *code,
			    struct dbg_code_range *ret)
{
	struct code_name name;
	struct dac_method method = {0};
	struct dbg_error *err = dac_method_get(l->dac, code->method, &method);
	const struct code_module *module =
	    dbg_err_drop(err) ? NULL : code_module_find(l->code, method.module);

	code_method_names(l->code, code->method, l->arena, &name);
	*ret = (struct dbg_code_range){
	    .start = code->start,
	    .size = code->size,
	    .kind = code->precompiled ? DBG_CODE_PRECOMPILED : DBG_CODE_JIT,
	    .name = name.full,
	    .version = dac_code_kind(l->dac, code),
	    .module = module ? module->name : "",
	    .own = module && !module->framework,
	};
}

static void jit_tell(const struct range_lister *l, const struct dac_code *code)
{
	struct dbg_code_range range;

	method_describe(l, code, &range);
	l->fn(l->arg, &range);
	range.start = code->cold;
	range.size = code->cold_size;
	if (range.size)
		l->fn(l->arg, &range);
}

// Does a method's code begin at @addr, in front of which is @header?
static bool jit_begins(const struct range_lister *l, uint64_t addr,
		       uint64_t header, struct dac_code *ret)
{
	uint64_t method;

	if (header < STUB_HEADERS || header % sizeof(header) ||
	    target_read_some(l->target, header, &method, sizeof(method)) !=
		sizeof(method))
		return false;
	struct dbg_error *err = dac_code_at(l->dac, addr, ret);

	return !dbg_err_drop(err) && ret->method && ret->start == addr &&
	       !ret->precompiled;
}

// Report the code that begins in the @n words at @addr; returns where to go on.
static uint64_t jit_chunk(const struct range_lister *l, uint64_t addr,
			  const uint64_t *words, size_t n)
{
	uint64_t next = addr + HEADER;

	for (size_t i = 0; i < n; i++) {
		uint64_t at = addr + i * sizeof(*words) + HEADER;
		struct dac_code code;

		if (at < next || !jit_begins(l, at, words[i], &code))
			continue;
		jit_tell(l, &code);
		arena_reset(l->arena);
		if (code.size < HEAP_MAX)
			next = code.start + code.size;
	}
	uint64_t end = addr + n * sizeof(*words);

	return next > end ? next - next % sizeof(*words) : end;
}

static void jit_heap(const struct range_lister *l, uint64_t start, uint64_t end)
{
	_cleanup_free_ uint64_t *words = xmalloc(CHUNK);

	for (uint64_t at = start; at < end && end - start < HEAP_MAX;) {
		uint64_t size = end - at < CHUNK ? end - at : CHUNK;
		size_t n = target_read_some(l->target, at, words, size) /
			   sizeof(*words);

		if (!n)
			return;
		at = jit_chunk(l, at, words, n);
	}
}

/* ---- Code compiled ahead of time --------------------------------------- */

// The method whose code begins with each function of the image; freed by the
// caller.
static uint32_t *image_methods(const struct code_module *m, uint32_t n)
{
	uint32_t *methods = xcalloc(n, sizeof(*methods)), function;
	uint32_t rows = md_rows(&m->md, MD_METHODDEF);

	for (uint32_t rid = 1; rid <= rows; rid++)
		if (r2r_method(&m->pe, rid, &function) && function < n)
			methods[function] = rid;
	return methods;
}

static void image_tell(const struct range_lister *l,
		       const struct code_module *m)
{
	uint32_t n = r2r_functions(&m->pe), begin, end;
	_cleanup_free_ uint32_t *methods = image_methods(m, n);
	struct code_name name = {0};

	for (uint32_t i = 0; i < n && m->base; i++) {
		if (methods[i] == NO_METHOD ||
		    !r2r_function(&m->pe, i, &begin, &end))
			continue;
		arena_reset(l->arena);
		code_token_names(m, MD_TOKEN(MD_METHODDEF, methods[i]), NULL,
				 l->arena, &name);
		l->fn(l->arg,
		      &(struct dbg_code_range){.start = m->base + begin,
					       .size = end - begin,
					       .kind = DBG_CODE_PRECOMPILED,
					       .name = name.full,
					       .version = "ReadyToRun",
					       .module = m->name});
	}
}

/* ---- Stubs ------------------------------------------------------------- */

static void stubs_tell(const struct range_lister *l,
		       const struct proc_maps *maps,
		       const struct dac_memory *heap)
{
	const struct proc_map *map = proc_maps_find(maps, heap->start);

	if (!map || !map->exec)
		return;
	l->fn(l->arg,
	      &(struct dbg_code_range){
		  .start = heap->start,
		  .size = heap->end - heap->start,
		  .kind = DBG_CODE_STUBS,
		  .name = arena_printf(l->arena, "[stub of the runtime: %s]",
				       heap->name ? heap->name : "other"),
		  .module = ""});
	arena_reset(l->arena);
}

/* ---- All --------------------------------------------------------------- */

static bool lies_in_file(const struct proc_maps *maps, uint64_t addr)
{
	const struct proc_map *map = proc_maps_find(maps, addr);

	return map && *map->path;
}

bool code_ranges(struct target *t, struct dac *d, struct code *code,
		 dbg_code_fn *fn, void *arg)
{
	_cleanup_arena_ struct arena *heaps = arena_create();
	_cleanup_arena_ struct arena *arena = arena_create();
	const struct range_lister l = {t, d, code, fn, arg, arena};
	const struct proc_maps *maps = NULL;
	struct dac_memory *v;
	size_t n, n_modules;

	dac_memory(d, heaps, &v, &n);
	dbg_err_drop(code_modules_read(code));
	dbg_err_drop(target_maps(t, &maps));
	for (size_t i = 0; i < n; i++) {
		if (v[i].kind == DAC_MEMORY_CODE)
			jit_heap(&l, v[i].start, v[i].end);
		else if (v[i].kind == DAC_MEMORY_LOADER && maps)
			stubs_tell(&l, maps, &v[i]);
	}
	struct code_module *const *modules = code_modules(code, &n_modules);

	for (size_t i = 0; i < n_modules; i++)
		image_tell(&l, modules[i]);
	for (size_t i = 0; i < n && maps; i++)
		if (v[i].kind == DAC_MEMORY_CODE)
			return lies_in_file(maps, v[i].start);
	return false;
}

// Names of stubs end in their addresses.
static bool stub_at(const struct range_lister *l, uint64_t addr,
		    struct dbg_code_range *ret)
{
	const char *name = dac_address_name(l->dac, addr, l->arena);

	if (!name)
		return false;
	*ret = (struct dbg_code_range){
	    .start = addr,
	    .size = 1,
	    .kind = DBG_CODE_STUBS,
	    .name = arena_strndup(l->arena, name, strcspn(name, "@")),
	    .module = ""};
	return true;
}

bool code_range_at(struct target *t, struct dac *d, struct code *code,
		   uint64_t addr, struct arena *arena,
		   struct dbg_code_range *ret)
{
	const struct range_lister l = {t, d, code, NULL, NULL, arena};
	struct dac_code found = {0};

	if (unwind_is_native(t, addr))
		return false;
	struct dbg_error *err = dac_code_at(d, addr, &found);

	if (dbg_err_drop(err) || !found.method)
		return stub_at(&l, addr, ret);
	method_describe(&l, &found, ret);
	if (addr - found.start >= found.size) {
		ret->start = found.cold;
		ret->size = found.cold_size;
	}
	return true;
}
