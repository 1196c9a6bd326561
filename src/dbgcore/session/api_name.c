/*
 * dbg_complete: the names that begin with what the user has written, of files,
 * types and methods from the metadata, of locals and members from the newest
 * frame.
 */
#include "session/members.h"
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

struct names {
	const char *prefix;
	const char **list;
	size_t n, cap;
	struct arena *arena;
};

enum {
	NAMES_MAX = 100000
};

/* The part behind the next dot that stands outside brackets, or NULL. */
static const char *next_part(const char *name)
{
	int depth = 0;

	for (; *name; name++) {
		depth += *name == '<' || *name == '(';
		depth -= *name == '>' || *name == ')';
		if (*name == '.' && !depth)
			return name + 1;
	}
	return NULL;
}

static void take_name(void *arg, const char *name)
{
	struct names *names = arg;

	if (names->n >= NAMES_MAX || !str_starts(name, names->prefix))
		return;
	mem_grow(&names->list, &names->cap, names->n, sizeof(*names->list));
	names->list[names->n++] = arena_strdup(names->arena, name);
}

/* Types and methods are also found without what stands before them. */
static void take_part(void *arg, const char *name)
{
	struct names *names = arg;

	while (*names->prefix && name && !str_starts(name, names->prefix))
		name = next_part(name);
	if (name)
		take_name(arg, name);
}

static void take_locals(struct dbg *dbg, dbg_id frame, struct names *names)
{
	static const enum dbg_scope scopes[] = {DBG_SCOPE_ARGS,
						DBG_SCOPE_LOCALS};
	const struct frame *f;
	struct dbg_error *err = session_frame_or_newest(dbg, frame, &f);

	for (size_t i = 0; !err && i < 2; i++) {
		struct dbg_value *values;
		size_t n = 0;

		err = dbg_scope_list(dbg, inspect_frame_id(&dbg->inspect, f),
				     scopes[i], &values, &n);
		for (size_t k = 0; !err && k < n; k++)
			take_name(names, values[k].name);
	}
	dbg_error_destroy(err);
}

/* Members of what stands before the last dot. */
struct members {
	struct names *names;
	int left; /* bytes of the prefix */
};

static void take_member(void *arg, const char *name)
{
	const struct members *m = arg;
	struct names *names = m->names;

	if (str_starts(name, names->prefix + m->left + 1))
		take_name(names, arena_printf(names->arena, "%.*s.%s", m->left,
					      names->prefix, name));
}

static void take_members(struct dbg *dbg, dbg_id frame, struct names *names)
{
	const char *dot = strrchr(names->prefix, '.');

	if (!dot)
		return;
	struct members m = {names, (int)(dot - names->prefix)};
	// what is not public of others' classes has to be asked for
	dbg_error_destroy(session_members(
	    dbg, frame,
	    arena_printf(names->arena, "%.*s", m.left, names->prefix), dot[1],
	    take_member, &m));
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

struct dbg_error *dbg_complete(struct dbg *dbg, dbg_id frame,
			       unsigned int kinds, const char *prefix,
			       size_t max, const char ***ret, size_t *ret_n)
{
	struct dbg_error *err = session_need_modules(dbg, true);
	struct names names = {.prefix = prefix, .arena = dbg->inspect.arena};
	size_t kept = 0;

	if (err)
		return err;
	if (dbg->state == DBG_IDLE) {
		arena_reset(dbg->inspect.arena);
		kinds &= ~(unsigned int)DBG_NAMES_LOCALS;
	}
	code_each_name(dbg->inspect.code, kinds & DBG_NAMES_FILES, take_name,
		       &names);
	code_each_name(
	    dbg->inspect.code,
	    kinds & (DBG_NAMES_TYPES | DBG_NAMES_METHODS | DBG_NAMES_OWN),
	    take_part, &names);
	if (kinds & DBG_NAMES_LOCALS) {
		take_locals(dbg, frame, &names);
		take_members(dbg, frame, &names);
	}
	if (names.n)
		qsort(names.list, names.n, sizeof(*names.list), compare_names);
	for (size_t i = 0; i < names.n && kept < max; i++)
		if (!kept || strcmp(names.list[i], names.list[kept - 1]))
			names.list[kept++] = names.list[i];
	*ret = arena_copy(dbg->inspect.arena, names.list, kept,
			  sizeof(*names.list));
	*ret_n = kept;
	free(names.list);
	return NULL;
}
