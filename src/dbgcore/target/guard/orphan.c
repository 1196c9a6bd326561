/*
 * The orphan trap handler inside a program that is to survive us, whatever
 * happens to us.
 *
 * When we die the kernel lets the threads go, and two things would end the
 * program: a stop at a trap that we have not reaped yet becomes a SIGTRAP, and
 * the traps that stay in memory are hit. So before the first trap is set, the
 * program gets a SIGTRAP handler from us, and a table of all traps, which is
 * always written before a trap is. While we live none of our SIGTRAPs reaches
 * it; when we are dead, the first that does makes it take all traps out.
 *
 * The cleanup process (cleanup.c) does the rest of the cleaning up. It finds
 * the orphan trap handler in the process just as we do when we attach to a
 * process that a dead debugger has left.
 *
 * A thread whose pc we have set before its stop was reaped bears a mark
 * (regs_mark), which means nothing to the thread itself: it is not to be set
 * back to a trap.
 */
#include "target/guard/orphan.h"
#include "target/guard/orphan_code.h"
#include "target/live/inject.h"
#include "target/live/live.h"
#include "target/live/thread.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"

static void journal_forget(struct live *l);
static void journal_undo_one(struct live *l, const struct orphan_undo *undo);

/* ---- The surviving program ----------------------------------------------- */

enum {
	LEAVE_ROUNDS = 1000,
	KERNEL_SA_RESTORER = 0x04000000, /* asm/signal.h, SA_RESTORER */
	DATA_MAX = 64 << 20,             /* of one mapping */
	STACK_WORDS = 96,                /* of a call of libc's sigaction */
	RED_ZONE = 128,                  /* below the stack pointer */
};

#define ORPHAN_ACTION(name) offsetof(struct orphan_data, actions.name)

uint64_t orphan_data_at(const struct live *l, size_t offset)
{
	return l->orphan.addr + ORPHAN_CODE_BYTES + offset;
}

/* ---- Traps and masks ------------------------------------------------- */

void orphan_words_flush(struct orphan_words *w)
{
	size_t want = w->n * sizeof(w->values[0]);

	if (!w->n)
		return;
	w->n = 0;
	w->l->target.counters.syscalls++;
	if (!w->l->memory.no_vm &&
	    process_vm_writev(live_body(w->l), w->local, want / 8, w->remote,
			      want / 8, 0) == (ssize_t)want)
		return;
	for (size_t i = 0; i < want / 8; i++)
		if (pwrite(w->l->memory.fd, &w->values[i], 8,
			   (off_t)(uintptr_t)w->remote[i].iov_base) != 8)
			w->failed = true;
}

void orphan_words_put(struct orphan_words *w, uint64_t addr, uint64_t value)
{
	if (w->n == ORPHAN_WORDS_MAX)
		orphan_words_flush(w);
	w->values[w->n] = value;
	w->local[w->n] = (struct iovec){&w->values[w->n], 8};
	w->remote[w->n] = (struct iovec){(void *)addr, 8};
	w->n++;
}

static uint64_t slot_addr(const struct live *l, uint32_t slot)
{
	return orphan_data_at(l,
			      offsetof(struct orphan_data, traps) + slot * 8);
}

static bool slot_take(struct orphan_handler *orphan, uint32_t *ret)
{
	if (orphan->n_free) {
		*ret = orphan->free[--orphan->n_free];
		return true;
	}
	if (orphan->n_used == ORPHAN_TRAPS_MAX - 1)
		return false;
	*ret = ++orphan->n_used;
	return true;
}

struct dbg_error *orphan_arm(struct live *l, struct trap *traps, size_t n)
{
	struct orphan_handler *orphan = &l->orphan;
	uint32_t used = orphan->n_used;

