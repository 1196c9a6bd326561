/*
 * Names of gdb's in expressions: the number of the frame's thread (`$_thread`),
 * and convenience variables, which are whatever was assigned to them.
 */
#include "eval/dollar.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "code/code.h"
#include "stack/stack.h"

/* ---- Values that were shown, by number ----------------------------------- */

enum {
	UNITS_MAX = 1 << 20, // of a string that is kept
};

enum stored_as {
	STORED_NOT,
	STORED_NUMBER, /* of a primitive type: elem, value.bytes */
	STORED_TEXT,   /* units */
	STORED_PLACE,  /* value, in this stop */
	STORED_MOVED,  /* followed, in this stop, in which a call was made */
};

struct stored {
	enum stored_as as;
	enum elem elem;
	struct value value;
	struct followed_value followed; /* PLACE, MOVED */
	uint16_t *units;
	size_t n_units;
};

/* A convenience variable. */
struct variable {
	char *name; /* behind the '$' */
	struct stored stored;
};

struct history {
	struct history *declared; /* NULL: none was */
	struct followed *followed;
	struct stored *values;
	size_t n, cap;
	struct variable *variables;
	size_t n_variables, cap_variables;
};

struct history *history_create(struct followed *followed)
{
	struct history *h = xcalloc(1, sizeof(*h));

	h->followed = followed;
	return h;
}

void history_destroy(struct history *h)
{
	if (!h)
		return;
	history_destroy(h->declared);
	for (size_t i = 0; i < h->n; i++)
		free(h->values[i].units);
	free(h->values);
	for (size_t i = 0; i < h->n_variables; i++) {
		free(h->variables[i].stored.units);
		free(h->variables[i].name);
	}
	free(h->variables);
	free(h);
}

static void stored_stop(struct stored *k, bool returns)
{
	if (k->as == STORED_PLACE || k->as == STORED_MOVED)
		k->as = returns ? STORED_MOVED : STORED_NOT;
}

void history_stop(struct history *h, bool returns)
{
	for (size_t i = 0; i < h->n; i++)
		stored_stop(&h->values[i], returns);
	for (size_t i = 0; i < h->n_variables; i++)
		stored_stop(&h->variables[i].stored, returns);
	if (h->declared)
		history_stop(h->declared, returns);
}

static bool copy_text(struct values *ts, const struct value *v,
		      struct stored *k)
{
	uint32_t n;
	if (value_is_null(ts, v) || !value_string_length(ts, v, &n) ||
	    n > UNITS_MAX)
		return false;
	k->units = xcalloc((size_t)n + 1, sizeof(k->units[0]));
	k->n_units = n;
	if (value_string_read(ts, v, 0, k->units, n))
		return true;
	mem_free_ptr(&k->units);
	return false;
}

/* Keep @v in @k, whatever was there. */
static void stored_keep(struct history *h, struct stored *k, struct values *ts,
			const struct value *v)
{
	struct value at = value_dereference(ts, v);

	free(k->units);
	*k = (struct stored){.as = STORED_PLACE, .value = *v};
	if (at.where == VALUE_ABSENT)
		return;
	uint32_t size = type_size(at.type);
	if (at.type->special == TYPE_SPECIAL_STRING) {
		if (copy_text(ts, &at, k))
			k->as = STORED_TEXT;
	} else if (!at.type->is_reference && size && size <= sizeof(at.bytes) &&
		   value_read(ts, &at, 0, at.bytes, size)) {
		// What is as small can be shown as it was.
		k->value = value_bytes(at.type, at.bytes, size);
		k->elem = at.type->elem;
		if (at.type->kind == TYPE_KIND_PRIM)
			k->as = STORED_NUMBER;
	}
	if (k->as == STORED_PLACE)
		followed_take(h->followed, ts, &k->value, &k->followed);
}

uint32_t history_add(struct history *h, struct values *ts,
		     const struct value *v)
{
	mem_grow(&h->values, &h->cap, h->n, sizeof(h->values[0]));
	h->values[h->n] = (struct stored){.as = STORED_NOT};
	stored_keep(h, &h->values[h->n++], ts, v);
	return (uint32_t)h->n;
}

uint32_t history_last(const struct history *h)
{
	return (uint32_t)h->n;
}

