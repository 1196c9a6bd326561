/*
 * Where the reports of a run go: files in the forms that were asked for, and
 * commands in the output of the job. What cannot be written is told on stderr.
 *
 * A file that has all reports together is there whole, or what was there before
 * is: a new one takes its place. What is no file of ours alone (a device, one
 * with several names) is written as it is, at the end.
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

/*
 * Tell @report, which is the publisher's then, in the forms that have each;
 * files that have all reports together are written anew.
 */
void publish_add(struct publish *p, const struct report *report);
/*
 * Write the forms that have all reports together; also without any, so that who
 * reads them finds a file. Destroys the reports.
 */
void publish_end(struct publish *p);

#endif
