/*
 * Natives: what the library asks of ICU. Text is compared as the CLDR root
 * collation does it, for languages that do not tailor it and characters whose
 * place in it is settled: ASCII, the letters of Latin-1 that are a letter of
 * ASCII with an accent, and behind them some other scripts, whose own order is
 * not known here. All else is refused: ICU's data are not here.
 *
 * Compared are first the letters without accents and case, then the accents,
 * then the case (UTS #10, three levels).
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "il/machine/native.h"
#include "il/native/native_type.h"

enum {
	TEXT_MAX = 1 << 16,
	LOCALE_SIZE = sizeof("en-US"),
	/* System.Globalization.CompareOptions */
	OPTION_IGNORE_CASE = 1,
	LATIN_FIRST = 0xc0,
	BEHIND_LATIN = 255, /* the primary of other scripts' letters */
};

/*
 * A character's weight on each level of comparison; primary 0: not known here.
 */
struct weight {
	uint8_t primary, accent;
	bool upper;
};

/* ---- Characters -------------------------------------------------------- */

/* In the order of their weights; letters follow. */
static const char before_letters[] = "\t\n\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"
				     "0123456789";

/*
 * For each character from LATIN_FIRST on: its base letter, and below the number
 * of its accent.
 */
static const char latin_letters[] = "AAAAAA?CEEEEIIII?NOOOOO??UUUUY??"
				    "aaaaaa?ceeeeiiii?nooooo??uuuuy?y";
static const char latin_accents[] = "123456?712351235?412345??12352??"
				    "123456?712351235?412345??12352?5";

/* Greek, Cyrillic, Hiragana, Katakana, Han, Hangul: in whole characters. */
static bool is_behind_latin(uint16_t c)
{
	static const uint16_t ranges[][2] = {
	    {0x391, 0x3a1},   {0x3a3, 0x3a9},   {0x3b1, 0x3c9},
	    {0x410, 0x44f},   {0x3041, 0x3096}, {0x30a1, 0x30fa},
	    {0x4e00, 0x9fa5}, {0xac00, 0xd7a3},
	};
	for (size_t k = 0; k < sizeof(ranges) / sizeof(ranges[0]); k++) {
		if (c >= ranges[k][0] && c <= ranges[k][1])
			return true;
	}
	return false;
}

static struct weight weight_of(uint16_t c)
{
	struct weight w = {0};
	if (is_behind_latin(c))
		w.primary = BEHIND_LATIN;
	if (c >= LATIN_FIRST && c <= 0xff) {
		w.accent = (uint8_t)latin_accents[c - LATIN_FIRST];
		c = (uint8_t)latin_letters[c - LATIN_FIRST];
		if (c == '?')
			return w;
	}
	if (!c || c > 0x7f)
		return w;
	w.upper = c >= 'A' && c <= 'Z';
	if (w.upper || (c >= 'a' && c <= 'z')) {
		w.primary = (uint8_t)(sizeof(before_letters) + (c & 0x1f));
		return w;
	}
	const char *at = strchr(before_letters, c);
	w.primary = at ? (uint8_t)(at - before_letters + 1) : 0;
	return w;
}

/* ---- Arguments --------------------------------------------------------- */

struct text {
	uint16_t *units;
	size_t n;
	bool known;    /* the weight of each is */
	bool is_ascii; /* ... and it has no accents, */
	bool is_line;  /* one line, of no letters BEHIND_LATIN */
};

/* The ReadOnlySpan<char> that is argument @i; @ret->units are to be freed. */
static bool text_get(struct native *n, size_t i, struct text *ret)
{
	uint64_t at = native_ref(n, i);
	const uint8_t *span = native_arg(n, i, 16);
	int32_t length = -1;
	if (span)
		memcpy(&length, span + 8, sizeof(length));
	*ret = (struct text){.known = true, .is_ascii = true, .is_line = true};
	if (length < 0 || length > TEXT_MAX)
		return false;
	ret->n = (size_t)length;
	ret->units = xcalloc(ret->n + 1, sizeof(*ret->units));
	if (ret->n && !vm_read(n->vm, at, ret->units, 2 * ret->n))
		return false;
	for (size_t k = 0; k < ret->n; k++) {
		ret->known &= weight_of(ret->units[k]).primary != 0;
		ret->is_ascii &= ret->units[k] < 0x80;
		ret->is_line &= ret->units[k] >= ' ' && ret->units[k] <= 0xff;
	}
	return true;
}

