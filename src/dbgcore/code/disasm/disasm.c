/*
 * Disassembly. Native code is read in one go through target_read, which
 * shows it without our traps; what a call or jump
 * goes to is named from the runtime or from the ELF images. IL comes from
 * the method's body in the module.
 */
#include "code/disasm.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "code/code_priv.h"
#include "meta/il.h"
#include "target/target.h"

enum {
	MAX_CODE = 16 << 20,
	MAX_COUNT = 100000,
};

/* ---- Native code ----------------------------------------------------- */

struct listing {
	struct code *code;
	struct arena *arena;
	const struct dac_il_map *map; /* of the method, sorted */
	size_t n_map;
	const struct code_point *points;
	size_t n_points;
	struct code_module *module;
	struct dbg_insn *insns;
	size_t n, cap;
	uint32_t il_offset; /* the last one shown */
};

static const char *with_offset(struct listing *l, const char *name,
			       uint64_t offset)
{
	if (!offset)
		return name;
	return arena_printf(l->arena, "%s+0x%" PRIx64, name, offset);
}

static uint64_t read_pointer(struct listing *l, uint64_t addr)
{
	struct dbg_error *err;
	uint64_t value = 0;

	err = target_read_u64(l->code->target, addr, &value);
	return dbg_err_drop(err) ? 0 : value;
}

static const char *stub_name(struct listing *l, uint64_t addr)
{
	struct dbg_error *err = NULL;
	struct dac_method method;
	struct dac_stub stub;
	uint64_t md;

	dac_stub_at(l->code->target, addr, &stub);
	md = stub.method;
	if (md)
		err = dac_method_get(l->code->dac, md, &method);
	else if (stub.code)
		md = dac_method_at(l->code->dac, stub.code);
	if (!dbg_err_drop(err) && md)
		return code_method_name(l->code, md, true, l->arena);
	return dac_address_name(l->code->dac, addr, l->arena);
}

static const char *managed_name(struct listing *l, uint64_t addr)
{
	struct dbg_error *err;
	struct dac_code dc = {0};

	if (!l->code->dac)
		return NULL;
	err = dac_code_at(l->code->dac, addr, &dc);
	if (dbg_err_drop(err))
		return NULL;
	if (!dc.method)
		return stub_name(l, addr);
	const char *name = code_method_name(l->code, dc.method, true, l->arena);
	uint64_t base = addr - dc.start < dc.size ? dc.start : dc.cold;
	return with_offset(l, name, addr - base);
}

static const char *native_name(struct listing *l, uint64_t addr)
{
	struct dbg_error *err;
	struct target_image image;
	const char *symbol = NULL;
	uint64_t offset = 0;
	bool found = false;

	err = target_image_at(l->code->target, addr, l->arena, &image, &symbol,
			      &offset, &found);
	if (dbg_err_drop(err) || !found)
		return NULL;
	const char *file = str_basename(image.path);
	if (!symbol)
		return with_offset(l, file, addr - image.base);
	return with_offset(l, arena_printf(l->arena, "%s!%s", file, symbol),
			   offset);
}

// The target of a call or jump; 0 if neither the instruction nor a cell that it
// names tells it.
static uint64_t branch_target(struct listing *l, const struct insn *insn)
{
	if (insn->kind != INSN_CALL && insn->kind != INSN_JUMP)
		return 0;
	return insn->cell ? read_pointer(l, insn->cell) : insn->target;
}

// The first of @n entries of @size bytes, sorted by the address that each
// begins with at @offset, that is not below @addr.
static size_t first_at(const void *entries, size_t n, size_t size,
		       size_t offset, uint64_t addr)
{
	size_t low = 0;

	while (low < n) {
		size_t middle = (low + n) / 2;
		uint64_t start;

		memcpy(&start, (const char *)entries + middle * size + offset,
		       sizeof(start));
		if (start < addr)
			low = middle + 1;
		else
			n = middle;
	}
	return low;
}

static void put_source(struct listing *l, struct dbg_insn *in)
{
	size_t i = first_at(l->map, l->n_map, sizeof(*l->map),
			    offsetof(struct dac_il_map, start), in->addr);

	in->il_offset = UINT32_MAX;
	for (; i < l->n_map && l->map[i].start == in->addr; i++)
		if (l->map[i].il_offset < DAC_IL_EPILOG)
			in->il_offset = l->map[i].il_offset;
	// the calls of an IL instruction have map entries of their own
	if (in->il_offset == l->il_offset)
		in->il_offset = UINT32_MAX;
	else if (in->il_offset != UINT32_MAX)
		l->il_offset = in->il_offset;
	i = first_at(l->points, l->n_points, sizeof(*l->points),
		     offsetof(struct code_point, addr), in->addr);
	for (; i < l->n_points && l->points[i].addr == in->addr; i++) {
		const struct seq_point *sp = &l->points[i].point;

		if (!sp->line)
			continue;
		in->line = sp->line;
		in->path = module_document(l->code, module_of(l->module),
					   sp->document);
	}
}

static struct dbg_insn *add_insn(struct listing *l, uint64_t addr,
				 const uint8_t *bytes, size_t size)
{
	if (l->n == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 64;
		struct dbg_insn *more =
		    arena_calloc(l->arena, cap, sizeof(*more));

		if (l->n)
			memcpy(more, l->insns, l->n * sizeof(*more));
		l->insns = more;
		l->cap = cap;
	}
	struct dbg_insn *in = &l->insns[l->n++];
	in->addr = addr;
	in->size = (uint32_t)size;
	memcpy(in->bytes, bytes, size);
	put_source(l, in);
	return in;
}

