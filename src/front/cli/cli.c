/* The table of options, and what is printed from it: see cli.h. */
#include "front/cli/cli.h"

#include <string.h>

#include "front/cli/oneshot.h"

const char cli_letters[] = "+nx:p:q";

/* An option; several names of one meaning follow each other. */
struct cli_option {
	const char *name;  /* behind one dash or two */
	const char *value; /* "FILE", "[=PORT]"; NULL: none */
	int id;
	bool brief;       /* on the one screen of --help */
	const char *help; /* NULL: another name of the option above */
};

enum cli_help {
	HIDDEN,
	BRIEF,
};

static const struct cli_option table[] = {
    {"ex", "COMMAND", CLI_EX, BRIEF, "carry out COMMAND first"},
    {"eval-command", "COMMAND", CLI_EX, HIDDEN, NULL},
    {"x", "FILE", 'x', BRIEF,
     "carry out the commands of FILE first; up to the first error, and in "
     "order with -ex"},
    {"command", "FILE", 'x', HIDDEN, NULL},
    {"iex", "COMMAND", CLI_IEX, HIDDEN,
     "likewise, before the program is known: before a core is opened or a "
     "process attached to"},
    {"init-eval-command", "COMMAND", CLI_IEX, HIDDEN, NULL},
    {"ix", "FILE", CLI_IX, HIDDEN, "the same with the commands of FILE"},
    {"init-command", "FILE", CLI_IX, HIDDEN, NULL},
    {"n", NULL, 'n', BRIEF,
     "do not read your settings; they are $XDG_CONFIG_HOME/dndbg/init"},
    {"nx", NULL, 'n', HIDDEN, NULL},
    {"nh", NULL, 'n', HIDDEN, NULL},
    {"batch", NULL, CLI_BATCH, BRIEF, "end after these; ask nothing"},
    {"args", NULL, CLI_ARGS, HIDDEN,
     "what follows are the program and its arguments, as from the first word "
     "on that is no option"},
    {"cwd", "DIR", CLI_CWD, HIDDEN, "directory to start the program in"},
    {"cd", "DIR", CLI_CWD, HIDDEN, NULL},
    {"env", "NAME=VALUE", CLI_ENV, BRIEF,
     "a variable of its environment; NAME alone removes it"},
    {"tty", "TERMINAL", CLI_TTY, HIDDEN, "its terminal"},
    {"p", "PID|NAME", 'p', HIDDEN,
     "take over a running program; by its process or its name, and it goes on "
     "when dndbg ends"},
    {"attach", "PID|NAME", 'p', HIDDEN, NULL},
    {"pid", "PID|NAME", 'p', HIDDEN, NULL},
    {"wait", NULL, CLI_WAIT, HIDDEN, "wait for one of that name to be started"},
    {"core", "FILE", CLI_CORE, HIDDEN,
     "look at a core dump; the words core FILE do the same"},
    {"c", "FILE", CLI_CORE, HIDDEN, NULL},
    {"core-search-path", "DIR[:DIR...]", CLI_PLACE, HIDDEN,
     "where the files of a core of another machine are, for all commands that "
     "take one; else by DNDBG_CORE_SEARCH_PATH"},
    {"sysroot", "DIR", CLI_PLACE + 1, HIDDEN,
     "the root of its file system; else by DNDBG_SYSROOT"},
    {"dac-path", "DIR", CLI_PLACE + 2, HIDDEN,
     "where its runtime's libmscordaccore.so is; else by DNDBG_DAC_PATH"},
    {"q", NULL, 'q', HIDDEN, "no greeting"},
    {"quiet", NULL, 'q', HIDDEN, NULL},
    {"silent", NULL, 'q', HIDDEN, NULL},
    {"run", NULL, CLI_RUN, HIDDEN,
     "start the program at once, behind the commands of -ex and -x"},
    {"interpreter", "mi|vscode", CLI_INTERPRETER, BRIEF,
     "serve a front end made for gdb, or an editor; the latter by the Debug "
     "Adapter Protocol (vscode, or dap); there are mi2, mi3, mi4 and console, "
     "too"},
    {"i", "mi|vscode", CLI_INTERPRETER, HIDDEN, NULL},
    {"server", "[=PORT|PATH]", CLI_SERVER, HIDDEN,
     "serve either over TCP on 127.0.0.1 [4711], for your own processes only, "
     "or over a Unix socket (a PATH has a slash)"},
    {"log", "FILE", CLI_LOG, HIDDEN,
     "record what is exchanged with it; without it, dndbg's own work, as \"set "
     "log FILE\" does"},
    {"completion", "bash|zsh", CLI_COMPLETION, HIDDEN,
     "print a script that completes command lines in that shell"},
    {"version", NULL, CLI_VERSION, BRIEF,
     "version, commit, runtimes that it knows"},
    {"help", "[=all]", CLI_HELP, HIDDEN, "the summary of options, or all"},
    {"manual", "[=options]", CLI_MANUAL, HIDDEN,
     "print the commands, or the options, for the manual"},
    {"terminal", "SOCKET", CLI_TERMINAL, HIDDEN, ""},
    // gdb's and netcoredbg's that front ends and scripts give
    {"buildinfo", NULL, CLI_BUILDINFO, HIDDEN, ""},
    {"hot-reload", NULL, CLI_HOT_RELOAD, HIDDEN,
     "let the program that is started be updated: apply-deltas"},
    {"interop-debugging", NULL, CLI_INTEROP, HIDDEN, ""},
    {"nw", NULL, CLI_NOTHING, HIDDEN, ""},
    {"f", NULL, CLI_NOTHING, HIDDEN, ""},
    {"fullname", NULL, CLI_NOTHING, HIDDEN, ""},
    {"engineLogging", "[=FILE]", CLI_NOTHING, HIDDEN, ""},
};

