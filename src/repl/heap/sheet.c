/* Rows for people and for programs: see sheet.h. */
#include "repl/heap/sheet.h"

#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
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
	str_deinit(&s->held);
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

void sheet_json(struct sheet *s, const char *key, const char *json)
{
	if (!s->json)
		return;
	add_key(s, key);
	str_add(&s->line, json);
}

void sheet_address(struct sheet *s, const char *key, uint64_t addr)
{
	if (!s->json)
		return;
	add_key(s, key);
	str_addf(&s->line, "\"0x%" PRIx64 "\"", addr);
}

/* ---- Rows of text ---------------------------------------------------- */

/*
 * The first rows are held until there are enough of them, or no more: a text
 * for each cell, as it is to be shown, and its end ('\0'); for a line between
 * rows LINE_MARK and the line. No text begins with that: control characters are
 * escaped in texts.
 */
enum {
	ROWS_HELD = 200,
	WIDTH_MAX = 64, /* of a column; longer texts push the rest aside */
	LINE_MARK = '\1',
};

static bool is_right(const struct sheet_column *c)
{
	return c->kind == SHEET_NUMBER;
}

static int text_width(const char *text)
{
	int n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

static void add_padded(struct str *out, const char *text, int width, bool right)
{
	int blanks = width - text_width(text);

	for (int i = 0; right && i < blanks; i++)
		str_addc(out, ' ');
	str_add(out, text);
	for (int i = 0; !right && i < blanks; i++)
		str_addc(out, ' ');
}

/* Print a row of the @texts, of which each ends in '\0'; return their end. */
static const char *print_texts(struct sheet *s, const char *texts)
{
	for (int i = 0; i < s->indent; i++)
		str_addc(&s->line, ' ');
	for (size_t i = 0, shown = 0; i < s->n_columns; i++) {
		const struct sheet_column *c = &s->columns[i];

		if (!c->title)
			continue;
		str_add(&s->line, shown++ ? "  " : "");
		add_padded(&s->line, texts, s->widths[i], is_right(c));
		texts += strlen(texts) + 1;
	}
	while (s->line.len && s->line.s[s->line.len - 1] == ' ')
		s->line.s[--s->line.len] = '\0';
	str_addc(&s->line, '\n');
	return texts;
}

static void print_titles(struct sheet *s)
{
	_cleanup_str_ struct str texts = {0};

	for (size_t i = 0; i < s->n_columns; i++) {
		if (!s->columns[i].title)
			continue;
		str_add(&texts, s->columns[i].title);
		str_addc(&texts, '\0');
	}
	print_texts(s, str_get(&texts));
}

/* Print what is held; what follows is printed as it comes. */
static void release(struct sheet *s)
{
	const char *p = str_get(&s->held), *end = p + s->held.len;

	if (s->n_held && !s->narrow)
		print_titles(s);
	while (p < end) {
		if (*p != LINE_MARK) {
			p = print_texts(s, p);
			continue;
		}
		str_add(&s->line, p + 1);
		str_addc(&s->line, '\n');
		p += strlen(p) + 1;
	}
	str_clear(&s->held);
	s->n_held = 0;
	s->streaming = true;
	flush(s);
}

void sheet_line(struct sheet *s, const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list ap;

	if (s->json)
		return;
	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	str_addc(&s->held, LINE_MARK);
	plain_add(&s->held, text, strlen(text));
	str_addc(&s->held, '\0');
	if (s->streaming)
		release(s);
}

static void add_text(struct str *out, const struct sheet_column *c,
		     const struct sheet_cell *cell)
{
	if (cell->absent)
		return;
	if (c->kind == SHEET_TEXT && cell->text)
		plain_add(out, cell->text, strlen(cell->text));
	else if (c->kind == SHEET_ADDRESS)
		str_addf(out, "0x%012" PRIx64, cell->number);
	else if (c->kind == SHEET_BOOL)
		str_add(out, cell->number ? "yes" : "no");
	else if (c->kind != SHEET_TEXT)
		str_addu(out, cell->number);
}

static void text_row(struct sheet *s, const struct sheet_cell *cells)
{
	for (size_t i = 0; i < s->n_columns; i++) {
		const struct sheet_column *c = &s->columns[i];
		size_t begin = s->held.len;
		int width;

		if (!c->title)
			continue;
		add_text(&s->held, c, &cells[i]);
		str_addc(&s->held, '\0');
		width = text_width(&s->held.s[begin]);
		if (!s->streaming && c->width && width <= WIDTH_MAX &&
		    width > s->widths[i])
			s->widths[i] = width;
	}
	if (s->streaming || ++s->n_held == ROWS_HELD)
		release(s);
}

/* ---- Rows ------------------------------------------------------------ */

void sheet_rows(struct sheet *s, const char *key,
		const struct sheet_column *columns, size_t n)
{
	s->columns = columns;
	s->n_columns = n;
	s->streaming = false;
	for (size_t i = 0; i < n; i++)
		s->widths[i] = columns[i].width;
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
	else
		release(s);
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

void sheet_row(struct sheet *s, const struct sheet_cell *cells)
{
	if (!s->json) {
		text_row(s, cells);
		return;
	}
	json_row(s, cells);
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
