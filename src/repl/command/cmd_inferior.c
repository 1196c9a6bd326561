/*
 * `inferior`, `info inferiors`, `kill inferiors`, `detach inferiors`: the
 * programs that are debugged together. The list and the numbers are the
 * engine's.
 */
#include <stdio.h>

#include "repl/cmd.h"
#include "front/debuggees.h"
#include "base/err.h"
#include "base/mem.h"
#include "repl/inferior.h"
#include "repl/line/parse.h"
#include "repl/show/print.h"
#include "repl/repl_priv.h"
#include "repl/show/show.h"

struct dbg_error *inferior_info(struct repl *r, const struct call *call)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_inferior *list;
	size_t n;

	(void)call;
	out(r, "  Num  Description       Program\n");
	dbg_inferior_list(r->first, arena, &list, &n);
	for (size_t i = 0; i < n; i++) {
		const struct dbg_inferior *inf = &list[i];
		char process[32] = "<null>";

		if (inf->state != DBG_IDLE)
			snprintf(process, sizeof(process), "process %d",
				 (int)inf->pid);
		out(r, "%c %-4u %-17s %s\n", inf->dbg == r->dbg ? '*' : ' ',
		    inf->number, process, inferior_program(r, inf));
	}
	return NULL;
}

static struct dbg_error *inferior_find(struct repl *r, uint64_t number,
				       struct dbg **ret)
{
	*ret = debuggees_find(r->first, number);
	if (!*ret)
		return dbg_err_arg("Inferior number %u does not exist; see "
				   "\"info inferiors\".",
				   (unsigned int)number);
	return NULL;
}

static void show_current(struct repl *r, const char *verb)
{
	struct dbg_inferior inf;

	dbg_inferior_get(r->dbg, &inf);
	const char *program = inferior_program(r, &inf);
	out(r, "[%s inferior %u (", verb, inf.number);
	if (inf.state == DBG_IDLE)
		out(r, "<null>");
	else
		out(r, "process %d", (int)inf.pid);
	out(r, ") (%s)]\n", *program ? program : "<noexec>");
}

static struct dbg_error *cmd_inferior(struct repl *r, const struct call *call)
{
	struct dbg_error *err;
	struct dbg *dbg;
	uint64_t number;

	if (!*call->args) {
		show_current(r, "Current");
		return NULL;
	}
	if (!parse_u64(call->args, &number))
		return dbg_err_arg("\"%s\" is not a number.", call->args);
	err = inferior_find(r, number, &dbg);
	if (err)
		return err;
	inferior_select(r, dbg);
	r->stopped_inferior = (uint32_t)number;
	show_current(r, "Switching to");
	if (!r->thread)
		return NULL;
	// One that has no stack yet is no failure of the switch.
	err = show_selected(r);
	dbg_error_destroy(err);
	return NULL;
}

typedef struct dbg_error *inferior_fn(struct repl *r, struct dbg *dbg);

static struct dbg_error *each(struct repl *r, const char *args, inferior_fn *fn)
{
	struct dbg_error *err;
	struct dbg *dbg;
	uint64_t first, last;
	bool any;

	for (;;) {
		err = parse_range(&args, &first, &last, &any);
		if (err || !any)
			return err;
		for (uint64_t n = first; !err && n <= last; n++) {
			err = inferior_find(r, n, &dbg);
			if (!err)
				err = fn(r, dbg);
		}
		if (err)
			return err;
	}
}

static struct dbg_error *kill_one(struct repl *r, struct dbg *dbg)
{
	struct dbg_inferior inf;

	dbg_inferior_get(dbg, &inf);
	struct dbg_error *err = inferior_kill(r, dbg);
	if (!err)
		out(r, "[Inferior %u (process %d) killed]\n", inf.number,
		    (int)inf.pid);
	return err;
}

struct dbg_error *inferior_kill_cmd(struct repl *r, const struct call *call)
{
	if (!*call->args)
		return kill_one(r, r->dbg);
	return each(r, call->args, kill_one);
}

struct dbg_error *inferior_detach_cmd(struct repl *r, const struct call *call)
{
	if (!*call->args)
		return inferior_detach(r, r->dbg);
	return each(r, call->args, inferior_detach);
}

static const struct repl_cmd cmds[] = {
    {
	.names = "inferior",
	.args = "[N]",
	.help = "look at another of the programs that are debugged",
	.more = "Without N, say which it is. All of them stop and run "
		"together; \"set follow-exec\"\nand \"set follow-fork-mode\" "
		"say which programs that the program starts are among\nthem.",
	.run = cmd_inferior,
    },
    {.names = NULL},
};

const struct cmd_family cmd_family_inferiors = {"inferiors", "Several programs",
						cmds};
