/*
 * Lines that an edit has moved (hot reload). An update has lines of the methods
 * that it changes only. All others it leaves where they were, though there are
 * more lines or fewer above them now; their text is the same, so the two texts
 * of a file tell where each line went. The old text of a file that is about to
 * be edited is gone when the update comes: texts of a module that the runtime
 * lets change are kept when it is loaded, if they are what was compiled.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "code/code_priv.h"

enum {
	TEXTS_MAX = 64 << 20, /* bytes of a module's texts */
	CELLS_MAX = 4 << 20,  /* of the table of two parts that differ */
};

/* The texts of a module's documents by rid - 1; NULL: not known. */
struct module_texts {
	char **v;
	size_t n;
};

/* ---- Two texts ------------------------------------------------------- */

struct line {
	const char *p;
	size_t n;
};

struct lines {
	struct line *v;
	size_t n;
};

static struct lines lines_of(const char *text)
{
	struct lines ret = {.v = NULL};
	size_t cap = 0;

	while (*text) {
		size_t n = strcspn(text, "\n");

		mem_grow(&ret.v, &cap, ret.n, sizeof(*ret.v));
		ret.v[ret.n++] =
		    (struct line){text, n && text[n - 1] == '\r' ? n - 1 : n};
		text += text[n] ? n + 1 : n;
	}
	return ret;
}

static bool line_equals(const struct line *a, const struct line *b)
{
	return a->n == b->n && !memcmp(a->p, b->p, a->n);
}

/* A part of both texts that differs: from @a to @a_end, @b to @b_end. */
struct difference {
	const struct lines *old, *new;
	size_t a, a_end, b, b_end;
	uint32_t *to; /* by old line - 1: the new line, 0: none */
};

/* The longest lines in common, by the table of how long they are from (i, j).
 */
static void difference_table(const struct difference *d)
{
	size_t n = d->a_end - d->a, m = d->b_end - d->b;
	uint16_t *table;

	if (!n || !m || n * m > CELLS_MAX || n > UINT16_MAX || m > UINT16_MAX)
		return;
	table = xcalloc((n + 1) * (m + 1), sizeof(*table));
	for (size_t i = n; i-- > 0;)
		for (size_t j = m; j-- > 0;) {
			uint16_t *cell = &table[i * (m + 1) + j];
			uint16_t below = cell[m + 1], right = cell[1];

			if (line_equals(&d->old->v[d->a + i],
					&d->new->v[d->b + j]))
				*cell = (uint16_t)(cell[m + 2] + 1);
			else
				*cell = below > right ? below : right;
		}
	for (size_t i = 0, j = 0; i < n && j < m;) {
		const uint16_t *cell = &table[i * (m + 1) + j];

		if (line_equals(&d->old->v[d->a + i], &d->new->v[d->b + j]))
			d->to[d->a + i++] = (uint32_t)(d->b + j++ + 1);
		else if (cell[m + 1] >= cell[1])
			i++;
		else
			j++;
	}
	free(table);
}

/*
 * Lines that have no equal: as many in a row as there are new ones in their
 * place are these (a comment behind a statement was edited); of others the
 * nearest in front will do, for no method that is left as it was has one.
 */
static void difference_fill(const struct difference *d)
{
	uint32_t last = 0;

	for (size_t i = 0; i < d->old->n; i++) {
		size_t end = i;

		while (end < d->old->n && !d->to[end])
			end++;
		uint32_t next =
		    end < d->old->n ? d->to[end] : (uint32_t)d->new->n + 1;
		bool same = next - last - 1 == end - i;
		for (; i < end; i++) {
			last += same || !last;
			d->to[i] = last;
		}
		if (end < d->old->n)
			last = d->to[end];
	}
}

/* Where each line of @old is in @new, by old line - 1. */
static uint32_t *lines_compare(const struct lines *old, const struct lines *new)
{
	uint32_t *to = xcalloc(old->n + 1, sizeof(*to));
	struct difference d = {
	    .old = old, .new = new, .a_end = old->n, .b_end = new->n, .to = to};

	while (d.a < d.a_end && d.b < d.b_end &&
	       line_equals(&old->v[d.a], &new->v[d.b]))
		to[d.a++] = (uint32_t)++d.b;
	while (d.a < d.a_end && d.b < d.b_end &&
	       line_equals(&old->v[d.a_end - 1], &new->v[d.b_end - 1]))
		to[--d.a_end] = (uint32_t)d.b_end--;
	difference_table(&d);
	difference_fill(&d);
	return to;
}

/* ---- Texts ----------------------------------------------------------- */

void texts_destroy(struct module_texts *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n; i++)
		free(t->v[i]);
	free(t->v);
	free(t);
}

/* Its text, if the file is there and is what was compiled; the caller's. */
static char *text_read(struct code *c, struct module *mod, uint32_t rid)
{
	struct file file;
	const char *path = module_document(c, mod, rid);
	char *text = NULL;

	if (!*path || dbg_err_drop(file_load(path, TEXTS_MAX, &file)))
		return NULL;
	if (source_is_compiled(mod, rid, file.bytes))
		text = xstrndup((const char *)file.bytes.p, file.bytes.n);
	file_unload(&file);
	return text;
}

bool code_text_is_edited(struct code *c, struct code_module *m,
			 uint32_t document)
{
	const struct module_texts *t = module_of(m)->texts;

	if (!t || !document || document > t->n || !t->v[document - 1])
		return false;
	char *text = text_read(c, module_of(m), document);
	free(text);
	return !text;
}

uint32_t code_line_moved(const struct code_module *m, uint32_t document,
			 uint32_t line)
{
	return m->pdb ? pdb_line_moved(m->pdb, document, line) : line;
}

void texts_keep(struct code *c, struct module *mod)
{
	uint32_t n = mod->m.pdb ? pdb_n_documents(mod->m.pdb) : 0;
	size_t all = 0;

	if (!n || mod->m.optimized)
		return;
	mod->texts = xcalloc(1, sizeof(*mod->texts));
	mod->texts->v = xcalloc(n, sizeof(char *));
	mod->texts->n = n;
	for (uint32_t rid = 1; rid <= n && all < TEXTS_MAX; rid++) {
		mod->texts->v[rid - 1] = text_read(c, mod, rid);
		if (mod->texts->v[rid - 1])
			all += strlen(mod->texts->v[rid - 1]);
	}
}

void texts_update(struct code *c, struct module *mod)
{
	struct module_texts *t = mod->texts;

	for (uint32_t rid = 1; t && rid <= t->n; rid++) {
		char *old = t->v[rid - 1];
		char *text = old ? text_read(c, mod, rid) : NULL;

		if (!text)
			continue;
		if (strcmp(old, text)) {
			struct lines a = lines_of(old), b = lines_of(text);

			pdb_move_lines(mod->m.pdb, rid, lines_compare(&a, &b),
				       (uint32_t)a.n);
			free(a.v);
			free(b.v);
		}
		free(old);
		t->v[rid - 1] = text;
	}
}
