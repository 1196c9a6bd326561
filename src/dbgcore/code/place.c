/*
 * File and line to places.
 *
 * One line is chosen per document, then the method with the leftmost statement
 * that starts there gets a place. The choice, in this order:
 *   1. the line itself, if a statement starts on it;
 *   2. the start of a statement that spans it, if that statement belongs to
 *      the innermost body around the line: a line inside a lambda is not a
 *      part of the call that the lambda is an argument of;
 *   3. the next line where a statement starts.
 * So a breakpoint on the second line of a long expression stops before the
 * expression, as Visual Studio does, where gdb would look further down and
 * miss it.
 */
#include "code/code_priv.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "meta/il.h"

/* ---- File and line to places --------------------------------------------- */

static bool is_slash(char ch)
{
	return ch == '/' || ch == '\\';
}

// Is @tail the end of @path, whole components only?
static bool ends_in(const char *path, const char *tail)
{
	size_t n = strlen(path), n_tail = strlen(tail);

	if (!n_tail || n_tail > n)
		return false;
	for (size_t i = 0; i < n_tail; i++) {
		char a = path[n - n_tail + i], b = tail[i];

		if (a != b && !(is_slash(a) && is_slash(b)))
			return false;
	}
	return n == n_tail || is_slash(tail[0]) ||
	       is_slash(path[n - n_tail - 1]);
}

// @file without a leading `./` or `../`: its directory is not known here.
static const char *without_dots(const char *file)
{
	for (;;) {
		const char *rest = file + strspn(file, ".");

		if (rest == file || rest > file + 2 || !is_slash(*rest))
			return file;
		while (is_slash(*rest))
			rest++;
		file = rest;
	}
}

/* Is @name the file name of @path, which may be a Windows path? */
static bool same_name(const char *name, const char *path)
{
	const char *own = str_basename(path);

	return source_is_windows(path) ? !strcasecmp(name, own)
				       : !strcmp(name, own);
}

/* Is @file where the user's rules say that @path is, there or not? */
static bool is_ruled(struct code *c, const char *path, const char *file)
{
	struct arena *arena = arena_create();
	const char *to =
	    c->rules ? source_rules_apply(c->rules, path, arena) : path;
	bool same = strlen(to) == strlen(file) && ends_in(to, file);

	arena_destroy(arena);
	return same;
}

/* How well the path of document @rid matches the name @file. */
static enum code_match place_match(struct code *c, struct module *mod,
				   uint32_t rid, const char *file)
{
	const char *path = pdb_document_path(mod->m.pdb, rid);
	const char *moved = module_document(c, mod, rid);
	const char *name = str_basename(file);

	if (!strcmp(file, moved))
		return CODE_MATCH_FILE;
	if (strcmp(name, str_basename(moved)) && !same_name(name, path))
		return CODE_MATCH_NONE;
	size_t n = strlen(file);
	if ((n == strlen(path) && ends_in(path, file)) ||
	    (n == strlen(moved) && ends_in(moved, file)) ||
	    is_ruled(c, path, file) || file_same(file, moved))
		return CODE_MATCH_FILE;
	// A full path is no tail of another one, but may lead to a copy of the
	// file that was compiled, which is not where it was.
	if (is_slash(file[0]))
		return access(moved, R_OK) && source_is_text(c, mod, rid, file)
			   ? CODE_MATCH_FILE
			   : CODE_MATCH_NONE;
	file = without_dots(file);
	return ends_in(path, file) || ends_in(moved, file) ? CODE_MATCH_TAIL
							   : CODE_MATCH_NONE;
}

bool place_is_document(struct code *c, struct module *mod, uint32_t rid,
		       const char *file)
{
	return place_match(c, mod, rid, file) != CODE_MATCH_NONE;
}

enum code_match code_place_match(struct code *c, const struct code_place *p,
				 const char *file)
{
	return place_match(c, module_of(p->module), p->document, file);
}

/* Does @file match the document so well that a breakpoint may be set by it? */
static bool place_takes(struct code *c, struct module *mod, uint32_t rid,
			const char *file)
{
	return place_is_document(c, mod, rid, file) &&
	       (!c->symbols || !c->symbols->exact || !source_note(c, mod, rid));
}

const char *code_file_note(struct code *c, struct code_module *m,
			   const char *file)
{
	uint32_t n = m->pdb ? pdb_n_documents(m->pdb) : 0;
	const char *note = NULL;

	for (uint32_t rid = 1; !note && rid <= n; rid++)
		if (place_is_document(c, module_of(m), rid, file))
			note = source_note(c, module_of(m), rid);
	return note;
}

