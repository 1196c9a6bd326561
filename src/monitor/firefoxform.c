/*
 * A profile for the Firefox Profiler, in its "processed" format, version 70
 * (docs-developer/CHANGELOG-formats.md and src/types/profile.ts of
 * github.com/firefox-devtools/profiler); newer ones convert it.
 *
 * Its tables are columns: arrays of equal length. All threads share the tables
 * of functions, frames (one per function) and stacks; a thread has samples,
 * each of which is a stack and the milliseconds spent there. Our frames are its
 * functions, our nodes its stacks. Our profile has no order in time: a thread's
 * samples are laid one after the other, first its time on a processor, then the
 * time it waited for one, then the time it was blocked.
 */
#include "monitor/monitor.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "report/forms.h"

enum {
	VERSION = 70,
	GECKO_VERSION = 36, /* of the format that Firefox itself records */
	LIBRARY = 1,        /* kinds of resources */
	NS_PER_MS = 1000000,
};

enum category {
	CATEGORY_OWN,
	CATEGORY_FRAMEWORK,
	CATEGORY_NATIVE,
	CATEGORY_KERNEL,
	CATEGORY_WAITING,
	CATEGORY_BLOCKED,
	N_CATEGORIES,
};

static const struct {
	const char *name, *color;
} categories[N_CATEGORIES] = {
    [CATEGORY_OWN] = {"Program", "orange"},
    [CATEGORY_FRAMEWORK] = {"Framework", "green"},
    [CATEGORY_NATIVE] = {"Native", "blue"},
    [CATEGORY_KERNEL] = {"Kernel", "red"},
    [CATEGORY_WAITING] = {"Waiting for a processor", "yellow"},
    [CATEGORY_BLOCKED] = {"Blocked", "grey"},
};

/* States of a thread; samples of one state are laid together. */
enum doing {
	DOING_RUN,
	DOING_WAIT,
	DOING_BLOCKED,
	N_DOING,
};

/* The frame behind all of the profile's: of those that wait for a processor. */
static const struct dbg_sample_frame waiting = {
    .name = "[waiting for a processor]",
    .module = "",
    .kind = DBG_SAMPLE_STATE,
};

static const struct dbg_sample_frame *frame_at(const struct dbg_profile *p,
					       size_t i)
{
	return i < p->n_frames ? &p->frames[i] : &waiting;
}

static enum category category_of(const struct dbg_sample_frame *f)
{
	if (f == &waiting)
		return CATEGORY_WAITING;
	if (f->kind == DBG_SAMPLE_STATE)
		return !strcmp(f->name, "[kernel]") ? CATEGORY_KERNEL
						    : CATEGORY_BLOCKED;
	if (f->kind == DBG_SAMPLE_MANAGED)
		return f->own ? CATEGORY_OWN : CATEGORY_FRAMEWORK;
	return CATEGORY_NATIVE;
}

/* ---- Columns ----------------------------------------------------------- */

static void number_add(cJSON *list, double n)
{
	cJSON_AddItemToArray(list, cJSON_CreateNumber(n));
}

static void text_add(cJSON *list, const char *text)
{
	cJSON_AddItemToArray(list, cJSON_CreateString(text));
}

// Columns of @n equal values, by their names and what each value is.
struct constant {
	const char *name;
	cJSON *(*value)(void);
};

static cJSON *none(void)
{
	return cJSON_CreateNumber(-1);
}

static cJSON *zero(void)
{
	return cJSON_CreateNumber(0);
}

static void constants_add(cJSON *table, const struct constant *c, size_t n)
{
	for (; c->name; c++) {
		cJSON *column = cJSON_AddArrayToObject(table, c->name);

		for (size_t i = 0; i < n; i++)
			cJSON_AddItemToArray(column, c->value());
	}
	cJSON_AddNumberToObject(table, "length", (double)n);
}

/* ---- Tables that all threads share -------------------------------------- */

