/* Names: of all in a metadata image, or of a type as the DAC spells it. */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "meta/csname.h"
#include "meta/md.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	MAX_ROWS = 40
};

static void print_text(const uint8_t *data, size_t size)
{
	_cleanup_str_ struct str s = {NULL, 0, 0};
	char *text = xmalloc(size + 1);
	struct arena *arena = arena_create();

	memcpy(text, data, size);
	text[size] = '\0';
	csname_from_dac(text, &s);
	csname_source_name(arena, text);
	csname_keyword(text);
	arena_destroy(arena);
	mem_free_ptr(&text);
}

static void print_row(const struct md *md, uint32_t rid)
{
	static const uint8_t types[] = {MD_TYPEREF, MD_TYPEDEF, MD_TYPESPEC};
	static const char *const given[] = {"A", "B"};
	struct csname_args args = {.type_args = given,
				   .n_type_args = 2,
				   .method_args = given,
				   .n_method_args = 1};
	_cleanup_str_ struct str s = {NULL, 0, 0};

	for (size_t i = 0; i < sizeof(types); i++) {
		str_clear(&s);
		csname_type(md, MD_TOKEN(types[i], rid), &args, &s);
		csname_metadata_type(md, MD_TOKEN(types[i], rid), &s);
	}
	str_clear(&s);
	csname_method(md, MD_TOKEN(MD_METHODDEF, rid), true, NULL, &s);
	csname_method(md, MD_TOKEN(MD_METHODDEF, rid), true, &args, &s);
	csname_kickoff(md, rid);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct dbg_error *err;
	struct md md;

	err = md_parse((struct bytes){data, size}, &md);
	if (err) {
		dbg_error_destroy(err);
		print_text(data, size);
		return 0;
	}
	for (uint32_t rid = 0; rid < MAX_ROWS; rid++)
		print_row(&md, rid);
	return 0;
}
