/*
 * Checks of `doctor` that need time: what the program did while it was watched
 * (`--seconds`). What was seen then is JSON (monitor_doctor_watch()), without
 * a judgement.
 */
#include "repl/state/doctor.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "repl/heap/sheet.h"
#include "repl/repl_priv.h"
#include "repl/resume.h"
#include "repl/show/print.h"

/* When what was seen is a finding. */
#define BURNING_SHARE 0.8 /* of a processor: used, or waited for */
#define PAUSED_SHARE 0.05 /* of the time */
#define LONG_PAUSE_MS 100.0
#define MUCH_ALLOCATED (100.0 * (double)DOCTOR_MIB) /* a second */
#define MANY_THROWN 100.0                           /* a second */
#define WAITED_SHARE 0.5 /* of a processor, waited for by all threads */
#define WAITED_TIMES 2.0 /* as long as they ran */
#define HELD_SHARE 0.1   /* of the cgroup's periods */
#define STOOD_MS 1.0     /* who has run less has only been looked at */
#define BRIEF_S 0.1      /* what ended earlier than asked tells nothing */

enum {
	BURNING_LISTED = 4,
	FRAMES_LOOKED = 64,
	HELD_MIN = 3,      /* periods */
	MESSAGE_MAX = 100, /* bytes of an exception's */
};

/* ---- The facts ----------------------------------------------------------- */

static double number(const cJSON *o, const char *name)
{
	double n =
	    cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(o, name));

	return n >= 0 ? n : 0; // also if there is none
}

static const char *text_of(const cJSON *o, const char *name)
{
	const char *s =
	    cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(o, name));

	return s ? s : "";
}

static const cJSON *part(const struct doctor *d, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(d->watched, name);
}

// For how long something was watched.
static double seconds(const cJSON *o)
{
	double s = number(o, "seconds");

	return s > 0.001 ? s : 0.001;
}

// For how long threads were looked at, which begins a moment earlier.
static double thread_ms(const struct doctor *d)
{
	double ms = number(d->watched, "threadMs");

	return ms > 1 ? ms : 1;
}

// The share of the time that collections have stopped all threads.
static double paused_share(const struct doctor *d)
{
	const cJSON *o = part(d, "collections");

	return number(o, "pausedMs") / 1000 / seconds(o);
}

/* ---- Threads that use a processor ---------------------------------------- */

static const struct dbg_thread *thread_of(const struct doctor *d,
					  const cJSON *seen)
{
	double tid = number(seen, "tid");

	for (size_t i = 0; i < d->n_threads; i++)
		if ((double)d->threads[i].tid == tid)
			return &d->threads[i];
	return NULL;
}

// Append where the method stands: the line that the thread is at in it, if it
// is in it now, else the method's first.
static void add_line(const struct doctor *d, const struct dbg_thread *t,
		     const char *method, struct str *text)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	const struct dbg_place place = {.kind = DBG_PLACE_TEXT, .text = method};
	struct dbg_location *at;
	struct dbg_frame *f;
	size_t n = 0;

	if (t && dbg_err_drop(dbg_frame_list(d->at, t->number, 0, FRAMES_LOOKED,
					     &f, &n)))
		n = 0;
	for (size_t i = 0; i < n; i++) {
		if (strcmp(f[i].function, method) || !f[i].source.path)
			continue;
		str_addf(text, " at %s:%" PRIu32,
			 str_basename(f[i].source.path), f[i].source.line);
		return;
	}
	if (!dbg_err_drop(dbg_locate(d->r->dbg, 0, &place, arena, &at, &n)) &&
	    n && at[0].file)
		str_addf(text, " at %s:%" PRIu32, str_basename(at[0].file),
			 at[0].line);
}

// Has the thread used, or wanted, a processor, and is it none of the runtime's
// own, of which other findings tell?
static bool is_burning(const struct doctor *d, const cJSON *seen)
{
	double ms = thread_ms(d), run = number(seen, "runningMs"),
	       all = run + number(seen, "waitingMs");
	bool own = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(seen, "own"));

	return all >= BURNING_SHARE * ms && *text_of(seen, "method") &&
	       (own || !str_starts(text_of(seen, "name"), ".NET "));
}

