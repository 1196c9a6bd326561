/*
 * The client's thread groups and threads: what was told of them is kept, and
 * compared with the inferiors and threads that the engine has.
 */
#include "mi/mi_group.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "front/debuggees.h"
#include "mi/mi_priv.h"
#include "mi/record.h"

void groups_deinit(struct mi_groups *g)
{
	free(g->v);
	free(g->threads);
	*g = (struct mi_groups){0};
}

static void put_id(struct str *t, const char *name, uint32_t number)
{
	record_strf(t, name, "i%" PRIu32, number);
}

void groups_put_present(const struct mi *m, struct str *t, const char *name)
{
	put_id(t, name, m->group);
}

void groups_put(const struct mi *m, struct str *t)
{
	for (size_t i = 0; i < m->groups.n; i++)
		put_id(t, NULL, m->groups.v[i].number);
}

struct dbg *groups_find(struct mi *m, const char *id)
{
	uint64_t number = 0;

	if (*id != 'i' || dbg_err_drop(mi_number(id + 1, UINT32_MAX, &number)))
		return NULL;
	return debuggees_find(m->first, number);
}

static void group_tell(struct mi *m, const char *head, const struct str *t)
{
	if (m->dialect == MI_GDB)
		mi_send(m, head, t);
}

/* ---- Which one --------------------------------------------------------- */

static void enter(struct mi *m, struct dbg *dbg)
{
	struct dbg_inferior inf;

	dbg_inferior_get(dbg, &inf);
	m->dbg = dbg;
	m->group = inf.number;
}

void groups_use(struct mi *m, struct dbg *dbg)
{
	if (m->dbg == dbg)
		return;
	enter(m, dbg);
	dbg_inferior_select(dbg);
}

void groups_back(struct mi *m)
{
	struct dbg *dbg = debuggees_find(m->first, m->selected);

	if (dbg)
		groups_use(m, dbg);
}

void groups_look(struct mi *m)
{
	struct dbg *dbg = dbg_inferior_current(m->first);

	if (m->dbg == dbg)
		return;
	enter(m, dbg);
	m->selected = m->group;
	// beside a prompt the loop is the prompt's
	if (!m->take)
		loop_use(m->loop, dbg);
	m->thread = dbg_stop_thread(dbg);
	m->level = 0;
}

/* ---- Threads ----------------------------------------------------------- */

static void tell_thread(struct mi *m, const struct mi_thread *o, bool gone)
{
	_cleanup_str_ struct str t = {0};

	record_uint(&t, "id", o->id);
	if (m->dialect == MI_GDB)
		put_id(&t, "group-id", o->group);
	mi_send(m, gone ? "=thread-exited" : "=thread-created", &t);
}

static struct mi_thread *find_thread(struct mi *m, uint32_t group,
				     uint32_t number)
{
	struct mi_groups *g = &m->groups;

	for (size_t i = 0; i < g->n_threads; i++)
		if (g->threads[i].number == number &&
		    g->threads[i].group == group)
			return &g->threads[i];
	return NULL;
}

static uint32_t see_thread(struct mi *m, uint32_t group, uint32_t number)
{
	struct mi_groups *g = &m->groups;
	const struct mi_thread *known = find_thread(m, group, number);

	if (known)
		return known->id;
	mem_grow(&g->threads, &g->cap_threads, g->n_threads,
		 sizeof(*g->threads));
	struct mi_thread *o = &g->threads[g->n_threads++];
	*o = (struct mi_thread){g->several ? g->last_id + 1 : number, group,
				number};
	if (o->id > g->last_id)
		g->last_id = o->id;
	tell_thread(m, o, false);
	return o->id;
}

uint32_t groups_thread_id(struct mi *m, uint32_t number)
{
	// suspended calls are no thread that a client was told of
	if (number >= DBG_THREAD_SUSPENDED)
		return number;
	return number ? see_thread(m, m->group, number) : 0;
}

bool groups_thread_find(struct mi *m, uint32_t id, struct dbg **ret,
			uint32_t *ret_number)
{
	const struct mi_groups *g = &m->groups;

	for (size_t i = 0; i < g->n_threads; i++) {
		const struct mi_thread *o = &g->threads[i];
		struct dbg *dbg = debuggees_find(m->first, o->group);
		if (o->id != id || !dbg)
			continue;
		*ret = dbg;
		*ret_number = o->number;
		return true;
	}
	return false;
}

static void forget_thread(struct mi *m, struct mi_thread *o)
{
	struct mi_thread gone = *o;

	*o = m->groups.threads[--m->groups.n_threads];
	tell_thread(m, &gone, true);
}

