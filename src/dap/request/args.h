/*
 * Typed reading of a request's arguments. What is absent or null leaves the
 * result as it is; what has another type is an error that names it. Some
 * clients fill in what they do not know: an empty string is as good as absent
 * where no string is meant, and so is false for an object or an array.
 */
#ifndef DAP_ARGS_H
#define DAP_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "dbg.h"

/* The member @name of @obj, NULL if it is absent or null; case counts. */
const cJSON *args_get(const cJSON *obj, const char *name);

DBG_MUST struct dbg_error *args_str(const cJSON *obj, const char *name,
				    const char **ret);
/* Get a keyword; an empty string counts as absent. */
DBG_MUST struct dbg_error *args_word(const cJSON *obj, const char *name,
				     const char **ret);
DBG_MUST struct dbg_error *args_bool(const cJSON *obj, const char *name,
				     bool *ret);
/* A whole number from 0 to 2^53. */
DBG_MUST struct dbg_error *args_u64(const cJSON *obj, const char *name,
				    uint64_t *ret);
DBG_MUST struct dbg_error *args_u32(const cJSON *obj, const char *name,
				    uint32_t *ret);
/* A whole number of either sign. */
DBG_MUST struct dbg_error *args_i64(const cJSON *obj, const char *name,
				    int64_t *ret);
DBG_MUST struct dbg_error *args_array(const cJSON *obj, const char *name,
				      const cJSON **ret);
DBG_MUST struct dbg_error *args_object(const cJSON *obj, const char *name,
				       const cJSON **ret);

/* As args_str and so on, but absence is an error. */
DBG_MUST struct dbg_error *args_need(const cJSON *obj, const char *name);

/* "0x..." or decimal digits and nothing else. */
bool args_parse_addr(const char *s, uint64_t *ret);

#endif
