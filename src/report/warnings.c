/* Warnings of the engine, kept until there is a report of their program. */
#include "report/warnings.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "front/plain.h"

void warnings_keep(struct warnings *w, const struct dbg *dbg, const char *text)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->v[i].dbg == dbg && !strcmp(w->v[i].text, text))
			return;
	if (w->n < WARNINGS_MAX)
		w->v[w->n++] =
		    (struct warning){.dbg = dbg, .text = xstrdup(text)};
}

void warnings_tell(struct warnings *w, const struct dbg *dbg)
{
	for (size_t i = 0; i < w->n; i++) {
		struct warning *one = &w->v[i];

		if (one->dbg == dbg && !one->told)
			plain_error(dbg_err(DBG_E_RUNTIME, "%s", one->text));
		one->told |= one->dbg == dbg;
	}
}

void warnings_drop(struct warnings *w, const struct dbg *dbg)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++) {
		if (!dbg || w->v[i].dbg == dbg)
			free(w->v[i].text);
		else
			w->v[n++] = w->v[i];
	}
	w->n = n;
}
