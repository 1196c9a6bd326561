/* The runtime's own structures as the DAC describes them: see facts.h. */
#include "dac/facts.h"

#include <stdlib.h>

#include "dac/dac_priv.h"
#include "dac/daclist.h"
#include "dac/compound.h"

static const struct com_iid IID_SOS15 = {
    0x7ed81261,
    0x52a9,
    0x4a23,
    {0xa3, 0x58, 0xc3, 0x31, 0x3d, 0xea, 0x30, 0xa8}};

enum {
	SLOTS_MAX = 1 << 16,
	THREADS_MAX = 1 << 17,
};

/* ---- Types and methods ----------------------------------------------- */

bool dac_type_facts(struct dac *d, uint64_t mt, struct dac_type_facts *ret)
{
	struct sos_type_all all = {0};

	if (DAC_CALL(d, d->sos, SOS_TYPE_ALL, mt, d->sos6, &all) < 0)
		return false;
	const struct sos_type data = all.type;
	*ret = (struct dac_type_facts){
	    .eeclass = data.eeclass,
	    .n_methods = data.n_methods,
	    .n_virtuals = data.n_virtuals,
	    .n_interfaces = data.n_interfaces,
	    .collectible = all.collectible.collectible,
	};
	return true;
}

uint64_t dac_type_of_class(struct dac *d, uint64_t eeclass)
{
	uint64_t mt = 0;

	return DAC_CALL(d, d->sos, SOS_TYPE_OF_CLASS, eeclass, &mt) < 0 ? 0
									: mt;
}

/* Slots that are found, in the order of being found. */
struct slots {
	struct dac_slot *v;
	size_t n, cap;
};

static void add_slot(struct slots *s, uint32_t slot, uint64_t method,
		     uint64_t entry)
{
	mem_grow(&s->v, &s->cap, s->n, sizeof(*s->v));
	s->v[s->n++] = (struct dac_slot){slot, method, entry};
}

// .NET 9 and later: methods without code have no slot in memory.
static bool slots_listed(struct dac *d, uint64_t mt, struct slots *ret)
{
	_cleanup_com_ void *sos15 = dac_query(d, d->process, &IID_SOS15);
	_cleanup_com_ void *list = NULL;

	if (!sos15 || DAC_CALL(d, sos15, SOS15_TYPE_SLOTS, mt, &list) < 0 ||
	    !list)
		return false;
	const struct sos_slot *v;
	struct dac_elements all =
	    dac_list_read(d, list, TYPE_SLOTS_NEXT, SLOTS_MAX);

	v = all.v;
	for (size_t i = 0; i < all.n; i++)
		add_slot(ret, v[i].slot, v[i].method, v[i].entry);
	free(all.v);
	return true;
}

// The method that @entry leads to: code, or a stub in front of it.
static uint64_t method_of_entry(struct dac *d, uint64_t entry)
{
	struct dac_stub stub = {0};
	uint64_t method = dac_method_at(d, entry);

	if (method)
		return method;
	dac_stub_at(d->target, entry, &stub);
	if (!stub.method && stub.code)
		stub.method = dac_method_at(d, stub.code);
	return stub.method;
}

static void slots_read(struct dac *d, uint64_t mt, uint32_t n,
		       struct slots *ret)
{
	for (uint32_t i = 0; i < n; i++) {
		uint64_t entry = 0;

		if (DAC_CALL(d, d->sos, SOS_TYPE_SLOT, mt, i, &entry) >= 0 &&
		    entry)
			add_slot(ret, i, method_of_entry(d, entry), entry);
	}
}

struct dbg_error *dac_type_slots(struct dac *d, uint64_t mt,
				 struct arena *arena, struct dac_slot **ret,
				 size_t *ret_n)
{
	struct slots s = {0};
	struct dac_type_facts facts;

	if (!dac_type_facts(d, mt, &facts))
		return dbg_err(DBG_E_MEMORY, "no MethodTable at 0x%llx",
			       (unsigned long long)mt);
	if (!slots_listed(d, mt, &s))
		slots_read(d, mt, facts.n_methods, &s);
	*ret = arena_copy(arena, s.v, s.n, sizeof(*s.v));
	*ret_n = s.n;
	mem_free_ptr(&s.v);
	return NULL;
}

