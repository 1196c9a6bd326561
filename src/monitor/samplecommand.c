/*
 * `dndbg sample PID|NAME`: where the time of a running program goes, by method;
 * and as a profile for the tools that read one.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "dbg.h"
#include "front/plain.h"
#include "monitor/monitor.h"
#include "monitor/watching.h"
#include "report/forms.h"

/* ---- Times of methods ------------------------------------------------ */

/* A profile by its methods: what they and those they have called took. */

/* Nanoseconds, of one frame in all stacks. */
struct method_times {
	uint32_t frame;
	uint64_t run, wait; /* in itself */
	uint64_t total;     /* run, with what it has called */
};

/* Nanoseconds of all threads. */
struct profile_sums {
	uint64_t run, wait, blocked;
	uint64_t idle; /* of what was blocked */
};

static struct method_times *method_times(const struct dbg_profile *p,
					 size_t *ret_n);

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

/*
 * The frames of @p that have run or waited for a processor, and the program's
 * own that have called these, those that have run the most themselves first;
 * the caller frees them.
 */
static struct method_times *method_times(const struct dbg_profile *p,
					 size_t *ret_n)
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

static void profile_sums(const struct dbg_profile *p, struct profile_sums *ret)
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

/*
 * Time that was blocked, as far as it was seen, but for idle threads of the
 * runtime: by what was waited for (the row's `last`, in brackets) and the
 * program's own method that did, or the thread (its text).
 */
static void blocked_times(const struct dbg_profile *p, struct tally *ret)
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

/* ---- The command ----------------------------------------------------- */

enum {
	OPT_JSON = 256,
	OPT_SECONDS,
	OPT_RATE,
	OPT_DIFF,
	OPT_ASYNC,
	OPT_HELP,
	OPT_FORM, /* and those behind it: profile_forms */
	SECONDS = 10,
	HERTZ = 99,
	METHODS_SHOWN = 15,
	BLOCKED_SHOWN = 10,
};

static const struct option options[] = {
    {"json", no_argument, NULL, OPT_JSON},
    {"seconds", required_argument, NULL, OPT_SECONDS},
    {"rate", required_argument, NULL, OPT_RATE},
    {"diff", required_argument, NULL, OPT_DIFF},
    {"async", no_argument, NULL, OPT_ASYNC},
    {"folded", required_argument, NULL, OPT_FORM + PROFILE_FOLDED},
    {"flame", required_argument, NULL, OPT_FORM + PROFILE_FLAME},
    {"speedscope", required_argument, NULL, OPT_FORM + PROFILE_SPEEDSCOPE},
    {"pprof", required_argument, NULL, OPT_FORM + PROFILE_PPROF},
    {"firefox", required_argument, NULL, OPT_FORM + PROFILE_FIREFOX},
    {"help", no_argument, NULL, OPT_HELP},
    {NULL, 0, NULL, 0},
};

struct sampling {
	struct watch_options o;
	struct dbg_sample_request req;
	const char
	    *files[N_PROFILE_FORMS]; /* by enum profile_form; NULL: none */
	const char *diff;            /* a file of --folded, or NULL */
	struct profile_writing writing;
	struct dbg_sampler *sampler;
};

static void usage(FILE *out)
{
	fputs(
	    "usage: dndbg sample [options] PID|NAME\n"
	    "Where the time of a running program goes; the program is not "
	    "stopped.\n"
	    "\n"
	    "  --seconds N        for so long [10]; Ctrl-C ends it early\n"
	    "  --rate N           samples a second of each running thread "
	    "[99]\n"
	    "  --async            async calls under those that await them, not "
	    "under what resumed them\n"
	    "  --flame FILE.html  a flame graph, for a browser: search, zoom, "
	    "running, blocked\n"
	    "  --diff FILE        another profile, of --folded, that the flame "
	    "graph compares with\n"
	    "  --folded FILE      the stacks, a line each, with the "
	    "microseconds spent there\n"
	    "  --speedscope FILE, --pprof FILE, --firefox FILE\n"
	    "                     for these tools\n"
	    "  --json             as JSON, for programs "
	    "(docs/monitoring.md)\n",
	    out);
}

