/*
 * Memory of any target: masked reads over a page cache, writes beneath the
 * traps; and the dispatch of everything else over struct target_ops.
 *
 * The cache holds masked pages and is used only while nothing runs (ops->
 * frozen). Dropping it is one increment; its pages are used again: PAGE_SETS *
 * PAGE_WAYS * 4 KiB = 2 MiB at most, for hundreds of stacks. Those that nobody
 * asks for any more, as most of the launch, are given back now and then.
 *
 * What is asked at one stop is asked at the next again, mostly in the same
 * order, so each page remembers which was asked for behind it, and the first
 * read of a page reads these as well, in one system call. The last page of a
 * stop remembers none: where a stop needs one page, one is read.
 */
#include "target/target_priv.h"

#include <signal.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/err.h"
#include "base/mem.h"

enum {
	// From this size on a read goes past the cache.
	READ_DIRECT = 4 * PAGE_BYTES,
	// Drops after which a page's memory of the next one is no use.
	AHEAD_DROPS = 16,
	STORE_BYTES = PAGE_SETS * PAGE_WAYS * PAGE_BYTES,
};

void target_init(struct target *t, const struct target_ops *ops, pid_t pid)
{
	memset(t, 0, sizeof(*t));
	t->ops = ops;
	t->pid = pid;
	t->cache.stamp = 1;
	t->runs = 1;
}

bool signal_is_fault(int signal)
{
	return signal == SIGSEGV || signal == SIGBUS || signal == SIGFPE ||
	       signal == SIGILL;
}

void target_deinit(struct target *t)
{
	if (t->cache.store)
		munmap(t->cache.store, STORE_BYTES);
	free(t->traps.v);
	proc_times_deinit(&t->times[0]);
	proc_times_deinit(&t->times[1]);
	images_deinit(&t->images);
}

// Give back what was not asked for since the last AHEAD_DROPS drops.
static void pages_trim(struct page_cache *c)
{
	for (size_t i = 0; i < PAGE_SETS; i++) {
		for (size_t j = 0; j < PAGE_WAYS; j++) {
			struct page *page = &c->pages[i][j];

			if (!page->data ||
			    c->stamp - page->asked <= AHEAD_DROPS)
				continue;
			madvise(page->data, PAGE_BYTES, MADV_DONTNEED);
			*page = (struct page){0};
		}
	}
}

void target_cache_drop(struct target *t)
{
	// Drops between which nothing was read count once.
	if (t->cache.last && ++t->cache.stamp % AHEAD_DROPS == 0)
		pages_trim(&t->cache);
	t->cache.last = NULL;
}

/* ---- Reading --------------------------------------------------------- */

static size_t read_masked(struct target *t, uint64_t addr, void *buf, size_t n)
{
	n = t->ops->read(t, addr, buf, n);
	traps_mask(&t->traps, addr, buf, n);
	return n;
}

static struct page *page_find(struct page_cache *c, uint64_t addr)
{
	struct page *set = c->pages[addr / PAGE_BYTES % PAGE_SETS];

	for (size_t i = 0; i < PAGE_WAYS; i++)
		if (set[i].addr == addr && set[i].data)
			return &set[i];
	return NULL;
}

/*
 * Where the bytes of @page are. They are no part of the heap, so that the
 * system has back what is given back; it has nothing to give for those that
 * were never used.
 */
static uint8_t *page_place(struct page_cache *c, const struct page *page)
{
	if (!c->store)
		c->store = xmap(STORE_BYTES);
	return c->store + (size_t)(page - &c->pages[0][0]) * PAGE_BYTES;
}

// Make place for the page at @addr, where that was that was asked for longest
// ago.
static struct page *page_make(struct page_cache *c, uint64_t addr)
{
	struct page *set = c->pages[addr / PAGE_BYTES % PAGE_SETS];
	struct page *page = &set[c->victim++ % PAGE_WAYS];

	for (size_t i = 0; i < PAGE_WAYS; i++)
		if (set[i].asked < page->asked)
			page = &set[i];
	if (!page->data)
		page->data = page_place(c, page);
	page->addr = addr;
	page->stamp = page->asked = page->next = 0;
	return page;
}

