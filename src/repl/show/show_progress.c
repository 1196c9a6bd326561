/*
 * Long work of the engine as a line on the user's terminal: what is being done
 * and how far it is. It comes after half a second, on stderr, and is gone when
 * anything else is printed.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "front/plain.h"
#include "repl/repl_priv.h"
#include "repl/show/show.h"

enum {
	FIRST = 500, // milliseconds before the line comes
	EACH = 100,  // between changes of it
};

static void show(void *arg, const char *what, uint64_t done, uint64_t total)
{
	struct repl *r = arg;
	struct repl_progress *p = &r->progress;
	int64_t now = clock_ms();

	if (now - p->began < FIRST || now - p->last < EACH)
		return;
	p->last = now;
	p->shown = true;
	fflush(r->out);
	plain_printf(stderr, "\r(%s", what);
	if (total)
		plain_printf(stderr, ": %" PRIu64 " %%", done * 100 / total);
	else if (done)
		plain_printf(stderr, ": %" PRIu64, done);
	plain_printf(stderr, ")\033[K");
	fflush(stderr);
}

void show_progress_begin(struct repl *r)
{
	const char *term = getenv("TERM");

	r->progress = (struct repl_progress){.began = clock_ms()};
	if (!r->hosted && isatty(STDERR_FILENO) && term && strcmp(term, "dumb"))
		dbg_set_progress(r->dbg, show, r);
}

void show_progress_clear(struct repl *r)
{
	if (r->progress.shown)
		plain_printf(stderr, "\r\033[K");
	r->progress.shown = false;
}

void show_progress_end(struct repl *r)
{
	show_progress_clear(r);
	dbg_set_progress(r->dbg, NULL, NULL);
}
