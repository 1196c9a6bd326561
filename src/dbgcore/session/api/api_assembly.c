/* Assemblies, their domains and load contexts; the runtime's threads. */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "dac/facts.h"
#include "session/heap/sessionheap.h"

enum {
	CONTEXTS_MAX = 10000,
	BINDER_WORDS = 64
};

/* ---- Assemblies ------------------------------------------------------ */

static void assembly_describe(struct dbg *dbg, const struct dac_module *from,
			      struct dbg_assembly *ret)
{
	struct inspect *in = &dbg->inspect;
	const struct code_module *m = code_module_find(in->code, from->addr);

	*ret = (struct dbg_assembly){
	    .module = from->addr,
	    .assembly = from->assembly,
	    .allocator = dac_module_allocator(in->dac, from->addr),
	    .name = m ? m->name : from->name,
	    .path = from->path,
	    .context = inspect_load_context(in, from->addr, in->arena),
	    .context_object = dac_module_context(in->dac, from->addr),
	    .base = from->base,
	    .md_addr = from->md_addr,
	    .md_size = from->md_size,
	    .number = m ? m->number : 0,
	    .dynamic = from->dynamic,
	};
}

static struct dbg_error *modules_of(struct dbg_stopped at,
				    struct dac_module **ret, size_t *ret_n)
{
	struct dbg *dbg = at.dbg;
	struct dbg_error *err = session_need_runtime(at);

	return err ? err
		   : dac_modules(dbg->inspect.dac, dbg->inspect.arena, ret,
				 ret_n);
}

struct dbg_error *dbg_assembly_list(struct dbg_stopped at,
				    struct dbg_assembly **ret, size_t *ret_n)
{
	struct dbg *dbg = at.dbg;
	struct dac_module *modules;
	size_t n = 0;
	struct dbg_error *err = modules_of(at, &modules, &n);

	if (err)
		return err;
	struct dbg_assembly *v =
	    arena_calloc(dbg->inspect.arena, n + 1, sizeof(*v));
	for (size_t i = 0; i < n; i++)
		assembly_describe(dbg, &modules[i], &v[i]);
	*ret = v;
	*ret_n = n;
	return NULL;
}

struct dbg_error *dbg_domain_list(struct dbg_stopped at,
				  struct dbg_domain **ret, size_t *ret_n)
{
	struct dbg *dbg = at.dbg;
	struct arena *arena = dbg->inspect.arena;
	struct dac_domain *from;
	size_t n = 0;
	struct dbg_error *err = session_need_runtime(at);

	if (!err)
		err = dac_domains(dbg->inspect.dac, arena, &from, &n);
	if (err)
		return err;
	struct dbg_domain *v = arena_calloc(arena, n + 1, sizeof(*v));
	for (size_t i = 0; i < n; i++)
		v[i] = (struct dbg_domain){
		    .addr = from[i].addr,
		    .id = from[i].id,
		    .n_assemblies = from[i].n_assemblies,
		    .name = from[i].name,
		    .system = from[i].system,
		};
	*ret = v;
	*ret_n = n;
	return NULL;
}

/* ---- Load contexts --------------------------------------------------- */

struct contexts {
	struct dbg *dbg;
	struct type *base; /* AssemblyLoadContext */
	struct heap_kinds kinds;
	uint64_t common; /* allocator of what is not collectible; 0: unknown */
	struct type *allocator; /* LoaderAllocator, and those on the heap */
	struct heap_kinds allocator_kinds;
	uint64_t allocators[CONTEXTS_MAX];
	size_t n_allocators;
	struct map by_key; /* object or allocator -> struct dbg_load_context */
	struct dbg_load_context *v[CONTEXTS_MAX];
	size_t n;
};

static uint64_t integer_field(struct dbg *dbg, uint64_t object,
			      const char *name)
{
	struct values *ts = dbg->inspect.values;
	struct value v = value_object(ts, object), at;
	uint64_t n = 0;

	return value_member(ts, &v, name, &at) && value_integer(ts, &at, &n)
		   ? n
		   : 0;
}

static struct dbg_load_context *add_context(struct contexts *c, uint64_t key,
					    const struct dbg_load_context *from)
{
	if (c->n == CONTEXTS_MAX)
		return NULL;
	struct dbg_load_context *one =
	    arena_copy(c->dbg->inspect.arena, from, 1, sizeof(*from));

	map_put(&c->by_key, key, one);
	return c->v[c->n++] = one;
}

static struct dbg_load_context *context_at(struct contexts *c, uint64_t object)
{
	struct dbg *dbg = c->dbg;
	struct dbg_load_context *one = map_find(&c->by_key, object);

