/*
 * Methods that updates from before dndbg saw the program did not change, but
 * may have moved: the text that they were compiled from is not known. A
 * method's own code is unchanged in today's text, so its sequence points are
 * sought there: the lines on which these begin and end are assigned lines of
 * today's in the same order (comments may have come between them), where each
 * point has its columns in code. If there is one way to do that, it is right;
 * if there are several, the one is, if there is one, that leaves out no line
 * with a statement. Else the lines are not known, and that is said.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "code/code_priv.h"
#include "code/update/texts.h"
#include "meta/csname.h"

enum {
	DECLARATION_MAX = 30, /* lines above the first point */
	CELLS_MAX = 4 << 20,  /* lines of a method times those of its regions */
	LINES_MAX = 1 << 14,  /* of a method, with points */
	MANY = 2,             /* ways, or more */
};

struct lost {
	const struct seq_point *points; /* visible ones */
	size_t n;
	const struct seq_point *first, *last; /* by line and column */
	const char *word; /* in its declaration; NULL: none is */
	uint32_t *lines;  /* on which points begin or end, in order */
	bool *inside;     /* by line: a point goes on from the one before */
	size_t n_lines;
	size_t cells; /* that may still be filled, see ways_in */
	bool csharp;  /* the text is; else it is Razor's */
	const struct plain *text;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static int opens(char c)
{
	return c == '{' || c == '(' || c == '[';
}

static int closes(char c)
{
	return c == '}' || c == ')' || c == ']';
}

static struct line trimmed(struct line line)
{
	while (line.n && is_blank(line.p[line.n - 1]))
		line.n--;
	while (line.n && is_blank(line.p[0])) {
		line.p++;
		line.n--;
	}
	return line;
}

/* ---- Lines that can be a point's ------------------------------------- */

static bool is_brace(const struct seq_point *p)
{
	return p->line == p->end_line && p->end_column == p->column + 1;
}

/* A block begins and ends with its brace. */
static bool is_block(const struct lost *m)
{
	return m->csharp && m->n > 1 && is_brace(m->first);
}

/* Can @p begin in the line: at code, and not in the midst of a word? */
static bool begin_fits(const struct lost *m, const struct seq_point *p,
		       const struct line *line)
{
	size_t at = p->column - 1;

	if (!p->column || at >= line->n || is_blank(line->p[at]) ||
	    (p == m->first && is_block(m) && line->p[at] != '{'))
		return false;
	return !at || !is_word(line->p[at]) || !is_word(line->p[at - 1]);
}

static bool end_fits(const struct seq_point *p, const struct line *line)
{
	size_t at = p->end_column - 2;

	if (p->end_column < 2 || at >= line->n || is_blank(line->p[at]))
		return false;
	return at + 1 == line->n || !is_word(line->p[at]) ||
	       !is_word(line->p[at + 1]);
}

/*
 * Go on from @from to before @end in a point's text. False: it cannot go on
 * there, since what is around it ends, or a statement does.
 */
static bool text_goes_on(const struct line *line, size_t from, size_t end,
			 int *depth)
{
	for (size_t i = from; i < end && i < line->n; i++) {
		if (!*depth && (closes(line->p[i]) || line->p[i] == ';'))
			return false;
		*depth += opens(line->p[i]) - closes(line->p[i]);
	}
	return true;
}

/* Is what is between the point's columns of that line a whole? */
static bool is_whole(const struct lost *m, const struct seq_point *p,
		     const struct line *line)
{
	int depth = 0;

	// but the last character may be the statement's end
	return !m->csharp || is_brace(p) ||
	       (text_goes_on(line, p->column - 1, p->end_column - 2, &depth) &&
		depth == closes(line->p[p->end_column - 2]));
}

/* Can the method's line @i be that line of today's text? */
static bool line_fits(const struct lost *m, size_t i, const struct line *line)
{
	for (size_t k = 0; k < m->n; k++) {
		const struct seq_point *p = &m->points[k];
		bool begins = p->line == m->lines[i];
		bool ends = p->end_line == m->lines[i];

		if ((begins && !begin_fits(m, p, line)) ||
		    (ends && !end_fits(p, line)) ||
		    (begins && ends && !is_whole(m, p, line)))
			return false;
	}
	return true;
}

static bool begins_with(struct line line, const char *word)
{
	size_t n = strlen(word);

	return line.n >= n && !memcmp(line.p, word, n) &&
	       (line.n == n || !is_word(line.p[n]));
}

/* Is it a local's declaration without a value, "int i, j;"? */
static bool is_declaration(struct line line)
{
	static const char *const statements[] = {
	    "return", "throw", "goto", "yield", "await", "break", "continue"};
	size_t words = 0;

	for (size_t i = 0; i < sizeof(statements) / sizeof(*statements); i++)
		if (begins_with(line, statements[i]))
			return false;
	if (line.p[line.n - 1] != ';')
		return false;
	for (size_t i = 0; i + 1 < line.n; i++) {
		if (!is_word(line.p[i]) && !strchr(" \t<>[],.?:", line.p[i]))
			return false;
		words += is_word(line.p[i]) && (!i || is_blank(line.p[i - 1]));
	}
	return words > 1;
}

/* May there be no point in the line: is it certainly no statement? */
static bool is_pointless(struct line line)
{
	static const char *const words[] = {
	    "else",  "try",   "finally", "do",      "case",     "default",
	    "const", "catch", "unsafe",  "checked", "unchecked"};

	line = trimmed(line);
	if (!line.n || strspn(line.p, "{}()[];, \t") >= line.n)
		return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (begins_with(line, words[i]))
			return true;
	return line.p[line.n - 1] == ':' || is_declaration(line);
}

/* ---- Ways ------------------------------------------------------------ */

/* Lines of today's text, from 0, that the method may be in. */
struct region {
	size_t first, last;
	bool whole; /* its last line is the last one */
};

/*
 * Ways of the method's lines to those of a region: for each line of the
 * method's and each of the region's that it may be, in how many ways those up
 * to it can be, at most MANY.
 */
struct ways {
	const struct lost *m;
	const struct line *lines; /* of the region */
	size_t more; /* lines than the method has: the band's width less 1 */
	bool strict; /* no line with a statement is left out */
	uint8_t *v;
	uint32_t *from; /* of the last such way: the line before it */
};

/* Those of line @i to the region's line @i + @k. */
static uint8_t *ways_at(const struct ways *w, size_t i, size_t k)
{
	return &w->v[i * (w->more + 1) + k];
}

static uint8_t sum_of(unsigned int a, unsigned int b)
{
	return (uint8_t)(a + b > MANY ? MANY : a + b);
}

/* There are @n ways to that line whose line before is the one of @from. */
static void ways_add(struct ways *w, size_t i, size_t k, unsigned int n,
		     size_t from)
{
	uint8_t *to = ways_at(w, i, k);

	*to = sum_of(*to, n);
	w->from[to - w->v] = (uint32_t)from;
}

/* The point that goes from the line before @i to @i; NULL: none does. */
static const struct seq_point *point_across(const struct lost *m, size_t i)
{
	for (size_t k = 0; k < m->n; k++)
		if (m->points[k].line == m->lines[i - 1] &&
		    m->points[k].end_line == m->lines[i])
			return &m->points[k];
	return NULL;
}

/* The ways to line @i, whose point @p begins in the line before. */
static void ways_across(struct ways *w, size_t i, const struct seq_point *p)
{
	size_t end = p->end_column - 2;

	for (size_t k = 0; k <= w->more; k++) {
		const struct line *line = &w->lines[i - 1 + k];
		unsigned int n = *ways_at(w, i - 1, k);
		int depth = 0;

		if (!n || !text_goes_on(line, p->column - 1, line->n, &depth))
			continue;
		for (size_t to = k; to <= w->more; to++) {
			int before = depth;

			line = &w->lines[i + to];
			if (line_fits(w->m, i, line) &&
			    text_goes_on(line, 0, end, &before) &&
			    before == closes(line->p[end]))
				ways_add(w, i, to, n, k);
			if (!text_goes_on(line, 0, line->n, &depth))
				break;
		}
	}
}

/* The ways to line @i. */
static void ways_next(struct ways *w, size_t i)
{
	const struct seq_point *p = w->m->csharp ? point_across(w->m, i) : NULL;
	unsigned int sum = 0; /* of the line before, above this one */
	size_t from = 0;

	if (p) {
		ways_across(w, i, p);
		return;
	}
	for (size_t k = 0; k <= w->more; k++) {
		if (w->strict && !w->m->inside[i] &&
		    !is_pointless(w->lines[i + k - 1]))
			sum = 0;
		unsigned int n = *ways_at(w, i - 1, k);

		sum = sum_of(sum, n);
		from = n ? k : from;
		if (sum && line_fits(w->m, i, &w->lines[i + k]))
			ways_add(w, i, k, sum, from);
	}
}

/*
 * In how many ways the method's lines can be those of a region, of which the
 * first is its first; at most MANY. If there is one, *ret is it.
 */
static unsigned int ways_in(struct lost *m, const struct region *r, bool strict,
			    uint32_t *ret)
{
	size_t rows = m->n_lines, n = r->last - r->first + 1;
	struct ways w = {.m = m,
			 .lines = m->text->lines.v + r->first,
			 .more = n - rows,
			 .strict = strict};

	if (n < rows || rows > m->cells / (w.more + 1))
		return n < rows ? 0 : MANY;
	m->cells -= rows * (w.more + 1);
	w.v = xcalloc(rows, w.more + 1);
	w.from = xcalloc(rows * (w.more + 1), sizeof(*w.from));
	*ways_at(&w, 0, 0) = line_fits(m, 0, w.lines);
	for (size_t i = 1; i < rows; i++)
		ways_next(&w, i);
	unsigned int all = 0;
	size_t at = w.more;
	for (size_t k = r->whole ? w.more : 0; k <= w.more; k++) {
		unsigned int ways = *ways_at(&w, rows - 1, k);

		all = sum_of(all, ways);
		at = ways ? k : at;
	}
	for (size_t i = rows; all == 1 && i-- > 0;) {
		ret[i] = (uint32_t)(r->first + i + at + 1);
		at = w.from[ways_at(&w, i, at) - w.v];
	}
	free(w.v);
	free(w.from);
	return all;
}

/*
 * Where the method ends that begins in that line: at the brace of its block, or
 * with the expression; if it is neither, somewhere in the type. The brace has
 * no point if it is never reached: then the last one is another block's.
 */
static struct region region_from(const struct lost *m, size_t first)
{
	const struct lines *text = &m->text->lines;
	bool expression = m->n == 1, block = is_block(m);
	struct region r = {first, text->n - 1,
			   expression || (block && is_brace(m->last))};
	int depth = 0;

