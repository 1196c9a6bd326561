/*
 * `dndbg stack PID|NAME|FILE`: the stacks of all threads of a program that
 * runs, hangs or has left a core. A program that runs stands still for no
 * longer than it takes to walk its stacks: they are printed afterwards.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "front/debuggees.h"
#include "front/cli/oneshot.h"
#include "front/plain.h"
#include "report/report.h"

enum {
	OPT_JSON = 256,
	OPT_ALL,
	OPT_NATIVE,
	OPT_FRAMES,
	OPT_SNAPSHOT,
	OPT_HELP,
	FRAMES_LISTED = 500,
};

static const struct option options[] = {
    {"json", no_argument, NULL, OPT_JSON},
    {"all", no_argument, NULL, OPT_ALL},
    {"native", no_argument, NULL, OPT_NATIVE},
    {"frames", required_argument, NULL, OPT_FRAMES},
    {"snapshot", no_argument, NULL, OPT_SNAPSHOT},
    {"help", no_argument, NULL, OPT_HELP},
    {NULL, 0, NULL, 0},
};

struct stack_options {
	struct report_limits limits;
	bool json, native, snapshot;
	const char *what;
};

static void usage(FILE *out)
{
	fputs(
	    "usage: dndbg stack [options] PID|NAME|CORE\n"
	    "The stacks of all threads of a running program, which goes on, "
	    "or of a core dump.\n"
	    "\n"
	    "  --all       threads of the runtime's own and native ones, too\n"
	    "  --native    native frames one by one\n"
	    "  --frames N  at most N frames of a thread [500]\n"
	    "  --snapshot  of a copy: the program stands still for the copying "
	    "only\n"
	    "  --json      as JSON, for programs (docs/report.md)\n",
	    out);
}

// Returns -1 to go on, else the exit status.
static int parse(int argc, char **argv, struct stack_options *ret)
{
	uint64_t n;
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == OPT_JSON) {
			ret->json = true;
		} else if (c == OPT_ALL) {
			ret->limits.all_threads = true;
		} else if (c == OPT_NATIVE) {
			ret->native = true;
		} else if (c == OPT_SNAPSHOT) {
			ret->snapshot = true;
		} else if (c == OPT_FRAMES) {
			if (!str_to_u64(optarg, &n) || !n || n > UINT32_MAX) {
				fprintf(stderr,
					"dndbg: '%s' is no number of frames\n",
					optarg);
				return 2;
			}
			ret->limits.frames = (uint32_t)n;
		} else {
			usage(c == OPT_HELP ? stdout : stderr);
			return c == OPT_HELP ? 0 : 2;
		}
	}
	if (optind != argc - 1) {
		usage(stderr);
		return 2;
	}
	ret->what = argv[optind];
	return -1;
}

static struct dbg_error *
stack_take(struct dbg *dbg, const struct stack_options *o, struct report *ret)
{
	const struct dbg_attach how = {.snapshot = o->snapshot};
	struct dbg_error *err = open_program(dbg, o->what, &how);

	if (!err && o->native)
		err = dbg_set(dbg, "backtrace native", "on");
	if (err)
		return err;
	err = report_take(dbg, &o->limits, ret);
	if (!dbg_can_run(dbg))
		return err;
	struct dbg_error *left = dbg_detach(dbg, false);
	if (left && !err)
		report_destroy(ret);
	return dbg_err_first(err, left);
}

int report_stack_main(struct dbg *dbg, int argc, char **argv)
{
	struct stack_options o = {.limits.frames = FRAMES_LISTED};
	struct report r;

	int status = parse(argc, argv, &o);
	if (status >= 0)
		return status;
	struct dbg_error *err = stack_take(dbg, &o, &r);
	debuggees_warn(dbg);
	if (err) {
		plain_error(err);
		return 1;
	}
	const struct report *one = &r;
	if (o.json)
		report_json_one(&r, stdout);
	else
		report_text(&one, 1, stdout);
	report_destroy(&r);
	return 0;
}
