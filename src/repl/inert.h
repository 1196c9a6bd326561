/* Settings of gdb's that change nothing: inert.c. */
#ifndef REPL_INERT_H
#define REPL_INERT_H

#include <stdbool.h>

struct repl;

/* Keep "NAME VALUE"; false: it is another setting. */
bool inert_set(struct repl *r, const char *text);
/* Print one; false: there is none of this name. */
bool inert_show(struct repl *r, const char *name);
void inerts_deinit(struct repl *r);

#endif
