/*
 * The DAC's view of the program: ICLRDataTarget2, made of a struct target.
 * Reads go to the target without its traps, contexts are made of registers;
 * what the DAC may not do is answered E_NOTIMPL. The vtables are written out by
 * hand, since the DAC is a C++ library and this is C.
 */
#include "dac/dac_priv.h"

#include <string.h>

/* ---- The breakpoints of a debugger inside of the process ----------------- */

/*
 * Whenever the DAC reads code or a stack to unwind a frame it looks through the
 * runtime's table of these, to put back what lies beneath. .NET 9 has the table
 * from its start on, though there is no such debugger: empty, of 1,000 buckets,
 * each of which the DAC reads by itself, once a stop, and passes again for each
 * frame. While the table is empty the DAC is told that there is none. No symbol
 * leads there; the DAC does when it unwinds a frame:
 *
 *  the flag that the table is valid, four bytes the address of the table, eight
 * bytes the table, whole the first of its buckets, four bytes
 *
 * The offsets in the table are believed only if these reads agree with them.
 */

enum {
	TABLE_BYTES = 0x30,
	BUCKETS_MAX = 4096,
	BUCKET_FREE = -1,
	WALK_TRIES = 32, /* items, to the first that is unwound */
};

struct table {
	uint32_t n;
	uint64_t buckets;
};

static bool table_read(const struct data_target *dt, uint64_t addr,
		       struct table *ret)
{
	const struct data_settings *set = &dt->set;

	if (target_read_some(dt->target, addr + set->patch_count, &ret->n,
			     sizeof(ret->n)) != sizeof(ret->n) ||
	    target_read_some(dt->target, addr + set->patch_buckets,
			     &ret->buckets,
			     sizeof(ret->buckets)) != sizeof(ret->buckets))
		return false;
	return ret->n && ret->n <= BUCKETS_MAX && ret->buckets;
}

/* Is the runtime's patch table empty? Only if patch_flag is known. */
static bool patch_table_none(const struct data_target *dt)
{
	int32_t buckets[BUCKETS_MAX];
	struct table table;
	uint64_t addr;

	if (target_read_some(dt->target, dt->set.patch_table, &addr,
			     sizeof(addr)) != sizeof(addr) ||
	    !table_read(dt, addr, &table))
		return false;
	size_t size = table.n * sizeof(*buckets);
	if (target_read_some(dt->target, table.buckets, buckets, size) != size)
		return false;
	for (uint32_t i = 0; i < table.n; i++)
		if (buckets[i] != BUCKET_FREE)
			return false;
	return true;
}

static bool is_read(const struct read_log *log, size_t i, uint64_t addr,
		    uint32_t size)
{
	return log->reads[i].addr == addr && log->reads[i].size == size;
}

// Was the read at @i the one of the flag? The DAC looks at the table's first
// word before it reads the whole table.
static bool is_flag(struct dac *d, const struct read_log *log, size_t i)
{
	struct table table;
	uint64_t addr;

	return log->reads[i].size == sizeof(uint32_t) &&
	       log->reads[i + 1].size == sizeof(addr) &&
	       target_read_some(d->target, log->reads[i + 1].addr, &addr,
				sizeof(addr)) == sizeof(addr) &&
	       is_read(log, i + 3, addr, TABLE_BYTES) &&
	       table_read(&d->data_target, addr, &table) &&
	       is_read(log, i + 4, table.buckets, sizeof(uint32_t));
}

static void flag_find(struct dac *d, const struct read_log *log)
{
	for (size_t i = 0; i + 4 < log->n && !d->data_target.set.patch_flag;
	     i++) {
		if (!is_flag(d, log, i))
			continue;
		d->data_target.set.patch_table = log->reads[i + 1].addr;
		d->data_target.set.patch_flag = log->reads[i].addr;
	}
}

// Walk to a managed frame and on to its caller; false: there is none.
static bool unwind_one(struct dac *d, pid_t tid)
{
	uint32_t simple = 0, detail = 0;
	int32_t hr = COM_OK;

	_cleanup_com_ void *walk = dac_walk_open(d, tid);
	for (int i = 0; walk && hr == COM_OK && i < WALK_TRIES; i++) {
		hr = DAC_CALL(d, walk, WALK_FRAME_TYPE, &simple, &detail);
		if (hr == COM_OK)
			hr = DAC_CALL(d, walk, WALK_NEXT);
		if (simple == DAC_FRAME_TYPE_MANAGED)
			return true;
	}
	return false;
}

