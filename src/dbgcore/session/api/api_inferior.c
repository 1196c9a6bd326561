/*
 * Inferiors of dbg.h: the sessions of one family, as struct siblings holds
 * them in the order in which they were made.
 */
#include "session/session.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "target/proc.h"

void session_inferior_runs(struct dbg *dbg, const char *path)
{
	struct inferior *inf = &dbg->inferior;
	char exe[PATH_MAX];

	inf->pid = target_pid(dbg->target);
	if (!path)
		path = proc_executable(inf->pid, exe) ? exe : "";
	str_set(&inf->path, path);
}

void session_inferior_name(struct dbg *dbg, const struct program *p)
{
	char **name = &dbg->inferior.name;

	str_set(name, p->name);
	// an apphost was started by its own name
	if (p->apphost && str_ends(*name, ".dll"))
		(*name)[strlen(*name) - 4] = '\0';
}

void session_inferior_deinit(struct dbg *dbg)
{
	free(dbg->inferior.path);
	free(dbg->inferior.name);
}

void dbg_inferior_get(struct dbg *dbg, struct dbg_inferior *ret)
{
	const struct inferior *inf = &dbg->inferior;

	*ret = (struct dbg_inferior){
	    .number = inf->number,
	    .dbg = dbg,
	    .state = dbg->state,
	    .pid = inf->pid,
	    .path = inf->path ? inf->path : "",
	    .name = inf->name ? inf->name : "",
	};
}

void dbg_inferior_list(struct dbg *dbg, struct arena *arena,
		       struct dbg_inferior **ret, size_t *ret_n)
{
	const struct siblings *s = dbg->siblings;
	struct dbg_inferior *list = arena_calloc(arena, s->n, sizeof(*list));

	for (size_t i = 0; i < s->n; i++) {
		dbg_inferior_get(s->v[i], &list[i]);
		list[i].path = arena_strdup(arena, list[i].path);
		list[i].name = arena_strdup(arena, list[i].name);
	}
	*ret = list;
	*ret_n = s->n;
}

struct dbg *dbg_inferior_current(const struct dbg *dbg)
{
	return dbg->siblings->current;
}

void dbg_inferior_select(struct dbg *dbg)
{
	dbg->siblings->current = dbg;
}
