/* Commands of the prompt from the shell: see oneshot.h. */
#include "front/cli/oneshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/str.h"
#include "front/cli/commands.h"
#include "front/debuggees.h"
#include "front/cli/launchconfig.h"
#include "front/loop.h"
#include "front/cli/options.h"
#include "front/plain.h"
#include "front/cli/words.h"

enum {
	LOOK_MS = 200,
	NUMBER_BYTES = 16,
};

/* The process whose number @what is, 0 if it is none. */
static pid_t pid_of(const char *what)
{
	uint64_t pid;

	return str_to_u64(what, &pid) && pid <= INT32_MAX ? (pid_t)pid : 0;
}

// Is it a file, a core perhaps?
static bool is_file(const char *what, struct stat *ret)
{
	return !pid_of(what) && !stat(what, ret);
}

struct dbg_error *open_process(struct dbg *dbg, const char *what,
			       const struct dbg_attach *how)
{
	struct dbg_attach attach = *how;

	attach.pid = pid_of(what);
	attach.settle = DBG_SETTLE_MS;
	if (!attach.pid)
		attach.name = what;
	return dbg_attach(dbg, &attach);
}

struct dbg_error *open_program(struct dbg *dbg, const char *what,
			       const struct dbg_attach *how)
{
	struct stat st;

	if (is_file(what, &st)) {
		if (S_ISREG(st.st_mode))
			return dbg_core(dbg, what);
		// no program's name has a slash
		if (strchr(what, '/'))
			return dbg_err(DBG_E_FILE,
				       "'%s' is not a regular file: a core is "
				       "one",
				       what);
	}
	return open_process(dbg, what, how);
}

/* How many words of a command precede those for the program. */
static const struct {
	const char *name;
	int words;
} oneshots[] = {
    {"heap", 2},           {"handles", 1},      {"finalizequeue", 1},
    {"exceptions", 1},     {"syncblk", 1},      {"pstacks", 1},
    {"parallelstacks", 1}, {"dumpasync", 1},    {"tasks", 1},
    {"threadpool", 1},     {"timers", 1},       {"timerinfo", 1},
    {"deadlock", 1},       {"dlk", 1},          {"dumpmt", 1},
    {"dumpmd", 1},         {"ip2md", 1},        {"name2ee", 1},
    {"dumpil", 1},         {"dumpmodule", 1},   {"dumpassembly", 1},
    {"appdomains", 1},     {"loadcontexts", 1}, {"eeversion", 1},
    {"clrthreads", 1},     {"memory", 1},       {"maddress", 1},
    {"doctor", 1},         {"dumpheap", 1},     {"dumpobj", 1},
    {"dumparray", 1},      {"objsize", 1},      {"dumpexceptions", 1},
    {"verifyheap", 1},     {"eeheap", 1},       {"gcroot", 1},
    {"gchandles", 1},      {"dumpdomain", 1},   {"dumpalc", 1},
    {"runtimes", 1},       {"threadstate", 1},  {"dumpclass", 1},
};

static int words_of(const char *word)
{
	for (size_t i = 0; i < sizeof(oneshots) / sizeof(*oneshots); i++)
		if (!strcmp(word, oneshots[i].name))
			return oneshots[i].words;
	return 0;
}

/*
 * The word that is the program: behind the command, but for what it is compared
 * with; the last one where options stand there, or the first behind them where
 * the last is an option, too. An option's place if there is none: the last is
 * an option's value.
 */
static int program_at(const struct command_ops *ops, int argc, char **argv)
{
	bool diff =
	    argc > 1 && !strcmp(argv[0], "heap") && !strcmp(argv[1], "diff");
	int at = words_of(argv[0]) + diff, last = argc - 1;

	if (at >= argc || *argv[at] != '-')
		return at;
	if (!strcmp(argv[last], "--snapshot"))
		last--;
	if (*argv[last] != '-')
		return last > at && !ops->has_value(argv[last - 1]) ? last : at;
	int first = at;

	while (first < last && *argv[first] == '-')
		first += 1 + ops->has_value(argv[first]);
	return first < last ? first : at;
}

const char *oneshot_name(size_t i, bool *ret_program)
{
	if (i >= sizeof(oneshots) / sizeof(*oneshots))
		return NULL;
	*ret_program = oneshots[i].words == 1;
	return oneshots[i].name;
}

bool oneshot_is(const char *word)
{
	return words_of(word) > 0;
}

