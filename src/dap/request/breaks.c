/*
 * Breakpoints between the protocol and the engine. A client sends the whole
 * list of a group (a source, all functions, ...) each time: what is asked for
 * again keeps its number and hits, the rest is removed. What the engine tells
 * of one becomes a `breakpoint` event only if the client would see a
 * difference.
 */
#include "dap/request/breaks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "dap/dap_priv.h"
#include "dap/wire/emit.h"
#include "base/err.h"

static void brk_deinit(struct brk *b)
{
	free(b->group);
	free(b->key);
	free(b->fault);
	free(b->note);
	free(b->path);
	free(b->told);
}

void breaks_deinit(struct breaks *b)
{
	for (size_t i = 0; i < b->n; i++)
		brk_deinit(&b->v[i]);
	free(b->v);
	*b = (struct breaks){0};
}

void breaks_begin(struct breaks *b, const char *group)
{
	b->n_old = b->at = 0;
	b->n_before = b->n;
	for (size_t i = 0; i < b->n; i++) {
		b->v[i].kept = strcmp(b->v[i].group, group);
		b->n_old += !b->v[i].kept;
	}
}

static void add_part(struct str *t, const char *s)
{
	str_add(t, s ? s : "");
	str_addc(t, '\x1f');
}

static char *make_key(const struct break_spec *s)
{
	struct str t = {0};

	str_addf(&t, "%d\x1f%" PRIu32 "\x1f%" PRIu32 "\x1f%" PRIx64 "\x1f",
		 (int)s->req.kind, s->line, s->column, s->req.place.addr);
	add_part(&t, s->req.place.file);
	add_part(&t, s->req.place.text);
	add_part(&t, s->req.text);
	add_part(&t, s->condition);
	str_addf(&t, "%d\x1f", (int)s->req.access);
	add_part(&t, s->req.hits);
	add_part(&t, s->req.log);
	add_part(&t, s->req.catches.module);
	add_part(&t, s->req.catches.exact ? "=" : NULL);
	return str_take(&t);
}

// Take one that is asked for again; they come in their old order, mostly.
static struct brk *brk_take_old(struct breaks *b, const char *key)
{
	for (size_t i = 0; b->n_old && i < b->n_before; i++) {
		size_t at = (b->at + i) % b->n_before;
		struct brk *k = &b->v[at];
		if (k->kept || strcmp(k->key, key))
			continue;
		k->kept = true;
		b->at = at + 1;
		b->n_old--;
		return k;
	}
	return NULL;
}

/*
 * Check the text of @spec; NULL: it is well-formed. Without stopping the
 * program: an ill-formed hit condition is dropped, and with an ill-formed
 * condition the breakpoint stops at each hit.
 */
static struct dbg_error *malformed(struct break_spec *spec)
{
	struct dbg_error *err = NULL;

	if (spec->req.hits)
		err = dbg_check_hits(spec->req.hits);
	if (err) {
		spec->req.hits = NULL;
		return err;
	}
	err = dbg_check_condition(spec->condition);
	if (err)
		return dbg_err_prefix(err, "the condition '%s'",
				      spec->condition);
	return spec->req.log ? dbg_check_log(spec->req.log) : NULL;
}

static struct dbg_error *brk_make(struct dap *d, struct break_spec *spec,
				  struct brk *b)
{
	struct dbg_error *err;
	uint32_t number = 0;

	if (spec->fault)
		return dbg_err(DBG_E_STATE, "%s", spec->fault);
	struct dbg_error *note = malformed(spec);

	str_set(&b->note, note ? note->message : NULL);
	err = dbg_break_add(d->dbg, &spec->req, &number);
	if (!err)
		err = dbg_break_condition(d->dbg, number, spec->condition);
	if (err && number)
		dbg_error_destroy(dbg_break_delete(d->dbg, number));
	if (!err)
		b->number = number;
	// an editor shows what is written at a breakpoint when asked to
	if (note && !err)
		dap_say(d, "breakpoint %" PRIu32 ": %s", number, note->message);
	dbg_error_destroy(note);
	return err;
}

