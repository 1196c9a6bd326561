/*
 * Methods, their compiled code and its IL maps.
 *
 * A code version never moves and its map never changes while its method
 * lives, so both are kept for the session, by address range. Dynamic methods
 * are freed and their memory is used again: theirs are kept for one stop.
 */
#include "dac/asyncmethod.h"
#include "dac/compound.h"
#include "dac/dac_priv.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "target/arch.h"

enum {
	MAP_MAX = 1 << 18,
	MAP_FEW = 128, /* entries that most methods do with */
	INSTANCES_MAX = 1 << 14,
	TIERS_MAX = 256,
	TIER_OSR = 6,
	OFFSETS_MAX = 4,
	SCAN_MAX = 1 << 15, /* bytes of code; a call to the DAC each */
	CODE_MAX = 1 << 30,
	IL_CALL_SIZE = 5,  /* III.3.19: of the await */
	RESUME_MAX = 4096, /* instructions that resume a method */
	JUMPS_MAX = 8,     /* that lead to each other */
	HEADER_BEFORE = 8, /* RealCodeHeader*, in front of a method's code */
	JIT_PRECOMPILED = 2,
	FIRST_DYNAMIC_TOKEN = 0x06000000,
};

/* ---- Cache ----------------------------------------------------------- */

void code_cache_init(struct dac_code_cache *c)
{
	memset(c, 0, sizeof(*c));
	c->arena = arena_create();
}

void code_cache_deinit(struct dac_code_cache *c)
{
	arena_destroy(c->arena);
	free(c->ranges);
	memset(c, 0, sizeof(*c));
}

void code_cache_clear(struct dac_code_cache *c)
{
	if (c->n)
		arena_reset(c->arena);
	c->n = 0;
}