/* ---- The result, on a screen ------------------------------------------- */

static void methods_print(const struct dbg_profile *p,
			  const struct profile_sums *sums)
{
	char self[QUANTITY_MAX], total[QUANTITY_MAX], run[QUANTITY_MAX],
	    wait[QUANTITY_MAX];
	double all = (double)sums->run;
	size_t n;
	_cleanup_free_ struct method_times *v = method_times(p, &n);

	if (!n)
		return;
	printf("\n%8s  %8s  %9s  %9s  %s\n", "SELF", "TOTAL", "RUNNING",
	       "WAITING", "METHOD");
	for (size_t i = 0; i < n && i < METHODS_SHOWN; i++) {
		const struct method_times *m = &v[i];

		plain_printf(stdout, "%8s  %8s  %9s  %9s  %s\n",
			     quantity_share((double)m->run, all, self),
			     quantity_share((double)m->total, all, total),
			     quantity_time(m->run, run),
			     quantity_time(m->wait, wait),
			     p->frames[m->frame].name);
	}
	if (n > METHODS_SHOWN)
		printf("%41s  and %zu others\n", "", n - METHODS_SHOWN);
}

// "lock" of "[lock]".
static void state_word(const char *state, char ret[QUANTITY_MAX])
{
	snprintf(ret, QUANTITY_MAX, "%.*s", (int)strcspn(state + 1, "]"),
		 state + 1);
}

static void blocked_print(const struct dbg_profile *p)
{
	char time[QUANTITY_MAX], state[QUANTITY_MAX];
	struct tally blocked = {0};

	blocked_times(p, &blocked);
	if (blocked.n)
		printf("\n%8s  %-8s  %s\n", "BLOCKED", "ON", "IN");
	for (size_t i = 0; i < blocked.n && i < BLOCKED_SHOWN; i++) {
		const struct tally_row *row = blocked.rows[i];

		state_word(row->last, state);
		plain_printf(stdout, "%8s  %-8s  %s\n",
			     quantity_time(row->sum, time), state, row->text);
	}
	if (blocked.n > BLOCKED_SHOWN)
		printf("%18s  and %zu others\n", "", blocked.n - BLOCKED_SHOWN);
	tally_deinit(&blocked);
}

static void quality_print(const struct sampling *s, const struct dbg_profile *p)
{
	printf("\n%" PRIu64 " samples at %" PRIu32 " Hz, %" PRIu64
	       " lost; %" PRIu64 " looks at blocked threads; %" PRIu64
	       " stack%s cut off",
	       p->samples, s->req.hertz, p->lost, p->looks, p->broken,
	       quantity_plural(p->broken));
	if (s->req.async)
		printf("; %" PRIu64 " of %" PRIu64 " resumed async calls "
		       "joined to those that await them",
		       p->joined, p->resumed);
	putchar('\n');
	if (p->note)
		plain_printf(stdout, "%s\n", p->note);
	else if (!p->kernel)
		printf("Time in the kernel counts for the code around it: to "
		       "see it takes CAP_PERFMON, or "
		       "perf_event_paranoid of 1\n");
}

static void result_print(const struct sampling *s, const struct dbg_profile *p,
			 const struct watch_result *r)
{
	char run[QUANTITY_MAX], wait[QUANTITY_MAX], share[QUANTITY_MAX],
	    time[WATCH_TIME_MAX];
	struct profile_sums sums;

	profile_sums(p, &sums);
	watch_title(r);
	printf("%s running (%s of a processor), %s waiting for one%s\n",
	       quantity_time(sums.run, run),
	       quantity_share((double)sums.run, (double)(p->ended - p->began),
			      share),
	       quantity_time(sums.wait, wait), watch_time(r, time));
	methods_print(p, &sums);
	blocked_print(p);
	quality_print(s, p);
}