bool history_names(const char *name)
{
	size_t n = strspn(name, "$");
	return (n == 1 || n == 2) &&
	       name[n + strspn(name + n, "0123456789")] == '\0';
}

/* Index of the value meant, from 0; an error if there is none. */
static struct dbg_error *stored_find(const struct history *h, const char *name,
				     size_t *ret)
{
	size_t dollars = strspn(name, "$");
	const char *digits = name + dollars;
	unsigned long long n = strtoull(digits, NULL, 10);
	if (!h->n)
		return dbg_err(DBG_E_NOT_FOUND, "no value was shown yet");
	if (dollars == 1 && *digits) {
		if (n == 0 || n > h->n)
			return dbg_err(DBG_E_NOT_FOUND,
				       "history has not yet reached %s", name);
		*ret = (size_t)n - 1;
		return NULL;
	}
	unsigned long long back = dollars == 1 ? 0 : *digits ? n : 1;
	if (back >= h->n)
		return dbg_err(DBG_E_NOT_FOUND,
			       "history does not go back to %s", name);
	*ret = h->n - 1 - (size_t)back;
	return NULL;
}

/* Get the value again. @name: what the user wrote, for messages. */
static struct dbg_error *stored_recall(const struct history *h,
				       const struct stored *k,
				       struct values *ts, const char *name,
				       struct value *ret)
{
	switch (k->as) {
	case STORED_NUMBER:
		*ret = k->value;
		ret->type = value_type_of_elem(ts, k->elem);
		return NULL;
	case STORED_TEXT:
		*ret = value_text(ts, k->units, k->n_units);
		return NULL;
	case STORED_PLACE:
		*ret = k->value;
		return NULL;
	case STORED_MOVED:
		if (followed_get(h->followed, &k->followed, ret))
			return NULL;
		if (k->followed.age != h->followed->age)
			break;
		return dbg_err(DBG_E_STALE,
			       "%s is not known any more since a call was "
			       "made: it lay within an object, or was the "
			       "debugger's own; evaluate it again",
			       name);
	case STORED_NOT:
		break;
	}
	return dbg_err(DBG_E_STALE,
		       "%s is of an earlier stop: only numbers and strings "
		       "are kept while the program runs",
		       name);
}

struct dbg_error *history_get(const struct history *h, struct values *ts,
			      const char *name, struct value *ret)
{
	char number[32];
	size_t i = 0;
	struct dbg_error *err = stored_find(h, name, &i);

	if (err)
		return err;
	snprintf(number, sizeof(number), "$%zu", i + 1);
	return stored_recall(h, &h->values[i], ts, number, ret);
}

/* ---- Convenience variables ------------------------------------------- */

static struct variable *variable_find(const struct history *h, const char *name)
{
	for (size_t i = 0; i < h->n_variables; i++)
		if (!strcmp(h->variables[i].name, name))
			return &h->variables[i];
	return NULL;
}

static struct stored *variable_place(struct history *h, const char *name)
{
	struct variable *v = variable_find(h, name);

	if (v)
		return &v->stored;
	mem_grow(&h->variables, &h->cap_variables, h->n_variables,
		 sizeof(h->variables[0]));
	v = &h->variables[h->n_variables++];
	*v = (struct variable){.name = xstrdup(name)};
	return &v->stored;
}

void history_set(struct history *h, struct values *ts, const char *name,
		 const struct value *v)
{
	stored_keep(h, variable_place(h, name), ts, v);
}

void history_set_number(struct history *h, const char *name, int64_t number)
{
	struct stored *k = variable_place(h, name);
	bool fits = number == (int32_t)number;

	free(k->units);
	*k = (struct stored){
	    .as = STORED_NUMBER,
	    .elem = fits ? ELEM_I4 : ELEM_I8,
	    .value = value_bytes(NULL, &number,
				 fits ? sizeof(int32_t) : sizeof(int64_t)),
	};
}

struct dbg_error *history_variable(const struct history *h, struct values *ts,
				   const char *name, struct value *ret)
{
	const struct variable *v = variable_find(h, name);
	_cleanup_free_ char *shown = xasprintf("$%s", name);

	if (!v)
		return dbg_err(DBG_E_NOT_FOUND,
			       "'%s' is void: \"set %s = VALUE\" gives it a "
			       "value",
			       shown, shown);
	return stored_recall(h, &v->stored, ts, shown, ret);
}

