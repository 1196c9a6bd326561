/* Options; open a session; choose the front end; nothing else. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "dap/launch/console.h"
#include "dap/dap.h"
#include "dbg.h"
#include "front/commands.h"
#include "front/options.h"
#include "repl/repl.h"

enum {
	OPT_EX = 256,
	OPT_BATCH,
	OPT_ARGS,
	OPT_CWD,
	OPT_ENV,
	OPT_TTY,
	OPT_WAIT,
	OPT_CORE,
	OPT_VERSION,
	OPT_HELP,
	OPT_MANUAL,
	OPT_INTERPRETER,
	OPT_SERVER,
	OPT_LOG,
	OPT_TERMINAL,
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
    {"pid", required_argument, NULL, 'p'},
    {"attach", required_argument, NULL, 'p'},
    {"wait", no_argument, NULL, OPT_WAIT},
    {"core", required_argument, NULL, OPT_CORE},
    {"quiet", no_argument, NULL, 'q'},
    {"version", no_argument, NULL, OPT_VERSION},
    {"help", no_argument, NULL, OPT_HELP},
    {"manual", no_argument, NULL, OPT_MANUAL},
    {"interpreter", required_argument, NULL, OPT_INTERPRETER},
    {"server", optional_argument, NULL, OPT_SERVER},
    {"log", required_argument, NULL, OPT_LOG},
    {"terminal", required_argument, NULL, OPT_TERMINAL},
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
	    "  -p, --attach PID|NAME\n"
	    "                    take over a running program, by its process "
	    "or its name;\n"
	    "                    it goes on when dndbg ends\n"
	    "  --wait            wait for one of that name to be started\n"
	    "  --core FILE, or the words core FILE\n"
	    "                    look at a core dump\n"
	    "  -q, --quiet       no greeting\n"
	    "  --interpreter=vscode, --interpreter=dap, or the word dap "
	    "alone\n"
	    "                    serve an editor by the Debug Adapter "
	    "Protocol\n"
	    "  --server[=PORT]   serve it over TCP on 127.0.0.1 [4711]; only "
	    "your own\n                    processes may connect\n"
	    "  --server=PATH     serve it over a Unix socket (a PATH has a "
	    "slash)\n"
	    "  --log FILE        record what is exchanged with it; without "
	    "it, dndbg's own\n                    work, as \"set log "
	    "FILE\" does\n"
	    "  --version, --help\n"
	    "\n"
	    "-ex and -x are carried out in order. With --batch the exit "
	    "status is the\nprogram's if it ended by itself with another than "
	    "0 (128 + N if signal N ended\nit or was about to), else 1 if a "
	    "command failed, else 0.\n",
	    out);
}

static void add_startup(struct front_options *o, struct startup_command *list,
			bool file, const char *text)
{
	list[o->n_startup++] = (struct startup_command){file, text};
}

/* What the command line says. */
struct command_line {
	struct front_options front;
	struct startup_command *startup; /* room for one an argument */
	bool is_dap;
	bool server; /* at this place */
	struct listen_at listen;
	const char *terminal; /* be the helper in a client's terminal */
};

static int take_interpreter(struct command_line *cl, const char *name)
{
	if (strcmp(name, "vscode") && strcmp(name, "dap")) {
		fprintf(stderr,
			"dndbg: no interpreter '%s': there are vscode and dap, "
			"which are the same\n",
			name);
		return 2;
	}
	cl->is_dap = true;
	return -1;
}

static int take_server(struct command_line *cl, const char *port)
{
	char *end = NULL;
	if (port && strchr(port, '/')) {
		cl->server = true;
		cl->listen.path = port;
		return -1;
	}
	unsigned long n = port ? strtoul(port, &end, 10) : 4711;

	if (port && (*port < '0' || *port > '9' || *end || n > UINT16_MAX)) {
		fprintf(stderr, "dndbg: '%s' is no port\n", port);
		return 2;
	}
	cl->server = true;
	cl->listen.port = (uint16_t)n;
	return -1;
}