static void patch_table_search(struct dac *d, pid_t tid)
{
	struct read_log log = {.n = 0};
	struct dac_assumed count, buckets;

	d->learned.patch_table_sought =
	    !dac_holds(d, ASSUME_PATCH_COUNT, &count) ||
	    !dac_holds(d, ASSUME_PATCH_BUCKETS, &buckets);
	if (d->learned.patch_table_sought)
		return;
	d->data_target.set.patch_count = count.value;
	d->data_target.set.patch_buckets = buckets.value;
	// What it has cached it would not read.
	dac_drop(d);
	d->data_target.log = &log;
	d->learned.patch_table_sought = unwind_one(d, tid);
	d->data_target.log = NULL;
	flag_find(d, &log);
	if (d->data_target.set.patch_flag)
		dac_drop(d);
}

void patch_table_find(struct dac *d, pid_t tid)
{
	if (!d->learned.patch_table_sought)
		patch_table_search(d, tid);
}

/* ---- The DAC's view of the program --------------------------------------- */

static const struct com_iid IID_UNKNOWN = {
    0, 0, 0, {0xc0, 0, 0, 0, 0, 0, 0, 0x46}};
static const struct com_iid IID_DATA_TARGET = {
    0x3e11ccee,
    0xd08b,
    0x43e5,
    {0xaf, 0x01, 0x32, 0x71, 0x7a, 0x64, 0xda, 0x03}};
static const struct com_iid IID_DATA_TARGET2 = {
    0x6d05fae3,
    0x189c,
    0x4630,
    {0xa6, 0xdc, 0x1c, 0x25, 0x1e, 0x1c, 0x01, 0xab}};
static const struct com_iid IID_RUNTIME_LOCATOR = {
    0xb760bf44,
    0x9377,
    0x4597,
    {0x8b, 0xe7, 0x58, 0x08, 0x3b, 0xdc, 0x51, 0x46}};
static const struct com_iid IID_CONTRACT_LOCATOR = {
    0x17d5b8c6,
    0x34a9,
    0x407f,
    {0xaf, 0x4f, 0xa9, 0x30, 0x20, 0x1d, 0x4e, 0x02}};

enum {
	ALLOC_MAX = 16 << 20, /* the DAC asks for some KiB at most */
};

