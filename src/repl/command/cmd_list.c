/*
 * `list` and `disassemble`. `list` goes on where the last one ended
 * (r->listing), which each stop and each other frame resets; places are
 * resolved by the engine, so that all that `break` takes is possible.
 * `disassemble` prints the machine code of a method, `disassemble/il` its IL.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "repl/cmd.h"
#include "base/err.h"
#include "repl/line/parse.h"
#include "repl/show/print.h"
#include "repl/repl_priv.h"
#include "repl/show/show.h"

enum {
	STRETCH_MAX = 1 << 14, /* bytes of machine code shown at once */
};

// The file of the selected frame, else of Main's, into the listing.
static struct dbg_error *default_place(struct repl *r, uint64_t *ret_line)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_error *err;
	struct dbg_frame f;

	err = frame_get(r, &f);
	if (!err && f.source.path) {
		str_set(&r->listing.file, f.source.path);
		*ret_line = f.source.line;
		return NULL;
	}
	dbg_error_destroy(err);
	if (r->listing.file) {
		*ret_line = 1;
		return NULL;
	}
	struct dbg_location *found;
	size_t n;
	const struct dbg_place main = {.kind = DBG_PLACE_MAIN};
	err = dbg_locate(r->dbg, 0, &main, arena, &found, &n);
	if (!err && found[0].file) {
		str_set(&r->listing.file, found[0].file);
		*ret_line = found[0].line;
		return NULL;
	}
	dbg_error_destroy(err);
	return dbg_err(DBG_E_NOT_FOUND,
		       "No source file here. Name one: list FILE:LINE.");
}

// The file of the selected frame; NULL: it has none.
static const char *frame_file(struct repl *r, uint64_t *ret_line)
{
	struct dbg_frame f;

	if (dbg_err_drop(frame_get(r, &f)) || !f.source.path)
		return NULL;
	*ret_line = f.source.line;
	return f.source.path;
}

// Turn a place into a line, and make its file the listed one. Of several files
// with the same name the frame's is taken.
static struct dbg_error *
place_line(struct repl *r, const struct parse_place *place, uint64_t *ret_line)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_error *err;
	struct dbg_location *found;
	uint64_t line;
	size_t n;

	if (place->file) {
		const char *here = frame_file(r, &line);
		bool is_here = here && !strchr(place->file, '/') &&
			       !strcmp(source_base(here), place->file);

		str_set(&r->listing.file, is_here ? here : place->file);
		*ret_line = place->line;
		return NULL;
	}
	if (!place->name) {
		err = r->listing.file ? NULL : default_place(r, &line);
		if (!err)
			*ret_line = place->line;
		return err;
	}
	struct dbg_place at;
	err = place_of(r, place->name, &at);
	if (!err)
		err = dbg_locate(r->dbg, r->stopped ? frame_id(r) : 0, &at,
				 arena, &found, &n);
	if (err)
		return err;
	for (size_t i = 0; i < n; i++)
		if (found[i].file) {
			str_set(&r->listing.file, found[i].file);
			*ret_line = found[i].line;
			return NULL;
		}
	return dbg_err(DBG_E_SYMBOLS, "No line number known for %s.",
		       place->name);
}

// The line of the selected frame, if it is in the listing's file; else 0.
static uint64_t current_line(struct repl *r)
{
	uint64_t line;
	const char *here = frame_file(r, &line);

	return here && (str_ends(here, r->listing.file) ||
			str_ends(r->listing.file, here))
		   ? line
		   : 0;
}

static struct dbg_error *print_lines(struct repl *r, uint64_t first,
				     uint64_t last)
{
	struct dbg_error *err;
	const char *const *lines;
	const char *note = NULL;
	size_t n;

	err = dbg_source_lines(r->dbg, r->listing.file, &lines, &n, &note);
	if (err)
		return err;
	if (first > n)
		return dbg_err_arg("Line number %" PRIu64
				   " out of range; %s has "
				   "%zu lines.",
				   first, source_name(r, r->listing.file), n);
	if (note && !r->listing.first)
		out(r, "%s\n", note);
	if (last > n)
		last = n;
	uint64_t current = current_line(r);
	for (uint64_t i = first; i <= last && !loop_interrupted(r->loop); i++)
		out(r, "%" PRIu64 "%s\t%s\n", i, i == current ? "=>" : "",
		    lines[i - 1]);
	r->listing.first = first;
	r->listing.last = last;
	return NULL;
}

static struct dbg_error *list_around(struct repl *r, uint64_t line)
{
	uint64_t half = r->set.list_size / 2;
	uint64_t first = line > half ? line - half : 1;