/* The parsed words of the command line. */
struct oneshot {
	const char *what; /* the program */
	bool snapshot;
	const char *seconds; /* for which `doctor` is to watch it; NULL: none */
	char *watched;       /* what was seen then; NULL: nothing */
	struct str line;     /* the command at the prompt */
};

static struct dbg_error *carry_out(struct dbg *dbg,
				   const struct command_ops *ops,
				   const struct oneshot *o)
{
	struct launch_config launch = {0};
	const struct front_options front = {.version = DNDBG_VERSION};
	struct commands commands = {
	    .ops = ops,
	    .front = &front,
	    .first = dbg,
	    .launch = &launch,
	    .watched = o->watched,
	};
	struct dbg_error *err = loop_create(dbg, &commands.loop);

	if (err)
		return err;
	const struct command_place place = {.thread = dbg_stop_thread(dbg)};

	commands.host = ops->create(&commands);
	err = ops->line(commands.host, o->line.s, &place, stdout);
	ops->destroy(commands.host);
	loop_destroy(commands.loop);
	launch_config_deinit(&launch);
	return err;
}

static struct dbg_error *oneshot_look(struct dbg *dbg,
				      const struct oneshot_means *means,
				      struct oneshot *o)
{
	// who uses a processor is seen while the program runs
	const struct dbg_attach how = {
	    .snapshot = o->snapshot,
	    .look = str_starts(o->line.s, "doctor") ? LOOK_MS : 0,
	};
	char pid[NUMBER_BYTES];
	struct stat st;
	struct dbg_error *err = NULL;
	pid_t watched;

	// a core is refused by the command
	if (o->seconds && !is_file(o->what, &st)) {
		err = means->watch(dbg, o->what, o->seconds, &watched,
				   &o->watched);
		if (!err) {
			snprintf(pid, sizeof(pid), "%d", watched);
			o->what = pid;
		}
	}
	if (!err)
		err = open_program(dbg, o->what, &how);
	if (err)
		return err;
	err = carry_out(dbg, means->ops, o);
	return dbg_can_run(dbg) ? dbg_err_first(err, dbg_detach(dbg, false))
				: err;
}

static void usage(FILE *out, const char *name)
{
	fprintf(
	    out,
	    "usage: dndbg %s%s PID|NAME|CORE [--snapshot] [arguments]\n"
	    "With --snapshot a copy of the process is looked at while it goes "
	    "on.\n"
	    "The arguments are those of the command at the prompt: see \"help "
	    "%s\" there.\n",
	    name, words_of(name) > 1 ? " SUBCOMMAND" : "", name);
}

// Print the prompt's help of the command; returns the exit status.
static int usage_arguments(struct dbg *dbg, const struct command_ops *ops,
			   const char *name)
{
	struct oneshot o = {.what = NULL};

	putchar('\n');
	str_addf(&o.line, "help %s", name);
	struct dbg_error *err = carry_out(dbg, ops, &o);

	str_deinit(&o.line);
	plain_error(err);
	return err ? 1 : 0;
}

// Is it the option --seconds of `doctor`, written with one dash or two?
static bool is_seconds(char **argv, int i)
{
	return !strcmp(*argv, "doctor") &&
	       (!strcmp(argv[i], "--seconds") || !strcmp(argv[i], "-seconds"));
}

int oneshot_main(struct dbg *dbg, const struct oneshot_means *means, int argc,
		 char **argv)
{
	int words = words_of(argv[0]), at = program_at(means->ops, argc, argv);
	bool help = argc > 1 && !strcmp(argv[1], "--help");

	if (argc <= at || *argv[at] == '-' || help) {
		usage(help ? stdout : stderr, argv[0]);
		return help ? usage_arguments(dbg, means->ops, argv[0]) : 2;
	}
	struct oneshot o = {.what = argv[at]};
	for (int i = 0; i < argc; i++) {
		if (i == at)
			continue;
		if (i >= words && !strcmp(argv[i], "--snapshot")) {
			o.snapshot = true;
			continue;
		}
		if (is_seconds(argv, i) && i + 1 < argc && i + 1 != at)
			o.seconds = argv[i + 1];
		if (i)
			str_addc(&o.line, ' ');
		words_quote(argv[i], &o.line);
	}
	struct dbg_error *err = oneshot_look(dbg, means, &o);

	str_deinit(&o.line);
	free(o.watched);
	fflush(stdout);
	debuggees_warn(dbg);
	if (!err)
		return 0;
	plain_error(err);
	return 1;
}
