/*
 * Keeps objects reachable while an evaluation makes further calls: the results
 * of its earlier calls, and objects that values of the stop refer to
 * (eval/followed.h). The GC may move them during a call, so the program holds
 * them by handles (GCHandle), which are read when a call has ended. The call
 * that makes a handle for a result comes right after the call that returned it:
 * nothing runs in between. Handles are emptied when the evaluation is over
 * (those of values, before the program runs on) and used again: the program
 * keeps as many as were ever needed at once.
 *
 * Making the first of several handles, or preparing the program for calls, runs
 * code as well. The objects without handles have not moved if only the one
 * thread ran, and its allocation context is unchanged: a collection takes it
 * from each thread.
 */
#include "session/evaluate/evaluation_priv.h"

#include <string.h>

#include "base/err.h"

static uint64_t word_at(const void *place)
{
	uint64_t word;

	memcpy(&word, place, sizeof(word));
	return word;
}

/* Hold the objects that values of the stop refer to as well. */
static void add_values(struct dbg *dbg)
{
	struct evaluation *v = dbg->evaluation;
	struct followed *f = &dbg->inspect.followed;

	for (; v->n_values < f->n; v->n_values++) {
		struct followed_object *o = &f->v[v->n_values];

		if (o->object && v->n_held < HELD_MAX)
			v->held[v->n_held++] =
			    (struct held){.handle = o->handle,
					  .place = (uint8_t *)&o->object,
					  .value = o};
	}
}

void holding_add(struct evaluation *v, void *place)
{
	if (word_at(place) && v->n_held < HELD_MAX)
		v->held[v->n_held++] = (struct held){.place = place};
}

static void handle_empty(struct dbg *dbg, uint64_t handle)
{
	const uint64_t none = 0;

	dbg_error_destroy(
	    target_write(dbg->target, handle, &none, sizeof(none)));
}

void holding_drop(struct dbg *dbg, const void *place)
{
	struct evaluation *v = dbg->evaluation;

	for (size_t i = 0; i < v->n_held; i++) {
		if (v->held[i].place != place)
			continue;
		if (v->held[i].handle)
			handle_empty(dbg, v->held[i].handle);
		v->held[i] = v->held[--v->n_held];
		return;
	}
}

void holding_move(struct evaluation *v, const void *place, void *to)
{
	memcpy(to, place, sizeof(uint64_t));
	for (size_t i = 0; i < v->n_held; i++)
		if (v->held[i].place == place)
			v->held[i].place = to;
}

/*
 * Find a handle that was made earlier and holds nothing now; 0: there is none.
 */
static uint64_t handle_find(const struct dbg *dbg)
{
	const struct evaluation *v = dbg->evaluation;

	for (size_t i = 0; i < dbg->handles.n; i++) {
		bool used = false;

		for (size_t j = 0; j < v->n_held && !used; j++)
			used = v->held[j].handle == dbg->handles.v[i];
		if (!used)
			return dbg->handles.v[i];
	}
	return 0;
}

/*
 * Note a GCHandle that the program has made. False: @handle cannot be one, or
 * there are too many.
 */
static bool handle_add(struct dbg *dbg, uint64_t handle)
{
	struct handles *list = &dbg->handles;

	if (!handle || handle % sizeof(handle) || list->n == HANDLES_MAX)
		return false;
	list->v[list->n++] = handle;
	target_clear_behind(dbg->target, handle);
	return true;
}

static struct held *held_next(struct evaluation *v)
{
	for (size_t i = 0; i < v->n_held; i++)
		if (!v->held[i].handle)
			return &v->held[i];
	return NULL;
}

static struct allocating allocating(struct dbg *dbg, pid_t tid)
{
	const struct dac_thread *t = dac_thread_find(dbg->inspect.dac, tid);

	return t ? (struct allocating){tid, t->alloc, t->alloc_limit}
		 : (struct allocating){0};
}

struct dbg_error *holding_begin(struct dbg *dbg, pid_t tid, bool *ret_runs)
{
	struct dbg_error *err;

