/*
 * A fixture on one runtime, stopped where it has written "rest", with the
 * type system of interpreted code over it.
 */
#ifndef TESTS_ILFIXTURE_H
#define TESTS_ILFIXTURE_H

#include "base/str.h"
#include "dacfixture.h"
#include "value/value.h"

struct ilfixture {
	struct arena *arena;
	struct target *t;
	struct dac *d;
	struct code *code;
	struct values *values;
	struct types *types;
	struct code_module *module; /* of the fixture */
	struct str said;
};

/* @program: "Debug/TypeFacts". */
struct ilfixture *ilfixture_create(const char *host, const char *program);
void ilfixture_destroy(struct ilfixture *f);

#endif
