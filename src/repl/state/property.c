/* Properties of one thing: see property.h. */
#include "repl/state/property.h"

#include <inttypes.h>
#include <string.h>

#include "front/plain.h"
#include "repl/repl_priv.h"
#include "repl/show/print.h"

enum {
	TITLE_WIDTH = 17
};

static void put_title(struct sheet *s, const char *title)
{
	out(s->r, "%s:%*s", title, TITLE_WIDTH - (int)strlen(title), "");
}

void property_address(struct sheet *s, const char *title, const char *key,
		      uint64_t addr)
{
	if (!addr)
		return;
	sheet_address(s, key, addr);
	if (s->json)
		return;
	put_title(s, title);
	out(s->r, "0x%" PRIx64 "\n", addr);
}

void property_text(struct sheet *s, const char *title, const char *key,
		   const char *text)
{
	if (!text)
		return;
	sheet_text(s, key, text);
	if (s->json)
		return;
	put_title(s, title);
	out(s->r, "%s\n", text);
}

const char *token_text(uint32_t token, char text[TOKEN_TEXT])
{
	snprintf(text, TOKEN_TEXT, "0x%08" PRIx32, token);
	return text;
}

void property_token(struct sheet *s, const char *title, const char *key,
		    uint32_t token)
{
	char text[TOKEN_TEXT];

	property_text(s, title, key, token ? token_text(token, text) : NULL);
}

void property_number(struct sheet *s, const char *title, const char *key,
		     uint64_t n)
{
	sheet_number(s, key, n);
	if (s->json)
		return;
	put_title(s, title);
	out(s->r, "%" PRIu64 "\n", n);
}