/* Is there a convenience variable of this name? */
static bool history_has(const struct history *h, const char *name)
{
	return variable_find(h, name) != NULL;
}

/* The declared variables, by their names; owned by @h. */
static struct history *history_declared(struct history *h)
{
	if (!h->declared)
		h->declared = history_create(h->followed);
	return h->declared;
}

bool history_variable_at(const struct history *h, size_t i,
			 struct dbg_variable *ret)
{
	const struct stored *k;
	int32_t small;

	if (i >= h->n_variables)
		return false;
	k = &h->variables[i].stored;
	*ret = (struct dbg_variable){
	    .name = h->variables[i].name,
	    .number = k->as == STORED_NUMBER &&
		      (k->elem == ELEM_I4 || k->elem == ELEM_I8),
	};
	if (!ret->number)
		return true;
	memcpy(&ret->value, k->value.bytes, sizeof(ret->value));
	if (k->elem == ELEM_I4) {
		memcpy(&small, k->value.bytes, sizeof(small));
		ret->value = small;
	}
	return true;
}

/* ---- Variables that the user declares ------------------------------------ */

/* The name of @name in this frame: by its method and where it begins. */
static const char *declared_key(const struct eval *e, const char *name)
{
	const struct frame *f = e->scope->frame;
	const struct code_pos *pos = f ? f->pos : NULL;
	return arena_printf(e->scratch, "%d:%" PRIx64 ":%" PRIx64 " %s",
			    f ? (int)f->tid : 0, pos ? pos->method : 0,
			    f ? f->raw.bp : 0, name);
}

bool declared_names(const struct eval *e, const char *name)
{
	struct history *h = e->history ? history_declared(e->history) : NULL;
	return h && !scope_var(e->scope, name) &&
	       history_has(h, declared_key(e, name));
}

struct dbg_error *declared_get(const struct eval *e, const char *name,
			       struct value *ret)
{
	struct history *h = history_declared(e->history);
	struct dbg_error *err =
	    history_variable(h, e->values, declared_key(e, name), ret);
	if (!err)
		return NULL;
	enum dbg_code code = err->code;
	dbg_error_destroy(err);
	return dbg_err(code,
		       "'%s' is not known any more: of what is declared only "
		       "numbers and strings are kept while the program runs",
		       name);
}

struct dbg_error *declared_set(const struct eval *e, const char *name,
			       const struct value *v)
{
	if (!e->history)
		return dbg_err(DBG_E_UNSUPPORTED,
			       "'%s' cannot be declared here", name);
	if (scope_var(e->scope, name))
		return dbg_err(DBG_E_ARGUMENT,
			       "'%s' is declared in the program already", name);
	history_set(history_declared(e->history), e->values,
		    declared_key(e, name), v);
	return NULL;
}

/* ---- Names of gdb's in expressions --------------------------------------- */

bool dollar_names(const char *name)
{
	return name[0] == '$' && name[1] && !history_names(name) &&
	       !str_starts(name, "$VB$") && strcmp(name, "$exception") &&
	       strcasecmp(name, "$returnvalue");
}

struct dbg_error *dollar_get(const struct eval *e, const char *name,
			     struct value *ret)
{
	int32_t thread;

	if (!strcmp(name, "$_thread") && e->scope->frame) {
		thread = (int32_t)e->scope->frame->thread;
		*ret = value_bytes(value_type_of_elem(e->values, ELEM_I4),
				   &thread, sizeof(thread));
		return NULL;
	}
	if (!e->history)
		return dbg_err(DBG_E_NOT_FOUND, "'%s' is void", name);
	return history_variable(e->history, e->values, name + 1, ret);
}

struct dbg_error *dollar_set(const struct eval *e, const char *name,
			     const struct value *v)
{
	if (stack_register_named(name + 1))
		return dbg_err(DBG_E_UNSUPPORTED,
			       "'%s' is a register, which cannot be assigned "
			       "to",
			       name);
	if (!strcmp(name, "$_thread") || !e->history)
		return dbg_err(DBG_E_ARGUMENT, "'%s' cannot be assigned to",
			       name);
	history_set(e->history, e->values, name + 1, v);
	return NULL;
}
