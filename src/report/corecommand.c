/*
 * `dndbg core FILE --report[=FORM]`: the report that `dndbg run` would have
 * made of the death that left this core, on stdout.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "front/debuggees.h"
#include "front/plain.h"
#include "report/report.h"

enum {
	OPT_REPORT = 256,
	OPT_HELP,
};

static const struct option options[] = {
    {"report", optional_argument, NULL, OPT_REPORT},
    {"help", no_argument, NULL, OPT_HELP},
    {NULL, 0, NULL, 0},
};

static void usage(FILE *out)
{
	fputs(
	    "usage: dndbg core FILE --report[=FORM]\n"
	    "Report what the program died of that left the core dump FILE, as "
	    "\"dndbg run\"\ndoes. FORM is one of:",
	    out);
	for (size_t i = 0; i < REPORT_N_FORMS; i++)
		fprintf(out, "%s %s", i ? "," : "", report_forms[i].name);
	fputs(" [text]\n", out);
}

// Returns -1 to go on, else the exit status.
static int parse(int argc, char **argv, const struct report_form **ret)
{
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c != OPT_REPORT) {
			usage(c == OPT_HELP ? stdout : stderr);
			return c == OPT_HELP ? 0 : 2;
		}
		*ret = report_form_find(optarg ? optarg : "text");
		if (!*ret) {
			fprintf(stderr, "dndbg: no form '%s' of reports\n",
				optarg);
			return 2;
		}
	}
	if (*ret && optind == argc - 1)
		return -1;
	usage(stderr);
	return 2;
}

int report_core_main(struct dbg *dbg, int argc, char **argv)
{
	const struct report_form *form = NULL;
	struct report r;

	int status = parse(argc, argv, &form);
	if (status >= 0)
		return status;
	struct dbg_error *err = dbg_core(dbg, argv[optind]);
	if (!err)
		err = report_take(dbg, &report_death_limits, &r);
	debuggees_warn(dbg);
	if (err) {
		plain_error(err);
		return 1;
	}
	const struct report *one = &r;
	form->write(&one, 1, stdout);
	report_destroy(&r);
	return 0;
}
