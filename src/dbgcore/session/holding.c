/*
 * Objects that an evaluation has of its calls, while it makes further ones:
 * the collector may move them then, so the program follows them by handles
 * (GCHandle), which are read when a call has ended. The call that makes a
 * handle is the first one behind that which returned the object: in between
 * nothing runs. Handles are emptied when the evaluation is over, and used again
 * by the next: the program keeps as many as one expression has needed.
 */
#include "session/evaluation_priv.h"

#include <string.h>

#include "base/err.h"

static uint64_t word_at(const void *place)
{
	uint64_t word;

	memcpy(&word, place, sizeof(word));
	return word;
}

void holding_add(struct evaluation *v, void *place)
{
	if (word_at(place) && v->n_held < HELD_MAX)
		v->held[v->n_held++] = (struct held){.place = place};
}

static void empty(struct dbg *dbg, uint64_t handle)
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
			empty(dbg, v->held[i].handle);
		v->held[i] = v->held[--v->n_held];
		return;
	}
}

/* A handle of the program's that holds nothing; 0: there is none. */
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

static struct held *held_next(struct evaluation *v)
{
	for (size_t i = 0; i < v->n_held; i++)
		if (!v->held[i].handle)
			return &v->held[i];
	return NULL;
}

struct dbg_error *holding_begin(struct dbg *dbg, pid_t tid, bool *ret_runs)
{
	const struct held *h = held_next(dbg->evaluation);
	uint64_t handle = h ? handle_find(dbg) : 0;
	struct dbg_error *err;

	if (!h)
		return NULL;
	const uint64_t words[] = {handle, word_at(h->place)};
	err = handle ? calling_helper(dbg, tid, DOING_HOLD, words, 2)
		     : calling_helper(dbg, tid, DOING_ALLOC, &words[1], 1);
	*ret_runs = !err;
	return err;
}

struct dbg_error *holding_take(struct dbg *dbg, uint64_t word)
{
	struct held *h = held_next(dbg->evaluation);
	struct handles *list = &dbg->handles;

	if (dbg->evaluation->doing == DOING_HOLD)
		word = handle_find(dbg);
	else if (word && word % sizeof(word) == 0 && list->n < HANDLES_MAX)
		list->v[list->n++] = word;
	else
		return dbg_err(DBG_E_RUNTIME,
			       "the program could not make a handle");
	h->handle = word;
	return NULL;
}

struct dbg_error *holding_check(struct evaluation *v)
{
	return held_next(v) ? dbg_err(DBG_E_STATE,
				      "what '%s' is to be called with may have "
				      "been moved: evaluate it again",
				      v->wanted ? v->wanted : v->name)
			    : NULL;
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
	dbg->evaluation->n_held = 0;
	for (size_t i = 0; dbg->target && i < dbg->handles.n; i++)
		empty(dbg, dbg->handles.v[i]);
}