	for (size_t i = first; i < text->n; i++) {
		const struct line *line = &text->v[i];

		for (size_t k = i == first ? m->first->column - 1 : 0;
		     k < line->n; k++) {
			char c = line->p[k];

			depth += opens(c) - closes(c);
			if (depth >= 0 && !(block && closes(c) && !depth) &&
			    !(expression && c == ';' && !depth))
				continue;
			r.last = i;
			r.whole =
			    expression || (r.whole && k + 1 == m->last->column);
			return r;
		}
	}
	return r;
}

static bool line_has_word(const struct line *line, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= line->n; i++)
		if (!memcmp(line->p + i, word, n) &&
		    (!i || !is_word(line->p[i - 1])) &&
		    (i + n == line->n || !is_word(line->p[i + n])))
			return true;
	return false;
}

/* Is the method's word in a declaration just before that line? */
static bool word_fits(const struct lost *m, size_t first)
{
	for (size_t i = first + 1; i-- > 0 && first - i < DECLARATION_MAX;) {
		struct line line = trimmed(m->text->lines.v[i]);

		if (i != first && line.n && strchr(";}", line.p[line.n - 1]))
			return false;
		if (line_has_word(&line, m->word))
			return true;
	}
	return false;
}

/*
 * Find today's lines of the method; false: they are not known. It may be in one
 * place only: what is left out tells ways apart, not places.
 */
