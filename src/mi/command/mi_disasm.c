/*
 * -data-disassemble: machine code of a range, of a method or around an address,
 * alone or with the source lines that it is of, in gdb's modes 0 to 5.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "mi/mi_priv.h"
#include "mi/record.h"

enum {
	INSNS_MAX = 20000,
	MODE_SOURCE = 1,     /* source lines in the order of their numbers */
	MODE_OPCODES = 2,    /* also the bytes of instructions */
	MODE_BY_ADDRESS = 4, /* source lines in the order of the code */
};

// Indexed by gdb's numbers 0 to 5.
static const unsigned int modes[] = {
    0,
    MODE_SOURCE,
    MODE_OPCODES,
    MODE_SOURCE | MODE_OPCODES,
    MODE_BY_ADDRESS,
    MODE_BY_ADDRESS | MODE_OPCODES,
};

/* The arguments of the command. */
struct listing {
	const char *start, *end, *addr, *file, *line, *count;
	unsigned int mode;
	/* the function that is listed */
	const char *function;
	uint64_t base; /* where that begins */
};

static struct dbg_error *listing_take(const struct mi_call *call,
				      struct listing *ret)
{
	struct dbg_error *err;
	const char **places[] = {&ret->start, &ret->end,  &ret->addr,
				 &ret->file,  &ret->line, &ret->count};
	static const char letters[] = "seafln";
	uint64_t mode = 0;
	size_t i = 0;

	for (; i + 1 < call->args.n; i += 2) {
		const char *word = call->args.v[i];
		const char *found = *word == '-' && word[1] && !word[2]
					? strchr(letters, word[1])
					: NULL;
		if (!found)
			break;
		*places[found - letters] = call->args.v[i + 1];
	}
	if (i < call->args.n && !strcmp(call->args.v[i], "--"))
		i++;
	if (i + 1 < call->args.n)
		return mi_usage(call);
	err = i < call->args.n
		  ? mi_number(call->args.v[i],
			      sizeof(modes) / sizeof(*modes) - 1, &mode)
		  : NULL;
	if (err)
		return err;
	ret->mode = modes[mode];
	bool one =
	    (ret->start && ret->end) + !!ret->addr + (ret->file && ret->line) ==
	    1;
	return one ? NULL : mi_usage(call);
}

// The address at which a line's code begins.
static struct dbg_error *line_address(struct mi *m, const struct listing *l,
				      uint64_t *ret)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_location *list;
	uint64_t line = 0;
	size_t n = 0;

	struct dbg_error *err = mi_number(l->line, UINT32_MAX, &line);
	const struct dbg_place place = {
	    .kind = DBG_PLACE_LINE, .file = l->file, .line = (uint32_t)line};
	if (!err)
		err = dbg_locate(m->dbg, 0, &place, arena, &list, &n);
	for (size_t i = 0; !err && i < n; i++) {
		if (!list[i].addr)
			continue;
		*ret = list[i].addr;
		return NULL;
	}
	return err ? err
		   : dbg_err(DBG_E_NOT_FOUND, "No code at %s:%s yet.", l->file,
			     l->line);
}

// The code that was asked for, and of which method it is.
static struct dbg_error *code(struct mi *m, struct dbg_stopped at,
			      const struct mi_call *call, struct listing *l,
			      struct dbg_insn **ret, size_t *ret_n)
{
	struct dbg_error *err;
	struct dbg_insn *whole;
	uint64_t addr = 0, end = 0, max = INSNS_MAX;
	size_t n = 0;

	if (l->file)
		err = line_address(m, l, &addr);
	else
		err = mi_address(at, call, l->addr ? l->addr : l->start, &addr);
	if (!err && l->end)
		err = mi_address(at, call, l->end, &end);
	if (!err && l->count && strcmp(l->count, "-1"))
		err = mi_number(l->count, INSNS_MAX, &max);
	if (err)
		return err;
	l->base = addr;
	err = dbg_disassemble(at, addr, 0, &whole, &n);
	if (!err && n)
		l->base = whole[0].addr;
	if (l->start || err) {
		dbg_error_destroy(err);
		uint64_t bytes = l->end && end > addr ? end - addr : 0;
		if (l->end && !bytes)
			max = 0;
		else if (bytes && bytes < max)
			max = bytes;
		n = 0;
		err = max ? dbg_disassemble(at, addr, (uint32_t)max, &whole, &n)
			  : NULL;
	}
	if (err)
		return err;
	size_t kept = 0;
	while (kept < n && kept < max && (!l->end || whole[kept].addr < end))
		kept++;
	*ret = whole;
	*ret_n = kept;
	return NULL;
}

