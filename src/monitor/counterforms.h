/* One counter of `dndbg counters`, and the forms for other tools. */
#ifndef MONITOR_COUNTERFORMS_H
#define MONITOR_COUNTERFORMS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct counter {
	char *source, *name, *tags, *unit, *quantiles;
	double value, increase; /* the last; NAN: none */
	double grown;           /* all increases */
	bool grows;
};

/* A line of CSV on stdout (RFC 4180), @ns after the beginning; the titles. */
void counter_csv_title(void);
void counter_csv(const struct counter *one, uint64_t ns);
/*
 * Its lines in Prometheus' text format (version 0.0.4) on stdout; @first: of
 * its name, so its type is told.
 */
void counter_prometheus(const struct counter *one, bool first, pid_t pid);

#endif
