/*
 * Errors: a code and a sentence in one allocation of their own. No memory for
 * one ends the program, as everywhere in base.
 */
#include "base/err.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static struct dbg_error *error_make(enum dbg_code code, char *message)
{
	struct dbg_error *err = xmalloc(sizeof(*err));

	*err = (struct dbg_error){.code = code, .message = message};
	return err;
}

struct dbg_error *dbg_err(enum dbg_code code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	char *message = xvasprintf(fmt, ap);
	va_end(ap);
	return error_make(code, message);
}

struct dbg_error *dbg_err_arg(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	char *message = xvasprintf(fmt, ap);
	va_end(ap);
	return error_make(DBG_E_ARGUMENT, message);
}

struct dbg_error *dbg_err_errno(enum dbg_code code, int errnum, const char *fmt,
				...)
{
	va_list ap;
	char buf[128];

	va_start(ap, fmt);
	_cleanup_free_ char *text = xvasprintf(fmt, ap);
	va_end(ap);
	// The GNU strerror_r: returns the text, in buf or not.
	return error_make(
	    code,
	    xasprintf("%s: %s", text, strerror_r(errnum, buf, sizeof(buf))));
}

struct dbg_error *dbg_err_prefix(struct dbg_error *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	_cleanup_free_ char *text = xvasprintf(fmt, ap);
	va_end(ap);
	char *message = xasprintf("%s: %s", text, err->message);
	free(err->message);
	err->message = message;
	return err;
}

struct dbg_error *dbg_err_suffix(struct dbg_error *err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	_cleanup_free_ char *text = xvasprintf(fmt, ap);
	va_end(ap);
	char *message = xasprintf("%s%s", err->message, text);
	free(err->message);
	err->message = message;
	return err;
}

struct dbg_error *dbg_err_cs(unsigned int number, struct dbg_error *err)
{
	err->cs = number;
	return err;
}

char *dbg_err_text(const struct dbg_error *err)
{
	return err->cs ? xasprintf("%s (CS%04u)", err->message, err->cs)
		       : xstrdup(err->message);
}

void dbg_error_destroy(struct dbg_error *err)
{
	if (!err)
		return;
	free(err->message);
	free(err);
}

bool dbg_err_drop(struct dbg_error *err)
{
	if (!err)
		return false;
	dbg_error_destroy(err);
	return true;
}

struct dbg_error *dbg_err_first(struct dbg_error *a, struct dbg_error *b)
{
	if (!a)
		return b;
	dbg_error_destroy(b);
	return a;
}
