/*
 * Function locations over metadata: two bytes of length, the location as a
 * user writes it, then a metadata image. The location's text is read as one
 * of the DAC's names too.
 */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "code/code_priv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_name(const char *text)
{
	struct arena *arena = arena_create();
	struct dacname_args type, method;

	dacname_args(text, arena, &type, &method);
	dacname_csharp(text, arena);
	arena_destroy(arena);
}

static void find(struct module *mod, char *text)
{
	struct dbg_error *err;
	struct arena *arena = arena_create();
	struct code_function fn = {.name = text};
	struct code_place *places;
	size_t n;

	char *paren = strchr(text, '(');
	if (paren) {
		*paren = '\0';
		fn.params = paren + 1;
	}
	err = code_find_function(NULL, &mod->m, &fn, arena, &places, &n);
	dbg_error_destroy(err);
	arena_destroy(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dbg_error *err;
	struct module mod = {.arena = arena_create()};
	struct reader r;

	reader_init(&r, data, size);
	struct bytes name = reader_bytes(&r, reader_u16(&r));
	struct bytes image = reader_bytes(&r, reader_left(&r));
	char *text = xstrndup(name.n ? (const char *)name.p : "", name.n);
	read_name(text);
	err = md_parse(image, &mod.m.md);
	if (!err)
		find(&mod, text);
	dbg_error_destroy(err);
	mem_free_ptr(&text);
	arena_destroy(mod.arena);
	return 0;
}
