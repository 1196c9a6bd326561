/*
 * The method that an event comes from: see where.h.
 *
 * Names are asked for as soon as an event has come: its code may be freed
 * later.
 */
#include "monitor/where.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"

enum {
	NAMES_MAX = 1 << 16,
	DEPTH_MAX = 100,      // frames that are named of one stack
	AGAIN_NS = 100000000, // between two readings of what is newer
	LOCKS_NS = 300000000, // of our processor time for locks, in all
};

/* What is at an address. */
struct where_name {
	bool own;    // the program's own, not the framework's
	char text[]; // "": not known
};

struct where {
	struct dbg *dbg;
	struct dbg_error *why; // there are no names; NULL: there are
	struct map names;      // struct where_name by address
	struct arena *arena;   // of one name
	uint64_t read;         // when the program was last looked at
	uint64_t used;         // nanoseconds for locks
	struct str text;       // of the last answer
};

struct where *where_open(struct dbg *dbg, pid_t pid)
{
	struct where *w = xcalloc(1, sizeof(*w));

	w->dbg = dbg;
	w->arena = arena_create();
	w->why = dbg_observe(dbg, pid);
	w->read = clock_ns();
	return w;
}

void where_close(struct where *w)
{
	if (!w)
		return;
	map_clear_free(&w->names);
	map_deinit(&w->names);
	arena_destroy(w->arena);
	dbg_error_destroy(w->why);
	str_deinit(&w->text);
	free(w);
}

const struct dbg_error *where_missing(const struct where *w)
{
	return w->why;
}

// What is compiled since the program was last looked at is not known yet.
static bool code_at(struct where *w, uint64_t addr, struct dbg_code_range *ret)
{
	if (dbg_code_at(w->dbg, addr, w->arena, ret))
		return true;
	if (clock_ns() < w->read + AGAIN_NS)
		return false;
	dbg_observe_again(w->dbg);
	w->read = clock_ns();
	return dbg_code_at(w->dbg, addr, w->arena, ret);
}

static const struct where_name *name_of(struct where *w, uint64_t addr)
{
	struct where_name *name = map_find(&w->names, addr);
	struct dbg_code_range range;

	if (name)
		return name;
	if (w->names.n >= NAMES_MAX)
		map_clear_free(&w->names);
	arena_reset(w->arena);
	if (!code_at(w, addr, &range) || range.kind == DBG_CODE_STUBS)
		range = (struct dbg_code_range){.name = ""};
	size_t n = strlen(range.name);

	name = xcalloc(1, sizeof(*name) + n + 1);
	name->own = range.own;
	memcpy(name->text, range.name, n);
	map_put(&w->names, addr, name);
	return name;
}

// Methods by which the runtime throws, which nobody asks for.
static bool is_of_throwing(const char *name)
{
	return str_starts(name, "System.Runtime.EH.");
}

const char *where_of(struct where *w, const struct dbg_trace_event *e)
{
	const char *callee = NULL, *innermost = NULL;

	if (w->why)
		return NULL;
	for (size_t i = 0; i < e->n_stack && i < DEPTH_MAX; i++) {
		// a return address is behind the call
		const struct where_name *name = name_of(w, e->stack[i] - 1);

		if (!*name->text || is_of_throwing(name->text))
			continue;
		if (name->own && !callee)
			return name->text;
		if (name->own) {
			str_clear(&w->text);
			str_addf(&w->text, "%s -> %s", name->text, callee);
			return str_get(&w->text);
		}
		callee = name->text;
		innermost = innermost ? innermost : callee;
	}
	return innermost;
}

const char *where_at(struct where *w, uint64_t addr)
{
	const struct where_name *name = w->why ? NULL : name_of(w, addr);

	return name && *name->text ? name->text : NULL;
}

// All sync blocks are looked at for each, of which there may be many.
const char *where_lock_type(struct where *w, uint64_t lock)
{
	uint64_t began = clock_used_ns();

	if (w->why || w->used > LOCKS_NS)
		return NULL;
	arena_reset(w->arena);
	const char *type = dbg_lock_type(w->dbg, lock, w->arena);

	w->used += clock_used_ns() - began;
	return type;
}