/* ---- Assemblies ------------------------------------------------------ */

static struct dac_domain domain_at(struct dac *d, uint64_t addr,
				   struct arena *arena)
{
	struct sos_domain data = {0};
	struct dac_domain ret = {.addr = addr, .name = ""};
	uint32_t n = 0;

	if (DAC_CALL(d, d->sos, SOS_DOMAIN, addr, &data) >= 0) {
		ret.id = data.id;
		ret.n_assemblies =
		    data.n_assemblies > 0 ? (uint32_t)data.n_assemblies : 0;
	}
	d->scratch[0] = 0;
	if (DAC_CALL(d, d->sos, SOS_DOMAIN_NAME, addr,
		     (uint32_t)DAC_SCRATCH_UNITS, d->scratch, &n) >= 0)
		ret.name = dac_scratch_text(d, DAC_SCRATCH_UNITS, arena);
	return ret;
}

struct dbg_error *dac_domains(struct dac *d, struct arena *arena,
			      struct dac_domain **ret, size_t *ret_n)
{
	struct dac_domains all;
	struct dbg_error *err = dac_domain_addrs(d, arena, &all);

	if (err)
		return err;
	struct dac_domain *v = arena_calloc(arena, all.n + 1, sizeof(*v));
	for (size_t i = 0; i < all.n; i++)
		v[i] = domain_at(d, all.addrs[i], arena);
	*ret = v;
	*ret_n = all.n;
	if (all.system) {
		v[all.n] = domain_at(d, all.system, arena);
		v[(*ret_n)++].system = true;
	}
	return NULL;
}

uint64_t dac_module_allocator(struct dac *d, uint64_t module)
{
	struct sos_module data = {0};

	return DAC_CALL(d, d->sos, SOS_MODULE_DATA, module, &data) < 0
		   ? 0
		   : data.loader_allocator;
}

/* ---- Threads --------------------------------------------------------- */

static void thread_facts(struct dac *d, uint64_t addr,
			 const struct sos_thread *data,
			 const struct sos_thread_store *store,
			 struct dac_any_thread *ret)
{
	const struct dac_thread known = {.addr = addr};
	bool lives =
	    data->tid && data->tid <= INT32_MAX &&
	    !((uint32_t)data->state & (DAC_THREAD_UNSTARTED | DAC_THREAD_DEAD));

	*ret = (struct dac_any_thread){
	    .addr = addr,
	    .tid = lives ? target_tid_outside(d->target, (pid_t)data->tid) : 0,
	    .managed_id = data->id,
	    .state = (uint32_t)data->state,
	    .cooperative = data->cooperative,
	    .exception = dac_handle_target(d, data->last_thrown_handle),
	    .object = dac_thread_object(d, &known),
	    .finalizer = addr == store->finalizer,
	    .suspender = addr == store->suspender,
	};
}

struct dbg_error *dac_threads_all(struct dac *d, struct arena *arena,
				  struct dac_any_thread **ret, size_t *ret_n)
{
	struct sos_thread_store store = {0};
	struct dac_any_thread *v = NULL;
	size_t n = 0, cap = 0;
	int32_t hr = DAC_CALL(d, d->sos, SOS_THREAD_STORE, &store);

	if (hr < 0)
		return dac_err(hr, "cannot list the runtime's threads");
	// The list may be cut or cyclic while a thread comes or goes.
	int32_t left =
	    store.n_threads < THREADS_MAX ? store.n_threads : THREADS_MAX;
	struct map seen = {0};
	uint64_t addr = store.first;
	for (; addr && left > 0 && !map_find(&seen, addr); left--) {
		struct sos_thread data = {0};

		if (DAC_CALL(d, d->sos, SOS_THREAD, addr, &data) < 0)
			break;
		map_put(&seen, addr, d);
		mem_grow(&v, &cap, n, sizeof(*v));
		thread_facts(d, addr, &data, &store, &v[n++]);
		addr = data.next;
	}
	if (addr)
		dac_tell_circle(d);
	map_deinit(&seen);
	*ret = arena_copy(arena, v, n, sizeof(*v));
	*ret_n = n;
	mem_free_ptr(&v);
	return NULL;
}
