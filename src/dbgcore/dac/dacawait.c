/*
 * Where the JIT's code of a method of runtime async is suspended, by its debug
 * information. In front of jitted code lies the address of a RealCodeHeader
 * (codeman.h), which the contract of .NET 11 describes; its method has to be
 * that of the code, or nothing of it is used. Code compiled ahead of time has
 * its information elsewhere.
 */
#include "base/err.h"
#include "base/mem.h"
#include "dac/dac_priv.h"
#include "dac/debuginfo.h"
#include "target/target.h"

enum {
	WORD = 8,
	HEADER_DEBUG_INFO = 0,
	HEADER_METHOD = 24,
};

// The address of the information; 0: there is none that is known.
static uint64_t info_address(struct dac *d, const struct dac_code *code)
{
	uint64_t header, method, info;
	struct dbg_error *err =
	    target_read_u64(d->target, code->start - WORD, &header);

	if (!err)
		err =
		    target_read_u64(d->target, header + HEADER_METHOD, &method);
	if (!err)
		err = target_read_u64(d->target, header + HEADER_DEBUG_INFO,
				      &info);
	return dbg_err_drop(err) || method != code->method ? 0 : info;
}

static bool info_read(struct dac *d, const struct dac_code *code,
		      struct arena *arena, struct debug_info *ret)
{
	uint64_t addr = info_address(d, code);
	uint8_t head[DEBUG_INFO_HEAD];

	if (!addr)
		return false;
	size_t n = target_read_some(d->target, addr, head, sizeof(head));
	size_t size = debug_info_size((struct bytes){head, n});
	if (!size || size > DEBUG_INFO_MAX)
		return false;
	uint8_t *bytes = arena_alloc(arena, size);
	return target_read_some(d->target, addr, bytes, size) == size &&
	       debug_info_parse((struct bytes){bytes, size},
				(uint32_t)code->size, arena, ret);
}

// The IL offset of the code that suspends the method at @native.
static uint32_t il_of(const struct debug_info *info, uint32_t native)
{
	for (size_t i = 0; i < info->n_bounds; i++)
		if (info->bounds[i].native == native &&
		    (info->bounds[i].source & DEBUG_BOUND_ASYNC))
			return info->bounds[i].il;
	return DAC_IL_NO_MAPPING;
}

bool dac_await_at(struct dac *d, uint64_t ip, struct arena *arena,
		  struct dac_await *ret)
{
	struct debug_info info;
	struct dac_code code = {0};

	if (dbg_err_drop(dac_code_at(d, ip, &code)) || !code.method ||
	    code.precompiled || !info_read(d, &code, arena, &info))
		return false;
	for (size_t i = 0; i < info.n_awaits; i++) {
		const struct debug_await *await = &info.awaits[i];

		if (code.start + await->native != ip)
			continue;
		*ret = (struct dac_await){
		    .il_offset = il_of(&info, await->native),
		    .kept = await->kept,
		    .n_kept = await->n_kept,
		};
		return true;
	}
	return false;
}
