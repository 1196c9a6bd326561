/*
 * `info frame` and `info registers`: the selected frame as the machine has it.
 * Where the engine cannot tell a register of a caller, it is left out.
 */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "repl/cmd.h"
#include "base/err.h"
#include "repl/show/print.h"
#include "repl/repl_priv.h"
#include "repl/show/show.h"
#include "repl/command/subcmd.h"

static void show_register(const struct repl *r, const struct dbg_register *reg)
{
	out(r, "%-15s0x%-17" PRIx64 " %" PRId64 "\n", reg->name, reg->value,
	    (int64_t)reg->value);
}

struct dbg_error *registers_info(struct repl *r, struct dbg_stopped at,
				 const struct call *call)
{
	struct dbg_error *err;
	struct dbg_register *regs;
	struct dbg_frame f;
	size_t n;

	err = frame_get(r, &f);
	if (!err && !*call->args)
		err = dbg_registers(at, f.id, &regs, &n);
	if (err)
		return err;
	for (size_t i = 0; !*call->args && i < n; i++)
		show_register(r, &regs[i]);
	for (const char *p = call->args; *p; p += strspn(p, " \t,")) {
		size_t len = strcspn(p, " \t,");
		_cleanup_free_ char *name =
		    xstrndup(p + (*p == '$'), len - (*p == '$'));
		struct dbg_register reg = {.name = name};
		err = dbg_register_get(at, f.id, name, &reg.value);
		if (err)
			return err;
		show_register(r, &reg);
		p += len;
	}
	return NULL;
}

// Print the caller and the callee of @f, in gdb's words.
static struct dbg_error *show_caller_and_callee(struct repl *r,
						struct dbg_stopped at,
						const struct dbg_frame *f)
{
	struct dbg_error *err;
	struct dbg_frame *near;
	uint32_t first = f->level ? f->level - 1 : 0;
	size_t n;

	err = dbg_frame_list(at, r->thread, first, 3, &near, &n);
	if (err)
		return err;
	for (size_t i = 0; i < n; i++)
		if (near[i].level == f->level + 1) {
			out(r,
			    " called by frame at 0x%" PRIx64
			    ", saved rip = 0x%" PRIx64 "\n",
			    near[i].sp, near[i].pc);
		} else if (near[i].level + 1 == f->level) {
			out(r, " caller of frame at 0x%" PRIx64 "\n",
			    near[i].sp);
		}
	return NULL;
}

static void show_code(const struct repl *r, const struct dbg_frame_code *code)
{
	if (code->start)
		out(r, " code: 0x%" PRIx64 " to 0x%" PRIx64 "%s%s\n",
		    code->start, code->start + code->size,
		    code->kind ? ", " : "", code->kind ? code->kind : "");
}

static void show_saved(const struct repl *r, const struct dbg_frame_code *code)
{
	if (code->n_saved)
		out(r, " Saved registers:\n ");
	for (size_t i = 0; i < code->n_saved; i++)
		out(r, "%s %s at 0x%" PRIx64, i ? "," : "", code->saved[i].name,
		    code->saved[i].value);
	if (code->n_saved)
		out(r, "\n");
}

// Get the selected frame, or the frame N that @text names: "N" or "level N".
static struct dbg_error *frame_named(struct repl *r, struct dbg_stopped at,
				     const char *text, struct dbg_frame *ret)
{
	struct dbg_error *err;
	struct dbg_frame *frames;
	uint32_t level;
	size_t n;

	if (!*text)
		return frame_get(r, ret);
	if (!strncmp(text, "level ", 6))
		text += 6;
	err = frame_parse(text, &level);
	if (!err)
		err = dbg_frame_list(at, r->thread, level, 1, &frames, &n);
	if (err)
		return err;
	if (!n)
		return dbg_err_arg("No frame at level %s.", text);
	*ret = frames[0];
	return NULL;
}

struct dbg_error *frame_info(struct repl *r, struct dbg_stopped at,
			     const struct call *call)
{
	static const char *const kinds[] = {
	    [DBG_FRAME_MANAGED] = "managed",
	    [DBG_FRAME_NATIVE] = "native",
	    [DBG_FRAME_RUNTIME] = "runtime transition",
	    [DBG_FRAME_ASYNC] = "async caller, on no stack",
	    [DBG_FRAME_EXTERNAL] = "code that is not yours",
	    [DBG_FRAME_THROWN] = "of the throw, on no stack any more",
	    [DBG_FRAME_CALLED] = "what has called for dndbg",
	    [DBG_FRAME_CHAIN] = "what the calls behind it have in common",
	};
	struct dbg_error *err;
	struct dbg_frame f;
	struct dbg_frame_code code;

	err = frame_named(r, at, call->args, &f);
	if (err)
		return err;
	out(r, "Stack level %" PRIu32 ", frame at 0x%" PRIx64 ":\n", f.level,
	    f.sp);
	out(r, " pc = 0x%" PRIx64 " in %s", f.pc, f.function);
	if (f.source.path)
		out(r, " (%s:%" PRIu32 ")", source_name(r, f.source.path),
		    f.source.line);
	out(r, "\n kind: %s%s\n", kinds[f.kind],
	    f.optimized ? ", optimized" : "");
	if (f.module)
		out(r, " module: %s\n", f.module);
	if (f.token)
		out(r, " method token: 0x%08" PRIx32 "\n", f.token);
	if (f.il_offset != UINT32_MAX && f.kind == DBG_FRAME_MANAGED)
		out(r, " IL offset: 0x%04" PRIx32 "\n", f.il_offset);
	if (f.kind == DBG_FRAME_ASYNC || f.kind == DBG_FRAME_THROWN)
		return NULL;
	err = dbg_frame_code(at, f.id, &code);
	if (err)
		return err;
	show_code(r, &code);
	err = show_caller_and_callee(r, at, &f);
	if (!err)
		show_saved(r, &code);
	return err;
}
