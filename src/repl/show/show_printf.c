/*
 * `printf`, `dprintf` and `echo`: C's conversions with values of the program as
 * their arguments, and C's escape sequences.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/err.h"
#include "repl/line/parse.h"
#include "front/dprintf.h"
#include "front/plain.h"
#include "repl/show/print.h"
#include "repl/repl_priv.h"
#include "repl/resume.h"
#include "repl/show/show.h"

/* A conversion: "%-8d". */
struct conversion {
	char spec[32]; /* up to the letter, which has no length in front */
	char letter;
};

// The end of the string at @s, which begins with a quote; NULL: it has none.
static const char *string_end(const char *s)
{
	for (const char *p = s + 1; *p; p++) {
		if (*p == '\\' && p[1])
			p++;
		else if (*p == '"')
			return p;
	}
	return NULL;
}

// The character that "\" and *@p mean; steps behind it.
static char unescaped(const char **p)
{
	static const char letters[] = "n\nt\tr\ra\ae\033";
	const char *s = *p;
	unsigned int code = 0;

	if (*s >= '0' && *s <= '7') {
		for (int i = 0; i < 3 && *s >= '0' && *s <= '7'; i++)
			code = code * 8 + (unsigned int)(*s++ - '0');
		*p = s;
		return (char)code;
	}
	*p = s + 1;
	const char *found = strchr(letters, *s);
	bool known = found && (found - letters) % 2 == 0;
	return known ? found[1] : *s;
}

// Length of the argument at @s, up to a comma outside of brackets and quotes.
static size_t argument_length(const char *s)
{
	int depth = 0;
	char quote = 0;
	size_t i = 0;

	for (; s[i]; i++) {
		if (quote) {
			if (s[i] == '\\' && s[i + 1])
				i++;
			else if (s[i] == quote)
				quote = 0;
		} else if (s[i] == '"' || s[i] == '\'') {
			quote = s[i];
		} else if (s[i] == ',' && depth <= 0) {
			break;
		} else {
			depth += strchr("([{", s[i]) != NULL;
			depth -= strchr(")]}", s[i]) != NULL;
		}
	}
	return i;
}

static void parse_arguments(const char *s, struct words *ret)
{
	while (*s == ',') {
		s += 1 + strspn(s + 1, " \t");
		size_t n = argument_length(s);
		size_t len = n;
		while (len && isspace((unsigned char)s[len - 1]))
			len--;
		words_add(ret, s, len);
		s += n;
	}
}

// Take the conversion at *@p, which stands behind its '%'.
static struct dbg_error *parse_conversion(const char **p,
					  struct conversion *ret)
{
	const char *s = *p;
	size_t n = strspn(s, "-0+ #");
	size_t width = strspn(s + n, "0123456789");
	size_t precision = 0;

	n += width;
	if (s[n] == '.') {
		precision = strspn(s + n + 1, "0123456789");
		n += 1 + precision;
	}
	const char *letter = s + n + strspn(s + n, "lhzjt");
	// Widths of three digits fill any line.
	if (n > 12 || width > 3 || precision > 3 || !*letter ||
	    !strchr("diuxXocsp", *letter))
		return dbg_err_arg("Bad conversion \"%%%.*s\" in the format.",
				   (int)(n < 20 ? n + 1 : 20), s);
	ret->spec[0] = '%';
	memcpy(ret->spec + 1, s, n);
	ret->spec[n + 1] = 0;
	ret->letter = *letter;
	*p = letter + 1;
	return NULL;
}

// Evaluate @expr to an integer, which is read from dbg_format's text of it.
static struct dbg_error *integer(struct repl *r, struct dbg_stopped at,
				 const char *expr, bool is_signed,
				 uint64_t *ret)
{
	struct dbg_error *err;
	const char *text;

	err = evaluate_format(r, at, expr, is_signed ? 'd' : 'x', &text);
	if (err)
		return err;
	bool minus = *text == '-';
	if (!parse_u64(text + minus, ret))
		return dbg_err_arg("\"%s\" is not an integer.", expr);
	if (minus)
		*ret = -*ret;
	return NULL;
}