uint32_t code_file_lost(struct code *c, struct code_module *m, const char *file)
{
	uint32_t n = m->pdb ? pdb_n_documents(m->pdb) : 0, n_lost = 0;

	for (uint32_t rid = 1; rid <= n; rid++)
		if (place_is_document(c, module_of(m), rid, file))
			n_lost += pdb_n_lost(m->pdb, rid);
	return n_lost;
}

const char *code_file_near(struct code *c, struct code_module *m,
			   const char *file)
{
	uint32_t n = m->pdb ? pdb_n_documents(m->pdb) : 0;

	for (uint32_t rid = 1; rid <= n; rid++) {
		const char *path = module_document(c, module_of(m), rid);
		if (access(path, R_OK) && same_name(str_basename(file), path))
			return path;
	}
	return NULL;
}

bool code_has_file(struct code *c, struct code_module *m, const char *file)
{
	uint32_t n = m->pdb ? pdb_n_documents(m->pdb) : 0;

	for (uint32_t rid = 1; rid <= n; rid++)
		if (place_is_document(c, module_of(m), rid, file))
			return true;
	return false;
}

void place_add(struct place_list *list, const struct code_place *place)
{
	if (list->n == list->cap) {
		size_t cap = list->cap ? list->cap * 2 : 8;
		struct code_place *more =
		    arena_calloc(list->arena, cap, sizeof(*more));

		if (list->n)
			memcpy(more, list->places, list->n * sizeof(*more));
		list->places = more;
		list->cap = cap;
	}
	list->places[list->n++] = *place;
}

/* ---- The choice of a line -------------------------------------------- */

struct choice {
	uint32_t document, line; /* asked for */
	bool exact;              /* a statement starts on the line */
	uint32_t next;           /* least line behind it, UINT32_MAX: none */
	uint32_t span;           /* start of a statement around it, 0: none */
	uint32_t innermost;      /* length of the innermost body around it */
};

static void look_at_method(struct choice *ch, struct module *mod,
			   const struct pdb_method_lines *e)
{
	const struct module_points *p =
	    module_points(mod, MD_TOKEN(MD_METHODDEF, e->method_rid));
	uint32_t span = 0;

	for (size_t i = 0; i < p->n; i++) {
		const struct seq_point *sp = &p->points[i];

		if (!sp->line || sp->document != ch->document)
			continue;
		if (sp->line == ch->line)
			ch->exact = true;
		if (sp->line > ch->line && sp->line < ch->next)
			ch->next = sp->line;
		if (sp->line < ch->line && sp->end_line >= ch->line &&
		    sp->line > span)
			span = sp->line;
	}
	if (e->max_line - e->min_line < ch->innermost) {
		ch->innermost = e->max_line - e->min_line;
		ch->span = span;
	}
}

// The line to use for @line of document @rid; 0 if no code follows.
static uint32_t line_choose(struct module *mod, uint32_t rid, uint32_t line,
			    bool *ret_exact)
{
	size_t n, end;
	const struct pdb_method_lines *index = pdb_method_index(mod->m.pdb, &n);
	struct choice ch = {
	    .document = rid,
	    .line = line,
	    .next = UINT32_MAX,
	    .innermost = UINT32_MAX,
	};
	size_t i = pdb_methods_around(mod->m.pdb, rid, line, &end);

	if (end < n && index[end].document == rid)
		ch.next = index[end].min_line;
	for (; i < end; i++)
		if (index[i].max_line >= line)
			look_at_method(&ch, mod, &index[i]);
	*ret_exact = ch.exact;
	if (ch.exact)
		return line;
	uint32_t next = ch.next == UINT32_MAX ? 0 : ch.next;
	// with a method whose lines are not known it may be that one's line
	if (pdb_n_lost(mod->m.pdb, rid))
		return texts_is_blank(mod, rid, line, next) ? next : 0;
	return ch.span ? ch.span : next;
}

// The first statement in IL order that begins on @line of document @rid, since
// of a `for` it is the initialiser; NULL if there is none.
static const struct seq_point *first_on(struct module *mod, uint32_t token,
					uint32_t rid, uint32_t line)
{
	const struct module_points *p = module_points(mod, token);

	for (size_t i = 0; i < p->n; i++)
		if (p->points[i].line == line && p->points[i].document == rid)
			return &p->points[i];
	return NULL;
}

// The leftmost of the methods with a statement on @line of document @rid: the
// others are inside of it (lambdas) or beside it. Several if the compiler
// copied the statement (initialisers, to each constructor).
static void collect(struct module *mod, uint32_t rid, uint32_t line,
		    struct place_list *list)
{
	size_t n, end, before = list->n;
	struct seq_point best = {0};
	const struct pdb_method_lines *index = pdb_method_index(mod->m.pdb, &n);

