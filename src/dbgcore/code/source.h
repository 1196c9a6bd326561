/* Source files: substitute-path rules, text from disk or from the PDB. */
#ifndef CODE_SOURCE_H
#define CODE_SOURCE_H

#include "dbg.h"

struct arena;
struct code;
struct code_module;
struct source_rules;

struct source_rules *source_rules_create(void);
void source_rules_destroy(struct source_rules *r);
void source_rules_add(struct source_rules *r, const char *from, const char *to);
void source_rules_clear(struct source_rules *r);
/* "FROM -> TO", a line each, for `show`, in @arena. */
const char *source_rules_text(const struct source_rules *r,
			      struct arena *arena);
/*
 * Directories to look in for what is not where the rules say, with ":" between;
 * the text as it was set.
 */
void source_rules_set_directories(struct source_rules *r, const char *text);
const char *source_rules_directories(const struct source_rules *r);
/*
 * @path rewritten by the first rule whose FROM is a leading path, or found in a
 * directory by as much of its end as is there; in @arena.
 */
const char *source_rules_apply(const struct source_rules *r, const char *path,
			       struct arena *arena);

/*
 * Lines of a source file named as users name files. Text from disk if it is
 * there, else embedded in a PDB. Kept by @c. *ret_note: checksum differs, or
 * NULL.
 */
DBG_MUST struct dbg_error *source_lines(struct code *c, const char *file,
					const char *const **ret_lines,
					size_t *ret_n, const char **ret_note);

/*
 * The first module whose symbols name the source file @path, just so; NULL:
 * none does. *ret_here: can its text be had, as by source_lines? *ret_away: a
 * rule leads it to a folder that is not here.
 */
const struct code_module *source_owner(struct code *c, const char *path,
				       bool *ret_here, bool *ret_away);

#endif
