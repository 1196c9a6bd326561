/*
 * Values of counters. Their events describe themselves, and what comes in which
 * order differs with the version of .NET, so members are found by their names.
 * Facts: dotnet/runtime, MetricsEventSource.cs and CounterPayload.cs; the
 * format of descriptions as nettrace.h says.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/reader.h"
#include "base/str.h"
#include "dbg.h"
#include "eventpipe/nettrace.h"

enum {
	TYPE_OBJECT = 1,
	TYPE_TEXT = 18,
	DEPTH_MAX = 4,        /* objects within objects */
	FIELDS_MAX = 64,      /* of one */
	TEXT_MAX = 1024,      /* units of a text that are taken */
	FIRST_WITH_METER = 9, /* .NET whose runtime has a meter of its own */
};

static const char meters_provider[] = "System.Diagnostics.Metrics";
static const char runtime_source[] = "System.Runtime";

/* ---- What is asked for -------------------------------------------------- */

static bool is_name(const char *s)
{
	if (!*s)
		return false;
	for (; *s; s++)
		if (*s <= ' ' || *s > '~' || strchr(",;\"\\", *s))
			return false;
	return true;
}

static struct dbg_error *meters_args(bool runtime, const char *const *meters,
				     size_t n, struct str *ret)
{
	// Clients that share a session have the interval in common.
	str_add(ret, "SessionId=SHARED;RefreshInterval=1;MaxTimeSeries=1000;"
		     "MaxHistograms=20;"
		     "ClientId=6d2f7b0e-4c1d-4a53-9a55-6a1d3b0c9e77;Metrics=");
	if (runtime)
		str_add(ret, runtime_source);
	for (size_t i = 0; i < n; i++) {
		if (!is_name(meters[i]))
			return dbg_err_arg("'%s' is no name of a meter",
					   meters[i]);
		str_addf(ret, "%s%s", runtime || i ? "," : "", meters[i]);
	}
	return NULL;
}

struct dbg_error *dbg_counters_request(uint32_t version,
				       const char *const *meters,
				       size_t n_meters, struct arena *arena,
				       struct dbg_trace_request *ret)
{
	struct dbg_trace_provider *p = arena_calloc(arena, 2, sizeof(*p));
	bool runtime = version >= FIRST_WITH_METER;
	_cleanup_str_ struct str args = {0};
	size_t n = 0;

	struct dbg_error *err = meters_args(runtime, meters, n_meters, &args);
	if (err)
		return err;
	if (!runtime)
		p[n++] = (struct dbg_trace_provider){
		    .name = runtime_source,
		    .level = 4,
		    .args = "EventCounterIntervalSec=1",
		};
	*ret = (struct dbg_trace_request){.providers = p};
	if (runtime || n_meters) {
		p[n++] = (struct dbg_trace_provider){
		    .name = meters_provider,
		    .keywords = 2,
		    .level = 4,
		    .args = arena_strdup(arena, str_get(&args)),
		};
		/*
		 * Whoever stops the trace waits in the runtime for the thread
		 * that asks the meters, and holds the lock that a new
		 * EventSource needs. What is asked may make one: the first time
		 * much of the runtime is used first (its thread pool has an
		 * EventSource), and at any time the program's own code. Both
		 * would wait for ever, and the program could not end.
		 */
		ret->busy_from = "CollectionStart";
		ret->busy_until = "CollectionStop";
	}
	ret->n_providers = n;
	return NULL;
}

/* ---- What is told ------------------------------------------------------- */

/*
 * Readers of a description's members and of the payload's values, side by side.
 */
struct members {
	struct reader kinds, values;
	struct arena *arena;
	struct dbg_told_counter *ret;
	double mean, increment, interval;
};

/* The size of a type in bytes; the type is neither text nor object. */
static size_t size_of(uint32_t type)
{
	static const uint8_t sizes[] = {
	    [3] = 4,  [4] = 2,  [5] = 1,  [6] = 1,  [7] = 2,
	    [8] = 2,  [9] = 4,  [10] = 4, [11] = 8, [12] = 8,
	    [13] = 4, [14] = 8, [16] = 8, [17] = 16};

	return type < sizeof(sizes) ? sizes[type] : 0;
}

