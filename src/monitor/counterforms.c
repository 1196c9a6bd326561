/* Counters for other tools: see counterforms.h. */
#include "monitor/counterforms.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

/* ---- CSV ---------------------------------------------------------------- */

void counter_csv_title(void)
{
	puts("seconds,source,name,tags,unit,value,increase,quantiles");
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

void counter_csv(const struct counter *one, uint64_t ns)
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
	putchar('\n');
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

// Of "K=V,K=V": a comma that no key follows is the value's own.
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

void counter_prometheus(const struct counter *one, bool first, pid_t pid)
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
