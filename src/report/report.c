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

/* Have they the same stacks, which are whole? */
static bool report_same_stack(const struct report_thread *a,
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

/* ---- A report for people ------------------------------------------------- */

/*
 * A report for people: what happened, the thread it is about with variables
 * and source, then the others; threads with the same stack are one entry.
 */

/* Where to write, and the colours, "" for none. */
struct writer {
	FILE *out;
	const char *bold, *dim, *off;
	bool all;           /* print all frames, also framework ones */
	const char *indent; /* of frames */
};

enum {
	OTHERS_MAX = 10,  /* frames of a stack without the user's */
	USED_TOLD = 1000, /* ms of processor time that are worth a word */
	WAIT_FRAMES = 16, /* of a thread that waits: a user's is among these */
	BEHIND_MAX = 3,   /* ... behind the user's last */
};

static void paint(const struct writer *w, const char *colour)
{
	fputs(colour, w->out);
}

// Frames of a thread that are on no stack, as `bt` marks them.
static const char *mark_of(const struct report_frame *f)
{
	return f->kind == DBG_FRAME_ASYNC    ? "[async] "
	       : f->kind == DBG_FRAME_THROWN ? "[thrown] "
					     : "";
}

static void write_name(const struct writer *w, const struct report_frame *f)
{
	plain_printf(w->out, "%s", f->name);
	if (f->params)
		plain_printf(w->out, "(%s)", f->params);
}

static void write_place(const struct writer *w, const struct report_frame *f)
{
	if (f->path)
		plain_printf(w->out, " at %s:%" PRIu32, f->path, f->line);
	else if (f->module)
		plain_printf(w->out, " in %s", f->module);
}

static void write_source(const struct writer *w, const struct report_frame *f)
{
	for (size_t i = 0; i < f->n_source; i++) {
		uint32_t line = f->source_first + (uint32_t)i;

		paint(w, line == f->line ? w->bold : w->dim);
		plain_printf(w->out, "%s      %c %5" PRIu32 "  %s", w->indent,
			     line == f->line ? '>' : ' ', line, f->source[i]);
		paint(w, w->off);
		fputc('\n', w->out);
	}
}

static void write_vars(const struct writer *w, const struct report_frame *f)
{
	for (size_t i = 0; i < f->n_vars; i++)
		plain_printf(w->out, "%s        %s = %s\n", w->indent,
			     f->vars[i].name, f->vars[i].text);
}

static void write_frames(const struct writer *w, const struct report_frame *v,
			 size_t n)
{
	uint64_t level = 0, omitted = 0; // behind the end of a run
	size_t end = n;
	// unless all are
	bool marked = n && v[0].kind != DBG_FRAME_ASYNC && !*w->indent;

	for (size_t i = 0; i < n; i++) {
		const struct report_frame *f = &v[i];

		if (i == end)
			level += omitted;
		if (f->period) {
			omitted = (uint64_t)(f->times - 1) * f->period;
			end = i + f->period;
		}
		paint(w, w->dim);
		if (f->period == 1)
			plain_printf(w->out,
				     "%s  [the next frame %" PRIu32 " times]\n",
				     w->indent, f->times);
		else if (f->period)
			plain_printf(w->out,
				     "%s  [the next %" PRIu32 " frames %" PRIu32
				     " times]\n",
				     w->indent, f->period, f->times);
		if (f->above)
			plain_printf(w->out, "%s       %s\n", w->indent,
				     f->above);
		paint(w, w->off);
		plain_printf(w->out, "%s  #%-3" PRIu64 " %s", w->indent,
			     level++, marked ? mark_of(f) : "");
		write_name(w, f);
		write_place(w, f);
		fputc('\n', w->out);
		write_source(w, f);
		write_vars(w, f);
	}
}

// How many frames are printed one by one: up to a few behind the last user
// frame; the rest is how the runtime has come to it.
static size_t told_of(const struct report_frame *v, size_t n)
{
	size_t own = n;

	while (own && !report_is_users(&v[own - 1]))
		own--;
	own = own ? own : OTHERS_MAX;
	return n > own + BEHIND_MAX ? own : n;
}

static bool is_named(const struct report_frame *v, size_t n, const char *module)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].module && !strcmp(v[i].module, module))
			return true;
	return false;
}