static void put_opcodes(struct str *t, const struct dbg_insn *insn)
{
	_cleanup_str_ struct str bytes = {0};

	for (uint32_t i = 0; i < insn->size && i < sizeof(insn->bytes); i++)
		str_addf(&bytes, "%s%02x", i ? " " : "", insn->bytes[i]);
	record_str(t, "opcodes", str_get(&bytes));
}

static void put_insn(struct str *t, const struct listing *l,
		     const struct dbg_insn *insn)
{
	record_tuple(t, NULL);
	record_addr(t, "address", insn->addr);
	record_str(t, "func-name", l->function);
	record_uint(t, "offset", insn->addr - l->base);
	if (l->mode & MODE_OPCODES)
		put_opcodes(t, insn);
	if (insn->symbol)
		record_strf(t, "inst", "%s <%s>", insn->text, insn->symbol);
	else
		record_str(t, "inst", insn->text);
	record_tuple_end(t);
}

static void put_plain(struct str *t, const struct listing *l,
		      const struct dbg_insn *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put_insn(t, l, &list[i]);
}

/* A part of the code of one line. */
struct part {
	const char *path;
	uint32_t line;
	size_t first, n;
};

static int by_line(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->first < y->first ? -1 : 1;
}

static void put_part(struct str *t, const struct listing *l,
		     const struct part *p, const struct dbg_insn *list)
{
	record_tuple(t, "src_and_asm_line");
	record_uint(t, "line", p->line);
	record_str(t, "file", str_basename(p->path));
	record_str(t, "fullname", p->path);
	record_list(t, "line_asm_insn");
	put_plain(t, l, list + p->first, p->n);
	record_list_end(t);
	record_tuple_end(t);
}

static void put_mixed(struct str *t, const struct listing *l,
		      const struct dbg_insn *list, size_t n)
{
	_cleanup_free_ struct part *parts = xcalloc(n + 1, sizeof(*parts));
	size_t n_parts = 0;

	for (size_t i = 0; i < n; i++) {
		if (list[i].line && list[i].path)
			parts[n_parts++] = (struct part){
			    .path = list[i].path,
			    .line = list[i].line,
			    .first = i,
			};
		if (n_parts)
			parts[n_parts - 1].n++;
	}
	if (!n_parts) {
		put_plain(t, l, list, n);
		return;
	}
	// what precedes the first line is of that line
	parts[0].n += parts[0].first;
	parts[0].first = 0;
	if (l->mode & MODE_SOURCE)
		qsort(parts, n_parts, sizeof(*parts), by_line);
	for (size_t i = 0; i < n_parts; i++)
		put_part(t, l, &parts[i], list);
}

// The method's name, by the place that stands for the address.
static void name_method(struct mi *m, struct listing *l, struct arena *arena)
{
	const struct dbg_place place = {.kind = DBG_PLACE_ADDRESS,
					.addr = l->base};
	struct dbg_location *list;
	size_t n = 0;

	struct dbg_error *err = dbg_locate(m->dbg, 0, &place, arena, &list, &n);
	if (!err && n)
		l->function = list[0].name;
	dbg_error_destroy(err);
}

static struct dbg_error *disassemble(struct mi *m, struct dbg_stopped at,
				     struct mi_call *call)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct listing l = {0};
	struct dbg_insn *list = NULL;
	size_t n = 0;

	struct dbg_error *err = listing_take(call, &l);
	if (!err)
		err = code(m, at, call, &l, &list, &n);
	if (err)
		return err;
	name_method(m, &l, arena);
	record_list(call->out, "asm_insns");
	if (l.mode & (MODE_SOURCE | MODE_BY_ADDRESS))
		put_mixed(call->out, &l, list, n);
	else
		put_plain(call->out, &l, list, n);
	record_list_end(call->out);
	return NULL;
}

const struct mi_cmd mi_disasm_cmds[] = {
    {"data-disassemble", 0,
     "-s START -e END | -a ADDRESS | -f FILE -l LINE [-n COUNT] [--] MODE", 2,
     MI_ANY, .stopped = disassemble},
    {.name = NULL},
};