static bool lines_find(struct lost *m, uint32_t *ret)
{
	uint32_t *to = xcalloc(m->n_lines, sizeof(*to));
	struct region r = {.first = 0};
	unsigned int places = 0, all = 0;

	for (size_t i = 0; i < m->text->lines.n && places < MANY; i++) {
		if (!line_fits(m, 0, &m->text->lines.v[i]) ||
		    (m->word && !word_fits(m, i)))
			continue;
		struct region here = region_from(m, i);
		unsigned int n = ways_in(m, &here, false, to);

		if (!n)
			continue;
		places++;
		all = n;
		r = here;
		memcpy(ret, to, m->n_lines * sizeof(*to));
	}
	free(to);
	if (places == 1 && all == MANY)
		all = ways_in(m, &r, true, ret);
	return places == 1 && all == 1;
}

/* ---- Methods --------------------------------------------------------- */

/* The name by which its author declared a method; NULL: it has none. */
static char *declared_word(const struct code_module *m, uint32_t rid)
{
	uint32_t kickoff = pdb_kickoff_of(m->pdb, rid);
	_cleanup_str_ struct str name = {0};

	kickoff = kickoff ? kickoff : csname_kickoff(&m->md, rid);
	csname_method(&m->md, MD_TOKEN(MD_METHODDEF, kickoff ? kickoff : rid),
		      false, NULL, &name);
	// "Ns.Type.Method", "Ns.Type.Property.get", "Ns.Type.Method.lambda"
	char *text = xstrdup(str_get(&name)), *dot = strrchr(text, '.');
	static const char *const accessors[] = {"get", "set", "add", "remove",
						"init"};
	for (size_t i = 0; dot && i < sizeof(accessors) / sizeof(*accessors);
	     i++)
		if (!strcmp(dot + 1, accessors[i])) {
			*dot = 0;
			dot = strrchr(text, '.');
			break;
		}
	char *word = dot ? dot + 1 : text;
	size_t n = 0;
	while (is_word(word[n]))
		n++;
	char *ret = n && strcmp(word, "lambda") ? xstrndup(word, n) : NULL;
	free(text);
	return ret;
}

