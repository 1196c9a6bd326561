/*
 * `delete`, `enable`, `disable`, `condition`, `ignore`: what is done to
 * breakpoints, catchpoints and watchpoints by their numbers.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "repl/cmd.h"
#include "repl/command/subcmd.h"
#include "repl/line/parse.h"
#include "repl/repl_priv.h"
#include "repl/resume.h"
#include "repl/show/print.h"
#include "repl/show/show.h"

struct dbg_error *break_delete_one(struct repl *r, uint32_t number)
{
	struct dbg_error *err = dbg_break_delete(r->dbg, number);

	if (!err)
		hook_delete(r, number);
	return err;
}

static struct dbg_error *enable_one(struct repl *r, uint32_t number)
{
	return dbg_break_enable(r->dbg, number, true);
}

static struct dbg_error *once_one(struct repl *r, uint32_t number)
{
	return dbg_break_stops(r->dbg, number, 1);
}

static struct dbg_error *last_one(struct repl *r, uint32_t number)
{
	return dbg_break_last(r->dbg, number);
}

static struct dbg_error *disable_one(struct repl *r, uint32_t number)
{
	return dbg_break_enable(r->dbg, number, false);
}

typedef struct dbg_error *one_fn(struct repl *r, uint32_t number);

static struct dbg_error *for_all(struct repl *r, one_fn *fn)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_error *err;
	struct dbg_breakpoint *list;
	size_t n;

	err = dbg_break_list(r->dbg, arena, &list, &n);
	if (err)
		return err;
	for (size_t i = 0; i < n && !err; i++)
		err = fn(r, list[i].number);
	return err;
}

static struct dbg_error *for_range(struct repl *r, uint64_t first,
				   uint64_t last, one_fn *fn)
{
	struct dbg_error *err = NULL;

	if (last > UINT32_MAX || last - first > 100000)
		return dbg_err_arg("The range is too large.");
	for (uint64_t i = first; i <= last && !err; i++)
		err = fn(r, (uint32_t)i);
	return err;
}

// Do @fn for each of the numbers and ranges, all breakpoints without any.
static struct dbg_error *for_list(struct repl *r, const char *args, one_fn *fn)
{
	struct dbg_error *err;
	uint64_t first, last;
	bool any;

	if (!*args)
		return for_all(r, fn);
	if (parse_bpnum(&args) && !*args)
		return fn(r, r->last_break);
	for (;;) {
		err = parse_range(&args, &first, &last, &any);
		if (err || !any)
			return err;
		err = for_range(r, first, last, fn);
		if (err)
			return err;
	}
}

struct dbg_error *break_delete(struct repl *r, const struct call *call)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_error *err;
	if (!*call->args) {
		struct dbg_breakpoint *list;
		size_t n;
		err = dbg_break_list(r->dbg, arena, &list, &n);
		if (err || !n || !repl_confirm(r, "Delete all breakpoints?"))
			return err;
	}
	return for_list(r, call->args, break_delete_one);
}

struct dbg_error *break_enable(struct repl *r, const struct call *call)
{
	return for_list(r, call->args, enable_one);
}

struct dbg_error *break_enable_once(struct repl *r, const struct call *call)
{
	return for_list(r, call->args, once_one);
}

struct dbg_error *break_enable_delete(struct repl *r, const struct call *call)
{
	return for_list(r, call->args, last_one);
}

struct dbg_error *break_disable(struct repl *r, const struct call *call)
{
	return for_list(r, call->args, disable_one);
}

static struct dbg_error *break_number(struct repl *r, const char **p,
				      uint32_t *ret)
{
	if (!parse_bpnum(p))
		return parse_number(p, ret);
	if (!r->last_break)
		return dbg_err_arg("No breakpoint was made yet.");
	*ret = r->last_break;
	return NULL;
}

struct dbg_error *break_enable_count(struct repl *r, const struct call *call)
{
	struct dbg_error *err;
	const char *p = call->args;
	uint32_t stops = 0;
	uint64_t first, last;
	bool any;

	if (dbg_err_drop(parse_number(&p, &stops)))
		return dbg_err_arg("The count is a number above 0.");
	if (!*p)
		return dbg_err_arg("Which breakpoints? \"enable count COUNT "
				   "LIST\".");
	for (;;) {
		err = parse_range(&p, &first, &last, &any);
		if (err || !any)
			return err;
		for (uint64_t i = first; i <= last; i++) {
			err = dbg_break_stops(r->dbg, (uint32_t)i, stops);
			if (err)
				return err;
		}
	}
}

struct dbg_error *break_condition(struct repl *r, const struct call *call)
{
	struct dbg_error *err;
	const char *p = call->args;
	uint32_t number;

	err = break_number(r, &p, &number);
	if (!err)
		err = dbg_check_condition(p);
	if (!err)
		err = dbg_break_condition(r->dbg, number, p);
	if (!err && !*p)
		out(r, "Breakpoint %" PRIu32 " now unconditional.\n", number);
	return err;
}

struct dbg_error *break_ignore(struct repl *r, const struct call *call)
{
	struct dbg_error *err;
	const char *p = call->args;
	uint32_t number;
	uint64_t count;

	err = break_number(r, &p, &number);
	if (err)
		return err;
	if (!parse_u64(p, &count))
		return dbg_err_arg("Second argument (the count) is missing or "
				   "no number.");
	err = dbg_break_ignore(r->dbg, number, count);
	if (err)
		return err;
	if (count)
		out(r,
		    "Will ignore next %" PRIu64 " crossing%s of breakpoint "
		    "%" PRIu32 ".\n",
		    count, count == 1 ? "" : "s", number);
	else
		out(r,
		    "Will stop next time breakpoint %" PRIu32 " is reached.\n",
		    number);
	return NULL;
}
