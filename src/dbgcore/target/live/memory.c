/*
 * Memory of a live process.
 *
 * Reading: process_vm_readv, and /proc/PID/mem for what has no read
 * permission. Writing: process_vm_writev; code is written through
 * /proc/PID/mem, which passes by page protection in private mappings.
 *
 * The .NET runtime's code (W^X, on by default since .NET 7) lies in shared
 * mappings of a memory file that /proc/PID/mem refuses to write. There the
 * file itself is written, opened through /proc/PID/fd. Descriptors and
 * mappings are kept. A mapping may have moved since it was looked up, so the
 * bytes in the file must be those in memory before anything is written.
 */
#include "target/live/live.h"
#include "target/live/thread.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"

/* ---- Why the kernel refuses to trace ------------------------------------- */

/*
 * Why the kernel does not let us trace a process, found out after it has
 * refused, as one sentence with the remedy: another tracer, Yama, seccomp,
 * another user or user namespace.
 */

enum {
	CAP_SYS_PTRACE_BIT = 19, /* linux/capability.h */
};

static struct dbg_error *by_another(pid_t pid)
{
	uint64_t tracer = 0;
	char name[16];

	if (!proc_status(pid, "TracerPid", 10, &tracer) || !tracer)
		return NULL;
	proc_comm((pid_t)tracer, (pid_t)tracer, name);
	return dbg_err(DBG_E_TARGET,
		       "cannot trace process %d: '%s' (process %d) traces it "
		       "already, which only one debugger can",
		       pid, name, (int)tracer);
}

static bool is_privileged(void)
{
	uint64_t caps = 0;

	proc_status(getpid(), "CapEff", 16, &caps);
	return caps >> CAP_SYS_PTRACE_BIT & 1;
}

// Is it a child of dndbg? It may be traced where other processes may not.
static bool is_child(pid_t pid)
{
	uint64_t parent = 0;

	return proc_status(pid, "PPid", 10, &parent) &&
	       parent == (uint64_t)getpid();
}

static struct dbg_error *yama_permits(pid_t pid)
{
	_cleanup_free_ char *text =
	    proc_read("/proc/sys/kernel/yama/ptrace_scope", NULL);
	int scope = text ? text[0] - '0' : 0;
	bool child = is_child(pid);

	if (scope < (child ? 2 : 1) || (scope < 3 && is_privileged()))
		return NULL;
	if (scope > 2)
		return dbg_err(DBG_E_TARGET,
			       "cannot trace process %d: "
			       "/proc/sys/kernel/yama/ptrace_scope is %d, "
			       "which can be changed at boot time only",
			       pid, scope);
	return dbg_err(DBG_E_TARGET,
		       "cannot trace process %d: "
		       "/proc/sys/kernel/yama/ptrace_scope is %d; as root set "
		       "it to %d, or run dndbg as root",
		       pid, scope, child ? 1 : 0);
}

// Does a seccomp filter forbid ptrace? Asked with process 0, which does not
// exist: a caller who may use ptrace at all gets ESRCH.
static bool is_filtered(void)
{
	return ptrace(PTRACE_CONT, 0, NULL, NULL) && errno != ESRCH;
}

static struct dbg_error *by_seccomp(pid_t pid)
{
	uint64_t mode = 0;

	if (!proc_status(getpid(), "Seccomp", 10, &mode) || !mode ||
	    !is_filtered())
		return NULL;
	return dbg_err(DBG_E_TARGET,
		       "cannot trace process %d: a seccomp filter forbids "
		       "ptrace; start the container with --cap-add=SYS_PTRACE",
		       pid);
}

// Capabilities count in one user namespace and in those that were made in it.
// Another one has other users; which it is may not be asked.
static struct dbg_error *by_namespace(pid_t pid)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/uid_map", pid);
	_cleanup_free_ char *ours = proc_read("/proc/self/uid_map", NULL);
	_cleanup_free_ char *its = proc_read(path, NULL);

	if (!ours || !its || !strcmp(ours, its))
		return NULL;
	return dbg_err(DBG_E_TARGET,
		       "cannot trace process %d, which is in another user "
		       "namespace: run dndbg in that one (in its container), "
		       "or with CAP_SYS_PTRACE outside of it",
		       pid);
}

