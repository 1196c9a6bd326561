/* Properties of one thing: a line "Title: value" each, or one of JSON's. */
#ifndef REPL_PROPERTY_H
#define REPL_PROPERTY_H

#include "repl/heap/sheet.h"

/* 0 and NULL are left out. */
void property_address(struct sheet *s, const char *title, const char *key,
		      uint64_t addr);
/* A metadata token, 0x and eight digits. */
void property_token(struct sheet *s, const char *title, const char *key,
		    uint32_t token);
enum {
	TOKEN_TEXT = 16
};
const char *token_text(uint32_t token, char text[TOKEN_TEXT]);
void property_text(struct sheet *s, const char *title, const char *key,
		   const char *text);
void property_number(struct sheet *s, const char *title, const char *key,
		     uint64_t n);

#endif
