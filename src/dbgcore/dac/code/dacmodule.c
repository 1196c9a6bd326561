/*
 * Modules as the runtime has them: enumerated by its domains and assemblies,
 * with their files, bases, metadata and PDB streams.
 */
#include "dac/dac_priv.h"

#include <string.h>

#include "base/str.h"
#include "dac/assumption.h"
#include "dac/daclist.h"

enum {
	ASSEMBLIES_MAX = 1 << 16,
	MODULES_PER_ASSEMBLY_MAX = 64,
	EDIT_AND_CONTINUE = 8, // Module::IS_EDIT_AND_CONTINUE, .NET 8 to 11
	UPDATES_MAX = 0xffff,
};

void *dac_module_object(struct dac *d, uint64_t module)
{
	void *ret = NULL;

	if (DAC_CALL(d, d->sos, SOS_MODULE, module, &ret) < 0)
		return NULL;
	return ret;
}

// "" if the DAC has no such string.
static const char *module_text(struct dac *d, void *object,
			       enum dac_method_id method, struct arena *arena)
{
	uint32_t n = 0;

	d->scratch[0] = 0;
	int32_t hr = DAC_CALL(d, object, method, (uint32_t)DAC_SCRATCH_UNITS,
			      &n, d->scratch);
	return hr < 0 ? "" : dac_scratch_text(d, n, arena);
}

/*
 * The number of updates of a module. The runtime's count begins at 1; any other
 * value shows that the assumed place of the count is wrong.
 */
static uint32_t module_updates(struct dac *d, uint64_t addr)
{
	struct dac_assumed at;
	uint32_t count;

	if (!dac_holds(d, ASSUME_UPDATE_COUNT, &at) ||
	    target_read_some(d->target, addr + at.value, &count,
			     sizeof(count)) != sizeof(count))
		return 0;
	if (count && count <= UPDATES_MAX)
		return count - 1;
	dac_refute(d, ASSUME_UPDATE_COUNT);
	return 0;
}

struct dbg_error *dac_module_get(struct dac *d, uint64_t addr,
				 struct arena *arena, struct dac_module *ret)
{
	struct sos_module data = {0};

	int32_t hr = DAC_CALL(d, d->sos, SOS_MODULE_DATA, addr, &data);
	_cleanup_com_ void *object = dac_module_object(d, addr);
	// what is in no file that was found is lacking for good
	bool lacks = hr < 0 && object && !target_can(d->target, TARGET_RUN);
	if (hr < 0 && !lacks)
		return dac_err(hr, "cannot read the module at 0x%llx",
			       (unsigned long long)addr);
	struct dac_module m = {
	    .addr = addr,
	    .assembly = data.assembly,
	    .path = "",
	    .name = "",
	    .base = data.base,
	    .md_addr = data.md_size ? data.md_addr : 0,
	    .md_size = data.md_addr ? data.md_size : 0,
	    .dynamic = data.is_reflection,
	    .lacks = lacks,
	    .editable = data.transient_flags & EDIT_AND_CONTINUE,
	};
	if (object) {
		m.path = module_text(d, object, MODULE_FILE_NAME, arena);
		m.name = module_text(d, object, MODULE_NAME, arena);
	}
	if (!*m.name)
		m.name = *m.path ? str_basename(m.path) : "?";
	if (lacks && *m.path != '/')
		return dac_err(hr, "cannot read the module at 0x%llx",
			       (unsigned long long)addr);
	if (m.editable)
		m.n_updates = module_updates(d, addr);
	*ret = m;
	return NULL;
}

uint64_t dac_module_context(struct dac *d, uint64_t module)
{
	enum {
		TYPEDEF = 0x02000000,
		TYPES_MAX = 64, // to look at for one that is loaded
	};
	uint64_t type = 0, ret = 0;

	for (uint32_t rid = 1; rid <= TYPES_MAX && !type; rid++)
		type = dac_type_of_token(d, module, TYPEDEF | rid);
	if (!type || !d->sos8 ||
	    DAC_CALL(d, d->sos8, SOS8_LOAD_CONTEXT, type, &ret) < 0)
		return 0;
	return ret;
}

struct dbg_error *dac_module_unoptimize(struct dac *d, uint64_t addr, bool *ret)
{
	static const struct com_iid iid_module2 = {
	    0x34625881,
	    0x7eb3,
	    0x4524,
	    {0x81, 0x7b, 0x8d, 0xb9, 0xd0, 0x64, 0xc7, 0x60}};
	enum {
		JIT_DISABLE_OPTIMIZATION = 3,
		HR_PRECOMPILED = (int32_t)0x8013131d,
	};

	_cleanup_com_ void *object = dac_module_object(d, addr);
	_cleanup_com_ void *module =
	    object ? dac_query(d, object, &iid_module2) : NULL;
	int32_t hr = COM_E_NOINTERFACE;
	if (module)
		hr = DAC_CALL(d, module, MODULE2_SET_JIT_FLAGS,
			      (uint32_t)JIT_DISABLE_OPTIMIZATION);
	if (hr < 0 && hr != HR_PRECOMPILED)
		return dac_write_err(d, hr, "cannot suppress optimisation");
	*ret = hr >= 0;
	return NULL;
}

struct module_vec {
	struct dac_module *modules;
	size_t n, cap;
};

static void assembly_add(struct dac *d, uint64_t assembly, struct arena *arena,
			 struct module_vec *v)
{
	struct dac_addrs l = dac_addrs_read(d, SOS_ASSEMBLY_MODULES, assembly,
					    MODULES_PER_ASSEMBLY_MAX, arena);

	for (size_t i = 0; i < l.n; i++) {
		mem_grow(&v->modules, &v->cap, v->n, sizeof(*v->modules));
		struct dbg_error *err =
		    dac_module_get(d, l.addrs[i], arena, &v->modules[v->n]);
		// A module just being made or torn down is not there yet.
		if (err)
			dbg_error_destroy(err);
		else
			v->n++;
	}
}

struct dbg_error *dac_modules(struct dac *d, struct arena *arena,
			      struct dac_module **ret, size_t *ret_n)
{
	struct dbg_error *err;
	struct module_vec v = {0};
	struct dac_domains domains;

	err = dac_domain_addrs(d, arena, &domains);
	if (err)
		return err;
	for (size_t i = 0; i < domains.n; i++) {
		struct dac_addrs l =
		    dac_addrs_read(d, SOS_ASSEMBLY_LIST, domains.addrs[i],
				   ASSEMBLIES_MAX, arena);
		for (size_t j = 0; j < l.n; j++)
			assembly_add(d, l.addrs[j], arena, &v);
	}
	*ret = arena_copy(arena, v.modules, v.n, sizeof(*v.modules));
	*ret_n = v.n;
	mem_free_ptr(&v.modules);
	return NULL;
}
