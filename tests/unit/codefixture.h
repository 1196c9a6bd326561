/* The code room over a compiled fixture, without a process. */
#ifndef TESTS_CODEFIXTURE_H
#define TESTS_CODEFIXTURE_H

#include "base/mem.h"
#include "code/code.h"
#include "code/source.h"

struct codefixture {
	struct source_rules *rules;
	struct code *code;
	struct code_module *module;
	struct arena *arena;
	const char *const *lines; /* of the fixture's source */
	size_t n_lines;
};

/* Load @config/@name/@name.dll; the test fails if it is not there. */
void codefixture_init(struct codefixture *f, const char *config,
		      const char *name);
void codefixture_deinit(struct codefixture *f);
/* Path of the fixtures' directory. */
const char *codefixture_dir(struct arena *arena);
/* The line that ends in "// @mark"; the test fails if there is none. */
uint32_t codefixture_mark(const struct codefixture *f, const char *mark);

#endif