static void add_burning(const struct doctor *d, const cJSON *seen,
			struct str *text)
{
	const struct dbg_thread *t = thread_of(d, seen);
	double ms = thread_ms(d), run = number(seen, "runningMs"),
	       wait = number(seen, "waitingMs");

	if (t)
		str_addf(text, "Thread %" PRIu32 " \"%s\"", t->number, t->name);
	else
		str_addf(text, "Thread \"%s\" (%.0f), which has ended,",
			 text_of(seen, "name"), number(seen, "tid"));
	str_addf(text, " used %.0f %% of a processor", run / ms * 100);
	if (wait >= ms / 20)
		str_addf(text, " and waited for one for %.0f %% of the time",
			 wait / ms * 100);
	str_addf(text, ", %.0f %% of that in %s",
		 run > 0 ? number(seen, "methodMs") / run * 100 : 0,
		 text_of(seen, "method"));
	if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(seen, "own")))
		add_line(d, t, text_of(seen, "method"), text);
}

static int by_run(const void *a, const void *b)
{
	double x = number(*(const cJSON *const *)a, "runningMs"),
	       y = number(*(const cJSON *const *)b, "runningMs");

	return (x < y) - (x > y);
}

static void find_burning(struct doctor *d)
{
	const cJSON *threads = part(d, "threads"), *seen;
	_cleanup_str_ struct str text = {0};
	_cleanup_free_ const cJSON **v =
	    xcalloc((size_t)cJSON_GetArraySize(threads) + 1, sizeof(cJSON *));
	size_t n = 0;

	cJSON_ArrayForEach(seen, threads)
	{
		if (is_burning(d, seen))
			v[n++] = seen;
	}
	if (!n)
		return;
	qsort(v, n, sizeof(*v), by_run);
	for (size_t i = 0; i < n && i < BURNING_LISTED; i++) {
		str_add(&text, i ? "; " : "");
		add_burning(d, v[i], &text);
	}
	if (n > BURNING_LISTED)
		str_addf(&text, "; and %zu more threads", n - BURNING_LISTED);
	doctor_find(d, WEIGHT_WARNING, "sample", str_get(&text));
}

// Does the program wait for processors, because there are too few or because
// its cgroup has used up its share of them?
static void find_waits(struct doctor *d)
{
	const cJSON *o = part(d, "processors");
	_cleanup_str_ struct str text = {0};
	double run = number(o, "runningMs"), wait = number(o, "waitingMs"),
	       periods = number(o, "periods"), held = number(o, "heldBack");
	bool waits =
	    wait >= WAITED_SHARE * thread_ms(d) && wait >= WAITED_TIMES * run;
	bool is_held = held >= HELD_MIN && held >= HELD_SHARE * periods;

	if (!waits && !is_held)
		return;
	str_addf(&text,
		 "Threads waited for a processor for %.1f s, all together, and "
		 "ran for %.1f s",
		 wait / 1000, run / 1000);
	if (is_held)
		str_addf(&text,
			 "; the program's cgroup has %.2f processors, and was "
			 "held back in %.0f of %.0f periods",
			 number(o, "limit"), held, periods);
	doctor_find(d, WEIGHT_WARNING, "sample", str_get(&text));
}

/* ---- What the runtime has told ------------------------------------------- */

static void find_pauses(struct doctor *d)
{
	const cJSON *o = part(d, "collections");
	_cleanup_str_ struct str text = {0};
	double longest = number(o, "longestMs");

	if (paused_share(d) <= PAUSED_SHARE && longest <= LONG_PAUSE_MS)
		return;
	str_addf(&text,
		 "All threads stood still for collections for %.1f %% of the "
		 "time: %.0f of them",
		 paused_share(d) * 100, number(o, "count"));
	if (*text_of(o, "cause"))
		str_addf(&text, ", most of that caused by: %s",
			 text_of(o, "cause"));
	str_addf(&text, "; the longest for %.0f ms, generation %.0f", longest,
		 number(o, "longestGeneration"));
	if (*text_of(o, "longestCause"))
		str_addf(&text, ", caused by: %s", text_of(o, "longestCause"));
	doctor_find(d, WEIGHT_WARNING, "events gc", str_get(&text));
}