// "(132 frames of xunit.v3.core.dll, System.Private.CoreLib.dll)"
static void write_rest(const struct writer *w, const struct report_frame *v,
		       size_t n)
{
	const char *between = " of ";

	if (!n)
		return;
	fprintf(w->out, "%s  (%zu frames", w->indent, n);
	for (size_t i = 0; i < n; i++) {
		if (!v[i].module || is_named(v, i, v[i].module))
			continue;
		plain_printf(w->out, "%s%s", between, v[i].module);
		between = ", ";
	}
	fputs(")\n", w->out);
}

static void write_stack(const struct writer *w, const struct report_thread *t)
{
	size_t n = w->all ? t->n_frames : told_of(t->frames, t->n_frames);

	write_frames(w, t->frames, n);
	write_rest(w, t->frames + n, t->n_frames - n);
	if (t->cut)
		fputs("  (More frames follow.)\n", w->out);
	if (t->error)
		plain_printf(w->out, "  (No more frames: %s.)\n", t->error);
	if (!t->n_frames && !t->error)
		fputs("  (No frames.)\n", w->out);
}

static void write_thread_name(const struct writer *w,
			      const struct report_thread *t)
{
	paint(w, w->bold);
	plain_printf(w->out, "Thread %" PRIu32 " \"%s\"", t->number, t->name);
	paint(w, w->off);
	plain_printf(w->out, " (tid %d", t->tid);
	if (t->managed)
		plain_printf(w->out, ", managed %" PRIu32, t->managed_id);
	if (t->used >= USED_TOLD)
		plain_printf(w->out,
			     ", %s%" PRIu64 ".%" PRIu64 " s of processor time",
			     t->runs ? "runs, " : "", t->used / 1000,
			     t->used / 100 % 10);
	fputs(")", w->out);
}

// Write threads with identical stacks as one group; groups that begin before
// thread @i are written already.
static void write_group(const struct writer *w, const struct report *r,
			size_t i)
{
	const struct report_thread *t = &r->threads[i];
	size_t same = 1;

	for (size_t j = 0; j < i; j++)
		if (report_same_stack(&r->threads[j], t))
			return;
	write_thread_name(w, t);
	for (size_t j = i + 1; j < r->n_threads; j++)
		same += report_same_stack(&r->threads[j], t);
	if (same > 1)
		plain_printf(w->out,
			     " and %zu more with the same stack:", same - 1);
	for (size_t j = i + 1; j < r->n_threads && same > 1; j++)
		if (report_same_stack(&r->threads[j], t))
			plain_printf(w->out, " %" PRIu32, r->threads[j].number);
	fputc('\n', w->out);
	write_stack(w, t);
	fputc('\n', w->out);
}

static void write_async(const struct writer *w, const struct report_async *a)
{
	paint(w, w->bold);
	fputs(a->circle ? "Async calls that wait for each other"
			: "Async call that waits",
	      w->out);
	paint(w, w->off);
	if (a->what)
		plain_printf(w->out, " for %s", a->what);
	if (a->count > 1)
		plain_printf(w->out, ", and %" PRIu64 " more the same",
			     a->count - 1);
	fputc('\n', w->out);
	size_t n = told_of(a->frames, a->n_frames);
	write_frames(w, a->frames, n);
	write_rest(w, a->frames + n, a->n_frames - n);
	fputc('\n', w->out);
}

// The lines of a stack that is known as text.
static void write_lines(const struct writer *w, const char *text)
{
	while (text && *text) {
		size_t n = strcspn(text, "\n");

		plain_printf(w->out, "%s%.*s\n", w->indent, (int)n, text);
		text += n + (text[n] == '\n');
	}
}

// @depth: from 1 on.
static void write_inner(const struct writer *w,
			const struct report_exception *x, uint32_t depth)
{
	char indent[64];
	struct writer inner = *w;
	size_t n = told_of(x->frames, x->n_frames);

	snprintf(indent, sizeof(indent), "%*s",
		 depth < 20 ? 2 * (int)depth : 40, "");
	inner.indent = indent;
	plain_printf(w->out, "%scaused by %s%s%s\n", indent, x->type,
		     x->message ? ": " : "", x->message ? x->message : "");
	write_frames(&inner, x->frames, n);
	write_rest(&inner, x->frames + n, x->n_frames - n);
	if (x->cut)
		plain_printf(w->out, "%s  (More frames follow.)\n", indent);
	write_lines(&inner, x->stack);
}

