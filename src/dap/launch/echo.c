/*
 * Debug messages that the program prints as well: see echo.h. The debug logger
 * of Microsoft.Extensions.Logging writes "Category: Level: text"; whatever its
 * console logger makes of the same event contains the category and the text.
 * The console logger prints on a thread of its own, so it may come first or a
 * moment later.
 */
#include "dap/launch/echo.h"

#include <stdlib.h>
#include <string.h>

#include "base/reader.h"
#include "dap/dap_priv.h"
#include "dap/wire/emit.h"

enum {
	PRINTED_MAX_BYTES = 64 << 10,
	HELD_MAX = 1000,
	HELD_MS = 200,
};

void echo_deinit(struct echo *e)
{
	str_deinit(&e->printed);
	words_deinit(&e->held);
}

static void show(struct dap *d, const char *text)
{
	struct str *t = dap_event(d, "output");

	emit_str(t, "category", "console");
	emit_str(t, "output", text);
	dap_send(d);
}

// The parts of a logger's message, which are borrowed; false: it is none.
static bool logged(const char *message, struct bytes *category,
		   struct bytes *text)
{
	static const char *const levels[] = {
	    ": Trace: ",   ": Debug: ", ": Information: ",
	    ": Warning: ", ": Error: ", ": Critical: ",
	};

	for (size_t i = 0; i < sizeof(levels) / sizeof(*levels); i++) {
		const char *at = strstr(message, levels[i]);

		if (!at || at == message ||
		    strcspn(message, "\n") < (size_t)(at - message))
			continue;
		const char *behind = at + strlen(levels[i]);
		*category = (struct bytes){(const uint8_t *)message,
					   (size_t)(at - message)};
		*text = (struct bytes){(const uint8_t *)behind,
				       strcspn(behind, "\r\n")};
		return text->n;
	}
	return false;
}

static bool is_in(const struct str *printed, struct bytes part)
{
	return memmem(str_get(printed), printed->len, part.p, part.n);
}

static bool is_printed(const struct echo *e, const char *message)
{
	struct bytes category, text;

	return logged(message, &category, &text) && is_in(&e->printed, text) &&
	       is_in(&e->printed, category);
}

void echo_printed(struct dap *d, const char *s, size_t n)
{
	struct echo *e = &d->echo;
	size_t kept = 0;
	bool waits = false;
	struct bytes category, text;

	if (d->setup.debug_output != ECHO_AUTO)
		return;
	str_addn(&e->printed, s, n);
	if (e->printed.len > PRINTED_MAX_BYTES) {
		size_t old = e->printed.len - PRINTED_MAX_BYTES / 2;

		memmove(e->printed.s, e->printed.s + old, e->printed.len - old);
		str_end(&e->printed, e->printed.s + e->printed.len - old);
	}
	for (size_t i = 0; i < e->held.n; i++) {
		if (is_printed(e, e->held.v[i])) {
			free(e->held.v[i]);
			continue;
		}
		waits = waits || logged(e->held.v[i], &category, &text);
		e->held.v[kept++] = e->held.v[i];
	}
	if (e->held.n)
		e->held.v[kept] = NULL;
	e->held.n = kept;
	if (!waits)
		echo_flush(d);
}

void echo_debug(struct dap *d, const char *text)
{
	struct echo *e = &d->echo;
	struct bytes category, line;

	if (d->setup.debug_output == ECHO_NONE || is_printed(e, text))
		return;
	bool waits = d->setup.debug_output == ECHO_AUTO && d->console.pipes &&
		     e->held.n < HELD_MAX &&
		     (e->held.n || logged(text, &category, &line));
	if (!waits) {
		echo_flush(d);
		show(d, text);
		return;
	}
	if (!e->held.n)
		dap_timer(d, TIMER_ECHO, HELD_MS);
	words_add(&e->held, text, strlen(text));
}

void echo_flush(struct dap *d)
{
	struct words held = d->echo.held;

	d->timers[TIMER_ECHO] = 0;
	d->echo.held = (struct words){0};
	for (size_t i = 0; i < held.n; i++)
		show(d, held.v[i]);
	words_deinit(&held);
}