enum {
	N_OPTIONS = sizeof(table) / sizeof(*table),
};

_Static_assert((int)N_OPTIONS < (int)CLI_OPTIONS_MAX, "room for all options");

/* Commands that are a word in front of everything else. */
static const struct {
	const char *name, *words;
	bool brief; /* on the one screen of --help */
	const char *help;
} commands[] = {
    {"run", "[options] [--] COMMAND...", BRIEF, "report why it dies"},
    {"core", "FILE --report[=FORM]", BRIEF, "report what left it"},
    {"stack", "PID|NAME|CORE", BRIEF, "print all stacks"},
    {"dump", "PID|NAME", BRIEF, "write a core file"},
    {"snapshot", "PID|NAME", BRIEF, "look at a copy of it"},
    {"ps", "[--json]", BRIEF, "list .NET programs"},
    {"events", "KIND PID|NAME", BRIEF, "watch its runtime"},
    {"counters", "PID|NAME", BRIEF, "what it counts"},
    {"sample", "PID|NAME", BRIEF, "where its time goes"},
    {"top", "[options]", BRIEF, "what all .NET programs use"},
    {"perfmap", "PID|NAME", HIDDEN, "its code, for perf"},
    {"perf-script", "PID|NAME", HIDDEN, "name what perf prints"},
    {"trace", "PID|NAME METHOD...", BRIEF, "calls of methods, as they happen"},
};

enum {
	N_COMMANDS = sizeof(commands) / sizeof(*commands),
};

void cli_options(bool optional_log, struct option ret[CLI_OPTIONS_MAX])
{
	memset(ret, 0, CLI_OPTIONS_MAX * sizeof(*ret));
	for (size_t i = 0; i < N_OPTIONS; i++) {
		const struct cli_option *o = &table[i];
		bool optional = o->value && *o->value == '[';

		optional |= o->id == CLI_LOG && optional_log;
		ret[i] = (struct option){
		    .name = o->name,
		    .has_arg = optional   ? optional_argument
			       : o->value ? required_argument
					  : no_argument,
		    .val = o->id,
		};
	}
}

/* ---- --help ------------------------------------------------------------ */

enum {
	COLUMNS = 79,
	INDENT = 28, /* of what is said of an option */
};

// Is the option accepted, but not shown in the help?
static bool is_hidden(const struct cli_option *o)
{
	return o->help && !*o->help;
}

static size_t n_names(size_t first)
{
	size_t n = 1;

	while (first + n < N_OPTIONS && !table[first + n].help)
		n++;
	return n;
}

static const char *dashes(const struct cli_option *o)
{
	return strlen(o->name) < 3 || !strcmp(o->name, "iex") ? "-" : "--";
}

