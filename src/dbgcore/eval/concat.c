/*
 * Strings as operands: `+` with a string on either side, and `==`. The text is
 * built in UTF-16, as the program has it, with a cap on its length.
 */
#include "eval/concat.h"

#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "eval/literal.h"

enum {
	CONCAT_MAX = 1 << 16,
	CHUNK = 2048
};

static bool is_string(const struct value *v)
{
	return v->type && v->type->special == SPECIAL_STRING;
}

/* UTF-16 units of an operand, in @arena. */
struct text {
	uint16_t *units;
	size_t n;
};

static struct dbg_error *string_text(struct types *ts, struct arena *arena,
				     const struct value *v, struct text *ret)
{
	uint32_t n;
	if (!value_string_length(ts, v, &n))
		return dbg_err(DBG_E_MEMORY, "cannot read the string");
	if (n > CONCAT_MAX)
		return dbg_err(DBG_E_UNSUPPORTED,
			       "the string is too long to be joined");
	ret->units = arena_calloc(arena, n + 1, sizeof(ret->units[0]));
	ret->n = n;
	if (!value_string_read(ts, v, 0, ret->units, n))
		return dbg_err(DBG_E_MEMORY, "cannot read the string");
	return NULL;
}

/* Text of a number or bool as ToString() gives it; false for others. */
static bool number_text(struct types *ts, const struct value *v,
			struct str *out)
{
	uint64_t raw;
	double d;
	float f;
	uint32_t words[4];
	struct decimal decimal;
	if (v->type->special == SPECIAL_DECIMAL &&
	    value_read(ts, v, 0, words, sizeof(words))) {
		decimal_load(words, &decimal);
		decimal_text(&decimal, out);
		return true;
	}
	if (v->type->kind != TYPE_PRIM)
		return false;
	enum elem elem = v->type->elem;
	if (elem == ELEM_R8 && value_read(ts, v, 0, &d, sizeof(d))) {
		literal_double(d, out);
	} else if (elem == ELEM_R4 && value_read(ts, v, 0, &f, sizeof(f))) {
		literal_float(f, out);
	} else if (!value_integer(ts, v, &raw)) {
		return false;
	} else if (elem == ELEM_BOOLEAN) {
		str_add(out, raw ? "True" : "False");
	} else if (elem_is_signed(elem)) {
		str_addf(out, "%" PRId64, (int64_t)raw);
	} else {
		str_addf(out, "%" PRIu64, raw);
	}
	return true;
}

static struct dbg_error *text_of(struct types *ts, struct arena *arena,
				 const struct value *v, struct text *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (value_is_null(ts, v))
		return NULL;
	if (is_string(v))
		return string_text(ts, arena, v, ret);
	uint64_t raw;
	if (v->type->kind == TYPE_PRIM && v->type->elem == ELEM_CHAR &&
	    value_integer(ts, v, &raw)) {
		ret->units = arena_calloc(arena, 1, sizeof(ret->units[0]));
		ret->units[0] = (uint16_t)raw;
		ret->n = 1;
		return NULL;
	}
	_cleanup_str_ struct str text = {0};
	if (!number_text(ts, v, &text))
		return dbg_err(DBG_E_UNSUPPORTED,
			       "'%s' as text calls ToString(): calls are not "
			       "served yet",
			       v->type->name);
	ret->units = arena_calloc(arena, text.len + 1, sizeof(ret->units[0]));
	for (; ret->n < text.len; ret->n++)
		ret->units[ret->n] = (uint8_t)text.s[ret->n];
	return NULL;
}

struct dbg_error *concat(struct types *ts, struct arena *arena,
			 const struct value *ab, struct value *ret)
{
	struct text a, b;
	struct dbg_error *err = text_of(ts, arena, &ab[0], &a);
	if (!err)
		err = text_of(ts, arena, &ab[1], &b);
	if (err)
		return err;
	uint16_t *units = arena_calloc(arena, a.n + b.n + 1, sizeof(units[0]));
	if (a.n)
		memcpy(units, a.units, a.n * sizeof(units[0]));
	if (b.n)
		memcpy(units + a.n, b.units, b.n * sizeof(units[0]));
	*ret = value_text(ts, units, a.n + b.n);
	return NULL;
}

bool concat_equal(struct types *ts, const struct value *a,
		  const struct value *b, bool *ret)
{
	bool a_null = value_is_null(ts, a), b_null = value_is_null(ts, b);
	*ret = a_null && b_null;
	if (a_null || b_null)
		return true;
	uint32_t n, other;
	if (!is_string(a) || !is_string(b) || !value_string_length(ts, a, &n) ||
	    !value_string_length(ts, b, &other))
		return false;
	if (n != other)
		return true;
	uint16_t x[CHUNK], y[CHUNK];
	for (uint32_t at = 0; at < n; at += CHUNK) {
		size_t take = n - at < CHUNK ? n - at : CHUNK;
		if (!value_string_read(ts, a, at, x, take) ||
		    !value_string_read(ts, b, at, y, take))
			return false;
		if (memcmp(x, y, take * sizeof(x[0])))
			return true;
	}
	*ret = true;
	return true;
}
