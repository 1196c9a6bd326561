/*
 * `info symbol ADDRESS` and `info address NAME`: from addresses to names and
 * back.
 */
#include <inttypes.h>

#include "base/mem.h"
#include "repl/cmd.h"
#include "base/err.h"
#include "repl/line/parse.h"
#include "repl/show/print.h"
#include "repl/repl_priv.h"
#include "repl/show/show.h"
#include "repl/command/subcmd.h"

struct dbg_error *symbol_info(struct repl *r, struct dbg_stopped at,
			      const struct call *call)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_error *err;
	struct dbg_location *found;
	struct dbg_insn *code;
	uint64_t addr;
	size_t n, n_code;

	err = address_of(r, at, call->args, &addr);
	if (err)
		return err;
	const struct dbg_place place = {.kind = DBG_PLACE_ADDRESS,
					.addr = addr};
	err = dbg_disassemble(at, addr, 0, &code, &n_code);
	if (!err)
		err =
		    dbg_locate(r->dbg, frame_id(r), &place, arena, &found, &n);
	if (err || !n || !n_code || !found[0].function) {
		dbg_error_destroy(err);
		out(r, "No symbol matches %s.\n", call->args);
		return NULL;
	}
	out(r, "%s", found[0].function);
	if (addr > code[0].addr)
		out(r, " + %" PRIu64, addr - code[0].addr);
	out(r, "\n");
	return NULL;
}

struct dbg_error *address_info(struct repl *r, struct dbg_stopped at,
			       const struct call *call)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_error *err;
	struct dbg_location *found;
	struct dbg_value v;
	size_t n = 0;

	err = dbg_eval(at, frame_id(r), call->args, &v);
	if (!err) {
		out(r, "\"%s\" is ", call->args);
		if (v.addr)
			out(r, "at 0x%" PRIx64 ".\n", v.addr);
		else
			out(r, "not in memory.\n");
		return NULL;
	}
	struct dbg_error *no = dbg_locate(
	    r->dbg, frame_id(r), &(struct dbg_place){.text = call->args}, arena,
	    &found, &n);
	if (no || !n) {
		dbg_error_destroy(no);
		return err;
	}
	dbg_error_destroy(err);
	for (size_t i = 0; i < n; i++) {
		out(r, "\"%s\" is ",
		    found[i].function ? found[i].function : "?");
		if (found[i].addr)
			out(r, "code at 0x%" PRIx64 ".\n", found[i].addr);
		else
			out(r, "not compiled yet.\n");
	}
	return NULL;
}
