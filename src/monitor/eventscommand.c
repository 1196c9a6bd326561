/* `dndbg events KIND PID|NAME`: a table of what a runtime can be asked for. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "front/plain.h"
#include "monitor/eventlists.h"
#include "monitor/gcevents.h"
#include "monitor/monitor.h"

enum {
	OPT_JSON = 256,
	OPT_SECONDS,
	OPT_EACH,
	OPT_CAUGHT,
	OPT_NETTRACE,
	OPT_HELP,
	SECONDS = 10,
};

static const struct option options[] = {
    {"json", no_argument, NULL, OPT_JSON},
    {"seconds", required_argument, NULL, OPT_SECONDS},
    {"each", no_argument, NULL, OPT_EACH},
    {"caught", no_argument, NULL, OPT_CAUGHT},
    {"nettrace", required_argument, NULL, OPT_NETTRACE},
    {"help", no_argument, NULL, OPT_HELP},
    {NULL, 0, NULL, 0},
};

static const struct events_kind {
	const char *name, *help;
	struct dbg_error *(*watch)(struct dbg *dbg,
				   const struct watch_options *o);
} kinds[] = {
    {"gc", "collections: pauses, causes, what they left", gc_events},
    {"exceptions", "thrown, by type", exception_events},
    {"alloc", "allocated bytes, by type", allocation_events},
    {"contention", "waits for locks that others have", contention_events},
    {"jit", "methods that are compiled, by the time that takes", jit_events},
    {"threadpool", "its workers; starvation as it happens", pool_events},
};

static void usage(FILE *out)
{
	fputs("usage: dndbg events KIND [options] PID|NAME\n"
	      "What the runtime of a running program tells of itself; the "
	      "program is not stopped.\n"
	      "\n",
	      out);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		fprintf(out, "  %-12s %s\n", kinds[i].name, kinds[i].help);
	fputs("\n"
	      "  --seconds N  for so long [10]; Ctrl-C ends it early\n"
	      "  --each       print each of them when it happens\n"
	      "  --caught     of exceptions: in which methods they are caught, "
	      "at twice the cost\n"
	      "  --nettrace FILE\n"
	      "               write what the runtime tells there, too, for "
	      "PerfView and others\n"
	      "  --json       as JSON, for programs (docs/monitoring.md)\n",
	      out);
}

static const struct events_kind *kind_find(const char *name)
{
	for (size_t i = 0; name && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

// Returns -1 to go on, else the exit status.
static int parse(int argc, char **argv, struct watch_options *ret)
{
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c == OPT_JSON) {
			ret->json = true;
		} else if (c == OPT_EACH) {
			ret->each = true;
		} else if (c == OPT_CAUGHT) {
			ret->caught = true;
		} else if (c == OPT_NETTRACE) {
			ret->nettrace = optarg;
		} else if (c == OPT_SECONDS) {
			if (!watch_seconds(optarg, &ret->ms))
				return 2;
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

int monitor_events_main(struct dbg *dbg, int argc, char **argv)
{
	struct watch_options o = {.ms = SECONDS * 1000};
	bool help = argc > 1 && !strcmp(argv[1], "--help");
	const struct events_kind *kind = kind_find(argc > 1 ? argv[1] : NULL);

	if (!kind) {
		if (argc > 1 && !help)
			plain_printf(stderr, "dndbg: no events '%s'\n",
				     argv[1]);
		usage(help ? stdout : stderr);
		return help ? 0 : 2;
	}
	int status = parse(argc - 1, argv + 1, &o);
	if (status >= 0)
		return status;
	struct dbg_error *err = kind->watch(dbg, &o);
	plain_error(err);
	return err ? 1 : 0;
}
