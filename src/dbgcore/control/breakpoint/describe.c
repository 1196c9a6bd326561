/*
 * Breakpoints in words: their locations, and why one is not bound or not hit:
 * no such file in any module, symbols that are missing or of another build, a
 * method that was not compiled yet, a line without code.
 */
#include "control/breakpoint/bp.h"
#include "control/control_priv.h"

#include <inttypes.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"

/* Describe the place of a breakpoint that was set by address. */
static void describe_address(struct control *c, uint64_t addr,
			     struct arena *arena, struct dbg_location *ret)
{
	const struct code_pos *pos;
	struct code_name name;
	bool managed = false;
	struct dbg_error *err;

	if (!c->code || !target_all_stopped(c->target))
		return;
	err = code_pos_at(c->code, addr, true, &pos, &managed);
	if (err || !managed || !pos->method) {
		dbg_error_destroy(err);
		return;
	}
	code_method_names(c->code, pos->method, arena, &name);
	ret->function = name.full;
	ret->name = name.plain;
	ret->line = pos->point.line;
	if (pos->path)
		ret->file = arena_strdup(arena, pos->path);
}

static void describe_place(struct control *c, const struct code_place *p,
			   uint64_t addr, struct arena *arena,
			   struct dbg_location *ret)
{
	struct code_name name;

	ret->addr = addr;
	ret->line = p->line;
	ret->column = p->column;
	if (!p->module) {
		describe_address(c, addr, arena, ret);
		return;
	}
	if (!c->code)
		return;
	ret->module = arena_strdup(arena, p->module->name);
	ret->token = p->token;
	ret->il_offset = p->il_offset;
	code_token_names(p->module, p->token, NULL, arena, &name);
	ret->function = name.full;
	ret->name = name.plain;
	if (p->document)
		ret->file = code_place_path(c->code, p, arena);
}

static void describe_locations(struct control *c, const struct bp *bp,
			       struct arena *arena, struct dbg_breakpoint *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < bp->n_places; i++)
		n += bp->places[i].n_addrs ? bp->places[i].n_addrs : 1;
	ret->locations = arena_calloc(arena, n, sizeof(*ret->locations));
	for (size_t i = 0; i < bp->n_places; i++) {
		const struct bp_place *p = &bp->places[i];
		size_t k = 0;

		do {
			struct dbg_location *loc =
			    &ret->locations[ret->n_locations++];

			describe_place(c, &p->place,
				       k < p->n_addrs ? p->addrs[k] : 0, arena,
				       loc);
			loc->compiled = p->compiled;
			loc->replaced = bp_place_is_replaced(p);
		} while (++k < p->n_addrs);
	}
}

/*
 * The module whose missing symbols are the likely cause: one whose PDB cannot
 * be used, else a user module that has none.
 */
static const struct code_module *suspect(struct code_module *const *modules,
					 size_t n)
{
	const struct code_module *found = NULL;

	for (size_t i = 0; i < n; i++) {
		if (modules[i]->symbols == DBG_SYMBOLS_LOADED)
			continue;
		if (modules[i]->symbols != DBG_SYMBOLS_NONE)
			return modules[i];
		if (!found && !modules[i]->framework)
			found = modules[i];
	}
	return found;
}

/* The first @n bytes of @path, with each backslash escaped for JSON. */
static const char *json_escaped_path(struct arena *arena, const char *path,
				     int n)
{
	char *out = arena_alloc(arena, 2 * (size_t)n + 1), *to = out;

	for (int i = 0; i < n; i++) {
		if (path[i] == '\\')
			*to++ = '\\';
		*to++ = path[i];
	}
	*to = 0;
	return out;
}

/*
 * Look for a module with a file of that name elsewhere, whose text differs;
 * tells how the user can say that it is the file meant.
 */
static const char *why_near(struct control *c, const char *file,
			    struct arena *arena)
{
	size_t n;
	struct code_module *const *modules = code_modules(c->code, &n);
	const char *path = NULL;
	size_t i = 0;

	for (; *file == '/' && i < n && !path; i++)
		path = code_file_near(c->code, modules[i], file);
	if (!path)
		return NULL;
	int dir = (int)(str_basename(path) - path);
	int own = (int)(str_basename(file) - file);
	return arena_printf(arena,
			    "'%s' is in no loaded module, but %s has '%s', of "
			    "another text; if it is meant: sourceFileMap "
			    "{ \"%s\": \"%.*s\" } or 'set substitute-path "
			    "%.*s %.*s'",
			    file, modules[i - 1]->name, path,
			    json_escaped_path(arena, path, dir), own, file, dir,
			    path, own, file);
}

/* Say why a file:line has no place, though some module may have the file. */
static const char *why_line(struct control *c, const struct dbg_place *loc,
			    struct arena *arena)
{
	size_t n;
	struct code_module *const *modules = code_modules(c->code, &n);

	for (size_t i = 0; i < n; i++) {
		if (!code_has_file(c->code, modules[i], loc->file))
			continue;
		const char *note =
		    code_file_note(c->code, modules[i], loc->file);
		if (note)
			return arena_printf(arena, "'%s': %s", loc->file, note);
		return arena_printf(arena,
				    "no code at or after line %u of '%s'",
				    loc->line, loc->file);
	}

