/* Declarations shared by the files of code/. */
#ifndef CODE_CODE_PRIV_H
#define CODE_CODE_PRIV_H

#include "base/file.h"
#include "base/map.h"
#include "code/code.h"
#include "code/module.h"
#include "code/source.h"

/* A method's sequence points in IL order; n 0: none. */
struct module_points {
	struct seq_point *points;
	size_t n;
};

/* A code_module and what only this room knows of it. */
struct module {
	struct code_module m; /* first: see module_of */
	struct file file;
	char *place;         /* where that was, NULL: there is none */
	uint8_t *copy;       /* image or metadata from memory */
	struct arena *arena; /* dies with the module */
	struct module_updates *updates; /* NULL: none */
	struct module_texts *texts;     /* NULL: none, see update.c */
	struct map points; /* MethodDef rid, version: struct module_points */
	struct arena *points_arena; /* ... until the next update; NULL: none */
	struct map traits;          /* MethodDef rid: bits, see traits.c */
	const char **paths;         /* by document rid - 1, substituted */
	uint32_t n_paths;
	unsigned int path_age;       /* source_rules_age they were made at */
	unsigned int n_sought;       /* documents that were nowhere */
	bool here_known, here;       /* see code_module_is_here */
	bool filters_known, filters; /* see code_has_filters */
	unsigned int here_age;       /* source_rules_age it was found at */
};

static inline struct module *module_of(struct code_module *m)
{
	return (struct module *)(void *)m;
}

/* A text that source_lines handed out. */
struct source_text {
	char *path;
	char *data;
	const char **lines;
	size_t n_lines;
	const char *note;
};

struct code {
	struct target *target;
	struct dac *dac;
	const struct source_rules *rules;
	struct source_rules *found; /* made of files found by checksum */
	const struct symbol_rules *symbols;
	char *bundle; /* the program that holds the assemblies, NULL: none */
	struct code_module **modules; /* in order of loading */
	size_t n_modules, cap_modules;
	uint32_t last_number;
	struct map by_addr;
	struct module **unloaded;
	size_t n_unloaded, cap_unloaded;
	char **missing; /* files that there are not: the last n_missed */
	size_t n_missed, cap_missing;
	uint32_t age; /* see code_modules_age */
	struct source_text *texts;
	size_t n_texts, cap_texts;

	/* caches by address; code_forget empties them */
	struct arena *cache;
	struct map positions, versions, methods, types;
	unsigned int path_age;
};

/* ---- Lines that an edit has moved; see update.c -------------------------- */

/* NULL: none. */
void texts_destroy(struct module_texts *t);
/* The module was loaded: keep the texts that updates may change. */
void texts_keep(struct code *c, struct module *mod);

/* ---- recover.c ------------------------------------------------------- */

/*
 * Find out which lines earlier updates have moved, whose texts were not seen,
 * by the methods' places in the texts that are kept. Returns the number of
 * methods whose lines remain unknown.
 */
uint32_t texts_recover(struct module *mod);

/*
 * Is there nothing but blanks and comments in the text of a document from @line
 * up to before @end? False: its text is not known.
 */
bool texts_is_blank(const struct module *mod, uint32_t document, uint32_t line,
		    uint32_t end);

/* ---- code.c ---------------------------------------------------------- */

/* A module was updated: drop what is cached about its code. */
void code_module_changed(struct code *c);

/* ---- module.c ------------------------------------------------------ */

void unloaded_deinit(struct code *c);
/*
 * The program has loaded @m: if it was read from its file before,
 * code_modules_age grows.
 */
void unloaded_loaded(struct code *c, const struct code_module *m);

/*
 * @image: the bytes of the module's file, allocated, which the module takes
 * over; if empty, the file is searched for.
 */
struct module *module_create(struct code *c, const struct dac_module *dm,
			     struct bytes image);
void module_destroy(struct module *mod);
/* Take the PDB that it was loaded with from memory, if there is one. */
bool module_take_symbols(struct code *c, struct module *mod);
/*
 * The sequence points of a MethodDef's newest body, cached. If they cannot be
 * parsed, there are none.
 */
const struct module_points *module_points(struct module *mod, uint32_t token);
/* The sequence points of the given version of its body. */
const struct module_points *module_points_of(struct module *mod, uint32_t token,
					     uint32_t version);
/* Path of a document after substitution; "" if there is none; cached. */
const char *module_document(struct code *c, struct module *mod, uint32_t rid);
/* Newest IL body of a method; n 0 in code if there is none. */
void module_body(const struct code_module *m, uint32_t token,
		 struct arena *arena, struct il_body *ret);
/* The IL body that the code at @pos was compiled from. */
void module_body_at(const struct code_pos *pos, struct arena *arena,
		    struct il_body *ret);

/* ---- update.c ------------------------------------------------------ */

/* NULL: none. */
void updates_destroy(struct module_updates *u);
/* Which version of the method's body the code was compiled from. */
uint32_t update_version_of_code(struct code *c, const struct code_module *m,
				uint32_t token, const struct dac_code *code);

/* ---- source.c -------------------------------------------------------- */

/* Does the path come from Windows, where case makes no difference? */
bool source_is_windows(const char *path);
/* Changes whenever a document may have another path. */
unsigned int source_age(const struct code *c);
/*
 * Search for the file of document @rid, which is not at @path: by where other
 * files were found, beside the module and in the current directory. A file
 * counts if it has the document's checksum. Returns its path, in the module's
 * arena; @path if there is none.
 */
const char *source_seek(struct code *c, struct module *mod, uint32_t rid,
			const char *path);
/*
 * Is the file @path document @rid, by its checksum? Then that is where it is
 * from now on, and its neighbours are beside it.
 */
bool source_is_text(struct code *c, struct module *mod, uint32_t rid,
		    const char *path);

/* Are these bytes the file of document @rid, by its checksum? */
bool source_is_compiled(const struct module *mod, uint32_t rid, struct bytes b);
/*
 * A note on the text of document @rid, if it is not what was compiled; else
 * NULL.
 */
const char *source_note(struct code *c, struct module *mod, uint32_t rid);
/* Changes whenever the rules do. @r may be NULL. */
unsigned int source_rules_age(const struct source_rules *r);
void source_forget(struct code *c);

/* ---- pos.c ----------------------------------------------------------- */

/*
 * Where the range of IL that the code's map at @ip counts to @il_offset ends;
 * UINT32_MAX: at the method's end.
 */
uint32_t pos_il_end(struct code *c, uint64_t ip, uint32_t il_offset);

/* Make of @pos the position at another IL offset of its method's body. */
void pos_set_il(struct code *c, uint32_t il_offset, struct code_pos *pos);

/* ---- place.c --------------------------------------------------------- */

/* Does @file match the document at all? */
bool place_is_document(struct code *c, struct module *mod, uint32_t rid,
		       const char *file);

/* A growing list of places in an arena. */
struct place_list {
	struct arena *arena;
	struct code_place *places;
	size_t n, cap;
};

void place_add(struct place_list *list, const struct code_place *place);

/* ---- name.c ---------------------------------------------------------- */

enum {
	DACNAME_MAX_ARGS = 32
};

struct dacname_args {
	const char *args[DACNAME_MAX_ARGS]; /* C#; NULL: shared code */
	size_t n;
};

/* The generic arguments in the DAC's name of a method. */
void dacname_args(const char *dac, struct arena *arena,
		  struct dacname_args *type, struct dacname_args *method);
/* The DAC's name of a method, with the types of its parameters in C#. */
const char *dacname_csharp(const char *dac, struct arena *arena);

#endif
