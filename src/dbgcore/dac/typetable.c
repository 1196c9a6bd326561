/*
 * The loaded instantiations of generic types.
 *
 * The DAC enumerates none. The runtime keeps them in a hash table of each
 * module (Module::m_pAvailableParamTypes, an EETypeHashTable), laid out alike
 * in .NET 8, 9 and 10:
 *
 *   table    Module*, heap, buckets, number of entries (32 bits)
 *   buckets  length, next larger buckets (while growing), end mark, then
 *            length chains; a chain ends in a word with bit 0
 *   entry    TypeHandle, next, hash
 *
 * Where Module keeps it differs: found once, in System.Private.CoreLib, by
 * what it looks like.
 */
#include "dac/dac_priv.h"

#include <string.h>

enum {
	MODULE_WORDS = 256, /* of struct Module to look at */
	BUCKETS_MAX = 1 << 20,
	ENTRIES_MAX = 1 << 22,
	HEAD_WORDS = 3, /* of buckets */
	END_BIT = 1,
	GENERATIONS_MAX = 4,
	TRIES_MAX = 64,
};

struct search {
	struct dac *dac;
	uint64_t module;
	uint32_t token;
	const uint64_t *args;
	size_t n_args;
	uint64_t found;
	uint32_t left; /* entries still to be looked at */
};

typedef bool entry_fn(struct search *s, uint64_t mt);

static bool read_words(struct dac *d, uint64_t addr, uint64_t *ret, size_t n)
{
	return target_read_some(d->target, addr, ret, n * 8) == n * 8;
}

// Call @fn for the entries of one chain until it is true.
static bool chain_each(struct search *s, uint64_t entry, entry_fn *fn)
{
	uint64_t words[2];

	while (entry && !(entry & END_BIT) && s->left) {
		s->left--;
		if (!read_words(s->dac, entry, words, 2))
			return false;
		if (!(words[0] & 7) && fn(s, words[0]))
			return true;
		entry = words[1];
	}
	return false;
}

static bool table_each(struct search *s, uint64_t table, entry_fn *fn)
{
	uint64_t head[HEAD_WORDS], chain, buckets;

	if (!read_words(s->dac, table + 16, &buckets, 1))
		return false;
	for (int i = 0; i < GENERATIONS_MAX && buckets; i++) {
		if (!read_words(s->dac, buckets, head, HEAD_WORDS) ||
		    head[0] > BUCKETS_MAX)
			return false;
		for (uint64_t j = 0; j < head[0]; j++) {
			if (!read_words(s->dac, buckets + 8 * (HEAD_WORDS + j),
					&chain, 1))
				return false;
			if (chain_each(s, chain, fn))
				return true;
		}
		buckets = head[1];
	}
	return false;
}

/* ---- Finding the table ----------------------------------------------- */

static bool is_instance(struct search *s, uint64_t mt)
{
	const struct dac_type *type;
	struct dbg_error *err = dac_type_get(s->dac, mt, &type);

	if (err) {
		// What is no type ends the search: this is another table.
		s->left = 0;
		dbg_error_destroy(err);
		return false;
	}
	return dac_is_instance(s->dac, mt);
}

static bool is_param_table(struct dac *d, uint64_t module, uint64_t table)
{
	struct search s = {.dac = d, .left = TRIES_MAX};
	uint64_t words[3], head[HEAD_WORDS];

	return table && !(table & 7) && read_words(d, table, words, 3) &&
	       words[0] == module && !(words[2] & 7) &&
	       read_words(d, words[2], head, HEAD_WORDS) && head[0] &&
	       head[0] <= BUCKETS_MAX && (head[2] & END_BIT) &&
	       table_each(&s, table, is_instance);
}

static void table_locate(struct dac *d)
{
	struct dbg_error *err;
	const struct dac_type *object;
	uint64_t words[MODULE_WORDS];

	d->learned.param_table_tried = true;
	err = dac_type_get(d, dac_globals(d)->object_type, &object);
	if (dbg_err_drop(err))
		return;
	uint64_t module = object->module;
	size_t n =
	    target_read_some(d->target, module, words, sizeof(words)) / 8;
	for (size_t i = 0; i < n && !d->learned.param_table_word; i++)
		if (is_param_table(d, module, words[i]))
			d->learned.param_table_word = i;
}

/* ---- Searching it ---------------------------------------------------- */

static bool is_wanted(struct search *s, uint64_t mt)
{
	struct dbg_error *err;
	const struct dac_type *type;

	if (!dac_args_are(s->dac, mt, s->args, s->n_args))
		return false;
	err = dac_type_get(s->dac, mt, &type);
	bool match =
	    !err && type->module == s->module && type->token == s->token;
	dbg_error_destroy(err);
	if (match)
		s->found = mt;
	return match;
}

static void modules_search(struct search *s)
{
	struct dbg_error *err;
	struct dac_module *modules;
	uint64_t table;
	size_t n;

	struct arena *arena = arena_create();
	err = dac_modules(s->dac, arena, &modules, &n);
	for (size_t i = 0; !err && i < n && !s->found; i++)
		if (read_words(s->dac,
			       modules[i].addr +
				   8 * s->dac->learned.param_table_word,
			       &table, 1) &&
		    table)
			(void)table_each(s, table, is_wanted);
	dbg_error_destroy(err);
	arena_destroy(arena);
}

uint64_t dac_type_search(struct dac *d, uint64_t module, uint32_t token,
			 const uint64_t *args, size_t n_args)
{
	struct search s = {
	    .dac = d,
	    .module = module,
	    .token = token,
	    .args = args,
	    .n_args = n_args,
	    .left = ENTRIES_MAX,
	};

	if (!d->learned.param_table_tried)
		table_locate(d);
	if (d->learned.param_table_word)
		modules_search(&s);
	return s.found;
}
