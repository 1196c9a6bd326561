/* Formats of `dprintf` and texts of logpoints; see dprintf.h. */
#include "front/dprintf.h"

#include <string.h>

#include "base/err.h"
#include "base/str.h"

// Append a value as `print` shows it, but strings without quotes; %x is C#'s
// format.
static void add_argument(const char *arg, char letter, struct str *ret)
{
	arg += *arg == ',';
	if (letter == 'x' || letter == 'X')
		str_addf(ret, "{(%s).ToString(\"%c\"),nq}", arg, letter);
	else
		str_addf(ret, "{%s,nq}", arg);
}

struct dbg_error *dprintf_log(const char *format, char *const *args,
			      size_t n_args, struct str *ret)
{
	size_t used = 0;

	for (const char *p = format; *p; p++) {
		if (*p == '{' || *p == '}') {
			str_addc(ret, *p);
			str_addc(ret, *p);
		} else if (*p != '%' || p[1] == '%') {
			p += *p == '%';
			str_addc(ret, *p);
		} else {
			p += strcspn(p, "diouxXcsfgeGEap");
			if (!*p || used == n_args)
				return dbg_err(DBG_E_ARGUMENT,
					       "Bad format string, missing "
					       "argument");
			add_argument(args[used++], *p, ret);
		}
	}
	if (used < n_args)
		return dbg_err(DBG_E_ARGUMENT,
			       "Wrong number of arguments for specified "
			       "format-string");
	while (ret->len && ret->s[ret->len - 1] == '\n')
		ret->s[--ret->len] = 0;
	return dbg_check_log(str_get(ret));
}

// The expression behind the brace at @p; its length.
static size_t expression_length(const char *p)
{
	unsigned int depth = 0;
	size_t n = 0;

	for (; p[n] && (p[n] != '}' || depth); n++)
		depth += (p[n] == '{') - (p[n] == '}');
	return n;
}

void dprintf_text(const char *log, struct str *ret)
{
	_cleanup_str_ struct str args = {0};

	str_addc(ret, '"');
	for (const char *p = log; *p; p++) {
		if (*p == '{' && p[1] != '{') {
			size_t n = expression_length(p + 1);
			bool bare = n > 3 && !strncmp(p + n - 2, ",nq", 3);

			str_add(ret, "%s");
			str_addf(&args, ",%.*s", (int)(bare ? n - 3 : n),
				 p + 1);
			p += n + (p[n + 1] == '}');
		} else if (*p == '\n') {
			str_add(ret, "\\n");
		} else {
			if (strchr("\"\\%", *p))
				str_addc(ret, *p == '%' ? '%' : '\\');
			str_addc(ret, *p);
			p += strchr("{}", *p) && p[1] == *p;
		}
	}
	str_addf(ret, "\\n\"%s", str_get(&args));
}
