/* Methods that a test framework runs. */
#ifndef INSPECT_TESTCASE_H
#define INSPECT_TESTCASE_H

#include "dbg.h"

struct inspect;
struct task;
struct tasks;

/*
 * Find the oldest frame of @thread, with the callers of async methods, that
 * runs a test of xunit, NUnit, MSTest or TUnit, or a lambda or local function
 * of one; false: it runs none. (All stopped.)
 */
bool testcase_find(struct inspect *in, uint32_t thread, struct dbg_test *ret);
/* Is @task a call of an async method that is a test? */
bool testcase_of_task(struct inspect *in, const struct tasks *t,
		      const struct task *task, struct dbg_test *ret);

#endif
