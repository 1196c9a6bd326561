#include "codefixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"

const char *codefixture_dir(struct arena *arena)
{
	const char *cache = getenv("DNDBG_CACHE");

	if (cache && *cache)
		return arena_printf(arena, "%s/fixtures", cache);
	const char *home = getenv("HOME");
	return arena_printf(arena, "%s/.cache/dndbg/fixtures",
			    home ? home : "");
}

void codefixture_init(struct codefixture *f, const char *config,
		      const char *name)
{
	struct dbg_error *err;
	const char *note;

	memset(f, 0, sizeof(*f));
	f->arena = arena_create();
	f->rules = source_rules_create();
	f->code = code_create(NULL, NULL, f->rules, NULL);
	struct dac_module dm = {
	    .addr = 0x1000,
	    .path = arena_printf(f->arena, "%s/%s/%s/%s.dll",
				 codefixture_dir(f->arena), config, name, name),
	    .name = name,
	};
	err = code_module_add(f->code, &dm, &f->module);
	assert_null(err);
	if (!md_rows(&f->module->md, MD_TYPEDEF))
		fail_msg("'%s': %s (run scripts/build-fixtures)", dm.path,
			 f->module->symbols_note);
	const char *file = arena_printf(f->arena, "%s.cs", name);
	err = source_lines(f->code, file, &f->lines, &f->n_lines, &note);
	if (err)
		fail_msg("%s", err->message);
	assert_null(note);
}

void codefixture_deinit(struct codefixture *f)
{
	code_destroy(f->code);
	source_rules_destroy(f->rules);
	arena_destroy(f->arena);
}

uint32_t codefixture_mark(const struct codefixture *f, const char *mark)
{
	_cleanup_free_ char *text = xasprintf("// @%s", mark);

	for (size_t i = 0; i < f->n_lines; i++)
		if (str_ends(f->lines[i], text))
			return (uint32_t)i + 1;
	fail_msg("no mark '%s'", mark);
	return 0;
}
