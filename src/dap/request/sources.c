/*
 * Sources that no file on this machine has (embedded in symbols): the client
 * asks for their text by a number.
 */
#include "dap/request/sources.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "dap/dap_priv.h"
#include "base/err.h"

void sources_deinit(struct sources *s)
{
	words_deinit(&s->embedded);
	free(s->last);
	*s = (struct sources){0};
}

static uint32_t number_of(struct sources *s, const char *path)
{
	for (size_t i = 0; i < s->embedded.n; i++)
		if (!strcmp(s->embedded.v[i], path))
			return (uint32_t)i + 1;
	words_add(&s->embedded, path, strlen(path));
	return (uint32_t)s->embedded.n;
}

uint32_t sources_reference(struct dap *d, const char *path)
{
	struct sources *s = &d->sources;
	const char *const *lines;
	const char *note;
	size_t n;

	// the frames of a stack are of few files
	if (s->last && !strcmp(s->last, path))
		return s->last_number;
	uint32_t number = 0;
	if (access(path, R_OK) < 0) {
		struct dbg_error *err =
		    dbg_source_lines(d->dbg, path, &lines, &n, &note);
		if (!err)
			number = number_of(s, path);
		dbg_error_destroy(err);
	}
	str_set(&s->last, path);
	s->last_number = number;
	return number;
}

struct dbg_error *sources_find(const struct sources *s, uint32_t number,
			       char **ret)
{
	if (!number || number > s->embedded.n)
		return dbg_err(DBG_E_NOT_FOUND, "there is no source %u",
			       number);
	*ret = xstrdup(s->embedded.v[number - 1]);
	return NULL;
}
