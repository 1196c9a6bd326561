/*
 * Where the reports of a run go: files in the forms that were asked for, and
 * workflow commands in the output of the CI job. What cannot be written is told
 * on stderr.
 *
 * A file that has all reports together is replaced as a whole, so that a reader
 * finds either the new or the old one. A device, or a file with several names
 * (hard links), is written in place instead, at the end of the run.
 */
#ifndef REPORT_PUBLISH_H
#define REPORT_PUBLISH_H

#include "report/report.h"

struct publish {
	/* By form: the file; "": write to stdout; NULL: not asked for. */
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