/* ---- JSON -------------------------------------------------------------- */

static void add_ms(cJSON *o, const char *name, uint64_t ns)
{
	cJSON_AddNumberToObject(o, name, (double)(ns / 1000) / 1000);
}

static cJSON *methods_json(const struct dbg_profile *p)
{
	cJSON *list = cJSON_CreateArray();
	size_t n;
	_cleanup_free_ struct method_times *v = method_times(p, &n);

	for (size_t i = 0; i < n; i++) {
		const struct dbg_sample_frame *f = &p->frames[v[i].frame];
		cJSON *o = cJSON_CreateObject();

		json_add_text(o, "method", f->name);
		json_add_text(o, "module", f->module);
		cJSON_AddBoolToObject(o, "own", f->own);
		add_ms(o, "runningMs", v[i].run);
		add_ms(o, "waitingMs", v[i].wait);
		add_ms(o, "totalMs", v[i].total);
		cJSON_AddItemToArray(list, o);
	}
	return list;
}

static cJSON *blocked_json(const struct dbg_profile *p)
{
	cJSON *list = cJSON_CreateArray();
	char state[QUANTITY_MAX];
	struct tally blocked = {0};

	blocked_times(p, &blocked);
	for (size_t i = 0; i < blocked.n; i++) {
		cJSON *o = cJSON_CreateObject();

		state_word(blocked.rows[i]->last, state);
		json_add_text(o, "on", state);
		json_add_text(o, "in", blocked.rows[i]->text);
		add_ms(o, "blockedMs", blocked.rows[i]->sum);
		cJSON_AddItemToArray(list, o);
	}
	tally_deinit(&blocked);
	return list;
}

static cJSON *threads_json(const struct dbg_profile *p)
{
	cJSON *list = cJSON_CreateArray();

	for (size_t i = 0; i < p->n_threads; i++) {
		const struct dbg_sample_thread *t = &p->threads[i];
		cJSON *o = cJSON_CreateObject();

		cJSON_AddNumberToObject(o, "tid", t->tid);
		json_add_text(o, "name", t->name);
		add_ms(o, "runningMs", t->run);
		add_ms(o, "waitingMs", t->wait);
		add_ms(o, "blockedMs", t->blocked);
		cJSON_AddNumberToObject(o, "samples", (double)t->samples);
		cJSON_AddItemToArray(list, o);
	}
	return list;
}

static void result_json(const struct sampling *s, const struct dbg_profile *p,
			const struct watch_result *r)
{
	struct profile_sums sums;
	cJSON *o = watch_json(r);

	profile_sums(p, &sums);
	cJSON_AddNumberToObject(o, "rate", s->req.hertz);
	cJSON_AddNumberToObject(o, "samples", (double)p->samples);
	cJSON_AddNumberToObject(o, "looks", (double)p->looks);
	cJSON_AddNumberToObject(o, "looksTorn", (double)p->torn);
	cJSON_AddNumberToObject(o, "stacksCutOff", (double)p->broken);
	if (s->req.async) {
		cJSON_AddNumberToObject(o, "asyncResumed", (double)p->resumed);
		cJSON_AddNumberToObject(o, "asyncJoined", (double)p->joined);
	}
	cJSON_AddBoolToObject(o, "kernel", p->kernel);
	json_add_text(o, "note", p->note);
	add_ms(o, "runningMs", sums.run);
	add_ms(o, "waitingMs", sums.wait);
	add_ms(o, "blockedMs", sums.blocked);
	add_ms(o, "guessedMs", p->guessed);
	add_ms(o, "idleMs", sums.idle);
	cJSON_AddItemToObject(o, "methods", methods_json(p));
	cJSON_AddItemToObject(o, "blocked", blocked_json(p));
	cJSON_AddItemToObject(o, "threads", threads_json(p));
	json_print(o, stdout, true);
}

