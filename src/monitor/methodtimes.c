/* A profile by its methods: see methodtimes.h. */
#include "monitor/methodtimes.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

static const char idle[] = "[idle]", unseen[] = "[not seen]";

// Is the frame of @i among those that have called it?
static bool is_inner(const struct dbg_profile *p, uint32_t i)
{
	uint32_t frame = p->nodes[i].frame;

	while (i) {
		i = p->nodes[i].parent;
		if (i && p->nodes[i].frame == frame)
			return true;
	}
	return false;
}

static int times_compare(const void *a, const void *b)
{
	const struct method_times *x = a, *y = b;

	if (x->run != y->run)
		return x->run < y->run ? 1 : -1;
	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	return x->frame < y->frame ? -1 : x->frame > y->frame;
}

struct method_times *method_times(const struct dbg_profile *p, size_t *ret_n)
{
	struct method_times *v = xcalloc(p->n_frames + 1, sizeof(*v));
	_cleanup_free_ uint64_t *whole =
	    xcalloc(p->n_nodes + 1, sizeof(*whole));
	size_t n = 0;

	for (size_t i = p->n_nodes; i-- > 1;) {
		const struct dbg_sample_node *node = &p->nodes[i];
		struct method_times *m = &v[node->frame];

		whole[i] += node->run;
		whole[node->parent] += whole[i];
		m->run += node->run;
		m->wait += node->wait;
		if (whole[i] && !is_inner(p, (uint32_t)i))
			m->total += whole[i];
	}
	for (size_t i = 0; i < p->n_frames; i++) {
		v[i].frame = (uint32_t)i;
		// What only leads to others is the program's, or nobody's care.
		if (v[i].run || v[i].wait || (v[i].total && p->frames[i].own))
			v[n++] = v[i];
	}
	qsort(v, n, sizeof(*v), times_compare);
	*ret_n = n;
	return v;
}

void profile_sums(const struct dbg_profile *p, struct profile_sums *ret)
{
	*ret = (struct profile_sums){0};
	for (size_t i = 0; i < p->n_threads; i++) {
		ret->run += p->threads[i].run;
		ret->wait += p->threads[i].wait;
		ret->blocked += p->threads[i].blocked;
	}
	for (size_t i = 0; i < p->n_nodes; i++)
		if (!strcmp(p->frames[p->nodes[i].frame].name, idle))
			ret->idle += p->nodes[i].blocked;
}

// The nearest frame of the program's own that has led to @node; else the
// thread.
static const char *place_of(const struct dbg_profile *p,
			    const struct dbg_sample_node *node)
{
	const struct dbg_sample_frame *f = &p->frames[node->frame];

	while (!f->own && f->kind != DBG_SAMPLE_THREAD) {
		node = &p->nodes[node->parent];
		f = &p->frames[node->frame];
	}
	return f->name;
}

void blocked_times(const struct dbg_profile *p, struct tally *ret)
{
	for (size_t i = 1; i < p->n_nodes; i++) {
		const struct dbg_sample_node *node = &p->nodes[i];
		const struct dbg_sample_frame *state = &p->frames[node->frame];

		if (!node->blocked || !strcmp(state->name, idle) ||
		    !strcmp(state->name, unseen))
			continue;
		struct tally_row *row =
		    tally_at(ret, place_of(p, node),
			     str_hash(state->name, strlen(state->name)));

		str_set(&row->last, state->name);
		tally_add(row, node->blocked);
	}
	tally_sort(ret);
}
