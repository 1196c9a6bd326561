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
#include "base/str.h"
#include "code/code_priv.h"
#include "code/update/texts.h"

enum {
	TEXTS_MAX = 64 << 20, /* bytes of a module's texts */
	STEPS_MAX = 2000,     /* lines that are taken out or put in */
};

/* ---- Two texts ------------------------------------------------------- */

struct lines lines_of(const char *text)
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

/*
 * The shortest way from one part to the other by lines that are taken out or
 * put in (Myers, An O(ND) Difference Algorithm). @reach[n] has how many old
 * lines are behind one after n of these, by diagonals: old lines less new ones,
 * from -n to n.
 */
struct way {
	const struct difference *d;
	uint32_t *reach[STEPS_MAX + 1];
	int n;
};

/*
 * The diagonal from which step @n reaches the diagonal @k; *ret: the old line
 * at which the step ends there.
 */
static int way_from(const struct way *w, int n, int k, uint32_t *ret)
{
	const uint32_t *last = w->reach[n - 1] + n - 1;
	bool put_in = k == -n || (k != n && last[k - 1] < last[k + 1]);
	int from = put_in ? k + 1 : k - 1;

	*ret = last[from] + !put_in;
	return from;
}

/*
 * Try one more edit from this side; true: a shortest way through both parts is
 * found.
 */
static bool way_step(struct way *w)
{
	const struct difference *d = w->d;
	uint32_t n = (uint32_t)(d->a_end - d->a);
	uint32_t m = (uint32_t)(d->b_end - d->b);
	int step = w->n++;

	w->reach[step] = xcalloc(2 * (size_t)step + 1, sizeof(uint32_t));
	for (int k = -step; k <= step; k += 2) {
		uint32_t i = 0;

		if (step)
			way_from(w, step, k, &i);
		while (i < n && (int64_t)i - k < m &&
		       line_equals(&d->old->v[d->a + i],
				   &d->new->v[d->b + (size_t)((int64_t)i - k)]))
			i++;
		w->reach[step][k + step] = i;
		if (i >= n && k == (int64_t)n - m)
			return true;
	}
	return false;
}

/* Note the lines in common, from the end. */
static void way_back(const struct way *w)
{
	const struct difference *d = w->d;
	int64_t diagonal =
	    (int64_t)(d->a_end - d->a) - (int64_t)(d->b_end - d->b);
	int k = (int)diagonal;

	for (int step = w->n - 1; step >= 0; step--) {
		uint32_t i = w->reach[step][k + step], begin = 0;
		int from = step ? way_from(w, step, k, &begin) : 0;

		for (; i > begin; i--)
			d->to[d->a + i - 1] =
			    (uint32_t)(d->b + (size_t)((int64_t)i - k));
		k = from;
	}
}

/* The lines that both have; none if more differ than is looked for. */
static void difference_find(const struct difference *d)
{
	struct way *w = xcalloc(1, sizeof(*w));

	w->d = d;
	while (w->n <= STEPS_MAX) {
		if (!way_step(w))
			continue;
		way_back(w);
		break;
	}
	for (int i = 0; i < w->n; i++)
		free(w->reach[i]);
	free(w);
}

/*
 * Map the old lines that have no equal new one. If as many new lines are in
 * their place, they are mapped to these in order (say, a comment behind a
 * statement was edited); others are mapped to the nearest line before them: no
 * unchanged method has code on them.
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

/*
 * Find for each line of @old (index: line - 1) its line in @new; 0: it is gone.
 */
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
	difference_find(&d);
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

/*
 * Read a document's text, if its file is there and is what was compiled; freed
 * by the caller.
 */
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

			uint32_t *to = lines_compare(&a, &b);

			pdb_move_lines(mod->m.pdb, rid, to, (uint32_t)a.n);
			free(to);
			free(a.v);
			free(b.v);
		}
		free(old);
		t->v[rid - 1] = text;
	}
}