	for (size_t i = pdb_methods_around(mod->m.pdb, rid, line, &end);
	     i < end; i++) {
		const struct pdb_method_lines *e = &index[i];

		if (e->max_line < line)
			continue;
		struct code_place place = {
		    .module = &mod->m,
		    .token = MD_TOKEN(MD_METHODDEF, e->method_rid),
		    .version = code_method_version(
			&mod->m, MD_TOKEN(MD_METHODDEF, e->method_rid)),
		    .document = rid,
		    .line = line,
		};
		const struct seq_point *point =
		    first_on(mod, place.token, rid, line);
		if (!point || (best.line && point->column > best.column))
			continue;
		if (best.line && point->column < best.column)
			list->n = before;
		best = *point;
		place.il_offset = point->il_offset;
		place_add(list, &place);
	}
}

struct dbg_error *code_find_line(struct code *c, struct code_module *m,
				 const char *file, uint32_t line,
				 struct arena *arena, struct code_place **ret,
				 size_t *ret_n)
{
	struct module *mod = module_of(m);
	struct place_list exact = {.arena = arena};
	struct place_list moved = {.arena = arena};
	uint32_t nearest = UINT32_MAX;
	uint32_t n = m->pdb ? pdb_n_documents(m->pdb) : 0;

	for (uint32_t rid = 1; rid <= n; rid++) {
		bool is_exact;

		if (!place_takes(c, mod, rid, file))
			continue;
		uint32_t chosen = line_choose(mod, rid, line, &is_exact);
		if (!chosen)
			continue;
		if (is_exact) {
			collect(mod, rid, chosen, &exact);
			continue;
		}
		uint32_t far = chosen > line ? chosen - line : line - chosen;
		if (far > nearest)
			continue;
		if (far < nearest)
			moved.n = 0;
		nearest = far;
		collect(mod, rid, chosen, &moved);
	}
	// Of two files of that name the one with code on the line, or nearest
	// to it, is meant.
	const struct place_list *list = exact.n ? &exact : &moved;
	*ret = list->places;
	*ret_n = list->n;
	return NULL;
}

const char *code_place_path(struct code *c, const struct code_place *p,
			    struct arena *arena)
{
	return arena_strdup(
	    arena, module_document(c, module_of(p->module), p->document));
}

bool code_has_source(struct code *c, struct code_module *m, uint32_t token)
{
	const struct module_points *p = module_points(module_of(m), token);

	(void)c;
	for (size_t i = 0; i < p->n; i++)
		if (p->points[i].line)
			return true;
	return false;
}

uint32_t code_move_next(struct code *c, struct code_module *m,
			uint32_t kickoff_token)
{
	(void)c;
	if (!m->pdb || MD_TOKEN_TABLE(kickoff_token) != MD_METHODDEF)
		return 0;
	uint32_t rid = pdb_move_next_of(m->pdb, MD_TOKEN_RID(kickoff_token));
	return rid ? MD_TOKEN(MD_METHODDEF, rid) : 0;
}

/* ---- Where a method begins ------------------------------------------- */

static bool hits(const struct il_insn *insn, uint32_t target)
{
	uint32_t end = insn->offset + insn->size;
	struct reader r;

	if (!insn->op)
		return false;
	if (insn->op->operand == IL_BR1 || insn->op->operand == IL_BR4)
		return insn->value == target;
	if (insn->op->operand != IL_SWITCH)
		return false;
	reader_init(&r, insn->cases, (size_t)insn->n_cases * 4);
	for (uint32_t i = 0; i < insn->n_cases; i++)
		if (end + reader_u32(&r) == target)
			return true;
	return false;
}

// Does any branch of the body go to @target: is it the head of a loop?
static bool is_branch_target(struct bytes code, uint32_t target)
{
	struct il_insn insn;

	for (uint32_t at = 0; il_decode(code, at, &insn); at += insn.size)
		if (hits(&insn, target))
			return true;
	return false;
}

static bool is_nop(struct bytes code, const struct seq_point *p)
{
	enum {
		NOP = 0
	};

	return p->line && p->il_offset < code.n && code.p[p->il_offset] == NOP;
}

// Is the point only a brace? The compiler makes a nop for it.
static bool is_brace(struct bytes code, const struct seq_point *p)
{
	return is_nop(code, p) && p->line == p->end_line &&
	       p->end_column == p->column + 1;
}

// Does the point only open the body: a brace, or the header of Visual Basic?
static bool is_opening(struct code_module *m, struct bytes code,
		       const struct seq_point *p)
{
	return is_brace(code, p) ||
	       (is_nop(code, p) &&
		pdb_document_is_vb(module_of(m)->m.pdb, p->document));
}

