/* Methods that a test framework runs. */
#ifndef INSPECT_TESTCASE_H
#define INSPECT_TESTCASE_H

#include "dbg.h"

struct inspect;

/*
 * The oldest frame of @thread, callers of async methods among them, that runs a
 * test of xunit, NUnit, MSTest or TUnit, or a lambda or local function of one;
 * false if it runs none. (All stopped.)
 */
bool testcase_find(struct inspect *in, uint32_t thread, struct dbg_test *ret);

#endif