static struct dbg_error *by_user(pid_t pid)
{
	uint64_t uid = 0;

	if (!proc_status(pid, "Uid", 10, &uid) || uid == geteuid() ||
	    is_privileged())
		return NULL;
	if (!geteuid())
		return dbg_err(DBG_E_TARGET,
			       "cannot trace process %d, which user %d runs: "
			       "dndbg lacks CAP_SYS_PTRACE; start its "
			       "container with --cap-add=SYS_PTRACE, or run it "
			       "as that user",
			       pid, (int)uid);
	return dbg_err(DBG_E_TARGET,
		       "cannot trace process %d, which user %d runs: run dndbg "
		       "as that user or as root",
		       pid, (int)uid);
}

// A process with capabilities that its tracer lacks is closed to it, though
// both are root's.
static struct dbg_error *by_capability(pid_t pid)
{
	uint64_t its = 0, ours = 0;

	if (geteuid() || is_privileged() ||
	    !proc_status(pid, "CapPrm", 16, &its) ||
	    !proc_status(getpid(), "CapEff", 16, &ours) || !(its & ~ours))
		return NULL;
	return dbg_err(DBG_E_TARGET,
		       "cannot trace process %d, which has more capabilities: "
		       "dndbg lacks CAP_SYS_PTRACE; start its container with "
		       "--cap-add=SYS_PTRACE",
		       pid);
}

// Is the process not dumpable? Then its files in /proc belong to root.
static bool live_is_closed(pid_t pid)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/maps", pid);
	struct stat st;

	return !is_privileged() && !stat(path, &st) && st.st_uid != geteuid();
}

static struct dbg_error *by_itself(pid_t pid)
{
	if (!live_is_closed(pid))
		return NULL;
	return dbg_err(DBG_E_TARGET,
		       "cannot trace process %d: it is setuid, has "
		       "capabilities, or has made itself undumpable "
		       "(PR_SET_DUMPABLE); run dndbg as root",
		       pid);
}

static struct dbg_error *first_of(struct dbg_error *(*const reasons[])(pid_t),
				  size_t n, pid_t pid, int errnum)
{
	for (size_t i = 0; i < n; i++) {
		struct dbg_error *err = reasons[i](pid);

		if (err)
			return err;
	}
	return dbg_err_errno(DBG_E_TARGET, errnum, "cannot trace process %d",
			     pid);
}

struct dbg_error *live_refused(pid_t pid, int errnum)
{
	static struct dbg_error *(*const reasons[])(pid_t) = {
	    by_another, yama_permits,  by_seccomp, by_namespace,
	    by_user,    by_capability, by_itself,
	};

	return first_of(reasons, sizeof(reasons) / sizeof(reasons[0]), pid,
			errnum);
}

struct dbg_error *target_closed(pid_t pid, int errnum)
{
	static struct dbg_error *(*const reasons[])(pid_t) = {
	    by_namespace,
	    by_user,
	    by_capability,
	    by_itself,
	};

	return first_of(reasons, sizeof(reasons) / sizeof(reasons[0]), pid,
			errnum);
}

/* ---- Memory of a live process -------------------------------------------- */

enum {
	STACK_GAP_BYTES = 128 << 20, // below a stack, where nothing is mapped
};

/* ---- Open and close -------------------------------------------------- */

void live_memory_init(struct live *l)
{
	l->memory.fd = l->memory.maps_fd = -1;
}

static void close_files(struct live *l)
{
	for (size_t i = 0; i < l->memory.n_files; i++)
		close(l->memory.files[i].fd);
	l->memory.n_files = 0;
	l->memory.n_codes = 0;
}

void live_memory_deinit(struct live *l)
{
	close_files(l);
	free(l->memory.files);
	free(l->memory.codes);
	mem_close_fd(&l->memory.fd);
	mem_close_fd(&l->memory.maps_fd);
	l->memory.fd = l->memory.maps_fd = -1;
}