// The point to stop at of the body whose first visible one is @sp: what is
// behind what opens it, unless that would stop more than once a call.
static const struct seq_point *entry_point(struct code_module *m,
					   struct bytes code,
					   const struct module_points *p,
					   const struct seq_point *sp)
{
	const struct seq_point *next = sp + 1;

	if (!is_opening(m, code, sp) || next == p->points + p->n || !next->line)
		return sp;
	// A brace behind it opens a block, often of a loop; at the end it
	// closes an empty body.
	if (is_brace(code, next))
		return sp;
	return is_branch_target(code, next->il_offset) ? sp : next;
}

void code_entry(struct code *c, struct code_module *m, uint32_t token,
		struct code_place *ret)
{
	const struct module_points *p = module_points(module_of(m), token);
	size_t i = 0;

	*ret = (struct code_place){
	    .module = m,
	    .token = token,
	    .version = code_method_version(m, token),
	};
	while (i < p->n && !p->points[i].line)
		i++;
	if (i == p->n)
		return;
	const struct seq_point *sp = &p->points[i];
	if (!c->symbols || !c->symbols->at_brace) {
		struct arena *arena = arena_create();
		struct il_body body;
		module_body(m, token, arena, &body);
		sp = entry_point(m, body.code, p, sp);
		arena_destroy(arena);
	}
	ret->il_offset = sp->il_offset;
	ret->document = sp->document;
	ret->line = sp->line;
}

/* ---- Statements of a file by line and column ----------------------------- */

/*
 * Statements of a file by line and column: the ones in a range, for editors,
 * and the one that a column of a breakpoint means.
 */

static void each_of_method(struct module *mod, const struct pdb_method_lines *e,
			   const struct code_spot *spot, code_point_fn *fn,
			   void *arg, const char *path)
{
	uint32_t token = MD_TOKEN(MD_METHODDEF, e->method_rid);
	const struct module_points *p = module_points(mod, token);
	uint32_t last = spot->last_line ? spot->last_line : spot->line;

	for (size_t i = 0; i < p->n; i++) {
		const struct seq_point *sp = &p->points[i];

		if (sp->line && sp->document == e->document &&
		    sp->line >= spot->line && sp->line <= last)
			fn(arg, path, token, sp);
	}
}

void code_each_point(struct code *c, struct code_module *m,
		     const struct code_spot *spot, code_point_fn *fn, void *arg)
{
	struct module *mod = module_of(m);
	uint32_t last = spot->last_line ? spot->last_line : spot->line;
	size_t n = 0;
	const struct pdb_method_lines *index =
	    m->pdb ? pdb_method_index(m->pdb, &n) : NULL;
	uint32_t document = 0;
	bool meant = false;

	for (size_t i = 0; i < n; i++) {
		const struct pdb_method_lines *e = &index[i];

		// sorted by document
		if (e->document != document) {
			document = e->document;
			meant = place_takes(c, mod, document, spot->file);
		}
		if (meant && e->min_line <= last && e->max_line >= spot->line)
			each_of_method(mod, e, spot, fn, arg,
				       module_document(c, mod, document));
	}
}

struct point_choice {
	uint32_t column;
	uint32_t token; /* 0: none yet */
	struct seq_point best;
};

static uint32_t width(const struct seq_point *p)
{
	return p->end_line > p->line ? UINT32_MAX : p->end_column - p->column;
}

static void consider(void *arg, const char *path, uint32_t token,
		     const struct seq_point *p)
{
	struct point_choice *ch = arg;

	(void)path;
	if (p->column > ch->column ||
	    (p->end_line == p->line && p->end_column <= ch->column))
		return;
	if (ch->token && width(p) >= width(&ch->best))
		return;
	ch->token = token;
	ch->best = *p;
}

struct dbg_error *code_find_column(struct code *c, struct code_module *m,
				   const struct code_spot *spot,
				   struct arena *arena, struct code_place **ret,
				   size_t *ret_n)
{
	struct point_choice ch = {.column = spot->column};

	code_each_point(c, m, spot, consider, &ch);
	*ret_n = 0;
	if (!ch.token)
		return NULL;
	*ret = arena_calloc(arena, 1, sizeof(**ret));
	**ret = (struct code_place){
	    .module = m,
	    .token = ch.token,
	    .version = code_method_version(m, ch.token),
	    .il_offset = ch.best.il_offset,
	    .document = ch.best.document,
	    .line = ch.best.line,
	    .column = ch.best.column,
	};
	*ret_n = 1;
	return NULL;
}

void code_each_path(struct code *c, struct code_module *m, code_name_fn *fn,
		    void *arg)
{
	uint32_t n = m->pdb ? pdb_n_documents(m->pdb) : 0;

	for (uint32_t rid = 1; rid <= n; rid++)
		fn(arg, module_document(c, module_of(m), rid));
}
