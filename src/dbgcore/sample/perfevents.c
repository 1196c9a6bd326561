/* Samples by perf_event_open(2): see perfevents.h. */
#include "sample/perfevents.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/reader.h"
#include "target/arch.h"
#include "target/proc.h"

enum {
	RING_PAGES = 128,   // what any user may have for each processor
	RING_WIDE = 512,    // ... root, of the switches of all processes
	RING_MANY = 1024,   // ... of many samples
	RING_SHARE = 4,     // so much of it is to be read soon
	STACK_BYTES = 4096, // as much as there is room for in a ring
	STACK_MANY = 512,   // ... of many samples
	MANY_HERTZ = 2000,
	CHAIN_MAX = 127, // perf_event_max_stack
	RECORD_MAX = 1 << 16,
	CPUS_MAX = 1024,
	CPUS_FEW = 16, // of which all events may be read, in large rings
};

struct ring {
	struct perf_event_mmap_page *page;
	int cpu, fd; // the event whose ring it is
};

struct perf_events {
	pid_t pid;
	int *fds;
	size_t n_fds, cap_fds;
	struct ring rings[CPUS_MAX];
	size_t n_rings;
	size_t page_bytes, ring_pages;
	uint64_t lost;
	bool kernel;
	bool wide; // events of processors, whatever runs there
	bool full;
	struct perf_event_attr attr;
	uint8_t record[RECORD_MAX]; // one that wraps around
	uint64_t chain[CHAIN_MAX];
};

/* ---- Opening ----------------------------------------------------------- */

static struct perf_event_attr attr_of(uint32_t hertz, bool at_once)
{
	return (struct perf_event_attr){
	    .size = sizeof(struct perf_event_attr),
	    .type = PERF_TYPE_SOFTWARE,
	    .config = PERF_COUNT_SW_CPU_CLOCK,
	    .sample_period = 1000000000 / hertz,
	    .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			   PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
			   PERF_SAMPLE_STACK_USER,
	    .sample_regs_user =
		ARCH_PERF_REGS | (at_once ? ARCH_PERF_SAVED : 0),
	    .sample_stack_user = hertz > MANY_HERTZ ? STACK_MANY : STACK_BYTES,
	    .disabled = 1,
	    .inherit = 1,
	    .exclude_hv = 1,
	    .exclude_callchain_kernel = 1,
	    .context_switch = 1,
	    .sample_id_all = 1,
	    .use_clockid = 1,
	    .clockid = CLOCK_MONOTONIC,
	    .watermark = !at_once,
	    .wakeup_watermark = at_once ? 1 : UINT32_MAX,
	};
}