/* ---- Sampling ---------------------------------------------------------- */

static struct dbg_error *sampling_read(void *arg, bool *ret_ended)
{
	const struct sampling *s = arg;

	dbg_sampler_read(s->sampler, ret_ended);
	return NULL;
}

static void progress(void *arg, struct str *text)
{
	const struct sampling *s = arg;

	str_addf(text, "%" PRIu64 " samples", dbg_sampler_samples(s->sampler));
}

static struct dbg_error *files_write(struct sampling *s,
				     const struct dbg_profile *p,
				     const struct watch_result *r)
{
	struct dbg_error *err = NULL;

	s->writing.profile = p;
	s->writing.result = r;
	for (size_t i = 0; !err && i < N_PROFILE_FORMS; i++)
		if (s->files[i])
			err = profile_write((enum profile_form)i, &s->writing,
					    s->files[i]);
	return err;
}

static struct dbg_error *sampling_run(struct dbg *dbg, struct sampling *s)
{
	const struct watcher w = {.arg = s, .progress = progress};
	struct watch_result r = {0};
	bool ended;

	watch_signals();
	struct dbg_error *err =
	    s->diff ? profile_before(&s->writing, s->diff) : NULL;
	if (!err)
		err = dbg_program_find(dbg, s->o.what, &r.pid);
	if (!err)
		err = dbg_sampler_open(dbg, r.pid, &s->req, &s->sampler);
	if (err)
		return err;
	const struct watch_source source = {
	    .fd = dbg_sampler_fd(s->sampler), .read = sampling_read, .arg = s};
	watch_source(&s->o, &w, &source, &r, &ended);
	const struct dbg_profile *p = dbg_sampler_stop(s->sampler);

	r.version = dbg_sampler_runtime(s->sampler);
	r.lost = p->lost;
	if (s->o.json)
		result_json(s, p, &r);
	else
		result_print(s, p, &r);
	return files_write(s, p, &r);
}

/* ---- The command ------------------------------------------------------- */

static bool parse_rate(const char *text, uint32_t *ret)
{
	uint64_t n;

	if (!str_to_u64(text, &n) || !n || n > 10000) {
		plain_printf(stderr,
			     "dndbg: '%s' is no number of samples a second, "
			     "1 to 10000\n",
			     text);
		return false;
	}
	*ret = (uint32_t)n;
	return true;
}

// Returns -1 to go on, else the exit status.
static int parse(int argc, char **argv, struct sampling *ret)
{
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == OPT_JSON) {
			ret->o.json = true;
		} else if (c >= OPT_FORM) {
			ret->files[c - OPT_FORM] = optarg;
		} else if (c == OPT_SECONDS) {
			if (!watch_seconds(optarg, &ret->o.ms))
				return 2;
		} else if (c == OPT_DIFF) {
			ret->diff = optarg;
		} else if (c == OPT_ASYNC) {
			ret->req.async = true;
		} else if (c == OPT_RATE) {
			if (!parse_rate(optarg, &ret->req.hertz))
				return 2;
		} else {
			usage(c == OPT_HELP ? stdout : stderr);
			return c == OPT_HELP ? 0 : 2;
		}
	}
	if (optind != argc - 1 || (ret->diff && !ret->files[PROFILE_FLAME])) {
		usage(stderr);
		return 2;
	}
	ret->o.what = argv[optind];
	return -1;
}

int monitor_sample_main(struct dbg *dbg, int argc, char **argv)
{
	struct sampling s = {.o.ms = SECONDS * 1000, .req.hertz = HERTZ};

	int status = parse(argc, argv, &s);
	if (status >= 0)
		return status;
	struct dbg_error *err = sampling_run(dbg, &s);
	dbg_sampler_close(s.sampler);
	str_deinit(&s.writing.before);
	plain_error(err);
	return err ? 1 : 0;
}