	return print_lines(r, first, first + r->set.list_size - 1);
}

static struct dbg_error *list_next(struct repl *r)
{
	struct dbg_error *err;
	uint64_t line;

	if (r->listing.first)
		return print_lines(r, r->listing.last + 1,
				   r->listing.last + r->set.list_size);
	err = default_place(r, &line);
	return err ? err : list_around(r, line);
}

static struct dbg_error *list_back(struct repl *r)
{
	struct dbg_error *err;
	uint64_t size = r->set.list_size;
	uint64_t first = r->listing.first;

	if (!first) {
		err = default_place(r, &first);
		if (err)
			return err;
		first = first > size / 2 ? first - size / 2 : 1;
	}
	if (first <= 1)
		return dbg_err_arg("Already at the start of %s.",
				   source_name(r, r->listing.file));
	return print_lines(r, first > size ? first - size : 1, first - 1);
}

static struct dbg_error *list_range(struct repl *r,
				    const struct parse_list *list)
{
	struct dbg_error *err;
	uint64_t size = r->set.list_size;
	uint64_t first = 0;
	uint64_t last = 0;

	if (list->kind != PARSE_LIST_TO) {
		err = place_line(r, &list->first, &first);
		if (err)
			return err;
	}
	if (list->kind == PARSE_LIST_CENTER)
		return list_around(r, first);
	if (list->kind == PARSE_LIST_FROM)
		return print_lines(r, first, first + size - 1);
	err = place_line(r, &list->last, &last);
	if (err)
		return err;
	if (list->kind == PARSE_LIST_TO)
		first = last >= size ? last - size + 1 : 1;
	if (last < first)
		return dbg_err_arg("The range ends before it begins.");
	return print_lines(r, first, last);
}

static struct dbg_error *cmd_list(struct repl *r, const struct call *call)
{
	struct dbg_error *err;
	struct parse_list list;

	err = parse_list(call->args, &list);
	if (err)
		return err;
	if (list.kind == PARSE_LIST_NEXT)
		return list_next(r);
	if (list.kind == PARSE_LIST_BACK)
		return list_back(r);
	err = list_range(r, &list);
	parse_list_deinit(&list);
	return err;
}

void show_il(struct repl *r, const struct dbg_il_insn *insns, size_t n,
	     uint32_t here)
{
	uint32_t line = 0;

	for (size_t i = 0; i < n && !loop_interrupted(r->loop); i++) {
		const struct dbg_il_insn *il = &insns[i];
		if (il->line && il->line != line) {
			line = il->line;
			show_source_line(r, il->path, line);
		}
		out(r, "%s IL_%04" PRIx32 ":\t%s\n",
		    il->offset == here ? "=>" : "  ", il->offset, il->text);
	}
}

static struct dbg_error *disassemble_il(struct repl *r, struct dbg_stopped at)
{
	struct dbg_error *err;
	struct dbg_il_insn *insns;
	struct dbg_frame f;
	size_t n;

	err = frame_get(r, &f);
	if (!err)
		err = dbg_disassemble_il(at, f.id, &insns, &n);
	if (err)
		return err;
	out(r, "Dump of IL code for method %s:\n", f.function);
	show_il(r, insns, n, f.il_offset);
	out(r, "End of IL dump.\n");
	return NULL;
}

static void print_insn(struct repl *r, const struct dbg_insn *insn,
		       uint64_t start, uint64_t pc, bool raw)
{
	out(r, "%s ", insn->addr == pc ? "=>" : "  ");
	paint_addr(r, insn->addr);
	out(r, " <+%" PRIu64 ">", insn->addr - start);
	if (insn->il_offset != UINT32_MAX)
		out(r, " IL_%04" PRIx32, insn->il_offset);
	out(r, ":\t");
	for (uint32_t i = 0; raw && i < insn->size && i < 16; i++)
		out(r, "%02x%s", insn->bytes[i],
		    i + 1 < insn->size ? " " : "\t");
	out(r, "%s", insn->text);
	if (insn->symbol)
		out(r, " <%s>", insn->symbol);
	out(r, "\n");
}

/*
 * The code to show: the method that contains @start, or the range up to @end.
 */
struct stretch {
	uint64_t start, end; /* end 0: the whole method */
};