// List @page and those that were asked for behind it at the last stops.
static size_t pages_ahead(struct page_cache *c, struct page *page,
			  struct page **ret)
{
	size_t n = 0;

	for (int i = 0; i < AHEAD_MAX; i++) {
		if (page->stamp != c->stamp)
			ret[n++] = page;
		page->stamp = c->stamp;
		page = page_find(c, page->next);
		if (!page || c->stamp - page->asked > AHEAD_DROPS)
			break;
	}
	return n;
}

static void pages_read(struct target *t, struct page **v, size_t n)
{
	size_t done = 0;

	if (n > 1 && t->ops->read_pages)
		done = t->ops->read_pages(t, v, n);
	if (!done &&
	    t->ops->read(t, v[0]->addr, v[0]->data, PAGE_BYTES) == PAGE_BYTES)
		done = 1;
	for (size_t i = 0; i < n; i++)
		if (i < done)
			traps_mask(&t->traps, v[i]->addr, v[i]->data,
				   PAGE_BYTES);
		else
			v[i]->stamp = 0;
}

static void page_asked(struct page_cache *c, struct page *page)
{
	if (page->asked == c->stamp)
		return;
	page->asked = c->stamp;
	page->next = 0;
	if (c->last && c->last != page)
		c->last->next = page->addr;
	c->last = page;
}

// Get the page at @addr, from the cache or read into it; NULL if it is not all
// there.
static const uint8_t *page_get(struct target *t, uint64_t addr)
{
	struct page_cache *c = &t->cache;
	struct page *page = page_find(c, addr), *ahead[AHEAD_MAX];

	if (!page)
		page = page_make(c, addr);
	if (page->stamp != c->stamp)
		pages_read(t, ahead, pages_ahead(c, page, ahead));
	if (page->stamp != c->stamp)
		return NULL;
	page_asked(c, page);
	return page->data;
}

static size_t read_cached(struct target *t, uint64_t addr, uint8_t *buf,
			  size_t n)
{
	size_t done = 0;

	while (done < n) {
		uint64_t at = addr + done;
		size_t off = at % PAGE_BYTES;
		size_t part = PAGE_BYTES - off;
		const uint8_t *page = page_get(t, at - off);

		if (part > n - done)
			part = n - done;
		if (!page) {
			// A mapping may end inside: ask for just this.
			size_t got = read_masked(t, at, buf + done, part);

			if (got < part)
				return done + got;
		} else {
			memcpy(buf + done, page + off, part);
		}
		done += part;
	}
	return done;
}

// No address range wraps around.
static size_t below_end(uint64_t addr, size_t n)
{
	return n > UINT64_MAX - addr ? (size_t)(UINT64_MAX - addr) : n;
}

size_t target_read_some(struct target *t, uint64_t addr, void *buf, size_t n)
{
	if (n >= READ_DIRECT || !t->ops->frozen(t))
		return target_read_now(t, addr, buf, n);
	return read_cached(t, addr, buf, below_end(addr, n));
}

size_t target_read_now(struct target *t, uint64_t addr, void *buf, size_t n)
{
	return read_masked(t, addr, buf, below_end(addr, n));
}

bool target_has_word(struct target *t, uint64_t addr, size_t n, uint64_t word)
{
	uint64_t words[TARGET_WORDS_MAX];
	size_t size =
	    (n < TARGET_WORDS_MAX ? n : TARGET_WORDS_MAX) * sizeof(*words);

	n = target_read_some(t, addr, words, size) / sizeof(*words);
	for (size_t i = 0; i < n; i++)
		if (words[i] == word)
			return true;
	return false;
}

const void *target_span(struct target *t, uint64_t addr, uint64_t *ret_n)
{
	struct bytes b = {NULL, 0};

	if (t->ops->span)
		b = t->ops->span(t, addr);
	*ret_n = b.n;
	return b.p;
}

struct dbg_error *target_read(struct target *t, uint64_t addr, void *buf,
			      size_t n)
{
	size_t got = target_read_some(t, addr, buf, n);

	if (got < n)
		return dbg_err(DBG_E_MEMORY, "cannot read memory at %#" PRIx64,
			       addr + got);
	return NULL;
}