/* "": the invariant culture. False: none of those below, as far as is known. */
static bool locale_get(struct native *n, char ret[LOCALE_SIZE])
{
	uint64_t name = 0;

	return native_get_field(n, native_ref(n, 0), "_sortName", &name,
				sizeof(name)) == NATIVE_DONE &&
	       native_ascii(n, name, ret, LOCALE_SIZE);
}

/* Does @locale, "de" or "de-AT", leave the root collation of them as it is? */
static bool is_root(const char *locale, bool is_ascii)
{
	static const char *const all[] = {"en", "de", "fr", "it", "nl", "pt"};
	static const char *const only_ascii[] = {"es", "pl"};
	if (!*locale)
		return true;
	// it compares accents from the end
	if (strlen(locale) < 2 || !strcmp(locale, "fr-CA") ||
	    (locale[2] && locale[2] != '-'))
		return false;
	for (size_t k = 0; k < sizeof(all) / sizeof(all[0]); k++) {
		if (!strncmp(locale, all[k], 2))
			return true;
	}
	for (size_t k = 0; k < sizeof(only_ascii) / sizeof(only_ascii[0]);
	     k++) {
		if (is_ascii && !strncmp(locale, only_ascii[k], 2))
			return true;
	}
	return false;
}

/* Two texts of one call of CompareInfo, and how they are compared. */
struct pair {
	struct text a, b;
	bool ignores_case;
};

static void pair_deinit(struct pair *p)
{
	free(p->a.units);
	free(p->b.units);
}

/* False: what is asked is not known here. Arguments 1, 2 and 3 tell it. */
static bool pair_get(struct native *n, struct pair *ret)
{
	char locale[LOCALE_SIZE];
	int32_t options = native_i4(n, 3);
	ret->ignores_case = options == OPTION_IGNORE_CASE;
	return text_get(n, 1, &ret->a) && text_get(n, 2, &ret->b) &&
	       ret->a.known && ret->b.known &&
	       !(options & ~OPTION_IGNORE_CASE) && locale_get(n, locale) &&
	       is_root(locale, ret->a.is_ascii && ret->b.is_ascii);
}

/* ---- Comparing --------------------------------------------------------- */

static int sign(int64_t v)
{
	return v < 0 ? -1 : v > 0;
}

/* False: they differ in what has no order that is known here. */
static bool compare(const struct pair *p, int *ret)
{
	int accents = 0, cases = 0;
	bool both = false;
	for (size_t k = 0; k < p->a.n && k < p->b.n; k++) {
		struct weight x = weight_of(p->a.units[k]);
		struct weight y = weight_of(p->b.units[k]);
		*ret = sign(x.primary - y.primary);
		if (*ret)
			return true;
		if (x.primary == BEHIND_LATIN && p->a.units[k] != p->b.units[k])
			return false;
		if (!accents && x.accent != y.accent) {
			both = x.accent && y.accent;
			accents = x.accent ? 1 : -1;
		}
		if (!cases)
			cases = x.upper - y.upper;
	}
	*ret = sign((int64_t)p->a.n - (int64_t)p->b.n);
	if (!*ret)
		*ret = accents;
	if (!*ret && !p->ignores_case)
		*ret = cases;
	return p->a.n != p->b.n || !both;
}

/* CompareInfo.IcuCompareString(span, span, CompareOptions) */
static enum native_end compare_string(struct native *n)
{
	struct pair p = {0};
	int order = 0;
	bool known = pair_get(n, &p) && compare(&p, &order);
	pair_deinit(&p);
	return known ? native_ret_i4(n, order) : NATIVE_IL;
}

/* ---- Searching --------------------------------------------------------- */

