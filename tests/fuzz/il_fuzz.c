/*
 * IL: two bytes of length, that much metadata, then a method body, whose
 * instructions are printed.
 */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "meta/il.h"
#include "meta/md.h"
#include "meta/pe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print(const struct md *md, struct bytes code)
{
	_cleanup_str_ struct str s = {NULL, 0, 0};
	struct il_insn insn;

	for (uint32_t at = 0; il_decode(code, at, &insn); at += insn.size) {
		str_clear(&s);
		il_text(md, MD_TOKEN(MD_METHODDEF, 1), &insn, &s);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_create();
	struct dbg_error *err;
	struct il_body body;
	struct reader r;
	struct md md;

	reader_init(&r, data, size);
	uint16_t n = reader_u16(&r);
	struct bytes meta = reader_bytes(&r, n);
	struct bytes rest = reader_bytes(&r, reader_left(&r));
	err = md_parse(meta, &md);
	bool have_md = !err;
	dbg_error_destroy(err);
	err = il_body_parse(rest, arena, &body);
	print(have_md ? &md : NULL, err ? rest : body.code);
	dbg_error_destroy(err);
	arena_destroy(arena);
	return 0;
}