struct dbg_error *target_read_u64(struct target *t, uint64_t addr,
				  uint64_t *ret)
{
	struct dbg_error *err;
	uint64_t value;

	err = target_read(t, addr, &value, sizeof(value));
	if (err)
		return err;
	*ret = value;
	return NULL;
}

struct dbg_error *target_read_u32(struct target *t, uint64_t addr,
				  uint32_t *ret)
{
	struct dbg_error *err;
	uint32_t value;

	err = target_read(t, addr, &value, sizeof(value));
	if (err)
		return err;
	*ret = value;
	return NULL;
}

/* ---- Writing --------------------------------------------------------- */

struct dbg_error *target_write(struct target *t, uint64_t addr, const void *buf,
			       size_t n)
{
	if (!t->ops->write)
		return dbg_err(DBG_E_STATE,
			       "this program cannot be written to");
	if (!n)
		return NULL;
	target_cache_drop(t);
	size_t i = traps_lower(&t->traps, addr);
	if (i < t->traps.n && t->traps.v[i].addr - addr < n)
		return traps_write(t, addr, buf, n);
	return t->ops->write(t, addr, buf, n);
}

struct dbg_error *target_write_undone(struct target *t, uint64_t addr,
				      const void *buf, size_t n)
{
	if (!t->ops->write_undone || !n)
		return target_write(t, addr, buf, n);
	target_cache_drop(t);
	return t->ops->write_undone(t, addr, buf, n);
}

void target_undone_begin(struct target *t)
{
	if (t->ops->undone_begin)
		t->ops->undone_begin(t);
}

void target_undone_keep(struct target *t)
{
	if (t->ops->undone_keep)
		t->ops->undone_keep(t);
}

/* ---- Dispatch -------------------------------------------------------- */

bool target_can(const struct target *t, enum target_cap cap)
{
	return t->ops->caps & cap;
}

void target_destroy(struct target *t)
{
	if (t)
		t->ops->destroy(t);
}

pid_t target_pid(const struct target *t)
{
	return t->pid;
}

void target_counters(const struct target *t, struct dbg_counters *ret)
{
	*ret = t->counters;
}

void target_log_to(struct target *t, const struct log *log)
{
	t->log = log;
}

const struct log *target_log(const struct target *t)
{
	return t ? t->log : NULL;
}

struct dbg_error *target_threads(struct target *t, struct arena *arena,
				 struct target_thread **ret, size_t *ret_n)
{
	return t->ops->threads(t, arena, ret, ret_n);
}

void target_thread_name(struct target *t, pid_t tid, char ret[16])
{
	t->ops->thread_name(t, tid, ret);
}

uint64_t target_thread_time(struct target *t, pid_t tid)
{
	return t->ops->thread_time ? t->ops->thread_time(t, tid) : 0;
}

void target_times_keep(struct target *t, struct proc_times *times)
{
	for (int i = 0; i < 2; i++) {
		proc_times_deinit(&t->times[i]);
		t->times[i] = times[i];
		times[i] = (struct proc_times){0};
	}
}

static const struct proc_time *time_of(const struct proc_times *t, pid_t tid)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].tid == tid)
			return &t->v[i];
	return NULL;
}

int target_thread_share(struct target *t, pid_t tid)
{
	const struct proc_time *a = time_of(&t->times[0], tid);
	const struct proc_time *b = time_of(&t->times[1], tid);
	uint64_t time = t->times[1].at - t->times[0].at;

	if (!a || !b || b->ready < a->ready || !time)
		return -1;
	if (a->waits && a->waits == b->waits && b->ns > a->ns)
		return 100;
	// rounded up: 0 has not run at all
	uint64_t share = ((b->ready - a->ready) * 100 + time - 1) / time;

	return share < 100 ? (int)share : 100;
}

struct dbg_error *target_regs(struct target *t, pid_t tid, struct regs *ret)
{
	return t->ops->regs(t, tid, ret);
}

struct dbg_error *target_fpregs(struct target *t, pid_t tid, struct fpregs *ret)
{
	return t->ops->fpregs(t, tid, ret);
}

struct dbg_error *target_regs_set(struct target *t, pid_t tid,
				  const struct regs *regs)
{
	if (!t->ops->regs_set)
		return dbg_err(DBG_E_STATE, "registers cannot be set here");
	return t->ops->regs_set(t, tid, regs);
}