	if (!orphan->addr)
		return NULL;
	_cleanup_free_ struct orphan_words *w = xcalloc(1, sizeof(*w));
	w->l = l;
	for (size_t i = 0; i < n; i++) {
		if (!traps[i].slot && !slot_take(orphan, &traps[i].slot))
			return dbg_err(DBG_E_TARGET,
				       "more than %d traps at once",
				       ORPHAN_TRAPS_MAX - 1);
		orphan_words_put(w, slot_addr(l, traps[i].slot),
				 traps[i].addr << 8 | traps[i].byte);
	}
	if (orphan->n_used != used)
		orphan_words_put(
		    w, orphan_data_at(l, offsetof(struct orphan_data, n_traps)),
		    orphan->n_used + 1);
	orphan_words_flush(w);
	if (w->failed)
		return dbg_err(DBG_E_MEMORY, "cannot write the table of traps "
					     "in the program");
	return NULL;
}

void orphan_lift(struct live *l, const struct trap *traps, size_t n)
{
	struct orphan_handler *orphan = &l->orphan;

	if (!orphan->addr)
		return;
	_cleanup_free_ struct orphan_words *w = xcalloc(1, sizeof(*w));
	w->l = l;
	for (size_t i = 0; i < n; i++) {
		if (!traps[i].slot)
			continue;
		orphan_words_put(w, slot_addr(l, traps[i].slot), 0);
		mem_grow(&orphan->free, &orphan->free_cap, orphan->n_free,
			 sizeof(*orphan->free));
		orphan->free[orphan->n_free++] = traps[i].slot;
	}
	orphan_words_flush(w);
}

void orphan_mask(struct live *l, pid_t tid, uint64_t mask)
{
	const struct orphan_mask entry = {(uint64_t)tid, mask};

	if (!l->orphan.addr)
		return;
	size_t i = l->orphan.next_mask++ % ORPHAN_MASKS_MAX;
	uint64_t addr = orphan_data_at(l, offsetof(struct orphan_data, masks) +
					      i * sizeof(entry));
	dbg_error_destroy(live_write(&l->target, addr, &entry, sizeof(entry)));
}

void orphan_clear(struct live *l, uint64_t addr)
{
	if (!l->orphan.addr || l->orphan.n_cleared == ORPHAN_CLEARED_MAX)
		return;
	uint64_t entry =
	    orphan_data_at(l, offsetof(struct orphan_data, cleared) +
				  l->orphan.n_cleared++ * sizeof(addr));
	dbg_error_destroy(live_write(&l->target, entry, &addr, sizeof(addr)));
}

void orphan_forget(struct live *l)
{
	free(l->orphan.free);
	journal_forget(l);
	memset(&l->orphan, 0, sizeof(l->orphan));
}

/* ---- In and out ------------------------------------------------------ */

static struct dbg_error *action_set(struct live *l, struct inject *in,
				    size_t action, size_t old)
{
	uint64_t result;
	const uint64_t args[6] = {SIGTRAP,
				  action ? orphan_data_at(l, action) : 0,
				  old ? orphan_data_at(l, old) : 0, 8};

	return inject_call(l, in, SYS_rt_sigaction, args, &result);
}

/*
 * Map the memory, at first all of it executable. No other memory of that size
 * is, so it can be found by that if we die before it is filled and handed over.
 */
static struct dbg_error *orphan_map(struct live *l, struct inject *in)
{
	const uint64_t args[6] = {0,
				  ORPHAN_BYTES,
				  PROT_READ | PROT_EXEC,
				  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
				  (uint64_t)-1,
				  0};

	return inject_call(l, in, SYS_mmap, args, &l->orphan.addr);
}

// Make the page writable: the code writes its data.
static struct dbg_error *make_writable(struct live *l, struct inject *in)
{
	const uint64_t args[6] = {orphan_data_at(l, 0),
				  ORPHAN_BYTES - ORPHAN_CODE_BYTES,
				  PROT_READ | PROT_WRITE};
	uint64_t result;

	return inject_call(l, in, SYS_mprotect, args, &result);
}

/*
 * The protection that code pages must have. Where the runtime maps its code
 * twice, as shared memory, code is not writable where it executes. Elsewhere it
 * may be, and then has to stay so.
 */
static uint32_t code_prot(struct live *l)
{
	const struct proc_maps *maps;
	struct dbg_error *err = images_maps(&l->target, &maps);

	for (size_t i = 0; !err && i < maps->n; i++)
		if (maps->v[i].shared && maps->v[i].exec && !maps->v[i].write)
			return PROT_READ | PROT_EXEC;
	dbg_error_destroy(err);
	return PROT_READ | PROT_WRITE | PROT_EXEC;
}

