/*
 * JSON (RFC 8259) read in place: values are stretches of borrowed bytes, looked
 * into when asked for. What is broken or nested too deep is {NULL, 0} or
 * absent; nothing outside of the bytes is read.
 */
#ifndef META_JSONVALUE_H
#define META_JSONVALUE_H

#include "base/reader.h"

/* The value in @text, without the space around it. */
struct bytes jsonvalue_parse(struct bytes text);
/* The member of an object by its key, which has no escapes. */
struct bytes jsonvalue_member(struct bytes object, const char *key);
/* Element @i of an array. */
struct bytes jsonvalue_element(struct bytes array, size_t i);
/* A whole number, or a string of one, in decimal or with 0x in hexadecimal. */
bool jsonvalue_number(struct bytes value, uint64_t *ret);
/* The text between the quotes of a string, escapes unchanged. */
struct bytes jsonvalue_string(struct bytes value);

#endif