// "-x, --command FILE"; a value that is optional stands right behind the name.
static int put_names(FILE *out, size_t first, size_t n)
{
	const char *value = table[first].value;
	int width = 0;

	for (size_t i = first; i < first + n; i++)
		width += fprintf(out, "%s%s%s", i > first ? ", " : "",
				 dashes(&table[i]), table[i].name);
	if (value)
		width += fprintf(out, "%s%s", *value == '[' ? "" : " ", value);
	return width;
}

// Words from column INDENT on; the cursor is at @column.
static void put_wrapped(FILE *out, int column, const char *text)
{
	if (column >= INDENT) {
		fputc('\n', out);
		column = 0;
	}
	column += fprintf(out, "%*s", INDENT - column, "");
	while (*text) {
		int n = (int)strcspn(text, " ");

		if (column > INDENT && column + 1 + n > COLUMNS)
			column = fprintf(out, "\n%*s", INDENT, "") - 1;
		column +=
		    fprintf(out, "%s%.*s", column > INDENT ? " " : "", n, text);
		text += n + (text[n] == ' ');
	}
	fputc('\n', out);
}

// Print the option's help up to the first ';' or '(', where the brief help
// ends.
static void put_brief(FILE *out, const struct cli_option *o, int column)
{
	char line[COLUMNS];
	size_t n = strcspn(o->help, ";(");

	if (n >= sizeof(line))
		n = sizeof(line) - 1;
	memcpy(line, o->help, n);
	line[n] = 0;
	put_wrapped(out, column, line);
}

void cli_usage(FILE *out, bool all)
{
	fputs("usage: dndbg [options] [--args] PROGRAM [ARGS...]  "
	      "debug a .NET program\n"
	      "       dndbg [options] -p PID|NAME                "
	      "one that runs already\n"
	      "       dndbg [options] core FILE                  "
	      "a core dump\n"
	      "Commands:\n",
	      out);
	for (size_t i = 0; i < N_COMMANDS; i++)
		if (all || commands[i].brief)
			fprintf(out, "  %-11s %-26s %s\n", commands[i].name,
				commands[i].words, commands[i].help);
	fprintf(out, "Options%s:\n",
		all ? "" : "; all of them by --help=all or in the manual");
	for (size_t i = 0; i < N_OPTIONS; i += n_names(i)) {
		const struct cli_option *o = &table[i];

		if (all ? is_hidden(o) : !o->brief)
			continue;
		fputs("  ", out);
		int column = 2 + put_names(out, i, all ? n_names(i) : 1);
		if (all)
			put_wrapped(out, column, o->help);
		else
			put_brief(out, o, column);
	}
	if (all)
		fputs("With --batch the exit status is the program's if it "
		      "ended by itself with another\nthan 0 (128 + N if signal "
		      "N ended it or was about to), else 1 if a command\n"
		      "failed, else 0.\n",
		      out);
}

/* ---- The manual -------------------------------------------------------- */

static void put_roff(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '-' || *text == '\\')
			fputc('\\', out);
		fputc(*text, out);
	}
}

void cli_manual(FILE *out)
{
	for (size_t i = 0; i < N_OPTIONS; i += n_names(i)) {
		const char *value = table[i].value;

		if (is_hidden(&table[i]))
			continue;
		fputs(".TP\n.B ", out);
		for (size_t k = i; k < i + n_names(i); k++) {
			fputs(k > i ? ", " : "", out);
			put_roff(out, dashes(&table[k]));
			put_roff(out, table[k].name);
		}
		if (value)
			fprintf(out, "%s%s", *value == '[' ? "" : " ", value);
		fputc('\n', out);
		put_roff(out, table[i].help);
		fputs(".\n", out);
	}
}

/* ---- Shells ------------------------------------------------------------ */

static bool names_file(const struct cli_option *o)
{
	return o->value &&
	       (strstr(o->value, "FILE") || strstr(o->value, "DIR") ||
		strstr(o->value, "PATH"));
}

static void put_option_words(FILE *out,
			     bool (*wanted)(const struct cli_option *),
			     const char *between)
{
	const char *before = "";

	for (size_t i = 0, first = 0; i < N_OPTIONS; i++) {
		first = table[i].help ? i : first;
		if (is_hidden(&table[first]) || (wanted && !wanted(&table[i])))
			continue;
		fprintf(out, "%s%s%s", before, dashes(&table[i]),
			table[i].name);
		before = between;
	}
}

static void put_command_words(FILE *out)
{
	const char *name;
	bool program;

	for (size_t i = 0; i < N_COMMANDS; i++)
		fprintf(out, "%s%s", i ? " " : "", commands[i].name);
	for (size_t i = 0; (name = oneshot_name(i, &program)); i++)
		fprintf(out, " %s", name);
}

