/*
 * The command line: options into struct front_options, which all front ends
 * share; then a session, and the front end that was asked for. `dndbg
 * --terminal=SOCKET` is the helper that runs in an editor's terminal.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "dap/launch/console.h"
#include "dap/dap.h"
#include "dbg.h"
#include "mi/mi.h"
#include "monitor/monitor.h"
#include "front/cli/cli.h"
#include "front/cli/commands.h"
#include "front/crashreport.h"
#include "front/cli/oneshot.h"
#include "front/cli/options.h"
#include "front/plain.h"
#include "repl/repl.h"
#include "report/report.h"

enum {
	LARGE = 1 << 20, // bytes
};

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
static int parse_places(int argc, char **argv, struct given_places *ret)
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
	bool is_dap, is_mi, is_prompt;   /* which was asked for */
	bool netcoredbg;                 /* dndbg was started by that name */
	struct mi_options mi;
	const struct listen_at *server; /* &listen, NULL: stdin and stdout */
	struct listen_at listen;
	const char *terminal; /* be the helper in a client's terminal */
	char *log;            /* the file of a --log without one */
	struct given_places places;
	bool args;           /* --args: what follows is a program */
	const char **opened; /* by "core" or "snapshot"; NULL: neither */
};

// What is to be done early comes first.
static int parse_startup(struct command_line *cl, int c)
{
	struct front_options *o = &cl->front;
	bool early = c == CLI_IEX || c == CLI_IX;
	size_t at = early ? cl->n_early++ : o->n_startup;

	memmove(cl->startup + at + 1, cl->startup + at,
		(o->n_startup++ - at) * sizeof(*cl->startup));
	cl->startup[at] = (struct startup_command){
	    .file = c == 'x' || c == CLI_IX,
	    .early = early,
	    .text = optarg,
	};
	return -1;
}

static int parse_interpreter(struct command_line *cl, const char *name)
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
	cl->is_prompt = i >= 6;
	cl->mi.version = i > 2 ? (unsigned int)i - 1 : 4;
	return -1;
}

static int parse_server(struct command_line *cl, const char *port)
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

// A --log without a file, as netcoredbg has it.
static const char *own_log(struct command_line *cl)
{
	const char *dir = getenv("TMPDIR");

	str_set(&cl->log, NULL);
	cl->log = xasprintf("%s/netcoredbg.%d.log", dir && *dir ? dir : "/tmp",
			    (int)getpid());
	return cl->log;
}

static void version(void)
{
	unsigned int first, last;

	dbg_runtimes(&first, &last);
	printf("dndbg %s\n", DNDBG_VERSION);
	// a source without git may know none
	if (*DNDBG_COMMIT)
		printf("commit %s\n", DNDBG_COMMIT);
	printf(".NET %u to %u on x86-64 Linux\n", first, last);
}

// Scripts that install netcoredbg ask for the architecture.
static void buildinfo(void)
{
	version();
	printf("\nBuild info:\n"
	       "      Target OS:   Linux\n"
	       "      Target arch: x64\n");
}

static int tell(int option)
{
	if (option == CLI_VERSION)
		version();
	else if (option == CLI_BUILDINFO)
		buildinfo();
	else if (option == CLI_HELP)
		cli_usage(stdout, optarg && !strcmp(optarg, "all"));
	else if (optarg)
		cli_manual(stdout);
	else
		repl_manual(stdout);
	return 0;
}

static int complete(const char *shell)
{
	if (cli_completion(stdout, shell))
		return 0;
	fprintf(stderr, "dndbg: no shell '%s': there are bash and zsh\n",
		shell);
	return 2;
}

// One option; returns -1 to go on, else the exit status.
static int parse_option(struct command_line *cl, int c)
{
	struct front_options *o = &cl->front;

	if (c >= CLI_PLACE && c < CLI_PLACE + N_PLACES) {
		cl->places.v[c - CLI_PLACE] = optarg;
		return -1;
	}
	switch (c) {
	case CLI_EX:
	case 'x':
	case CLI_IEX:
	case CLI_IX:
		return parse_startup(cl, c);
	case CLI_RUN:
		cl->mi.run = true;
		return -1;
	case CLI_BATCH:
		o->batch = true;
		return -1;
	case CLI_ARGS:
		cl->args = true;
		return -1;
	case CLI_NOTHING:
		return -1;
	case CLI_CWD:
		str_set(&o->launch.cwd, optarg);
		return -1;
	case CLI_ENV:
		words_add(&o->launch.env, optarg, strlen(optarg));
		return -1;
	case CLI_TTY:
		str_set(&o->launch.tty, optarg);
		return -1;
	case 'p':
		o->attach = optarg;
		return -1;
	case CLI_WAIT:
		o->wait = true;
		return -1;
	case CLI_CORE:
		o->core = optarg;
		return -1;
	case 'q':
		o->quiet = true;
		return -1;
	case CLI_INTERPRETER:
		return parse_interpreter(cl, optarg);
	case CLI_SERVER:
		return parse_server(cl, optarg);
	case CLI_LOG:
		o->log = optarg ? optarg : own_log(cl);
		return -1;
	case CLI_HOT_RELOAD:
		// whatever is started inherits it
		setenv("DOTNET_MODIFIABLE_ASSEMBLIES", "debug", false);
		return -1;
	case CLI_INTEROP:
		fputs("dndbg: debugging of native code is not served; \"set "
		      "native-frames on\" shows its frames\n",
		      stderr);
		return -1;
	case 'n':
		o->no_settings = true;
		return -1;
	case CLI_TERMINAL:
		cl->terminal = optarg;
		return -1;
	case CLI_VERSION:
	case CLI_BUILDINFO:
	case CLI_HELP:
	case CLI_MANUAL:
		return tell(c);
	case CLI_COMPLETION:
		return complete(optarg);
	default:
		fputs("Try \"dndbg --help\".\n", stderr);
		return 2;
	}
}