static void write_exceptions(const struct writer *w, const struct report *r)
{
	// what FailFast was given is on no thread
	uint32_t given = report_is_fail_fast(r);

	for (size_t i = !given; i < r->n_exceptions; i++)
		write_inner(w, &r->exceptions[i],
			    r->exceptions[i].depth + given);
	for (size_t i = 0; i < r->n_exceptions; i++) {
		const struct report_exception *x = &r->exceptions[i];

		if (x->data && *x->data)
			plain_printf(w->out, "  Data of %s: %s\n", x->type,
				     x->data);
	}
}

static void write_tests(const struct writer *w, const struct report *r)
{
	for (size_t i = 0; i < r->n_tests; i++) {
		const struct report_test *test = &r->tests[i];

		plain_printf(w->out, "Test: %s", test->text);
		if (test->path)
			plain_printf(w->out, " at %s:%" PRIu32, test->path,
				     test->line);
		plain_printf(w->out, " (%s%s", test->framework,
			     *test->framework ? ", " : "");
		if (test->thread)
			plain_printf(w->out, "thread %" PRIu32 ")\n",
				     test->thread);
		else
			fputs("waits in an await)\n", w->out);
	}
}

// Does code of the user's wait, not a framework below it?
static bool is_users_wait(const struct report *r,
			  const struct report_wait *wait)
{
	for (size_t i = 0; !wait->kind->lock && i < r->n_threads; i++) {
		const struct report_thread *t = &r->threads[i];
		size_t n =
		    t->n_frames < WAIT_FRAMES ? t->n_frames : WAIT_FRAMES;

		if (t->number != wait->thread)
			continue;
		for (size_t k = 0; k < n; k++)
			if (report_is_users(&t->frames[k]))
				return true;
		return false;
	}
	return true;
}

// " "name"", "": a thread that the report has not, or without a name.
static void write_quoted(const struct writer *w, const struct report *r,
			 uint32_t thread)
{
	for (size_t i = 0; i < r->n_threads; i++)
		if (r->threads[i].number == thread && *r->threads[i].name)
			plain_printf(w->out, " \"%s\"", r->threads[i].name);
}

static bool same_wait(const struct report *r, size_t a, size_t b)
{
	const struct report_wait *x = &r->waits[a], *y = &r->waits[b];

	return x->kind == y->kind && x->object == y->object &&
	       (x->object || !strcmp(x->type, y->type)) &&
	       x->owner == y->owner && !x->deadlock && !y->deadlock &&
	       is_users_wait(r, x) && is_users_wait(r, y);
}

static uint32_t last_same(const struct report *r, size_t i)
{
	uint32_t last = r->waits[i].thread;

	for (size_t k = i + 1; k < r->n_waits; k++)
		if (same_wait(r, i, k))
			last = r->waits[k].thread;
	return last;
}

// Threads that wait for the same object of the same owner are one line; each
// thread of a deadlock cycle has a line of its own.
static void write_wait(const struct writer *w, const struct report *r, size_t i)
{
	const struct report_wait *wait = &r->waits[i];
	size_t same = 1;

	if (!is_users_wait(r, wait))
		return;
	for (size_t k = 0; k < i; k++)
		if (same_wait(r, k, i))
			return;
	for (size_t k = i + 1; k < r->n_waits; k++)
		same += same_wait(r, i, k);
	if (same > 1)
		plain_printf(
		    w->out, "%zu threads (first %" PRIu32 ", last %" PRIu32 ")",
		    same, wait->thread, last_same(r, i));
	else
		plain_printf(w->out, "Thread %" PRIu32, wait->thread);
	if (same == 1)
		write_quoted(w, r, wait->thread);
	plain_printf(w->out, " wait%s for %s{%s}", same > 1 ? "" : "s",
		     wait->kind->text, wait->type);
	if (wait->object)
		plain_printf(w->out, " 0x%" PRIx64, wait->object);
	else if (same > 1)
		fputs(", of one or of several", w->out);
	if (wait->owner == wait->thread) {
		fputs(", which goes on in this thread alone (its "
		      "SynchronizationContext)",
		      w->out);
	} else if (wait->owner) {
		plain_printf(w->out, ", which thread %" PRIu32, wait->owner);
		write_quoted(w, r, wait->owner);
		plain_printf(w->out, " %s", wait->kind->owner);
	}
	fputc('\n', w->out);
}

