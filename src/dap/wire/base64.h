/* Base64 (RFC 4648, with padding). */
#ifndef DAP_BASE64_H
#define DAP_BASE64_H

#include <stdbool.h>
#include <stddef.h>

/* The caller frees. */
char *base64_encode(const void *bytes, size_t n);
/* False if @s is no base64; else the caller frees *@ret, never NULL. */
bool base64_decode(const char *s, unsigned char **ret, size_t *ret_n);

#endif
