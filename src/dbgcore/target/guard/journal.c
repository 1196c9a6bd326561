/*
 * The undo journal: what we have written into the runtime's data, by which the
 * runtime knows that it is debugged: the flags of its notifications, its table
 * of methods whose code is waited for, the probes of a step. If that stayed
 * when we are gone, the program would pay for it for the rest of its life: a
 * C++ throw for each exception that it catches.
 *
 * Before each write, an entry is made in a table in the program, beside the
 * table of traps: the address, the original contents, the present contents and
 * the new contents. Whoever cleans up behind us puts the original back where
 * the memory has the present or the new contents; where it has neither, it
 * belongs to somebody else by now. An entry goes when the original has been
 * written back. So when the journal is empty the runtime is as we have found
 * it, at whichever call we die.
 */
#include "target/live/live.h"
#include "target/guard/orphan.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

enum {
	UNIT = 8,
};

struct journal_entry {
	struct orphan_undo undo;
	size_t slot;
	bool kept; /* by journal_keep */
};

// The bytes of a write that are in one aligned word.
struct unit {
	uint64_t addr;     /* of the word */
	size_t first, end; /* in the word */
	size_t at;         /* in the write */
};

static struct unit unit_at(uint64_t addr, size_t n, size_t at)
{
	size_t first = (size_t)((addr + at) % UNIT), left = n - at;
	size_t end = left < UNIT - first ? first + left : UNIT;

	return (struct unit){addr + at - first, first, end, at};
}

static size_t unit_size(const struct unit *u)
{
	return u->end - u->first;
}

static uint64_t unit_mask(const struct unit *u)
{
	return (UINT64_C(1) << u->end) - (UINT64_C(1) << u->first);
}

// The word with the bytes of the write at their places in memory.
static uint64_t unit_word(const void *buf, const struct unit *u)
{
	uint64_t word = 0;

	memcpy((uint8_t *)&word + u->first, (const uint8_t *)buf + u->at,
	       unit_size(u));
	return word;
}

// Expand a mask of bytes to a mask of bits.
static uint64_t bits_of(uint64_t mask)
{
	uint64_t bits = 0;

	for (size_t i = 0; i < UNIT; i++)
		if (mask >> i & 1)
			((uint8_t *)&bits)[i] = UINT8_MAX;
	return bits;
}

// @a with the bits of @b.
static uint64_t combine(uint64_t a, uint64_t b, uint64_t bits)
{
	return (a & ~bits) | (b & bits);
}

static struct journal_entry *entry_find(struct journal *j, const struct unit *u)
{
	for (size_t i = 0; i < j->n; i++)
		if (j->entries[i].undo.addr == u->addr)
			return &j->entries[i];
	return NULL;
}

static struct journal_entry *entry_add(struct journal *j, const struct unit *u)
{
	size_t slot = 0;

	while (slot < ORPHAN_UNDO_MAX && j->used[slot])
		slot++;
	if (slot == ORPHAN_UNDO_MAX)
		return NULL;
	j->used[slot] = true;
	mem_grow(&j->entries, &j->cap, j->n, sizeof(*j->entries));
	j->entries[j->n++] = (struct journal_entry){
	    .undo = {.addr = u->addr},
	    .slot = slot,
	    .kept = j->keeps,
	};
	return &j->entries[j->n - 1];
}

static uint64_t slot_at(const struct live *l, size_t slot, size_t field)
{
	return orphan_data_at(l, offsetof(struct orphan_data, undos) +
				     slot * sizeof(struct orphan_undo) + field);
}

// The address comes last: an entry that has one is whole.
static void entry_write(struct orphan_words *w, const struct journal_entry *e)
{
	const struct orphan_undo *u = &e->undo;

	orphan_words_put(
	    w, slot_at(w->l, e->slot, offsetof(struct orphan_undo, old)),
	    u->old);
	orphan_words_put(
	    w, slot_at(w->l, e->slot, offsetof(struct orphan_undo, now)),
	    u->now);
	orphan_words_put(
	    w, slot_at(w->l, e->slot, offsetof(struct orphan_undo, next)),
	    u->next);
	orphan_words_put(
	    w, slot_at(w->l, e->slot, offsetof(struct orphan_undo, mask)),
	    u->mask);
	orphan_words_put(
	    w, slot_at(w->l, e->slot, offsetof(struct orphan_undo, addr)),
	    u->addr);
}

static void entry_drop(struct orphan_words *w, struct journal_entry *e)
{
	struct journal *j = &w->l->journal;

	orphan_words_put(
	    w, slot_at(w->l, e->slot, offsetof(struct orphan_undo, addr)), 0);
	j->used[e->slot] = false;
	*e = j->entries[--j->n];
}

