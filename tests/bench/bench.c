/*
 * dndbg-bench: what debugging costs, beside the bare program.
 *
 * Prints a table of medians and writes all samples as JSON. It does not say
 * whether a goal is met: timing on a shared machine is no verdict.
 */
#include "bench.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	RESULTS_MAX = 64,
	RUNS_DEFAULT = 7
};

static const struct group_spec *const tables[] = {
    bench_start_groups, bench_attach_groups, bench_step_groups,
    bench_stack_groups, bench_hit_groups,    bench_throw_groups,
    bench_watch_groups, bench_memory_groups, bench_eval_groups,
};

struct results {
	struct result v[RESULTS_MAX];
	size_t n;
};

static size_t n_figures(const struct group_spec *g)
{
	size_t n = 0;

	while (n < POINTS_MAX && g->figures[n].key)
		n++;
	return n;
}

/* One shot, with the bare run that its figures are set beside. */
static void shoot(const struct bench *b, const struct group_spec *g,
		  struct result *results)
{
	struct point points[POINTS_MAX] = {0};
	size_t n = n_figures(g);
	double bare = -1;

	for (size_t i = 0; i < n && bare < 0; i++)
		if (g->figures[i].beside != BESIDE_NOTHING)
			bare = proc_bare(b, g);

	bool ok = proc_shoot(b, g, points);

	for (size_t i = 0; i < n; i++) {
		struct result *r = &results[i];

		if (ok) {
			samples_add(&r->measured, points[i].value);
			r->work = points[i];
		} else {
			r->failed++;
		}
		if (bare > 0 && r->spec->beside == BESIDE_TIME)
			samples_add(&r->bare, bare * 1e3);
		if (bare > 0 && r->spec->beside == BESIDE_RATE)
			samples_add(&r->bare, g->actions / bare);
	}
}

static void run_group(const struct bench *b, const struct group_spec *g,
		      struct results *all)
{
	struct result *results = &all->v[all->n];
	size_t n = n_figures(g);

	if (b->only && !strstr(g->name, b->only))
		return;
	if (all->n + n > RESULTS_MAX)
		abort();
	all->n += n;
	for (size_t i = 0; i < n; i++) {
		results[i].group = g;
		results[i].spec = &g->figures[i];
	}
	unsigned int runs = g->runs && g->runs < b->runs ? g->runs : b->runs;

	for (unsigned int run = 0; run < runs; run++)
		shoot(b, g, results);
	for (size_t i = 0; i < n; i++)
		report_row(&results[i]);
}

static int usage(FILE *to)
{
	fprintf(to, "usage: dndbg-bench [options]\n"
		    "  -f DIR   compiled fixtures (Name/Name.dll)\n"
		    "  -s DIR   their sources (Name.cs)\n"
		    "  -d FILE  the dndbg binary\n"
		    "  -h FILE  the dotnet host of the runtime\n"
		    "  -r N     what that runtime is called: 8 to 11\n"
		    "  -n RUNS  shots of each group [7]\n"
		    "  -g TEXT  only groups whose name contains this\n"
		    "  -o FILE  JSON [bench.json]\n");
	return to == stderr ? 2 : 0;
}

static bool take_option(struct bench *b, int option, const char **json)
{
	const char **text[] = {
	    ['f'] = &b->fixtures, ['s'] = &b->sources, ['d'] = &b->dndbg,
	    ['h'] = &b->dotnet,   ['r'] = &b->runtime, ['g'] = &b->only,
	    ['o'] = json,
	};

	if (option == 'n') {
		b->runs = (unsigned int)strtoul(optarg, NULL, 10);
		return b->runs > 0 && b->runs <= SAMPLES_MAX;
	}
	if (option < 0 || (size_t)option >= sizeof(text) / sizeof(*text) ||
	    !text[option])
		return false;
	*text[option] = optarg;
	return true;
}

int main(int argc, char **argv)
{
	struct results all = {0};
	struct bench b = {.runs = RUNS_DEFAULT, .runtime = "?"};
	const char *json = "bench.json";
	int option;

	while ((option = getopt(argc, argv, "f:s:d:h:r:n:g:o:")) != -1)
		if (!take_option(&b, option, &json))
			return usage(stderr);
	if (!b.fixtures || !b.sources || !b.dndbg || !b.dotnet || argc > optind)
		return usage(stderr);
	report_head(&b);
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		for (const struct group_spec *g = tables[i]; g->name; g++)
			run_group(&b, g, &all);
	return report_json(&b, all.v, all.n, json) ? 0 : 1;
}
