/* The table and the JSON. */
#include "bench.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void samples_add(struct samples *s, double value)
{
	if (s->n < SAMPLES_MAX)
		s->v[s->n++] = value;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double samples_median(const struct samples *s)
{
	struct samples sorted = *s;

	if (!s->n)
		return 0;
	qsort(sorted.v, sorted.n, sizeof(*sorted.v), compare);
	return (sorted.v[(s->n - 1) / 2] + sorted.v[s->n / 2]) / 2;
}

/* ---- Table ----------------------------------------------------------- */

static void print_number(double value, const char *unit)
{
	int digits = value >= 1000 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : 3;
	char text[64];

	if (value == 0)
		digits = 0;
	snprintf(text, sizeof(text), "%.*f %s", digits, value, unit);
	printf(" %12s", text);
}

static void goal_text(const struct figure_spec *spec, char *ret, size_t n)
{
	switch (spec->goal) {
	case GOAL_NONE:
		*ret = '\0';
		break;
	case GOAL_RATIO_MAX:
		snprintf(ret, n, "<= %gx", spec->bound);
		break;
	case GOAL_MAX:
		snprintf(ret, n, "<= %g %s", spec->bound, spec->unit);
		break;
	case GOAL_MIN:
		snprintf(ret, n, ">= %g %s", spec->bound, spec->unit);
		break;
	}
}

void report_head(const struct bench *b)
{
	printf("runtime %s, medians of %u\n", b->runtime, b->runs);
	printf("%-42s %12s %12s %7s %12s %8s %9s %7s\n", "figure", "measured",
	       "bare", "ratio", "goal", "stops", "syscalls", "dac");
}

void report_row(const struct result *r)
{
	char goal[64];
	double measured = samples_median(&r->measured);
	double bare = samples_median(&r->bare);

	goal_text(r->spec, goal, sizeof(goal));
	printf("%-42s", r->spec->title);
	if (r->measured.n)
		print_number(measured, r->spec->unit);
	else
		printf(" %12s", "failed");
	if (r->bare.n)
		print_number(bare, r->spec->unit);
	else
		printf(" %12s", "-");
	if (r->measured.n && r->bare.n && bare > 0)
		printf(" %7.3f", measured / bare);
	else
		printf(" %7s", "-");
	printf(" %12s", goal);
	if (r->measured.n && r->work.counted)
		printf(" %8.2f %9.2f %7.2f", r->work.stops, r->work.syscalls,
		       r->work.dac_calls);
	if (r->measured.n && r->failed)
		printf("  (%u shots failed)", r->failed);
	putchar('\n');
	fflush(stdout);
}

/* ---- JSON ------------------------------------------------------------ */

static void json_samples(FILE *to, const char *name, const struct samples *s)
{
	fprintf(to, ", \"%s\": [", name);
	for (size_t i = 0; i < s->n; i++)
		fprintf(to, "%s%.6g", i ? ", " : "", s->v[i]);
	fputc(']', to);
}

static void json_result(FILE *to, const struct result *r)
{
	double measured = samples_median(&r->measured);
	double bare = samples_median(&r->bare);
	char goal[64];

	goal_text(r->spec, goal, sizeof(goal));
	fprintf(to, "    {\"figure\": \"%s\", \"group\": \"%s\", ",
		r->spec->key, r->group->name);
	fprintf(to, "\"unit\": \"%s\", \"goal\": \"%s\", \"failed\": %u",
		r->spec->unit, goal, r->failed);
	if (r->measured.n)
		fprintf(to, ", \"median\": %.6g", measured);
	if (r->bare.n)
		fprintf(to, ", \"bare\": %.6g", bare);
	if (r->measured.n && r->bare.n && bare > 0)
		fprintf(to, ", \"ratio\": %.6g", measured / bare);
	if (r->work.counted)
		fprintf(to,
			", \"stops\": %.6g, \"syscalls\": %.6g, "
			"\"dac_calls\": %.6g",
			r->work.stops, r->work.syscalls, r->work.dac_calls);
	json_samples(to, "samples", &r->measured);
	json_samples(to, "bare_samples", &r->bare);
	fputc('}', to);
}

bool report_json(const struct bench *b, const struct result *results, size_t n,
		 const char *path)
{
	FILE *to = fopen(path, "w");

	if (to) {
		fprintf(to, "{\n  \"runtime\": \"%s\",\n  \"runs\": %u,\n",
			b->runtime, b->runs);
		fprintf(to, "  \"figures\": [\n");
		for (size_t i = 0; i < n; i++) {
			json_result(to, &results[i]);
			fputs(i + 1 < n ? ",\n" : "\n", to);
		}
		fprintf(to, "  ]\n}\n");
	}
	if (!to || fclose(to)) {
		fprintf(stderr, "bench: cannot write '%s': %s\n", path,
			strerror(errno));
		return false;
	}
	return true;
}
