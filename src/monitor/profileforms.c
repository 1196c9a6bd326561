/* Profiles as files: see profileforms.h. */
#include "monitor/profileforms.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "front/plain.h"

enum {
	DEPTH_MAX = 1024,
};

typedef void form_fn(const struct dbg_profile *p, const struct watch_result *r,
		     struct str *out);

/* ---- Folded stacks ----------------------------------------------------------
 */

// A name has neither ';', which separates, nor line ends.
static void folded_name(const struct dbg_profile *p, uint32_t frame,
			struct str *out)
{
	size_t from = out->len;
	const char *name = p->frames[frame].name;

	plain_add(out, name, strlen(name));
	for (size_t i = from; i < out->len; i++)
		if (out->s[i] == ';')
			out->s[i] = ':';
}

static void folded(const struct dbg_profile *p, const struct watch_result *r,
		   struct str *out)
{
	uint32_t path[DEPTH_MAX];

	(void)r;
	for (size_t i = 1; i < p->n_nodes; i++) {
		const struct dbg_sample_node *n = &p->nodes[i];
		uint64_t us = (n->run + n->wait + n->blocked) / 1000;
		size_t depth = 0;

		if (!us)
			continue;
		for (uint32_t at = (uint32_t)i; at && depth < DEPTH_MAX;
		     at = p->nodes[at].parent)
			path[depth++] = p->nodes[at].frame;
		while (depth-- > 0) {
			folded_name(p, path[depth], out);
			str_addc(out, depth ? ';' : ' ');
		}
		str_addf(out, "%" PRIu64 "\n", us);
	}
}

/* ---- Files
 * --------------------------------------------------------------------- */

static form_fn *const forms[N_PROFILE_FORMS] = {
    [PROFILE_FOLDED] = folded,
};

struct dbg_error *profile_write(enum profile_form form,
				const struct dbg_profile *p,
				const struct watch_result *r, const char *path)
{
	_cleanup_str_ struct str text = {0};

	forms[form](p, r, &text);

	FILE *out = fopen(path, "we");
	bool ok = out && fwrite(str_get(&text), 1, text.len, out) == text.len;
	int errnum = errno;

	if (out && fclose(out) && ok) {
		ok = false;
		errnum = errno;
	}
	if (ok)
		return NULL;
	if (out)
		unlink(path);
	return dbg_err_errno(DBG_E_FILE, errnum, "cannot write '%s'", path);
}