static const struct constant frame_constants[] = {
    {"address", none},
    {"lib", none},
    {"inlineDepth", zero},
    {"subcategory", zero},
    {"nativeSymbol", cJSON_CreateNull},
    {"innerWindowID", cJSON_CreateNull},
    {"line", cJSON_CreateNull},
    {"column", cJSON_CreateNull},
    {"originalLocation", cJSON_CreateNull},
    {0},
};

static const struct constant func_constants[] = {
    {"isJS", cJSON_CreateFalse},
    {"relevantForJS", cJSON_CreateFalse},
    {"source", cJSON_CreateNull},
    {"lineNumber", cJSON_CreateNull},
    {"columnNumber", cJSON_CreateNull},
    {"originalLocation", cJSON_CreateNull},
    {0},
};

static const struct constant no_symbols[] = {
    {"libIndex", none},
    {"address", none},
    {"name", none},
    {"functionSize", none},
    {0},
};

static const struct constant no_sources[] = {
    {"id", none},
    {"filename", none},
    {"startLine", none},
    {"startColumn", none},
    {"sourceMapURL", none},
    {"content", none},
    {0},
};

static const struct constant no_locations[] = {
    {"source", none},
    {"line", none},
    {"column", none},
    {0},
};

/* A module is a resource; its name is the string of its number. */
static void resources_add(cJSON *shared, const struct tally *modules)
{
	static const struct constant constants[] = {{"host", cJSON_CreateNull},
						    {0}};
	cJSON *table = cJSON_AddObjectToObject(shared, "resourceTable");
	cJSON *name = cJSON_AddArrayToObject(table, "name");
	cJSON *type = cJSON_AddArrayToObject(table, "type");

	for (size_t i = 0; i < modules->n; i++) {
		number_add(name, (double)i);
		number_add(type, LIBRARY);
	}
	constants_add(table, constants, modules->n);
}

/* Each frame has a function, whose name is the string behind the modules'. */
static void frames_add(cJSON *shared, const struct dbg_profile *p)
{
	struct tally modules = {0};
	size_t n = p->n_frames + 1;
	cJSON *frames = cJSON_AddObjectToObject(shared, "frameTable");
	cJSON *funcs = cJSON_AddObjectToObject(shared, "funcTable");
	cJSON *strings = cJSON_AddArrayToObject(shared, "stringArray");
	cJSON *func = cJSON_AddArrayToObject(frames, "func");
	cJSON *category = cJSON_AddArrayToObject(frames, "category");
	cJSON *name = cJSON_AddArrayToObject(funcs, "name");
	cJSON *resource = cJSON_AddArrayToObject(funcs, "resource");

	for (size_t i = 0; i < n; i++) {
		const char *module = frame_at(p, i)->module;
		size_t before = modules.n;
		struct tally_row *row = tally_at(&modules, module, 0);

		if (modules.n != before)
			row->with = before;
		number_add(resource, *module ? (double)row->with : -1);
		number_add(category, category_of(frame_at(p, i)));
		number_add(func, (double)i);
	}
	for (size_t i = 0; i < modules.n; i++)
		text_add(strings, modules.rows[i]->text);
	for (size_t i = 0; i < n; i++) {
		number_add(name, (double)(modules.n + i));
		text_add(strings, frame_at(p, i)->name);
	}
	constants_add(frames, frame_constants, n);
	constants_add(funcs, func_constants, n);
	resources_add(shared, &modules);
	tally_deinit(&modules);
}

static bool is_thread(const struct dbg_profile *p, size_t node)
{
	return p->frames[p->nodes[node].frame].kind == DBG_SAMPLE_THREAD;
}

/*
 * Stack i is node i + 1. Those of nodes that wait for a processor, which such a
 * frame has been put on, follow.
 */
