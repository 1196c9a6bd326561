/*
 * `dndbg ps`: the .NET programs of this machine, for people as a table, for
 * programs as JSON. All columns are known before the first line is printed, so
 * the programs are taken down first.
 */
#include <getopt.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "front/plain.h"
#include "report/forms.h"

enum {
	OPT_JSON = 256,
	OPT_HELP,
	COLUMNS = 8,
};

static const struct option options[] = {
    {"json", no_argument, NULL, OPT_JSON},
    {"help", no_argument, NULL, OPT_HELP},
    {NULL, 0, NULL, 0},
};

static void usage(FILE *out)
{
	fputs(
	    "usage: dndbg ps [--json]\n"
	    "The .NET programs that run on this machine, in containers, too.\n"
	    "\n"
	    "  --json  as JSON, for programs\n",
	    out);
}

/* ---- As JSON ----------------------------------------------------------- */

static void add_object(void *arg, const struct dbg_program_info *p)
{
	cJSON *o = cJSON_CreateObject();

	cJSON_AddNumberToObject(o, "pid", p->pid);
	cJSON_AddNumberToObject(o, "pidInside", p->pid_inside);
	cJSON_AddNumberToObject(o, "uid", p->uid);
	json_add_text(o, "name", p->name);
	json_add_text(o, "command", p->command);
	json_add_text(o, "runtime", p->runtime);
	json_add_text(o, "container", p->container);
	cJSON_AddNumberToObject(o, "threads", p->threads);
	cJSON_AddNumberToObject(o, "residentBytes", (double)p->resident);
	cJSON_AddItemToArray(arg, o);
}

static void print_json(void)
{
	cJSON *list = cJSON_CreateArray();

	dbg_programs(add_object, list);
	json_print(list, stdout, true);
}

/* ---- As a table -------------------------------------------------------- */

struct row {
	char *cells[COLUMNS];
};

struct table {
	struct row *rows; /* the first has the names of the columns */
	size_t n, cap;
	bool wanted[COLUMNS];
};

/* Columns of the table; numbers are aligned to the right. */
static const struct column {
	const char *name;
	bool right, always;
} columns[COLUMNS] = {
    {"PID", true, true},      {"INSIDE", true, false},
    {"USER", false, true},    {"CONTAINER", false, false},
    {"RUNTIME", false, true}, {"THREADS", true, true},
    {"MEMORY", true, true},   {"COMMAND", false, true},
};

static char *user_name(uid_t uid)
{
	const struct passwd *pw = getpwuid(uid);

	return pw ? xstrdup(pw->pw_name) : xasprintf("%u", uid);
}

static void add_row(void *arg, const struct dbg_program_info *p)
{
	struct table *t = arg;
	struct row row = {{
	    xasprintf("%d", p->pid),
	    xasprintf("%d", p->pid_inside),
	    user_name(p->uid),
	    xstrdup(p->container ? p->container : "-"),
	    xstrdup(p->runtime),
	    xasprintf("%" PRIu32, p->threads),
	    xasprintf("%" PRIu64 " MB", p->resident >> 20),
	    xstrdup(*p->command ? p->command : p->name),
	}};

	t->wanted[1] |= p->pid_inside != p->pid;
	t->wanted[3] |= p->container != NULL;
	mem_grow(&t->rows, &t->cap, t->n, sizeof(*t->rows));
	t->rows[t->n++] = row;
}

static void print_row(const struct table *t, size_t n, const size_t *widths)
{
	for (size_t i = 0; i < COLUMNS; i++) {
		const char *cell = t->rows[n].cells[i];
		int blanks = (int)(widths[i] - strlen(cell));
		bool last = i + 1 == COLUMNS;

		if (!t->wanted[i])
			continue;
		printf("%*s", columns[i].right ? blanks : 0, "");
		plain_printf(stdout, "%s", cell);
		printf("%*s", columns[i].right || last ? 0 : blanks, "");
		fputs(last ? "\n" : "  ", stdout);
	}
}

static void print_table(void)
{
	struct table t = {0};
	size_t widths[COLUMNS] = {0};

	mem_grow(&t.rows, &t.cap, 0, sizeof(*t.rows));
	for (size_t i = 0; i < COLUMNS; i++) {
		t.rows[0].cells[i] = xstrdup(columns[i].name);
		t.wanted[i] = columns[i].always;
	}
	t.n = 1;
	size_t n_closed = dbg_programs(add_row, &t);
	for (size_t n = 0; n < t.n; n++)
		for (size_t i = 0; i < COLUMNS; i++)
			if (strlen(t.rows[n].cells[i]) > widths[i])
				widths[i] = strlen(t.rows[n].cells[i]);
	for (size_t n = 0; n < t.n; n++) {
		print_row(&t, n, widths);
		for (size_t i = 0; i < COLUMNS; i++)
			free(t.rows[n].cells[i]);
	}
	free(t.rows);
	if (t.n == 1 && n_closed)
		fprintf(stderr,
			"dndbg ps: %zu process%s may not be looked at: run "
			"dndbg as their user, as root, or in a container with "
			"--cap-add=SYS_PTRACE\n",
			n_closed, n_closed == 1 ? "" : "es");
}

int report_ps_main(struct dbg *dbg, int argc, char **argv)
{
	bool json = false;
	int c;

	(void)dbg;
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (c != OPT_JSON) {
			usage(c == OPT_HELP ? stdout : stderr);
			return c == OPT_HELP ? 0 : 2;
		}
		json = true;
	}
	if (optind != argc) {
		usage(stderr);
		return 2;
	}
	if (json)
		print_json();
	else
		print_table();
	return 0;
}