// Parse [ADDRESS | START,END | START,+LENGTH] into *ret, which the caller has
// set to the frame's pc.
static struct dbg_error *take_stretch(struct repl *r, struct dbg_stopped at,
				      const char *args, struct stretch *ret)
{
	const char *comma = strrchr(args, ',');
	// a comma within parentheses belongs to a call
	bool range = comma && !strchr(comma, ')');
	_cleanup_free_ char *first =
	    xstrndup(args, range ? (size_t)(comma - args) : strlen(args));
	struct dbg_error *err = NULL;

	if (*first)
		err = address_of(r, at, first, &ret->start);
	if (err || !range)
		return err;
	const char *last = comma + 1 + strspn(comma + 1, " ");
	bool length = *last == '+';
	err = address_of(r, at, last + length, &ret->end);
	if (err)
		return err;
	uint64_t n = length ? ret->end : ret->end - ret->start;
	if (!n || n > STRETCH_MAX)
		return dbg_err_arg("A range has 1 to %d bytes.", STRETCH_MAX);
	ret->end = ret->start + n;
	return NULL;
}

// Get the instructions of @s, and in *ret_base the address of their method.
static struct dbg_error *take_insns(struct dbg_stopped at,
				    const struct stretch *s,
				    struct dbg_insn **ret, size_t *ret_n,
				    uint64_t *ret_base)
{
	struct dbg_error *err = dbg_disassemble(at, s->start, 0, ret, ret_n);

	if (!err && *ret_n)
		*ret_base = (*ret)[0].addr;
	if (!s->end)
		return err;
	dbg_error_destroy(err);
	err = dbg_disassemble(at, s->start, (uint32_t)(s->end - s->start), ret,
			      ret_n);
	while (!err && *ret_n && (*ret)[*ret_n - 1].addr >= s->end)
		--*ret_n;
	return err;
}

static struct dbg_error *disassemble(struct repl *r, struct dbg_stopped at,
				     const char *args, bool raw)
{
	struct dbg_error *err;
	struct dbg_insn *insns;
	struct dbg_frame f;
	uint32_t line = 0;
	size_t n = 0;

	err = frame_get(r, &f);
	if (err)
		return err;
	// an async caller is at no instruction, but its code is somewhere
	struct stretch s = {.start = f.pc ? f.pc : f.code};
	if (!s.start && !*args)
		return dbg_err_arg("No code of %s is known: it is on no stack; "
				   "\"disassemble/il\" shows its IL.",
				   f.function);
	err = take_stretch(r, at, args, &s);
	uint64_t base = s.start;
	if (!err)
		err = take_insns(at, &s, &insns, &n, &base);
	if (err)
		return err;
	out(r, "Dump of assembler code%s%s:\n", *args ? "" : " for function ",
	    *args ? "" : f.function);
	for (size_t i = 0; i < n && !loop_interrupted(r->loop); i++) {
		if (insns[i].line && insns[i].line != line) {
			line = insns[i].line;
			show_source_line(r, insns[i].path, line);
		}
		print_insn(r, &insns[i], base, f.pc, raw);
	}
	out(r, "End of assembler dump.\n");
	return NULL;
}

static struct dbg_error *cmd_disassemble(struct repl *r, struct dbg_stopped at,
					 const struct call *call)
{
	const char *format = call->format;

	if (!strcmp(format, "il")) {
		if (*call->args)
			return dbg_err_arg(
			    "/il shows the method of the selected "
			    "frame; it takes no address.");
		return disassemble_il(r, at);
	}
	if (format[strspn(format, "smr")])
		return dbg_err_arg("\"disassemble\" knows /r, /s and /il.");
	return disassemble(r, at, call->args, strchr(format, 'r') != NULL);
}

static const struct repl_cmd cmds[] = {
    {
	.names = "list l",
	.args = "[LINE | FILE:LINE | METHOD | A,B | A, | ,B | + | -]",
	.help = "show lines of the source",
	.more = "One place is shown in the middle. Without a place, go on "
		"behind what was shown\nlast, or around the selected frame's "
		"line; - goes back. See \"set listsize\".",
	.flags = CMD_REPEAT_BARE,
	.complete = COMPLETE_LOCATIONS,
	.run = cmd_list,
    },
    {
	.names = "disassemble disas",
	.args = "[ADDRESS | START,END | START,+LENGTH]",
	.help = "show machine code, or IL, with source lines",
	.more = "The method is that of the selected frame or the one at "
		"ADDRESS. /r adds the\nbytes, /il shows IL instead of "
		"machine code, /s is what is always done.",
	.flags = CMD_FORMAT,
	.complete = COMPLETE_EXPRESSIONS,
	.stopped = cmd_disassemble,
    },
    {.names = NULL},
};

const struct cmd_family cmd_family_code = {"code", "Source, machine code, IL",
					   cmds};