static void write_waits(const struct writer *w, const struct report *r)
{
	bool any = false;

	for (size_t i = 0; i < r->n_waits; i++) {
		if (!r->waits[i].deadlock)
			continue;
		plain_printf(w->out, "%s %" PRIu32,
			     any ? "," : "Deadlock of threads",
			     r->waits[i].thread);
		any = true;
	}
	if (any)
		fputc('\n', w->out);
	for (size_t i = 0; i < r->n_waits; i++)
		write_wait(w, r, i);
	if (r->lacking)
		plain_printf(w->out, "Who waits for whom: %s\n", r->lacking);
}

static void write_totals(const struct writer *w, const struct report *r)
{
	const uint64_t *bytes = r->heap.bytes;

	if (r->heap.known)
		plain_printf(w->out,
			     "Heap: generations %" PRIu64 ", %" PRIu64
			     " and %" PRIu64 ", large %" PRIu64
			     ", pinned %" PRIu64 ", frozen %" PRIu64 " bytes\n",
			     bytes[DBG_GEN_0], bytes[DBG_GEN_1],
			     bytes[DBG_GEN_2], bytes[DBG_GEN_LARGE],
			     bytes[DBG_GEN_PINNED], bytes[DBG_GEN_FROZEN]);
	if (r->pool.known)
		plain_printf(w->out,
			     "Thread pool: %" PRIu32 " of %" PRIu32
			     " workers, %" PRIu32 " at work; %" PRIu64
			     " work items queued\n",
			     r->pool.workers, r->pool.max, r->pool.working,
			     r->pool.queued);
}

// Write the surroundings; what is the same in most runs comes last.
static void write_surroundings(const struct writer *w, const struct report *r)
{
	const char *between = "Modules: ";

	write_totals(w, r);
	if (r->n_args) {
		fputs("Command:", w->out);
		for (size_t i = 0; i < r->n_args; i++)
			plain_printf(w->out, " %s", r->args[i]);
		fputc('\n', w->out);
	}
	if (r->system)
		plain_printf(w->out, "System: %s\n", r->system);
	for (size_t i = 0; i < r->n_env; i++)
		plain_printf(w->out, "%s %s\n",
			     i ? "            " : "Environment:", r->env[i]);
	for (size_t i = 0; i < r->n_modules; i++) {
		const struct report_module *m = &r->modules[i];

		if (m->framework)
			continue;
		plain_printf(w->out, "%s%s%s%s", between, m->name,
			     m->version ? " " : "",
			     m->version ? m->version : "");
		between = ", ";
	}
	if (*between == ',')
		fputc('\n', w->out);
	fputc('\n', w->out);
}

static void write_output(const struct writer *w, const struct report *r)
{
	if (r->output.n)
		fputs("Last lines of output:\n", w->out);
	for (size_t i = 0; i < r->output.n; i++)
		plain_printf(w->out, "  %s\n", r->output.lines[i]);
	if (r->output.n)
		fputc('\n', w->out);
}

static void write_report(const struct report *r, FILE *out)
{
	bool colour = isatty(fileno(out));
	const struct writer w = {out,
				 colour ? "\033[1m" : "",
				 colour ? "\033[2m" : "",
				 colour ? "\033[0m" : "",
				 !r->cause,
				 ""};

	if (r->cause) {
		paint(&w, w.bold);
		plain_printf(out, "%s", r->cause);
		paint(&w, w.off);
		fputc('\n', out);
	}
	write_exceptions(&w, r);
	write_tests(&w, r);
	write_waits(&w, r);
	plain_printf(out, "%s%sprocess %d%s%s, %zu thread%s\n", r->program,
		     *r->program ? ", " : "", r->pid, *r->runtime ? ", " : "",
		     r->runtime, r->n_threads, r->n_threads == 1 ? "" : "s");
	fputc('\n', out);
	for (size_t i = 0; i < r->n_asyncs; i++)
		write_async(&w, &r->asyncs[i]);
	for (size_t i = 0; i < r->n_threads; i++)
		write_group(&w, r, i);
	write_output(&w, r);
	if (r->cause)
		write_surroundings(&w, r);
}

void report_text(const struct report *const *v, size_t n, FILE *out)
{
	for (size_t i = 0; i < n; i++)
		write_report(v[i], out);
}