struct dbg_error *live_memory_open(struct live *l)
{
	char path[32];

	close_files(l);
	mem_close_fd(&l->memory.fd);
	mem_close_fd(&l->memory.maps_fd);
	l->memory.stack = 0;
	l->memory.maps_fd = proc_maps_open(live_body(l));
	snprintf(path, sizeof(path), "/proc/%d/mem", live_body(l));
	l->memory.fd = open(path, O_RDWR | O_CLOEXEC);
	if (l->memory.fd < 0)
		return dbg_err_errno(DBG_E_TARGET, errno, "cannot open '%s'",
				     path);
	return NULL;
}

struct dbg_error *live_mappings(struct live *l, struct proc_maps *ret)
{
	return proc_maps_read(l->memory.maps_fd, l->target.pid, ret);
}

/* ---- Reading --------------------------------------------------------- */

static ssize_t vm_read(const struct memory_of *m, uint64_t addr, void *buf,
		       size_t n)
{
	struct iovec local = {buf, n}, remote = {(void *)addr, n};

	++*m->syscalls;
	ssize_t got = process_vm_readv(m->pid, &local, 1, &remote, 1, 0);
	if (got < 0 && (errno == EPERM || errno == ENOSYS))
		*m->no_vm = true;
	return got;
}

static ssize_t mem_read(const struct memory_of *m, uint64_t addr, void *buf,
			size_t n)
{
	// A file offset has no sign bit to spare; nor do user addresses.
	if (m->fd < 0 || addr > INT64_MAX)
		return -1;
	++*m->syscalls;
	return pread(m->fd, buf, n, (off_t)addr);
}

// Is @addr where the main stack may grow to? /proc/PID/mem would let it grow.
static bool is_below_stack(const struct memory_of *m, uint64_t addr)
{
	if (!*m->stack) {
		++*m->syscalls;
		struct dbg_error *err = proc_auxv(m->pid, AT_RANDOM, m->stack);
		if (dbg_err_drop(err) || !*m->stack)
			*m->stack = UINT64_MAX;
	}
	return addr < *m->stack && *m->stack - addr < STACK_GAP_BYTES;
}

size_t memory_read(const struct memory_of *m, uint64_t addr, void *buf,
		   size_t n)
{
	size_t done = 0;
	uint8_t *p = buf;

	while (done < n) {
		ssize_t got = -1;

		if (!*m->no_vm)
			got = vm_read(m, addr + done, p + done, n - done);
		if (got <= 0) {
			// To the end of this page; behind it the quick way may
			// be good again.
			size_t part = PAGE_BYTES - (addr + done) % PAGE_BYTES;

			if (part > n - done)
				part = n - done;
			if (*m->no_vm || !is_below_stack(m, addr + done))
				got = mem_read(m, addr + done, p + done, part);
		}
		if (got <= 0)
			break;
		done += (size_t)got;
	}
	return done;
}

static struct memory_of memory_of(struct live *l)
{
	return (struct memory_of){
	    .pid = live_body(l),
	    .fd = l->memory.fd,
	    .no_vm = &l->memory.no_vm,
	    .stack = &l->memory.stack,
	    .syscalls = &l->target.counters.syscalls,
	};
}

// Read a page that the program itself may read, and keep it.
static bool recent_read(struct live *l, uint64_t addr)
{
	struct memory_of m = memory_of(l);

	l->memory.recent = 0;
	if (*m.no_vm ||
	    vm_read(&m, addr, l->memory.recent_bytes, PAGE_BYTES) != PAGE_BYTES)
		return false;
	l->memory.recent = addr;
	return true;
}

size_t live_read(struct target *t, uint64_t addr, void *buf, size_t n)
{
	struct live *l = live_of(t);
	struct memory_of m = memory_of(l);

	if (l->exited)
		return 0;
	if (n == PAGE_BYTES && addr % PAGE_BYTES == 0 && recent_read(l, addr)) {
		memcpy(buf, l->memory.recent_bytes, n);
		return n;
	}
	return memory_read(&m, addr, buf, n);
}

