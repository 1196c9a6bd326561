/*
 * `x`: memory of the program in gdb's formats, and the address that an
 * expression means: an integer, the place of a variable, the address of an
 * object.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/err.h"
#include "repl/line/parse.h"
#include "repl/show/print.h"
#include "repl/repl_priv.h"
#include "repl/resume.h"
#include "repl/show/show.h"

enum {
	COUNT_MAX = 1 << 20,
	STRING_MAX = 4096,
};

static struct dbg_error *address_evaluate(struct repl *r, struct dbg_stopped at,
					  const char *expr, uint64_t *ret)
{
	struct dbg_error *err;
	struct dbg_value v;
	const char *text;

	err = evaluate_shown(r, at, expr, &v);
	if (err)
		return err;
	err = dbg_format_last(at, 'x', &text);
	if (!err && parse_u64(text, ret))
		return NULL;
	dbg_error_destroy(err);
	if (!v.addr)
		return dbg_err_arg("\"%s\" is not in memory.", expr);
	*ret = v.addr;
	return NULL;
}

struct dbg_error *address_of(struct repl *r, struct dbg_stopped at,
			     const char *expr, uint64_t *ret)
{
	size_t n = strcspn(expr, "+-");
	uint64_t offset = 0;
	uint64_t base;

	while (n && isspace((unsigned char)expr[n - 1]))
		n--;
	const char *sign = expr + n + strspn(expr + n, " \t");
	const char *number = *sign ? sign + 1 + strspn(sign + 1, " \t") : "";
	_cleanup_free_ char *head = xstrndup(expr, n);
	bool simple = parse_u64(head, &base);
	// Before there is a runtime, which expressions need, registers are
	// known.
	if (*head == '$') {
		struct dbg_error *err =
		    dbg_register_get(at, frame_id(r), head + 1, &base);
		simple = !dbg_err_drop(err);
	}
	if (!simple)
		return address_evaluate(r, at, expr, ret);
	if (*sign && !parse_u64(number, &offset))
		return dbg_err_arg("\"%s\" is not an address.", expr);
	*ret = *sign == '-' ? base - offset : base + offset;
	return NULL;
}

struct dbg_error *place_of(struct repl *r, const char *text,
			   struct dbg_place *ret)
{
	struct dbg_stopped at;

	*ret = (struct dbg_place){.text = text};
	if (*text != '*')
		return NULL;
	*ret = (struct dbg_place){.kind = DBG_PLACE_ADDRESS};
	struct dbg_error *err = dbg_stopped(r->dbg, &at);
	return err ? err
		   : address_of(r, at, text + 1 + strspn(text + 1, " \t"),
				&ret->addr);
}

static struct dbg_error *read_exactly(struct dbg_stopped at, uint64_t addr,
				      void *buf, size_t size)
{
	struct dbg_error *err;
	size_t n = 0;

	err = dbg_memory_read(at, addr, buf, size, &n);
	if (!err && n < size)
		err = dbg_err(DBG_E_MEMORY,
			      "Cannot access memory at address 0x%" PRIx64 ".",
			      addr + n);
	return err;
}

static int64_t sign_extend(uint64_t value, unsigned int size)
{
	unsigned int shift = 64 - 8 * size;

	return (int64_t)(value << shift) >> shift;
}

static void show_binary(const struct repl *r, uint64_t value, unsigned int size)
{
	for (unsigned int bit = 8 * size; bit-- > 0;)
		out(r, "%c", value >> bit & 1 ? '1' : '0');
}

static void show_char(const struct repl *r, uint64_t value, unsigned int size)
{
	out(r, "%" PRId64 " ", sign_extend(value, size));
	if (value < 0x80 && isprint((int)value))
		out(r, "'%c'", (int)value);
	else
		out(r, "'\\%03" PRIo64 "'", value & 0xffff);
}

static void show_float(const struct repl *r, uint64_t value, unsigned int size)
{
	float single;
	double number;
	uint32_t bits = (uint32_t)value;

	memcpy(&single, &bits, sizeof(single));
	memcpy(&number, &value, sizeof(number));
	if (size == 4)
		out(r, "%.9g", (double)single);
	else
		out(r, "%.17g", number);
}

static void show_unit(const struct repl *r, uint64_t value, char letter,
		      unsigned int size)
{
	switch (letter) {
	case 'd':
		out(r, "%" PRId64, sign_extend(value, size));
		break;
	case 'u':
		out(r, "%" PRIu64, value);
		break;
	case 'o':
		out(r, "0%" PRIo64, value);
		break;
	case 't':
		show_binary(r, value, size);
		break;
	case 'c':
		show_char(r, value, size);
		break;
	case 'f':
		show_float(r, value, size);
		break;
	case 'a':
		out(r, "0x%" PRIx64, value);
		break;
	default:
		out(r, "0x%0*" PRIx64, (int)(2 * size), value);
		break;
	}
}

static struct dbg_error *show_units(struct repl *r, struct dbg_stopped at,
				    uint64_t count)
{
	struct dbg_error *err;
	struct examine *x = &r->examine;
	unsigned int size = x->size == 'b'   ? 1
			    : x->size == 'h' ? 2
			    : x->size == 'w' ? 4
					     : 8;
	unsigned int per_line = x->letter == 'c'   ? 8
				: x->letter == 't' ? 8 / size
				: size < 4         ? 8
						   : 16 / size;

	for (uint64_t i = 0; i < count && !loop_interrupted(r->loop); i++) {
		uint64_t value = 0;
		err = read_exactly(at, x->addr, &value, size);
		if (err) {
			if (i % per_line)
				out(r, "\n");
			return err;
		}
		if (i % per_line == 0) {
			out_ours(r, i ? "\n" : "");
			paint_addr(r, x->addr);
			out(r, ":");
		}
		out(r, "\t");
		show_unit(r, value, x->letter, size);
		dbg_variable_set(r->dbg, "_", (int64_t)x->addr);
		dbg_variable_set(r->dbg, "__", sign_extend(value, size));
		x->addr += size;
	}
	out(r, "\n");
	return NULL;
}

static void show_quoted(const struct repl *r, const unsigned char *s, size_t n)
{
	out(r, "\"");
	for (size_t i = 0; i < n; i++) {
		if (s[i] == '"' || s[i] == '\\')
			out(r, "\\%c", s[i]);
		else if (isprint(s[i]))
			out(r, "%c", s[i]);
		else
			out(r, "\\%03o", s[i]);
	}
	out(r, "\"");
}

static struct dbg_error *show_strings(struct repl *r, struct dbg_stopped at,
				      uint64_t count)
{
	struct dbg_error *err;
	unsigned char buf[STRING_MAX];

	for (uint64_t i = 0; i < count && !loop_interrupted(r->loop); i++) {
		size_t n = 0;
		err =
		    dbg_memory_read(at, r->examine.addr, buf, sizeof(buf), &n);
		if (!err && !n)
			err = read_exactly(at, r->examine.addr, buf, 1);
		if (err)
			return err;
		unsigned char *end = memchr(buf, 0, n);
		size_t len = end ? (size_t)(end - buf) : n;
		paint_addr(r, r->examine.addr);
		out(r, ":\t");
		show_quoted(r, buf, len);
		out(r, "%s\n", end ? "" : "...");
		r->examine.addr += len + (end ? 1 : 0);
	}
	return NULL;
}

static struct dbg_error *show_insns(struct repl *r, struct dbg_stopped at,
				    uint64_t count)
{
	struct dbg_error *err;
	struct dbg_insn *insns;
	struct dbg_frame f = {0};
	size_t n;

	dbg_error_destroy(frame_get(r, &f));
	err = dbg_disassemble(at, r->examine.addr, (uint32_t)count, &insns, &n);
	for (size_t i = 0; !err && i < n; i++) {
		out(r, "%s ", insns[i].addr == f.pc ? "=>" : "  ");
		paint_addr(r, insns[i].addr);
		out(r, ":\t%s", insns[i].text);
		if (insns[i].symbol)
			out(r, " <%s>", insns[i].symbol);
		out(r, "\n");
		r->examine.addr = insns[i].addr + insns[i].size;
	}
	return err;
}

struct dbg_error *show_memory(struct repl *r, struct dbg_stopped at,
			      const char *expr, const char *format)
{
	struct dbg_error *err;
	struct examine *x = &r->examine;
	struct parse_format f;

	err = parse_format(format, &f);
	if (err)
		return err;
	if (f.count > COUNT_MAX)
		return dbg_err_arg("The count is too large.");
	if (f.letter)
		x->letter = f.letter;
	if (f.size)
		x->size = f.size;
	if (x->letter == 'a' || (f.letter == 'f' && !f.size))
		x->size = 'g';
	if (f.letter == 'c' && !f.size)
		x->size = 'b';
	if (*expr) {
		err = address_of(r, at, expr, &x->addr);
		if (err)
			return err;
	}
	if (x->letter == 'i')
		return show_insns(r, at, f.count);
	if (x->letter == 's')
		return show_strings(r, at, f.count);
	return show_units(r, at, f.count);
}
