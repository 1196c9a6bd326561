/*
 * dbg_complete: the names that begin with what the user has written, of files,
 * types and methods from the metadata, of locals and members from the newest
 * frame.
 */
#include "session/evaluate/members.h"
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

struct names {
	const char *prefix;
	enum dbg_name_kind kind; /* of those that come */
	struct dbg_name *list;
	size_t n, cap;
	struct arena *arena;
};

enum {
	NAMES_MAX = 100000
};

/* The part behind the next dot outside of brackets, or NULL. */
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

static void add_name(struct names *names, const char *text,
		     enum dbg_name_kind kind, const char *detail)
{
	if (names->n >= NAMES_MAX)
		return;
	mem_grow(&names->list, &names->cap, names->n, sizeof(*names->list));
	names->list[names->n++] = (struct dbg_name){
	    .text = text,
	    .kind = kind,
	    .detail = detail ? arena_strdup(names->arena, detail) : NULL,
	};
}

static void take_name(void *arg, const char *name)
{
	struct names *names = arg;

	if (str_starts(name, names->prefix))
		add_name(names, arena_strdup(names->arena, name), names->kind,
			 NULL);
}

/*
 * Add a name by each of its parts, since types and methods are also found
 * without their leading parts.
 */
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
	struct dbg_error *err =
	    session_frame_or_newest(session_standing(dbg), frame, &f);

	for (size_t i = 0; !err && i < 2; i++) {
		struct dbg_value *values;
		size_t n = 0;

		err = dbg_scope_list(session_standing(dbg),
				     inspect_frame_id(&dbg->inspect, f),
				     scopes[i], &values, &n);
		for (size_t k = 0; !err && k < n; k++)
			if (str_starts(values[k].name, names->prefix))
				add_name(names, values[k].name,
					 DBG_NAME_VARIABLE, values[k].type);
	}
	dbg_error_destroy(err);
}

/* Completion of members, of what is in front of the last dot. */
struct members {
	struct names *names;
	int left; /* bytes of the prefix */
};

static void take_member(void *arg, const struct view_member *member)
{
	const struct members *m = arg;
	struct names *names = m->names;

	if (str_starts(member->name, names->prefix + m->left + 1))
		add_name(names,
			 arena_printf(names->arena, "%.*s.%s", m->left,
				      names->prefix, member->name),
			 member->kind, member->detail);
}

static void take_members(struct dbg *dbg, dbg_id frame, struct names *names)
{
	const char *dot = strrchr(names->prefix, '.');

	if (!dot)
		return;
	struct members m = {names, (int)(dot - names->prefix)};
	// what is not public of others' classes has to be asked for
	dbg_error_destroy(session_members(
	    session_standing(dbg), frame,
	    arena_printf(names->arena, "%.*s", m.left, names->prefix), dot[1],
	    take_member, &m));
}

static int compare_names(const void *a, const void *b)
{
	const struct dbg_name *x = a, *y = b;
	int order = strcmp(x->text, y->text);

	if (order)
		return order;
	return strcmp(x->detail ? x->detail : "", y->detail ? y->detail : "");
}

// Remove duplicates from the sorted list; returns how many are left, at most
// @max.
static size_t unite(struct dbg_name *list, size_t n, size_t max)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (kept && !strcmp(list[i].text, list[kept - 1].text)) {
			list[kept - 1].overloads++;
			continue;
		}
		if (kept == max)
			break;
		list[kept++] = list[i];
	}
	return kept;
}

static void take_code(struct dbg *dbg, unsigned int kinds, struct names *names)
{
	static const struct {
		unsigned int kind;
		enum dbg_name_kind name;
	} all[] = {
	    {DBG_NAMES_FILES, DBG_NAME_FILE},
	    {DBG_NAMES_TYPES, DBG_NAME_TYPE},
	    {DBG_NAMES_METHODS, DBG_NAME_METHOD},
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		bool files = all[i].kind == DBG_NAMES_FILES;

		if (!(kinds & all[i].kind))
			continue;
		names->kind = all[i].name;
		code_each_name(dbg->inspect.code,
			       all[i].kind |
				   (files ? 0 : kinds & DBG_NAMES_OWN),
			       files ? take_name : take_part, names);
	}
}

struct dbg_error *dbg_complete(struct dbg *dbg, dbg_id frame,
			       unsigned int kinds, const char *prefix,
			       size_t max, struct dbg_name **ret, size_t *ret_n)
{
	struct dbg_error *err = session_need_modules(dbg, true);
	struct names names = {.prefix = prefix, .arena = dbg->inspect.arena};

	if (err)
		return err;
	if (dbg->state == DBG_IDLE) {
		arena_reset(dbg->inspect.arena);
		kinds &= ~(unsigned int)DBG_NAMES_LOCALS;
	}
	take_code(dbg, kinds, &names);
	if (kinds & DBG_NAMES_LOCALS) {
		take_locals(dbg, frame, &names);
		take_members(dbg, frame, &names);
	}
	if (names.n)
		qsort(names.list, names.n, sizeof(*names.list), compare_names);
	*ret_n = unite(names.list, names.n, max);
	*ret = arena_copy(dbg->inspect.arena, names.list, *ret_n,
			  sizeof(*names.list));
	free(names.list);
	return NULL;
}