static bool iid_is(const struct com_iid *a, const struct com_iid *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/*
 * The DAC sees failures as HRESULTs; our words are of no use to it. Those about
 * a write are kept for dac_write_err().
 */
static int32_t swallow(struct dbg_error *err)
{
	return dbg_err_drop(err) ? COM_E_FAIL : COM_OK;
}

/* ---- Contexts -------------------------------------------------------- */

struct dbg_error *context_of_thread(struct target *t, pid_t tid, uint32_t flags,
				    struct context *ret)
{
	struct dbg_error *err;
	struct regs regs;
	struct fpregs fpregs;

	err = target_regs(t, tid, &regs);
	if (err)
		return err;
	if ((flags & CONTEXT_FLOATING) == CONTEXT_FLOATING) {
		err = target_fpregs(t, tid, &fpregs);
		if (err)
			return err;
	}
	context_from_regs(&regs, ret);
	if ((flags & CONTEXT_FLOATING) == CONTEXT_FLOATING)
		context_set_fpregs(ret, &fpregs);
	return NULL;
}

/* ---- ICLRDataTarget2 ------------------------------------------------- */

static struct data_target *of_locator(void *self)
{
	return (
	    struct data_target *)((char *)self -
				  offsetof(struct data_target, locator_vtable));
}

static struct data_target *of_contract(void *self)
{
	return (struct data_target *)((char *)self -
				      offsetof(struct data_target,
					       contract_vtable));
}

static int32_t query(struct data_target *dt, const struct com_iid *iid,
		     void **ret)
{
	*ret = NULL;
	if (iid_is(iid, &IID_UNKNOWN) || iid_is(iid, &IID_DATA_TARGET) ||
	    iid_is(iid, &IID_DATA_TARGET2))
		*ret = dt;
	else if (iid_is(iid, &IID_RUNTIME_LOCATOR))
		*ret = &dt->locator_vtable;
	else if (iid_is(iid, &IID_CONTRACT_LOCATOR))
		*ret = &dt->contract_vtable;
	return *ret ? COM_OK : COM_E_NOINTERFACE;
}

static int32_t locator_query(void *self, const struct com_iid *iid, void **ret)
{
	return query(of_locator(self), iid, ret);
}

static int32_t contract_query(void *self, const struct com_iid *iid, void **ret)
{
	return query(of_contract(self), iid, ret);
}

// The data target is part of struct dac and outlives the DAC's use of it.
static uint32_t no_count(void *self)
{
	(void)self;
	return 1;
}

static int32_t machine_type(struct data_target *dt, uint32_t *ret)
{
	(void)dt;
	*ret = CONTEXT_MACHINE;
	return COM_OK;
}

static int32_t pointer_size(struct data_target *dt, uint32_t *ret)
{
	(void)dt;
	*ret = 8;
	return COM_OK;
}

// Asked for libcoreclr.so only, and only without the runtime locator.
static int32_t image_base(struct data_target *dt, const uint16_t *path,
			  uint64_t *ret)
{
	(void)path;
	*ret = dt->runtime_base;
	return COM_OK;
}

static int32_t read_virtual(struct data_target *dt, uint64_t addr, void *buf,
			    uint32_t n, uint32_t *ret_done)
{
	size_t done = target_read_some(dt->target, addr, buf, n);
	struct read_log *log = dt->log;

	if (addr == dt->set.patch_flag && done && patch_table_none(dt))
		memset(buf, 0, done);
	if (addr == dt->set.heaps_at && done == sizeof(dt->set.heaps))
		memcpy(buf, &dt->set.heaps, done);
	dac_tables_present(dt, addr, buf, done);

	if (log && log->n < READ_LOG_MAX) {
		log->reads[log->n].addr = addr;
		log->reads[log->n++].size = n;
	}
	if (ret_done)
		*ret_done = (uint32_t)done;
	return done || !n ? COM_OK : COM_E_FAIL;
}

static int32_t write_virtual(struct data_target *dt, uint64_t addr,
			     const void *buf, uint32_t n, uint32_t *ret_done)
{
	dbg_error_destroy(dt->unwritten);
	dt->unwritten = target_write_undone(dt->target, addr, buf, n);
	if (ret_done)
		*ret_done = dt->unwritten ? 0 : n;
	return dt->unwritten ? COM_E_FAIL : COM_OK;
}

static int32_t thread_context(struct data_target *dt, uint32_t tid,
			      uint32_t flags, uint32_t size, void *buf)
{
	struct context c;

	if (size < sizeof(c))
		return COM_E_INVALIDARG;
	pid_t outside = target_tid_outside(dt->target, (pid_t)tid);
	int32_t hr = swallow(context_of_thread(dt->target, outside, flags, &c));
	if (hr == COM_OK)
		memcpy(buf, &c, sizeof(c));
	return hr;
}

// COM callback: map memory in the program. The address is only a wish; type and
// protection are as of any fresh mapping.
static int32_t alloc_virtual(struct data_target *dt, uint64_t wish,
			     uint32_t size, uint32_t type, uint32_t protection,
			     uint64_t *ret)
{
	(void)wish;
	(void)type;
	(void)protection;
	if (size > ALLOC_MAX)
		return COM_E_INVALIDARG;
	return swallow(target_mmap(dt->target, size, ret));
}

static int32_t not_implemented(void *self)
{
	(void)self;
	return COM_E_NOTIMPL;
}

static int32_t runtime_base(void *self, uint64_t *ret)
{
	*ret = of_locator(self)->runtime_base;
	return COM_OK;
}

// COM callback: get the address of the runtime's contract descriptor; .NET 8
// has none.
static int32_t contract_descriptor(void *self, uint64_t *ret)
{
	const struct data_target *dt = of_contract(self);
	const struct target_image runtime = {
	    .path = dt->runtime_path,
	    .base = dt->runtime_base,
	};

	*ret = 0;
	struct dbg_error *err = target_symbol(
	    dt->target, &runtime, "DotNetRuntimeContractDescriptor", ret);
	return !dbg_err_drop(err) && *ret ? COM_OK : COM_E_FAIL;
}

#define SLOT(fn) ((void (*)(void))(fn))

static void (*const target_vtable[])(void) = {
    SLOT(query),           SLOT(no_count),      SLOT(no_count),
    SLOT(machine_type),    SLOT(pointer_size),  SLOT(image_base),
    SLOT(read_virtual),    SLOT(write_virtual),
    SLOT(not_implemented), // GetTLSValue
    SLOT(not_implemented), // SetTLSValue
    SLOT(not_implemented), // GetCurrentThreadID
    SLOT(thread_context),
    SLOT(not_implemented), // SetThreadContext
    SLOT(not_implemented), // Request
    SLOT(alloc_virtual),
    SLOT(not_implemented), // FreeVirtual
};

static void (*const locator_vtable[])(void) = {
    SLOT(locator_query),
    SLOT(no_count),
    SLOT(no_count),
    SLOT(runtime_base),
};

static void (*const contract_vtable[])(void) = {
    SLOT(contract_query),
    SLOT(no_count),
    SLOT(no_count),
    SLOT(contract_descriptor),
};

void data_target_init(struct data_target *dt, struct target *t,
		      const char *runtime_path, uint64_t base)
{
	dt->target_vtable = target_vtable;
	dt->locator_vtable = locator_vtable;
	dt->contract_vtable = contract_vtable;
	dt->target = t;
	dt->runtime_path = runtime_path;
	dt->runtime_base = base;
	dt->log = NULL;
	dt->set = (struct data_settings){0};
	dac_tables_find(dt);
}