	const char *near = why_near(c, loc->file, arena);
	if (near)
		return near;

	const struct code_module *m = suspect(modules, n);

	if (m && m->symbols_note)
		return arena_printf(arena,
				    "no loaded module has '%s'; module '%s': "
				    "%s",
				    loc->file, m->name, m->symbols_note);
	return arena_printf(arena, "no %s has symbols for '%s'",
			    c->target ? "loaded module" : "file of the program",
			    loc->file);
}

const char *bp_why_pending(struct control *c, const struct bp *bp,
			   struct arena *arena)
{
	const struct dbg_place *loc = &bp->place;

	if (!c->target && !c->code)
		return "the program is not running";
	if (bp->kind == DBG_BREAK_LOCATION && loc->kind == DBG_PLACE_ADDRESS)
		return arena_printf(arena, "no memory to trap at 0x%lx",
				    (unsigned long)loc->addr);
	if (!c->code)
		return "the runtime is not loaded yet";
	if (bp->kind == DBG_BREAK_REGEX)
		return "no method matches yet";
	if (loc->module && !code_module_named(c->code, loc->module))
		return arena_printf(arena, "module '%s' is not loaded",
				    loc->module);
	if (loc->kind == DBG_PLACE_LINE)
		return why_line(c, loc, arena);
	return arena_printf(arena, "no method '%s%s%s%s' in the %s",
			    loc->function, loc->params ? "(" : "",
			    loc->params ? loc->params : "",
			    loc->params ? ")" : "",
			    c->target ? "loaded modules" : "program's files");
}

/* Say why no place has an address; NULL if one has. */
static const char *why_unarmed(const struct bp *bp)
{
	const char *why = "the method is not compiled yet";

	for (size_t i = 0; i < bp->n_places; i++) {
		if (bp->places[i].n_addrs)
			return NULL;
		if (bp->places[i].compiled)
			why = "optimised code has nothing of this line";
	}
	return why;
}

/* The attribute that keeps all places of @bp from stopping; NULL: none does. */
static const char *why_skipped(struct control *c, const struct bp *bp,
			       struct arena *arena)
{
	unsigned int traits = 0;

	for (size_t i = 0; i < bp->n_places; i++) {
		const struct bp_place *p = &bp->places[i];

		if (!bind_is_skipped(c, bp, p))
			return NULL;
		traits = code_traits(c->code, p->place.module, p->place.token);
	}
	if (!c->rules.just_my_code)
		return "its code is marked DebuggerHidden: it is not hit";
	return arena_printf(arena,
			    "its code is marked %s: it is not hit while Just "
			    "My Code is on",
			    traits & CODE_HIDDEN ? "DebuggerHidden"
			    : traits & CODE_STEP_THROUGH
				? "DebuggerStepThrough"
				: "DebuggerNonUserCode");
}

/*
 * Is the line only part of another one's code? Optimised code may have an entry
 * for it only where another line begins.
 */
static const char *why_elsewhere(struct control *c, const struct bp *bp,
				 struct arena *arena)
{
	const struct bp_place *p = &bp->places[0];
	const struct code_pos *pos;
	bool any = false;
	struct dbg_error *err = NULL;

	if (!p->place.module || !p->place.module->optimized || !p->n_addrs ||
	    !target_all_stopped(c->target))
		return NULL;
	err = code_pos_at(c->code, p->addrs[0], true, &pos, &any);
	if (err || !any || !pos->point.line ||
	    pos->point.line == p->place.line) {
		dbg_error_destroy(err);
		return NULL;
	}
	return arena_printf(arena,
			    "line %u has no entry in optimised code; stops "
			    "at line %u",
			    p->place.line, pos->point.line);
}

static void describe_reason(struct control *c, const struct bp *bp,
			    struct arena *arena, struct dbg_breakpoint *ret)
{
	if (!bp->n_places) {
		ret->reason = bp_why_pending(c, bp, arena);
		return;
	}
	ret->reason = why_skipped(c, bp, arena);
	if (ret->reason)
		return;
	ret->state = DBG_BREAK_BOUND;
	if (bp->moved)
		ret->reason =
		    arena_printf(arena, "line %u has no code; moved to line %u",
				 bp->place.line, bp->places[0].place.line);
	else if (c->target)
		ret->reason = why_unarmed(bp);
	if (!ret->reason)
		ret->reason = why_elsewhere(c, bp, arena);
	if (!ret->reason && bp->place.file && bp->places[0].place.module)
		ret->reason = code_file_note(
		    c->code, bp->places[0].place.module, bp->place.file);
}

static void describe_catch(const struct bp *bp, struct arena *arena,
			   struct dbg_breakpoint *ret)
{
	const struct filter *f = &bp->filter;

	ret->state = DBG_BREAK_BOUND;
	ret->catches.exact = f->exact;
	if (f->module)
		ret->catches.module = arena_strdup(arena, f->module);
	if (f->message)
		ret->catches.message = arena_strdup(arena, f->message);
}