static void find_allocations(struct doctor *d)
{
	const cJSON *o = part(d, "allocations"), *type;
	_cleanup_str_ struct str text = {0};
	double all = number(o, "bytes"), rate = all / seconds(o);
	bool first = true;

	if (all <= 0 ||
	    (rate <= MUCH_ALLOCATED && paused_share(d) <= PAUSED_SHARE))
		return;
	str_addf(&text, "About %.0f MiB are allocated a second",
		 rate / (double)DOCTOR_MIB);
	cJSON_ArrayForEach(type, cJSON_GetObjectItemCaseSensitive(o, "types"))
	{
		str_addf(&text, "%s %.0f %% %s", first ? ":" : ",",
			 number(type, "bytes") / all * 100,
			 text_of(type, "type"));
		first = false;
	}
	doctor_find(d, WEIGHT_WARNING, "events alloc", str_get(&text));
}

static void find_exceptions(struct doctor *d)
{
	const cJSON *o = part(d, "exceptions");
	const cJSON *most =
	    cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(o, "types"), 0);
	_cleanup_str_ struct str text = {0};
	double n = number(o, "count"), rate = n / seconds(o);

	if (rate <= MANY_THROWN)
		return;
	str_addf(&text, "%.0f exceptions are thrown a second", rate);
	if (most)
		str_addf(&text, ", %.0f %% of them %s, at last \"%.*s\"",
			 number(most, "count") / n * 100, text_of(most, "type"),
			 MESSAGE_MAX, text_of(most, "lastMessage"));
	doctor_find(d, WEIGHT_WARNING, "events exceptions", str_get(&text));
}

// The runtime looks twice a second whether work waits that no worker takes up,
// and adds one then.
static void find_starvation(struct doctor *d)
{
	const cJSON *o = part(d, "pool");
	_cleanup_str_ struct str text = {0};
	double n = number(o, "starved");

	if (n <= 0)
		return;
	str_addf(&text,
		 "The thread pool starved %.0f time%s: work waited, and no "
		 "worker took it up, until the runtime added one; it had %.0f "
		 "in the end",
		 n, n > 1 ? "s" : "", number(o, "workersLast"));
	doctor_find(d, n >= seconds(o) ? WEIGHT_SEVERE : WEIGHT_WARNING,
		    "events threadpool", str_get(&text));
}

struct dbg_error *doctor_watched(struct doctor *d)
{
	static const struct {
		const char *name;
		void (*find)(struct doctor *d);
	} finds[] = {
	    {"processor", find_burning},       {"processor", find_waits},
	    {"threadPool", find_starvation},   {"collections", find_pauses},
	    {"allocations", find_allocations}, {"exceptions", find_exceptions},
	};

	for (size_t i = 0; i < sizeof(finds) / sizeof(*finds); i++) {
		d->check = finds[i].name;
		finds[i].find(d);
	}
	return NULL;
}

bool doctor_stood(const struct doctor *d, uint32_t thread)
{
	const cJSON *seen;
	double tid = -1;

	for (size_t i = 0; i < d->n_threads; i++)
		if (d->threads[i].number == thread)
			tid = d->threads[i].tid;
	cJSON_ArrayForEach(seen, part(d, "threads"))
	{
		if (number(seen, "tid") == tid)
			return number(seen, "runningMs") < STOOD_MS;
	}
	return false;
}

void doctor_stood_add(const struct doctor *d, struct str *text)
{
	str_addf(text, "; none of them has run in the last %.1f s",
		 seconds(d->watched));
}

/* ---- Watching, and what is shown of it ----------------------------------- */

// Take what was seen, but for what ended as soon as it had begun.
static struct dbg_error *take_facts(struct doctor *d, const char *facts,
				    bool json)
{
	d->watched = cJSON_Parse(facts);
	if (!d->watched)
		return dbg_err(DBG_E_FORMAT,
			       "what was seen of process %d cannot be read",
			       (int)dbg_pid(d->r->dbg));
	if (!strcmp(text_of(d->watched, "end"), "time") ||
	    seconds(d->watched) >= BRIEF_S)
		return NULL;
	cJSON_Delete(d->watched);
	d->watched = NULL;
	if (!json)
		out(d->r, "The watching ended before anything was seen; what "
			  "follows is seen at this stop.\n");
	return NULL;
}

