/*
 * Sequence points of a portable PDB: the blob of one method decoded, and an
 * index of all methods by document and line, made once for a module.
 */
#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "meta/pdb/pdb_priv.h"

enum {
	// The specification's limits.
	MAX_OFFSET = 0x20000000,
	MAX_LINE = 0x20000000,
	MAX_COLUMN = 0x10000,
	// Documents of one method looked through before a second entry for
	// the same one is made.
	MAX_LOOK_BACK = 64,
};

/* Iterates over the sequence points of a method. */
struct seq_reader {
	struct reader r;
	struct seq_point point;
	uint32_t line, column; /* of the last visible point */
	bool first, seen_visible;
	const struct pdb *pdb;
	const struct pdb_delta *delta; /* NULL: the PDB itself */
	uint32_t method_rid;
};

/* The PDB's number of a document of the update that is read. */
static uint32_t document_of(const struct seq_reader *s, uint32_t rid)
{
	if (!s->delta)
		return rid;
	return rid && rid <= md_rows(&s->delta->md, MD_DOCUMENT)
		   ? s->delta->documents[rid - 1]
		   : 0;
}

/* False if the method has no points. */
static bool seq_reader_init(struct seq_reader *s, const struct pdb *pdb,
			    struct pdb_method method)
{
	struct bytes blob = {NULL, 0};
	uint32_t row;

	*s = (struct seq_reader){
	    .first = true, .pdb = pdb, .method_rid = method.rid};
	const struct md *md = pdb_method_find(pdb, method, &row, &s->delta);
	if (md)
		blob = md_col_blob(md, MD_METHODDEBUGINFORMATION, row, 1);
	reader_init(&s->r, blob.p, blob.n);
	if (!blob.n)
		return false;
	uint32_t document = md_col(md, MD_METHODDEBUGINFORMATION, row, 0);
	reader_cuint(&s->r); // the local signature, which the IL has too
	if (!document)
		document = reader_cuint(&s->r);
	s->point.document = document_of(s, document);
	return !s->r.bad;
}

// A cell that is absolute the first time and a difference after that; false
// if it leaves the range.
static bool cell_step(struct seq_reader *s, uint32_t max, uint32_t *cell)
{
	int64_t value;

	if (s->seen_visible)
		value = (int64_t)*cell + reader_cint(&s->r);
	else
		value = reader_cuint(&s->r);
	if (s->r.bad || value < 0 || value >= max)
		return false;
	*cell = (uint32_t)value;
	return true;
}

static bool read_visible(struct seq_reader *s, uint32_t lines, int32_t columns)
{
	struct seq_point *p = &s->point;

	if (!cell_step(s, MAX_LINE, &s->line) ||
	    !cell_step(s, MAX_COLUMN, &s->column))
		return false;
	int64_t end_column = (int64_t)s->column + columns;
	if (lines >= MAX_LINE - s->line || end_column < 0 ||
	    end_column >= MAX_COLUMN)
		return false;
	s->seen_visible = true;
	p->line = s->line;
	p->column = s->column;
	p->end_line = s->line + lines;
	p->end_column = (uint32_t)end_column;
	return true;
}

// The rest of a record behind its offset.
static bool read_span(struct seq_reader *s)
{
	struct seq_point *p = &s->point;
	uint32_t lines = reader_cuint(&s->r);
	int32_t columns =
	    lines ? reader_cint(&s->r) : (int32_t)reader_cuint(&s->r);

	if (!lines && !columns) {
		p->line = p->column = p->end_line = p->end_column = 0;
		return !s->r.bad;
	}
	return read_visible(s, lines, columns);
}

/* Move the point to the line where updates have put its text. */
static void point_move(struct seq_reader *s)
{
	struct seq_point *p = &s->point;
	uint32_t end = p->end_line;

	if (!p->line || !s->pdb->n_deltas)
		return;
	p->line = pdb_moved_line(s->pdb, s->delta, s->method_rid, p->document,
				 p->line);
	p->end_line =
	    pdb_moved_line(s->pdb, s->delta, s->method_rid, p->document, end);
	if (p->end_line < p->line)
		p->end_line = p->line;
}

/* Go to the next point; false at the end and when s->r.bad. */
static bool seq_reader_next(struct seq_reader *s)
{
	struct seq_point *p = &s->point;

	while (!s->r.bad && reader_left(&s->r)) {
		uint32_t delta = reader_cuint(&s->r);

		if (!s->first && !delta) {
			p->document = document_of(s, reader_cuint(&s->r));
			continue;
		}
		s->first = false;
		if (delta >= MAX_OFFSET - p->il_offset) {
			s->r.bad = true;
			break;
		}
		p->il_offset += delta;
		if (read_span(s)) {
			point_move(s);
			return true;
		}
		s->r.bad = true;
	}
	return false;
}

