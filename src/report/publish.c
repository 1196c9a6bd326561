/* Reports written to where they were asked for: publish.h. */
#include "report/publish.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static FILE *open_out(const char *path, const char *mode)
{
	FILE *out = *path ? fopen(path, mode) : stdout;

	if (!out)
		fprintf(stderr,
			"dndbg: the report cannot be written to '%s': "
			"%s\n",
			path, strerror(errno));
	return out;
}

static void close_out(FILE *out, const char *path)
{
	bool bad = fflush(out) || ferror(out);

	if (out == stdout || out == stderr)
		return;
	if (fclose(out) || bad)
		fprintf(stderr, "dndbg: the report in '%s' is not whole: %s\n",
			path, strerror(errno));
}

// What is told at once, since the program may take long to die.
static void write_each(const struct publish *p, size_t form,
		       const struct report *report)
{
	const struct report_form *f = &report_forms[form];
	const char *path = p->paths[form];
	bool first = !form && p->n == 1;
	FILE *out = stderr;

	if (path)
		out = open_out(path, first ? "we" : "ae");
	if (!out)
		return;
	f->write(&report, 1, out);
	close_out(out, path);
}

void publish_add(struct publish *p, const struct report *report)
{
	mem_grow(&p->reports, &p->cap, p->n, sizeof(*p->reports));
	p->reports[p->n++] = *report;
	for (size_t i = 0; i < REPORT_N_FORMS; i++)
		if (report_forms[i].manner != REPORT_ALL && (p->paths[i] || !i))
			write_each(p, i, report);
}

void publish_end(struct publish *p)
{
	_cleanup_free_ const struct report **list =
	    xcalloc(p->n, sizeof(*list));

	for (size_t i = 0; i < p->n; i++)
		list[i] = &p->reports[i];
	for (size_t i = 0; i < REPORT_N_FORMS; i++) {
		bool all = report_forms[i].manner == REPORT_ALL && p->paths[i];
		FILE *out = all ? open_out(p->paths[i], "we") : NULL;

		if (!out)
			continue;
		report_forms[i].write(list, p->n, out);
		close_out(out, p->paths[i]);
	}
	for (size_t i = 0; i < p->n; i++)
		report_destroy(&p->reports[i]);
	free(p->reports);
	*p = (struct publish){0};
}