struct dbg_error *target_fpregs_set(struct target *t, pid_t tid,
				    const struct fpregs *fpregs)
{
	if (!t->ops->fpregs_set)
		return dbg_err(DBG_E_STATE, "registers cannot be set here");
	return t->ops->fpregs_set(t, tid, fpregs);
}

// Everything from here on is called for targets that can run only.

static struct dbg_error *need_run(const struct target *t)
{
	if (t->ops->caps & TARGET_RUN)
		return NULL;
	return dbg_err(DBG_E_STATE, "this program cannot be run");
}

int target_fd(const struct target *t)
{
	return t->ops->fd ? t->ops->fd(t) : -1;
}

struct dbg_error *target_event_next(struct target *t, struct target_event *ret,
				    bool *ret_any)
{
	struct dbg_error *err = need_run(t);

	return err ? err : t->ops->event_next(t, ret, ret_any);
}

struct dbg_error *target_hit_take(struct target *t, pid_t tid,
				  struct target_hit *ret)
{
	struct dbg_error *err = need_run(t);

	return err ? err : t->ops->hit_take(t, tid, ret);
}

void target_hit_give(struct target *t, pid_t tid, const struct target_hit *hit)
{
	if (t->ops->hit_give)
		t->ops->hit_give(t, tid, hit);
}

void target_hit_keep(struct target *t, const struct target_event *event)
{
	if (t->ops->hit_keep)
		t->ops->hit_keep(t, event);
}

void target_hit_again(struct target *t, const struct target_event *event)
{
	if (t->ops->hit_again)
		t->ops->hit_again(t, event);
}

void target_hits_release(struct target *t)
{
	if (t->ops->hits_release)
		t->ops->hits_release(t);
}

void target_watch_signals(struct target *t, const sigset_t *set)
{
	if (t->ops->watch_signals)
		t->ops->watch_signals(t, set);
}

bool target_signal_is_fatal(struct target *t, int signal)
{
	return t->ops->signal_is_fatal && t->ops->signal_is_fatal(t, signal);
}

struct dbg_error *target_stop_all(struct target *t)
{
	struct dbg_error *err = need_run(t);

	return err ? err : t->ops->stop_all(t);
}

bool target_all_stopped(const struct target *t)
{
	return !t->ops->all_stopped || t->ops->all_stopped(t);
}

bool target_thread_sleeps(struct target *t, pid_t tid)
{
	t->counters.syscalls += 3;
	return proc_state(t->pid, tid) == 'S';
}

void target_run_only(struct target *t, pid_t tid)
{
	t->only = tid;
}

void target_run_others(struct target *t, pid_t tid)
{
	t->but = tid;
}

struct dbg_error *target_resume_all(struct target *t)
{
	struct dbg_error *err = need_run(t);

	return err ? err : t->ops->resume_all(t);
}

struct dbg_error *target_thread_resume(struct target *t, pid_t tid, int signal)
{
	struct dbg_error *err = need_run(t);

	return err ? err : t->ops->thread_resume(t, tid, signal);
}

struct dbg_error *target_thread_step(struct target *t, pid_t tid, bool wait,
				     bool *ret_stepped)
{
	struct dbg_error *err = need_run(t);

	return err ? err : t->ops->thread_step(t, tid, wait, ret_stepped);
}

void target_rouse(struct target *t)
{
	if (t->ops->rouse)
		t->ops->rouse(t);
}

struct dbg_error *target_thread_alone(struct target *t, pid_t tid,
				      const uint64_t *addrs, size_t n,
				      enum target_alone *ret)
{
	struct dbg_error *err = need_run(t);

	return err ? err : t->ops->thread_alone(t, tid, addrs, n, ret);
}

struct dbg_error *target_interrupt(struct target *t)
{
	struct dbg_error *err = need_run(t);

	return err ? err : t->ops->interrupt(t);
}

void target_thread_signal(struct target *t, pid_t tid, int signal)
{
	if (t->ops->thread_signal)
		t->ops->thread_signal(t, tid, signal);
}

struct dbg_error *target_kill(struct target *t)
{
	struct dbg_error *err = need_run(t);