static int event_open(const struct perf_events *p, pid_t tid, int cpu)
{
	struct perf_event_attr attr = p->attr;

	return (int)syscall(SYS_perf_event_open, &attr, tid, cpu, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

// -1: of all threads.
static pid_t event_thread(const struct perf_events *p, pid_t tid)
{
	return p->wide ? -1 : tid;
}

static struct ring *ring_of(struct perf_events *p, int cpu)
{
	for (size_t i = 0; i < p->n_rings; i++)
		if (p->rings[i].cpu == cpu)
			return &p->rings[i];
	return NULL;
}

static void *ring_map(const struct perf_events *p, int fd)
{
	return mmap(NULL, (p->ring_pages + 1) * p->page_bytes,
		    PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

// The errno of opening the events of one thread on one processor; 0: it is
// done, or the thread has ended.
static int event_add(struct perf_events *p, pid_t tid, int cpu)
{
	struct ring *ring = ring_of(p, cpu);
	int fd = event_open(p, tid, cpu);

	if (fd < 0)
		return errno == ESRCH ? 0 : errno;
	mem_grow(&p->fds, &p->cap_fds, p->n_fds, sizeof(*p->fds));
	p->fds[p->n_fds++] = fd;
	if (ring)
		return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) ? errno
								      : 0;
	void *page = ring_map(p, fd);

	if (page == MAP_FAILED && p->ring_pages > RING_PAGES && !p->n_rings) {
		p->ring_pages = RING_PAGES;
		page = ring_map(p, fd);
	}
	if (page == MAP_FAILED)
		return errno;
	p->rings[p->n_rings++] = (struct ring){page, cpu, fd};
	return 0;
}

static int thread_add_events(struct perf_events *p, pid_t tid,
			     const cpu_set_t *cpus)
{
	int errnum = 0;

	for (int cpu = 0; cpu < CPUS_MAX && !errnum; cpu++)
		if (CPU_ISSET(cpu, cpus))
			errnum = event_add(p, tid, cpu);
	return errnum;
}

// Set the flag inherit_thread of Linux 5.13, which older headers do not name.
static void attr_set_alone(struct perf_event_attr *attr, bool alone)
{
	const int bit = 35;
	char *at = (char *)&attr->read_format + sizeof(attr->read_format);
	uint64_t flags = 0;

	memcpy(&flags, at, sizeof(flags));
	flags &= ~(1ULL << bit);
	flags |= (uint64_t)alone << bit;
	memcpy(at, &flags, sizeof(flags));
}

// Find the attributes that the kernel accepts: more rights allow more, older
// kernels less. Returns an errno or 0.
static int attr_choose(struct perf_events *p, int cpu)
{
	for (int kernel = 1; kernel >= 0; kernel--) {
		p->attr.exclude_kernel = !kernel;
		for (int alone = !p->wide; alone >= 0; alone--) {
			attr_set_alone(&p->attr, alone);
			int fd = event_open(p, event_thread(p, p->pid), cpu);

			if (fd >= 0) {
				close(fd);
				p->kernel = kernel;
				return 0;
			}
			if (errno != EINVAL && errno != E2BIG)
				break;
		}
	}
	return errno;
}

static struct dbg_error *refused(pid_t pid, int errnum)
{
	_cleanup_free_ char *text =
	    proc_read("/proc/sys/kernel/perf_event_paranoid", NULL);

	if (errnum == ENOSYS)
		return dbg_err(DBG_E_TARGET, "this kernel has no perf_event");
	if (errnum == EMFILE)
		return dbg_err(DBG_E_TARGET,
			       "process %d has more threads than we may have "
			       "open files (ulimit -n) for",
			       pid);
	if (errnum != EACCES && errnum != EPERM)
		return dbg_err_errno(DBG_E_TARGET, errnum,
				     "cannot sample process %d by perf_event",
				     pid);
	if (text && strtol(text, NULL, 10) > 2)
		return dbg_err(DBG_E_TARGET,
			       "/proc/sys/kernel/perf_event_paranoid is %d, "
			       "which lets nobody sample without CAP_PERFMON: "
			       "as root set it to 2",
			       (int)strtol(text, NULL, 10));
	return dbg_err(DBG_E_TARGET,
		       "perf_event is not permitted, by a seccomp filter "
		       "(containers: --cap-add=PERFMON) or because another "
		       "user runs process %d",
		       pid);
}

static void files_raise(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static int threads_add(struct perf_events *p, const cpu_set_t *cpus)
{
	if (p->wide)
		return thread_add_events(p, -1, cpus);
	DIR *tasks = proc_tasks_open(p->pid);
	int errnum = 0;
	pid_t tid;

	if (!tasks)
		return errno;
	while (!errnum && (tid = proc_tasks_next(tasks)))
		errnum = thread_add_events(p, tid, cpus);
	closedir(tasks);
	return errnum;
}

static void events_drop(struct perf_events *p)
{
	for (size_t i = 0; i < p->n_rings; i++)
		munmap(p->rings[i].page, (p->ring_pages + 1) * p->page_bytes);
	for (size_t i = 0; i < p->n_fds; i++)
		close(p->fds[i]);
	p->n_rings = p->n_fds = 0;
}

// Returns an errno or 0.
static int events_open(struct perf_events *p, bool wide, const cpu_set_t *cpus)
{
	int cpu = 0;

	p->wide = wide;
	p->attr.inherit = !wide;
	p->attr.exclude_idle = wide;
	if (p->ring_pages < RING_MANY)
		p->ring_pages = wide && CPU_COUNT(cpus) <= CPUS_FEW
				    ? RING_WIDE
				    : RING_PAGES;
	// Try it on a processor that the process itself may use; its threads
	// may be allowed fewer, but no others.
	while (!CPU_ISSET(cpu, cpus))
		cpu++;
	int errnum = attr_choose(p, cpu);

	return errnum ? errnum : threads_add(p, cpus);
}

// Are events of processors less work than those of threads? They have those of
// other processes, too.
static bool is_wide_better(pid_t pid, const cpu_set_t *cpus)
{
	DIR *tasks = proc_tasks_open(pid);
	int left = CPU_COUNT(cpus) - CPUS_FEW;

	while (tasks && left > 0 && proc_tasks_next(tasks))
		left--;
	if (tasks)
		closedir(tasks);
	return left <= 0;
}

struct dbg_error *perf_events_open(pid_t pid, uint32_t hertz, bool at_once,
				   struct perf_events **ret)
{
	struct perf_events *p = xcalloc(1, sizeof(*p));
	cpu_set_t cpus;

	p->pid = pid;
	p->attr = attr_of(hertz, at_once);
	p->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	p->ring_pages = hertz > MANY_HERTZ ? RING_MANY : RING_WIDE;
	files_raise();
	int errnum = sched_getaffinity(pid, sizeof(cpus), &cpus) ? errno : 0;

	if (!errnum &&
	    (!is_wide_better(pid, &cpus) || events_open(p, true, &cpus))) {
		events_drop(p);
		errnum = events_open(p, false, &cpus);
	}
	if (errnum) {
		perf_events_close(p);
		return refused(pid, errnum);
	}
	prctl(PR_TASK_PERF_EVENTS_ENABLE);
	*ret = p;
	return NULL;
}

void perf_events_watch(const struct perf_events *p, int epoll)
{
	for (size_t i = 0; i < p->n_rings; i++)
		epoll_ctl(epoll, EPOLL_CTL_ADD, p->rings[i].fd,
			  &(struct epoll_event){.events = EPOLLIN});
}

void perf_events_stop(void)
{
	prctl(PR_TASK_PERF_EVENTS_DISABLE);
}

void perf_events_close(struct perf_events *p)
{
	if (!p)
		return;
	events_drop(p);
	free(p->fds);
	free(p);
}

/* ---- Reading ----------------------------------------------------------- */

// Return addresses without the marks of where they come from.
static void chain_read(struct perf_events *p, struct reader *r,
		       struct perf_sample *ret)
{
	uint64_t n = reader_u64(r);

	ret->chain = p->chain;
	for (uint64_t i = 0; i < n && !r->bad; i++) {
		uint64_t ip = reader_u64(r);

		if (ip < (uint64_t)PERF_CONTEXT_MAX && ret->n_chain < CHAIN_MAX)
			p->chain[ret->n_chain++] = ip;
	}
}

static void stack_read(struct reader *r, struct perf_sample *ret)
{
	uint64_t n = reader_u64(r);

	if (!n)
		return;
	struct bytes stack = reader_bytes(r, n);
	uint64_t got = reader_u64(r);

	ret->stack = stack.p;
	ret->n_stack = got < stack.n ? (size_t)got : stack.n;
}

// Read the registers of a sample, which come in the order of perf_event's
// numbers.
static void registers_read(uint64_t mask, struct reader *r,
			   struct perf_sample *ret)
{
	uint64_t *const named[] = {&ret->fp, &ret->sp, &ret->pc};
	size_t n = 0;

	for (; mask; mask &= mask - 1) {
		uint64_t value = reader_u64(r);

		if (mask & -mask & ARCH_PERF_REGS)
			*named[n++] = value;
		else if (ret->n_saved < ARCH_SAVED)
			ret->saved[ret->n_saved++] = value;
	}
}

// Read the fields of a sample, in the order of perf_event_open(2).
static bool sample_read(struct perf_events *p, struct reader *r,
			struct perf_sample *ret)
{
	*ret = (struct perf_sample){0};
	ret->kernel = reader_u64(r) >> 63;
	ret->pid = (pid_t)reader_u32(r);
	ret->tid = (pid_t)reader_u32(r);
	ret->time = reader_u64(r);
	if (ret->pid != p->pid)
		return false;
	chain_read(p, r, ret);
	ret->has_registers = reader_u64(r) != PERF_SAMPLE_REGS_ABI_NONE;
	if (ret->has_registers)
		registers_read(p->attr.sample_regs_user, r, ret);
	stack_read(r, ret);
	return !r->bad;
}

// The record has nothing of its own, but what identifies a sample; that of a
// processor begins with the other thread.
static bool switch_read(const struct perf_events *p,
			const struct perf_event_header *header,
			const uint8_t *body, struct perf_switch *ret)
{
	const size_t other = p->wide ? 2 * sizeof(uint32_t) : 0;
	struct {
		uint32_t pid, tid;
		uint64_t time;
	} id;

	if (header->size < sizeof(*header) + other + sizeof(id))
		return false;
	memcpy(&id, body + other, sizeof(id));
	*ret = (struct perf_switch){
	    .tid = (pid_t)id.tid,
	    .time = id.time,
	    .in = !(header->misc & PERF_RECORD_MISC_SWITCH_OUT),
	    .preempted = header->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT,
	};
	return (pid_t)id.pid == p->pid;
}

static void record_read(struct perf_events *p,
			const struct perf_event_header *header,
			const uint8_t *body, const struct perf_readers *to)
{
	struct perf_sample sample;
	struct perf_switch change;
	struct reader r;

	if (header->type == PERF_RECORD_SWITCH ||
	    header->type == PERF_RECORD_SWITCH_CPU_WIDE) {
		if (switch_read(p, header, body, &change))
			to->switched(to->arg, &change);
		return;
	}
	reader_init(&r, body, header->size - sizeof(*header));
	if (header->type == PERF_RECORD_LOST) {
		reader_u64(&r);
		p->lost += reader_u64(&r);
	} else if (header->type == PERF_RECORD_SAMPLE &&
		   sample_read(p, &r, &sample)) {
		to->sample(to->arg, &sample);
	}
}

// @n bytes at @at of a ring of @size: where they lie, or in @buf, if they wrap
// around.
static const void *ring_bytes(const uint8_t *ring, size_t size, uint64_t at,
			      void *buf, size_t n)
{
	size_t from = (size_t)(at % size);
	size_t first = size - from;

	if (n <= first)
		return ring + from;
	memcpy(buf, ring + from, first);
	memcpy((uint8_t *)buf + first, ring, n - first);
	return buf;
}

static void ring_read(struct perf_events *p, struct ring *ring,
		      const struct perf_readers *to)
{
	struct perf_event_mmap_page *page = ring->page;
	const uint8_t *data = (const uint8_t *)page + p->page_bytes;
	size_t size = p->ring_pages * p->page_bytes;
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = page->data_tail;
	struct perf_event_header header;

	p->full |= head - tail > size / RING_SHARE;
	while (head - tail >= sizeof(header)) {
		// Records begin at words, and none of their headers wraps.
		memcpy(&header, data + tail % size, sizeof(header));
		if (header.size < sizeof(header) || header.size > head - tail)
			break;
		const void *body =
		    ring_bytes(data, size, tail + sizeof(header), p->record,
			       header.size - sizeof(header));

		record_read(p, &header, body, to);
		tail += header.size;
		__atomic_store_n(&page->data_tail, tail, __ATOMIC_RELEASE);
	}
}

void perf_events_read(struct perf_events *p, const struct perf_readers *to)
{
	p->full = false;
	for (size_t i = 0; i < p->n_rings; i++)
		ring_read(p, &p->rings[i], to);
}

bool perf_events_hurry(const struct perf_events *p)
{
	return p->full;
}

uint64_t perf_events_lost(const struct perf_events *p)
{
	return p->lost;
}

bool perf_events_kernel(const struct perf_events *p)
{
	return p->kernel;
}