// Commands of the prompt that a program follows.
static void put_program_words(FILE *out)
{
	const char *name;
	bool program;

	for (size_t i = 0; (name = oneshot_name(i, &program)); i++)
		if (program)
			fprintf(out, "|%s", name);
}

static void bash(FILE *out)
{
	fputs("# Completion of dndbg's command lines, printed by dndbg "
	      "--completion bash.\n"
	      "_dndbg()\n{\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]}\n"
	      "\tlocal prev=${COMP_WORDS[COMP_CWORD-1]}\n\n"
	      "\tcase $prev in\n\t",
	      out);
	put_option_words(out, names_file, "|");
	fputs(")\n\t\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n\t\treturn ;;\n"
	      "\t-p|--attach|--pid|stack|dump|snapshot|counters|sample|perfmap|"
	      "perf-script|trace",
	      out);
	put_program_words(out);
	fputs(")\n"
	      "\t\tCOMPREPLY=($(compgen -W \"$(dndbg ps 2>/dev/null |\n"
	      "\t\t\tawk 'NR > 1 { print $1 }')\" -- \"$cur\"))\n"
	      "\t\treturn ;;\n"
	      "\t--interpreter|-i)\n"
	      "\t\tCOMPREPLY=($(compgen -W 'mi vscode console' -- \"$cur\"))\n"
	      "\t\treturn ;;\n"
	      "\t--completion)\n"
	      "\t\tCOMPREPLY=($(compgen -W 'bash zsh' -- \"$cur\"))\n"
	      "\t\treturn ;;\n"
	      "\tesac\n"
	      "\tif [[ $cur == -* ]]; then\n"
	      "\t\tCOMPREPLY=($(compgen -W '",
	      out);
	put_option_words(out, NULL, " ");
	fputs("' -- \"$cur\"))\n\t\treturn\n\tfi\n"
	      "\tCOMPREPLY=($(compgen -f -- \"$cur\"))\n"
	      "\tif ((COMP_CWORD == 1)); then\n"
	      "\t\tCOMPREPLY+=($(compgen -W '",
	      out);
	put_command_words(out);
	fputs("' -- \"$cur\"))\n\tfi\n}\n"
	      "complete -o filenames -F _dndbg dndbg\n",
	      out);
}

// A word of zsh's _arguments in single quotes: '[' and ':' are its own.
static void put_zsh(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("[]:\\", *text))
			fputc('\\', out);
		if (*text == '\'')
			fputs("'\\'", out);
		fputc(*text, out);
	}
}

static void zsh_option(FILE *out, const struct cli_option *o, const char *help)
{
	fprintf(out, "\t'%s%s%s[", o->value ? "*" : "", dashes(o), o->name);
	put_zsh(out, help);
	fputs("]", out);
	if (o->value) {
		fputs(*o->value == '[' ? "::" : ":", out);
		put_zsh(out, o->value);
		fputs(names_file(o)  ? ":_files"
		      : o->id == 'p' ? ":_dndbg_programs"
				     : ": ",
		      out);
	}
	fputs("' \\\n", out);
}

static void zsh(FILE *out)
{
	fputs("#compdef dndbg\n"
	      "# Completion of dndbg's command lines, printed by dndbg "
	      "--completion zsh.\n"
	      "_dndbg_programs()\n{\n"
	      "\tcompadd -- ${(f)\"$(dndbg ps 2>/dev/null | "
	      "awk 'NR > 1 { print $1 }')\"}\n}\n\n"
	      "_dndbg_first()\n{\n"
	      "\tcompadd -- ",
	      out);
	put_command_words(out);
	fputs("\n\t_files\n}\n\n_arguments -S \\\n", out);
	for (size_t i = 0, first = 0; i < N_OPTIONS; i++) {
		first = table[i].help ? i : first;
		if (!is_hidden(&table[first]))
			zsh_option(out, &table[i], table[first].help);
	}
	fputs("\t'1:program or command:_dndbg_first' '*:argument:_files'\n",
	      out);
}

bool cli_completion(FILE *out, const char *name)
{
	if (!strcmp(name, "bash"))
		bash(out);
	else if (!strcmp(name, "zsh"))
		zsh(out);
	else
		return false;
	return true;
}
