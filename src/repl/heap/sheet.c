/* Rows for people and for programs: see sheet.h. */
#include "repl/heap/sheet.h"

#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "front/plain.h"
#include "front/utf8.h"
#include "repl/repl_priv.h"
#include "repl/show/print.h"
#include "repl/show/show.h"

static void flush(struct sheet *s)
{
	show_progress_clear(s->r);
	out_ours(s->r, str_get(&s->line));
	str_clear(&s->line);
}

// Bytes at the beginning of @p that are no ASCII.
static size_t beyond_ascii(const char *p)
{
	size_t n = 0;

	while ((unsigned char)p[n] >= 0x80)
		n++;
	return n;
}

static void add_quoted(struct str *out, const char *text)
{
	size_t n;

	str_addc(out, '"');
	for (const char *p = text; *p; p++) {
		if ((n = beyond_ascii(p))) {
			utf8_add(out, p, n);
			p += n - 1;
		} else if (*p == '"' || *p == '\\') {
			str_addc(out, '\\');
			str_addc(out, *p);
		} else if ((unsigned char)*p < ' ' || *p == 0x7f) {
			str_addf(out, "\\u%04x", (unsigned int)*p);
		} else {
			str_addc(out, *p);
		}
	}
	str_addc(out, '"');
}

// Begin a JSON property: a comma unless it is the first one, and its name (@key
// NULL: an array's element, without a name).
static void add_key(struct sheet *s, const char *key)
{
	if (!s->first)
		str_addc(&s->line, ',');
	s->first = false;
	if (!key)
		return;
	add_quoted(&s->line, key);
	str_addc(&s->line, ':');
}

void sheet_begin(struct sheet *s, struct repl *r, struct dbg_stopped at,
		 bool json)
{
	*s = (struct sheet){.r = r, .at = at, .json = json, .first = true};
	if (json)
		str_add(&s->line, "{");
	sheet_number(s, "version", 1);
}

// Print what the core file lacks, unless the damages of the heap already said
// so.
static void show_lacking(struct sheet *s)
{
	struct dbg_heap_parts parts;
	const char *sentence = dbg_lacking(s->at);

	// damages tell what is missing, but not that the collector made them
	if (sentence && s->damaged &&
	    (dbg_err_drop(dbg_heap_parts(s->at, &parts)) || !parts.collecting))
		sentence = NULL;

	if (sentence)
		sheet_sentences(s, "lacking", &sentence, 1);
}

void sheet_end(struct sheet *s)
{
	show_lacking(s);
	if (s->json)
		str_add(&s->line, "}\n");
	flush(s);
	str_deinit(&s->line);
}

void sheet_number(struct sheet *s, const char *key, uint64_t n)
{
	if (!s->json)
		return;
	add_key(s, key);
	str_addu(&s->line, n);
}

void sheet_text(struct sheet *s, const char *key, const char *text)
{
	if (!s->json || !text)
		return;
	add_key(s, key);
	add_quoted(&s->line, text);
}

void sheet_address(struct sheet *s, const char *key, uint64_t addr)
{
	if (!s->json)
		return;
	add_key(s, key);
	str_addf(&s->line, "\"0x%" PRIx64 "\"", addr);
}

/* ---- Rows ------------------------------------------------------------ */

static void add_padded(struct str *out, const char *text, int width, bool right)
{
	size_t n = strlen(text);
	size_t blanks = width > 0 && n < (size_t)width ? (size_t)width - n : 0;

	for (size_t i = 0; right && i < blanks; i++)
		str_addc(out, ' ');
	plain_add(out, text, n);
	for (size_t i = 0; !right && i < blanks; i++)
		str_addc(out, ' ');
}

static bool is_right(const struct sheet_column *c)
{
	return c->kind == SHEET_NUMBER;
}

static void add_titles(struct sheet *s)
{
	bool any = false;

	for (size_t i = 0; i < s->n_columns; i++) {
		const struct sheet_column *c = &s->columns[i];

		if (!c->title)
			continue;
		if (any)
			str_add(&s->line, "  ");
		any = true;
		add_padded(&s->line, c->title, c->width, is_right(c));
	}
	str_addc(&s->line, '\n');
	flush(s);
}

