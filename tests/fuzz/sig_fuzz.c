/* Signatures of every kind, and their text over empty metadata. */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "meta/csname.h"
#include "meta/md.h"
#include "meta/sig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print(const struct sig_type *type)
{
	_cleanup_str_ struct str s = {NULL, 0, 0};
	struct md md;

	memset(&md, 0, sizeof(md));
	csname_sig(&md, type, MD_TOKEN(MD_METHODDEF, 1), NULL, &s);
}

static void drop(struct dbg_error *err, const struct sig_type *type)
{
	if (!err)
		print(type);
	dbg_error_destroy(err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes b = {data, size};
	struct arena *arena = arena_create();
	struct sig_type *type = NULL, **types;
	struct sig_method *method;
	struct dbg_error *err;
	uint32_t n;

	err = sig_parse_method(b, arena, &method);
	if (!err) {
		print(method->ret);
		for (uint32_t i = 0; i < method->n_params; i++)
			print(method->params[i]);
	}
	dbg_error_destroy(err);
	err = sig_parse_field(b, arena, &type);
	drop(err, type);
	err = sig_parse_type(b, arena, &type);
	drop(err, type);
	dbg_error_destroy(sig_parse_locals(b, arena, &types, &n));
	dbg_error_destroy(sig_parse_methodspec(b, arena, &types, &n));
	arena_destroy(arena);
	return 0;
}