// The value's text, without the quotes around a string; the caller frees it.
static char *bare_text(const struct dbg_value *v)
{
	_cleanup_str_ struct str t = {0};
	const char *s = v->text;
	size_t n = strlen(s);

	if (v->kind != DBG_VALUE_STRING || n < 2 || *s != '"')
		return xstrdup(s);
	bool cut = s[n - 1] != '"';
	for (size_t i = 1; i < n - !cut; i++) {
		if (s[i] == '\\' && strchr("\"\\", s[i + 1]))
			i++;
		str_addc(&t, s[i]);
	}
	return str_take(&t);
}

static struct dbg_error *conversion_add(struct repl *r,
					const struct conversion *c,
					const char *expr, struct str *ret)
{
	struct dbg_stopped at;
	struct dbg_value v;
	char fmt[40];
	uint64_t number;

	struct dbg_error *err = dbg_stopped(r->dbg, &at);
	if (err)
		return err;
	if (c->letter == 's') {
		err = evaluate_shown(r, at, expr, &v);
		if (err)
			return err;
		_cleanup_free_ char *text = bare_text(&v);
		_cleanup_str_ struct str plain = {0};
		plain_add(&plain, text, strlen(text));
		snprintf(fmt, sizeof(fmt), "%ss", c->spec);
		str_addf(ret, fmt, str_get(&plain));
		return NULL;
	}
	err = integer(r, at, expr, strchr("di", c->letter), &number);
	if (err)
		return err;
	if (c->letter == 'c') {
		char one[] = {(char)number, 0};
		plain_add(ret, one, 1);
		return NULL;
	}
	bool pointer = c->letter == 'p';
	snprintf(fmt, sizeof(fmt), "%s%sl%c", pointer ? "0x" : "", c->spec,
		 pointer ? 'x' : c->letter);
	str_addf(ret, fmt, number);
	return NULL;
}

// Take `"FORMAT", EXPRESSION...` apart: *ret_end is where the format ends, @ret
// the expressions.
static struct dbg_error *take_apart(const char *args, const char **ret_end,
				    struct words *ret)
{
	const char *end = *args == '"' ? string_end(args) : NULL;

	if (!end)
		return dbg_err_arg("A format in double quotes expected.");
	const char *rest = end + 1 + strspn(end + 1, " \t");
	if (*rest && *rest != ',')
		return dbg_err_arg("A comma expected behind the format.");
	parse_arguments(rest, ret);
	*ret_end = end;
	return NULL;
}

struct dbg_error *printf_log(const char *args, struct str *ret)
{
	_cleanup_words_ struct words words = {0};
	_cleanup_str_ struct str format = {0};
	const char *end = NULL;
	struct dbg_error *err = take_apart(args, &end, &words);

	if (err)
		return err;
	for (const char *p = args + 1; p < end;) {
		char one = *p++;

		str_addc(&format, one == '\\' ? unescaped(&p) : one);
	}
	return dprintf_log(str_get(&format), words.v, words.n, ret);
}

struct dbg_error *show_printf(struct repl *r, const char *args)
{
	_cleanup_words_ struct words words = {0};
	_cleanup_str_ struct str text = {0};
	struct conversion c;
	const char *end = NULL;
	struct dbg_error *err = take_apart(args, &end, &words);
	size_t used = 0;

	if (err)
		return err;
	for (const char *p = args + 1; !err && p < end;) {
		char one = *p++;
		if (one == '\\') {
			str_addc(&text, unescaped(&p));
		} else if (one != '%' || *p == '%') {
			str_addc(&text, one);
			p += one == '%';
		} else {
			err = parse_conversion(&p, &c);
			if (!err && used == words.n)
				err = dbg_err_arg("Bad format string: an "
						  "argument is missing.");
			if (!err)
				err = conversion_add(r, &c, words.v[used++],
						     &text);
		}
	}
	if (!err && used < words.n)
		err = dbg_err_arg("Wrong number of arguments for specified "
				  "format-string.");
	if (!err)
		out_ours(r, str_get(&text));
	return err;
}