// netcoredbg's clients start it by that name, with -- PROGRAM, or connect.
static void parse_dialect(struct command_line *cl, char **argv, int first)
{
	bool dashes = first > 1 && !strcmp(argv[first - 1], "--");
	bool asked = cl->is_dap || cl->is_mi || cl->is_prompt;

	if (dashes || cl->server || cl->netcoredbg)
		cl->mi.dialect = MI_NETCOREDBG;
	// its prompt is for a terminal alone
	if (cl->netcoredbg && !asked && !cl->front.n_startup &&
	    !isatty(STDIN_FILENO))
		parse_interpreter(cl, "mi");
}

// The rest: the program and its arguments.
static void parse_program(struct launch_config *launch, char **rest)
{
	str_set(&launch->program, *rest);
	while (*rest && *++rest)
		words_add(&launch->args, *rest, strlen(*rest));
}

/*
 * Take the word "core" or "snapshot", or what it opens, where the options end;
 * false: there is none. A program of such a name is given behind "--args" or
 * "--", or alone.
 */
static bool parse_opened(struct command_line *cl, char **argv)
{
	const char *word = argv[optind];
	const char **opened = cl->opened;

	if (!word || cl->args || !strcmp(argv[optind - 1], "--"))
		return false;
	if (!opened && argv[optind + 1] && !strcmp(word, "core")) {
		cl->opened = &cl->front.core;
	} else if (!opened && argv[optind + 1] && !strcmp(word, "snapshot")) {
		cl->opened = &cl->front.attach;
		cl->front.snapshot = true;
	} else if (opened && !*opened) {
		*opened = word;
	} else {
		return false;
	}
	optind++;
	return true;
}

static int parse_options(int argc, char **argv, struct command_line *cl)
{
	struct option options[CLI_OPTIONS_MAX];
	int status = -1;

	cl->netcoredbg = str_starts(str_basename(argv[0]), "netcoredbg");
	cl->front.netcoredbg = cl->netcoredbg;
	cli_options(cl->netcoredbg, options);
	if (argc > 1 && !strcmp(argv[1], "dap")) {
		cl->is_dap = true;
		optind = 2;
	}
	// Letters begin with '+': the program's options are not ours.
	while (status < 0) {
		int c =
		    getopt_long_only(argc, argv, cli_letters, options, NULL);
		if (c != -1)
			status = parse_option(cl, c);
		else if (!parse_opened(cl, argv))
			break;
	}
	if (status < 0 && cl->opened && !*cl->opened) {
		fprintf(stderr, "dndbg: \"%s\" needs %s.\n",
			cl->front.snapshot ? "snapshot" : "core",
			cl->front.snapshot ? "the PID or name of a program"
					   : "the file of a core dump");
		return 2;
	}
	return status;
}

static int prompt_command(struct dbg *dbg, int argc, char **argv)
{
	return oneshot_main(
	    dbg, &(struct oneshot_means){&repl_commands, monitor_doctor_watch},
	    argc, argv);
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
    {"top", NULL, monitor_top_main},
    {"perfmap", NULL, monitor_perfmap_main},
    {"perf-script", NULL, monitor_perf_script_main},
    {"trace", NULL, monitor_trace_main},
    {"doctor", "--facts", monitor_doctor_main},
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
		argc = parse_places(argc, argv, &given);
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
		parse_dialect(&cl, argv, optind);
		parse_program(&cl.front.launch, argv + optind);
		if (cl.mi.run && !cl.is_mi && !cl.is_dap)
			startup[cl.front.n_startup++] =
			    (struct startup_command){.text = "run"};
		status = debug(&cl);
	}
	launch_config_deinit(&cl.front.launch);
	free(cl.log);
	return status;
}
