/*
 * The command line: options into struct front_options, which all front ends
 * share; then a session, and the front end that was asked for. `dndbg
 * --terminal=SOCKET` is the helper that runs in an editor's terminal.
 */
#include <getopt.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "dap/launch/console.h"
#include "dap/dap.h"
#include "dbg.h"
#include "mi/mi.h"
#include "monitor/monitor.h"
#include "front/commands.h"
#include "front/crashreport.h"
#include "front/oneshot.h"
#include "front/options.h"
#include "front/plain.h"
#include "repl/repl.h"
#include "report/report.h"

enum {
	LARGE = 1 << 20, // bytes
};

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
	OPT_IEX,
	OPT_IX,
	OPT_RUN,
	OPT_NOTHING,
	OPT_PLACE, /* and those behind it, as in places */
};

static const struct option options[] = {
    {"ex", required_argument, NULL, OPT_EX},
    {"eval-command", required_argument, NULL, OPT_EX},
    {"x", required_argument, NULL, 'x'},
    {"command", required_argument, NULL, 'x'},
    {"iex", required_argument, NULL, OPT_IEX},
    {"init-eval-command", required_argument, NULL, OPT_IEX},
    {"ix", required_argument, NULL, OPT_IX},
    {"init-command", required_argument, NULL, OPT_IX},
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
    {"c", required_argument, NULL, OPT_CORE},
    {"quiet", no_argument, NULL, 'q'},
    {"silent", no_argument, NULL, 'q'},
    {"run", no_argument, NULL, OPT_RUN},
    {"version", no_argument, NULL, OPT_VERSION},
    {"help", no_argument, NULL, OPT_HELP},
    {"manual", no_argument, NULL, OPT_MANUAL},
    {"interpreter", required_argument, NULL, OPT_INTERPRETER},
    {"i", required_argument, NULL, OPT_INTERPRETER},
    {"server", optional_argument, NULL, OPT_SERVER},
    {"log", required_argument, NULL, OPT_LOG},
    {"terminal", required_argument, NULL, OPT_TERMINAL},
    {"core-search-path", required_argument, NULL, OPT_PLACE},
    {"sysroot", required_argument, NULL, OPT_PLACE + 1},
    {"dac-path", required_argument, NULL, OPT_PLACE + 2},
    // gdb's and netcoredbg's that front ends give and that say nothing here
    {"nx", no_argument, NULL, OPT_NOTHING},
    {"n", no_argument, NULL, OPT_NOTHING},
    {"nh", no_argument, NULL, OPT_NOTHING},
    {"nw", no_argument, NULL, OPT_NOTHING},
    {"f", no_argument, NULL, OPT_NOTHING},
    {"fullname", no_argument, NULL, OPT_NOTHING},
    {"engineLogging", optional_argument, NULL, OPT_NOTHING},
    {NULL, 0, NULL, 0},
};

