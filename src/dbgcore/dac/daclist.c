/* Lists that the DAC has: see daclist.h. */
#include "dac/daclist.h"

#include <string.h>

#include "dac/dac_priv.h"
#include "dac/gcslots.h"

enum {
	DOMAINS_MAX = 64,
	AT_ONCE = 256,
};

struct dbg_error *dac_domain_addrs(struct dac *d, struct arena *arena,
				   struct dac_domains *ret)
{
	struct sos_domain_store store = {0};
	uint32_t got = 0;
	int32_t hr;

	hr = DAC_CALL(d, d->sos, SOS_DOMAIN_STORE, &store);
	if (hr < 0)
		return dac_err(hr, "cannot read the application domains");
	int32_t n = store.n_domains;
	if (n < 0 || n > DOMAINS_MAX)
		return dbg_err(DBG_E_FORMAT, "%d application domains", n);
	uint64_t *addrs = arena_calloc(arena, (size_t)n + 1, sizeof(*addrs));
	hr = DAC_CALL(d, d->sos, SOS_DOMAIN_LIST, (uint32_t)n, addrs, &got);
	if (hr < 0)
		return dac_err(hr, "cannot read the application domains");
	*ret = (struct dac_domains){
	    .addrs = addrs,
	    .n = got < (uint32_t)n ? got : (size_t)n,
	    .system = store.system,
	};
	return NULL;
}

struct dac_addrs dac_addrs_read(struct dac *d, enum dac_method_id method,
				uint64_t owner, int max, struct arena *arena)
{
	struct dac_addrs none = {0}, l;
	int32_t n = 0, got = 0;

	int32_t hr = DAC_CALL(d, d->sos, method, owner, 0, NULL, &n);
	if (hr < 0 || n <= 0)
		return none;
	if (n > max)
		n = max;
	l.addrs = arena_calloc(arena, (size_t)n, sizeof(*l.addrs));
	hr = DAC_CALL(d, d->sos, method, owner, n, l.addrs, &got);
	if (hr < 0 || got <= 0)
		return none;
	l.n = (size_t)(got < n ? got : n);
	return l;
}

struct dac_elements dac_list_read(struct dac *d, void *list,
				  enum dac_method_id next, size_t max)
{
	const size_t size = dac_methods[next].args[1].size;
	struct dac_elements ret = {0};
	size_t cap = 0;
	uint32_t got;

	do {
		got = 0;
		mem_grow(&ret.v, &cap, ret.n + AT_ONCE - 1, size);
		char *at = (char *)ret.v + ret.n * size;
		memset(at, 0, AT_ONCE * size);
		ret.hr = DAC_CALL(d, list, next, (uint32_t)AT_ONCE, at, &got);
		if (ret.hr >= 0)
			ret.n += got < AT_ONCE ? got : AT_ONCE;
	} while (ret.hr >= 0 && got == AT_ONCE && ret.n < max);
	return ret;
}