// Let the program go on, and get what another dndbg sees of it: "", if that
// could not watch it and has said so.
static struct dbg_error *watch_resumed(struct doctor *d,
				       const char *for_seconds, bool json,
				       struct str *ret)
{
	_cleanup_str_ struct str line = {0};
	struct repl *r = d->r;

	if (!dbg_can_run(r->dbg))
		return dbg_err(DBG_E_STATE, "A core dump does not go on: leave "
					    "out --seconds.");
	if (r->hosted)
		return dbg_err(DBG_E_STATE,
			       "The program would have to go on for that, and "
			       "cannot here: leave out --seconds.");
	str_addf(&line, "doctor --facts %s %d", for_seconds,
		 (int)dbg_pid(r->dbg));
	struct dbg_error *err = watching_resume(r, d->at, str_get(&line), ret);
	if (!err && r->stopped && !json)
		err = resume_end(r, NULL);
	return !err && r->stopped ? dbg_stopped(r->dbg, &d->at) : err;
}

struct dbg_error *doctor_watch(struct doctor *d, const char *for_seconds,
			       bool json, bool *ret_look)
{
	_cleanup_str_ struct str facts = {0};
	struct repl *r = d->r;
	struct dbg_error *err = NULL;

	*ret_look = r->watched != NULL;
	if (r->watched)
		return take_facts(d, r->watched, json);
	err = watch_resumed(d, for_seconds, json, &facts);
	if (err || !r->stopped)
		return err;
	// A stop of the program's own may have come before it was watched.
	*ret_look =
	    facts.len || dbg_stop_reason(d->at)->reason != DBG_STOP_PAUSE;
	return facts.len ? take_facts(d, str_get(&facts), json) : NULL;
}

// The facts but for threads that have hardly run.
static char *facts_shown(const struct doctor *d)
{
	cJSON *facts = cJSON_Duplicate(d->watched, true);
	cJSON *threads = cJSON_GetObjectItemCaseSensitive(facts, "threads");

	for (int i = cJSON_GetArraySize(threads); i-- > 0;)
		if (!cJSON_HasObjectItem(cJSON_GetArrayItem(threads, i),
					 "method"))
			cJSON_DeleteItemFromArray(threads, i);
	char *text = cJSON_PrintUnformatted(facts);

	cJSON_Delete(facts);
	return text;
}

static void add_told(const struct doctor *d, struct str *text)
{
	const cJSON *allocations = part(d, "allocations"),
		    *thrown = part(d, "exceptions");

	if (allocations)
		str_addf(text,
			 ", %.0f collections (%.1f %% of the time), %.1f MiB "
			 "allocated a second",
			 number(part(d, "collections"), "count"),
			 paused_share(d) * 100,
			 number(allocations, "bytes") / seconds(allocations) /
			     (double)DOCTOR_MIB);
	str_addf(text, ", %.0f exceptions a second",
		 number(thrown, "count") / seconds(thrown));
}

void doctor_watched_show(struct sheet *s, const struct doctor *d)
{
	const cJSON *o = part(d, "processors");
	const char *end = text_of(d->watched, "end"),
		   *untold = text_of(d->watched, "untold");
	_cleanup_free_ char *facts = s->json ? facts_shown(d) : NULL;
	_cleanup_str_ struct str text = {0};

	if (facts)
		sheet_json(s, "watched", facts);
	if (s->json)
		return;
	str_addf(&text, "Watched for %.1f s%s%s: %.2f processors used",
		 seconds(d->watched), strcmp(end, "time") ? ", " : "",
		 strcmp(end, "time") ? end : "",
		 number(o, "runningMs") / thread_ms(d));
	if (*untold)
		str_addf(&text, "; the runtime has told nothing: %s", untold);
	else
		add_told(d, &text);
	out(s->r, "%s\n", str_get(&text));
}
