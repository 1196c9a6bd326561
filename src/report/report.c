/*
 * What can be derived from a report without its program: which frames repeat,
 * which frame is to blame, and the fingerprint by which crashes are grouped.
 */
#include "report/report.h"
#include "report/forms.h"

#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "front/plain.h"

/* ---- What can be derived from a report without its program --------------- */

enum {
	PERIOD_MAX = 8,  /* methods that call each other in a circle */
	REPEATS_MIN = 4, /* before they are folded */
};

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/*
 * Are both frames at the same line of the same function? Native code that a
 * frame has called does not count.
 */
static bool report_same_place(const struct report_frame *a,
			      const struct report_frame *b)
{
	return a->kind == b->kind && a->line == b->line &&
	       !strcmp(a->name, b->name) && same_text(a->params, b->params) &&
	       same_text(a->path, b->path);
}

static bool report_same_frame(const struct report_frame *a,
			      const struct report_frame *b)
{
	return report_same_place(a, b) && same_text(a->above, b->above);
}

static bool same_frames(const struct report_frame *a,
			const struct report_frame *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!report_same_frame(&a[i], &b[i]))
			return false;
	return true;
}

size_t report_fold(struct report_frame *v, size_t n)
{
	for (size_t period = 1; period <= PERIOD_MAX; period++) {
		size_t all = period * REPEATS_MIN;

		if (n >= 2 * period && v[n - 2 * period].period == period &&
		    same_frames(&v[n - 2 * period], &v[n - period], period)) {
			v[n - 2 * period].times++;
			return n - period;
		}
		if (n < all)
			continue;
		bool repeats = true;
		for (size_t i = 1; i < REPEATS_MIN && repeats; i++)
			repeats = same_frames(&v[n - all],
					      &v[n - all + i * period], period);
		for (size_t i = 0; i < all && repeats; i++)
			repeats = !v[n - all + i].times;
		if (repeats) {
			v[n - all].period = (uint32_t)period;
			v[n - all].times = REPEATS_MIN;
			return n - all + period;
		}
	}
	return n;
}

bool report_same_stack(const struct report_thread *a,
		       const struct report_thread *b)
{
	if (a->n_frames != b->n_frames || a->cut != b->cut || a->error ||
	    b->error)
		return false;
	for (size_t i = 0; i < a->n_frames; i++)
		if (!report_same_frame(&a->frames[i], &b->frames[i]) ||
		    a->frames[i].times != b->frames[i].times)
			return false;
	return true;
}

void report_destroy(struct report *r)
{
	arena_destroy(r->arena);
	*r = (struct report){0};
}

const char *report_signal_text(struct report *r, int signal)
{
	const char *name = sigabbrev_np(signal);
	const char *text = sigdescr_np(signal);

	if (!name || !text)
		return arena_printf(r->arena, "Ended by signal %d", signal);
	return arena_printf(r->arena, "Ended by SIG%s (%s)", name, text);
}

const char *report_path(const char *path)
{
	char cwd[PATH_MAX];
	size_t n = getcwd(cwd, sizeof(cwd)) ? strlen(cwd) : 0;

	return n > 1 && !strncmp(path, cwd, n) && path[n] == '/' ? path + n + 1
								 : path;
}

bool report_is_fail_fast(const struct report *r)
{
	return r->kind && !strcmp(r->kind, "failfast");
}

bool report_is_users(const struct report_frame *f)
{
	return f->path && !f->framework && f->kind != DBG_FRAME_EXTERNAL;
}

static const struct report_frame *first_own(const struct report_frame *v,
					    size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (report_is_users(&v[i]))
			return &v[i];
	return NULL;
}

// The frame to blame in the report's thread, or in an async test that is on no
// stack.
static const struct report_frame *thread_culprit(const struct report *r)
{
	const struct report_thread *t = r->n_threads ? r->threads : NULL;

	// all tests wait on no stack: the chain of the first comes first
	if (r->n_asyncs && r->n_tests && !r->tests[0].thread)
		return first_own(r->asyncs[0].frames, r->asyncs[0].n_frames);
	return t && r->thread ? first_own(t->frames, t->n_frames) : NULL;
}

