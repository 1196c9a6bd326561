/*
 * The fixture Inspect on one runtime, stopped with its threads at rest, and
 * its DAC.
 */
#ifndef TESTS_DACFIXTURE_H
#define TESTS_DACFIXTURE_H

#include "base/mem.h"
#include "dac/dac.h"
#include "meta/md.h"
#include "targetfixture.h" /* must, must_fail */

struct dacfixture {
	struct arena *arena;
	struct target *t;
	struct dac *d;
	struct dac_module *modules;
	size_t n_modules;
	uint64_t module; /* of the fixture itself */
	struct md core;  /* the core library */
	struct target_thread *threads;
	size_t n_threads;
	pid_t main_tid;
};

/* A managed frame and its method's name. */
struct dacframe {
	struct dac_frame frame;
	const char *name;
};

/* Path of the runtime's dotnet, NULL if scripts/fetch-runtimes did not run. */
const char *dacfixture_host(const char *major, struct arena *arena);
/* Path of a fixture, given as "Debug/Orders"; it must be there. */
const char *dacfixture_dll(struct arena *arena, const char *program);
/*
 * Start the fixture @program ("Debug/Inspect") and stop it once it has written
 * "rest" in a line, the last one of what is appended to @said.
 */
struct str;
struct target *dacfixture_start(struct arena *arena, const char *host,
				const char *program, bool optimized,
				struct str *said);
struct dac *dacfixture_open(struct target *t, struct arena *arena);
/* @optimized: no tier 0, so that variables live in registers. */
struct dacfixture *dacfixture_create(const char *host, const char *config,
				     bool optimized);
void dacfixture_destroy(struct dacfixture *f);

/* All items of a walk with a managed or, with @all, any kind of frame. */
size_t dacfixture_walk(struct dacfixture *f, pid_t tid, bool all,
		       struct dacframe **ret);
/* The newest frame whose method's name has @part in it, on any thread. */
struct dacframe dacfixture_frame(struct dacfixture *f, const char *part,
				 pid_t *ret_tid);
/* The MethodTable of the fixture's type of that name (metadata spelling). */
uint64_t dacfixture_type(struct dacfixture *f, const char *name);
/* The first MethodDef token that has code named with @part. */
uint32_t dacfixture_method(struct dacfixture *f, const char *part);
const char *dacfixture_type_name(struct dacfixture *f, uint64_t mt);
uint64_t dacfixture_u64(struct dacfixture *f, uint64_t addr);
/* The text of a System.String. */
const char *dacfixture_string(struct dacfixture *f, uint64_t object);

#endif