static struct dbg_error *fill(struct live *l)
{
	struct dbg_error *err;
	const size_t head = offsetof(struct orphan_data, masks);
	struct orphan_data *data = xcalloc(1, sizeof(*data));
	size_t size = (size_t)(__stop_orphan_code - __start_orphan_code);

	data->magic = ORPHAN_MAGIC;
	data->prot = code_prot(l);
	memcpy(data->mem_path, "/proc/self/mem", 15);
	data->actions.ours.handler =
	    l->orphan.addr +
	    (size_t)(orphan_code_handler - __start_orphan_code);
	data->actions.ours.restorer =
	    l->orphan.addr +
	    (size_t)(orphan_code_restorer - __start_orphan_code);
	data->actions.ours.flags = SA_SIGINFO | SA_RESTART | KERNEL_SA_RESTORER;
	data->actions.ours.mask = UINT64_MAX;
	err = live_write_code(&l->target, orphan_data_at(l, 0), data, head);
	if (!err)
		err = live_write_code(&l->target, l->orphan.addr,
				      __start_orphan_code, size);
	free(data);
	return err;
}

// struct sigaction of libc.
struct libc_action {
	uint64_t handler;
	uint64_t mask[16];
	uint32_t flags, unused;
	uint64_t restorer;
};

// Replace our signal action by @instead in a piece of the program's data.
static void replace_in(struct live *l, uint64_t base, const uint8_t *data,
		       size_t size, const struct orphan_action *ours,
		       const struct orphan_action *instead)
{
	struct libc_action a;

	for (size_t at = 0; at + sizeof(a) <= size; at += sizeof(uint64_t)) {
		if (memcmp(data + at, &ours->handler, sizeof(ours->handler)))
			continue;
		memcpy(&a, data + at, sizeof(a));
		if (a.flags != (uint32_t)ours->flags)
			continue;
		a.handler = instead->handler;
		a.mask[0] = instead->mask;
		a.flags = (uint32_t)instead->flags;
		// musl leaves it out
		if (a.restorer == ours->restorer)
			a.restorer = instead->restorer;
		dbg_error_destroy(
		    live_write(&l->target, base + at, &a, sizeof(a)));
	}
}

// Is the mapping writable data of an image: of its file, or the zeros behind
// that?
static bool is_data(const struct proc_maps *maps, size_t i)
{
	const struct proc_map *map = &maps->v[i], *before = map - 1;

	return map->write && !map->shared && map->end - map->start < DATA_MAX &&
	       (map->inode || (i && before->inode && before->write &&
			       before->end == map->start));
}

// A thread that has just come back from the kernel is about to store what it
// has on its stack, as the kernel gave it.
static void replace_on_stack(struct live *l, struct thread *th,
			     const struct orphan_action *ours,
			     const struct orphan_action *instead)
{
	const size_t same = offsetof(struct orphan_action, mask);
	uint64_t words[STACK_WORDS];

	if (th->kind != THREAD_OWN || th->stop == STOP_NONE ||
	    !thread_load_regs(l, th))
		return;
	uint64_t from = (regs_sp(&th->regs.now) & ~(uint64_t)7) - RED_ZONE;
	size_t n = live_read(&l->target, from, words, sizeof(words));
	for (size_t at = 0; at + sizeof(*ours) <= n; at += sizeof(*words))
		if (!memcmp((const uint8_t *)words + at, ours, same))
			dbg_error_destroy(live_write(
			    &l->target, from + at, instead, sizeof(*instead)));
}

/*
 * A library that has set a signal handler while ours was installed keeps ours
 * as the previous one, and would call it when we are gone. It keeps what libc
 * returned in the data of its image: replace it there by @instead.
 */