static int compare_lines(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static bool is_before(const struct seq_point *a, const struct seq_point *b)
{
	return a->line != b->line ? a->line < b->line : a->column < b->column;
}

/* Find the lines of the method's points, which are in @arena; 0: too many. */
static void lost_lines(struct lost *m, struct arena *arena)
{
	if (!m->n || m->n > LINES_MAX / 2)
		return;
	m->lines = arena_calloc(arena, 2 * m->n, sizeof(*m->lines));
	m->inside = arena_calloc(arena, 2 * m->n, sizeof(*m->inside));
	m->first = m->last = m->points;
	for (size_t i = 0; i < m->n; i++) {
		const struct seq_point *p = &m->points[i];

		m->lines[2 * i] = p->line;
		m->lines[2 * i + 1] = p->end_line;
		m->first = is_before(p, m->first) ? p : m->first;
		m->last = is_before(m->last, p) ? p : m->last;
	}
	qsort(m->lines, 2 * m->n, sizeof(*m->lines), compare_lines);
	for (size_t i = 0; i < 2 * m->n; i++)
		if (!i || m->lines[i] != m->lines[m->n_lines - 1])
			m->lines[m->n_lines++] = m->lines[i];
	for (size_t i = 1; i < m->n_lines; i++)
		for (size_t k = 0; k < m->n && !m->inside[i]; k++)
			m->inside[i] = m->points[k].line < m->lines[i] &&
				       m->points[k].end_line >= m->lines[i];
}

/* The visible points of a method, and the last document with a newer text. */
static void points_get(struct pdb *pdb, uint32_t rid, struct arena *arena,
		       struct lost *ret, uint32_t *ret_document)
{
	struct pdb_method method = {rid, PDB_NEWEST};
	struct seq_point *points;
	size_t n;

	*ret = (struct lost){.cells = CELLS_MAX};
	if (dbg_err_drop(pdb_sequence_points(pdb, method, arena, &points, &n)))
		return;
	ret->points = points;
	for (size_t i = 0; i < n; i++) {
		if (!points[i].line)
			continue;
		points[ret->n++] = points[i];
		if (points[i].document != *ret_document &&
		    pdb_text_is_newer(pdb, rid, points[i].document))
			*ret_document = points[i].document;
	}
}

static bool in_one_document(const struct lost *m)
{
	for (size_t i = 1; i < m->n; i++)
		if (m->points[i].document != m->points[0].document)
			return false;
	return true;
}

static bool text_has_word(const struct lines *text, const char *word)
{
	for (size_t i = 0; i < text->n; i++)
		if (line_has_word(&text->v[i], word))
			return true;
	return false;
}

/* True: where it is now is not known. */
static bool method_recover(struct module *mod, uint32_t rid,
			   const struct plain *texts, struct arena *arena)
{
	struct pdb *pdb = mod->m.pdb;
	struct pdb_placement to = {.n = 0};
	struct lost m;

	points_get(pdb, rid, arena, &m, &to.document);
	if (!to.document)
		return false;
	char *word = declared_word(&mod->m, rid);
	m.csharp = str_ends(pdb_document_path(pdb, to.document), ".cs");
	m.text = &texts[to.document - 1];
	if (in_one_document(&m) && !m.text->conditional)
		lost_lines(&m, arena);
	// what the compiler made has no name in the text
	if (word && text_has_word(&m.text->lines, word))
		m.word = word;
	uint32_t *lines = arena_calloc(arena, m.n_lines + 1, sizeof(*lines));
	if (m.n_lines && m.text->text && lines_find(&m, lines)) {
		to.from = m.lines;
		to.to = lines;
		to.n = m.n_lines;
	}
	pdb_place_method(pdb, rid, &to);
	free(word);
	return !to.n;
}

uint32_t texts_recover(struct module *mod)
{
	struct module_texts *t = mod->texts;
	uint32_t n_lost = 0, n = t ? pdb_n_documents(mod->m.pdb) : 0;
	struct arena *arena = arena_create();
	struct plain *texts = xcalloc((size_t)n + 1, sizeof(*texts));

	for (size_t i = 0; i < n && i < t->n; i++)
		if (t->v[i])
			plain_init(t->v[i], &texts[i]);
	for (uint32_t rid = 1; n && rid <= pdb_last_method(mod->m.pdb); rid++) {
		n_lost += method_recover(mod, rid, texts, arena);
		arena_reset(arena);
	}
	for (size_t i = 0; i < n; i++)
		plain_deinit(&texts[i]);
	free(texts);
	arena_destroy(arena);
	return n_lost;
}

bool texts_is_blank(const struct module *mod, uint32_t document, uint32_t line,
		    uint32_t end)
{
	const struct module_texts *t = mod->texts;
	struct plain text;

	if (!t || document > t->n || !t->v[document - 1])
		return false;
	plain_init(t->v[document - 1], &text);
	bool blank = line && end <= text.lines.n && !text.conditional;
	for (uint32_t i = line; blank && i < end; i++)
		blank = !trimmed(text.lines.v[i - 1]).n;
	plain_deinit(&text);
	return blank;
}
