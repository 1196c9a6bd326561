/*
 * Which exceptions a catchpoint wants: by types (exact or with derived ones),
 * the throwing module, a pattern for the message.
 */
#include "control/exception/filter.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/pattern.h"
#include "base/str.h"
#include "control/breakpoint/bp.h"
#include "control/control_priv.h"

/* ---- What is asked --------------------------------------------------- */

struct dbg_error *filter_init(struct filter *f, const struct dbg_catch *asked)
{
	memset(f, 0, sizeof(*f));
	f->exact = asked->exact;
	f->again = asked->again;
	if (asked->module)
		f->module = xstrdup(asked->module);
	if (!asked->message)
		return NULL;
	f->message = xstrdup(asked->message);
	return pattern_create(f->message, &f->pattern);
}

void filter_deinit(struct filter *f)
{
	free(f->module);
	free(f->message);
	pattern_destroy(f->pattern);
}

/* ---- Types ----------------------------------------------------------- */

/*
 * Is @name the type's name, "System.InvalidOperationException", or its last
 * parts?
 */
static bool name_matches(const char *full, const char *asked, size_t n)
{
	size_t n_full = strlen(full);

	return n <= n_full && !memcmp(full + n_full - n, asked, n) &&
	       (n == n_full || full[n_full - n - 1] == '.');
}

static bool separates(char ch)
{
	return ch == ',' || isspace((unsigned char)ch);
}

/* Length of the name at @s, up to a comma or a blank outside of <>. */
static size_t name_length(const char *s)
{
	int depth = 0;
	size_t n = 0;

	for (; s[n] && (depth > 0 || !separates(s[n])); n++)
		depth += (s[n] == '<') - (s[n] == '>');
	return n;
}

static bool names_have(const char *names, const char *full)
{
	for (const char *s = names; *s;) {
		size_t n = name_length(s);

		if (n && name_matches(full, s, n))
			return true;
		s += n ? n : 1;
	}
	return false;
}

bool filter_types(const char *names, bool exact, const char *const *types,
		  size_t n_types)
{
	if (!names)
		return true;

	bool but = *names == '!';
	bool found = false;

	if (exact && n_types > 1)
		n_types = 1;
	for (size_t i = 0; !found && i < n_types; i++)
		found = names_have(names + but, types[i]);
	return found != but;
}

uint64_t thrown_last(struct control *c, pid_t tid)
{
	const struct dac_thread *t = dac_thread_find(c->dac, tid);

	return t ? t->exception : 0;
}

void thrown_add_types(struct control *c, uint64_t mt, struct thrown *t)
{
	struct dbg_error *err = NULL;

	while (!err && mt && t->n_types < THROWN_TYPES_MAX) {
		const struct dac_type *type;

		t->types[t->n_types++] = code_type_name(c->code, mt);
		err = dac_type_get(c->dac, mt, &type);
		mt = err ? 0 : type->parent;
	}
	dbg_error_destroy(err);
}

/* ---- The rest -------------------------------------------------------- */

static bool is_thrown_in(struct control *c, const char *name,
			 const struct thrown *t)
{
	uint32_t thread = stack_thread_number(c->stack, t->tid);
	const struct frame *f = NULL;
	uint32_t level = 0;

	do {
		struct dbg_error *err =
		    stack_frame(c->stack, thread, level++, &f);

		if (dbg_err_drop(err))
			return false;
	} while (f && (!f->pos || !f->pos->module));
	return f && f->pos->module == code_module_named(c->code, name);
}

bool filter_matches(struct control *c, const struct bp *bp, struct thrown *t)
{
	const struct filter *f = &bp->filter;

	if (!filter_types(bp->text, f->exact, t->types, t->n_types))
		return false;
	if (f->pattern &&
	    !(t->message && pattern_matches(f->pattern, t->message)))
		return false;
	return !f->module || is_thrown_in(c, f->module, t);
}

bool filter_wants(struct control *c, const struct bp *bp, struct thrown *t)
{
	if (!filter_matches(c, bp, t))
		return false;
	return bp->kind != DBG_BREAK_USER_UNHANDLED ||
	       catcher_lets_through(catcher_get(c, t));
}
