/*
 * `dndbg counters PID|NAME`: what the runtime counts of itself, and what the
 * program's own meters do, as it is published each second.
 */
#include <ctype.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "front/plain.h"
#include "monitor/monitor.h"
#include "monitor/watching.h"
#include "report/forms.h"

/* ---- Forms of output ------------------------------------------------- */

/*
 * Prints one counter of `dndbg counters`, also in the formats of other tools.
 */

struct counter {
	char *source, *name, *tags, *unit, *quantiles;
	double value, increase; /* the last; NAN: none */
	double grown;           /* all increases */
	bool grows;
};

/*
 * A line of CSV on stdout (RFC 4180), @ns after the beginning; the titles.
 */
static void counter_csv_title(void)
{
	puts("seconds,source,name,tags,unit,value,increase,quantiles,pid");
	fflush(stdout);
}

static void csv_text(const char *text)
{
	if (!text[strcspn(text, ",\"\r\n")]) {
		fputs(text, stdout);
		return;
	}
	putchar('"');
	for (; *text; text++) {
		if (*text == '"')
			putchar('"');
		putchar(*text);
	}
	putchar('"');
}

static void csv_number(double n)
{
	if (!isnan(n))
		printf("%.17g", n);
}

/* A line of CSV on stdout (RFC 4180), @ns after the beginning; the titles. */
static void counter_csv(const struct counter *one, uint64_t ns, pid_t pid)
{
	const char *const texts[] = {one->source, one->name, one->tags,
				     one->unit};

	printf("%.3f", (double)(int64_t)ns / 1e9);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		putchar(',');
		csv_text(texts[i]);
	}
	putchar(',');
	csv_number(one->value);
	putchar(',');
	csv_number(one->increase);
	putchar(',');
	csv_text(one->quantiles);
	printf(",%d\n", (int)pid);
	fflush(stdout);
}

/* ---- Prometheus --------------------------------------------------------- */

static void add_name(struct str *text, const char *name, size_t n)
{
	if (n && isdigit((unsigned char)*name))
		str_addc(text, '_');
	for (size_t i = 0; i < n; i++)
		str_addc(text, isalnum((unsigned char)name[i]) ? name[i] : '_');
}

// "dotnet_gc_heap_total_allocated_bytes_total" of "dotnet.gc.heap..." in By.
static void add_metric(struct str *text, const struct counter *one)
{
	static const struct {
		const char *unit, *suffix;
	} units[] = {
	    {"By", "_bytes"}, {"s", "_seconds"}, {"ms", "_milliseconds"}};

	add_name(text, one->name, strlen(one->name));
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(one->unit, units[i].unit))
			str_add(text, units[i].suffix);
	if (one->grows)
		str_add(text, "_total");
}

static void add_label(struct str *text, const char *name, size_t n_name,
		      const char *value, size_t n)
{
	str_addc(text, ',');
	add_name(text, name, n_name);
	str_add(text, "=\"");
	for (size_t i = 0; i < n; i++) {
		if (value[i] == '"' || value[i] == '\\')
			str_addc(text, '\\');
		if (value[i] == '\n')
			str_add(text, "\\n");
		else
			str_addc(text, value[i]);
	}
	str_addc(text, '"');
}

// Length of the first tag in "K=V,K=V": a comma that no key follows belongs to
// the value.
static size_t tag_length(const char *tags)
{
	size_t n = strcspn(tags, ",");

	while (tags[n]) {
		const char *next = tags + n + 1;

		if (next[strcspn(next, ",=")] == '=')
			break;
		n += 1 + strcspn(next, ",");
	}
	return n;
}

static void add_labels(struct str *text, const struct counter *one, pid_t pid)
{
	_cleanup_free_ char *number = xasprintf("%d", (int)pid);

	add_label(text, "pid", 3, number, strlen(number));
	add_label(text, "source", 6, one->source, strlen(one->source));
	for (const char *p = one->tags; *p;) {
		size_t n = tag_length(p), key = strcspn(p, "=");

		if (key < n)
			add_label(text, p, key, p + key + 1, n - key - 1);
		p += n + (p[n] == ',');
	}
}