static void usage(FILE *out)
{
	fputs(
	    "usage: dndbg [options] [--args] [program [args...]]\n"
	    "       dndbg run [options] [--] command...    report why it dies\n"
	    "       dndbg stack [options] PID|NAME|CORE    print all stacks\n"
	    "       dndbg core FILE --report[=FORM]        report what left "
	    "it\n"
	    "       dndbg dump [options] PID|NAME          write a core file\n"
	    "       dndbg snapshot PID|NAME [options]      look at a copy of "
	    "it\n"
	    "       dndbg ps [--json]                      list .NET programs\n"
	    "       dndbg events KIND PID|NAME             watch its runtime\n"
	    "       dndbg counters PID|NAME                what it counts\n"
	    "       dndbg sample PID|NAME                  where its time "
	    "goes\n"
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
	    "  --core-search-path DIR[:DIR...], --sysroot DIR, --dac-path "
	    "DIR\n"
	    "                    where the files of a core of another machine "
	    "are; for all\n"
	    "                    commands that take one; else by "
	    "DNDBG_CORE_SEARCH_PATH,\n"
	    "                    DNDBG_SYSROOT, DNDBG_DAC_PATH\n"
	    "  -q, --quiet       no greeting\n"
	    "  -iex COMMAND, -ix FILE\n"
	    "                    likewise, before the program is known: before "
	    "a core is\n"
	    "                    opened or a process attached to\n"
	    "  -i=mi, --interpreter=mi, mi2, mi3, mi4\n"
	    "                    serve a front end made for gdb\n"
	    "  --run             start the program at once, behind the "
	    "commands of -ex\n"
	    "                    and -x\n"
	    "  --interpreter=vscode, --interpreter=dap, or the word dap "
	    "alone\n"
	    "                    serve an editor by the Debug Adapter "
	    "Protocol\n"
	    "  --server[=PORT]   serve either over TCP on 127.0.0.1 [4711]; "
	    "only "
	    "your own\n                    processes may connect\n"
	    "  --server=PATH     serve either over a Unix socket (a PATH has a "
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

/*
 * Where the files of a core of another machine are: settings of the engine that
 * each command takes as options, or from the environment.
 */
static const struct {
	const char *option, *setting, *variable;
} places[] = {
    {"--core-search-path", "core-search-path", "DNDBG_CORE_SEARCH_PATH"},
    {"--sysroot", "sysroot", "DNDBG_SYSROOT"},
    {"--dac-path", "dac-path", "DNDBG_DAC_PATH"},
};

enum {
	N_PLACES = sizeof(places) / sizeof(*places)
};

/* Of the command line, NULL: not given. */
struct given_places {
	const char *v[N_PLACES];
};

// Take the options out of a command's words; returns how many are left.
static int take_places(int argc, char **argv, struct given_places *ret)
{
	int n = 0;

	for (int i = 0; i < argc; i++) {
		bool taken = false;

		for (size_t k = 0; k < N_PLACES && !taken; k++) {
			size_t len = strlen(places[k].option);

			if (!str_starts(argv[i], places[k].option))
				continue;
			taken = argv[i][len] == '=' ||
				(!argv[i][len] && i + 1 < argc);
			if (taken)
				ret->v[k] = argv[i][len] ? argv[i] + len + 1
							 : argv[++i];
		}
		if (!taken)
			argv[n++] = argv[i];
	}
	argv[n] = NULL;
	return n;
}

static struct dbg_error *create(const struct given_places *given,
				struct dbg **ret)
{
	struct dbg_error *err = dbg_create(ret);

	for (size_t i = 0; i < N_PLACES && !err; i++) {
		const char *value =
		    given->v[i] ? given->v[i] : getenv(places[i].variable);

		if (value && *value)
			err = dbg_set(*ret, places[i].setting, value);
	}
	return err;
}

/* What the command line says. */
struct command_line {
	struct front_options front;
	struct startup_command *startup; /* room for one an argument */
	size_t n_early;                  /* of them */
	bool is_dap, is_mi;
	struct mi_options mi;
	const struct listen_at *server; /* &listen, NULL: stdin and stdout */
	struct listen_at listen;
	const char *terminal; /* be the helper in a client's terminal */
	struct given_places places;
};

// What is to be done early comes first.
static int take_startup(struct command_line *cl, int c)
{
	struct front_options *o = &cl->front;
	bool early = c == OPT_IEX || c == OPT_IX;
	size_t at = early ? cl->n_early++ : o->n_startup;

	memmove(cl->startup + at + 1, cl->startup + at,
		(o->n_startup++ - at) * sizeof(*cl->startup));
	cl->startup[at] = (struct startup_command){
	    .file = c == 'x' || c == OPT_IX,
	    .early = early,
	    .text = optarg,
	};
	return -1;
}

static int take_interpreter(struct command_line *cl, const char *name)
{
	static const char *const names[] = {"vscode", "dap", "mi",  "mi2",
					    "mi3",    "mi4", "cli", "console"};
	size_t n = sizeof(names) / sizeof(*names);
	size_t i = 0;

	while (i < n && strcmp(name, names[i]))
		i++;
	if (i == n) {
		fprintf(stderr,
			"dndbg: no interpreter '%s': there are mi, mi2, mi3, "
			"mi4, console, and vscode and dap, which are the "
			"same\n",
			name);
		return 2;
	}
	cl->is_dap = i < 2;
	cl->is_mi = i >= 2 && i < 6;
	cl->mi.version = i > 2 ? (unsigned int)i - 1 : 4;
	return -1;
}

static int take_server(struct command_line *cl, const char *port)
{
	char *end = NULL;
	cl->server = &cl->listen;
	if (port && strchr(port, '/')) {
		cl->listen.path = port;
		return -1;
	}
	unsigned long n = port ? strtoul(port, &end, 10) : 4711;

	if (port && (*port < '0' || *port > '9' || *end || n > UINT16_MAX)) {
		fprintf(stderr, "dndbg: '%s' is no port\n", port);
		return 2;
	}
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

	if (c >= OPT_PLACE && c < OPT_PLACE + N_PLACES) {
		cl->places.v[c - OPT_PLACE] = optarg;
		return -1;
	}
	switch (c) {
	case OPT_EX:
	case 'x':
	case OPT_IEX:
	case OPT_IX:
		return take_startup(cl, c);
	case OPT_RUN:
		cl->mi.run = true;
		return -1;
	case OPT_BATCH:
		o->batch = true;
		return -1;
	case OPT_ARGS:
	case OPT_NOTHING:
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

// netcoredbg's clients start it by that name, with -- PROGRAM, or connect.
static void take_dialect(struct command_line *cl, char **argv, int first)
{
	const char *name = str_basename(argv[0]);
	bool dashes = first > 1 && !strcmp(argv[first - 1], "--");

	if (dashes || cl->server || str_starts(name, "netcoredbg"))
		cl->mi.dialect = MI_NETCOREDBG;
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
	if (argc > 2 && !strcmp(argv[1], "snapshot")) {
		cl->front.attach = argv[2];
		cl->front.snapshot = true;
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

static int prompt_command(struct dbg *dbg, int argc, char **argv)
{
	return oneshot_main(dbg, &repl_commands, argc, argv);
}

/* Commands that are a word in front of everything else. */
static const struct {
	const char *name;
	const char *option; /* NULL, or what makes it one, maybe "=..." */
	int (*main)(struct dbg *dbg, int argc, char **argv);
} commands[] = {
    {"run", NULL, report_run_main},
    {"stack", NULL, report_stack_main},
    {"core", "--report", report_core_main},
    {"dump", NULL, report_dump_main},
    {"ps", NULL, report_ps_main},
    {"events", NULL, monitor_events_main},
    {"counters", NULL, monitor_counters_main},
    {"sample", NULL, monitor_sample_main},
};

static bool has_option(char **argv, const char *name)
{
	for (; *argv; argv++)
		if (str_starts(*argv, name))
			return true;
	return false;
}

// Carry out the command that @argv names, if it does; else returns -1.
static int command(int argc, char **argv)
{
	int (*run)(struct dbg * dbg, int argc, char **argv) = NULL;
	struct given_places given = {0};
	struct dbg *dbg;

	if (argc < 2)
		return -1;
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		const char *option = commands[i].option;

		if (!strcmp(argv[1], commands[i].name) &&
		    (!option || has_option(argv + 2, option)))
			run = commands[i].main;
	}
	if (!run && oneshot_is(argv[1]))
		run = prompt_command;
	if (!run)
		return -1;
	// whatever follows "run" is another program's
	if (run != report_run_main)
		argc = take_places(argc, argv, &given);
	struct dbg_error *err = create(&given, &dbg);
	if (err) {
		plain_error(err);
		return 1;
	}
	int status = run(dbg, argc - 1, argv + 1);
	dbg_destroy(dbg);
	return status;
}

static int debug(const struct command_line *cl)
{
	struct dbg *dbg;

	struct dbg_error *err = create(&cl->places, &dbg);
	if (err) {
		plain_error(err);
		return 1;
	}
	// An adapter's log is of the protocol; "set log" has the engine's.
	if (!cl->is_dap && cl->front.log)
		err = dbg_set(dbg, "log", cl->front.log);
	if (err) {
		plain_error(err);
		dbg_destroy(dbg);
		return 2;
	}
	int status = cl->is_dap  ? dap_main(dbg, &cl->front, cl->server)
		     : cl->is_mi ? mi_main(dbg, &cl->front, &cl->mi, cl->server)
				 : repl_main(dbg, &cl->front);
	dbg_destroy(dbg);
	return status;
}

int main(int argc, char **argv)
{
	struct command_line cl = {
	    .front.version = DNDBG_VERSION,
	    .front.commands = &repl_commands,
	    .front.mi_ui = &mi_ui,
	};
	size_t n = (size_t)argc + 1;

	// What is larger goes back to the system as soon as it is freed; the
	// library's own limit rises with what was freed before.
	mallopt(M_MMAP_THRESHOLD, LARGE);
	crash_report_install(DNDBG_VERSION);
	int done = command(argc, argv);
	if (done >= 0)
		return done;
	_cleanup_free_ struct startup_command *startup =
	    xcalloc(n, sizeof(*startup));
	cl.startup = startup;
	cl.front.startup = startup;
	int status = parse_options(argc, argv, &cl);
	if (status < 0 && cl.terminal)
		status = helper_main(cl.terminal);
	if (status < 0) {
		take_dialect(&cl, argv, optind);
		take_program(&cl.front.launch, argv + optind);
		if (cl.mi.run && !cl.is_mi && !cl.is_dap)
			startup[cl.front.n_startup++] =
			    (struct startup_command){.text = "run"};
		status = debug(&cl);
	}
	launch_config_deinit(&cl.front.launch);
	return status;
}
