/*
 * All printing of the prompt. Text by %s and %c may come from the program and
 * is escaped (front/plain.h); scripts/check-banned sees to it that nothing else
 * prints.
 */
#include <stdarg.h>
#include <string.h>

#include "front/plain.h"
#include "repl/show/print.h"
#include "repl/repl_priv.h"

void out(const struct repl *r, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	plain_vprintf(r->out, fmt, ap);
	va_end(ap);
}

void out_ours(const struct repl *r, const char *text)
{
	fputs(text, r->out);
}

void out_lines(const struct repl *r, const char *text, int indent,
	       const char *label)
{
	while (text && *text) {
		int n = (int)strcspn(text, "\n");

		out(r, "%*s%s%.*s\n", indent, "", label, n, text);
		text += n + (text[n] == '\n');
	}
}