// Editors send what was emptied as "", or blanks.
static const char *unless_blank(const char *text)
{
	return str_is_blank(text) ? NULL : text;
}

// The code that a breakpoint has: its first place that has a line.
static void describe_place(struct dap *d, struct str *t, const struct brk *b,
			   const struct dbg_breakpoint *e)
{
	const struct dbg_location *l = NULL;

	for (size_t i = 0; i < e->n_locations && !l; i++)
		if (e->locations[i].line)
			l = &e->locations[i];
	const char *path = b->path ? b->path : l ? l->file : NULL;
	if (path)
		body_source(d, t, "source", path);
	uint32_t line = l ? l->line : b->line;
	if (line)
		emit_int(t, "line", body_line(d, line));
	if (l && l->column)
		emit_int(t, "column", body_column(d, l->column));
	for (size_t i = 0; i < e->n_locations; i++) {
		if (!e->locations[i].addr)
			continue;
		emit_addr(t, "instructionReference", e->locations[i].addr);
		break;
	}
}

static bool is_moved(const struct dbg_breakpoint *e, const struct brk *b)
{
	return e->n_locations &&
	       (e->locations[0].compiled || e->locations[0].line != b->line);
}

static void describe_refused(struct dap *d, struct str *t, const struct brk *b)
{
	emit_bool(t, "verified", false);
	emit_str(t, "message", b->fault);
	emit_str(t, "reason", "failed");
	if (b->path)
		body_source(d, t, "source", b->path);
	if (b->line)
		emit_int(t, "line", body_line(d, b->line));
}

// The members of a Breakpoint.
static void brk_describe(struct dap *d, struct str *t, const struct brk *b)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_breakpoint e;

	if (!b->number) {
		describe_refused(d, t, b);
		return;
	}
	struct dbg_error *err = dbg_break_get(d->dbg, b->number, arena, &e);
	emit_int(t, "id", b->number);
	if (err) {
		emit_bool(t, "verified", false);
		emit_str(t, "message", err->message);
		dbg_error_destroy(err);
		return;
	}
	bool bound = e.state == DBG_BREAK_BOUND;
	emit_bool(t, "verified", bound);
	// that a method was not compiled yet is no news to anyone
	if (e.fault)
		emit_str(t, "message", e.fault);
	else if (b->note)
		emit_str(t, "message", b->note);
	else if (!bound || is_moved(&e, b))
		emit_str(t, "message", e.reason);
	if (!bound)
		emit_str(t, "reason", "pending");
	describe_place(d, t, b, &e);
}

/*
 * A reason that names the attribute that mends it is a line of the console,
 * too: editors show it only when they are asked.
 */
static void say_near(struct dap *d, const struct brk *b, const char *now)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_breakpoint e;

	if (!b->number || !strstr(now, "sourceFileMap") ||
	    (b->told && strstr(b->told, "sourceFileMap")) ||
	    dbg_err_drop(dbg_break_get(d->dbg, b->number, arena, &e)))
		return;
	dap_say(d, "breakpoint %" PRIu32 ": %s", b->number, e.reason);
}

static void tell(struct dap *d, struct brk *b, struct str *t)
{
	_cleanup_str_ struct str now = {0};

	brk_describe(d, &now, b);
	say_near(d, b, str_get(&now));
	str_add(t, str_get(&now));
	str_set(&b->told, str_get(&now));
}

static struct brk *brk_add(struct breaks *b)
{
	mem_grow(&b->v, &b->cap, b->n, sizeof(*b->v));
	struct brk *k = &b->v[b->n++];
	*k = (struct brk){0};
	return k;
}

void breaks_put(struct dap *d, const char *group, const char *path,
		const struct break_spec *wanted, struct str *t)
{
	struct break_spec spec = *wanted;

	spec.condition = unless_blank(spec.condition);
	spec.req.hits = unless_blank(spec.req.hits);
	spec.req.log = unless_blank(spec.req.log);

	_cleanup_free_ char *key = make_key(&spec);
	struct brk *b = brk_take_old(&d->breaks, key);

	if (!b || !b->number) {
		if (!b)
			b = brk_add(&d->breaks);
		str_set(&b->group, group);
		str_set(&b->key, key);
		str_set(&b->path, path);
		b->line = spec.line;
		b->column = spec.column;
		struct dbg_error *err = brk_make(d, &spec, b);
		str_set(&b->fault, err ? err->message : NULL);
		dbg_error_destroy(err);
	}
	b->kept = true;
	emit_object(t, NULL);
	tell(d, b, t);
	emit_object_end(t);
}

