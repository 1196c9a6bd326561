/*
 * `thread`, `thread apply|find|name`. Threads have numbers that the engine
 * gives once; names that the user gives are kept here until the next run.
 */
#include <inttypes.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "repl/cmd.h"
#include "base/err.h"
#include "repl/line/parse.h"
#include "repl/show/print.h"
#include "repl/repl_priv.h"
#include "repl/show/show.h"
#include "repl/command/subcmd.h"

static struct dbg_error *thread_numbers(struct dbg_stopped at, uint32_t **ret,
					size_t *ret_n)
{
	struct dbg_error *err;
	struct dbg_thread *threads;
	size_t n;

	err = dbg_thread_list(at, &threads, &n);
	if (err)
		return err;
	uint32_t *numbers = xcalloc(n, sizeof(*numbers));
	for (size_t i = 0; i < n; i++)
		numbers[i] = threads[i].number;
	*ret = numbers;
	*ret_n = n;
	return NULL;
}

static struct dbg_error *check_thread(struct dbg_stopped at, uint64_t number)
{
	struct dbg_error *err;
	struct dbg_thread *threads;
	size_t n;

	err = dbg_thread_list(at, &threads, &n);
	for (size_t i = 0; !err && i < n; i++)
		if (threads[i].number == number)
			return NULL;
	return err ? err : dbg_err_arg("Unknown thread %" PRIu64 ".", number);
}

static struct dbg_error *cmd_thread(struct repl *r, struct dbg_stopped at,
				    const struct call *call)
{
	struct dbg_error *err;
	uint64_t number;

	if (!*call->args) {
		out(r, "[Current thread is %" PRIu32 " (", r->thread);
		show_thread(r, r->thread);
		out(r, ")]\n");
		return NULL;
	}
	if (!parse_u64(call->args, &number))
		return dbg_err_arg("Invalid thread ID: %s", call->args);
	err = check_thread(at, number);
	if (!err)
		err = frame_select(r, (uint32_t)number, 0);
	if (err)
		return err;
	out(r, "[Switching to thread %" PRIu32 " (", r->thread);
	show_thread(r, r->thread);
	out(r, ")]\n");
	return show_selected(r);
}

// Do @command in one thread; false if it resumed the program.
static bool apply_one(struct repl *r, uint32_t number, const char *command)
{
	uint64_t resumes = r->resumes;

	out(r, "\nThread %" PRIu32 " (", number);
	show_thread(r, number);
	out(r, "):\n");
	r->thread = number;
	r->level = 0;
	r->has_frame = false;
	struct dbg_error *err = cmd_execute(r, command);
	if (err) {
		// One thread without a stack does not hide the others.
		out(r, "%s\n", err->message);
		dbg_error_destroy(err);
	}
	return r->resumes == resumes && !r->quit;
}

static bool listed(const uint32_t *list, size_t n, uint32_t number)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == number)
			return true;
	return false;
}

// Get the threads that LIST at *@p names. *@p is advanced to the command behind
// it.
static struct dbg_error *parse_threads(const char **p, const uint32_t *all,
				       size_t n_all, uint32_t *ret,
				       size_t *ret_n)
{
	struct dbg_error *err;
	uint64_t first, last;
	size_t n = 0;
	bool any = true;

	while (**p >= '0' && **p <= '9') {
		err = parse_range(p, &first, &last, &any);
		if (err)
			return err;
		bool found = false;
		for (size_t i = 0; i < n_all; i++) {
			if (all[i] < first || all[i] > last)
				continue;
			found = true;
			if (!listed(ret, n, all[i]))
				ret[n++] = all[i];
		}
		if (!found)
			return dbg_err_arg("Unknown thread %" PRIu64 ".",
					   first);
	}
	*ret_n = n;
	return NULL;
}

