/* The options of `dndbg run`: how a report is told, and when one is made. */
#include "report/report.h"

#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

enum {
	OPT_FORM = 256, /* the options that choose a form come first, in the
			   order of their table */
	OPT_TIMEOUT = OPT_FORM + REPORT_N_FORMS,
	OPT_HANG,
	OPT_SIGNAL,
	OPT_KILL_AFTER,
	OPT_FIRST_CHANCE,
	OPT_ON_EXIT,
	OPT_OUTPUT,
	OPT_HELP,
	N_OPTIONS = OPT_HELP - OPT_FORM + 1,
	KILL_AFTER_MS = 10000,
	OUTPUT_LINES_MAX = 1000,
};

static const struct option others[] = {
    {"timeout", required_argument, NULL, OPT_TIMEOUT},
    {"hang", required_argument, NULL, OPT_HANG},
    {"signal", required_argument, NULL, OPT_SIGNAL},
    {"kill-after", required_argument, NULL, OPT_KILL_AFTER},
    {"first-chance", required_argument, NULL, OPT_FIRST_CHANCE},
    {"on-exit", required_argument, NULL, OPT_ON_EXIT},
    {"output-lines", required_argument, NULL, OPT_OUTPUT},
    {"help", no_argument, NULL, OPT_HELP},
};

static void usage(FILE *out)
{
	fputs(
	    "usage: dndbg run [options] [--] COMMAND [ARGS...]\n"
	    "Run a command, and report where and why it, or a .NET program "
	    "that it starts,\ndies: an exception that nobody catches, a fatal "
	    "signal, no end in time. Its input,\noutput and exit status are "
	    "as without dndbg.\n"
	    "\n"
	    "  --report FILE      the report as text [stderr]\n"
	    "  --json FILE        as a JSON array (docs/report.md)\n"
	    "  --jsonl FILE       appended to FILE, one line each\n"
	    "  --junit FILE       as a test suite in JUnit's XML\n"
	    "  --sarif FILE       as SARIF 2.1.0\n"
	    "  --gitlab FILE      as GitLab's code quality\n"
	    "  --crashreport FILE as the crashreport.json of createdump\n"
	    "  --markdown FILE    appended to FILE, for the summary of a job\n"
	    "  --github           as annotations of GitHub Actions on stdout "
	    "and in the\n                     job's summary\n"
	    "  --azure, --teamcity\n"
	    "                     as commands of Azure Pipelines, of TeamCity "
	    "on stdout\n"
	    "\n"
	    "  --timeout SECONDS  report all stacks and end it if it runs "
	    "longer;\n                     the exit status is 124 then\n"
	    "  --hang SECONDS     likewise if for so long it writes nothing, "
	    "runs the same\n                     tests and works for less than "
	    "5 % of the time\n"
	    "  --signal SIGNAL    what ends it then [KILL]\n"
	    "  --kill-after SECONDS\n"
	    "                     SIGKILL, so long after another SIGNAL [10]\n"
	    "  --first-chance TYPES\n"
	    "                     report exceptions of these types where they "
	    "are thrown, too\n"
	    "  --on-exit CODES    report programs that exit with one of CODES: "
	    "3,64-78\n"
	    "  --output-lines N   the last N lines of output in the reports; "
	    "it goes through\n                     dndbg then, but for a "
	    "terminal\n",
	    out);
}

static int refuse(void)
{
	fputs("Try 'dndbg run --help'.\n", stderr);
	return 2;
}

// Fill in getopt's table: the forms' options first, where the form "text" is
// called "report".
static void make_options(struct option ret[N_OPTIONS + 1])
{
	memset(ret, 0, (N_OPTIONS + 1) * sizeof(*ret));
	for (int i = 0; i < REPORT_N_FORMS; i++)
		ret[i] = (struct option){
		    .name = i ? report_forms[i].name : "report",
		    .has_arg = report_forms[i].manner == REPORT_LOG
				   ? no_argument
				   : required_argument,
		    .val = OPT_FORM + i,
		};
	memcpy(&ret[REPORT_N_FORMS], others, sizeof(others));
}