void breaks_end(struct dap *d, const char *group)
{
	struct breaks *b = &d->breaks;
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++) {
		struct brk *k = &b->v[i];
		if (k->kept || strcmp(k->group, group)) {
			b->v[n++] = *k;
			continue;
		}
		// a temporary one may be gone already
		if (k->number)
			dbg_error_destroy(dbg_break_delete(d->dbg, k->number));
		brk_deinit(k);
	}
	b->n = n;
}

static struct brk *by_number(const struct breaks *b, uint32_t number)
{
	for (size_t i = 0; number && i < b->n; i++)
		if (b->v[i].number == number)
			return &b->v[i];
	return NULL;
}

void breaks_place(struct dap *d, struct str *t, uint32_t number)
{
	const struct brk *b = by_number(&d->breaks, number);

	if (!b || !b->path)
		return;
	body_source(d, t, "source", b->path);
	if (b->line)
		emit_int(t, "line", body_line(d, b->line));
}

// Tell the client of a breakpoint that was made, changed or removed at the
// console.
static void tell_foreign(struct dap *d, uint32_t number, bool gone)
{
	struct brk b = {.number = number};
	struct str *t = dap_event(d, "breakpoint");

	emit_str(t, "reason", gone ? "removed" : "changed");
	emit_object(t, "breakpoint");
	if (gone) {
		emit_int(t, "id", number);
		emit_bool(t, "verified", false);
	} else {
		brk_describe(d, t, &b);
	}
	emit_object_end(t);
	dap_send(d);
}

void breaks_changed(struct dap *d, uint32_t number, bool gone)
{
	struct brk *b = by_number(&d->breaks, number);
	_cleanup_str_ struct str now = {0};

	if (!b || gone) {
		tell_foreign(d, number, gone);
		if (b)
			b->number = 0;
		return;
	}
	brk_describe(d, &now, b);
	if (b->told && !strcmp(b->told, str_get(&now)))
		return;
	say_near(d, b, str_get(&now));
	str_set(&b->told, str_get(&now));
	struct str *t = dap_event(d, "breakpoint");
	emit_str(t, "reason", "changed");
	emit_object(t, "breakpoint");
	str_add(t, str_get(&now));
	emit_object_end(t);
	dap_send(d);
}

void breaks_loaded(struct dap *d)
{
	for (size_t i = 0; i < d->breaks.n; i++) {
		const struct brk *b = &d->breaks.v[i];

		if (b->number && b->told &&
		    strstr(b->told, "\"verified\":false"))
			breaks_changed(d, b->number, false);
	}
}

void breaks_stopped(struct dap *d)
{
	for (size_t i = 0; i < d->breaks.n; i++) {
		const struct brk *b = &d->breaks.v[i];

		if (b->number && b->told && strstr(b->told, "did not stop"))
			breaks_changed(d, b->number, false);
	}
}

void breaks_disable(struct dap *d)
{
	_cleanup_arena_ struct arena *arena = arena_create();
	struct dbg_breakpoint *list;
	size_t n = 0;

	dap_warn(d, dbg_break_list(d->dbg, arena, &list, &n));
	for (size_t i = 0; i < n; i++)
		dap_warn(d, dbg_break_enable(d->dbg, list[i].number, false));
}

struct reason {
	const char *group, *reason;
};

static const struct reason reasons[] = {
    {"instruction", "instruction breakpoint"},
    {"data", "data breakpoint"},
};

const char *breaks_reason(const struct breaks *b, uint32_t number)
{
	const struct brk *k = by_number(b, number);

	for (size_t i = 0; k && i < sizeof(reasons) / sizeof(*reasons); i++)
		if (!strcmp(k->group, reasons[i].group))
			return reasons[i].reason;
	return "breakpoint";
}
