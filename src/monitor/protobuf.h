/* Messages of protocol buffers, and gzip, as far as pprof's files need them. */
#ifndef MONITOR_PROTOBUF_H
#define MONITOR_PROTOBUF_H

#include "base/str.h"

/* Append a number of variable length alone. */
void protobuf_varint(struct str *to, uint64_t n);
/* Append a field: a number; a text, a message, or numbers in a row. */
void protobuf_number(struct str *to, unsigned int field, uint64_t n);
void protobuf_bytes(struct str *to, unsigned int field, const char *bytes,
		    size_t n);
/* Append @n bytes, compressed as a file of gzip. */
void gzip_add(struct str *to, const char *bytes, size_t n);

#endif