	if (one)
		return one;
	struct value v = value_object(dbg->inspect.values, object);
	const struct dbg_load_context found = {
	    .object = object,
	    .type = v.type && value_type_name(v.type) ? value_type_name(v.type)
						      : "?",
	    .name = inspect_string_field(&dbg->inspect, object, "_name",
					 dbg->inspect.arena),
	    .collectible = integer_field(dbg, object, "_isCollectible"),
	    .unloading = integer_field(dbg, object, "_state"),
	};
	return add_context(c, object, &found);
}

static bool is_context(struct contexts *c, const struct heap_type *type)
{
	return type->has_refs &&
	       session_derives(c->dbg, &c->kinds, type, c->base);
}

static bool is_allocator(struct contexts *c, const struct heap_type *type)
{
	return type->has_refs && c->allocator &&
	       session_derives(c->dbg, &c->allocator_kinds, type, c->allocator);
}

static bool is_wanted(void *arg, const struct heap_type *type)
{
	return is_context(arg, type) || is_allocator(arg, type);
}

static bool context_visit(void *arg, const struct heap_object *o)
{
	struct contexts *c = arg;

	if (is_context(c, o->type))
		context_at(c, o->addr);
	else if (c->n_allocators < CONTEXTS_MAX && is_allocator(c, o->type))
		c->allocators[c->n_allocators++] = o->addr;
	return true;
}

// The program's object of the runtime's allocator; 0: none.
static uint64_t allocator_object(struct contexts *c, uint64_t allocator)
{
	struct values *ts = c->dbg->inspect.values;

	for (size_t i = 0; i < c->n_allocators && allocator; i++) {
		struct value v = value_object(ts, c->allocators[i]), at;
		uint64_t scout;

		if (value_member(ts, &v, "m_scout", &at) &&
		    value_pointer(ts, &at, &scout) && scout &&
		    integer_field(c->dbg, scout, "m_nativeLoaderAllocator") ==
			allocator)
			return c->allocators[i];
	}
	return 0;
}

// Find AssemblyLoadContext and LoaderAllocator objects on the heap; contexts
// without an assembly are known nowhere else.
static struct dbg_error *from_heap(struct contexts *c)
{
	struct heap *h;

	c->base = value_type_core(c->dbg->inspect.values,
				  "System.Runtime.Loader.AssemblyLoadContext");
	c->allocator = value_type_core(c->dbg->inspect.values,
				       "System.Reflection.LoaderAllocator");
	struct dbg_error *err =
	    c->base ? session_heap_get(session_standing(c->dbg), &h) : NULL;
	if (err || !c->base)
		return err;
	return heap_each_of(h, false, is_wanted, context_visit, c);
}

/*
 * Does @allocator belong to the context? The runtime's binder of a collectible
 * context (CustomAssemblyBinder) refers to it, at an offset that differs
 * between versions.
 */
static bool owns(struct contexts *c, const struct dbg_load_context *one,
		 uint64_t allocator)
{
	struct dbg *dbg = c->dbg;
	uint64_t binder =
	    one->object && one->collectible
		? integer_field(dbg, one->object, "_nativeAssemblyLoadContext")
		: 0;

	return binder && target_has_word(dbg->inspect.target, binder,
					 BINDER_WORDS, allocator);
}

/*
 * Find the context of a module by its allocator, where its types do not tell:
 * none is in use, or the context's object is collected. A collectible context
 * has an allocator of its own for all its assemblies; a dynamic assembly may
 * have one in the default context.
 */
static struct dbg_load_context *by_allocator(struct contexts *c,
					     const struct dac_module *m,
					     struct dbg_load_context *first)
{
	uint64_t allocator = dac_module_allocator(c->dbg->inspect.dac, m->addr);

	if (m->dynamic || !allocator || !c->common || allocator == c->common)
		return first;
	struct dbg_load_context *one = map_find(&c->by_key, allocator);
	for (size_t i = 0; i < c->n && !one; i++)
		if (owns(c, c->v[i], allocator)) {
			one = c->v[i];
			map_put(&c->by_key, allocator, one);
		}
	return one ? one
		   : add_context(c, allocator,
				 &(struct dbg_load_context){
				     .type = "?", .collectible = true});
}

static void from_modules(struct contexts *c, const struct dac_module *modules,
			 size_t n, struct dbg_load_context *first)
{
	struct dac *d = c->dbg->inspect.dac;

	if (c->base)
		c->common = dac_module_allocator(d, c->base->module->addr);
	for (size_t i = 0; i < n; i++) {
		uint64_t object = dac_module_context(d, modules[i].addr);
		struct dbg_load_context *one =
		    object ? context_at(c, object)
			   : by_allocator(c, &modules[i], first);

		if (one)
			one->n_assemblies++;
		if (one && one->collectible && !one->allocator)
			one->allocator = allocator_object(
			    c, dac_module_allocator(d, modules[i].addr));
	}
}