/* Does the second text stand in the first at @at? */
static bool stands_at(const struct pair *p, size_t at)
{
	for (size_t k = 0; k < p->b.n; k++) {
		struct weight x = weight_of(p->a.units[at + k]);
		struct weight y = weight_of(p->b.units[k]);
		if (x.primary != y.primary || x.accent != y.accent ||
		    (x.upper != y.upper && !p->ignores_case))
			return false;
	}
	return true;
}

/*
 * As pair_get. A line's end of two characters is one: a search does not look
 * inside. An empty text is found everywhere.
 */
static bool search_get(struct native *n, struct pair *p)
{
	return pair_get(n, p) && p->a.is_line && p->b.is_line && p->b.n;
}

/*
 * Store how many characters matched through the pointer that is argument 4, if
 * it is not null.
 */
static enum native_end found(struct native *n, const struct pair *p, int32_t v)
{
	uint64_t place = native_ref(n, 4);
	int32_t length = (int32_t)p->b.n;
	if (place && v >= 0) {
		enum native_end end =
		    native_put(n, place, &length, sizeof(length));
		if (end != NATIVE_DONE)
			return end;
	}
	return native_ret_i4(n, v);
}

/* The span's, its options', a pointer's: IcuStartsWith, IcuEndsWith */
static enum native_end at_end(struct native *n)
{
	struct pair p = {0};
	enum native_end end = NATIVE_IL;
	if (search_get(n, &p)) {
		bool starts = strstr(n->method->name, "StartsWith") != NULL;
		bool fits =
		    p.b.n <= p.a.n && stands_at(&p, starts ? 0 : p.a.n - p.b.n);
		end = found(n, &p, fits ? 0 : -1);
		if (end == NATIVE_DONE)
			end = native_ret_i4(n, fits);
	}
	pair_deinit(&p);
	return end;
}

/* IcuIndexOfCore(span, span, CompareOptions, int *, bool fromBeginning) */
static enum native_end index_of(struct native *n)
{
	struct pair p = {0};
	enum native_end end = NATIVE_IL;
	if (search_get(n, &p)) {
		bool first = native_i4(n, 5) != 0;
		int32_t at = -1;
		for (size_t k = 0; k + p.b.n <= p.a.n; k++) {
			if (!stands_at(&p, k))
				continue;
			at = (int32_t)k;
			if (first)
				break;
		}
		end = found(n, &p, at);
	}
	pair_deinit(&p);
	return end;
}

/* ---- Upper and lower case ---------------------------------------------- */

/* ICU maps these to ASCII or from it, the library's own table does not. */
static bool is_odd_case(uint16_t c)
{
	return c == 0x130 || c == 0x131 || c == 0x17f || c == 0x212a;
}

/*
 * Case of the Turkish and Azeri letters i and I, which the table leaves
 * unchanged.
 */
static uint16_t turkish(uint16_t c, bool upper)
{
	if (c == 'i' || c == 0x130)
		return upper ? 0x130 : 'i';
	if (c == 'I' || c == 0x131)
		return upper ? 'I' : 0x131;
	return c;
}

/* ChangeCase...(char *from, int n, char *to, int n, bool upper) */
static enum native_end case_of(struct native *n, bool is_turkish)
{
	struct type *casing =
	    type_core(n->types, "System.Globalization.InvariantModeCasing");
	struct type_method *m =
	    casing
		? type_method_named(n->types, casing,
				    native_i4(n, 4) ? "ToUpper" : "ToLower", 2)
		: NULL;
	int32_t length = native_i4(n, 1);
	if (!m || length < 0 || length > TEXT_MAX || native_i4(n, 3) < length)
		return NATIVE_IL;
	_cleanup_free_ uint16_t *units =
	    xcalloc((size_t)length + 1, sizeof(*units));
	enum native_end end =
	    native_get(n, native_ref(n, 0), units, 2 * (size_t)length);
	if (end != NATIVE_DONE)
		return end;
	for (int32_t k = 0; k < length; k++) {
		uint16_t c = units[k];
		if (is_turkish)
			units[k] = turkish(c, native_i4(n, 4));
		if (is_odd_case(c) &&
		    (!is_turkish || (c != 0x130 && c != 0x131)))
			return NATIVE_IL;
	}
	size_t size = 2 * (size_t)length;
	uint64_t from =
	    is_turkish ? vm_room(n->vm, size + 2) : native_ref(n, 0);
	uint64_t spans[4] = {from, (uint64_t)length, native_ref(n, 2),
			     (uint64_t)length};
	uint64_t place = vm_room(n->vm, sizeof(spans));
	if (!from || !place || !vm_write(n->vm, place, spans, sizeof(spans)) ||
	    (is_turkish && !vm_write(n->vm, from, units, size)))
		return native_refuse(n, "too much memory is wanted");
	return native_call(n, m, (uint64_t[]){place, place + 16}, 2);
}