// Add a write of @next over @now to what is known of the word.
static void entry_extend(struct journal_entry *e, uint64_t mask, uint64_t now,
			 uint64_t next)
{
	struct orphan_undo *u = &e->undo;
	uint64_t bits = bits_of(mask);

	u->old = combine(u->old, now, bits_of(mask & ~u->mask));
	u->now = combine(u->next, now, bits);
	u->next = combine(u->now, next, bits);
	u->mask |= mask;
}

// Enter what a write of @buf over @was changes.
static struct dbg_error *journal_enter(struct orphan_words *w, uint64_t addr,
				       const void *was, const void *buf,
				       size_t n)
{
	struct journal *j = &w->l->journal;

	for (size_t at = 0; at < n;) {
		struct unit u = unit_at(addr, n, at);
		uint64_t now = unit_word(was, &u), next = unit_word(buf, &u);

		at += unit_size(&u);
		if (now == next)
			continue;
		struct journal_entry *e = entry_find(j, &u);
		if (!e)
			e = entry_add(j, &u);
		if (!e)
			return dbg_err(DBG_E_TARGET,
				       "more than %d changes of the runtime at "
				       "once",
				       ORPHAN_UNDO_MAX);
		entry_extend(e, unit_mask(&u), now, next);
		entry_write(w, e);
	}
	orphan_words_flush(w);
	if (w->failed)
		return dbg_err(DBG_E_MEMORY, "cannot write the journal in the "
					     "program");
	return NULL;
}

// Drop the entries of data that has its old contents again.
static void drop_restored(struct orphan_words *w, uint64_t addr, size_t n)
{
	for (size_t at = 0; at < n;) {
		struct unit u = unit_at(addr, n, at);
		struct journal_entry *e = entry_find(&w->l->journal, &u);

		at += unit_size(&u);
		if (e &&
		    !((e->undo.old ^ e->undo.next) & bits_of(e->undo.mask)))
			entry_drop(w, e);
	}
	orphan_words_flush(w);
}

static struct dbg_error *write_entered(struct live *l, uint64_t addr,
				       const void *buf, size_t n)
{
	struct dbg_error *err;
	_cleanup_free_ uint8_t *was = xmalloc(n);
	_cleanup_free_ struct orphan_words *w = xcalloc(1, sizeof(*w));

	w->l = l;
	if (live_read(&l->target, addr, was, n) != n)
		return live_write(&l->target, addr, buf, n);
	err = journal_enter(w, addr, was, buf, n);
	if (!err)
		err = live_write(&l->target, addr, buf, n);
	if (!err)
		drop_restored(w, addr, n);
	return err;
}

struct dbg_error *journal_write(struct target *t, uint64_t addr,
				const void *buf, size_t n)
{
	struct dbg_error *err = NULL;
	struct live *l = live_of(t);

	if (!l->survives)
		return live_write(t, addr, buf, n);
	if (!l->orphan.addr)
		err = orphan_install(l);
	return err ? err : write_entered(l, addr, buf, n);
}

void journal_begin(struct target *t)
{
	live_of(t)->journal.keeps = true;
}

void journal_keep(struct target *t)
{
	struct live *l = live_of(t);
	_cleanup_free_ struct orphan_words *w = xcalloc(1, sizeof(*w));

	w->l = l;
	l->journal.keeps = false;
	for (size_t i = l->journal.n; i-- > 0;)
		if (l->journal.entries[i].kept)
			entry_drop(w, &l->journal.entries[i]);
	orphan_words_flush(w);
}

void journal_undo_one(struct live *l, const struct orphan_undo *undo)
{
	uint64_t value = 0, bits = bits_of(undo->mask);

	if (!undo->addr || undo->addr % UNIT ||
	    live_read(&l->target, undo->addr, &value, UNIT) != UNIT ||
	    ((value ^ undo->now) & bits && (value ^ undo->next) & bits))
		return;
	for (size_t i = 0; i < UNIT; i++)
		if (undo->mask >> i & 1)
			dbg_error_destroy(
			    live_write(&l->target, undo->addr + i,
				       (const uint8_t *)&undo->old + i, 1));
}

void journal_undo(struct live *l)
{
	_cleanup_free_ struct orphan_words *w = xcalloc(1, sizeof(*w));

	w->l = l;
	while (l->journal.n) {
		struct journal_entry *e = &l->journal.entries[0];

		journal_undo_one(l, &e->undo);
		entry_drop(w, e);
	}
	orphan_words_flush(w);
}

void journal_forget(struct live *l)
{
	free(l->journal.entries);
	memset(&l->journal, 0, sizeof(l->journal));
}
