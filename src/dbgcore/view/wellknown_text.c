/*
 * Text of the core library's own structs (DateTime, TimeSpan, Guid, decimal,
 * Int128, Half, ...), which their fields would not tell. Decoded here, as
 * ToString() would run code; the layouts are the same in .NET 8, 9 and 10.
 */
#include "view/view_priv.h"

#include <inttypes.h>
#include <string.h>

#include "eval/literal.h"

enum {
	TICKS_PER_SECOND = 10000000,
	SECONDS_PER_DAY = 86400,
	DAYS_PER_400_YEARS = 146097,
};

static bool field_integer(const struct view *w, const struct value *v,
			  const char *name, uint64_t *ret)
{
	const struct field *f = value_type_field(w->values, v->type, name);
	if (!f)
		return false;
	struct value at = value_field(w->values, v, f);
	return value_integer(w->values, &at, ret);
}

/* Proleptic Gregorian date of a day number, 0 being 0001-01-01. */
static void add_date(uint64_t days, struct str *out)
{
	// Counted from 0000-03-01, so that leap days end the years.
	uint64_t z = days + 306;
	uint64_t era = z / DAYS_PER_400_YEARS;
	uint64_t doe = z % DAYS_PER_400_YEARS;
	uint64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
	uint64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
	uint64_t mp = (5 * doy + 2) / 153;
	uint64_t day = doy - (153 * mp + 2) / 5 + 1;
	uint64_t month = mp < 10 ? mp + 3 : mp - 9;
	uint64_t year = yoe + era * 400 + (month <= 2);
	str_addf(out, "%04" PRIu64 "-%02" PRIu64 "-%02" PRIu64, year, month,
		 day);
}

/* Ticks below a second, if there are any. */
static void add_fraction(uint64_t ticks, struct str *out)
{
	if (ticks % TICKS_PER_SECOND)
		str_addf(out, ".%07" PRIu64, ticks % TICKS_PER_SECOND);
}

static void add_time(uint64_t ticks, struct str *out)
{
	uint64_t s = ticks / TICKS_PER_SECOND % SECONDS_PER_DAY;
	str_addf(out, "%02" PRIu64 ":%02" PRIu64 ":%02" PRIu64, s / 3600,
		 s / 60 % 60, s % 60);
	add_fraction(ticks, out);
}

static void add_date_time(uint64_t ticks, struct str *out)
{
	add_date(ticks / TICKS_PER_SECOND / SECONDS_PER_DAY, out);
	str_addc(out, ' ');
	add_time(ticks, out);
}

/* 62 bits of ticks below two of the kind: 1 is UTC, 2 and 3 local. */
static bool date_time(const struct view *w, const struct value *v,
		      struct str *out)
{
	uint64_t data;
	if (!value_read(w->values, v, 0, &data, sizeof(data)))
		return false;
	add_date_time(data & 0x3fffffffffffffff, out);
	if (data >> 62 == 1)
		str_addc(out, 'Z');
	return true;
}

/* As TimeSpan's "c" format: [-][d.]hh:mm:ss[.fffffff]. */
static void add_span(int64_t ticks, struct str *out)
{
	uint64_t size = ticks < 0 ? -(uint64_t)ticks : (uint64_t)ticks;
	uint64_t days = size / TICKS_PER_SECOND / SECONDS_PER_DAY;
	if (ticks < 0)
		str_addc(out, '-');
	if (days)
		str_addf(out, "%" PRIu64 ".", days);
	add_time(size, out);
}

static bool time_span(const struct view *w, const struct value *v,
		      struct str *out)
{
	int64_t ticks;
	if (!value_read(w->values, v, 0, &ticks, sizeof(ticks)))
		return false;
	add_span(ticks, out);
	return true;
}

static bool date_only(const struct view *w, const struct value *v,
		      struct str *out)
{
	uint64_t day;
	if (!field_integer(w, v, "_dayNumber", &day))
		return false;
	add_date(day, out);
	return true;
}