// The exception that @i is within; n_exceptions: none.
static size_t around(const struct report *r, size_t i)
{
	size_t at = i;

	while (at && r->exceptions[at].depth + 1 != r->exceptions[i].depth)
		at--;
	return r->exceptions[at].depth < r->exceptions[i].depth
		   ? at
		   : r->n_exceptions;
}

// Is exception @i reported with its own frames? The outermost one, if it was
// thrown, has the thread's.
static bool is_within(const struct report *r, size_t i)
{
	return i < r->n_exceptions && (i || report_is_fail_fast(r));
}

// The first frame of the user's that @i, or one around it, has passed.
static const struct report_frame *exception_culprit(const struct report *r,
						    size_t i)
{
	const struct report_frame *f = NULL;

	for (; is_within(r, i) && !f; i = around(r, i))
		f = first_own(r->exceptions[i].frames,
			      r->exceptions[i].n_frames);
	return f ? f : thread_culprit(r);
}

static bool is_innermost(const struct report *r, size_t i)
{
	return i + 1 == r->n_exceptions ||
	       r->exceptions[i + 1].depth <= r->exceptions[i].depth;
}

size_t report_culprits(const struct report *r,
		       struct report_culprit ret[REPORT_CULPRITS_MAX])
{
	size_t n = 0;

	ret[0] = (struct report_culprit){.frame = thread_culprit(r)};
	for (size_t i = 0; i < r->n_exceptions && n < REPORT_CULPRITS_MAX;
	     i++) {
		const struct report_exception *x = &r->exceptions[i];

		if (!is_innermost(r, i))
			continue;
		ret[n++] = (struct report_culprit){
		    .exception = x,
		    .frame = exception_culprit(r, i),
		    .text = arena_printf(r->arena, "%s%s%s", x->type,
					 x->message ? ": " : "",
					 x->message ? x->message : ""),
		};
	}
	ret[0].text = r->cause ? r->cause : "stopped";
	return n ? n : 1;
}

struct report_culprit report_culprit(const struct report *r)
{
	struct report_culprit v[REPORT_CULPRITS_MAX];

	report_culprits(r, v);
	return v[0];
}

// The run of frames that an overflow of the stack is made of, NULL: it is none.
static const struct report_frame *overflow_of(const struct report *r)
{
	const struct report_thread *t = r->n_threads ? r->threads : NULL;
	const struct report_frame *ret = NULL;

	if (!t || !r->n_exceptions || !r->exceptions[0].type ||
	    strcmp(r->exceptions[0].type, "System.StackOverflowException"))
		return NULL;
	for (size_t i = 0; i < t->n_frames; i++)
		if (t->frames[i].period &&
		    (!ret || t->frames[i].times > ret->times))
			ret = &t->frames[i];
	return ret && ret->period <= t->frames + t->n_frames - ret ? ret : NULL;
}

// Compare the names of a run read from the @a-th on with those from the @b-th.
static int compare_rotations(const struct report_frame *run, uint32_t a,
			     uint32_t b)
{
	int ret = 0;

	for (uint32_t i = 0; i < run->period && !ret; i++)
		ret = strcmp(run[(a + i) % run->period].name,
			     run[(b + i) % run->period].name);
	return ret;
}

// The names of a run, from where they come first in the alphabet: which of the
// methods finds the stack full is chance, and one may be called twice in it.
static void add_run(struct str *text, const struct report_frame *run)
{
	uint32_t first = 0;

	for (uint32_t i = 1; i < run->period; i++)
		if (compare_rotations(run, i, first) < 0)
			first = i;
	for (uint32_t i = 0; i < run->period; i++) {
		const struct report_frame *f = &run[(first + i) % run->period];

		if (report_is_users(f))
			str_addf(text, "%s\n", f->name);
	}
}

enum {
	FINGERPRINT_FRAMES = 3
};

// The methods of the user's of @n frames, until there are enough.
static void add_methods(struct str *text, const struct report_frame *v,
			size_t n, unsigned int *taken)
{
	for (size_t i = 0; i < n && *taken < FINGERPRINT_FRAMES; i++) {
		if (!report_is_users(&v[i]))
			continue;
		str_addf(text, "%s\n", v[i].name ? v[i].name : "");
		++*taken;
	}
}

