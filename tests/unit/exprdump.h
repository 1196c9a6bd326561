/* Trees of expressions as text, for tests: operators fully parenthesised. */
#ifndef TESTS_EXPRDUMP_H
#define TESTS_EXPRDUMP_H

#include "base/str.h"
#include "eval/syntax/statement.h"

void expr_dump(const struct expr *e, struct str *out);

#endif
