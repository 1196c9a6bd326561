/*
 * Sources that no file on this machine has: the client asks for their text by a
 * number. Where nobody has it the text says whose source it is and how to tell
 * where it lies.
 */
#include "dap/request/sources.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "dap/dap_priv.h"

void sources_deinit(struct sources *s)
{
	words_deinit(&s->missing);
	free(s->last);
	*s = (struct sources){0};
}

static uint32_t number_of(struct sources *s, const char *path)
{
	for (size_t i = 0; i < s->missing.n; i++)
		if (!strcmp(s->missing.v[i], path))
			return (uint32_t)i + 1;
	words_add(&s->missing, path, strlen(path));
	return (uint32_t)s->missing.n;
}

/*
 * Is a file that is not here the client's, who is on another machine: a rule
 * says so, or code of the user's is debugged over a pipe?
 */
static bool is_clients(const struct dap *d,
		       const struct dbg_source_origin *origin, bool user)
{
	return origin->away || (d->setup.piped && user && !origin->here);
}

struct source_text sources_find(struct dap *d, const char *path, bool user)
{
	struct sources *s = &d->sources;
	struct dbg_source_origin origin = {0};

	// the frames of a stack are of few files
	if (s->last && s->last_user == user && !strcmp(s->last, path))
		return s->last_text;
	s->last_text = (struct source_text){.here = true};
	s->last_user = user;
	if (access(path, R_OK) < 0) {
		dbg_source_origin(d->dbg, path, &origin);
		if (!is_clients(d, &origin, user)) {
			s->last_text.number = number_of(s, path);
			s->last_text.here = origin.here;
		}
	}
	str_set(&s->last, path);
	return s->last_text;
}

struct dbg_error *sources_path(const struct sources *s, uint32_t number,
			       char **ret)
{
	if (!number || number > s->missing.n)
		return dbg_err(DBG_E_NOT_FOUND, "there is no source %u",
			       number);
	*ret = xstrdup(s->missing.v[number - 1]);
	return NULL;
}

void sources_explain(struct dap *d, const char *path, struct str *ret)
{
	struct dbg_source_origin origin;
	const char *slash = strrchr(path, '/');
	const char *last = slash ? slash : strrchr(path, '\\');
	int n = last ? (int)(last - path) : 0;

	dbg_source_origin(d->dbg, path, &origin);
	str_addf(ret,
		 "// The source of this code is not on this machine:\n"
		 "//     %s\n",
		 path);
	if (origin.module)
		str_addf(ret,
			 "// The symbols of %s name that file, but do not "
			 "hold its text.\n",
			 origin.module);
	str_addf(ret,
		 "//\n"
		 "// If it lies elsewhere, say where in launch.json:\n"
		 "//     \"sourceFileMap\": { \"%.*s\": \"/its/folder/here\" "
		 "}\n"
		 "// or, for this session, in the debug console:\n"
		 "//     -exec set substitute-path %.*s /its/folder/here\n",
		 n, path, n, path);
}
