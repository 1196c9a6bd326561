/* Habits of netcoredbg that more than one front end takes on in its place. */
#ifndef FRONT_NETCOREDBG_H
#define FRONT_NETCOREDBG_H

#include "dbg.h"

/*
 * The words of an evaluation of @expr (NULL: not known) that failed, as its
 * clients look for them: what the compiler finds begins with "error", a call
 * that fits no method with @fault and the number of E_INVALIDARG. Takes @err
 * and returns it.
 */
DBG_MUST struct dbg_error *
netcoredbg_error(struct dbg_error *err, const char *fault, const char *expr);

#endif
