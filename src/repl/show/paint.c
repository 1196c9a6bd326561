/*
 * Colours of the terminal: none if r->colours is off, else gdb's for functions,
 * files, addresses and names.
 */
#include <inttypes.h>
#include <stdio.h>

#include "repl/show/print.h"
#include "repl/repl_priv.h"

// gdb's choice of colours.
static const char *const codes[] = {
    [PAINT_FUNCTION] = "\033[33m", [PAINT_FILE] = "\033[32m",
    [PAINT_ADDRESS] = "\033[34m",  [PAINT_NAME] = "\033[36m",
    [PAINT_PROMPT] = "\033[1m",    [PAINT_ERROR] = "\033[31m",
};

const char *paint_begin(const struct repl *r, enum paint what)
{
	return r->colours && r->set.style ? codes[what] : "";
}

const char *paint_end(const struct repl *r)
{
	return r->colours && r->set.style ? "\033[0m" : "";
}

void paint(const struct repl *r, enum paint what, const char *s)
{
	fputs(paint_begin(r, what), r->out);
	out(r, "%s", s);
	fputs(paint_end(r), r->out);
}

void paint_addr(const struct repl *r, uint64_t addr)
{
	char buf[32];

	snprintf(buf, sizeof(buf), "0x%016" PRIx64, addr);
	paint(r, PAINT_ADDRESS, buf);
}