static struct dbg_error *leave_chain(struct live *l,
				     const struct orphan_action *ours,
				     const struct orphan_action *instead)
{
	struct dbg_error *err;
	struct proc_maps maps;

	err = live_mappings(l, &maps);
	if (err)
		return err;
	for (size_t i = 0; i < maps.n; i++) {
		const struct proc_map *map = &maps.v[i];

		if (!is_data(&maps, i))
			continue;
		_cleanup_free_ uint8_t *data = xmalloc(map->end - map->start);
		size_t size = live_read(&l->target, map->start, data,
					map->end - map->start);
		replace_in(l, map->start, data, size, ours, instead);
	}
	for (size_t i = 0; i < l->n_threads; i++)
		replace_on_stack(l, l->threads[i], ours, instead);
	proc_maps_deinit(&maps);
	return NULL;
}

// Read the signal actions that the handler keeps. @later: the program has set a
// handler since.
static struct dbg_error *actions_read(struct live *l, struct inject *in,
				      struct orphan_actions *ret, bool *later)
{
	struct dbg_error *err;

	err = action_set(l, in, 0, ORPHAN_ACTION(now));
	if (!err)
		err = target_read(
		    &l->target,
		    orphan_data_at(l, offsetof(struct orphan_data, actions)),
		    ret, sizeof(*ret));
	*later = !err && ret->now.handler - l->orphan.addr >= ORPHAN_CODE_BYTES;
	return err;
}

static struct dbg_error *put_first(struct live *l, struct inject *in)
{
	struct dbg_error *err;
	struct orphan_actions actions;
	bool later;

	err = actions_read(l, in, &actions, &later);
	if (err || !later)
		return err;
	const uint64_t chained = 1;
	err = live_write(&l->target, orphan_data_at(l, ORPHAN_ACTION(earlier)),
			 &actions.old, sizeof(actions.old));
	if (!err)
		err = live_write(
		    &l->target,
		    orphan_data_at(l, offsetof(struct orphan_data, chained)),
		    &chained, sizeof(chained));
	if (!err)
		err =
		    action_set(l, in, ORPHAN_ACTION(ours), ORPHAN_ACTION(old));
	// until then it answers as the later one's predecessor
	return err ? err : leave_chain(l, &actions.ours, &actions.old);
}

struct dbg_error *orphan_put_first(struct live *l)
{
	struct dbg_error *err;
	struct inject in;

	if (!l->orphan.addr)
		return NULL;
	err = inject_begin(l, &in);
	if (!err)
		err = put_first(l, &in);
	return dbg_err_first(err, inject_end(l, &in));
}

static struct dbg_error *install(struct live *l, struct inject *in)
{
	struct dbg_error *err;

	err = inject_begin(l, in);
	if (!err)
		err = orphan_map(l, in);
	if (!err)
		err = fill(l);
	if (!err)
		err = make_writable(l, in);
	if (!err)
		err =
		    action_set(l, in, ORPHAN_ACTION(ours), ORPHAN_ACTION(old));
	return err;
}

struct dbg_error *orphan_install(struct live *l)
{
	struct dbg_error *err;
	struct inject in;

	err = install(l, &in);
	err = dbg_err_first(err, inject_end(l, &in));
	if (err)
		return dbg_err_prefix(err, "preparing process %d",
				      l->target.pid);
	return NULL;
}

/*
 * Has put_first begun? It may have ended before the chain was left, by our
 * death, or have come while libc was about to store what it had been given.
 */
static bool is_chained(struct live *l)
{
	uint64_t chained = 0;

	return live_read(
		   &l->target,
		   orphan_data_at(l, offsetof(struct orphan_data, chained)),
		   &chained, sizeof(chained)) == sizeof(chained) &&
	       chained;
}

// Restore the program's action. If the program has set another since, that one
// stays, so it is asked for first: if we die in between, nothing has changed.
static struct dbg_error *action_restore(struct live *l, struct inject *in)
{
	struct dbg_error *err;
	struct orphan_actions actions;
	bool later;

	err = actions_read(l, in, &actions, &later);
	if (!err && later)
		return leave_chain(l, &actions.ours, &actions.old);
	if (!err && is_chained(l))
		err = leave_chain(l, &actions.ours, &actions.earlier);
	return err ? err : action_set(l, in, ORPHAN_ACTION(old), 0);
}

static bool is_inside(struct live *l, struct thread *th)
{
	return th->kind == THREAD_OWN && th->stop != STOP_NONE &&
	       thread_load_regs(l, th) &&
	       regs_pc(&th->regs.now) - l->orphan.addr < ORPHAN_CODE_BYTES;
}

