/*
 * Format specifiers, as Visual Studio has them, behind an expression: `n,h` in
 * hexadecimal, `text,nq` without quotes, `list,raw` by its fields.
 */
#ifndef VIEW_FORM_H
#define VIEW_FORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct form {
	bool raw;     /* fields, whatever the type's author says */
	bool bare;    /* nq: a string without quotes */
	bool hidden;  /* also members that are not public, or not browsable */
	bool results; /* what enumerating it yields */
	char letter;  /* of numbers, its parts' too: see view_format; 0: none */
	uint32_t count; /* elements of an array or behind a pointer; 0: all */
};

/* Length of the expression in front of the specifiers of @text, if any. */
size_t form_parse(const char *text, struct form *ret);

#endif
