/*
 * Parallel stacks: the stacks of all threads as a tree, whose root is what they
 * have in common. Frames are the outermost first, so that a branch is where
 * threads went different ways; threads that stand at one place are one entry.
 */
#include "report/parallel.h"

#include <inttypes.h>

#include "base/mem.h"
#include "front/plain.h"
#include "report/json.h"

enum {
	INDENT = 2,
	INDENT_MAX = 40, /* deeper trees are not moved further to the right */
	COUNT_WIDTH = 4,
};

/* Threads that have had the same frames so far. */
struct pile {
	const struct report_thread **v;
	size_t n;
	size_t depth; /* frames that they have had */
};

static const struct report_frame *next_frame(const struct report_thread *t,
					     size_t depth)
{
	return depth < t->n_frames ? &t->frames[t->n_frames - 1 - depth] : NULL;
}

static bool goes_along(const struct report_thread *a,
		       const struct report_thread *b, size_t depth)
{
	const struct report_frame *x = next_frame(a, depth);
	const struct report_frame *y = next_frame(b, depth);

	if (!x || !y)
		return x == y;
	return x->times == y->times && report_same_place(x, y);
}

// The threads of @from that go the way of its first one, moved to its front.
static struct pile take_branch(const struct pile *from)
{
	struct pile ret = {from->v, 0, from->depth};

	for (size_t i = 0; i < from->n; i++) {
		const struct report_thread *t = from->v[i];

		if (i && !goes_along(from->v[0], t, from->depth))
			continue;
		for (size_t k = i; k > ret.n; k--)
			from->v[k] = from->v[k - 1];
		from->v[ret.n++] = t;
	}
	return ret;
}

static bool is_end(const struct pile *p)
{
	return p->n && !next_frame(p->v[0], p->depth);
}

/* ---- Text ------------------------------------------------------------ */

static void indent(FILE *out, size_t level)
{
	size_t n = level * INDENT < INDENT_MAX ? level * INDENT : INDENT_MAX;

	for (size_t i = 0; i < n; i++)
		fputc(' ', out);
}

static void text_frame(FILE *out, const struct pile *p, size_t level)
{
	const struct report_frame *f = next_frame(p->v[0], p->depth);

	indent(out, level);
	plain_printf(out, "%*zu %s", COUNT_WIDTH, p->n, f->name);
	if (f->params)
		plain_printf(out, "(%s)", f->params);
	if (f->path)
		plain_printf(out, " at %s:%" PRIu32, f->path, f->line);
	if (f->times)
		plain_printf(out,
			     " [%" PRIu32 " times, with %" PRIu32 " frame%s]",
			     f->times, f->period, f->period == 1 ? "" : "s");
	fputc('\n', out);
}

static void text_threads(FILE *out, const struct pile *p, size_t level)
{
	indent(out, level);
	fprintf(out, "%*s thread%s", COUNT_WIDTH, "", p->n == 1 ? "" : "s");
	for (size_t i = 0; i < p->n; i++)
		fprintf(out, "%s %" PRIu32, i ? "," : "", p->v[i]->number);
	if (p->n == 1)
		plain_printf(out, " \"%s\"", p->v[0]->name);
	if (p->v[0]->error)
		plain_printf(out, " (no more frames: %s)", p->v[0]->error);
	fputc('\n', out);
}

// A branch to where it forks again or ends.
static void text_branch(FILE *out, struct pile p, size_t level)
{
	for (;;) {
		struct pile first = take_branch(&p);

		if (first.n < p.n)
			break;
		if (is_end(&p)) {
			text_threads(out, &p, level);
			return;
		}
		text_frame(out, &p, level);
		p.depth++;
	}
	while (p.n) {
		struct pile one = take_branch(&p);

		text_branch(out, one, level + 1);
		p.v += one.n;
		p.n -= one.n;
	}
}

/* ---- JSON ------------------------------------------------------------ */

static cJSON *json_threads(const struct pile *p)
{
	cJSON *list = cJSON_CreateArray();

	for (size_t i = 0; i < p->n; i++)
		cJSON_AddItemToArray(list, cJSON_CreateNumber(p->v[i]->number));
	return list;
}

static cJSON *json_branch(struct pile p)
{
	cJSON *o = cJSON_CreateObject();

	cJSON_AddNumberToObject(o, "count", (double)p.n);
	cJSON *frames = cJSON_AddArrayToObject(o, "frames");
	for (;;) {
		struct pile first = take_branch(&p);

		if (first.n < p.n)
			break;
		if (is_end(&p)) {
			cJSON_AddItemToObject(o, "threads", json_threads(&p));
			return o;
		}
		cJSON_AddItemToArray(frames,
				     json_frame(next_frame(p.v[0], p.depth)));
		p.depth++;
	}
	cJSON *list = cJSON_AddArrayToObject(o, "stacks");
	while (p.n) {
		struct pile one = take_branch(&p);

		cJSON_AddItemToArray(list, json_branch(one));
		p.v += one.n;
		p.n -= one.n;
	}
	return o;
}

/* ---- All ------------------------------------------------------------- */

static struct pile all_of(const struct report *r)
{
	struct pile ret = {
	    .v = arena_calloc(r->arena, r->n_threads + 1, sizeof(*ret.v))};

	for (size_t i = 0; i < r->n_threads; i++)
		if (r->threads[i].n_frames)
			ret.v[ret.n++] = &r->threads[i];
	return ret;
}

void report_parallel(const struct report *r, FILE *out)
{
	struct pile p = all_of(r);
	size_t roots = 0, n = p.n;

	while (p.n) {
		struct pile one = take_branch(&p);

		text_branch(out, one, 0);
		p.v += one.n;
		p.n -= one.n;
		roots++;
	}
	fprintf(out, "%zu thread%s, %zu root%s\n", n, n == 1 ? "" : "s", roots,
		roots == 1 ? "" : "s");
}

void report_parallel_json(const struct report *r, FILE *out)
{
	struct pile p = all_of(r);
	cJSON *o = cJSON_CreateObject();

	cJSON_AddNumberToObject(o, "version", 1);
	cJSON_AddNumberToObject(o, "threads", (double)p.n);
	cJSON *list = cJSON_AddArrayToObject(o, "stacks");
	while (p.n) {
		struct pile one = take_branch(&p);

		cJSON_AddItemToArray(list, json_branch(one));
		p.v += one.n;
		p.n -= one.n;
	}
	json_print(o, out, true);
}