size_t live_read_pages(struct target *t, struct page *const *v, size_t n)
{
	struct live *l = live_of(t);
	struct iovec local[AHEAD_MAX], remote[AHEAD_MAX];

	if (l->exited || l->memory.no_vm)
		return 0;
	for (size_t i = 0; i < n; i++) {
		local[i] = (struct iovec){v[i]->data, PAGE_BYTES};
		remote[i] = (struct iovec){(void *)v[i]->addr, PAGE_BYTES};
	}
	t->counters.syscalls++;
	ssize_t got = process_vm_readv(live_body(l), local, n, remote, n, 0);
	return got < 0 ? 0 : (size_t)got / PAGE_BYTES;
}

bool live_read_plain(struct live *l, uint64_t addr, void *buf, size_t n)
{
	struct memory_of m = memory_of(l);
	uint64_t within = addr % PAGE_BYTES;

	if (l->memory.recent && addr - within == l->memory.recent &&
	    n <= PAGE_BYTES - within) {
		memcpy(buf, l->memory.recent_bytes + within, n);
		return true;
	}
	return !*m.no_vm && vm_read(&m, addr, buf, n) == (ssize_t)n;
}

/* ---- Shared code ----------------------------------------------------- */

static const struct shared_code *code_find(const struct live *l, uint64_t addr)
{
	size_t low = 0, high = l->memory.n_codes;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (l->memory.codes[mid].end <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	if (low < l->memory.n_codes && l->memory.codes[low].start <= addr)
		return &l->memory.codes[low];
	return NULL;
}

bool live_code_shared(const struct live *l, uint64_t addr)
{
	return code_find(l, addr);
}

// Open the mapped file by one of the process's own descriptors; -1: it has
// none.
static int open_by_fd(struct live *l, const struct proc_map *map)
{
	char path[48];
	struct stat st;
	struct dirent *entry;
	int fd = -1;

	snprintf(path, sizeof(path), "/proc/%d/fd", live_body(l));
	DIR *dir = opendir(path);
	if (!dir)
		return -1;
	while (fd < 0 && (entry = readdir(dir))) {
		if (fstatat(dirfd(dir), entry->d_name, &st, 0) ||
		    st.st_ino != map->inode || st.st_dev != map->dev)
			continue;
		fd = openat(dirfd(dir), entry->d_name, O_RDWR | O_CLOEXEC);
	}
	closedir(dir);
	return fd;
}

static int open_by_map(struct live *l, const struct proc_map *map)
{
	char path[96];

	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64,
		 live_body(l), map->start, map->end);
	return open(path, O_RDWR | O_CLOEXEC);
}

static int file_get(struct live *l, const struct proc_map *map)
{
	for (size_t i = 0; i < l->memory.n_files; i++)
		if (l->memory.files[i].inode == map->inode &&
		    l->memory.files[i].dev == map->dev)
			return l->memory.files[i].fd;
	int fd = open_by_fd(l, map);
	if (fd < 0)
		fd = open_by_map(l, map);
	if (fd < 0)
		return -1;
	mem_grow(&l->memory.files, &l->memory.files_cap, l->memory.n_files,
		 sizeof(*l->memory.files));
	l->memory.files[l->memory.n_files++] =
	    (struct shared_file){map->dev, map->inode, fd};
	return fd;
}

static struct dbg_error *refresh_codes(struct live *l)
{
	struct dbg_error *err;
	const struct proc_maps *maps;

	err = images_maps(&l->target, &maps);
	if (err)
		return err;
	l->memory.n_codes = 0;
	for (size_t i = 0; i < maps->n; i++) {
		const struct proc_map *map = &maps->v[i];

		if (!map->shared || !map->inode || !map->exec || map->write)
			continue;
		int fd = file_get(l, map);
		if (fd < 0)
			continue;
		mem_grow(&l->memory.codes, &l->memory.codes_cap,
			 l->memory.n_codes, sizeof(*l->memory.codes));
		l->memory.codes[l->memory.n_codes++] =
		    (struct shared_code){map->start, map->end, map->offset, fd};
	}
	return NULL;
}