	add_values(dbg);
	const struct held *h = held_next(dbg->evaluation);
	if (!h)
		return NULL;
	uint64_t handle = handle_find(dbg);
	if (!handle && dbg->handles.n == HANDLES_MAX)
		return dbg_err(DBG_E_UNSUPPORTED,
			       "more than %d objects would have to be followed "
			       "over the call: evaluate its parts one by one",
			       HANDLES_MAX);
	dbg->evaluation->allocating = allocating(dbg, tid);
	const uint64_t words[] = {handle, word_at(h->place)};
	err = handle ? calling_helper(dbg, tid, DOING_HOLD, words, 2)
		     : calling_helper(dbg, tid, DOING_ALLOC, &words[1], 1);
	*ret_runs = !err;
	return err;
}

struct dbg_error *holding_take(struct dbg *dbg, uint64_t word)
{
	struct held *h = held_next(dbg->evaluation);

	if (dbg->evaluation->doing == DOING_HOLD)
		word = handle_find(dbg);
	else if (!handle_add(dbg, word))
		return dbg_err(DBG_E_RUNTIME,
			       "the program could not make a handle");
	h->handle = word;
	return NULL;
}

/* Has a call that is not the user's let nothing be moved? */
static bool is_unmoved(struct dbg *dbg, const struct call_result *r)
{
	const struct allocating *old = &dbg->evaluation->allocating;
	struct allocating now = allocating(dbg, old->tid);

	return r->alone && now.tid && now.limit == old->limit &&
	       now.next >= old->next;
}

void holding_lose(struct dbg *dbg, const struct call_result *r)
{
	struct evaluation *v = dbg->evaluation;
	const struct held *safe =
	    v->doing == DOING_PREPARE ? NULL : held_next(v);
	size_t n = 0;

	if (!held_next(v) || is_unmoved(dbg, r))
		return;
	for (size_t i = 0; i < v->n_held; i++) {
		struct held h = v->held[i];

		if (h.value && !h.handle && &v->held[i] != safe)
			h.value->object = 0;
		else
			v->held[n++] = h;
	}
	v->n_held = n;
}

struct dbg_error *holding_check(struct evaluation *v)
{
	for (size_t i = 0; i < v->n_held; i++)
		if (!v->held[i].handle && !v->held[i].value)
			return dbg_err(DBG_E_STATE,
				       "what '%s' is to be called with may "
				       "have been moved: evaluate it again",
				       v->wanted ? v->wanted : v->name);
	return NULL;
}

struct dbg_error *holding_read(struct dbg *dbg)
{
	struct evaluation *v = dbg->evaluation;

	for (size_t i = 0; i < v->n_held; i++) {
		uint64_t object = 0;

		if (!v->held[i].handle)
			continue;
		struct dbg_error *err =
		    target_read_u64(dbg->target, v->held[i].handle, &object);
		if (err)
			return err;
		memcpy(v->held[i].place, &object, sizeof(object));
	}
	return NULL;
}

void holding_end(struct dbg *dbg)
{
	struct evaluation *v = dbg->evaluation;

	for (size_t i = 0; i < v->n_held; i++) {
		struct held *h = &v->held[i];

		if (h->value)
			h->value->handle = h->handle;
		else if (h->handle && dbg->target)
			handle_empty(dbg, h->handle);
	}
	v->n_held = 0;
}

void holding_leave(struct dbg *dbg)
{
	const struct evaluation *v = dbg->evaluation;

	dbg->handles.is_late =
	    v->doing == DOING_ALLOC || v->doing == DOING_HOLD;
	dbg->handles.late = v->doing == DOING_HOLD ? handle_find(dbg) : 0;
}

void holding_late(struct dbg *dbg, const struct call_result *r)
{
	struct handles *list = &dbg->handles;
	uint64_t handle = list->late;

	if (list->is_late && !handle && r->value.type) {
		handle = word_at(r->value.bytes);
		handle_add(dbg, handle);
	}
	if (list->is_late && handle)
		handle_empty(dbg, handle);
	list->is_late = false;
}

void holding_forget(struct dbg *dbg)
{
	struct followed *f = &dbg->inspect.followed;

	for (size_t i = 0; i < f->n; i++)
		if (f->v[i].handle)
			handle_empty(dbg, f->v[i].handle);
	followed_clear(f);
}
