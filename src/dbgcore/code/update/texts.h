/* Texts of a module's files, for what updates have moved in them. */
#ifndef CODE_UPDATE_TEXTS_H
#define CODE_UPDATE_TEXTS_H

#include <stdbool.h>
#include <stddef.h>

struct line {
	const char *p;
	size_t n;
};

struct lines {
	struct line *v;
	size_t n;
};

/* The lines of @text, without their ends; v is freed by the caller. */
struct lines lines_of(const char *text);

/* The texts of a module's documents by rid - 1; NULL: not known. */
struct module_texts {
	char **v;
	size_t n;
};

/*
 * A text of C# as its sequence points count it: a character for each unit of
 * UTF-16, comments and directives blank, and strings full of quotes, so that
 * all braces are code's.
 */
struct plain {
	char *text; /* freed by plain_deinit */
	struct lines lines;
	bool conditional; /* it has #if: part of it may be no code */
};

void plain_init(const char *text, struct plain *ret);
void plain_deinit(struct plain *p);

#endif