static void line_print(const char *metric, const char *labels, double value)
{
	// The first label has a comma in front.
	if (isnan(value))
		printf("%s{%s} NaN\n", metric, labels + 1);
	else
		printf("%s{%s} %.17g\n", metric, labels + 1, value);
}

// "0.5=1;0.95=2"
static void quantiles_print(const char *metric, const char *labels,
			    const char *quantiles)
{
	for (const char *p = quantiles; *p; p += strcspn(p, ";")) {
		_cleanup_str_ struct str all = {0};
		double value;

		p += *p == ';';
		size_t key = strcspn(p, "=;");
		if (p[key] != '=' || sscanf(p + key + 1, "%lf", &value) != 1)
			continue;
		str_add(&all, labels);
		add_label(&all, "quantile", 8, p, key);
		line_print(metric, str_get(&all), value);
	}
}

/*
 * Print the counter in Prometheus' text format (version 0.0.4) on stdout;
 * @first of its name: print its type as well.
 */
static void counter_prometheus(const struct counter *one, bool first, pid_t pid)
{
	_cleanup_str_ struct str metric = {0}, labels = {0};

	add_metric(&metric, one);
	add_labels(&labels, one, pid);
	if (first)
		printf("# TYPE %s %s\n", str_get(&metric),
		       *one->quantiles ? "summary"
		       : one->grows    ? "counter"
				       : "gauge");
	if (*one->quantiles)
		quantiles_print(str_get(&metric), str_get(&labels),
				one->quantiles);
	else // an EventCounter that grows has no value: what was counted here
		line_print(str_get(&metric), str_get(&labels),
			   isnan(one->value) && one->grows ? one->grown
							   : one->value);
}

/* ---- The command ----------------------------------------------------- */

enum {
	OPT_JSON = 256,
	OPT_SECONDS,
	OPT_METER,
	OPT_EACH,
	OPT_CSV,
	OPT_PROMETHEUS,
	OPT_HELP,
	SECONDS = 5,
	METERS_MAX = 64,
	COUNTERS_MAX = 4096,
	SHOW_NS = 1000000000,
	TITLE_LINES = 2,
	BELOW_LINES = 2, /* the table: that of the others, and the cursor's */
};

static const struct option options[] = {
    {"json", no_argument, NULL, OPT_JSON},
    {"seconds", required_argument, NULL, OPT_SECONDS},
    {"meter", required_argument, NULL, OPT_METER},
    {"each", no_argument, NULL, OPT_EACH},
    {"csv", no_argument, NULL, OPT_CSV},
    {"prometheus", no_argument, NULL, OPT_PROMETHEUS},
    {"help", no_argument, NULL, OPT_HELP},
    {NULL, 0, NULL, 0},
};

struct counters {
	struct watch_options o;
	const char *meters[METERS_MAX];
	size_t n_meters;
	struct dbg_trace *trace;
	struct arena *arena; /* reset for each event */
	uint64_t origin;
	struct counter **v; /* sorted for the result */
	size_t n, cap;
	struct map index;     /* by a hash of source, name and tags */
	bool csv, prometheus; /* in these forms */
	bool several;         /* each line tells its process */
	struct live_table live;
	struct {
		uint64_t read; /* when, as clock_ns() */
		struct dbg_usage usage;
		struct dbg_limits limits;
	} kernel; /* the last of its values */
};

static void usage(FILE *out)
{
	fputs("usage: dndbg counters [options] PID|NAME...\n"
	      "What the runtime of a running program counts, and the program's "
	      "own meters, and what the\nkernel counts of it; the program is "
	      "not stopped. Several are watched at once.\n"
	      "\n"
	      "  --meter NAME  a meter of the program's (System.Diagnostics."
	      "Metrics), too; may be\n                given several times\n"
	      "  --seconds N   for so long [5]; Ctrl-C ends it early\n"
	      "  --each        print each value when it comes\n"
	      "  --csv         each value when it comes, as CSV\n"
	      "  --prometheus  in Prometheus' text format\n"
	      "  --json        as JSON, for programs (docs/monitoring.md)\n",
	      out);
}

/* ---- Values ------------------------------------------------------------- */

