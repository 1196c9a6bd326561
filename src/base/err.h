/* Errors as values: make, extend, drop. The type itself is in dbg.h. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdarg.h>

#include "dbg.h"

/* Make an error; the caller owns it. Never NULL. */
DBG_MUST struct dbg_error *dbg_err(enum dbg_code code, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* An error about an argument that a user or client gave (DBG_E_ARGUMENT). */
DBG_MUST struct dbg_error *dbg_err_arg(const char *fmt, ...)
    __attribute__((format(printf, 1, 2)));

/* As dbg_err, ending in ": " and the text of @errnum. */
DBG_MUST struct dbg_error *dbg_err_errno(enum dbg_code code, int errnum,
					 const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Put context and ": " before @err's message; returns @err. */
DBG_MUST struct dbg_error *dbg_err_prefix(struct dbg_error *err,
					  const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Put what is formatted behind @err's message; returns @err. */
DBG_MUST struct dbg_error *dbg_err_suffix(struct dbg_error *err,
					  const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Note that the C# compiler reports this error as CS@number; returns @err. */
DBG_MUST struct dbg_error *dbg_err_cs(unsigned int number,
				      struct dbg_error *err);
/* The message, and behind it in parentheses that number; the caller's. */
char *dbg_err_text(const struct dbg_error *err);

/* Destroy @err, which may be NULL; was there one? */
bool dbg_err_drop(struct dbg_error *err);

/* The first of two that happened; the other is dropped. Either may be NULL. */
DBG_MUST struct dbg_error *dbg_err_first(struct dbg_error *a,
					 struct dbg_error *b);

#endif