static enum native_end change_case(struct native *n)
{
	return case_of(n, false);
}

static enum native_end change_case_turkish(struct native *n)
{
	return case_of(n, true);
}

/* ---- The rest ---------------------------------------------------------- */

/*
 * GetSortHandle(string, out IntPtr), of the program's first comparison by a
 * culture: what is given to ICU never gets there, the natives above need no
 * handle.
 */
static enum native_end sort_handle(struct native *n)
{
	uint64_t handle = 1;
	enum native_end end =
	    native_put(n, native_ref(n, 1), &handle, sizeof(handle));
	return end == NATIVE_DONE ? native_ret_i4(n, 0) : end;
}

/* The comparisons of ICU that are not computed here: refuse to run them. */
static enum native_end refuse_comparison(struct native *n)
{
	return native_refuse(n, "it compares text by the rules of a culture: "
				"pass StringComparison.Ordinal or "
				"StringComparer.Ordinal");
}

static enum native_end refuse_culture_data(struct native *n)
{
	return native_refuse(n, "it needs data of a culture that the program "
				"has not read yet: pass "
				"CultureInfo.InvariantCulture");
}

#define COMPARE "System.Globalization.CompareInfo"
#define ICU "Interop+Globalization"

static const struct il_native rows[] = {
    {COMPARE, "IcuCompareString", "t(v2v2i)i", compare_string},
    {COMPARE, "IcuStartsWith", "t(v2v2ip)i", at_end},
    {COMPARE, "IcuEndsWith", "t(v2v2ip)i", at_end},
    {COMPARE, "IcuIndexOfCore", "t(v2v2ipi)i", index_of},
    {ICU, "GetSortHandle", "(op)i", sort_handle},
    {ICU, "ChangeCase", "(pipii).", change_case},
    {ICU, "ChangeCaseInvariant", "(pipii).", change_case},
    {ICU, "ChangeCaseTurkish", "(pipii).", change_case_turkish},
    {ICU, "CompareString", "(ppipii)i", refuse_comparison},
    {ICU, "IndexOf", "(ppipiip)i", refuse_comparison},
    {ICU, "LastIndexOf", "(ppipiip)i", refuse_comparison},
    {ICU, "StartsWith", "(ppipiip)i", refuse_comparison},
    {ICU, "EndsWith", "(ppipiip)i", refuse_comparison},
    {ICU, "GetSortKey", "(ppipii)i", refuse_comparison},
    {ICU, "GetLocaleName", "(opi)i", refuse_culture_data},
    {ICU, "GetLocaleInfoString", "(oipio)i", refuse_culture_data},
    {ICU, "GetLocaleInfoInt", "(oip)i", refuse_culture_data},
    {ICU, "GetLocaleInfoGroupingSizes", "(oipp)i", refuse_culture_data},
    {ICU, "GetLocaleTimeFormat", "(oipi)i", refuse_culture_data},
    {ICU, "GetCalendars", "(ooi)i", refuse_culture_data},
    {ICU, "GetCalendarInfo", "(oiipi)i", refuse_culture_data},
    {ICU, "EnumCalendarInfo", "(poiip)i", refuse_culture_data},
};

const struct native_table native_culture = {rows,
					    sizeof(rows) / sizeof(rows[0])};