static bool time_only(const struct view *w, const struct value *v,
		      struct str *out)
{
	uint64_t ticks;
	if (!field_integer(w, v, "_ticks", &ticks))
		return false;
	add_time(ticks, out);
	return true;
}

/* A DateTime in UTC and the minutes that local time is ahead of it. */
static bool date_time_offset(const struct view *w, const struct value *v,
			     struct str *out)
{
	const struct field *f =
	    value_type_field(w->values, v->type, "_dateTime");
	uint64_t minutes, data;
	if (!f || !field_integer(w, v, "_offsetMinutes", &minutes))
		return false;
	struct value at = value_field(w->values, v, f);
	if (!value_read(w->values, &at, 0, &data, sizeof(data)))
		return false;
	int64_t offset = (int64_t)minutes;
	uint64_t utc = data & 0x3fffffffffffffff;
	add_date_time(utc + (uint64_t)(offset * 60 * TICKS_PER_SECOND), out);
	uint64_t size = offset < 0 ? -(uint64_t)offset : (uint64_t)offset;
	str_addf(out, " %c%02" PRIu64 ":%02" PRIu64, offset < 0 ? '-' : '+',
		 size / 60, size % 60);
	return true;
}

static bool guid(const struct view *w, const struct value *v, struct str *out)
{
	uint8_t b[16];
	// Three numbers, little endian, and eight bytes.
	static const uint8_t order[16] = {3, 2, 1,  0,  5,  4,  7,  6,
					  8, 9, 10, 11, 12, 13, 14, 15};
	if (!value_read(w->values, v, 0, b, sizeof(b)))
		return false;
	for (size_t i = 0; i < sizeof(b); i++) {
		if (i == 4 || i == 6 || i == 8 || i == 10)
			str_addc(out, '-');
		str_addf(out, "%02x", b[order[i]]);
	}
	return true;
}

static bool decimal(const struct view *w, const struct value *v,
		    struct str *out)
{
	uint32_t words[4];
	struct decimal d;
	if (!value_read(w->values, v, 0, words, sizeof(words)))
		return false;
	decimal_load(words, &d);
	decimal_text(&d, out);
	return true;
}

static bool int128(const struct view *w, const struct value *v, struct str *out)
{
	uint64_t words[2];
	if (!value_read(w->values, v, 0, words, sizeof(words)))
		return false;
	literal_int128(words[0], words[1],
		       v->type->special == TYPE_SPECIAL_INT128, out);
	return true;
}

static bool half(const struct view *w, const struct value *v, struct str *out)
{
	uint16_t bits;
	if (!value_read(w->values, v, 0, &bits, sizeof(bits)))
		return false;
	literal_half(bits, out);
	return true;
}

typedef bool wellknown_fn(const struct view *w, const struct value *v,
			  struct str *out);

struct wellknown {
	enum type_special special;
	wellknown_fn *fn;
};

static const struct wellknown all[] = {
    {TYPE_SPECIAL_DECIMAL, decimal},
    {TYPE_SPECIAL_DATETIME, date_time},
    {TYPE_SPECIAL_TIMESPAN, time_span},
    {TYPE_SPECIAL_DATEONLY, date_only},
    {TYPE_SPECIAL_TIMEONLY, time_only},
    {TYPE_SPECIAL_DATETIMEOFFSET, date_time_offset},
    {TYPE_SPECIAL_GUID, guid},
    {TYPE_SPECIAL_HALF, half},
    {TYPE_SPECIAL_INT128, int128},
    {TYPE_SPECIAL_UINT128, int128},
};

bool wellknown_scalar(const struct type *type)
{
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (all[i].special == type->special)
			return true;
	}
	return false;
}

bool wellknown_text(const struct view *w, const struct value *seen,
		    struct str *out)
{
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (all[i].special == seen->type->special)
			return all[i].fn(w, seen, out);
	}
	return false;
}
