/*
 * Where the reports of a run go: files in the forms that were asked for, and
 * commands in the output of the job. What cannot be written is told on stderr.
 */
#ifndef REPORT_PUBLISH_H
#define REPORT_PUBLISH_H

#include "report/report.h"

struct publish {
	/* By form: the file, "" to write to stdout, NULL: not asked for. */
	const char *paths[REPORT_N_FORMS];
	struct report *reports;
	size_t n, cap;
};

enum {
	PUBLISH_MAX = 100, /* reports of one run */
};

/* Tell @report, which is the publisher's then, in the forms that have each. */
void publish_add(struct publish *p, const struct report *report);
/*
 * Write the forms that have all reports together; also without any, so that who
 * reads them finds a file. Destroys the reports.
 */
void publish_end(struct publish *p);

#endif
