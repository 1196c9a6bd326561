/*
 * A stopped process as a core would show it, which notes what is read: what a
 * small core has to have, for the same to be seen in it.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "target/core.h"
#include "target/target_priv.h"

struct recording {
	struct target target;
	struct target *of; /* borrowed */
	struct target_spans *spans;
};

static struct recording *recording_of(const struct target *t)
{
	return (struct recording *)(uintptr_t)t;
}

static struct target *under(const struct target *t)
{
	return recording_of(t)->of;
}

void target_spans_add(struct target_spans *s, uint64_t addr, uint64_t n)
{
	if (!n || n > UINT64_MAX - addr)
		return;
	mem_grow(&s->v, &s->cap, s->n, sizeof(*s->v));
	s->v[s->n++] = (struct target_span){addr, addr + n};
}

static int by_start(const void *a, const void *b)
{
	uint64_t x = ((const struct target_span *)a)->start;
	uint64_t y = ((const struct target_span *)b)->start;

	return (x > y) - (x < y);
}

void target_spans_join(struct target_spans *s)
{
	size_t n = 0;

	if (s->n)
		qsort(s->v, s->n, sizeof(*s->v), by_start);
	for (size_t i = 0; i < s->n; i++) {
		uint64_t start = s->v[i].start & ~(uint64_t)(PAGE_BYTES - 1);
		uint64_t end = (s->v[i].end - 1) | (PAGE_BYTES - 1);

		if (n && start <= s->v[n - 1].end) {
			if (end + 1 > s->v[n - 1].end)
				s->v[n - 1].end = end + 1;
			continue;
		}
		s->v[n++] = (struct target_span){start, end + 1};
	}
	s->n = n;
}

void target_spans_deinit(struct target_spans *s)
{
	free(s->v);
}

/* ---- The target ------------------------------------------------------ */

static void recording_destroy(struct target *t)
{
	target_deinit(t);
	free(recording_of(t));
}

static size_t recording_read(struct target *t, uint64_t addr, void *buf,
			     size_t n)
{
	size_t got = target_read_some(under(t), addr, buf, n);

	target_spans_add(recording_of(t)->spans, addr, got);
	return got;
}

static bool recording_frozen(const struct target *t)
{
	(void)t;
	return true;
}

static struct dbg_error *recording_maps(struct target *t, struct proc_maps *ret)
{
	return under(t)->ops->maps(under(t), ret);
}

static struct dbg_error *recording_auxv(struct target *t, uint64_t type,
					uint64_t *ret)
{
	return under(t)->ops->auxv(under(t), type, ret);
}

static const char *recording_root(const struct target *t)
{
	return under(t)->ops->root(under(t));
}

static struct dbg_error *recording_threads(struct target *t,
					   struct arena *arena,
					   struct target_thread **ret,
					   size_t *ret_n)
{
	return target_threads(under(t), arena, ret, ret_n);
}

static void recording_thread_name(struct target *t, pid_t tid, char ret[16])
{
	target_thread_name(under(t), tid, ret);
}

static pid_t recording_tid_inside(struct target *t, pid_t tid)
{
	return target_tid_inside(under(t), tid);
}

static pid_t recording_tid_outside(struct target *t, pid_t inside)
{
	return target_tid_outside(under(t), inside);
}

static pid_t recording_memory_of(struct target *t)
{
	return target_memory_of(under(t));
}

static struct dbg_error *recording_regs(struct target *t, pid_t tid,
					struct regs *ret)
{
	return target_regs(under(t), tid, ret);
}

static struct dbg_error *recording_fpregs(struct target *t, pid_t tid,
					  struct fpregs *ret)
{
	return target_fpregs(under(t), tid, ret);
}

static const struct target_ops recording_ops = {
    .destroy = recording_destroy,
    .read = recording_read,
    .frozen = recording_frozen,
    .maps = recording_maps,
    .auxv = recording_auxv,
    .root = recording_root,
    .threads = recording_threads,
    .thread_name = recording_thread_name,
    .tid_inside = recording_tid_inside,
    .tid_outside = recording_tid_outside,
    .memory_of = recording_memory_of,
    .regs = recording_regs,
    .fpregs = recording_fpregs,
};

struct target *target_recording(struct target *of, struct target_spans *to)
{
	struct recording *r = xcalloc(1, sizeof(*r));

	target_init(&r->target, &recording_ops, of->pid);
	r->of = of;
	r->spans = to;
	return &r->target;
}