static void stacks_add(cJSON *shared, const struct dbg_profile *p)
{
	cJSON *table = cJSON_AddObjectToObject(shared, "stackTable");
	cJSON *frame = cJSON_AddArrayToObject(table, "frame");
	// How far in front of it the caller's stack is, 0: there is none.
	cJSON *prefix = cJSON_AddArrayToObject(table, "prefixOffset");
	size_t n = p->n_nodes ? p->n_nodes - 1 : 0;

	for (size_t i = 1; i < p->n_nodes; i++) {
		size_t parent = p->nodes[i].parent;
		bool outermost = !parent || is_thread(p, parent);

		number_add(frame, p->nodes[i].frame);
		number_add(prefix, outermost ? 0 : (double)(i - parent));
	}
	for (size_t i = 1; i < p->n_nodes; i++) {
		if (!p->nodes[i].wait)
			continue;
		number_add(frame, (double)p->n_frames);
		number_add(prefix, (double)(n++ - (i - 1)));
	}
	cJSON_AddNumberToObject(table, "length", (double)n);
}

/* ---- Threads ----------------------------------------------------------- */

static uint64_t node_time(const struct dbg_sample_node *n, enum doing doing)
{
	return doing == DOING_RUN    ? n->run
	       : doing == DOING_WAIT ? n->wait
				     : n->blocked;
}

struct samples {
	cJSON *thread, *stack, *time, *weight, *processor;
	double ms;
	size_t n;
};

static void samples_begin(struct samples *s, const struct dbg_sample_thread *t,
			  const struct profile_writing *w)
{
	static const char *const no_markers[] = {
	    "data", "name", "startTime", "endTime", "phase", "category"};
	char id[16];

	s->thread = cJSON_CreateObject();
	cJSON_AddStringToObject(s->thread, "processType", "default");
	cJSON_AddNumberToObject(s->thread, "processStartupTime", 0);
	cJSON_AddNullToObject(s->thread, "processShutdownTime");
	cJSON_AddNumberToObject(s->thread, "registerTime", 0);
	cJSON_AddNullToObject(s->thread, "unregisterTime");
	cJSON_AddArrayToObject(s->thread, "pausedRanges");
	json_add_text(s->thread, "name", t->name);
	cJSON_AddBoolToObject(s->thread, "isMainThread",
			      t->tid == w->result->pid);
	snprintf(id, sizeof(id), "%d", w->result->pid);
	cJSON_AddStringToObject(s->thread, "pid", id);
	cJSON_AddNumberToObject(s->thread, "tid", t->tid);

	cJSON *markers = cJSON_AddObjectToObject(s->thread, "markers");

	for (size_t i = 0; i < sizeof(no_markers) / sizeof(*no_markers); i++)
		cJSON_AddArrayToObject(markers, no_markers[i]);
	cJSON_AddNumberToObject(markers, "length", 0);

	cJSON *table = cJSON_AddObjectToObject(s->thread, "samples");

	s->stack = cJSON_AddArrayToObject(table, "stack");
	s->time = cJSON_AddArrayToObject(table, "time");
	s->weight = cJSON_AddArrayToObject(table, "weight");
	s->processor = cJSON_AddArrayToObject(table, "threadCPUDelta");
	cJSON_AddStringToObject(table, "weightType", "tracing-ms");
}

// Append a sample; its time stamp is the end of the @ns that it stands for.
static void sample_add(struct samples *s, size_t stack, uint64_t ns,
		       enum doing doing)
{
	double ms = (double)ns / NS_PER_MS;

	number_add(s->stack, (double)stack);
	s->ms += ms;
	number_add(s->time, s->ms);
	number_add(s->weight, ms);
	number_add(s->processor, doing == DOING_RUN ? (double)ns : 0);
	s->n++;
}

