/* Properties of one thing: a line "Title: value" each, or one of JSON's. */
#ifndef REPL_CMD_TYPE_H
#define REPL_CMD_TYPE_H

#include "repl/heap/sheet.h"

/* 0 and NULL are left out. */
void property_address(struct sheet *s, const char *title, const char *key,
		      uint64_t addr);
enum {
	TOKEN_TEXT = 16
};
const char *token_text(uint32_t token, char text[TOKEN_TEXT]);
void property_text(struct sheet *s, const char *title, const char *key,
		   const char *text);
void property_number(struct sheet *s, const char *title, const char *key,
		     uint64_t n);

#endif
