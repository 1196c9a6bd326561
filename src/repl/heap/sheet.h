/*
 * Lists that a person or a program reads: rows under titles, or one JSON
 * object with the same facts. A heap has millions of objects, so rows are
 * printed as they come, but for the first ones: these tell how wide the columns
 * are to be.
 */
#ifndef REPL_SHEET_H
#define REPL_SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dbg.h"

#include "base/str.h"

struct repl;

enum sheet_kind {
	SHEET_NUMBER,
	SHEET_ADDRESS, /* hexadecimal; a string in JSON */
	SHEET_TEXT,    /* foreign text */
	SHEET_BOOL,
	SHEET_ADDRESSES, /* of a list */
};

enum {
	SHEET_COLUMNS_MAX = 16,
};

struct sheet_column {
	const char *title; /* NULL: for JSON alone */
	const char *key;   /* in JSON */
	enum sheet_kind kind;
	int width; /* characters at least; 0: the last one, not padded */
};

/* A cell; one that is absent is no property in JSON, and blank in a table. */
struct sheet_cell {
	uint64_t number;
	const char *text;
	bool absent;
	const uint64_t *list; /* of @number */
};

struct sheet {
	struct repl *r;
	struct dbg_stopped at;
	bool json;
	bool first;   /* no property or row yet */
	bool narrow;  /* no titles */
	bool damaged; /* sentences told that something cannot be read */
	int indent;   /* blanks before a row of text */
	const struct sheet_column *columns;
	size_t n_columns;
	struct str line;
	/* Rows of text that are not printed yet: see sheet.c. */
	struct str held;
	size_t n_held;
	bool streaming; /* none is held any more */
	int widths[SHEET_COLUMNS_MAX];
};

/* Begin a sheet of one object; @json: print it as JSON. */
void sheet_begin(struct sheet *s, struct repl *r, struct dbg_stopped at,
		 bool json);
void sheet_end(struct sheet *s);

/*
 * Add properties of the outermost object, in JSON only: in text the caller
 * prints them.
 */
void sheet_number(struct sheet *s, const char *key, uint64_t n);
void sheet_text(struct sheet *s, const char *key, const char *text);
void sheet_address(struct sheet *s, const char *key, uint64_t addr);
/* @json: a value. */
void sheet_json(struct sheet *s, const char *key, const char *json);

/*
 * Begin rows, which are the property @key in JSON. In text, the columns' titles
 * are printed before the first row.
 */
void sheet_rows(struct sheet *s, const char *key,
		const struct sheet_column *columns, size_t n);
/* Add a row of as many cells as there are columns. */
void sheet_row(struct sheet *s, const struct sheet_cell *cells);
/* Add a line of text below the last row; nothing in JSON. */
void sheet_line(struct sheet *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void sheet_rows_end(struct sheet *s);

/* Begin a row that is an object with properties of its own, in JSON only. */
void sheet_object(struct sheet *s);
/* Add @n properties, each with the name of its column, in JSON only. */
void sheet_cells(struct sheet *s, const struct sheet_column *columns, size_t n,
		 const struct sheet_cell *cells);
void sheet_object_end(struct sheet *s);

/* Print @n sentences: in JSON the property @key, in text a line each. */
void sheet_sentences(struct sheet *s, const char *key, const char *const *v,
		     size_t n);

#define SHEET_COLUMNS(v) (v), sizeof(v) / sizeof(*(v))

#endif
