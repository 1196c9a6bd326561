/* Regular expressions (pcre2) that a user gives. */
#ifndef BASE_PATTERN_H
#define BASE_PATTERN_H

#include "dbg.h"

struct pattern;

/* Compile @text (UTF-8); the error says what is wrong with it. */
DBG_MUST struct dbg_error *pattern_create(const char *text,
					  struct pattern **ret);
void pattern_destroy(struct pattern *p);
/* Does some part of @text match? One that takes too long does not. */
bool pattern_matches(const struct pattern *p, const char *text);

#endif
