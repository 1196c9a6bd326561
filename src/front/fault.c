#include "front/fault.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/mem.h"

__attribute__((format(printf, 2, 0))) static struct dbg_error *
make(enum dbg_code code, const char *fmt, va_list ap)
{
	struct dbg_error *err = xcalloc(1, sizeof(*err));
	char *message;

	if (vasprintf(&message, fmt, ap) < 0)
		message = xstrdup("out of memory");
	err->code = code;
	err->message = message;
	return err;
}

struct dbg_error *fault(enum dbg_code code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	struct dbg_error *err = make(code, fmt, ap);
	va_end(ap);
	return err;
}

struct dbg_error *fault_arg(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	struct dbg_error *err = make(DBG_E_ARGUMENT, fmt, ap);
	va_end(ap);
	return err;
}
