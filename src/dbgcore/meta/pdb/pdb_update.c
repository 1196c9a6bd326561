/*
 * Debug information of updates (hot reload). A delta is a portable PDB with its
 * own heaps and mostly its own numbers: row i of MethodDebugInformation
 * describes the method that row i of EncMap names, and LocalScope and the
 * awaits of an async method use that row number. Only the kickoff method of a
 * state machine and the method in the table of awaits are rids of the module.
 * Its documents are matched with the PDB's by their paths; they have the
 * checksums of the new texts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "meta/pdb/pdb_priv.h"

enum {
	DELTA_MAX = 64 << 20,
	ALL_MAX = 256 << 20, /* bytes of all updates together */
	DOCUMENTS_MAX = 1 << 16,
	DOCUMENT_HASH = 2, /* column */
};

/* ---- Numbers --------------------------------------------------------- */

uint32_t pdb_delta_method(const struct pdb_delta *delta, uint32_t row)
{
	uint32_t token = md_col(&delta->md, MD_ENCMAP, row, 0);

	return MD_TOKEN_TABLE(token) == MD_METHODDEBUGINFORMATION
		   ? MD_TOKEN_RID(token)
		   : 0;
}

uint32_t pdb_delta_find(const struct pdb_delta *delta, uint32_t rid)
{
	uint32_t n;

	return md_find(&delta->md, MD_ENCMAP, 0,
		       MD_TOKEN(MD_METHODDEBUGINFORMATION, rid), &n);
}

const struct md *pdb_method_find(const struct pdb *pdb,
				 struct pdb_method method, uint32_t *ret_row,
				 const struct pdb_delta **ret_delta)
{
	size_t i =
	    method.version == PDB_NEWEST ? pdb->n_deltas : method.version;

	*ret_delta = NULL;
	for (; i && i <= pdb->n_deltas; i--) {
		*ret_row = pdb_delta_find(pdb->deltas[i - 1], method.rid);
		if (*ret_row) {
			*ret_delta = pdb->deltas[i - 1];
			return &(*ret_delta)->md;
		}
		if (method.version != PDB_NEWEST)
			return NULL;
	}
	*ret_row = method.rid;
	return i ? NULL : &pdb->md;
}

const struct md *pdb_method_md(const struct pdb *pdb, struct pdb_method method,
			       uint32_t *ret_row)
{
	const struct pdb_delta *delta;

	return pdb_method_find(pdb, method, ret_row, &delta);
}

uint32_t pdb_last_method(const struct pdb *pdb)
{
	uint32_t last = md_rows(&pdb->md, MD_METHODDEBUGINFORMATION);

	for (size_t i = 0; i < pdb->n_deltas; i++) {
		const struct pdb_delta *d = pdb->deltas[i];

		for (uint32_t row = 1; row <= md_rows(&d->md, MD_ENCMAP); row++)
			if (pdb_delta_method(d, row) > last)
				last = pdb_delta_method(d, row);
	}
	return last;
}

static unsigned int kind_of(uint32_t table)
{
	return table == MD_LOCALCONSTANT;
}

uint32_t pdb_delta_row(const struct pdb_delta *delta, enum md_table table,
		       uint32_t rid)
{
	return delta ? delta->rows[kind_of(table)] + rid : rid;
}

const struct md *pdb_row_find(const struct pdb *pdb, uint32_t token,
			      uint32_t *ret_rid)
{
	uint32_t table = MD_TOKEN_TABLE(token), rid = MD_TOKEN_RID(token);

	for (size_t i = pdb->n_deltas; i-- > 0;) {
		const struct pdb_delta *d = pdb->deltas[i];

		if (rid > d->rows[kind_of(table)]) {
			*ret_rid = rid - d->rows[kind_of(table)];
			return &d->md;
		}
	}
	*ret_rid = rid;
	return &pdb->md;
}

/* ---- Documents ------------------------------------------------------- */

const struct md *pdb_document_find(const struct pdb *pdb, uint32_t rid,
				   uint32_t *ret_row)
{
	const struct pdb_document *d =
	    pdb->documents && rid && rid <= pdb->n_documents
		? &pdb->documents[rid - 1]
		: NULL;

	*ret_row = d && d->md ? d->rid : rid;
	return d && d->md ? d->md : &pdb->md;
}

/* The document of that path; one more if there is none. */
static uint32_t document_take(struct pdb *pdb, const char *path)
{
	uint32_t n = pdb->n_documents;

	for (uint32_t rid = 1; rid <= n; rid++)
		if (!strcmp(pdb_document_path(pdb, rid), path))
			return rid;
	if (n == DOCUMENTS_MAX)
		return 0;
	pdb->documents =
	    xrealloc(pdb->documents, (n + 1) * sizeof(*pdb->documents));
	pdb->paths = xrealloc(pdb->paths, (n + 1) * sizeof(*pdb->paths));
	pdb->paths[n] = arena_strdup(pdb->arena, path);
	return ++pdb->n_documents;
}