static void add_thread(struct str *text, const struct report *r,
		       unsigned int *taken)
{
	if (r->n_threads)
		add_methods(text, r->threads[0].frames, r->threads[0].n_frames,
			    taken);
}

static void write_hash(const struct str *text, char ret[17])
{
	snprintf(ret, 17, "%016llx",
		 (unsigned long long)str_hash(text->s, text->len));
}

/*
 * The kind of fault, in words that are the same in another run or build: not
 * the cause, which has times, addresses and texts of the program in it.
 */
static const char *sort_of(const struct report *r, size_t innermost)
{
	if (innermost < r->n_exceptions)
		return r->exceptions[innermost].type;
	return r->kind ? r->kind : "";
}

void report_fingerprint(const struct report *r, char ret[17])
{
	const struct report_frame *run = overflow_of(r);
	_cleanup_str_ struct str text = {0};
	unsigned int taken = run ? FINGERPRINT_FRAMES : 0;
	size_t i = 0;

	while (i < r->n_exceptions && !is_innermost(r, i))
		i++;
	str_addf(&text, "%s\n%d\n", sort_of(r, i), r->signal);
	if (run)
		add_run(&text, run);
	for (; is_within(r, i); i = around(r, i))
		add_methods(&text, r->exceptions[i].frames,
			    r->exceptions[i].n_frames, &taken);
	add_thread(&text, r, &taken);
	write_hash(&text, ret);
}

void report_fingerprint_outermost(const struct report *r, char ret[17])
{
	const struct report_frame *run = overflow_of(r);
	_cleanup_str_ struct str text = {0};
	const char *what = r->n_exceptions && !report_is_fail_fast(r)
			       ? r->exceptions[0].type
			       : r->cause;
	const char *within =
	    what ? strstr(what, r->fault ? ": " : REPORT_WITHIN) : NULL;
	unsigned int taken = run ? FINGERPRINT_FRAMES : 0;

	str_addf(&text, "%.*s\n", (int)(within ? within - what : INT_MAX),
		 what ? what : "");
	if (run)
		add_run(&text, run);
	add_thread(&text, r, &taken);
	write_hash(&text, ret);
}

/* ---- Parallel stacks ----------------------------------------------------- */

/*
 * Parallel stacks: the stacks of all threads as a tree, whose root is what they
 * have in common. Frames are the outermost first, so that a branch is where
 * threads went different ways; threads that stand at one place are one entry.
 */

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
/* Take the next branch out of @p; false: there is none left. */
static bool next_branch(struct pile *p, struct pile *ret)
{
	if (!p->n)
		return false;
	*ret = take_branch(p);
	p->v += ret->n;
	p->n -= ret->n;
	return true;
}

static void text_branch(FILE *out, struct pile p, size_t level)
{
	struct pile one;

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
	while (next_branch(&p, &one))
		text_branch(out, one, level + 1);
}

/* ---- JSON ------------------------------------------------------------ */

static cJSON *json_threads(const struct pile *p)
{
	cJSON *list = cJSON_CreateArray();

	for (size_t i = 0; i < p->n; i++)
		cJSON_AddItemToArray(list, cJSON_CreateNumber(p->v[i]->number));
	return list;
}

static cJSON *json_branch(struct pile p);

/* Add "stacks": the branches of @p. */
static void json_branches(cJSON *o, struct pile p)
{
	cJSON *list = cJSON_AddArrayToObject(o, "stacks");
	struct pile one;

	while (next_branch(&p, &one))
		cJSON_AddItemToArray(list, json_branch(one));
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
	json_branches(o, p);
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
	struct pile one;

	for (; next_branch(&p, &one); roots++)
		text_branch(out, one, 0);
	fprintf(out, "%zu thread%s, %zu root%s\n", n, n == 1 ? "" : "s", roots,
		roots == 1 ? "" : "s");
}

void report_parallel_json(const struct report *r, FILE *out)
{
	struct pile p = all_of(r);
	cJSON *o = cJSON_CreateObject();

	cJSON_AddNumberToObject(o, "version", 1);
	cJSON_AddNumberToObject(o, "threads", (double)p.n);
	json_branches(o, p);
	json_print(o, out, true);
}