/*
 * Wait until no thread is inside of the orphan trap handler. That is rare: the
 * program must have made a SIGTRAP of its own this moment, or a SIGTRAP was
 * lost when a former debugger died. Threads inside go on in turn from system
 * call to system call, since one may have the lock that another wants, and
 * leave one by one. They are not stopped in between: a thread that gets no
 * processor before that would never leave.
 */
static struct dbg_error *await_empty(struct live *l, bool *ret_empty)
{
	struct dbg_error *err = NULL;
	bool any = true;

	for (int round = 0; !err && any && round < LEAVE_ROUNDS; round++) {
		any = false;
		for (size_t i = 0; !err && i < l->n_threads; i++) {
			if (!is_inside(l, l->threads[i]))
				continue;
			any = true;
			err = inject_advance(l, l->threads[i]);
		}
	}
	*ret_empty = !any;
	return err;
}

static struct dbg_error *unmap(struct live *l, struct inject *in)
{
	const uint64_t args[6] = {l->orphan.addr, ORPHAN_BYTES};
	uint64_t result;

	return inject_call(l, in, SYS_munmap, args, &result);
}

// The SIGTRAP handler is the program's own again. If no thread can be inside of
// the orphan trap handler, that is removed at once.
static struct dbg_error *close_orphan_handler(struct live *l)
{
	struct dbg_error *err;
	struct inject in;

	err = inject_begin(l, &in);
	if (!err && !l->orphan.halfway)
		err = action_restore(l, &in);
	if (!err && !l->orphan.entered)
		err = unmap(l, &in);
	return dbg_err_first(err, inject_end(l, &in));
}

static struct dbg_error *unmap_empty(struct live *l, bool *ret_empty)
{
	struct dbg_error *err;
	struct inject in;

	err = await_empty(l, ret_empty);
	if (err || !*ret_empty)
		return err;
	err = inject_begin(l, &in);
	if (!err)
		err = unmap(l, &in);
	return dbg_err_first(err, inject_end(l, &in));
}

struct dbg_error *orphan_remove(struct live *l)
{
	struct dbg_error *err;
	bool gone = true;

	if (!l->orphan.addr || l->exited)
		return NULL;
	err = close_orphan_handler(l);
	if (!err && l->orphan.entered)
		err = unmap_empty(l, &gone);
	if (!err && gone)
		orphan_forget(l);
	return err;
}

/* ---- Of a debugger that is dead -------------------------------------- */

/*
 * Is it a page of code and data with our mark? If the debugger died while it
 * made the page, all of it is executable, and empty or marked.
 */
static bool is_orphan_handler(struct live *l, const struct proc_map *map)
{
	uint64_t size = map->end - map->start, magic;

	if (!map->exec || map->write || map->shared || map->inode ||
	    (size != ORPHAN_CODE_BYTES && size != ORPHAN_BYTES) ||
	    live_read(&l->target, map->start + ORPHAN_CODE_BYTES, &magic, 8) !=
		8)
		return false;
	return magic == ORPHAN_MAGIC || (size == ORPHAN_BYTES && !magic);
}

// Lift the traps of a dead debugger, the last first: those that guard others
// (child.c) were armed before them.
static void lift_found(struct live *l, const struct orphan_data *data)
{
	uint64_t n =
	    data->n_traps < ORPHAN_TRAPS_MAX ? data->n_traps : ORPHAN_TRAPS_MAX;

	for (size_t i = n; i-- > 0;) {
		uint64_t addr = data->traps[i] >> 8;
		uint8_t byte = (uint8_t)data->traps[i], now;

		if (addr && live_read(&l->target, addr, &now, 1) == 1 &&
		    now == ARCH_TRAP)
			dbg_error_destroy(
			    live_write_code(&l->target, addr, &byte, 1));
	}
}

static void clear_found(struct live *l, const struct orphan_data *data)
{
	const uint64_t none = 0;

	for (size_t i = 0; i < ORPHAN_CLEARED_MAX; i++)
		if (data->cleared[i] && data->cleared[i] % sizeof(none) == 0)
			dbg_error_destroy(live_write(
			    &l->target, data->cleared[i], &none, sizeof(none)));
}

