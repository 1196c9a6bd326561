/*
 * Values that were shown, by number: see history.h. Numbers and text are
 * copied; the rest is a place that is good for one stop.
 */
#include "eval/history.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

enum {
	UNITS_MAX = 1 << 20, // of a string that is kept
};

enum stored_as {
	STORED_NOT,
	STORED_NUMBER, /* of a primitive type: elem, value.bytes */
	STORED_TEXT,   /* units */
	STORED_PLACE,  /* value, in this stop */
};

struct stored {
	enum stored_as as;
	enum elem elem;
	struct value value;
	uint16_t *units;
	size_t n_units;
};

struct history {
	struct stored *values;
	size_t n, cap;
};

struct history *history_create(void)
{
	return xcalloc(1, sizeof(struct history));
}

void history_destroy(struct history *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->n; i++)
		free(h->values[i].units);
	free(h->values);
	free(h);
}

void history_stop(struct history *h)
{
	for (size_t i = 0; i < h->n; i++) {
		if (h->values[i].as == STORED_PLACE)
			h->values[i].as = STORED_NOT;
	}
}

static bool copy_text(struct types *ts, const struct value *v, struct stored *k)
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

uint32_t history_add(struct history *h, struct types *ts, const struct value *v)
{
	struct value at = value_dereference(ts, v);
	mem_grow(&h->values, &h->cap, h->n, sizeof(h->values[0]));
	struct stored *k = &h->values[h->n++];
	memset(k, 0, sizeof(*k));
	k->as = STORED_PLACE;
	k->value = *v;
	if (at.where == VALUE_ABSENT)
		return (uint32_t)h->n;
	uint32_t size = at.type->size;
	if (at.type->special == SPECIAL_STRING) {
		if (copy_text(ts, &at, k))
			k->as = STORED_TEXT;
	} else if (at.type->kind != TYPE_CLASS && size &&
		   size <= sizeof(at.bytes) &&
		   value_read(ts, &at, 0, at.bytes, size)) {
		// What is as small can be shown as it was.
		k->value = value_bytes(at.type, at.bytes, size);
		k->elem = at.type->elem;
		if (at.type->kind == TYPE_PRIM)
			k->as = STORED_NUMBER;
	}
	return (uint32_t)h->n;
}

bool history_names(const char *name)
{
	size_t n = strspn(name, "$");
	return (n == 1 || n == 2) &&
	       name[n + strspn(name + n, "0123456789")] == '\0';
}

/* Index of the value meant, from 0; an error if there is none. */
static struct dbg_error *find(const struct history *h, const char *name,
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

struct dbg_error *history_get(const struct history *h, struct types *ts,
			      const char *name, struct value *ret)
{
	size_t i = 0;
	struct dbg_error *err = find(h, name, &i);
	if (err)
		return err;
	const struct stored *k = &h->values[i];
	switch (k->as) {
	case STORED_NUMBER:
		*ret = k->value;
		ret->type = type_of_elem(ts, k->elem);
		return NULL;
	case STORED_TEXT:
		*ret = value_text(ts, k->units, k->n_units);
		return NULL;
	case STORED_PLACE:
		*ret = k->value;
		return NULL;
	case STORED_NOT:
		break;
	}
	return dbg_err(DBG_E_STALE,
		       "$%zu is of an earlier stop: only numbers and strings "
		       "are kept while the program runs",
		       i + 1);
}