static struct counter *counter_at(struct counters *c,
				  const struct dbg_told_counter *x)
{
	_cleanup_free_ char *key =
	    xasprintf("%s\n%s\n%s", x->source, x->name, x->tags);
	uint64_t hash = str_hash(key, strlen(key));
	struct counter *one = map_find(&c->index, hash);

	if (one || c->n == COUNTERS_MAX)
		return one;
	one = xcalloc(1, sizeof(*one));
	one->source = xstrdup(x->source);
	one->name = xstrdup(x->name);
	one->tags = xstrdup(x->tags);
	one->unit = xstrdup(x->unit);
	one->value = one->increase = NAN;
	mem_grow(&c->v, &c->cap, c->n, sizeof(*c->v));
	c->v[c->n++] = one;
	map_put(&c->index, hash, one);
	return one;
}

static void put_number(struct str *text, double n)
{
	if (isnan(n))
		str_add(text, "-");
	else
		str_addf(text,
			 fabs(n) < 1e15 && n == trunc(n) ? "%.0f" : "%.4g", n);
}

static void counter_print(const struct counter *one)
{
	_cleanup_str_ struct str name = {0}, value = {0}, increase = {0};

	str_add(&name, one->name);
	if (*one->tags)
		str_addf(&name, "{%s}", one->tags);
	if (*one->unit)
		str_addf(&name, " (%s)", one->unit);
	if (*one->quantiles)
		str_addf(&name, ": %s", one->quantiles);
	else // an EventCounter that grows has no value: what was counted here
		put_number(&value, isnan(one->value) && one->grows
				       ? one->grown
				       : one->value);
	if (one->grows)
		put_number(&increase, one->increase);
	plain_printf(stdout, "%12s  %12s  %s\n", str_get(&value),
		     str_get(&increase), str_get(&name));
}

static cJSON *counter_json(const struct counter *one)
{
	cJSON *o = cJSON_CreateObject();

	json_add_text(o, "source", one->source);
	json_add_text(o, "name", one->name);
	json_add_text(o, "tags", one->tags);
	json_add_text(o, "unit", one->unit);
	if (!isnan(one->value))
		cJSON_AddNumberToObject(o, "value", one->value);
	if (one->grows) {
		if (!isnan(one->increase))
			cJSON_AddNumberToObject(o, "perSecond", one->increase);
		cJSON_AddNumberToObject(o, "increase", one->grown);
	}
	if (*one->quantiles)
		json_add_text(o, "quantiles", one->quantiles);
	return o;
}

static void counter_tell(const struct counters *c, const struct counter *one,
			 uint64_t time)
{
	if (c->csv)
		counter_csv(one, time - c->origin, c->o.pid);
	if (!c->o.each || c->csv || c->prometheus)
		return;
	if (c->o.json) {
		cJSON *line = counter_json(one);

		cJSON_AddNumberToObject(
		    line, "time", (double)(int64_t)(time - c->origin) / 1e9);
		cJSON_AddNumberToObject(line, "pid", c->o.pid);
		json_line_print(line);
		return;
	}
	if (c->several)
		printf("%7d  ", (int)c->o.pid);
	printf("%7.3f s  ", (double)(int64_t)(time - c->origin) / 1e9);
	counter_print(one);
	fflush(stdout);
}

// The counter, with its new value; NULL: there are too many.
static struct counter *counter_take(struct counters *c,
				    const struct dbg_told_counter *x,
				    uint64_t time)
{
	struct counter *one = counter_at(c, x);

	if (!one)
		return NULL;
	str_set(&one->quantiles, x->quantiles);
	one->value = x->value;
	one->increase = x->increase;
	one->grows |= !isnan(x->increase);
	if (!isnan(x->increase))
		one->grown += x->increase;
	counter_tell(c, one, time);
	return one;
}

static void counter_event(void *arg, const struct dbg_trace_event *e)
{
	struct counters *c = arg;
	struct dbg_told_counter x;

	arena_reset(c->arena);
	if (dbg_told_counter(e, c->arena, &x))
		counter_take(c, &x, e->time);
}

/* ---- What the kernel counts --------------------------------------------- */

