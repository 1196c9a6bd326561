/*
 * gdb's formats of numbers: /x /d /u /o /t /c /f of any value that is one
 * number.
 */
#include "view/view.h"

#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "eval/literal.h"
#include "view/view_priv.h"

struct bits {
	uint64_t raw; /* zero-extended */
	uint32_t size;
	bool is_real;
};

static bool bits_load(const struct view *w, const struct value *seen,
		      struct bits *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (seen->where == VALUE_ABSENT || seen->where == VALUE_TEXT)
		return false;
	const struct type *type = seen->type;
	// A reference is a number to those who ask for it; text is not.
	if (type->kind == TYPE_KIND_STRUCT || type->kind == TYPE_KIND_BYREF ||
	    type->special == TYPE_SPECIAL_STRING)
		return false;
	ret->is_real = type->elem == ELEM_R4 || type->elem == ELEM_R8;
	ret->size = type_size(type);
	return ret->size && ret->size <= sizeof(ret->raw) &&
	       value_read(w->values, seen, 0, &ret->raw, ret->size);
}

static int64_t signed_value(const struct bits *b)
{
	unsigned int shift = 64 - b->size * 8;
	return (int64_t)(b->raw << shift) >> shift;
}

static void add_binary(const struct bits *b, bool padded, struct str *out)
{
	int bit = (int)b->size * 8 - 1;
	while (!padded && bit > 0 && !(b->raw >> bit & 1))
		bit--;
	for (; bit >= 0; bit--)
		str_addc(out, b->raw >> bit & 1 ? '1' : '0');
}

/* The bits of a float or double; an integer of another size as it is. */
static void add_real(const struct bits *b, struct str *out)
{
	float f;
	double d;

	memcpy(&f, &b->raw, sizeof(f));
	memcpy(&d, &b->raw, sizeof(d));
	if (b->size == sizeof(f))
		literal_float(f, out);
	else if (b->size == sizeof(d))
		literal_double(d, out);
	else
		str_addf(out, "%" PRId64, signed_value(b));
}

struct dbg_error *view_format(const struct view *w, const struct value *v,
			      char letter, struct str *out)
{
	struct value seen = view_seen(w, v);
	struct bits b;
	if (letter == 's') {
		struct view whole = *w;
		whole.elements = UINT32_MAX;
		view_text(&whole, v, out);
		return NULL;
	}
	if (!letter || !strchr("xduotcazbfH", letter))
		return dbg_err(DBG_E_ARGUMENT, "no format '%c'", letter);
	if (!bits_load(w, &seen, &b))
		return dbg_err(
		    DBG_E_ARGUMENT, "format '%c' is for numbers, not for '%s'",
		    letter, seen.type ? value_type_name(seen.type) : "?");
	switch (letter) {
	case 'x':
	case 'a':
		str_addf(out, "0x%" PRIx64, b.raw);
		break;
	case 'z':
	case 'H': // the specifier ",h"
		str_addf(out, "0x%0*" PRIx64, (int)b.size * 2, b.raw);
		if (letter == 'H' && seen.type->elem == ELEM_CHAR) {
			str_addc(out, ' ');
			literal_char((uint16_t)b.raw, out);
		}
		break;
	case 'd':
		str_addf(out, "%" PRId64, signed_value(&b));
		break;
	case 'u':
		str_addf(out, "%" PRIu64, b.raw);
		break;
	case 'o':
		str_addf(out, "0%" PRIo64, b.raw);
		break;
	case 'b':
		str_add(out, "0b");
		add_binary(&b, true, out);
		break;
	case 't':
		add_binary(&b, false, out);
		break;
	case 'f':
		add_real(&b, out);
		break;
	default:
		str_addf(out, "%" PRIu64 " ", b.raw);
		literal_char((uint16_t)b.raw, out);
		break;
	}
	return NULL;
}