static bool file_matches(struct live *l, const struct shared_code *code,
			 uint64_t addr, size_t n)
{
	_cleanup_free_ uint8_t *pair = xmalloc(n * 2);
	off_t off = (off_t)(code->offset + (addr - code->start));

	l->target.counters.syscalls++;
	return pread(code->fd, pair, n, off) == (ssize_t)n &&
	       live_read(&l->target, addr, pair + n, n) == n &&
	       !memcmp(pair, pair + n, n);
}

// Write through the file; *ret_n is how much of it lay in one mapping, 0 if
// none is known.
static bool shared_write(struct live *l, uint64_t addr, const void *buf,
			 size_t *n)
{
	const struct shared_code *code = code_find(l, addr);

	if (!code)
		return false;
	if (*n > code->end - addr)
		*n = (size_t)(code->end - addr);
	if (!file_matches(l, code, addr, *n))
		return false;
	l->target.counters.syscalls++;
	return pwrite(code->fd, buf, *n,
		      (off_t)(code->offset + (addr - code->start))) ==
	       (ssize_t)*n;
}

/* ---- Writing --------------------------------------------------------- */

// Write code up to the end of whatever holds it; *n is how much was done.
static struct dbg_error *write_part(struct live *l, uint64_t addr,
				    const void *buf, size_t *n)
{
	struct dbg_error *err;
	size_t whole = *n;

	if (shared_write(l, addr, buf, n))
		return NULL;
	*n = whole;
	bool known = code_find(l, addr);
	l->target.counters.syscalls++;
	ssize_t done = known || addr > INT64_MAX
			   ? -1
			   : pwrite(l->memory.fd, buf, *n, (off_t)addr);
	if (done > 0) {
		*n = (size_t)done;
		return NULL;
	}
	err = refresh_codes(l);
	if (err)
		return err;
	if (shared_write(l, addr, buf, n))
		return NULL;
	*n = whole;
	done = known && addr <= INT64_MAX
		   ? pwrite(l->memory.fd, buf, *n, (off_t)addr)
		   : -1;
	if (done <= 0)
		return dbg_err(DBG_E_MEMORY,
			       "cannot write memory at %#" PRIx64 "%s", addr,
			       live_is_closed(l->target.pid)
				   ? ": the program has made itself undumpable "
				     "(PR_SET_DUMPABLE); run dndbg as root"
				   : "");
	*n = (size_t)done;
	return NULL;
}

struct dbg_error *live_write_code(struct target *t, uint64_t addr,
				  const void *buf, size_t n)
{
	struct dbg_error *err;
	struct live *l = live_of(t);
	size_t done = 0;

	l->memory.recent = 0;
	while (done < n) {
		size_t part = n - done;

		err = write_part(l, addr + done, (const uint8_t *)buf + done,
				 &part);
		if (err)
			return err;
		done += part;
	}
	return NULL;
}

static ssize_t vm_write(struct live *l, uint64_t addr, const void *buf,
			size_t n)
{
	struct iovec local = {(void *)(uintptr_t)buf, n};
	struct iovec remote = {(void *)addr, n};

	l->memory.recent = 0;
	l->target.counters.syscalls++;
	return process_vm_writev(live_body(l), &local, 1, &remote, 1, 0);
}

bool live_write_plain(struct live *l, uint64_t addr, const void *buf, size_t n)
{
	return !l->memory.no_vm && vm_write(l, addr, buf, n) == (ssize_t)n;
}

struct dbg_error *live_write(struct target *t, uint64_t addr, const void *buf,
			     size_t n)
{
	struct live *l = live_of(t);
	ssize_t done = l->memory.no_vm ? -1 : vm_write(l, addr, buf, n);

	if (done < 0)
		done = 0;
	return live_write_code(t, addr + (size_t)done,
			       (const uint8_t *)buf + done, n - (size_t)done);
}
