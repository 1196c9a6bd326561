/*
 * Faults of the processor that end a program: where, and what is there.
 *
 * The kernel tells the address with the signal, if that is still known; whether
 * it was read or written only the instruction tells, which is decoded with the
 * registers of the fault: the thread's, or those behind the frame of a signal
 * handler (createdump runs in one). Where the runtime has turned a fault of
 * managed code into an exception, the frame that the DAC finds has the
 * callee-saved registers alone: the others are in the context (CONTEXT of
 * pal.h) that the runtime has put on the stack below it, which is known by its
 * stack and instruction pointers.
 */
#include "inspect/fault.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "inspect/inspect.h"
#include "target/proc.h"
#include "target/unwind.h"

enum {
	HANDLER_FRAMES = 64,    /* above the frame of a signal */
	MANAGED_FRAMES = 16,    /* ... above what has faulted */
	STACK_MAX = 1 << 20,    /* looked through for a context */
	CONTEXT_GENERAL = 0x78, /* in CONTEXT: rax, rcx, ... by number */
	CONTEXT_SP = 0x98,
	CONTEXT_PC = 0xf8,
	CONTEXT_END = 0x100,
};

enum fault_access {
	ACCESS_UNKNOWN,
	ACCESS_READ,
	ACCESS_WRITE,
	ACCESS_EXECUTE,
};

static const char *const access_words[] = {
    [ACCESS_READ] = "reading",
    [ACCESS_WRITE] = "writing",
    [ACCESS_EXECUTE] = "executing",
};

/* A fault while it is found out about. */
struct fault_search {
	struct inspect *in;
	const struct fault_signal *signal;
	struct regs regs; /* of the fault */
	const struct proc_maps *maps;
	uint64_t addr;
	enum fault_access access;
};

/* ---- Where ------------------------------------------------------------ */

// The thread's registers, or those that the newest handler of a signal has
// interrupted.
static bool find_regs(struct fault_search *s, pid_t tid)
{
	struct target *t = s->in->target;
	struct regs regs;
	bool leaf = true;

	if (dbg_err_drop(target_regs(t, tid, &s->regs)))
		return false;
	regs = s->regs;
	for (int i = 0; i < HANDLER_FRAMES; i++) {
		uint64_t pc = regs_pc(&regs) - !leaf;

		if (!unwind_is_native(t, pc) || !unwind_step(t, &regs, &leaf))
			break;
		if (leaf) {
			s->regs = regs;
			break;
		}
	}
	return true;
}

static uint64_t word_at(const uint8_t *bytes, size_t offset)
{
	uint64_t ret;

	memcpy(&ret, bytes + offset, sizeof(ret));
	return ret;
}

// Complete the registers of a managed frame from a context below it.
static void find_context(struct fault_search *s, pid_t tid)
{
	uint64_t to = regs_sp(&s->regs), pc = regs_pc(&s->regs);
	struct regs top;

	if (dbg_err_drop(target_regs(s->in->target, tid, &top)) ||
	    regs_sp(&top) >= to)
		return;
	uint64_t from = regs_sp(&top) & ~(uint64_t)7;
	if (to - from > STACK_MAX)
		from = to - STACK_MAX;
	size_t n = (size_t)(to - from);
	_cleanup_free_ uint8_t *bytes = xmalloc(n + 8);
	n = target_read_some(s->in->target, from, bytes, n);
	for (size_t i = 0; i + CONTEXT_END <= n; i += 8) {
		if (word_at(bytes, i + CONTEXT_SP) != to ||
		    word_at(bytes, i + CONTEXT_PC) != pc)
			continue;
		for (unsigned int k = 0; k < ARCH_GENERAL; k++)
			regs_set(&s->regs, k,
				 word_at(bytes, i + CONTEXT_GENERAL + 8 * k));
		return;
	}
}

// Get the registers of the newest managed frame, if it was interrupted by the
// fault rather than left by a call; else false.
static bool find_managed_regs(struct fault_search *s, pid_t tid)
{
	uint32_t thread = stack_thread_number(s->in->stack, tid);

	memset(&s->regs, 0, sizeof(s->regs));
	for (uint32_t level = 0; level < MANAGED_FRAMES; level++) {
		const struct frame *f = NULL;

		if (dbg_err_drop(
			stack_frame(s->in->stack, thread, level, &f)) ||
		    !f)
			return false;
		if (f->kind != DBG_FRAME_MANAGED)
			continue;
		if (!f->raw.leaf)
			return false;
		dac_frame_regs(&f->raw, &s->regs);
		find_context(s, tid);
		return true;
	}
	return false;
}

/* ---- What is there ---------------------------------------------------- */

static bool is_address(uint64_t addr)
{
	int64_t high = (int64_t)addr >> 47;

	return !high || high == -1;
}

static bool allows(const struct proc_map *m, enum fault_access access)
{
	return access == ACCESS_WRITE     ? m->write
	       : access == ACCESS_EXECUTE ? m->exec
					  : m->read;
}

static const struct proc_map *map_of(const struct fault_search *s,
				     uint64_t addr)
{
	return s->maps ? proc_maps_find(s->maps, addr) : NULL;
}

// Would the access fail by what is mapped? A file may be shorter than that.
static bool fails(const struct fault_search *s, const struct insn_access *a)
{
	const struct proc_map *m = map_of(s, a->addr);
	char byte;

	if (!is_address(a->addr) || !m ||
	    !allows(m, a->write ? ACCESS_WRITE : ACCESS_READ))
		return true;
	return *m->path && !target_read_some(s->in->target, a->addr, &byte, 1);
}

