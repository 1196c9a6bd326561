/*
 * -data-evaluate-expression, -data-read-memory-bytes, -data-write-memory-bytes,
 * -data-list-register-names and -values: each one call of the engine, its
 * result as a record.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "mi/mi.h"
#include "mi/mi_priv.h"
#include "mi/record.h"

enum {
	MEMORY_MAX = 16 << 20, /* bytes read or written at once */
	CELLS_MAX = 65536,     /* of -data-read-memory */
};

/* ---- Expressions ------------------------------------------------------- */

static struct dbg_error *evaluate(struct mi *m, struct dbg_stopped at,
				  struct mi_call *call)
{
	struct dbg_error *err;
	struct dbg_value v;
	struct dbg_frame f = {0};
	_cleanup_free_ char *expr = NULL;

	err = mi_expression(call, 0, &expr);
	if (!err)
		err = mi_frame(at, call, &f);
	// "x = 3" assigns
	const struct dbg_eval_request req = {
	    .frame = f.id, .expr = expr, .assigns = true};
	if (!err)
		err = mi_evaluate(m, &req, &v);
	if (err)
		return err;
	record_str(call->out, "value", v.text);
	return NULL;
}

// netcoredbg's. The line updates are not read: the texts tell which lines
// moved.
static struct dbg_error *apply_deltas(struct mi *m, struct dbg_stopped at,
				      struct mi_call *call)
{
	char *const *v = call->args.v;
	const struct dbg_update update = {
	    .module = v[0], .md = v[1], .il = v[2], .pdb = v[3]};
	const struct dbg_eval_request req = {.expr = "-apply-deltas",
					     .update = &update};
	struct dbg_value value;

	(void)at;
	return mi_evaluate(m, &req, &value);
}

/* ---- Memory ------------------------------------------------------------ */

static struct dbg_error *offset_of(const char *word, int64_t *ret)
{
	char *end;

	*ret = strtoll(word, &end, 0);
	return *end || end == word
		   ? dbg_err(DBG_E_ARGUMENT, "\"%.80s\" is not an offset", word)
		   : NULL;
}

// [-o OFFSET] in front of the other arguments.
static struct dbg_error *parse_offset(const struct mi_call *call, size_t *i,
				      int64_t *ret)
{
	*ret = 0;
	*i = 0;
	if (call->args.n < 2 || strcmp(call->args.v[0], "-o"))
		return NULL;
	*i = 2;
	return offset_of(call->args.v[1], ret);
}

static void put_hex(struct str *t, const char *name, const uint8_t *bytes,
		    size_t n)
{
	static const char digits[] = "0123456789abcdef";
	_cleanup_free_ char *s = xmalloc(2 * n + 1);

	for (size_t i = 0; i < n; i++) {
		s[2 * i] = digits[bytes[i] >> 4];
		s[2 * i + 1] = digits[bytes[i] & 15];
	}
	s[2 * n] = 0;
	record_str(t, name, s);
}

static struct dbg_error *read_bytes(struct mi *m, struct dbg_stopped at,
				    struct mi_call *call)
{
	struct dbg_error *err;
	uint64_t addr = 0, count = 0;
	int64_t offset;
	size_t i, n = 0;

	(void)m;
	err = parse_offset(call, &i, &offset);
	if (!err && call->args.n != i + 2)
		err = mi_usage(call);
	if (!err)
		err = mi_address(at, call, call->args.v[i], &addr);
	if (!err)
		err = mi_address(at, call, call->args.v[i + 1], &count);
	if (!err && count > MEMORY_MAX)
		err = dbg_err(DBG_E_ARGUMENT, "At most %d bytes at once.",
			      MEMORY_MAX);
	if (err)
		return err;
	addr += (uint64_t)offset;
	_cleanup_free_ uint8_t *buf = xmalloc(count + 1);
	err = dbg_memory_read(at, addr, buf, count, &n);
	if (!err && !n)
		err = dbg_err(DBG_E_MEMORY, "Unable to read memory.");
	if (err)
		return err;
	record_list(call->out, "memory");
	record_tuple(call->out, NULL);
	record_addr(call->out, "begin", addr);
	record_addr(call->out, "offset", 0);
	record_addr(call->out, "end", addr + n);
	put_hex(call->out, "contents", buf, n);
	record_tuple_end(call->out);
	record_list_end(call->out);
	return NULL;
}

// Two digits a byte; false: they are none.
static bool parse_hex(const char *s, uint8_t *ret)
{
	char pair[3] = {0};

	for (; *s; s += 2) {
		char *end;
		pair[0] = s[0];
		pair[1] = s[1];
		unsigned long byte = strtoul(pair, &end, 16);
		if (end != pair + 2 || *pair == '-' || *pair == '+')
			return false;
		*ret++ = (uint8_t)byte;
	}
	return true;
}