	return err ? err : t->ops->kill(t);
}

pid_t target_tid_inside(struct target *t, pid_t tid)
{
	return t->ops->tid_inside ? t->ops->tid_inside(t, tid) : tid;
}

pid_t target_tid_outside(struct target *t, pid_t inside)
{
	return t->ops->tid_outside ? t->ops->tid_outside(t, inside) : inside;
}

pid_t target_memory_of(struct target *t)
{
	return t->ops->memory_of ? t->ops->memory_of(t) : 0;
}

bool target_ended(struct target *t)
{
	return t->ops->ended && t->ops->ended(t);
}

bool target_dying(const struct target *t)
{
	return t->ops->ended && proc_dying(t->pid);
}

bool target_survives(const struct target *t)
{
	return t->ops->survives && t->ops->survives(t);
}

struct dbg_error *target_guard_renew(struct target *t, pid_t tid)
{
	return t->ops->guard_renew ? t->ops->guard_renew(t, tid) : NULL;
}

void target_trap_yield(struct target *t, uint64_t addr, bool on)
{
	if (t->ops->trap_yield)
		t->ops->trap_yield(t, addr, on);
}

void target_thread_spawns(struct target *t, pid_t tid, bool on)
{
	if (t->ops->thread_spawns)
		t->ops->thread_spawns(t, tid, on);
}

void target_clear_behind(struct target *t, uint64_t addr)
{
	if (t->ops->clear_behind)
		t->ops->clear_behind(t, addr);
}

struct dbg_error *target_detach(struct target *t, bool stopped)
{
	struct dbg_error *err = need_run(t);

	return err ? err : t->ops->detach(t, stopped);
}

struct dbg_error *target_call_leaf(struct target *t, uint64_t addr, uint64_t a,
				   uint64_t b)
{
	struct dbg_error *err = need_run(t);

	return err ? err : t->ops->call_leaf(t, addr, a, b);
}

struct dbg_error *target_find_code(struct target *t, const void *bytes,
				   size_t n, uint64_t *ret, size_t cap,
				   size_t *ret_n)
{
	struct dbg_error *err = need_run(t);

	return err ? err : t->ops->find_code(t, bytes, n, ret, cap, ret_n);
}

void target_follow(struct target *t, bool on)
{
	if (t->ops->follow)
		t->ops->follow(t, on);
}

bool target_has_process(struct target *t, pid_t pid)
{
	return t->ops->has_process && t->ops->has_process(t, pid);
}

struct dbg_error *target_child_pass(struct target *t, pid_t pid, bool ends)
{
	struct dbg_error *err = need_run(t);

	return err ? err : t->ops->child_pass(t, pid, ends);
}

struct dbg_error *target_child_leave(struct target *t, pid_t pid, bool stopped)
{
	struct dbg_error *err = need_run(t);

	return err ? err : t->ops->child_leave(t, pid, stopped);
}

struct dbg_error *target_child_adopt(struct target *t, pid_t pid,
				     struct target **ret)
{
	struct dbg_error *err = need_run(t);

	return err ? err : t->ops->child_adopt(t, pid, ret);
}

struct dbg_error *target_lend(struct target *t, pid_t pid)
{
	struct dbg_error *err = need_run(t);

	return err ? err : t->ops->lend(t, pid);
}

struct dbg_error *target_reclaim(struct target *t)
{
	struct dbg_error *err = need_run(t);

	return err ? err : t->ops->reclaim(t);
}

void target_recall(struct target *t)
{
	t->ops->recall(t);
}

void target_lent_look(struct target *t)
{
	t->ops->lent_look(t);
}

struct dbg_error *target_snapshot(struct target *t, struct target **ret)
{
	struct dbg_error *err = need_run(t);

	return err ? err : t->ops->snapshot(t, ret);
}

struct dbg_error *target_mmap(struct target *t, size_t size, uint64_t *ret)
{
	struct dbg_error *err = need_run(t);

	return err ? err : t->ops->mmap(t, size, ret);
}

struct dbg_error *target_watches_set(struct target *t,
				     const struct target_watch *v)
{
	struct dbg_error *err = need_run(t);

	return err ? err : t->ops->watches_set(t, v);
}