static int tell(int option)
{
	if (option == OPT_VERSION)
		printf("dndbg %s\n", DNDBG_VERSION);
	else if (option == OPT_MANUAL)
		repl_manual(stdout);
	else
		usage(stdout);
	return 0;
}

// One option; returns -1 to go on, else the exit status.
static int take_option(struct command_line *cl, int c)
{
	struct front_options *o = &cl->front;

	switch (c) {
	case OPT_EX:
	case 'x':
		add_startup(o, cl->startup, c == 'x', optarg);
		return -1;
	case OPT_BATCH:
		o->batch = true;
		return -1;
	case OPT_ARGS:
		return -1;
	case OPT_CWD:
		str_set(&o->launch.cwd, optarg);
		return -1;
	case OPT_ENV:
		words_add(&o->launch.env, optarg, strlen(optarg));
		return -1;
	case OPT_TTY:
		str_set(&o->launch.tty, optarg);
		return -1;
	case 'p':
		o->attach = optarg;
		return -1;
	case OPT_WAIT:
		o->wait = true;
		return -1;
	case OPT_CORE:
		o->core = optarg;
		return -1;
	case 'q':
		o->quiet = true;
		return -1;
	case OPT_INTERPRETER:
		return take_interpreter(cl, optarg);
	case OPT_SERVER:
		return take_server(cl, optarg);
	case OPT_LOG:
		o->log = optarg;
		return -1;
	case OPT_TERMINAL:
		cl->terminal = optarg;
		return -1;
	case OPT_VERSION:
	case OPT_HELP:
	case OPT_MANUAL:
		return tell(c);
	default:
		fputs("Try \"dndbg --help\".\n", stderr);
		return 2;
	}
}

// The rest: the program and its arguments.
static void take_program(struct launch_config *launch, char **rest)
{
	str_set(&launch->program, *rest);
	while (*rest && *++rest)
		words_add(&launch->args, *rest, strlen(*rest));
}

static int parse_options(int argc, char **argv, struct command_line *cl)
{
	int status = -1;

	if (argc > 1 && !strcmp(argv[1], "dap")) {
		cl->is_dap = true;
		optind = 2;
	}
	if (argc > 2 && !strcmp(argv[1], "core")) {
		cl->front.core = argv[2];
		optind = 3;
	}
	// The '+': the program's options are not ours.
	while (status < 0) {
		int c = getopt_long_only(argc, argv, "+x:p:q", options, NULL);
		if (c == -1)
			break;
		status = take_option(cl, c);
	}
	return status;
}

static int debug(const struct command_line *cl)
{
	struct dbg *dbg;

	struct dbg_error *err = dbg_create(&dbg);
	if (err) {
		fprintf(stderr, "dndbg: %s\n", err->message);
		dbg_error_destroy(err);
		return 1;
	}
	// An adapter's log is of the protocol; "set log" has the engine's.
	if (!cl->is_dap && cl->front.log)
		err = dbg_set(dbg, "log", cl->front.log);
	if (err) {
		fprintf(stderr, "dndbg: %s\n", err->message);
		dbg_error_destroy(err);
		dbg_destroy(dbg);
		return 2;
	}
	int status = cl->is_dap ? dap_main(dbg, &cl->front,
					   cl->server ? &cl->listen : NULL)
				: repl_main(dbg, &cl->front);
	dbg_destroy(dbg);
	return status;
}

int main(int argc, char **argv)
{
	struct command_line cl = {
	    .front.version = DNDBG_VERSION,
	    .front.commands = &repl_commands,
	};
	size_t n = (size_t)argc + 1;

	_cleanup_free_ struct startup_command *startup =
	    xcalloc(n, sizeof(*startup));
	cl.startup = startup;
	cl.front.startup = startup;
	int status = parse_options(argc, argv, &cl);
	if (status < 0 && cl.terminal)
		status = helper_main(cl.terminal);
	if (status < 0) {
		take_program(&cl.front.launch, argv + optind);
		status = debug(&cl);
	}
	launch_config_deinit(&cl.front.launch);
	return status;
}