// Clear the table: no trap is left. Threads that are inside the handler find
// nothing to do.
static void forget_found(struct live *l, const struct orphan_data *data)
{
	_cleanup_free_ struct orphan_words *w = xcalloc(1, sizeof(*w));

	w->l = l;
	orphan_words_put(
	    w, orphan_data_at(l, offsetof(struct orphan_data, n_traps)), 0);
	for (size_t i = 0; i < ORPHAN_CLEARED_MAX; i++)
		if (data->cleared[i])
			orphan_words_put(
			    w,
			    orphan_data_at(
				l, offsetof(struct orphan_data, cleared[i])),
			    0);
	for (size_t i = 0; i < ORPHAN_UNDO_MAX; i++)
		if (data->undos[i].addr)
			orphan_words_put(
			    w,
			    orphan_data_at(
				l, offsetof(struct orphan_data, undos[i].addr)),
			    0);
	orphan_words_flush(w);
}

static void unmask_found(struct live *l, const struct orphan_mask *m)
{
	struct thread *th = thread_find(l, (pid_t)m->tid);
	uint64_t mask;

	if (!th || th->kind != THREAD_OWN || th->stop == STOP_NONE ||
	    live_ptrace(l, PTRACE_GETSIGMASK, th->tid, sizeof(mask),
			(uintptr_t)&mask) ||
	    mask != orphan_step_mask(m->mask))
		return;
	mask = m->mask;
	live_ptrace(l, PTRACE_SETSIGMASK, th->tid, sizeof(mask),
		    (uintptr_t)&mask);
}

// Clear the debug registers, which stay when a tracer dies.
static void clear_debug_registers(struct live *l)
{
	for (size_t i = 0; i < l->n_threads; i++)
		if (l->threads[i]->stop != STOP_NONE)
			debugreg_clear(l, l->threads[i]->tid);
}

bool orphan_find(struct live *l)
{
	const struct proc_maps *maps;

	if (dbg_err_drop(images_maps(&l->target, &maps)))
		return false;
	for (size_t i = 0; i < maps->n && !l->orphan.addr; i++) {
		const struct proc_map *map = &maps->v[i];

		if (!is_orphan_handler(l, map))
			continue;
		l->orphan.addr = map->start;
		l->orphan.halfway = map->end - map->start == ORPHAN_BYTES;
	}
	return l->orphan.addr;
}

static struct orphan_data *data_found(struct live *l)
{
	struct orphan_data *data = xcalloc(1, sizeof(*data));

	live_read(&l->target, orphan_data_at(l, 0), data, sizeof(*data));
	return data;
}

void orphan_lift_found(struct live *l)
{
	_cleanup_free_ struct orphan_data *data = data_found(l);

	lift_found(l, data);
}

struct dbg_error *orphan_recover(struct live *l)
{
	if (!orphan_find(l))
		return NULL;
	_cleanup_free_ struct orphan_data *data = data_found(l);
	l->orphan.entered = true;
	clear_debug_registers(l);
	lift_found(l, data);
	for (size_t i = 0; i < l->n_threads; i++)
		thread_rewind(l, l->threads[i]);
	clear_found(l, data);
	for (size_t i = 0; i < ORPHAN_UNDO_MAX; i++)
		journal_undo_one(l, &data->undos[i]);
	forget_found(l, data);
	for (size_t i = 0; i < ORPHAN_MASKS_MAX; i++)
		unmask_found(l, &data->masks[i]);
	// Nobody knows which of them was stepped.
	for (size_t i = 0; i < l->n_threads; i++)
		l->threads[i]->flagged = true;
	struct dbg_error *err = live_leave_ours(l);
	return err ? err : orphan_remove(l);
}

/* ---- The undo journal ---------------------------------------------------- */

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

/* The same for one entry in the table of a debugger that died. */
static void journal_undo_one(struct live *l, const struct orphan_undo *undo)
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

static void journal_forget(struct live *l)
{
	free(l->journal.entries);
	memset(&l->journal, 0, sizeof(l->journal));
}