static void documents_open(struct pdb *pdb)
{
	uint32_t n = md_rows(&pdb->md, MD_DOCUMENT);

	if (pdb->documents)
		return;
	if (!pdb->paths)
		pdb->paths = xcalloc((size_t)n + 1, sizeof(*pdb->paths));
	pdb->documents = xcalloc((size_t)n + 1, sizeof(*pdb->documents));
	pdb->n_documents = n;
}

static void documents_add(struct pdb *pdb, struct pdb_delta *d)
{
	uint32_t n = md_rows(&d->md, MD_DOCUMENT);
	_cleanup_str_ struct str path = {0};

	documents_open(pdb);
	d->documents = xcalloc((size_t)n + 1, sizeof(*d->documents));
	for (uint32_t row = 1; row <= n && row <= DOCUMENTS_MAX; row++) {
		str_clear(&path);
		pdb_document_name(&d->md, row, &path);
		uint32_t rid = document_take(pdb, str_get(&path));

		d->documents[row - 1] = rid;
		if (rid)
			pdb->documents[rid - 1] =
			    (struct pdb_document){&d->md, row};
	}
}

/* ---- Lines that moved ------------------------------------------------ */

void pdb_move_lines(struct pdb *pdb, uint32_t document, const uint32_t *lines,
		    uint32_t n)
{
	struct pdb_delta *d =
	    pdb->n_deltas ? pdb->deltas[pdb->n_deltas - 1] : NULL;
	struct pdb_moves moves = {.document = document, .n = n};
	size_t cap = 0;

	for (uint32_t i = 0; d && i < n; i++) {
		if (i && lines[i] == lines[i - 1] + 1)
			continue;
		mem_grow(&moves.runs, &cap, moves.n_runs, sizeof(*moves.runs));
		moves.runs[moves.n_runs++] = (struct pdb_run){i + 1, lines[i]};
	}
	if (!moves.n_runs)
		return;
	moves.runs = xrealloc(moves.runs, moves.n_runs * sizeof(*moves.runs));
	mem_grow(&d->moves, &d->cap_moves, d->n_moves, sizeof(*d->moves));
	d->moves[d->n_moves++] = moves;
}

static uint32_t line_of_runs(const struct pdb_moves *m, uint32_t line)
{
	size_t low = 0, high = m->n_runs;

	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		if (m->runs[mid].line <= line)
			low = mid;
		else
			high = mid;
	}
	return m->runs[low].to + (line - m->runs[low].line);
}

static uint32_t line_in(const struct pdb_delta *d, uint32_t document,
			uint32_t line)
{
	for (size_t i = 0; i < d->n_moves; i++)
		if (d->moves[i].document == document && line &&
		    line <= d->moves[i].n)
			return line_of_runs(&d->moves[i], line);
	return line;
}

static void placed_destroy(struct pdb_moves *m)
{
	if (m)
		free(m->runs);
	free(m);
}

/* How many deltas there were after @delta (NULL: the PDB itself) was added. */
static size_t delta_number(const struct pdb *pdb, const struct pdb_delta *delta)
{
	size_t i = 0;

	while (delta && i < pdb->n_deltas && pdb->deltas[i] != delta)
		i++;
	return i + (delta != NULL);
}

uint32_t pdb_moved_line(const struct pdb *pdb, const struct pdb_delta *delta,
			uint32_t method_rid, uint32_t document, uint32_t line)
{
	for (size_t i = delta_number(pdb, delta);; i++) {
		const struct pdb_moves *placed =
		    i && i == pdb->placed_at
			? map_find(&pdb->placed, method_rid)
			: NULL;

		if (placed && placed->n_runs)
			line = line_of_runs(placed, line);
		if (i >= pdb->n_deltas ||
		    pdb_delta_find(pdb->deltas[i], method_rid))
			return line;
		line = line_in(pdb->deltas[i], document, line);
	}
}

void pdb_place_method(struct pdb *pdb, uint32_t method_rid,
		      const struct pdb_placement *to)
{
	struct pdb_moves *m = xcalloc(1, sizeof(*m));

	m->document = to->document;
	m->runs = xcalloc(to->n + 1, sizeof(*m->runs));
	for (size_t i = 0; i < to->n; i++)
		if (!i ||
		    to->to[i] - to->to[i - 1] != to->from[i] - to->from[i - 1])
			m->runs[m->n_runs++] =
			    (struct pdb_run){to->from[i], to->to[i]};
	placed_destroy(map_find(&pdb->placed, method_rid));
	map_put(&pdb->placed, method_rid, m);
	pdb->placed_at = pdb->n_deltas;
}

bool pdb_method_is_lost(const struct pdb *pdb, struct pdb_method method)
{
	const struct pdb_moves *placed = map_find(&pdb->placed, method.rid);
	const struct pdb_delta *delta;
	uint32_t row;

	if (!placed || placed->n_runs ||
	    !pdb_method_find(pdb, method, &row, &delta))
		return false;
	// not if an update behind these has made that body, or it was replaced
	for (size_t i = delta_number(pdb, delta); i < pdb->placed_at; i++)
		if (pdb_delta_find(pdb->deltas[i], method.rid))
			return false;
	return delta_number(pdb, delta) <= pdb->placed_at;
}