void sheet_rows(struct sheet *s, const char *key,
		const struct sheet_column *columns, size_t n)
{
	s->columns = columns;
	s->n_columns = n;
	if (s->json) {
		add_key(s, key);
		str_addc(&s->line, '[');
	}
	s->first = true;
}

void sheet_rows_end(struct sheet *s)
{
	if (s->json)
		str_addc(&s->line, ']');
	s->first = false;
}

static void json_list(struct sheet *s, const struct sheet_column *c,
		      const struct sheet_cell *cell)
{
	add_key(s, c->key);
	str_addc(&s->line, '[');
	for (uint64_t i = 0; i < cell->number; i++)
		str_addf(&s->line, "%s\"0x%" PRIx64 "\"", i ? "," : "",
			 cell->list[i]);
	str_addc(&s->line, ']');
}

static void json_cell(struct sheet *s, const struct sheet_column *c,
		      const struct sheet_cell *cell)
{
	if (cell->absent || (c->kind == SHEET_TEXT && !cell->text))
		return;
	if (c->kind == SHEET_ADDRESS) {
		sheet_address(s, c->key, cell->number);
	} else if (c->kind == SHEET_TEXT) {
		sheet_text(s, c->key, cell->text);
	} else if (c->kind == SHEET_ADDRESSES) {
		json_list(s, c, cell);
	} else if (c->kind == SHEET_BOOL) {
		add_key(s, c->key);
		str_add(&s->line, cell->number ? "true" : "false");
	} else {
		sheet_number(s, c->key, cell->number);
	}
}

static void text_cell(struct sheet *s, const struct sheet_column *c,
		      const struct sheet_cell *cell)
{
	char text[32] = "";
	const char *shown = text;

	if (cell->absent)
		shown = "";
	else if (c->kind == SHEET_TEXT)
		shown = cell->text ? cell->text : "";
	else if (c->kind == SHEET_ADDRESS)
		snprintf(text, sizeof(text), "0x%012" PRIx64, cell->number);
	else if (c->kind == SHEET_BOOL)
		shown = cell->number ? "yes" : "no";
	else
		snprintf(text, sizeof(text), "%" PRIu64, cell->number);
	add_padded(&s->line, shown, c->width, is_right(c));
}

void sheet_object(struct sheet *s)
{
	if (!s->json)
		return;
	add_key(s, NULL);
	str_addc(&s->line, '{');
	s->first = true;
}

void sheet_object_end(struct sheet *s)
{
	if (!s->json)
		return;
	str_addc(&s->line, '}');
	s->first = false;
}

void sheet_cells(struct sheet *s, const struct sheet_column *columns, size_t n,
		 const struct sheet_cell *cells)
{
	for (size_t i = 0; s->json && i < n; i++)
		json_cell(s, &columns[i], &cells[i]);
}

static void json_row(struct sheet *s, const struct sheet_cell *cells)
{
	sheet_object(s);
	sheet_cells(s, s->columns, s->n_columns, cells);
	sheet_object_end(s);
}

static void text_row(struct sheet *s, const struct sheet_cell *cells)
{
	bool any = false;

	if (s->first && !s->narrow)
		add_titles(s);
	s->first = false;
	for (size_t i = 0; i < s->n_columns; i++) {
		if (!s->columns[i].title)
			continue;
		if (any)
			str_add(&s->line, "  ");
		any = true;
		text_cell(s, &s->columns[i], &cells[i]);
	}
	while (s->line.len && s->line.s[s->line.len - 1] == ' ')
		s->line.s[--s->line.len] = '\0';
	str_addc(&s->line, '\n');
}

void sheet_row(struct sheet *s, const struct sheet_cell *cells)
{
	if (s->json)
		json_row(s, cells);
	else
		text_row(s, cells);
	flush(s);
}

void sheet_sentences(struct sheet *s, const char *key, const char *const *v,
		     size_t n)
{
	s->damaged = s->damaged || n;
	if (!s->json) {
		for (size_t i = 0; i < n; i++)
			out(s->r, "%s\n", v[i]);
		return;
	}
	add_key(s, key);
	str_addc(&s->line, '[');
	s->first = true;
	for (size_t i = 0; i < n; i++) {
		add_key(s, NULL);
		add_quoted(&s->line, v[i]);
	}
	str_addc(&s->line, ']');
	s->first = false;
}