struct dbg_error *pdb_sequence_points(const struct pdb *pdb,
				      struct pdb_method method,
				      struct arena *arena,
				      struct seq_point **ret, size_t *ret_n)
{
	struct seq_reader s;
	struct seq_point *points = NULL;
	size_t n = 0;

	if (seq_reader_init(&s, pdb, method))
		while (seq_reader_next(&s))
			n++;
	if (s.r.bad)
		return dbg_err(DBG_E_SYMBOLS,
			       "broken PDB: sequence points of method %u",
			       method.rid);
	if (n) {
		points = arena_calloc(arena, n, sizeof(*points));
		seq_reader_init(&s, pdb, method);
		for (size_t i = 0; i < n && seq_reader_next(&s); i++)
			points[i] = s.point;
	}
	*ret = points;
	*ret_n = n;
	return NULL;
}

struct indexer {
	struct pdb_method_lines *list;
	size_t n, cap;
	size_t first; /* of the present method */
};

static void index_point(struct indexer *x, uint32_t method_rid,
			const struct seq_point *p)
{
	size_t stop = x->first;

	if (x->n - stop > MAX_LOOK_BACK)
		stop = x->n - MAX_LOOK_BACK;
	for (size_t i = x->n; i > stop; i--) {
		struct pdb_method_lines *e = &x->list[i - 1];

		if (e->document != p->document)
			continue;
		if (p->line < e->min_line)
			e->min_line = p->line;
		if (p->end_line > e->max_line)
			e->max_line = p->end_line;
		return;
	}
	mem_grow(&x->list, &x->cap, x->n, sizeof(*x->list));
	x->list[x->n++] = (struct pdb_method_lines){
	    .method_rid = method_rid,
	    .document = p->document,
	    .min_line = p->line,
	    .max_line = p->end_line,
	};
}

static int order(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int compare(const void *a, const void *b)
{
	const struct pdb_method_lines *x = a, *y = b;

	if (x->document != y->document)
		return order(x->document, y->document);
	if (x->min_line != y->min_line)
		return order(x->min_line, y->min_line);
	return order(x->method_rid, y->method_rid);
}

static uint32_t reach(const struct pdb_method_lines *e,
		      const struct pdb_method_lines *before)
{
	bool same = before && before->document == e->document;

	return same && before->reach > e->max_line ? before->reach
						   : e->max_line;
}

const struct pdb_method_lines *pdb_method_index(struct pdb *pdb, size_t *ret_n)
{
	struct indexer x = {.list = NULL};
	uint32_t n = pdb_last_method(pdb);
	struct seq_reader s;

	if (pdb->indexed) {
		*ret_n = pdb->n_index;
		return pdb->index;
	}
	for (uint32_t rid = 1; rid <= n; rid++) {
		x.first = x.n;
		if (pdb_method_is_lost(pdb,
				       (struct pdb_method){rid, PDB_NEWEST}))
			continue;
		if (!seq_reader_init(&s, pdb,
				     (struct pdb_method){rid, PDB_NEWEST}))
			continue;
		// What was read before a fault still serves.
		while (seq_reader_next(&s))
			if (s.point.line)
				index_point(&x, rid, &s.point);
	}
	if (x.n) {
		x.list = xrealloc(x.list, x.n * sizeof(*x.list));
		qsort(x.list, x.n, sizeof(*x.list), compare);
	}
	for (size_t i = 0; i < x.n; i++)
		x.list[i].reach = reach(&x.list[i], i ? &x.list[i - 1] : NULL);
	pdb->index = x.list;
	pdb->n_index = *ret_n = x.n;
	pdb->indexed = true;
	return pdb->index;
}

// Is the entry behind @line of @document?
static bool is_behind(const struct pdb_method_lines *e, uint32_t document,
		      uint32_t line)
{
	return e->document != document ? e->document > document
				       : e->min_line > line;
}

size_t pdb_methods_around(struct pdb *pdb, uint32_t document, uint32_t line,
			  size_t *ret_end)
{
	size_t low = 0, high;
	const struct pdb_method_lines *index = pdb_method_index(pdb, &high);

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (is_behind(&index[middle], document, line))
			high = middle;
		else
			low = middle + 1;
	}
	*ret_end = low;
	while (low && index[low - 1].document == document &&
	       index[low - 1].reach >= line)
		low--;
	return low;
}
