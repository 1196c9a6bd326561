/*
 * Finds who awaits whom. From each task that is not done, the objects to be
 * resumed at its end are followed, through delegates and lists, to the next
 * tasks.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "tasks/tasks.h"

enum {
	DEPTH_MAX = 16,      // objects between two tasks
	LIST_MAX = 100000,   // who awaits one task
	CHAIN_MAX = 4096,    // tasks in one chain
	STEPS_MAX = 1 << 22, // of all chains
	EDGES_MAX = 1 << 24,
	STATE_ITERATOR = -2, // a state machine that is done, or between
			     // elements of an async iterator
};

/* ---- Edges ----------------------------------------------------------- */

static void add_edge(struct tasks *t, struct task *from, struct task *to)
{
	if (t->n_edges == EDGES_MAX) {
		t->cut = true;
		return;
	}
	mem_grow(&t->edges, &t->cap_edges, t->n_edges, sizeof(*t->edges));
	t->edges[t->n_edges++] = (uint32_t)(to - t->v);
	from->n_edges++;
	to->awaits = true;
}

static bool is_thread_waiting(const struct value *v)
{
	return !strcmp(type_simple_name(v->type), "SetOnInvokeMres");
}

/* A walk over one task's continuations. */
struct following {
	struct tasks *t;
	struct task *from;
	size_t steps;
};

static void follow(struct following *f, const struct value *at, int depth)
{
	struct values *ts = f->t->values;
	struct value next;
	uint64_t addr;

	if (at->where == VALUE_ABSENT || !at->type ||
	    !value_pointer(ts, at, &addr) || !addr)
		return;
	struct task *to = tasks_at(f->t, addr);

	if (to && to->calls.first)
		to = tasks_at(f->t, to->calls.first);
	if (to) {
		if (to->state < DBG_TASK_DONE)
			add_edge(f->t, f->from, to);
		return;
	}
	if (is_thread_waiting(at))
		f->from->waited = true;
	for (size_t i = 0; depth < DEPTH_MAX && f->steps < LIST_MAX &&
			   stack_link(ts, at, i, &next);
	     i++) {
		f->steps++;
		follow(f, &next, depth + 1);
	}
}

static void link_task(struct tasks *t, struct task *task)
{
	struct value v = value_object(t->values, task->addr), next, machine;

	struct following f = {.t = t, .from = task};

	task->first_edge = (uint32_t)t->n_edges;
	if (task->calls.next) {
		struct task *to = tasks_at(t, task->calls.next);

		if (to)
			add_edge(t, task, to);
		return;
	}
	if (value_member(t->values, &v, "m_continuationObject", &next) ||
	    value_member(t->values, &v, "_continuationState", &next))
		follow(&f, &next, 0);
	if (!task->n_edges && tasks_call(t, task, &machine) &&
	    stack_machine_awaiter(t->values, &machine, &next))
		follow(&f, &next, 0);
}

struct dbg_error *tasks_link(struct tasks *t)
{
	for (size_t i = 0; i < t->n; i++) {
		if (*t->heap->interrupted)
			return dbg_err(DBG_E_INTERRUPTED, "interrupted");
		if (t->v[i].state < DBG_TASK_DONE)
			link_task(t, &t->v[i]);
	}
	return NULL;
}

/* ---- Chains ---------------------------------------------------------- */

struct chains {
	const struct tasks *t;
	tasks_chain_fn *fn;
	void *arg;
	uint32_t chain[CHAIN_MAX];
	uint32_t edge[CHAIN_MAX]; // the next one to go, of each
	bool *on_chain, *seen;
	size_t n, steps;
	bool on, cut;
};

static void chain_put(struct chains *c, uint32_t index)
{
	c->chain[c->n] = index;
	c->edge[c->n++] = 0;
	c->on_chain[index] = c->seen[index] = true;
}

// Go along the next edge of the last task, or back.
static void step(struct chains *c)
{
	const struct task *last = &c->t->v[c->chain[c->n - 1]];
	uint32_t edge = c->edge[c->n - 1]++;

	if (edge < last->n_edges) {
		uint32_t next = c->t->edges[last->first_edge + edge];

		c->steps++;
		if (c->on_chain[next]) {
			c->on = c->fn(c->arg, c->chain, c->n, true);
		} else if (c->n < CHAIN_MAX) {
			chain_put(c, next);
		} else {
			c->cut = true;
			c->on = c->fn(c->arg, c->chain, c->n, false);
		}
		return;
	}
	if (!last->n_edges)
		c->on = c->fn(c->arg, c->chain, c->n, false);
	c->on_chain[c->chain[--c->n]] = false;
}

static bool is_resting(const struct task *task)
{
	return task->state >= DBG_TASK_DONE ||
	       (task->is_box && task->await <= STATE_ITERATOR);
}

static struct dbg_error *chains_from(struct chains *c, uint32_t index)
{
	chain_put(c, index);
	while (c->n && c->on && c->steps < STEPS_MAX) {
		step(c);
		if (*c->t->heap->interrupted)
			return dbg_err(DBG_E_INTERRUPTED, "interrupted");
	}
	c->cut = c->cut || c->n;
	while (c->n)
		c->on_chain[c->chain[--c->n]] = false;
	return NULL;
}

struct dbg_error *tasks_chains(const struct tasks *t, tasks_chain_fn *fn,
			       void *arg, bool *ret_cut)
{
	struct chains *c = xcalloc(1, sizeof(*c));
	struct dbg_error *err = NULL;

	*c = (struct chains){.t = t, .fn = fn, .arg = arg, .on = true};
	c->on_chain = xcalloc(t->n + 1, sizeof(*c->on_chain));
	c->seen = xcalloc(t->n + 1, sizeof(*c->seen));
	// First what awaits nothing that is known, then what is left: circles.
	for (int circles = 0; circles < 2; circles++)
		for (uint32_t i = 0; i < t->n && c->on && !err; i++)
			if (!is_resting(&t->v[i]) && !c->seen[i] &&
			    t->v[i].awaits == (circles == 1))
				err = chains_from(c, i);
	*ret_cut = c->cut;
	free(c->on_chain);
	free(c->seen);
	free(c);
	return err;
}
