/*
 * C++ names as their author wrote them. The library that can do it is the
 * C++ runtime, which the DAC brings into our process: without it names stay
 * as the linker knows them.
 */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "target/target.h"

enum {
	MANGLED_MAX = 4096,
	PLAIN_MAX = 512, /* of what is shown */
};

typedef char *demangle_fn(const char *name, char *buf, size_t *size,
			  int *status);

const char *target_demangle(const char *name, struct arena *arena)
{
	int status = -1;

	if (name[0] != '_' || name[1] != 'Z' || strlen(name) > MANGLED_MAX)
		return name;
	void *lib = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD);
	if (!lib)
		return name;
	demangle_fn *demangle = (demangle_fn *)dlsym(lib, "__cxa_demangle");
	_cleanup_free_ char *plain =
	    demangle ? demangle(name, NULL, NULL, &status) : NULL;
	dlclose(lib);
	if (status || !plain)
		return name;
	return arena_strndup(arena, plain, strnlen(plain, PLAIN_MAX));
}