static struct dbg_error *cmd_apply(struct repl *r, struct dbg_stopped at,
				   const struct call *call)
{
	struct dbg_error *err;
	const char *p = call->args;
	_cleanup_free_ uint32_t *all = NULL;
	size_t n_all = 0;

	err = thread_numbers(at, &all, &n_all);
	if (err)
		return err;
	_cleanup_free_ uint32_t *list = xcalloc(n_all, sizeof(*list));
	size_t n = 0;
	if (!strncmp(p, "all", 3) && (p[3] == ' ' || p[3] == '\t')) {
		p += 3 + strspn(p + 3, " \t");
		// As gdb: the newest thread first.
		while (n < n_all) {
			list[n] = all[n_all - 1 - n];
			n++;
		}
	} else {
		err = parse_threads(&p, all, n_all, list, &n);
		if (err)
			return err;
	}
	if (!*p || !n)
		return dbg_err_arg(
		    "Please specify threads and a command: thread "
		    "apply all|LIST COMMAND");
	uint32_t thread = r->thread;
	uint32_t level = r->level;
	for (size_t i = 0; i < n; i++) {
		if (!apply_one(r, list[i], p))
			return NULL;
		if (loop_interrupted(r->loop))
			break;
	}
	r->thread = thread;
	r->level = level;
	r->has_frame = false;
	return NULL;
}

static struct dbg_error *thread_find(struct repl *r, struct dbg_stopped at,
				     const struct call *call)
{
	struct dbg_error *err;
	struct dbg_thread *threads;
	regex_t pattern;
	char why[128];
	size_t n, found = 0;
	int bad = regcomp(&pattern, call->args, REG_EXTENDED | REG_NOSUB);

	if (bad) {
		regerror(bad, &pattern, why, sizeof(why));
		return dbg_err_arg("Invalid regexp (%s): %s", why, call->args);
	}
	err = dbg_thread_list(at, &threads, &n);
	for (size_t i = 0; !err && i < n; i++) {
		const char *name = thread_name_get(r, &threads[i]);
		_cleanup_free_ char *id =
		    xasprintf("Thread %d", (int)threads[i].tid);
		bool named = !regexec(&pattern, name, 0, NULL, 0);

		if (!named && regexec(&pattern, id, 0, NULL, 0))
			continue;
		out(r, "Thread %" PRIu32 " has %s '%s'\n", threads[i].number,
		    named ? "name" : "target id", named ? name : id);
		found++;
	}
	regfree(&pattern);
	if (!err && !found)
		out(r, "No threads match '%s'\n", call->args);
	return err;
}

static struct dbg_error *thread_name(struct repl *r, const struct call *call)
{
	struct thread_name *t = NULL;

	if (!r->thread)
		return dbg_err(DBG_E_STATE, "No thread selected.");
	for (size_t i = 0; i < r->n_names && !t; i++)
		if (r->names[i].thread == r->thread)
			t = &r->names[i];
	if (!t) {
		mem_grow(&r->names, &r->cap_names, r->n_names,
			 sizeof(*r->names));
		t = &r->names[r->n_names++];
		*t = (struct thread_name){.thread = r->thread};
	}
	str_set(&t->name, *call->args ? call->args : NULL);
	return NULL;
}

const char *thread_name_get(const struct repl *r, const struct dbg_thread *t)
{
	for (size_t i = 0; i < r->n_names; i++)
		if (r->names[i].thread == t->number && r->names[i].name)
			return r->names[i].name;
	return t->name;
}

void thread_names_clear(struct repl *r)
{
	for (size_t i = 0; i < r->n_names; i++)
		free(r->names[i].name);
	free(r->names);
	r->names = NULL;
	r->n_names = r->cap_names = 0;
}

static const struct repl_cmd subs[] = {
    {
	.names = "apply",
	.args = "all|LIST COMMAND",
	.help = "do a command in several threads",
	.more = "LIST is of thread numbers and ranges: 1 3-5.",
	.flags = CMD_NEEDS_ARGS,
	.complete = COMPLETE_COMMANDS,
	.stopped = cmd_apply,
    },
    {
	.names = "find",
	.args = "REGEX",
	.help = "threads whose name or id matches",
	.flags = CMD_NEEDS_ARGS,
	.stopped = thread_find,
    },
    {
	.names = "name",
	.args = "[NAME]",
	.help = "call the selected thread NAME here",
	.more = "The program does not see it. Without NAME it is called as "
		"the program does.",
	.flags = CMD_NEEDS_PROCESS,
	.run = thread_name,
    },
    {.names = NULL},
};

static const struct repl_cmd cmds[] = {
    {
	.names = "thread t",
	.args = "[N]",
	.help = "select thread N, or name the selected one",
	.flags = CMD_REPEAT,
	.stopped = cmd_thread,
	.sub = subs,
    },
    {.names = NULL},
};

const struct cmd_family cmd_family_threads = {"threads", "Threads", cmds};