static bool covers(const struct insn_access *a, uint64_t addr)
{
	return addr >= a->addr && addr - a->addr < (a->size ? a->size : 1);
}

// Find the operand that the instruction could not access; false: all can be
// accessed.
static bool find_access(struct fault_search *s, bool told)
{
	uint8_t code[ARCH_INSN_MAX];
	struct insn_access list[INSN_ACCESSES];
	uint64_t pc = regs_pc(&s->regs);
	size_t n_code = target_read_some(s->in->target, pc, code, sizeof(code));
	size_t n = insn_accesses(code, n_code, &s->regs, list);

	if (told && s->addr == pc) {
		s->access = ACCESS_EXECUTE;
		return true;
	}
	for (size_t i = 0; i < n; i++) {
		if (told ? !covers(&list[i], s->addr) : !fails(s, &list[i]))
			continue;
		s->access = list[i].write ? ACCESS_WRITE : ACCESS_READ;
		if (!told)
			s->addr = list[i].addr;
		return true;
	}
	// of vectors, and of what is done in turns, the address is further on
	for (size_t i = 0; told && i < n; i++)
		if (fails(s, &list[i])) {
			s->access = list[i].write ? ACCESS_WRITE : ACCESS_READ;
			return true;
		}
	return false;
}

/* ---- In words --------------------------------------------------------- */

static const char *memory_text(const struct fault_search *s, int signal)
{
	const struct proc_map *m = map_of(s, s->addr);
	bool known = s->signal->told == signal;
	const char *path = m && *m->path ? m->path : NULL;

	if (signal == SIGBUS && known && s->signal->code == BUS_ADRALN)
		return "an address that is not aligned:";
	if (signal == SIGBUS)
		return path ? arena_printf(s->in->arena,
					   "nothing of '%s' is that far, at",
					   path)
			    : "no memory behind what is mapped at";
	if (!is_address(s->addr))
		return "no address:";
	if (known ? s->signal->code == SEGV_ACCERR : m && !allows(m, s->access))
		return path ? arena_printf(s->in->arena,
					   "memory of '%s' that is protected, "
					   "at",
					   path)
			    : "memory that is protected at";
	return "no memory at";
}

// As the kernel would have told it.
static int code_of(const struct fault_search *s, int signal)
{
	if (s->signal->told == signal)
		return s->signal->code;
	if (signal == SIGBUS)
		return BUS_ADRERR;
	if (!is_address(s->addr))
		return SI_KERNEL;
	return map_of(s, s->addr) ? SEGV_ACCERR : SEGV_MAPERR;
}

static struct dbg_fault *make(const struct fault_search *s, int signal)
{
	const char *word = access_words[s->access];

	struct dbg_fault *f = arena_alloc(s->in->arena, sizeof(*f));
	*f = (struct dbg_fault){
	    .signal = signal,
	    .code = code_of(s, signal),
	    .addr = s->addr,
	    .access = word,
	    .text = arena_printf(
		s->in->arena, "%s 0x%" PRIx64 "%s%s%s", memory_text(s, signal),
		s->addr, word ? " (" : "", word ? word : "", word ? ")" : ""),
	};
	return f;
}

// Describe a fault of the instruction itself, not of a memory access.
static struct dbg_fault *make_insn(const struct fault_search *s)
{
	int signal = s->signal->signal;
	const char *what =
	    signal == SIGILL ? "illegal instruction"
	    : s->signal->told == SIGFPE && s->signal->code == FPE_INTDIV
		? "division by zero"
		: "arithmetic that fails";
	uint64_t pc = regs_pc(&s->regs);

	struct dbg_fault *f = arena_alloc(s->in->arena, sizeof(*f));
	*f = (struct dbg_fault){
	    .signal = signal,
	    .code = s->signal->code,
	    .addr = pc,
	    .text = arena_printf(s->in->arena, "%s at 0x%" PRIx64, what, pc),
	};
	return f;
}

static bool is_memory(int signal)
{
	return signal == SIGSEGV || signal == SIGBUS;
}

// Is the address of the fault told? Not of a general protection fault.
static bool take_address(struct fault_search *s)
{
	bool told = is_memory(s->signal->told) && s->signal->code > 0 &&
		    s->signal->code != SI_KERNEL;

	s->addr = told ? s->signal->addr : 0;
	return told;
}

static const struct dbg_fault *find_managed(struct fault_search *s, pid_t tid)
{
	bool told = take_address(s);

	if (!find_managed_regs(s, tid) || (!find_access(s, told) && !told))
		return NULL;
	if (told)
		return make(s, s->signal->told);
	const struct proc_map *m = map_of(s, s->addr);
	bool is_short = m && *m->path && allows(m, s->access);
	return make(s, is_short ? SIGBUS : SIGSEGV);
}

const struct dbg_fault *fault_find(struct inspect *in, pid_t tid,
				   const struct fault_signal *signal)
{
	struct fault_search s = {.in = in, .signal = signal};
	bool memory = is_memory(signal->signal);

	dbg_err_drop(target_maps(in->target, &s.maps));
	if (signal->signal == SIGABRT)
		return in->dac ? find_managed(&s, tid) : NULL;
	if (!memory && signal->signal != SIGFPE && signal->signal != SIGILL)
		return NULL;
	// SI_USER, SI_TKILL, SI_QUEUE, ...: sent
	if ((signal->told && signal->code <= 0) || !find_regs(&s, tid))
		return NULL;
	if (!memory)
		return make_insn(&s);
	bool told = take_address(&s);
	if (!find_access(&s, told) && !told)
		return NULL;
	return make(&s, signal->signal);
}