void groups_thread_gone(struct mi *m, uint32_t number)
{
	struct mi_thread *o = find_thread(m, m->group, number);

	if (o)
		forget_thread(m, o);
}

// Whether a thread is one of the program's is known when all stand.
static void see_threads(struct mi *m, const struct dbg_inferior *inf)
{
	struct dbg_stopped at;
	uint32_t *list;
	size_t n;

	if (dbg_err_drop(dbg_stopped(inf->dbg, &at)))
		return;
	struct dbg_error *err = dbg_thread_numbers(at, &list, &n);
	if (err) {
		mi_warn(m, err);
		return;
	}
	for (size_t i = 0; i < n; i++)
		see_thread(m, inf->number, list[i]);
}

void groups_see_threads(struct mi *m)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_inferior *list;
	size_t n;

	dbg_inferior_list(m->first, arena, &list, &n);
	for (size_t i = 0; i < n; i++)
		see_threads(m, &list[i]);
}

/* ---- Groups ------------------------------------------------------------ */

static struct mi_group *find_group(struct mi *m, uint32_t number)
{
	struct mi_groups *g = &m->groups;

	for (size_t i = 0; i < g->n; i++)
		if (g->v[i].number == number)
			return &g->v[i];
	return NULL;
}

static struct mi_group *see_group(struct mi *m, uint32_t number)
{
	struct mi_groups *g = &m->groups;
	struct mi_group *known = find_group(m, number);
	_cleanup_str_ struct str t = {0};

	if (known)
		return known;
	mem_grow(&g->v, &g->cap, g->n, sizeof(*g->v));
	g->v[g->n] = (struct mi_group){.number = number};
	g->several = g->several || g->n;
	put_id(&t, "id", number);
	group_tell(m, "=thread-group-added", &t);
	return &g->v[g->n++];
}

static void end_group(struct mi *m, struct mi_group *group,
		      const struct dbg_event *e)
{
	struct mi_groups *g = &m->groups;
	_cleanup_str_ struct str t = {0};

	for (size_t i = g->n_threads; i-- > 0;)
		if (g->threads[i].group == group->number)
			forget_thread(m, &g->threads[i]);
	put_id(&t, "id", group->number);
	if (e && !e->exit_signal)
		record_strf(&t, "exit-code", "%02o",
			    (unsigned int)e->exit_code);
	group_tell(m, "=thread-group-exited", &t);
	group->pid = 0;
	if (debuggees_alive(m->first))
		return;
	m->running = false;
	m->thread = m->level = 0;
	m->steps = 0;
}

static void see_program(struct mi *m, const struct dbg_inferior *inf)
{
	_cleanup_str_ struct str t = {0};

	// a child that has ended, whose session is about to
	if (inf->state == DBG_IDLE && inf->dbg != m->first)
		return;
	struct mi_group *group = see_group(m, inf->number);
	if (inf->state == DBG_IDLE || !inf->pid || inf->pid == group->pid)
		return;
	// one that was ended to be started anew
	if (group->pid)
		end_group(m, group, NULL);
	group->pid = inf->pid;
	put_id(&t, "id", inf->number);
	record_uint(&t, "pid", (uint64_t)inf->pid);
	group_tell(m, "=thread-group-started", &t);
	see_thread(m, inf->number, 1);
}

void groups_started(struct mi *m)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_inferior *list;
	size_t n;

	dbg_inferior_list(m->first, arena, &list, &n);
	for (size_t i = 0; i < n; i++)
		see_program(m, &list[i]);
}

// The child's session is of no more use, and its number not given again.
static void remove_group(struct mi *m, struct mi_group *group)
{
	_cleanup_str_ struct str t = {0};

	put_id(&t, "id", group->number);
	*group = m->groups.v[--m->groups.n];
	group_tell(m, "=thread-group-removed", &t);
}

void groups_left(struct mi *m)
{
	struct mi_groups *g = &m->groups;

	for (size_t i = g->n; i-- > 0;) {
		struct dbg *dbg = debuggees_find(m->first, g->v[i].number);
		if (dbg && dbg_state(dbg) != DBG_IDLE)
			continue;
		if (g->v[i].pid)
			end_group(m, &g->v[i], NULL);
		if (dbg != m->first)
			remove_group(m, &g->v[i]);
	}
}

void groups_exited(struct mi *m, const struct dbg_inferior *inf,
		   const struct dbg_event *e)
{
	struct mi_group *group = find_group(m, inf->number);

	if (!group)
		return;
	if (group->pid)
		end_group(m, group, e);
	if (inf->dbg != m->first)
		remove_group(m, group);
}
