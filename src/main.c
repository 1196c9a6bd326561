/* Options; open a session; choose the front end; nothing else. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "dbg.h"
#include "repl/repl.h"

enum {
	OPT_EX = 256,
	OPT_BATCH,
	OPT_ARGS,
	OPT_CWD,
	OPT_ENV,
	OPT_TTY,
	OPT_VERSION,
	OPT_HELP,
	OPT_MANUAL,
};

static const struct option options[] = {
    {"ex", required_argument, NULL, OPT_EX},
    {"eval-command", required_argument, NULL, OPT_EX},
    {"x", required_argument, NULL, 'x'},
    {"command", required_argument, NULL, 'x'},
    {"batch", no_argument, NULL, OPT_BATCH},
    {"args", no_argument, NULL, OPT_ARGS},
    {"cwd", required_argument, NULL, OPT_CWD},
    {"cd", required_argument, NULL, OPT_CWD},
    {"env", required_argument, NULL, OPT_ENV},
    {"tty", required_argument, NULL, OPT_TTY},
    {"quiet", no_argument, NULL, 'q'},
    {"version", no_argument, NULL, OPT_VERSION},
    {"help", no_argument, NULL, OPT_HELP},
    {"manual", no_argument, NULL, OPT_MANUAL},
    {NULL, 0, NULL, 0},
};

static void usage(FILE *out)
{
	fputs(
	    "usage: dndbg [options] [--args] [program [args...]]\n"
	    "A debugger for .NET programs: a .dll, an apphost or \"dotnet\".\n"
	    "\n"
	    "  -ex COMMAND       carry out COMMAND first\n"
	    "  -x FILE           carry out the commands of FILE first\n"
	    "  --batch           end after these; ask nothing\n"
	    "  --args            what follows are the program and its "
	    "arguments\n"
	    "  --cwd DIR         directory to start the program in\n"
	    "  --env NAME=VALUE  a variable of its environment; NAME alone "
	    "removes it\n"
	    "  --tty TERMINAL    its terminal\n"
	    "  -q, --quiet       no greeting\n"
	    "  --version, --help\n"
	    "\n"
	    "-ex and -x are carried out in order. With --batch the exit "
	    "status is the\nprogram's if it ended by itself with another than "
	    "0 (128 + N if signal N ended\nit or was about to), else 1 if a "
	    "command failed, else 0.\n",
	    out);
}

static void add_startup(struct repl_options *o, struct repl_startup *list,
			bool file, const char *text)
{
	list[o->n_startup++] = (struct repl_startup){file, text};
}

/*
 * Take the options; returns -1 to go on, else the exit status. @startup and
 * @env have room for one entry an argument.
 */
static int parse_options(int argc, char **argv, struct repl_options *o,
			 struct repl_startup *startup, const char **env)
{
	int c;

	// The '+': the program's options are not ours.
	while ((c = getopt_long_only(argc, argv, "+x:q", options, NULL)) !=
	       -1) {
		switch (c) {
		case OPT_EX:
		case 'x':
			add_startup(o, startup, c == 'x', optarg);
			break;
		case OPT_BATCH:
			o->batch = true;
			break;
		case OPT_ARGS:
			break;
		case OPT_CWD:
			o->cwd = optarg;
			break;
		case OPT_ENV:
			env[o->n_env++] = optarg;
			break;
		case OPT_TTY:
			o->tty = optarg;
			break;
		case 'q':
			o->quiet = true;
			break;
		case OPT_VERSION:
			printf("dndbg %s\n", DNDBG_VERSION);
			return 0;
		case OPT_HELP:
			usage(stdout);
			return 0;
		case OPT_MANUAL:
			repl_manual(stdout);
			return 0;
		default:
			fputs("Try \"dndbg --help\".\n", stderr);
			return 2;
		}
	}
	return -1;
}

static int debug(const struct repl_options *o)
{
	struct dbg *dbg;

	struct dbg_error *err = dbg_create(&dbg);
	if (err) {
		fprintf(stderr, "dndbg: %s\n", err->message);
		dbg_error_destroy(err);
		return 1;
	}
	int status = repl_main(dbg, o);
	dbg_destroy(dbg);
	return status;
}

int main(int argc, char **argv)
{
	struct repl_options o = {.version = DNDBG_VERSION};
	size_t n = (size_t)argc + 1;

	_cleanup_free_ struct repl_startup *startup =
	    alloc_zero(n, sizeof(*startup));
	_cleanup_free_ const char **env = alloc_zero(n, sizeof(*env));
	o.startup = startup;
	o.env = env;
	int status = parse_options(argc, argv, &o, startup, env);
	if (status >= 0)
		return status;
	if (optind < argc) {
		o.program = argv[optind];
		o.args = argv + optind + 1;
		o.n_args = (size_t)(argc - optind - 1);
	}
	return debug(&o);
}
