/* Errors made by a front end itself, in the engine's form. */
#ifndef FRONT_FAULT_H
#define FRONT_FAULT_H

#include "dbg.h"

/* Make an error; the caller owns it. Never NULL. */
DBG_MUST struct dbg_error *fault(enum dbg_code code, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Wrong words of the user: fault(DBG_E_ARGUMENT, ...). */
DBG_MUST struct dbg_error *fault_arg(const char *fmt, ...)
    __attribute__((format(printf, 1, 2)));

#endif
