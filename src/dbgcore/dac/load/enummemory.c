/*
 * The memory that the DAC needs to walk stacks and to tell threads, modules and
 * exceptions, as it enumerates it for the smallest kind of dump
 * (ICLRDataEnumMemoryRegions of clrdata.idl).
 */
#include "dac/dac_priv.h"

#include <string.h>

static const struct com_iid IID_UNKNOWN = {
    0, 0, 0, {0xc0, 0, 0, 0, 0, 0, 0, 0x46}};
static const struct com_iid IID_ENUM_REGIONS = {
    0x471c35b4,
    0x7c2f,
    0x4ef0,
    {0xa9, 0x45, 0x00, 0xf8, 0xc3, 0x80, 0x56, 0xf1}};
static const struct com_iid IID_CALLBACK = {
    0xbcdd6908,
    0xba2d,
    0x4ec5,
    {0x96, 0xcf, 0xdf, 0x4d, 0x5c, 0xdc, 0xb4, 0xa4}};

enum {
	MINI_DUMP_NORMAL = 0,
	ENUM_DEFAULT = 0,
};

/* Our ICLRDataEnumMemoryRegionsCallback. */
struct callback {
	void (*const *vtable)(void);
	dac_memory_fn *fn;
	void *arg;
};

static int32_t query(struct callback *c, const struct com_iid *iid, void **ret)
{
	bool known = !memcmp(iid, &IID_UNKNOWN, sizeof(*iid)) ||
		     !memcmp(iid, &IID_CALLBACK, sizeof(*iid));

	*ret = known ? c : NULL;
	return known ? COM_OK : COM_E_NOINTERFACE;
}

// AddRef and Release: the callback is on the caller's stack and is not counted.
static uint32_t no_count(void *self)
{
	(void)self;
	return 1;
}

static int32_t region(struct callback *c, uint64_t addr, uint32_t n)
{
	c->fn(c->arg, addr, n);
	return COM_OK;
}

#define SLOT(fn) ((void (*)(void))(fn))

static void (*const vtable[])(void) = {SLOT(query), SLOT(no_count),
				       SLOT(no_count), SLOT(region)};

struct dbg_error *dac_each_memory(struct dac *d, dac_memory_fn *fn, void *arg)
{
	struct callback c = {vtable, fn, arg};
	_cleanup_com_ void *regions =
	    dac_query(d, d->process, &IID_ENUM_REGIONS);

	if (!regions)
		return dbg_err(DBG_E_RUNTIME,
			       "the runtime's DAC does not tell what memory it "
			       "needs");
	int32_t hr =
	    DAC_CALL(d, regions, ENUM_REGIONS, (uint64_t)(uintptr_t)&c,
		     (uint64_t)MINI_DUMP_NORMAL, (uint64_t)ENUM_DEFAULT);
	return hr < 0 ? dac_err(hr, "what memory the runtime's DAC needs")
		      : NULL;
}