static struct dbg_error *write_bytes(struct mi *m, struct dbg_stopped at,
				     struct mi_call *call)
{
	struct dbg_error *err;
	const char *hex = call->args.v[1];
	size_t n = strlen(hex);
	uint64_t addr = 0, count = n / 2;

	err = mi_address(at, call, call->args.v[0], &addr);
	if (!err && call->args.n > 2)
		err = mi_address(at, call, call->args.v[2], &count);
	if (err)
		return err;
	if (n % 2 || !n)
		return dbg_err(DBG_E_ARGUMENT,
			       "Hex-encoded '%.80s' must have an even number "
			       "of characters.",
			       hex);
	n /= 2;
	if (count > MEMORY_MAX)
		return dbg_err(DBG_E_ARGUMENT, "At most %d bytes at once.",
			       MEMORY_MAX);
	size_t size = count > n ? count : n;
	_cleanup_free_ uint8_t *buf = xmalloc(size);
	if (!parse_hex(hex, buf))
		return dbg_err(DBG_E_ARGUMENT, "Invalid argument");
	// a pattern is repeated
	for (size_t i = n; i < size; i++)
		buf[i] = buf[i - n];
	err = dbg_memory_write(at, addr, buf, count);
	if (err)
		return err;
	m->values++;
	_cleanup_str_ struct str t = {0};
	groups_put_present(m, &t, "thread-group");
	record_addr(&t, "addr", addr);
	record_strf(&t, "len", "0x%" PRIx64, count);
	mi_send(m, "=memory-changed", &t);
	return NULL;
}

/* The arguments of -data-read-memory, which Emacs' memory window uses. */
struct cells {
	uint64_t addr, size, rows, columns;
	char format;
};

static struct dbg_error *parse_cells(struct dbg_stopped at,
				     const struct mi_call *call,
				     struct cells *ret)
{
	struct dbg_error *err;
	int64_t offset;
	size_t i;

	err = parse_offset(call, &i, &offset);
	if (!err && call->args.n < i + 5)
		err = mi_usage(call);
	if (!err)
		err = mi_address(at, call, call->args.v[i], &ret->addr);
	if (!err)
		err = mi_number(call->args.v[i + 2], 8, &ret->size);
	if (!err)
		err = mi_number(call->args.v[i + 3], CELLS_MAX, &ret->rows);
	if (!err)
		err = mi_number(call->args.v[i + 4], CELLS_MAX, &ret->columns);
	if (err)
		return err;
	ret->addr += (uint64_t)offset;
	ret->format = *call->args.v[i + 1];
	if (!ret->size || (ret->size & (ret->size - 1)) || !ret->rows ||
	    !ret->columns || ret->rows * ret->columns > CELLS_MAX)
		return mi_usage(call);
	return NULL;
}

static void put_number(struct str *t, uint64_t value, size_t size, char format)
{
	unsigned int unused = 64 - 8 * (unsigned int)size;

	switch (format) {
	case 'd':
		record_strf(t, NULL, "%" PRId64,
			    (int64_t)(value << unused) >> unused);
		break;
	case 'u':
		record_uint(t, NULL, value);
		break;
	case 'o':
		record_strf(t, NULL, "0%" PRIo64, value);
		break;
	default:
		record_strf(t, NULL, "0x%0*" PRIx64, (int)size * 2, value);
		break;
	}
}

static void put_cells(struct str *t, const struct cells *c,
		      const uint8_t *bytes, size_t n)
{
	size_t row = c->size * c->columns;

	record_list(t, "memory");
	for (size_t at = 0; at + row <= n; at += row) {
		record_tuple(t, NULL);
		record_addr(t, "addr", c->addr + at);
		record_list(t, "data");
		for (size_t i = at; i < at + row; i += c->size) {
			uint64_t value = 0;
			memcpy(&value, bytes + i, c->size);
			put_number(t, value, c->size, c->format);
		}
		record_list_end(t);
		record_tuple_end(t);
	}
	record_list_end(t);
}

static struct dbg_error *read_cells(struct mi *m, struct dbg_stopped at,
				    struct mi_call *call)
{
	struct cells c;
	size_t n = 0;

	(void)m;
	struct dbg_error *err = parse_cells(at, call, &c);
	if (err)
		return err;
	uint64_t row = c.size * c.columns;
	uint64_t total = row * c.rows;
	_cleanup_free_ uint8_t *buf = xmalloc(total);
	err = dbg_memory_read(at, c.addr, buf, total, &n);
	if (!err && n < row)
		err = dbg_err(DBG_E_MEMORY, "Unable to read memory.");
	if (err)
		return err;
	record_addr(call->out, "addr", c.addr);
	record_uint(call->out, "nr-bytes", n);
	record_uint(call->out, "total-bytes", total);
	record_addr(call->out, "next-row", c.addr + row);
	record_addr(call->out, "prev-row", c.addr - row);
	record_addr(call->out, "next-page", c.addr + total);
	record_addr(call->out, "prev-page", c.addr - total);
	put_cells(call->out, &c, buf, n);
	return NULL;
}

