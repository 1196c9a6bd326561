/* Facts of one thing: a line "Title: value" each, or a property in JSON. */
#ifndef REPL_FACT_H
#define REPL_FACT_H

#include "repl/heap/sheet.h"

/* 0 and NULL are left out. */
void fact_address(struct sheet *s, const char *title, const char *key,
		  uint64_t addr);
/* A metadata token, 0x and eight digits. */
void fact_token(struct sheet *s, const char *title, const char *key,
		uint32_t token);
enum {
	TOKEN_TEXT = 16
};
const char *token_text(uint32_t token, char text[TOKEN_TEXT]);
void fact_text(struct sheet *s, const char *title, const char *key,
	       const char *text);
void fact_number(struct sheet *s, const char *title, const char *key,
		 uint64_t n);

#endif