static bool parse_seconds(const char *text, uint64_t *ret_ms)
{
	uint64_t n;

	if (!str_to_u64(text, &n) || !n || n > INT32_MAX) {
		fprintf(stderr, "dndbg: '%s' is no number of seconds\n", text);
		return false;
	}
	*ret_ms = n * 1000;
	return true;
}

static bool parse_signal(const char *text, int *ret)
{
	const char *name = str_starts(text, "SIG") ? text + 3 : text;
	uint64_t n;

	if (str_to_u64(text, &n) && n && n < NSIG) {
		*ret = (int)n;
		return true;
	}
	for (int i = 1; i < NSIG; i++) {
		const char *known = sigabbrev_np(i);

		if (!known || strcmp(known, name))
			continue;
		*ret = i;
		return true;
	}
	fprintf(stderr, "dndbg: '%s' is no signal\n", text);
	return false;
}

static bool parse_lines(const char *text, unsigned int *ret)
{
	uint64_t n;

	if (!str_to_u64(text, &n) || !n || n > OUTPUT_LINES_MAX) {
		fprintf(stderr,
			"dndbg: '%s' is no number of lines from 1 to %d\n",
			text, OUTPUT_LINES_MAX);
		return false;
	}
	*ret = (unsigned int)n;
	return true;
}

// "3,64-78"
static bool parse_codes(struct run_options *o, const char *text)
{
	const char *at = text;
	int n = 1;

	while (n > 0 && *at) {
		unsigned int from, to;
		int whole = 0;

		n = 0;
		if (sscanf(at, "%3u%n-%3u%n", &from, &n, &to, &whole) < 2)
			to = from;
		n = whole ? whole : n;
		if (!n || from > to || to > 255 ||
		    (at[n] && (at[n] != ',' || !at[n + 1])))
			break;
		memset(&o->exit_codes[from], true, to - from + 1);
		at += at[n] ? n + 1 : n;
	}
	o->on_exit = *text && !*at;
	if (!o->on_exit)
		fprintf(stderr, "dndbg: '%s' are no exit codes\n", text);
	return o->on_exit;
}

// False: it is told what is wrong.
static bool parse_other(struct run_options *o, int c, const char *text)
{
	if (c == OPT_TIMEOUT)
		return parse_seconds(text, &o->timeout_ms);
	if (c == OPT_HANG)
		return parse_seconds(text, &o->hang_ms);
	if (c == OPT_KILL_AFTER)
		return parse_seconds(text, &o->kill_after_ms);
	if (c == OPT_SIGNAL)
		return parse_signal(text, &o->signal);
	if (c == OPT_ON_EXIT)
		return parse_codes(o, text);
	if (c == OPT_OUTPUT)
		return parse_lines(text, &o->output_lines);
	o->first_chance = text;
	return true;
}

// GitHub names a file of the job that is shown as its summary.
static void add_summary(struct run_options *o)
{
	size_t github = (size_t)(report_form_find("github") - report_forms);
	size_t markdown = (size_t)(report_form_find("markdown") - report_forms);
	const char *file = getenv("GITHUB_STEP_SUMMARY");

	if (o->paths[github] && !o->paths[markdown] && file && *file)
		o->paths[markdown] = file;
}

int run_options_parse(int argc, char **argv, struct run_options *ret,
		      int *ret_first)
{
	static char name[] = "dndbg run";
	struct option options[N_OPTIONS + 1];
	int c;

	*ret = (struct run_options){
	    .kill_after_ms = KILL_AFTER_MS,
	    .signal = SIGKILL,
	};
	make_options(options);
	argv[0] = name; // in getopt's messages
	while ((c = getopt_long(argc, argv, "+", options, NULL)) != -1) {
		if (c == OPT_HELP) {
			usage(stdout);
			return 0;
		}
		if (c >= OPT_FORM && c < OPT_FORM + REPORT_N_FORMS)
			ret->paths[c - OPT_FORM] = optarg ? optarg : "";
		else if (c == '?')
			return refuse();
		else if (!parse_other(ret, c, optarg))
			return 2;
	}
	if (optind == argc) {
		fputs("dndbg: no command is named\n", stderr);
		return refuse();
	}
	add_summary(ret);
	*ret_first = optind;
	return -1;
}