static void add_decoded(struct listing *l, uint64_t addr, const uint8_t *bytes,
			const struct insn *insn)
{
	struct dbg_insn *in = add_insn(l, addr, bytes, insn->size);
	uint64_t target = branch_target(l, insn);
	char text[128];

	insn_text(bytes, insn->size, addr, text, sizeof(text));
	in->text = arena_strdup(l->arena, text);
	if (target)
		in->symbol = managed_name(l, target);
	if (target && !in->symbol)
		in->symbol = native_name(l, target);
}

// Decode at most @count instructions (0: all) of [addr, addr + n).
static void decode(struct listing *l, const uint8_t *p, size_t n, uint64_t addr,
		   uint32_t count)
{
	struct insn insn;

	while (n && (!count || l->n < count)) {
		size_t size = 1;

		if (insn_decode(p, n, addr, &insn)) {
			size = insn.size;
			add_decoded(l, addr, p, &insn);
		} else {
			add_insn(l, addr, p, 1)->text =
			    arena_printf(l->arena, ".byte 0x%02x", *p);
		}
		p += size;
		n -= size;
		addr += size;
	}
}

static struct dbg_error *decode_range(struct listing *l, uint64_t addr,
				      size_t n, uint32_t count)
{
	_cleanup_free_ uint8_t *buf = xmalloc(n);
	size_t got = target_read_some(l->code->target, addr, buf, n);

	if (!got && n)
		return dbg_err(DBG_E_MEMORY, "cannot read memory at 0x%" PRIx64,
			       addr);
	decode(l, buf, got, addr, count);
	return NULL;
}

// Facts of the method that holds @addr, if one does.
static struct dbg_error *find_method(struct listing *l, uint64_t addr,
				     struct dac_code *ret)
{
	struct dbg_error *err;
	const struct code_pos *pos;
	bool any;

	*ret = (struct dac_code){0};
	if (!l->code->dac)
		return NULL;
	err = dac_code_at(l->code->dac, addr, ret);
	if (err || !ret->method)
		return err;
	err = code_pos_at(l->code, addr, true, &pos, &any);
	if (!err && any && pos->module) {
		l->module = pos->module;
		err = code_points(l->code, addr, &l->points, &l->n_points);
	}
	if (!err)
		err = dac_il_map(l->code->dac, addr, &l->map, &l->n_map);
	return err;
}

struct dbg_error *disasm_native(struct code *c, uint64_t addr, uint32_t count,
				struct arena *arena, struct dbg_insn **ret,
				size_t *ret_n)
{
	struct dbg_error *err;
	struct listing l = {.code = c, .arena = arena, .il_offset = UINT32_MAX};
	struct dac_code dc;

	err = find_method(&l, addr, &dc);
	if (err)
		return err;
	if (count > MAX_COUNT)
		count = MAX_COUNT;
	if (count) {
		err = decode_range(&l, addr, (size_t)count * ARCH_INSN_MAX,
				   count);
	} else {
		if (!dc.method)
			return dbg_err(DBG_E_NOT_FOUND,
				       "no method holds 0x%" PRIx64, addr);
		if (dc.size > MAX_CODE || dc.cold_size > MAX_CODE)
			return dbg_err(DBG_E_FORMAT, "method is too large");
		err = decode_range(&l, dc.start, dc.size, 0);
		if (!err && dc.cold)
			err = decode_range(&l, dc.cold, dc.cold_size, 0);
	}
	if (err)
		return err;
	*ret = l.insns;
	*ret_n = l.n;
	return NULL;
}

/* ---- IL -------------------------------------------------------------- */

static void put_line(struct code *c, struct code_module *m, uint32_t token,
		     struct dbg_il_insn *in)
{
	const struct module_points *p = module_points(module_of(m), token);

	for (size_t i = 0; i < p->n; i++) {
		if (p->points[i].il_offset != in->offset || !p->points[i].line)
			continue;
		in->line = p->points[i].line;
		in->path =
		    module_document(c, module_of(m), p->points[i].document);
	}
}

struct dbg_error *disasm_il(struct code *c, struct code_module *m,
			    uint32_t token, struct arena *arena,
			    struct dbg_il_insn **ret, size_t *ret_n)
{
	struct il_body body;
	struct il_insn insn;
	_cleanup_str_ struct str text = {0};
	size_t n = 0;

	module_body(m, token, arena, &body);
	if (!body.code.n)
		return dbg_err(DBG_E_NOT_FOUND, "the method has no IL body");
	for (uint32_t at = 0; il_decode(body.code, at, &insn); at += insn.size)
		n++;
	struct dbg_il_insn *insns = arena_calloc(arena, n, sizeof(*insns));
	n = 0;
	for (uint32_t at = 0; il_decode(body.code, at, &insn);
	     at += insn.size) {
		str_clear(&text);
		il_text(&m->md, token, &insn, &text);
		insns[n].offset = at;
		insns[n].text = arena_strdup(arena, str_get(&text));
		put_line(c, m, token, &insns[n]);
		n++;
	}
	*ret = insns;
	*ret_n = n;
	return NULL;
}
