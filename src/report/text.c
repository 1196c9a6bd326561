/*
 * A report for people: what happened, the thread it is about with variables
 * and source, then the others; threads with the same stack are one entry.
 */
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "front/plain.h"
#include "report/report.h"

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