// Index of the first range that ends behind @ip.
static size_t lower_bound(const struct dac_code_cache *c, uint64_t ip)
{
	size_t low = 0, high = c->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (c->ranges[mid].end <= ip)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static struct dac_code_entry *cache_find(const struct dac_code_cache *c,
					 uint64_t ip)
{
	size_t i = lower_bound(c, ip);

	return i < c->n && c->ranges[i].start <= ip ? c->ranges[i].entry : NULL;
}

// Add a range of code. One that overlaps a known range is not added.
static void range_add(struct dac_code_cache *c, uint64_t start, uint64_t size,
		      struct dac_code_entry *entry)
{
	if (!size || start + size < start)
		return;
	size_t i = lower_bound(c, start);
	if (i < c->n && c->ranges[i].start < start + size)
		return;
	mem_grow(&c->ranges, &c->cap, c->n, sizeof(*c->ranges));
	memmove(&c->ranges[i + 1], &c->ranges[i],
		(c->n - i) * sizeof(*c->ranges));
	c->ranges[i] = (struct dac_code_range){start, start + size, entry};
	c->n++;
}

/* ---- Methods --------------------------------------------------------- */

static struct dbg_error *method_read(struct dac *d, uint64_t md,
				     struct sos_method *ret)
{
	memset(ret, 0, sizeof(*ret));

	int32_t hr = DAC_CALL(d, d->sos, SOS_METHOD, md, (uint64_t)0, ret,
			      (uint32_t)0, NULL, NULL);
	if (hr < 0)
		return dac_err(hr, "cannot read the method at 0x%llx",
			       (unsigned long long)md);
	return NULL;
}

static struct dbg_error *method_lacking(uint64_t md)
{
	return dbg_err(DBG_E_MEMORY, "the method at 0x%llx is not in this core",
		       (unsigned long long)md);
}

/*
 * Asked once for each method, and cached: the DAC also looks at the method's
 * versions, and faults while a stopped thread is about to change them.
 */
struct dbg_error *dac_method_get(struct dac *d, uint64_t md,
				 struct dac_method *ret)
{
	struct dbg_error *err;
	struct sos_method data;
	const struct dac_method *known = map_find(&d->methods, md);

	if (known && !known->addr)
		return method_lacking(md);
	if (known) {
		*ret = *known;
		return NULL;
	}
	err = method_read(d, md, &data);
	if (err && target_changes(d->target))
		return err;
	if (dbg_err_drop(err)) {
		// What a core has not got it will not get.
		map_put(&d->methods, md,
			arena_calloc(d->facts, 1, sizeof(*ret)));
		return method_lacking(md);
	}
	*ret = (struct dac_method){
	    .addr = md,
	    .type = data.type,
	    .module = data.module,
	    .token = data.token,
	    .dynamic = data.is_dynamic || data.token == FIRST_DYNAMIC_TOKEN,
	};
	// A dynamic method's descriptor is reused for another.
	if (!ret->dynamic)
		map_put(&d->methods, md,
			arena_copy(d->facts, ret, 1, sizeof(*ret)));
	return NULL;
}

uint64_t dac_method_code(struct dac *d, uint64_t md)
{
	struct sos_method data;
	struct dbg_error *err = method_read(d, md, &data);

	return dbg_err_drop(err) || !data.has_code || data.code == UINT64_MAX
		   ? 0
		   : data.code;
}

uint64_t dac_method_of_token(struct dac *d, uint64_t module, uint32_t token)
{
	uint64_t md = 0;

	int32_t hr =
	    DAC_CALL(d, d->sos, SOS_METHOD_FROM_TOKEN, module, token, &md);
	return hr == COM_OK ? md : 0;
}

struct dbg_error *dac_method_name(struct dac *d, uint64_t md,
				  struct arena *arena, const char **ret)
{
	uint32_t n = 0;

	d->scratch[0] = 0;
	int32_t hr = DAC_CALL(d, d->sos, SOS_METHOD_NAME, md,
			      (uint32_t)DAC_SCRATCH_UNITS, d->scratch, &n);
	if (hr < 0)
		return dac_err(hr, "cannot name the method at 0x%llx",
			       (unsigned long long)md);
	*ret = dac_scratch_text(d, DAC_SCRATCH_UNITS, arena);
	return NULL;
}

const char *dac_address_name(struct dac *d, uint64_t addr, struct arena *arena)
{
	uint32_t n = 0;
	uint64_t displacement = 0;

	d->scratch[0] = 0;
	int32_t hr = DAC_CALL(d, d->process, PROCESS_NAME_BY_ADDRESS, addr,
			      (uint32_t)0, (uint32_t)DAC_SCRATCH_UNITS, &n,
			      d->scratch, &displacement);
	// What lies behind something that has a name is another thing.
	if (hr < 0 || !d->scratch[0] || displacement)
		return NULL;
	return dac_scratch_text(d, DAC_SCRATCH_UNITS, arena);
}

/* ---- Code ------------------------------------------------------------ */

static bool holds(const struct dac_code *code, uint64_t addr)
{
	return addr - code->start < code->size ||
	       addr - code->cold < code->cold_size;
}

static struct dbg_error *code_read(struct dac *d, uint64_t ip,
				   struct dac_code_entry **ret)
{
	struct dbg_error *err;
	struct sos_code data = {0};
	struct dac_method method = {0};

	*ret = NULL;
	// Any failure means: not managed code.
	if (DAC_CALL(d, d->sos, SOS_CODE_HEADER, ip, &data) < 0 || !data.md ||
	    !data.start)
		return NULL;
	err = dac_method_get(d, data.md, &method);
	if (err && target_changes(d->target))
		return err;
	// A small core has the code of an overflowed stack, not its methods.
	dbg_error_destroy(err);
	bool split = data.cold && data.cold_size;
	uint64_t size = split && data.hot_size ? data.hot_size : data.size;
	if (size > CODE_MAX || data.cold_size > CODE_MAX)
		return dbg_err(DBG_E_FORMAT, "code of %llu bytes at 0x%llx",
			       (unsigned long long)size,
			       (unsigned long long)data.start);
	struct dac_code_cache *c = method.dynamic ? &d->dynamic : &d->code;
	struct dac_code_entry *entry = arena_alloc(c->arena, sizeof(*entry));
	entry->code = (struct dac_code){
	    .method = data.md,
	    .start = data.start,
	    .size = size,
	    .cold = split ? data.cold : 0,
	    .cold_size = split ? data.cold_size : 0,
	    .precompiled = data.jit_type == JIT_PRECOMPILED,
	};
	// Behind a module's precompiled code lie thunks that the runtime
	// takes for the end of its last method.
	if (!holds(&entry->code, ip))
		return NULL;
	range_add(c, data.start, size, entry);
	if (split)
		range_add(c, data.cold, data.cold_size, entry);
	*ret = entry;
	return NULL;
}

static struct dbg_error *entry_at(struct dac *d, uint64_t ip,
				  struct dac_code_entry **ret)
{
	*ret = cache_find(&d->code, ip);
	if (!*ret)
		*ret = cache_find(&d->dynamic, ip);
	return *ret ? NULL : code_read(d, ip, ret);
}

struct dbg_error *dac_code_at(struct dac *d, uint64_t ip, struct dac_code *ret)
{
	struct dbg_error *err;
	struct dac_code_entry *entry;

	err = entry_at(d, ip, &entry);
	if (err)
		return err;
	*ret = entry ? entry->code : (struct dac_code){0};
	return NULL;
}

uint64_t dac_method_at(struct dac *d, uint64_t ip)
{
	struct dbg_error *err;
	struct dac_code code = {0};

	err = dac_code_at(d, ip, &code);
	return dbg_err_drop(err) ? 0 : code.method;
}

/* ---- IL maps --------------------------------------------------------- */

// The IXCLRDataMethodInstance that @code is a version of; NULL: there is none.
// The DAC enumerates all instantiations of the method.
static void *instance_of(struct dac *d, const struct dac_code *code)
{
	uint64_t handle = 0, start;
	void *ret = NULL;

	int32_t hr = DAC_CALL(d, d->process, PROCESS_START_METHODS_BY_ADDRESS,
			      code->start, NULL, &handle);
	if (hr != COM_OK)
		return NULL;
	for (int i = 0; i < INSTANCES_MAX; i++) {
		_cleanup_com_ void *instance = NULL;
		if (DAC_CALL(d, d->process, PROCESS_NEXT_METHOD_BY_ADDRESS,
			     &handle, &instance) != COM_OK ||
		    !instance)
			break;
		start = 0;
		if (DAC_CALL(d, instance, METHOD_ENTRY, &start) != COM_OK ||
		    dac_method_at(d, start) != code->method)
			continue;
		ret = instance;
		instance = NULL;
		break;
	}
	DAC_CALL(d, d->process, PROCESS_END_METHODS_BY_ADDRESS, handle);
	return ret;
}

static int compare_maps(const void *a, const void *b)
{
	const struct dac_il_map *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

// End of the part of the code that @addr lies in.
static uint64_t part_end(const struct dac_code *code, uint64_t addr)
{
	return addr - code->start < code->size ? code->start + code->size
					       : code->cold + code->cold_size;
}

// Keep the entries that lie in this code version, close the open ones.
static void map_store(struct dac_code_entry *entry, struct arena *arena,
		      const struct xclr_il_map *raw, size_t n)
{
	struct dac_il_map *map = arena_calloc(arena, n, sizeof(*map));
	size_t used = 0;

	for (size_t i = 0; i < n; i++) {
		if (!holds(&entry->code, raw[i].start))
			continue;
		uint64_t end = raw[i].end;
		if (end <= raw[i].start)
			end = part_end(&entry->code, raw[i].start);
		map[used++] = (struct dac_il_map){
		    .il_offset = raw[i].il_offset,
		    .start = raw[i].start,
		    .end = end,
		};
	}
	qsort(map, used, sizeof(*map), compare_maps);
	entry->map = map;
	entry->n_map = used;
}

// Read the IL map of the method's current code; *ret_current: @entry is that
// code.
static struct dbg_error *map_read(struct dac *d, struct dac_code_entry *entry,
				  struct arena *arena, bool *ret_current)
{
	struct xclr_il_map few[MAP_FEW] = {{0}};
	_cleanup_free_ struct xclr_il_map *many = NULL;
	uint32_t n = 0, has = 0;

	int32_t hr = DAC_CALL(d, d->process, PROCESS_IL_MAP, entry->code.start,
			      (uint32_t)MAP_FEW, few, &has);
	*ret_current = hr == COM_OK;
	n = has;
	if (n > MAP_MAX)
		return dbg_err(DBG_E_FORMAT, "IL map of %u entries", n);
	if (n > MAP_FEW) {
		many = xcalloc(n, sizeof(*many));
		hr = DAC_CALL(d, d->process, PROCESS_IL_MAP, entry->code.start,
			      has, many, &n);
	}
	if (hr == COM_OK && n && n <= has)
		map_store(entry, arena, many ? many : few, n);
	return NULL;
}

/*
 * The DAC gives the map of a method's current code only (an older tier, or
 * an on-stack replacement, is not that), but the IL offset of any address:
 * build the map of another version from these.
 */
static void map_scan(struct dac *d, void *instance,
		     struct dac_code_entry *entry, struct arena *arena)
{
	struct dac_il_map *map = NULL;
	size_t n_map = 0, cap = 0;
	const struct dac_code *code = &entry->code;
	uint64_t size = code->size < SCAN_MAX ? code->size : SCAN_MAX;

	for (uint64_t off = 0; off < size; off++) {
		uint32_t il[OFFSETS_MAX] = {DAC_IL_NO_MAPPING}, n = 0;
		if (DAC_CALL(d, instance, METHOD_IL_OFFSETS, code->start + off,
			     (uint32_t)OFFSETS_MAX, &n, il) != COM_OK ||
		    !n)
			il[0] = DAC_IL_NO_MAPPING;
		uint64_t addr = code->start + off;
		if (n_map && map[n_map - 1].il_offset == il[0]) {
			map[n_map - 1].end = addr + 1;
			continue;
		}
		mem_grow(&map, &cap, n_map, sizeof(*map));
		map[n_map++] = (struct dac_il_map){
		    .il_offset = il[0],
		    .start = addr,
		    .end = addr + 1,
		};
	}
	entry->map = arena_copy(arena, map, n_map, sizeof(*map));
	entry->n_map = n_map;
	free(map);
}

static enum debug_form info_form(struct dac *d)
{
	unsigned int major = dac_runtime_major(d);

	return major < 10    ? DEBUG_FORM_8
	       : major == 10 ? DEBUG_FORM_10
			     : DEBUG_FORM_11;
}

// The address of the JIT's debug information on compiled code; 0: it has none.
// The header in front of the code must name the code's method.
static uint64_t info_find(struct dac *d, const struct dac_code *code)
{
	struct dac_assumed method, info;

	if (code->precompiled || !dac_holds(d, ASSUME_CODE_METHOD, &method) ||
	    !dac_holds(d, ASSUME_CODE_INFO, &info))
		return 0;
	uint64_t header = dac_word(d, code->start - HEADER_BEFORE);
	uint64_t of = header ? dac_word(d, header + method.value) : 0;
	if (of && of != code->method)
		dac_refute(d, ASSUME_CODE_METHOD);
	return of == code->method ? dac_word(d, header + info.value) : 0;
}

// Read that information; {NULL, 0}: its format is not known.
static struct bytes info_bytes(struct dac *d, const struct dac_code *code,
			       struct arena *arena)
{
	uint8_t head[DEBUG_INFO_HEAD];

	uint64_t at = info_find(d, code);
	size_t n = target_read_some(d->target, at, head, sizeof(head));
	size_t size = debug_info_size((struct bytes){head, n}, info_form(d));
	if (!size || size > DEBUG_INFO_MAX)
		return (struct bytes){0};
	uint8_t *all = arena_alloc(arena, size);
	if (target_read_some(d->target, at, all, size) != size)
		size = 0;
	return (struct bytes){all, size};
}

// NULL: it is in a form that is not read, or there is none.
static struct debug_info *info_read(struct dac *d, const struct dac_code *code,
				    struct arena *arena)
{
	enum debug_form form = info_form(d);

	if (form < DEBUG_FORM_11)
		return NULL;
	struct bytes all = info_bytes(d, code, arena);
	struct debug_info *ret = arena_alloc(arena, sizeof(*ret));
	return all.n && debug_info_parse(all, form, (uint32_t)code->size, arena,
					 ret)
		   ? ret
		   : NULL;
}

static struct dac_il_map *map_entry(struct dac_code_entry *entry,
				    uint64_t start, uint32_t il)
{
	for (size_t i = 0; i < entry->n_map; i++)
		if (entry->map[i].start == start &&
		    entry->map[i].il_offset == il)
			return &entry->map[i];
	return NULL;
}

/*
 * Mark the entries of the map that are code to suspend and resume, which the
 * DAC does not tell. False: @info has an entry that the DAC's map lacks.
 */
static bool map_flag(struct dac_code_entry *entry,
		     const struct debug_info *info)
{
	size_t n = 0;

	for (size_t i = 0; i < info->n_bounds; i++) {
		const struct debug_bound *b = &info->bounds[i];
		struct dac_il_map *e =
		    map_entry(entry, entry->code.start + b->native, b->il);
		if (e && b->source & DEBUG_BOUND_ASYNC)
			e->kind = DAC_IL_AWAIT;
		n += e != NULL;
	}
	return n == info->n_bounds;
}

// The map of a version that is not current.
static void map_unpack(struct dac_code_entry *entry, struct arena *arena,
		       const struct debug_info *info)
{
	const struct dac_code *code = &entry->code;
	struct dac_il_map *map =
	    arena_calloc(arena, info->n_bounds, sizeof(*map));

	for (size_t i = 0; i < info->n_bounds; i++) {
		const struct debug_bound *b = &info->bounds[i];
		bool last = i + 1 == info->n_bounds;
		map[i] = (struct dac_il_map){
		    .il_offset = b->il,
		    .start = code->start + b->native,
		    .end = code->start + (last ? code->size : b[1].native),
		    .kind = b->source & DEBUG_BOUND_ASYNC ? DAC_IL_AWAIT
							  : DAC_IL_CODE,
		};
	}
	entry->map = map;
	entry->n_map = info->n_bounds;
}

static bool is_await_place(const struct debug_info *info, uint32_t native)
{
	for (size_t i = 0; i < info->n_awaits; i++)
		if (info->awaits[i].native == native)
			return true;
	return false;
}

// Where the code that resumes from @addr on continues in the method: it ends
// with a jump there, or just before code that has an entry; 0: not found.
static uint64_t behind_resume(struct dac *d, const struct dac_code_entry *entry,
			      uint64_t addr)
{
	struct insn insn;
	uint64_t end = part_end(&entry->code, addr);

	for (size_t i = 0; i < entry->n_map; i++)
		if (entry->map[i].start > addr && entry->map[i].start < end)
			end = entry->map[i].start;
	for (int i = 0; i < RESUME_MAX && addr < end; i++) {
		if (!insn_at(d->target, addr, &insn) || insn.kind == INSN_RET)
			return 0;
		if (insn.kind == INSN_JUMP && code_jumps(d->target, addr))
			return holds(&entry->code, insn.target) ? insn.target
								: 0;
		addr += insn.size;
	}
	return addr == end && end != part_end(&entry->code, addr - 1) ? end : 0;
}

// Tell the IL offset of the code from @addr on, if the map has nothing of it:
// what it has of the code before is not meant.
static void map_add(struct dac_code_entry *entry, uint64_t addr, uint32_t il,
		    enum dac_il_kind kind)
{
	struct dac_il_map *map = entry->map;
	size_t at = 0, n = entry->n_map;

	while (at < n && map[at].start < addr)
		at++;
	if (!addr || !at)
		return;
	if (at < n && map[at].start == addr) {
		if (map[at].il_offset != DAC_IL_NO_MAPPING &&
		    map[at].kind != DAC_IL_AWAIT)
			return;
	} else {
		memmove(&map[at + 1], &map[at], (n - at) * sizeof(*map));
		entry->n_map++;
		// the entry before goes on to the end of its piece
		map[at].end = map[at - 1].end;
		map[at].start = map[at - 1].end = addr;
	}
	map[at].il_offset = il;
	map[at].kind = kind;
}

static const struct debug_bound *async_bound(const struct debug_info *info,
					     uint32_t native)
{
	for (size_t i = 0; i < info->n_bounds; i++)
		if (info->bounds[i].source & DEBUG_BOUND_ASYNC &&
		    info->bounds[i].native == native)
			return &info->bounds[i];
	return NULL;
}

// Where code goes on from @addr: behind the jumps that it begins with.
static uint64_t behind_jumps(struct dac *d, const struct dac_code *code,
			     uint64_t addr)
{
	struct insn insn;

	for (int i = 0; i < JUMPS_MAX && code_jumps(d->target, addr) &&
			insn_at(d->target, addr, &insn) &&
			insn.target - code->start < code->size;
	     i++)
		addr = insn.target;
	return addr;
}

static uint32_t il_at(const struct dac_code_entry *entry, uint64_t addr)
{
	for (size_t i = 0; i < entry->n_map; i++)
		if (addr - entry->map[i].start <
		    entry->map[i].end - entry->map[i].start)
			return entry->map[i].il_offset;
	return DAC_IL_NO_MAPPING;
}

/* Where the code goes on behind an await, as it does if it need not wait. */
struct join {
	uint32_t at; /* offset in the code, 0: not found */
	uint32_t il; /* of the await, or DAC_IL_* */
};

/*
 * Behind an awaited call the code branches to what suspends it, by the
 * instruction before @behind.
 */
static void join_find(struct dac *d, const struct dac_code_entry *entry,
		      const struct debug_info *info, uint64_t suspends,
		      uint64_t behind, struct join *ret)
{
	const uint64_t start = entry->code.start;

	for (size_t i = 0; i < info->n_awaits; i++) {
		const uint32_t native = info->awaits[i].native;
		const struct debug_bound *b = async_bound(info, native);
		if (suspends != start + native || ret[i].at)
			continue;
		ret[i].il = b ? b->il : il_at(entry, behind - 1);
		ret[i].at =
		    (uint32_t)(behind_jumps(d, &entry->code, behind) - start);
	}
}

static struct join *joins_find(struct dac *d,
			       const struct dac_code_entry *entry,
			       const struct debug_info *info,
			       struct arena *arena)
{
	const uint64_t end = entry->code.start + entry->code.size;
	struct join *ret = arena_calloc(arena, info->n_awaits, sizeof(*ret));
	struct insn insn;

	for (uint64_t addr = entry->code.start;
	     info->n_awaits && addr < end && insn_at(d->target, addr, &insn);
	     addr += insn.size)
		if (insn.kind == INSN_JUMP)
			join_find(d, entry, info, insn.target, addr + insn.size,
				  ret);
	return ret;
}

// Is it told which code resumes the await, and goes then to where it joins the
// rest?
static bool is_resume_told(const struct debug_info *info, uint32_t native,
			   const struct join *join)
{
	const struct debug_bound *of = async_bound(info, native);

	for (size_t i = 0; of && i < info->n_bounds; i++)
		if (info->bounds[i].source & DEBUG_BOUND_ASYNC &&
		    info->bounds[i].il == of->il &&
		    info->bounds[i].native != join->at &&
		    !is_await_place(info, info->bounds[i].native))
			return true;
	return false;
}

// The first forward jump, by which the code's entry branches to code that
// resumes.
static bool resume_jump(struct dac *d, const struct dac_code *code,
			uint64_t end, uint64_t *ret_addr, struct insn *ret)
{
	for (uint64_t addr = code->start; addr < end; addr += ret->size) {
		if (!insn_at(d->target, addr, ret) || ret->kind == INSN_CALL ||
		    ret->kind == INSN_RET || code_jumps(d->target, addr))
			return false;
		*ret_addr = addr;
		if (ret->kind == INSN_JUMP && ret->target > addr)
			return true;
	}
	return false;
}

/*
 * Fully optimised code that has little to bring back has no code of its own to
 * resume an await, or tells nothing of it. Tell where it goes on behind these,
 * and where it suspends if that is not told either.
 */
static void map_add_joins(struct dac *d, struct dac_code_entry *entry,
			  struct arena *arena, struct debug_info *info)
{
	const struct dac_code *code = &entry->code;
	const struct join *joins = joins_find(d, entry, info, arena);
	struct insn jump;
	uint64_t addr;

	for (size_t i = 0; i < info->n_awaits; i++) {
		const uint32_t native = info->awaits[i].native;
		if (is_resume_told(info, native, &joins[i]))
			continue;
		if (!info->resume &&
		    resume_jump(d, code, code->start + native, &addr, &jump) &&
		    jump.target - code->start < code->size)
			info->resume = (uint32_t)(jump.target - code->start);
		if (!joins[i].at || joins[i].il >= DAC_IL_EPILOG)
			continue;
		map_add(entry, code->start + native, joins[i].il, DAC_IL_AWAIT);
		map_add(entry, code->start + joins[i].at,
			joins[i].il + IL_CALL_SIZE, DAC_IL_BEHIND);
	}
}

static bool is_behind(const struct dac_code_entry *entry, uint64_t addr)
{
	for (size_t i = 0; i < entry->n_map; i++)
		if (entry->map[i].start == addr)
			return entry->map[i].kind == DAC_IL_BEHIND;
	return false;
}

/*
 * Add an entry where the code goes on behind each await, if there is none: the
 * last one before it would tell of the code in front of the await.
 */
static void map_add_behind(struct dac *d, struct dac_code_entry *entry,
			   struct arena *arena, struct debug_info *info)
{
	struct dac_il_map *map = arena_calloc(
	    arena, entry->n_map + info->n_bounds + 2 * info->n_awaits,
	    sizeof(*map));

	memcpy(map, entry->map, entry->n_map * sizeof(*map));
	entry->map = map;
	map_add_joins(d, entry, arena, info);
	for (size_t i = 0; i < info->n_bounds; i++) {
		const struct debug_bound *b = &info->bounds[i];
		uint64_t addr = entry->code.start + b->native;
		if (b->source & DEBUG_BOUND_ASYNC &&
		    !is_await_place(info, b->native) && !is_behind(entry, addr))
			map_add(entry, behind_resume(d, entry, addr),
				b->il + IL_CALL_SIZE, DAC_IL_BEHIND);
	}
}

// Where the code continues when it was not called to resume; 0: not found.
static uint64_t behind_entry(struct dac *d, const struct dac_code *code,
			     uint64_t end)
{
	struct insn insn;
	uint64_t addr;

	return resume_jump(d, code, end, &addr, &insn) ? addr + insn.size : 0;
}

/*
 * Add an entry where the method begins, if there is none for its first IL: it
 * runs in the same piece as the prolog, which ends at no place that is told.
 */
static void map_add_first(struct dac *d, struct dac_code_entry *entry,
			  struct arena *arena, const struct debug_info *info)
{
	size_t first = 0;

	while (first < entry->n_map &&
	       (entry->map[first].il_offset >= DAC_IL_EPILOG ||
		entry->map[first].kind == DAC_IL_AWAIT))
		first++;
	for (size_t i = first; i < entry->n_map; i++)
		if (!entry->map[i].il_offset)
			return;
	if (!info->n_awaits || !first || first == entry->n_map ||
	    dac_code_is_osr(d, &entry->code))
		return;
	uint64_t addr = behind_entry(d, &entry->code, entry->map[first].start);
	size_t at = 0;
	while (at < entry->n_map && entry->map[at].start < addr)
		at++;
	if (!at || entry->map[at].start == addr)
		return;
	struct dac_il_map *map =
	    arena_calloc(arena, entry->n_map + 1, sizeof(*map));
	memcpy(map, entry->map, at * sizeof(*map));
	memcpy(&map[at + 1], &entry->map[at],
	       (entry->n_map - at) * sizeof(*map));
	map[at] = (struct dac_il_map){.start = addr, .end = map[at - 1].end};
	map[at - 1].end = addr;
	entry->map = map;
	entry->n_map++;
}

/*
 * The JIT's information, read where it is needed: for a method that the runtime
 * suspends, for a version whose map the DAC does not give, and for any version
 * until one has shown that both agree.
 */
static struct debug_info *info_wanted(struct dac *d,
				      const struct dac_code *code, bool current,
				      bool *ret_suspends, struct arena *arena)
{
	struct dac_async async;

	dac_async_get(d, code->method, &async);
	*ret_suspends = async.suspends && !async.thunk;
	return *ret_suspends ||
		       (!async.thunk && current != d->learned.debug_info_agrees)
		   ? info_read(d, code, arena)
		   : NULL;
}

static struct dbg_error *map_make(struct dac *d, struct dac_code_entry *entry,
				  struct arena *arena)
{
	bool current = false, suspends = false;
	struct dbg_error *err = map_read(d, entry, arena, &current);

	if (err)
		return err;
	struct debug_info *info =
	    info_wanted(d, &entry->code, current, &suspends, arena);
	if (info && current && !map_flag(entry, info))
		info = NULL;
	if (info && current && info->n_bounds)
		d->learned.debug_info_agrees = true;
	if (info && !current && d->learned.debug_info_agrees)
		map_unpack(entry, arena, info);
	entry->info = suspends ? info : NULL;
	if (info && d->learned.debug_info_agrees) {
		map_add_behind(d, entry, arena, info);
		map_add_first(d, entry, arena, info);
		return NULL;
	}
	if (current)
		return NULL;
	_cleanup_com_ void *instance = instance_of(d, &entry->code);
	if (instance)
		map_scan(d, instance, entry, arena);
	return NULL;
}

static bool map_tells(const struct dac_code_entry *entry)
{
	for (size_t i = 0; i < entry->n_map; i++)
		if (entry->map[i].il_offset != DAC_IL_NO_MAPPING)
			return true;
	return false;
}

// Hot reload: the DAC of .NET 11 tells nothing of methods that an update added,
// those before it nothing of code that one has replaced. What the JIT has told
// is in memory all the same.
static void map_own(struct dac *d, struct dac_code_entry *entry,
		    struct arena *arena)
{
	struct debug_info info;

	if (map_tells(entry))
		return;
	struct arena *temp = arena_create();
	struct bytes all = info_bytes(d, &entry->code, temp);
	if (all.n && debug_info_parse(all, info_form(d),
				      (uint32_t)entry->code.size, temp, &info))
		map_unpack(entry, arena, &info);
	arena_destroy(temp);
}

// Get the record of the code at @ip, with its map; *ret NULL: there is no
// managed code.
static struct dbg_error *mapped_at(struct dac *d, uint64_t ip,
				   struct dac_code_entry **ret)
{
	struct dbg_error *err = entry_at(d, ip, ret);

	if (err || !*ret || (*ret)->mapped)
		return err;
	bool dynamic = cache_find(&d->dynamic, ip) == *ret;
	struct arena *arena = dynamic ? d->dynamic.arena : d->code.arena;
	err = map_make(d, *ret, arena);
	if (!err && !dynamic)
		map_own(d, *ret, arena);
	if (!err)
		(*ret)->mapped = true;
	return err;
}

struct dbg_error *dac_il_map(struct dac *d, uint64_t ip,
			     const struct dac_il_map **ret, size_t *ret_n)
{
	struct dbg_error *err;
	struct dac_code_entry *entry;

	err = mapped_at(d, ip, &entry);
	if (err)
		return err;
	*ret = entry ? entry->map : NULL;
	*ret_n = entry ? entry->n_map : 0;
	return NULL;
}

uint64_t dac_await_behind(struct dac *d, uint64_t ip)
{
	struct dac_code_entry *entry;

	if (dbg_err_drop(mapped_at(d, ip, &entry)) || !entry)
		return 0;
	return behind_resume(d, entry, ip);
}

// Is the first call from @addr on the one that returns to @ip?
static bool calls_first(struct dac *d, uint64_t addr, uint64_t ip)
{
	struct insn insn;

	while (addr < ip && insn_at(d->target, addr, &insn) &&
	       insn.kind != INSN_JUMP && insn.kind != INSN_RET) {
		addr += insn.size;
		if (insn.kind == INSN_CALL)
			return addr == ip;
	}
	return false;
}

// Does the code that resumes, from @addr on, throw by the call before @ip: in
// line, or by a call that a condition leads to?
static bool resume_throws(struct dac *d, const struct dac_code *code,
			  uint64_t addr, uint64_t ip)
{
	const uint64_t end = part_end(code, addr);
	struct insn insn;

	for (int i = 0; i < RESUME_MAX && addr < end; i++) {
		if (!insn_at(d->target, addr, &insn) || insn.kind == INSN_RET)
			return false;
		addr += insn.size;
		if (insn.kind == INSN_CALL && addr == ip)
			return true;
		if (insn.kind != INSN_JUMP)
			continue;
		if (code_jumps(d->target, addr - insn.size))
			return false;
		if (holds(code, insn.target) && calls_first(d, insn.target, ip))
			return true;
	}
	return false;
}

bool dac_await_throws(struct dac *d, uint64_t ip)
{
	struct dac_code_entry *entry;

	if (dbg_err_drop(mapped_at(d, ip, &entry)) || !entry || !entry->info)
		return false;
	for (size_t i = 0; i < entry->n_map; i++) {
		const struct dac_il_map *e = &entry->map[i];
		uint32_t native = (uint32_t)(e->start - entry->code.start);
		if (e->kind == DAC_IL_AWAIT &&
		    !is_await_place(entry->info, native) &&
		    resume_throws(d, &entry->code, e->start, ip))
			return true;
	}
	return false;
}

const struct debug_info *dac_debug_info(struct dac *d, uint64_t ip)
{
	struct dac_code_entry *entry;

	return dbg_err_drop(mapped_at(d, ip, &entry)) || !entry ? NULL
								: entry->info;
}

// NULL: @ip is in no managed code.
static struct dac_code_entry *entry_with_vars(struct dac *d, uint64_t ip)
{
	struct dac_code_entry *entry;
	struct debug_var *all = NULL;
	size_t n = 0;

	if (dbg_err_drop(entry_at(d, ip, &entry)) || !entry)
		return NULL;
	if (!entry->vars_read) {
		bool dynamic = cache_find(&d->dynamic, ip) == entry;
		struct arena *arena =
		    dynamic ? d->dynamic.arena : d->code.arena;
		struct arena *temp = arena_create();
		struct bytes b = info_bytes(d, &entry->code, temp);
		if (b.n && debug_info_vars(b, info_form(d), arena, &all, &n)) {
			entry->vars = all;
			entry->n_vars = n;
		}
		arena_destroy(temp);
		entry->vars_read = true;
	}
	return entry;
}

const struct debug_var *dac_debug_var(struct dac *d, uint64_t ip,
				      int32_t number)
{
	const struct dac_code_entry *entry = entry_with_vars(d, ip);

	for (size_t i = 0; entry && i < entry->n_vars; i++) {
		const struct debug_var *v = &entry->vars[i];
		uint64_t offset = ip - entry->code.start;
		if (v->number == number && offset >= v->start &&
		    offset < v->end)
			return v;
	}
	return NULL;
}

uint32_t dac_debug_n_vars(struct dac *d, uint64_t ip)
{
	const struct dac_code_entry *entry = entry_with_vars(d, ip);
	uint32_t n = 0;

	for (size_t i = 0; entry && i < entry->n_vars; i++)
		if (entry->vars[i].number >= (int32_t)n)
			n = (uint32_t)entry->vars[i].number + 1;
	return n;
}

/* ---- All versions of a method ---------------------------------------- */

struct code_list {
	uint64_t *addrs;
	size_t n, cap;
};

static void code_add(struct dac *d, struct code_list *l, uint64_t addr)
{
	struct dbg_error *err;
	struct dac_code code;

	struct dac_async async;

	// A version being prepared has no code yet, or a stub's address.
	err = addr ? dac_code_at(d, addr, &code) : NULL;
	if (dbg_err_drop(err) || !addr || !code.method)
		return;
	dac_async_get(d, code.method, &async);
	if (async.thunk)
		return;
	for (size_t i = 0; i < l->n; i++)
		if (l->addrs[i] == code.start)
			return;
	mem_grow(&l->addrs, &l->cap, l->n, sizeof(*l->addrs));
	l->addrs[l->n++] = code.start;
}

// Read the older tiers and on-stack replacements of one instantiation.
static size_t tiers_read(struct dac *d, uint64_t md,
			 struct sos_tiered tiers[TIERS_MAX])
{
	int32_t n = 0;

	if (!d->sos5 ||
	    DAC_CALL(d, d->sos5, SOS5_TIERED_VERSIONS, md, 0, tiers,
		     (int)TIERS_MAX, &n) < 0 ||
	    n < 0)
		return 0;
	return n < TIERS_MAX ? (size_t)n : TIERS_MAX;
}

// DacpTieredVersionData::OptimizationTier, 0: not known.
static uint32_t tier_of(struct dac *d, const struct dac_code *code)
{
	struct sos_tiered tiers[TIERS_MAX] = {{0}};
	size_t n = tiers_read(d, code->method, tiers);

	for (size_t i = 0; i < n; i++)
		if (tiers[i].code == code->start)
			return tiers[i].tier;
	return 0;
}

bool dac_code_is_osr(struct dac *d, const struct dac_code *code)
{
	return tier_of(d, code) == TIER_OSR;
}

const char *dac_code_kind(struct dac *d, const struct dac_code *code)
{
	static const char *const kinds[] = {
	    NULL,
	    "not optimized",
	    "optimized",
	    "tier 0",
	    "tier 1",
	    "ReadyToRun",
	    [TIER_OSR] = "tier 1, entered in a loop (OSR)",
	    "tier 0, instrumented",
	    "tier 1, instrumented",
	};
	uint32_t tier = tier_of(d, code);

	if (tier < sizeof(kinds) / sizeof(*kinds) && kinds[tier])
		return kinds[tier];
	return code->precompiled ? "ReadyToRun" : NULL;
}

static void tiers_add(struct dac *d, struct code_list *l, uint64_t md)
{
	struct sos_tiered tiers[TIERS_MAX] = {{0}};

	size_t n = tiers_read(d, md, tiers);
	for (size_t i = 0; i < n; i++)
		code_add(d, l, tiers[i].code);
}

static void versions_add(struct dac *d, struct code_list *l, uint64_t entry)
{
	code_add(d, l, entry);
	uint64_t md = entry ? dac_method_at(d, entry) : 0;
	if (md)
		tiers_add(d, l, md);
}

struct method_list {
	struct dac *dac;
	struct code_list *codes;
};

static void method_add(void *arg, uint64_t md)
{
	const struct method_list *l = arg;

	code_add(l->dac, l->codes, dac_method_code(l->dac, md));
	tiers_add(l->dac, l->codes, md);
}

// Every compiled instantiation of a definition.
static void instances_add(struct dac *d, struct code_list *l, void *def)
{
	uint64_t handle = 0, entry;

	if (DAC_CALL(d, def, METHODDEF_START_INSTANCES, NULL, &handle) !=
	    COM_OK)
		return;
	for (int i = 0; i < INSTANCES_MAX; i++) {
		_cleanup_com_ void *instance = NULL;
		if (DAC_CALL(d, def, METHODDEF_NEXT_INSTANCE, &handle,
			     &instance) != COM_OK ||
		    !instance)
			break;
		entry = 0;
		if (DAC_CALL(d, instance, METHOD_ENTRY, &entry) == COM_OK)
			versions_add(d, l, entry);
	}
	DAC_CALL(d, def, METHODDEF_END_INSTANCES, handle);
}

struct dbg_error *dac_method_codes(struct dac *d, uint64_t module,
				   uint32_t token, struct arena *arena,
				   uint64_t **ret, size_t *ret_n)
{
	struct code_list l = {0};

	_cleanup_com_ void *object = dac_module_object(d, module);
	_cleanup_com_ void *def = NULL;
	if (!object)
		return dbg_err(DBG_E_RUNTIME, "no module at 0x%llx",
			       (unsigned long long)module);
	uint64_t md = dac_method_of_token(d, module, token);
	if (md) {
		struct method_list methods = {d, &l};
		method_add(&methods, md);
		dac_async_variants(d, md, method_add, &methods);
	}
	if (DAC_CALL(d, object, MODULE_METHOD_BY_TOKEN, token, &def) ==
		COM_OK &&
	    def)
		instances_add(d, &l, def);
	*ret = arena_copy(arena, l.addrs, l.n, sizeof(*l.addrs));
	*ret_n = l.n;
	mem_free_ptr(&l.addrs);
	return NULL;
}
