#include "ilfixture.h"

#include <stdlib.h>

struct ilfixture *ilfixture_create(const char *host, const char *program)
{
	struct ilfixture *f = xcalloc(1, sizeof(*f));

	f->arena = arena_create();
	f->t = dacfixture_start(f->arena, host, program, false, &f->said);
	f->d = dacfixture_open(f->t, f->arena);
	f->code = code_create(f->t, f->d, NULL, NULL);
	must(code_modules_read(f->code));
	f->values = values_create(f->t, f->d, f->code);
	values_stop(f->values);
	f->types = values_types(f->values);
	f->module = code_module_named(f->code, str_basename(program));
	assert_non_null(f->module);
	return f;
}

void ilfixture_destroy(struct ilfixture *f)
{
	values_destroy(f->values);
	code_destroy(f->code);
	dac_close(f->d);
	target_destroy(f->t);
	str_deinit(&f->said);
	arena_destroy(f->arena);
	free(f);
}