static void describe_watch(struct control *c, const struct bp *bp,
			   struct arena *arena, struct dbg_breakpoint *ret)
{
	const struct watch *w = bp->watch;

	ret->access = w->access;
	ret->state = w->slots ? DBG_BREAK_BOUND : DBG_BREAK_PENDING;
	if (!c->target)
		ret->reason = "the program is not running";
	else if (!c->code)
		ret->reason = "the runtime is not loaded yet";
	else if (w->why)
		ret->reason = w->why;
	else if (!w->now.known && w->now.text)
		ret->reason = arena_strdup(arena, w->now.text);
	else if (w->blind)
		ret->reason = "no debug register is free to see at once when "
			      "it leads elsewhere";
	// A disabled one is as good as it was.
	if (!bp->enabled && !ret->reason)
		ret->state = DBG_BREAK_BOUND;
}

/* Fill in the location as the user has written it. */
static void describe_asked(const struct dbg_place *place, struct arena *arena,
			   struct dbg_breakpoint *ret)
{
	dbg_error_destroy(location_take(place, NULL, arena, &ret->place));
	ret->text = ret->place.text;
}

static void describe(struct control *c, const struct bp *bp,
		     struct arena *arena, struct dbg_breakpoint *ret)
{
	ret->number = bp->number;
	ret->kind = bp->kind;
	ret->enabled = bp->enabled;
	ret->temporary = bp->temporary;
	ret->stops = bp->stops;
	ret->thread = bp->thread;
	ret->hits = bp->hits;
	ret->ignore = bp->ignore;
	if (bp->kind == DBG_BREAK_LOCATION)
		describe_asked(&bp->place, arena, ret);
	else if (bp->text)
		ret->text = arena_strdup(arena, bp->text);
	if (bp->condition)
		ret->condition = arena_strdup(arena, bp->condition);
	if (bp->fault)
		ret->fault = arena_printf(
		    arena,
		    "the condition does not compile: %s; %" PRIu64
		    " later hit%s did not stop",
		    bp->fault, bp->n_faults, bp->n_faults == 1 ? "" : "s");
	if (bp->hit_text)
		ret->hit_rule = arena_strdup(arena, bp->hit_text);
	if (bp->log)
		ret->log = arena_strdup(arena, bp->log);
	if (bp_is_catch(bp)) {
		describe_catch(bp, arena, ret);
		return;
	}
	if (bp_is_load(bp)) {
		ret->state = DBG_BREAK_BOUND;
		return;
	}
	if (bp->watch) {
		describe_watch(c, bp, arena, ret);
		return;
	}
	describe_locations(c, bp, arena, ret);
	describe_reason(c, bp, arena, ret);
}

struct dbg_error *control_break_list(struct control *c, uint32_t number,
				     struct arena *arena,
				     struct dbg_breakpoint **ret, size_t *ret_n)
{
	const struct bp *one = number ? bp_find(c, number) : NULL;

	if (number && !one)
		return dbg_err(DBG_E_NOT_FOUND, "no breakpoint number %u",
			       number);

	struct dbg_breakpoint *list =
	    arena_calloc(arena, one ? 1 : c->n_bps, sizeof(*list));
	size_t n = 0;

	if (one)
		describe(c, one, arena, &list[n++]);
	for (size_t i = 0; !one && i < c->n_bps; i++)
		if (bp_is_users(c->bps[i]))
			describe(c, c->bps[i], arena, &list[n++]);
	*ret = list;
	*ret_n = n;
	return NULL;
}

static struct dbg_error *locate_main(struct control *c, struct arena *arena,
				     struct dbg_location **ret, size_t *ret_n)
{
	struct code_place place;

	if (!entry_place(c, &place))
		return dbg_err(DBG_E_NOT_FOUND, "no module has an entry point");
	*ret = arena_alloc(arena, sizeof(**ret));
	*ret_n = 1;
	describe_place(c, &place, 0, arena, *ret);
	return NULL;
}

struct dbg_error *control_locate(struct control *c,
				 const struct dbg_place *place,
				 const char *path, struct arena *arena,
				 struct dbg_location **ret, size_t *ret_n)
{
	if (place->kind == DBG_PLACE_MAIN)
		return locate_main(c, arena, ret, ret_n);

	struct dbg_error *err;
	const struct dbg_break_req req = {
	    .kind = DBG_BREAK_LOCATION,
	    .place = *place,
	};
	struct dbg_breakpoint *bp;
	uint32_t number;
	size_t n;

	// a breakpoint that never arms: located as one, then dropped
	err = control_break_add(c, &req, path, &number);
	if (err)
		return err;
	err = control_break_list(c, number, arena, &bp, &n);
	if (!err && !bp->n_locations)
		err = dbg_err(DBG_E_NOT_FOUND, "%s", bp->reason);
	if (!err) {
		*ret = bp->locations;
		*ret_n = bp->n_locations;
	}
	control_warn(c, control_break_delete(c, number));
	if (c->last_number == number)
		c->last_number--;
	return err;
}