/* ---- Registers --------------------------------------------------------- */

// Get the registers of the command's frame.
static struct dbg_error *registers(struct dbg_stopped at,
				   const struct mi_call *call,
				   struct dbg_register **ret, size_t *ret_n)
{
	struct dbg_frame f;

	struct dbg_error *err = mi_frame(at, call, &f);
	return err ? err : dbg_registers(at, f.id, ret, ret_n);
}

// Is number @i asked for by the arguments from @from on, or are there none?
static bool is_asked(const struct mi_call *call, size_t from, size_t i)
{
	bool any = false;

	for (size_t k = from; k < call->args.n; k++) {
		char *end;
		any = true;
		unsigned long n = strtoul(call->args.v[k], &end, 10);
		if (!*end && n == i)
			return true;
	}
	return !any;
}

static struct dbg_error *register_names(struct mi *m, struct dbg_stopped at,
					struct mi_call *call)
{
	struct dbg_register *list;
	size_t n;

	(void)m;
	struct dbg_error *err = registers(at, call, &list, &n);
	if (err)
		return err;
	record_list(call->out, "register-names");
	for (size_t i = 0; i < n; i++)
		if (is_asked(call, 0, i))
			record_str(call->out, NULL, list[i].name);
	record_list_end(call->out);
	return NULL;
}

static bool put_register(struct str *t, uint64_t value, char format)
{
	switch (format) {
	case 'x':
	case 'r':
		record_strf(t, "value", "0x%" PRIx64, value);
		return true;
	case 'd':
	case 'N':
		record_strf(t, "value", "%" PRId64, (int64_t)value);
		return true;
	case 'u':
		record_strf(t, "value", "%" PRIu64, value);
		return true;
	case 'o':
		record_strf(t, "value", "0%" PRIo64, value);
		return true;
	case 't': {
		char bits[65] = {0};
		for (int i = 0; i < 64; i++)
			bits[i] = '0' + (char)(value >> (63 - i) & 1);
		const char *first = strchr(bits, '1');
		record_str(t, "value", first ? first : "0");
		return true;
	}
	default:
		return false;
	}
}

static struct dbg_error *register_values(struct mi *m, struct dbg_stopped at,
					 struct mi_call *call)
{
	struct dbg_register *list;
	size_t i_form = !strcmp(call->args.v[0], "--skip-unavailable");
	size_t n;

	(void)m;
	if (call->args.n <= i_form || strlen(call->args.v[i_form]) != 1 ||
	    !strchr("xrdNuot", *call->args.v[i_form]))
		return mi_usage(call);
	struct dbg_error *err = registers(at, call, &list, &n);
	if (err)
		return err;
	record_list(call->out, "register-values");
	for (size_t i = 0; i < n; i++) {
		if (!is_asked(call, i_form + 1, i))
			continue;
		record_tuple(call->out, NULL);
		record_uint(call->out, "number", i);
		put_register(call->out, list[i].value, *call->args.v[i_form]);
		record_tuple_end(call->out);
	}
	record_list_end(call->out);
	return NULL;
}

static struct dbg_error *changed_registers(struct mi *m, struct dbg_stopped at,
					   struct mi_call *call)
{
	struct dbg_register *list;
	size_t n;

	struct dbg_error *err = registers(at, call, &list, &n);
	if (err)
		return err;
	bool all = m->n_registers != n;
	if (all) {
		free(m->registers);
		m->registers = xcalloc(n, sizeof(*m->registers));
		m->n_registers = n;
	}
	record_list(call->out, "changed-registers");
	for (size_t i = 0; i < n; i++) {
		if (all || m->registers[i] != list[i].value)
			record_uint(call->out, NULL, i);
		m->registers[i] = list[i].value;
	}
	record_list_end(call->out);
	return NULL;
}

const struct mi_cmd mi_data_cmds[] = {
    {"data-evaluate-expression", MI_TAIL, "EXPRESSION", 1, MI_ANY,
     .stopped = evaluate},
    {"apply-deltas", 0, "MODULE METADATA IL [PDB [LINES]]", 3, 5,
     .stopped = apply_deltas},
    {"data-read-memory-bytes", 0, "[-o OFFSET] ADDRESS COUNT", 2, 4,
     .stopped = read_bytes},
    {"data-write-memory-bytes", 0, "ADDRESS CONTENTS [COUNT]", 2, 3,
     .stopped = write_bytes},
    {"data-read-memory", 0, "[-o OFFSET] ADDRESS FORMAT SIZE ROWS COLUMNS", 5,
     8, .stopped = read_cells},
    {"data-list-register-names", 0, "[NUMBER...]", 0, MI_ANY,
     .stopped = register_names},
    {"data-list-register-values", 0, "[--skip-unavailable] FORMAT [NUMBER...]",
     1, MI_ANY, .stopped = register_values},
    {"data-list-changed-registers", 0, NULL, 0, 0,
     .stopped = changed_registers},
    {.name = NULL},
};