// @increase: since the last time, @seconds ago.
static void kernel_take(struct counters *c, const char *name, const char *unit,
			double value, double increase, double seconds)
{
	const struct dbg_told_counter x = {
	    .source = "kernel",
	    .name = name,
	    .tags = "",
	    .unit = unit,
	    .quantiles = "",
	    .value = value,
	    .increase = increase / seconds,
	};

	struct counter *one = counter_take(c, &x, clock_ns());

	if (one && !isnan(increase))
		one->grown += increase - x.increase;
}

// Once a second: processor time, memory, threads, and how often the program's
// cgroup had used up its processor time.
static void kernel_read(struct counters *c, uint64_t now)
{
	const struct dbg_usage was = c->kernel.usage;
	const struct dbg_limits before = c->kernel.limits;
	bool first = !c->kernel.read;

	if (now < c->kernel.read + SHOW_NS ||
	    !dbg_usage_of(c->o.pid, &c->kernel.usage))
		return;
	double seconds = (double)(now - c->kernel.read) / 1e9;

	c->kernel.read = now;
	dbg_limits_of(c->o.pid, &c->kernel.limits);
	if (first)
		return;
	const struct dbg_usage *is = &c->kernel.usage;
	const struct dbg_limits *limits = &c->kernel.limits;

	kernel_take(c, "process.cpu.time", "s", (double)is->cpu / 1e9,
		    (double)(is->cpu - was.cpu) / 1e9, seconds);
	kernel_take(c, "process.memory.resident", "By", (double)is->resident,
		    NAN, seconds);
	kernel_take(c, "process.threads", "{thread}", is->threads, NAN,
		    seconds);
	if (!limits->periods)
		return;
	kernel_take(c, "cgroup.cpu.periods", "{period}",
		    (double)limits->periods,
		    (double)(limits->periods - before.periods), seconds);
	kernel_take(c, "cgroup.cpu.throttled", "{period}",
		    (double)limits->throttled,
		    (double)(limits->throttled - before.throttled), seconds);
}

static int counter_compare(const void *a, const void *b)
{
	const struct counter *x = *(struct counter *const *)a,
			     *y = *(struct counter *const *)b;
	int order = strcmp(x->source, y->source);

	if (!order)
		order = strcmp(x->name, y->name);
	return order ? order : strcmp(x->tags, y->tags);
}

/* ---- Results ------------------------------------------------------------ */

// In @rows lines, and one if there are more counters.
static void table_print(struct counters *c, size_t rows)
{
	const char *source = "";
	size_t i = 0;

	if (c->n)
		qsort(c->v, c->n, sizeof(*c->v), counter_compare);
	for (; i < c->n; i++) {
		bool begins = strcmp(source, c->v[i]->source);
		size_t lines = begins ? 1 + TITLE_LINES : 1;

		if (lines > rows)
			break;
		rows -= lines;
		if (begins) {
			source = c->v[i]->source;
			putchar('\n');
			plain_printf(stdout, "%12s  %12s  %s\n", "VALUE",
				     "A SECOND", source);
		}
		counter_print(c->v[i]);
	}
	if (i < c->n)
		printf("  and %zu others\n", c->n - i);
}

// Read the kernel's counters; on a terminal, redraw the table in place.
static void counters_tick(void *arg, uint64_t now)
{
	struct counters *c = arg;
	size_t rows;

	kernel_read(c, now);
	if (!c->n || !live_shows(&c->live, now, &rows))
		return;
	table_print(c, rows - BELOW_LINES);
	live_shown();
}

static void progress(void *arg, struct str *text)
{
	const struct counters *c = arg;

	str_addf(text, "%zu counters", c->n);
}

static void result_print(struct counters *c, const struct watch_result *r)
{
	char time[WATCH_TIME_MAX];

	live_end(&c->live);
	watch_title(r);
	printf("%zu counters%s\n", c->n, watch_time(r, time));
	table_print(c, SIZE_MAX);
}

static void result_json(struct counters *c, const struct watch_result *r)
{
	cJSON *o = watch_json(r), *v = cJSON_AddArrayToObject(o, "counters");

	if (c->n)
		qsort(c->v, c->n, sizeof(*c->v), counter_compare);
	for (size_t i = 0; i < c->n; i++)
		cJSON_AddItemToArray(v, counter_json(c->v[i]));
	json_print(o, stdout, !c->o.each);
}

