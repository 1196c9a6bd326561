/*
 * A program in C that hosts .NET: embedder Embedded.dll. DOTNET_ROOT says where
 * the runtime is. It weighs by managed code, which calls convert.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	LOAD_ASSEMBLY = 5,
};
#define UNMANAGED_CALLERS_ONLY ((const char *)-1)

struct sample {
	int32_t count;
	double weight;
	const char *name;
};

typedef double convert_fn(double value);
typedef double weigh_fn(struct sample *sample, convert_fn *convert);

static double convert(double value)
{
	return value / 2;
}

static void *need(void *found, const char *what)
{
	if (!found) {
		fprintf(stderr, "no %s\n", what);
		exit(2);
	}
	return found;
}

static weigh_fn *load(const char *dll)
{
	char *pattern, *config = strdup(dll);
	glob_t files;

	if (asprintf(&pattern, "%s/host/fxr/*/libhostfxr.so",
		     getenv("DOTNET_ROOT")) < 0 ||
	    glob(pattern, 0, NULL, &files) != 0)
		exit(2);
	void *lib = need(dlopen(files.gl_pathv[0], RTLD_NOW), "libhostfxr");
	int (*start)(const char *, const void *, void **) = need(
	    dlsym(lib, "hostfxr_initialize_for_runtime_config"), "initialize");
	int (*get)(void *, int, void **) =
	    need(dlsym(lib, "hostfxr_get_runtime_delegate"), "delegate");
	int (*method)(const char *, const char *, const char *, const char *,
		      void *, void **);
	void *context, *delegate, *weigh;

	strcpy(strrchr(config, '.'), "");
	if (asprintf(&config, "%s.runtimeconfig.json", config) < 0 ||
	    start(config, NULL, &context) < 0 ||
	    get(context, LOAD_ASSEMBLY, &delegate) < 0)
		exit(3);
	method = delegate;
	if (method(dll, "Scale, Embedded", "Weigh", UNMANAGED_CALLERS_ONLY,
		   NULL, &weigh) < 0)
		exit(4);
	return weigh;
}

int main(int argc, char **argv)
{
	struct sample samples[] = {{3, 1.5, "pears"}, {7, 0.25, "plums"}};

	if (argc < 2)
		return 2;
	weigh_fn *weigh = load(argv[1]);
	for (int i = 0; i < 2; i++)
		printf("%s weigh %g\n", samples[i].name,
		       weigh(&samples[i], convert));
	return 7;
}
