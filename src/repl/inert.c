/*
 * Settings of gdb's that its front ends make and that mean nothing for a .NET
 * program: they are accepted, kept and shown, and change nothing.
 */
#include "repl/inert.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "repl/repl_priv.h"
#include "repl/show/print.h"

/* A setting of gdb's without an effect, and its value. */
struct inert_setting {
	const char *name, *value;
};

static const struct inert_setting table[] = {
    {"annotate", "0"},
    {"auto-load safe-path", ""},
    {"auto-solib-add", "on"},
    {"backtrace limit", "unlimited"},
    {"backtrace past-main", "off"},
    {"breakpoint pending", "auto"},
    {"charset", "auto"},
    {"debuginfod enabled", "off"},
    {"disassembly-flavor", "intel"},
    {"dprintf-style", "gdb"},
    {"host-charset", "auto"},
    {"interactive-mode", "auto"},
    {"language", "auto"},
    {"max-completions", "200"},
    {"max-value-size", "unlimited"},
    {"mi-async", "off"},
    {"multiple-symbols", "all"},
    {"new-console", "off"},
    {"non-stop", "off"},
    {"osabi", "auto"},
    {"print array", "off"},
    {"print array-indexes", "off"},
    {"print address", "on"},
    {"print asm-demangle", "off"},
    {"print demangle", "on"},
    {"print finish", "on"},
    {"print frame-arguments", "scalars"},
    {"print inferior-events", "on"},
    {"print max-symbolic-offset", "unlimited"},
    {"print object", "on"},
    {"print repeats", "unlimited"},
    {"print sevenbit-strings", "off"},
    {"print symbol", "on"},
    {"print thread-events", "on"},
    {"print union", "on"},
    {"python print-stack", "message"},
    {"remotetimeout", "2"},
    {"schedule-multiple", "off"},
    {"solib-search-path", ""},
    {"startup-with-shell", "off"},
    {"step-mode", "off"},
    {"stop-on-solib-events", "0"},
    {"sysroot", ""},
    {"target-async", "off"},
    {"target-charset", "auto"},
    {"target-wide-charset", "auto"},
    {"unwindonsignal", "off"},
    {"verbose", "off"},
};

/* A setting that was set. */
struct inert {
	const char *name;
	char *value;
};

static const struct inert_setting *inert_find(const char *text)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		size_t n = strlen(table[i].name);
		if (!strncmp(table[i].name, text, n) &&
		    (!text[n] || text[n] == ' '))
			return &table[i];
	}
	return NULL;
}

static struct inert *find_set(struct repl *r, const char *name)
{
	for (size_t i = 0; i < r->n_inerts; i++)
		if (!strcmp(r->inerts[i].name, name))
			return &r->inerts[i];
	return NULL;
}

bool inert_set(struct repl *r, const char *text)
{
	const struct inert_setting *s = inert_find(text);

	if (!s)
		return false;
	struct inert *set = find_set(r, s->name);
	if (!set) {
		mem_grow(&r->inerts, &r->cap_inerts, r->n_inerts,
			 sizeof(*r->inerts));
		set = &r->inerts[r->n_inerts++];
		*set = (struct inert){.name = s->name};
	}
	const char *value = text + strlen(s->name);
	str_set(&set->value, value + strspn(value, " "));
	return true;
}

bool inert_show(struct repl *r, const char *name)
{
	const struct inert_setting *s = inert_find(name);

	if (!s)
		return false;
	const struct inert *set = find_set(r, s->name);
	out(r, "%s: %s\n", s->name, set ? set->value : s->value);
	return true;
}

void inerts_deinit(struct repl *r)
{
	for (size_t i = 0; i < r->n_inerts; i++)
		free(r->inerts[i].value);
	free(r->inerts);
}