static void threads_add(cJSON *o, const struct profile_writing *w)
{
	const struct dbg_profile *p = w->profile;
	cJSON *list = cJSON_AddArrayToObject(o, "threads");
	_cleanup_free_ struct samples *threads =
	    xcalloc(p->n_threads + 1, sizeof(*threads));

	for (size_t i = 0; i < p->n_threads; i++)
		samples_begin(&threads[i], &p->threads[i], w);
	for (enum doing doing = 0; doing < N_DOING; doing++) {
		size_t waits = p->n_nodes - 1; /* their stacks */

		for (size_t i = 1; i < p->n_nodes; i++) {
			const struct dbg_sample_node *n = &p->nodes[i];
			uint64_t ns = node_time(n, doing);
			size_t stack =
			    doing == DOING_WAIT && ns ? waits++ : i - 1;

			if (ns)
				sample_add(&threads[n->thread], stack, ns,
					   doing);
		}
	}
	for (size_t i = 0; i < p->n_threads; i++) {
		struct samples *s = &threads[i];

		cJSON_AddNumberToObject(
		    cJSON_GetObjectItem(s->thread, "samples"), "length",
		    (double)s->n);
		cJSON_AddItemToArray(list, s->thread);
	}
}

/* ---- All of it --------------------------------------------------------- */

static void meta_add(cJSON *o, const struct profile_writing *w)
{
	const struct dbg_profile *p = w->profile;
	double ms = (double)(p->ended - p->began) / NS_PER_MS;
	cJSON *meta = cJSON_AddObjectToObject(o, "meta");
	cJSON *list = cJSON_AddArrayToObject(meta, "categories");
	_cleanup_free_ char *product = xasprintf(
	    "Process %d, .NET %u", w->result->pid, w->result->version);

	cJSON_AddNumberToObject(meta, "version", GECKO_VERSION);
	cJSON_AddNumberToObject(meta, "preprocessedProfileVersion", VERSION);
	cJSON_AddStringToObject(meta, "product", product);
	cJSON_AddStringToObject(meta, "importedFrom", "dndbg");
	cJSON_AddNumberToObject(meta, "interval", 1);
	cJSON_AddNumberToObject(meta, "startTime",
				(double)time(NULL) * 1000 - ms);
	cJSON_AddNumberToObject(meta, "processType", 0);
	cJSON_AddNumberToObject(meta, "stackwalk", 1);
	cJSON_AddTrueToObject(meta, "symbolicated");
	cJSON_AddArrayToObject(meta, "markerSchema");

	cJSON *units = cJSON_AddObjectToObject(meta, "sampleUnits");

	cJSON_AddStringToObject(units, "time", "ms");
	cJSON_AddStringToObject(units, "eventDelay", "ms");
	cJSON_AddStringToObject(units, "threadCPUDelta", "ns");
	for (size_t i = 0; i < N_CATEGORIES; i++) {
		cJSON *one = cJSON_CreateObject();

		cJSON_AddStringToObject(one, "name", categories[i].name);
		cJSON_AddStringToObject(one, "color", categories[i].color);
		cJSON_AddItemToArray(
		    cJSON_AddArrayToObject(one, "subcategories"),
		    cJSON_CreateString("Other"));
		cJSON_AddItemToArray(list, one);
	}
}

void firefox_profile_add(struct str *out, const struct profile_writing *w)
{
	cJSON *o = cJSON_CreateObject();

	meta_add(o, w);
	cJSON_AddArrayToObject(o, "libs");

	cJSON *shared = cJSON_AddObjectToObject(o, "shared");

	frames_add(shared, w->profile);
	stacks_add(shared, w->profile);
	constants_add(cJSON_AddObjectToObject(shared, "nativeSymbols"),
		      no_symbols, 0);
	constants_add(cJSON_AddObjectToObject(shared, "sources"), no_sources,
		      0);
	constants_add(cJSON_AddObjectToObject(shared, "sourceLocationTable"),
		      no_locations, 0);
	threads_add(o, w);

	char *text = cJSON_PrintUnformatted(o);

	if (text)
		str_add(out, text);
	cJSON_free(text);
	cJSON_Delete(o);
}