uint32_t pdb_n_lost(const struct pdb *pdb, uint32_t document)
{
	uint32_t n = 0;

	for (size_t i = 0; i < pdb->placed.cap; i++) {
		const struct pdb_moves *m = pdb->placed.slots[i].value;

		if (m && m->document == document)
			n += pdb_method_is_lost(
			    pdb, (struct pdb_method){
				     (uint32_t)pdb->placed.slots[i].key,
				     PDB_NEWEST});
	}
	return n;
}

/* The checksum of a document in @delta; none: it does not have that. */
static struct bytes hash_in(const struct pdb_delta *delta, uint32_t document)
{
	for (uint32_t row = 1;
	     delta->documents && row <= md_rows(&delta->md, MD_DOCUMENT) &&
	     row <= DOCUMENTS_MAX;
	     row++)
		if (delta->documents[row - 1] == document)
			return md_col_blob(&delta->md, MD_DOCUMENT, row,
					   DOCUMENT_HASH);
	return (struct bytes){NULL, 0};
}

bool pdb_text_is_newer(const struct pdb *pdb, uint32_t method_rid,
		       uint32_t document)
{
	const struct pdb_delta *delta;
	const char *algorithm;
	uint32_t row;
	struct bytes then = {NULL, 0};
	struct bytes now = pdb_document_hash(pdb, document, &algorithm);

	if (!pdb_method_find(pdb, (struct pdb_method){method_rid, PDB_NEWEST},
			     &row, &delta))
		return false;
	for (size_t i = delta_number(pdb, delta); i-- > 0 && !then.n;)
		then = hash_in(pdb->deltas[i], document);
	if (!then.n)
		then =
		    md_col_blob(&pdb->md, MD_DOCUMENT, document, DOCUMENT_HASH);
	bool same = now.n && then.n == now.n && !memcmp(then.p, now.p, now.n);

	return !same;
}

uint32_t pdb_line_moved(const struct pdb *pdb, uint32_t document, uint32_t line)
{
	return pdb->n_deltas
		   ? line_in(pdb->deltas[pdb->n_deltas - 1], document, line)
		   : line;
}

/* ---- The whole ------------------------------------------------------- */

void pdb_deltas_destroy(struct pdb *pdb)
{
	for (size_t i = 0; i < pdb->n_deltas; i++) {
		for (size_t k = 0; k < pdb->deltas[i]->n_moves; k++)
			free(pdb->deltas[i]->moves[k].runs);
		free(pdb->deltas[i]->moves);
		free(pdb->deltas[i]->bytes);
		free(pdb->deltas[i]->documents);
		free(pdb->deltas[i]);
	}
	free(pdb->deltas);
	free(pdb->documents);
	for (size_t i = 0; i < pdb->placed.cap; i++)
		placed_destroy(pdb->placed.slots[i].value);
	map_deinit(&pdb->placed);
}

static bool delta_parse(struct pdb *pdb, struct pdb_delta *d,
			struct bytes bytes)
{
	if (!bytes.n || bytes.n > DELTA_MAX ||
	    bytes.n > ALL_MAX - pdb->delta_bytes)
		return false;
	d->bytes = xmalloc(bytes.n);
	memcpy(d->bytes, bytes.p, bytes.n);
	struct dbg_error *err =
	    md_parse((struct bytes){d->bytes, bytes.n}, &d->md);
	if (!dbg_err_drop(err) && d->md.pdb.p) {
		pdb->delta_bytes += bytes.n;
		return true;
	}
	memset(&d->md, 0, sizeof(d->md));
	free(d->bytes);
	d->bytes = NULL;
	return false;
}

bool pdb_update(struct pdb *pdb, struct bytes bytes)
{
	static const enum md_table tables[] = {MD_LOCALVARIABLE,
					       MD_LOCALCONSTANT};
	struct pdb_delta *d = xcalloc(1, sizeof(*d));
	const struct pdb_delta *before =
	    pdb->n_deltas ? pdb->deltas[pdb->n_deltas - 1] : NULL;
	bool ok = delta_parse(pdb, d, bytes);

	for (int i = 0; i < 2; i++)
		d->rows[i] = pdb_delta_row(
		    before, tables[i],
		    md_rows(before ? &before->md : &pdb->md, tables[i]));
	if (ok)
		documents_add(pdb, d);
	mem_grow(&pdb->deltas, &pdb->cap_deltas, pdb->n_deltas,
		 sizeof(*pdb->deltas));
	pdb->deltas[pdb->n_deltas++] = d;
	free(pdb->index);
	pdb->index = NULL;
	pdb->n_index = 0;
	pdb->indexed = false;
	return ok;
}
