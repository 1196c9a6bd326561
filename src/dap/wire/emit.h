/*
 * JSON as text, written from front to back: no tree is built. Everything is
 * valid JSON in UTF-8 whatever the strings hold. @key is NULL inside arrays.
 */
#ifndef DAP_EMIT_H
#define DAP_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

void emit_object(struct str *t, const char *key);
void emit_object_end(struct str *t);
void emit_array(struct str *t, const char *key);
void emit_array_end(struct str *t);
/* A value that is JSON already. */
void emit_json(struct str *t, const char *key, const char *json);
/* Append a string member; nothing if @s is NULL. */
void emit_str(struct str *t, const char *key, const char *s);
void emit_strn(struct str *t, const char *key, const char *s, size_t n);
void emit_strf(struct str *t, const char *key, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void emit_int(struct str *t, const char *key, int64_t n);
void emit_bool(struct str *t, const char *key, bool b);
/* Lower-case hex with 0x, as a string. */
void emit_addr(struct str *t, const char *key, uint64_t addr);

#endif
