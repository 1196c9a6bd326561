/* The classes whose static constructors are at work in this stop. */
#ifndef INSPECT_CLASSRUNS_H
#define INSPECT_CLASSRUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct inspect;

struct class_run {
	uint64_t type; /* MethodTable */
	uint32_t thread;
};

/* All class runs of a stop, in its arena. */
struct class_runs {
	const struct class_run *v;
	size_t n;
	bool found;
};

/* Look for them on the stacks, once a stop; borrowed until the next one. */
const struct class_runs *class_runs_find(struct inspect *in);
/* Is a thread running the static constructor of the class @mt (MethodTable)? */
bool class_runs_have(struct inspect *in, uint64_t mt);

#endif