static void result_prometheus(struct counters *c, const struct watch_result *r)
{
	const char *before = "";

	if (c->n)
		qsort(c->v, c->n, sizeof(*c->v), counter_compare);
	for (size_t i = 0; i < c->n; i++) {
		bool same = !strcmp(before, c->v[i]->name);

		counter_prometheus(c->v[i], !same, r->pid);
		before = c->v[i]->name;
	}
}

static struct dbg_error *counters_watch(struct dbg *dbg, struct counters *c)
{
	const struct watcher w = {.arg = c,
				  .began = &c->origin,
				  .event = counter_event,
				  .progress = c->live.on ? NULL : progress,
				  .tick = counters_tick};
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_trace_request req;
	struct watch_result r;
	uint32_t version;

	struct dbg_error *err = dbg_program_find(dbg, c->o.what, &c->o.pid);
	if (!err)
		err = dbg_runtime_version(c->o.pid, &version);
	if (!err)
		err = dbg_counters_request(version, c->meters, c->n_meters,
					   arena, &req);
	if (!err)
		err = watch_trace(&c->o, &req, &w, &c->trace, &r);
	if (!err && c->o.json)
		result_json(c, &r);
	else if (!err && c->prometheus)
		result_prometheus(c, &r);
	else if (!err && !c->csv)
		result_print(c, &r);
	return err;
}

static void counters_deinit(struct counters *c)
{
	dbg_trace_close(c->trace);
	for (size_t i = 0; i < c->n; i++) {
		free(c->v[i]->source);
		free(c->v[i]->name);
		free(c->v[i]->tags);
		free(c->v[i]->unit);
		free(c->v[i]->quantiles);
		free(c->v[i]);
	}
	free(c->v);
	map_deinit(&c->index);
	arena_destroy(c->arena);
}

/* ---- The command -------------------------------------------------------- */

// Returns -1 to go on, else the exit status.
static int parse(int argc, char **argv, struct counters *ret)
{
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == OPT_JSON) {
			ret->o.json = true;
		} else if (c == OPT_EACH) {
			ret->o.each = true;
		} else if (c == OPT_CSV) {
			ret->csv = true;
		} else if (c == OPT_PROMETHEUS) {
			ret->prometheus = true;
		} else if (c == OPT_METER && ret->n_meters < METERS_MAX) {
			ret->meters[ret->n_meters++] = optarg;
		} else if (c == OPT_SECONDS) {
			if (!watch_seconds(optarg, &ret->o.ms))
				return 2;
		} else {
			usage(c == OPT_HELP ? stdout : stderr);
			return c == OPT_HELP ? 0 : 2;
		}
	}
	if (optind == argc || ret->o.json + ret->csv + ret->prometheus > 1) {
		usage(stderr);
		return 2;
	}
	return -1;
}

/* What the command was asked for. */
struct counters_call {
	struct dbg *dbg;
	struct counters c;
	char **programs;
};

// Watch one of the programs.
static int watch_one(void *arg, size_t i)
{
	const struct counters_call *call = arg;
	struct counters c = call->c;

	c.o.what = call->programs[i];
	c.o.quiet = c.several && i;
	c.arena = arena_create();
	struct dbg_error *err = counters_watch(call->dbg, &c);
	counters_deinit(&c);
	plain_error(err);
	return err ? 1 : 0;
}

int monitor_counters_main(struct dbg *dbg, int argc, char **argv)
{
	struct counters_call call = {.dbg = dbg, .c.o.ms = SECONDS * 1000};
	struct counters *c = &call.c;

	int status = parse(argc, argv, c);
	if (status >= 0)
		return status;
	call.programs = argv + optind;
	c->several = optind < argc - 1;
	c->live.on = !c->o.json && !c->o.each && !c->csv && !c->prometheus &&
		     !c->several && isatty(STDOUT_FILENO);
	c->live.every = SHOW_NS;
	if (c->csv)
		counter_csv_title();
	if (!c->several)
		return watch_one(&call, 0);
	struct dbg_error *err =
	    several_run((size_t)(argc - optind), c->o.each || c->csv, watch_one,
			&call, &status);
	plain_error(err);
	return err ? 1 : status;
}
