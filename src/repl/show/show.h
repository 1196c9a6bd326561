/*
 * Prints what the engine tells in gdb's form: frames, sources, values,
 * breakpoints, memory.
 */
#ifndef REPL_SHOW_H
#define REPL_SHOW_H

#include <stdbool.h>
#include <stdint.h>

#include "dbg.h"

struct display;
struct repl;
struct str;

/* ---- show_frame.c ---------------------------------------------------- */

/* Look at a frame; the engine's words if it does not exist. */
DBG_MUST struct dbg_error *frame_select(struct repl *r, uint32_t thread,
					uint32_t level);
/* The frame the user looks at. */
DBG_MUST struct dbg_error *frame_get(struct repl *r, struct dbg_frame *ret);
/* The id of the selected frame, 0 if there is none. */
dbg_id frame_id(struct repl *r);

/* "Type.Method (a=1) at F.cs:12", with "0x... in " if @with_addr. */
void show_frame(struct repl *r, const struct dbg_frame *f, bool with_addr);
/* "#0  " and show_frame and the end of the line. */
void show_frame_line(struct repl *r, const struct dbg_frame *f);
/* "12\tcode" of a line, or what is known of it. */
void show_source_line(struct repl *r, const char *path, uint32_t line);
/*
 * Print IL with its source lines. @here: the IL offset to mark, or UINT32_MAX.
 */
void show_il(struct repl *r, const struct dbg_il_insn *insns, size_t n,
	     uint32_t here);
/* show_frame_line and show_frame_source of the selected frame. */
DBG_MUST struct dbg_error *show_selected(struct repl *r);
/*
 * Print the frame after a stop; if it is in the same function as before, only
 * its source line.
 */
DBG_MUST struct dbg_error *show_stop(struct repl *r);
/* `Thread 1234 "name"` for a thread number. */
void show_thread(struct repl *r, uint32_t number);
/* The last part of a path of either system; borrowed from it. */
const char *source_base(const char *path);
/* The name of a source file on the screen; borrowed from @path. */
const char *source_name(const struct repl *r, const char *path);

/* Tell of a new breakpoint, in gdb's words. */
DBG_MUST struct dbg_error *show_break_new(struct repl *r, uint32_t number);
/* cmd_break.c: add a breakpoint, with @condition unless NULL; print it. */
DBG_MUST struct dbg_error *break_add(struct repl *r,
				     const struct dbg_break_req *req,
				     const char *condition);
/*
 * Print the table of `info breakpoints`; @number not 0: only that breakpoint;
 * @watches: only watchpoints.
 */
DBG_MUST struct dbg_error *show_breaks(struct repl *r, uint32_t number,
				       bool watches);

/* ---- show_value.c ---------------------------------------------------- */

/* A value with its children, without name and end of line. */
void show_value(struct repl *r, struct dbg_stopped at,
		const struct dbg_value *v);
/* A catchpoint as it was asked for: "throw -exact System.IO.IOException". */
void catch_add_text(const struct dbg_breakpoint *b, struct str *ret);
/* "name = value" lines of a scope; says @none if there are none. */
DBG_MUST struct dbg_error *show_scope(struct repl *r, struct dbg_stopped at,
				      dbg_id frame, enum dbg_scope scope,
				      const char *none, const char *indent);
/* Show what the call that was stepped out of has returned, if it is known. */
DBG_MUST struct dbg_error *show_returned(struct repl *r);
/* Print @err, which is destroyed, in the place of a value. */
void show_error(const struct repl *r, struct dbg_error *err);
enum show_mode {
	SHOW_DISPLAY, /* nothing is assigned */
	SHOW_OUTPUT,
	SHOW_PRINT, /* with a number in the history */
};

/* The value of @expr as `print/FORMAT` shows it, or an error. */
DBG_MUST struct dbg_error *show_expr(struct repl *r, const char *expr,
				     const char *format, enum show_mode mode);

/*
 * Print the displays that are enabled, but for those whose names mean nothing
 * in the selected frame.
 */
void display_show(struct repl *r);
/*
 * Print one that was made just now; an error, if its names mean nothing in the
 * selected frame.
 */
DBG_MUST struct dbg_error *display_begin(struct repl *r, struct display *d);
/*
 * Can the display be shown in the selected frame? True if nothing is stopped.
 */
bool display_in_scope(struct repl *r, struct display *d);

/* ---- show_printf.c --------------------------------------------------- */

/* Carry out `printf "FORMAT", EXPRESSION...`. */
DBG_MUST struct dbg_error *show_printf(struct repl *r, const char *args);

/* The text of a logpoint for what `dprintf LOCATION,` is followed by. */
DBG_MUST struct dbg_error *printf_log(const char *args, struct str *ret);

/* ---- show_memory.c --------------------------------------------------- */

/* Carry out `x/FMT EXPR`; an empty @expr goes on behind the last one. */
DBG_MUST struct dbg_error *show_memory(struct repl *r, struct dbg_stopped at,
				       const char *expr, const char *format);
/* The address that @expr means: number, $register, expression, +-number. */
DBG_MUST struct dbg_error *address_of(struct repl *r, struct dbg_stopped at,
				      const char *expr, uint64_t *ret);
/*
 * Parse a place. *ret borrows @text, except for an expression: "*$pc + 4" is
 * evaluated to an address now, and later changes of $pc do not matter.
 */
DBG_MUST struct dbg_error *place_of(struct repl *r, const char *text,
				    struct dbg_place *ret);

/* ---- show_progress.c ------------------------------------------------- */

/*
 * A command begins: show the progress of long work, if the output is a
 * terminal.
 */
void show_progress_begin(struct repl *r);
/* Clear the line of progress, before something else is printed. */
void show_progress_clear(struct repl *r);
/* The command has ended. The current inferior must be the one it began with. */
void show_progress_end(struct repl *r);

#endif