static bool is_default(const struct dbg_load_context *one)
{
	return one->name && !strcmp(one->name, "Default") && !one->collectible;
}

// The default one's object is made when the program asks for it.
static void put_together(struct contexts *c, struct dbg_load_context *first,
			 struct dbg_load_context **ret, size_t *ret_n)
{
	struct dbg_load_context *v =
	    arena_calloc(c->dbg->inspect.arena, c->n + 1, sizeof(*v));
	size_t n = 1;

	for (size_t i = 0; i < c->n; i++) {
		if (!first->object && is_default(c->v[i])) {
			first->object = c->v[i]->object;
			first->type = c->v[i]->type;
			first->n_assemblies += c->v[i]->n_assemblies;
		} else {
			v[n++] = *c->v[i];
		}
	}
	v[0] = *first;
	*ret = v;
	*ret_n = n;
}

struct dbg_error *dbg_load_context_list(struct dbg_stopped at,
					struct dbg_load_context **ret,
					size_t *ret_n)
{
	struct dbg *dbg = at.dbg;
	struct dbg_load_context first = {
	    .name = "Default",
	    .type = "System.Runtime.Loader.DefaultAssemblyLoadContext",
	};
	struct dac_module *modules;
	size_t n = 0;
	struct dbg_error *err = modules_of(at, &modules, &n);

	if (err)
		return err;
	struct contexts *c = xcalloc(1, sizeof(*c));
	c->dbg = dbg;
	// without the heap those that have assemblies are known all the same
	err = from_heap(c);
	if (err && err->code == DBG_E_INTERRUPTED)
		goto out;
	dbg_error_destroy(err);
	err = NULL;
	from_modules(c, modules, n, &first);
	put_together(c, &first, ret, ret_n);
out:
	heap_kinds_deinit(&c->kinds);
	heap_kinds_deinit(&c->allocator_kinds);
	map_deinit(&c->by_key);
	free(c);
	return err;
}

/* ---- Threads --------------------------------------------------------- */

// Thread::ThreadState, as far as it tells something of a program.
static const struct {
	uint32_t bit;
	const char *text;
} states[] = {
    {DAC_THREAD_UNSTARTED, "not begun"},
    {DAC_THREAD_DEAD, "ended"},
    {DAC_THREAD_BACKGROUND, "background"},
    {0x1000000, "pool worker"},
    {0x2000000, "waits, sleeps or joins"},
    {0x4000000, "interrupted"},
    {0x1, "abort requested"},
    {0x10, "held by the collector"},
    {0x40000000, "failed to start"},
};

static const char *states_text(uint32_t state, struct arena *arena)
{
	_cleanup_str_ struct str text = {0};

	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++)
		if (state & states[i].bit)
			str_addf(&text, "%s%s", *str_get(&text) ? ", " : "",
				 states[i].text);
	return arena_strdup(arena, str_get(&text));
}

static uint32_t number_of(struct dbg *dbg, pid_t tid)
{
	return tid ? stack_thread_number(dbg->inspect.stack, tid) : 0;
}

struct dbg_error *dbg_runtime_thread_list(struct dbg_stopped at,
					  struct dbg_runtime_thread **ret,
					  size_t *ret_n)
{
	struct dbg *dbg = at.dbg;
	struct inspect *in = &dbg->inspect;
	struct dac_any_thread *all;
	size_t n = 0;
	struct dbg_error *err = session_need_runtime(at);

	if (!err)
		err = dac_threads_all(in->dac, in->arena, &all, &n);
	if (err)
		return err;
	struct dbg_runtime_thread *v =
	    arena_calloc(in->arena, n + 1, sizeof(*v));
	for (size_t i = 0; i < n; i++) {
		const struct dac_any_thread *t = &all[i];
		struct value thrown = value_object(in->values, t->exception);

		v[i] = (struct dbg_runtime_thread){
		    .addr = t->addr,
		    .object = t->object,
		    .number = number_of(dbg, t->tid),
		    .managed_id = t->managed_id,
		    .tid = t->tid,
		    .state = t->state,
		    .states = states_text(t->state, in->arena),
		    .name = t->object ? inspect_string_field(in, t->object,
							     "_name", in->arena)
				      : NULL,
		    .cooperative = t->cooperative,
		    .dead = t->state & DAC_THREAD_DEAD,
		    .unstarted = t->state & DAC_THREAD_UNSTARTED,
		    .finalizer = t->finalizer,
		    .collecting = t->suspender,
		    .exception = t->exception,
		    .thrown = t->exception && thrown.type
				  ? value_type_name(thrown.type)
				  : NULL,
		};
	}
	*ret = v;
	*ret_n = n;
	return NULL;
}
