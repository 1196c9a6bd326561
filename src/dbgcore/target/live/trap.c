/*
 * The traps of a target: a set sorted by address, and arming and lifting of
 * many at a time.
 *
 * While anything runs, exactly one byte is written for each trap: the bytes
 * around it may change under us. While everything is stopped, neighbours
 * share one read and one write. A byte that is no trap any more was written
 * over by the program, and stays as it is.
 */
#include "target/target_priv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

enum {
	RUN_BYTES = 16 * PAGE_BYTES, /* of one read and write */
};

size_t traps_lower(const struct traps *traps, uint64_t addr)
{
	size_t low = 0, high = traps->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (traps->v[mid].addr < addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

struct trap *traps_find(const struct traps *traps, uint64_t addr)
{
	size_t i = traps_lower(traps, addr);

	return i < traps->n && traps->v[i].addr == addr ? &traps->v[i] : NULL;
}

void traps_clear(struct traps *traps)
{
	traps->n = 0;
}

bool target_trap_armed(const struct target *t, uint64_t addr)
{
	return traps_find(&t->traps, addr);
}

void traps_mask(const struct traps *traps, uint64_t addr, void *buf, size_t n)
{
	uint8_t *bytes = buf;

	for (size_t i = traps_lower(traps, addr); i < traps->n; i++) {
		uint64_t off = traps->v[i].addr - addr;

		if (off >= n)
			break;
		if (bytes[off] == ARCH_TRAP)
			bytes[off] = traps->v[i].byte;
	}
}

struct dbg_error *traps_write(struct target *t, uint64_t addr, const void *buf,
			      size_t n)
{
	struct dbg_error *err;
	_cleanup_free_ uint8_t *copy = xmalloc(n);
	size_t first = traps_lower(&t->traps, addr);

	memcpy(copy, buf, n);
	for (size_t i = first; i < t->traps.n; i++) {
		const struct trap *trap = &t->traps.v[i];

		if (trap->addr - addr >= n)
			break;
		if (!trap->lifted)
			copy[trap->addr - addr] = ARCH_TRAP;
	}
	err = t->ops->write_code(t, addr, copy, n);
	if (err)
		return err;
	for (size_t i = first; i < t->traps.n; i++) {
		struct trap *trap = &t->traps.v[i];

		if (trap->addr - addr >= n)
			break;
		trap->byte = ((const uint8_t *)buf)[trap->addr - addr];
	}
	size_t changed = traps_lower(&t->traps, addr + n) - first;
	// What lies beneath may begin before @addr.
	for (size_t i = 0; i < t->traps.n; i++)
		t->traps.v[i].decoded = false;
	return t->ops->traps_arming(t, &t->traps.v[first], changed);
}

static int by_addr(const void *a, const void *b)
{
	uint64_t x, y;

	memcpy(&x, a, sizeof(x));
	memcpy(&y, b, sizeof(y));
	return x < y ? -1 : x > y;
}

// Sort, and keep those once whose being armed is @armed; the new number.
static size_t select_addrs(const struct target *t, uint64_t *addrs, size_t n,
			   bool armed)
{
	size_t kept = 0;

	qsort(addrs, n, sizeof(*addrs), by_addr);
	for (size_t i = 0; i < n; i++) {
		if (kept && addrs[kept - 1] == addrs[i])
			continue;
		if (target_trap_armed(t, addrs[i]) == armed)
			addrs[kept++] = addrs[i];
	}
	return kept;
}

// How many of the sorted @addrs are close enough to be changed as one run.
static size_t run_length(const uint64_t *addrs, size_t n)
{
	size_t i = 1;

	while (i < n && addrs[i] - addrs[0] < RUN_BYTES &&
	       addrs[i] / PAGE_BYTES - addrs[i - 1] / PAGE_BYTES <= 1)
		i++;
	return i;
}

struct change {
	struct target *t;
	struct traps done;     /* what was armed or lifted */
	struct dbg_error *err; /* the first */
	bool arm;
};

static void change_fail(struct change *c, struct dbg_error *err)
{
	if (!err)
		return;
	if (c->err)
		dbg_error_destroy(err);
	else
		c->err = err;
}

static void change_note(struct change *c, uint64_t addr, uint8_t byte)
{
	const struct trap *old = traps_find(&c->t->traps, addr);
	struct trap trap = {.addr = addr, .byte = byte};

	mem_grow(&c->done.v, &c->done.cap, c->done.n, sizeof(*c->done.v));
	c->done.v[c->done.n++] = old ? *old : trap;
}

// Write what change_span made, or take note that nothing came of it.
static struct dbg_error *change_write(struct change *c, size_t before,
				      uint64_t base, const uint8_t *span,
				      size_t size)
{
	struct dbg_error *err = NULL;
	struct target *t = c->t;
	struct trap *v = c->done.v + before;
	size_t n = c->done.n - before;

	if (c->arm)
		err = t->ops->traps_arming(t, v, n);
	if (!err)
		err = t->ops->write_code(t, base, span, size);
	if (err && c->arm)
		t->ops->traps_lifted(t, v, n);
	return err;
}

// Change the traps within @span, which was read from @base.
static bool change_span(struct change *c, uint8_t *span, uint64_t base,
			const uint64_t *addrs, size_t n)
{
	bool dirty = false;

	for (size_t i = 0; i < n; i++) {
		uint8_t *byte = &span[addrs[i] - base];
		uint8_t want = ARCH_TRAP;

		if (c->arm)
			change_note(c, addrs[i], *byte);
		else
			want = traps_find(&c->t->traps, addrs[i])->byte;
		if (c->arm ? *byte != ARCH_TRAP : *byte == ARCH_TRAP) {
			*byte = want;
			dirty = true;
		}
		if (!c->arm)
			change_note(c, addrs[i], want);
	}
	return dirty;
}

// Change neighbouring traps with one read and one write; false: they must be
// changed one by one.
static bool change_run(struct change *c, const uint64_t *addrs, size_t n)
{
	struct dbg_error *err = NULL;
	struct target *t = c->t;
	size_t size = (size_t)(addrs[n - 1] - addrs[0]) + 1;
	size_t before = c->done.n;
	_cleanup_free_ uint8_t *span = xmalloc(size);

	if (t->ops->read(t, addrs[0], span, size) < size) {
		if (n > 1)
			return false;
		// The code is gone, and its trap with it.
		if (!c->arm)
			change_note(c, addrs[0], ARCH_TRAP);
		else
			err =
			    dbg_err(DBG_E_MEMORY,
				    "cannot read code at %#" PRIx64, addrs[0]);
	} else if (change_span(c, span, addrs[0], addrs, n)) {
		err = change_write(c, before, addrs[0], span, size);
		// A program that ends meanwhile takes its code with it.
		if (err && !c->arm &&
		    t->ops->read(t, addrs[0], span, size) < size) {
			dbg_error_destroy(err);
			err = NULL;
		}
	}
	if (!err)
		return true;
	c->done.n = before;
	if (n > 1) {
		dbg_error_destroy(err);
		return false;
	}
	change_fail(c, err);
	return true;
}

static void change_all(struct change *c, const uint64_t *addrs, size_t n)
{
	bool frozen = c->t->ops->frozen(c->t);

	for (size_t i = 0; i < n;) {
		size_t run = frozen ? run_length(addrs + i, n - i) : 1;

		if (!change_run(c, addrs + i, run))
			for (size_t j = 0; j < run; j++)
				change_run(c, addrs + i + j, 1);
		i += run;
	}
}

// Merge the sorted new traps into the set.
static void merge(struct traps *set, const struct traps *more)
{
	if (!more->n)
		return;
	if (set->cap < set->n + more->n) {
		set->cap = set->n + more->n + set->n / 2;
		set->v = xrealloc(set->v, set->cap * sizeof(*set->v));
	}
	size_t i = set->n, j = more->n;
	set->n += more->n;
	for (size_t at = set->n; j; at--) {
		if (i && set->v[i - 1].addr > more->v[j - 1].addr)
			set->v[at - 1] = set->v[--i];
		else
			set->v[at - 1] = more->v[--j];
	}
}

static void subtract(struct traps *set, const struct traps *less)
{
	size_t kept = 0, j = 0;

	for (size_t i = 0; i < set->n; i++) {
		if (j < less->n && set->v[i].addr == less->v[j].addr)
			j++;
		else
			set->v[kept++] = set->v[i];
	}
	set->n = kept;
}

static struct dbg_error *change(struct target *t, const uint64_t *addrs,
				size_t n, bool arm)
{
	struct change c = {.t = t, .arm = arm};

	if (!t->ops->write_code)
		return dbg_err(DBG_E_STATE, "no traps can be set here");
	if (!n)
		return NULL;
	_cleanup_free_ uint64_t *todo = xcalloc(n, sizeof(*todo));
	memcpy(todo, addrs, n * sizeof(*todo));
	n = select_addrs(t, todo, n, !arm);
	change_all(&c, todo, n);
	if (arm)
		merge(&t->traps, &c.done);
	else
		subtract(&t->traps, &c.done);
	if (!arm)
		t->ops->traps_lifted(t, c.done.v, c.done.n);
	free(c.done.v);
	return c.err;
}

struct dbg_error *target_traps_arm(struct target *t, const uint64_t *addrs,
				   size_t n)
{
	return change(t, addrs, n, true);
}

struct dbg_error *target_traps_lift(struct target *t, const uint64_t *addrs,
				    size_t n)
{
	return change(t, addrs, n, false);
}