static double number_of(uint32_t type, struct bytes b)
{
	double f64 = NAN;
	float f32;
	int32_t i32;

	if (!b.p)
		return NAN;
	if (type == 14) {
		memcpy(&f64, b.p, sizeof(f64));
	} else if (type == 13) {
		memcpy(&f32, b.p, sizeof(f32));
		f64 = (double)f32;
	} else if (type == 9) {
		memcpy(&i32, b.p, sizeof(i32));
		f64 = i32;
	}
	return f64;
}

static void take_text(struct members *m, const char *name, const char *text)
{
	struct dbg_told_counter *c = m->ret;
	const struct {
		const char *name;
		const char **text;
	} texts[] = {
	    {"meterName", &c->source},    {"instrumentName", &c->name},
	    {"Name", &c->name},           {"tags", &c->tags},
	    {"unit", &c->unit},           {"DisplayUnits", &c->unit},
	    {"quantiles", &c->quantiles},
	};
	const struct {
		const char *name;
		double *number;
	} numbers[] = {
	    {"lastValue", &c->value},
	    {"value", &c->value},
	    {"rate", &c->increase},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (!strcmp(name, texts[i].name))
			*texts[i].text = text;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (!strcmp(name, numbers[i].name) && *text)
			*numbers[i].number = strtod(text, NULL);
}

static void take_number(struct members *m, const char *name, double number)
{
	if (!strcmp(name, "Mean"))
		m->mean = number;
	else if (!strcmp(name, "Increment"))
		m->increment = number;
	else if (!strcmp(name, "IntervalSec"))
		m->interval = number;
}

// A name stands behind what it names; an object's members are told first.
static void take_members(struct members *m, int depth)
{
	uint32_t n = reader_u32(&m->kinds);

	if (n > FIELDS_MAX || depth > DEPTH_MAX)
		m->kinds.bad = true;
	for (uint32_t i = 0; i < n && !m->kinds.bad && !m->values.bad; i++) {
		uint32_t type = reader_u32(&m->kinds);
		size_t size = size_of(type);
		const char *text = NULL;
		struct bytes bytes = {0};

		if (type == TYPE_OBJECT)
			take_members(m, depth + 1);
		else if (type == TYPE_TEXT)
			text = nettrace_text(&m->values, TEXT_MAX, m->arena);
		else if (size)
			bytes = reader_bytes(&m->values, size);
		else
			m->kinds.bad = true; // not known
		const char *name = nettrace_text(&m->kinds, TEXT_MAX, m->arena);
		if (m->kinds.bad || m->values.bad)
			return;
		if (text)
			take_text(m, name, text);
		else
			take_number(m, name, number_of(type, bytes));
	}
}

// CounterRateValuePublished has a name of its own for what has grown; an
// UpDownCounter's "rate" is no growth.
bool dbg_told_counter(const struct dbg_trace_event *e, struct arena *arena,
		      struct dbg_told_counter *ret)
{
	bool meter = !strcmp(e->kind->provider, meters_provider);
	struct members m = {
	    .arena = arena,
	    .ret = ret,
	    .mean = NAN,
	    .increment = NAN,
	    .interval = NAN,
	};

	bool published = meter ? str_ends(e->kind->name, "ValuePublished")
			       : !strcmp(e->kind->name, "EventCounters");
	if (!published)
		return false;
	*ret = (struct dbg_told_counter){
	    .source = e->kind->provider,
	    .name = "",
	    .tags = "",
	    .unit = "",
	    .quantiles = "",
	    .value = NAN,
	    .increase = NAN,
	};
	reader_init(&m.kinds, e->kind->fields, e->kind->n_fields);
	reader_init(&m.values, e->payload, e->n_payload);
	take_members(&m, 0);
	if (str_starts(e->kind->name, "UpDown"))
		ret->increase = NAN;
	if (!meter) {
		ret->value = m.mean;
		ret->increase = m.increment;
	}
	return !m.kinds.bad && !m.values.bad && *ret->name;
}
