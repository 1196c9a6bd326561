/*
 * /proc read: mappings, status and stat fields, links, cgroups. Text that a
 * process can choose (its name, its paths) is parsed from behind or by its
 * length.
 */
#include "target/proc.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "target/arch.h"

enum {
	// 65,530 mappings (vm.max_map_count) of 250 bytes
	PROC_FILE_MAX = 32 << 20,
	KCMP_VM_TYPE = 1, /* KCMP_VM of linux/kcmp.h */
	LASTING_LOOKS = 20,
	LASTING_PAUSE_NS = 10000000,
};

static char *read_whole(int fd, size_t *ret_n)
{
	_cleanup_free_ char *buf = NULL;
	size_t n = 0, cap = 0;

	while (n < PROC_FILE_MAX) {
		if (cap - n < 4096) {
			cap = cap ? cap * 2 : 8192;
			buf = xrealloc(buf, cap);
		}
		ssize_t got = read(fd, buf + n, cap - n - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return NULL;
		if (!got)
			break;
		n += (size_t)got;
	}
	buf[n] = '\0';
	char *whole = buf;
	buf = NULL;
	if (ret_n)
		*ret_n = n;
	return whole;
}

char *proc_read(const char *path, size_t *ret_n)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? NULL : read_whole(fd, ret_n);
}

bool proc_link(pid_t pid, const char *name, char ret[PATH_MAX])
{
	_cleanup_free_ char *path = pid ? xasprintf("/proc/%d/%s", pid, name)
					: xasprintf("/proc/self/%s", name);
	ssize_t n = readlink(path, ret, PATH_MAX - 1);

	ret[n > 0 ? n : 0] = '\0';
	return n > 0;
}

// Cut off " (deleted)", which the kernel appends to the path of a mapped file
// that was removed or replaced; false: it is not there. Memory files never had
// a path: for them it is part of the name.
static bool cut_deleted(char *path)
{
	static const char mark[] = " (deleted)";
	size_t n = strlen(path), k = sizeof(mark) - 1;

	if (*path != '/' || str_starts(path, "/memfd:") || n <= k ||
	    strcmp(path + n - k, mark))
		return false;
	path[n - k] = '\0';
	return true;
}

bool proc_executable(pid_t pid, char ret[PATH_MAX])
{
	bool found = proc_link(pid, "exe", ret);

	cut_deleted(ret);
	return found;
}

// Take a hexadecimal number and the character @end behind it.
static bool hex(char **s, char end, uint64_t *ret)
{
	uint64_t value = 0;
	char *rest = *s;

	// strtoull is a third of the time it takes to read all mappings.
	for (; isxdigit((unsigned char)*rest); rest++) {
		unsigned int digit =
		    isdigit((unsigned char)*rest)
			? (unsigned int)(*rest - '0')
			: (unsigned int)(*rest | ' ') - 'a' + 10;

		if (value >> 60)
			return false;
		value = value << 4 | digit;
	}
	if (rest == *s || *rest != end)
		return false;
	*s = rest + 1;
	*ret = value;
	return true;
}

// Parse "start-end rwxp offset major:minor inode   path".
static bool parse_line(char *s, struct proc_map *ret)
{
	uint64_t major, minor;

	if (!hex(&s, '-', &ret->start) || !hex(&s, ' ', &ret->end))
		return false;
	if (strnlen(s, 5) < 5)
		return false;
	ret->read = s[0] == 'r';
	ret->write = s[1] == 'w';
	ret->exec = s[2] == 'x';
	ret->shared = s[3] == 's';
	s += 5;
	if (!hex(&s, ' ', &ret->offset) || !hex(&s, ':', &major) ||
	    !hex(&s, ' ', &minor))
		return false;
	ret->dev = makedev((unsigned int)major, (unsigned int)minor);
	char *rest;
	ret->inode = strtoull(s, &rest, 10);
	rest += strspn(rest, " ");
	ret->deleted = cut_deleted(rest);
	ret->path = rest;
	return ret->end > ret->start;
}

void proc_maps_parse(char *text, struct proc_maps *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->text = text;
	for (char *line = text, *next; line && *line; line = next) {
		struct proc_map map = {0};

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (!parse_line(line, &map))
			continue;
		mem_grow(&ret->v, &ret->cap, ret->n, sizeof(*ret->v));
		ret->v[ret->n++] = map;
	}
}

int proc_maps_open(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	return open(path, O_RDONLY | O_CLOEXEC);
}

struct dbg_error *proc_maps_read(int fd, pid_t pid, struct proc_maps *ret)
{
	char *text = NULL;

	if (fd >= 0 && !lseek(fd, 0, SEEK_SET))
		text = read_whole(fd, NULL);
	if (!text)
		return dbg_err_errno(DBG_E_TARGET, errno,
				     "cannot read '/proc/%d/maps'", pid);
	proc_maps_parse(text, ret);
	return NULL;
}

struct dbg_error *proc_maps_load(pid_t pid, struct proc_maps *ret)
{
	_cleanup_close_ int fd = proc_maps_open(pid);

	return proc_maps_read(fd, pid, ret);
}

void proc_maps_deinit(struct proc_maps *maps)
{
	free(maps->v);
	free(maps->text);
	memset(maps, 0, sizeof(*maps));
}

const struct proc_map *proc_maps_find(const struct proc_maps *maps,
				      uint64_t addr)
{
	size_t low = 0, high = maps->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (maps->v[mid].end <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	if (low < maps->n && maps->v[low].start <= addr)
		return &maps->v[low];
	return NULL;
}

// Read a thread's status file; NULL if it is gone. The caller frees it.
static char *status_text(pid_t tid)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/status", tid);

	return proc_read(path, NULL);
}

// What follows "field:" in the text of a status file; NULL: there is no such
// field.
static const char *status_find(const char *text, const char *field)
{
	char key[32];
	int len = snprintf(key, sizeof(key), "\n%s:", field);
	const char *at = text ? strstr(text, key) : NULL;

	return at ? at + len : NULL;
}

static bool status_number(const char *text, const char *field, int base,
			  uint64_t *ret)
{
	const char *at = status_find(text, field);
	char *end;

	if (!at)
		return false;
	uint64_t n = strtoull(at, &end, base);
	if (end == at)
		return false;
	*ret = n;
	return true;
}

// The last number of a line: an id in the process's own namespace; 0: none.
static pid_t status_inside(const char *text, const char *field)
{
	const char *at = status_find(text, field);
	const char *end = at ? strchr(at, '\n') : NULL;

	while (end && end > at && end[-1] >= '0' && end[-1] <= '9')
		end--;
	return end ? (pid_t)strtol(end, NULL, 10) : 0;
}

bool proc_status(pid_t pid, const char *field, int base, uint64_t *ret)
{
	_cleanup_free_ char *text = status_text(pid);

	return status_number(text, field, base, ret);
}

bool proc_summary(pid_t pid, struct proc_summary *ret)
{
	_cleanup_free_ char *text = status_text(pid);
	uint64_t uid = 0, threads = 0, resident = 0;

	if (!text)
		return false;
	(void)status_number(text, "Uid", 10, &uid);
	(void)status_number(text, "Threads", 10, &threads);
	(void)status_number(text, "VmRSS", 10, &resident);
	*ret = (struct proc_summary){
	    .inside = status_inside(text, "NSpid"),
	    .uid = (uid_t)uid,
	    .threads = (uint32_t)threads,
	    .resident = resident * 1024,
	};
	return true;
}

pid_t proc_tid_inside(pid_t tid)
{
	_cleanup_free_ char *text = status_text(tid);

	return status_inside(text, "NSpid");
}

bool proc_is_first(pid_t tid)
{
	_cleanup_free_ char *text = status_text(tid);

	return status_inside(text, "NStgid") == 1;
}

void proc_command(pid_t tid, size_t max, struct str *ret)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/cmdline", tid);
	size_t n = 0;
	_cleanup_free_ char *text = proc_read(path, &n);

	if (n > max)
		n = max;
	while (n && !text[n - 1])
		n--;
	for (size_t i = 0; i < n; i++)
		str_addc(ret, text[i] ? text[i] : ' ');
}

char *proc_temporary(pid_t pid)
{
	static const char name[] = "TMPDIR=";
	const size_t len = sizeof(name) - 1;
	char path[32];
	size_t n = 0;

	snprintf(path, sizeof(path), "/proc/%d/environ", pid);
	_cleanup_free_ char *text = proc_read(path, &n);
	for (size_t at = 0; text && at < n; at += strlen(text + at) + 1)
		if (!strncmp(text + at, name, len) && text[at + len])
			return xstrdup(text + at + len);
	return xstrdup("/tmp");
}

void proc_comm(pid_t pid, pid_t tid, char ret[16])
{
	char path[64];
	size_t n = 0;

	ret[0] = '\0';
	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", pid, tid);
	_cleanup_free_ char *text = proc_read(path, &n);
	if (!text)
		return;
	n = strcspn(text, "\n");
	if (n > 15)
		n = 15;
	memcpy(ret, text, n);
	ret[n] = '\0';
}

// The fields of a thread's stat file behind the name, from the state letter on;
// the caller frees *ret_text. NULL: the thread is gone.
static const char *stat_fields(pid_t pid, pid_t tid, char **ret_text)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	*ret_text = proc_read(path, NULL);
	if (!*ret_text)
		return NULL;
	// "tid (comm) S ...": comm may hold anything, even ") Z".
	const char *at = strrchr(*ret_text, ')');
	return at && at[1] == ' ' ? at + 2 : NULL;
}

char proc_state(pid_t pid, pid_t tid)
{
	_cleanup_free_ char *text = NULL;
	const char *fields = stat_fields(pid, tid, &text);

	return fields ? *fields : 0;
}

char proc_lasting_state(pid_t pid)
{
	const struct timespec pause = {.tv_nsec = LASTING_PAUSE_NS};
	char state = proc_state(pid, pid);

	for (int i = 0; i < LASTING_LOOKS && state == 't'; i++) {
		nanosleep(&pause, NULL);
		state = proc_state(pid, pid);
	}
	return state;
}

/*
 * Read the kernel's line about the system call that a thread is in; NULL: none.
 */
static char *syscall_text(pid_t pid, pid_t tid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", pid, tid);
	return proc_read(path, NULL);
}

bool proc_syscall(pid_t pid, pid_t tid, struct regs *ret)
{
	uint64_t v[ARCH_SYSCALL_WORDS];
	size_t n = 0;

	_cleanup_free_ char *text = syscall_text(pid, tid);
	char *at = text, *end;
	for (; at && n < sizeof(v) / sizeof(v[0]); n++, at = end) {
		v[n] = strtoull(at, &end, 0);
		if (end == at)
			return false;
	}
	if (!at)
		return false;
	regs_of_syscall(v, ret);
	return true;
}

bool proc_makes_child(pid_t pid, pid_t tid)
{
	static const long calls[] = {
#ifdef SYS_vfork
	    SYS_vfork,
#endif
	    SYS_clone, SYS_clone3};

	_cleanup_free_ char *text = syscall_text(pid, tid);
	// "running" begins with no number: call 0 is no such call
	long call = text ? strtol(text, NULL, 10) : 0;
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (call == calls[i])
			return true;
	return false;
}

bool proc_same_memory(pid_t a, pid_t b, bool unknown)
{
	long rc = syscall(SYS_kcmp, a, b, KCMP_VM_TYPE, 0, 0);

	return rc < 0 ? unknown : rc == 0;
}

struct dbg_error *proc_auxv(pid_t pid, uint64_t type, uint64_t *ret)
{
	char path[32];
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/auxv", pid);
	_cleanup_free_ char *text = proc_read(path, &n);
	if (!text)
		return dbg_err_errno(DBG_E_TARGET, errno, "cannot read '%s'",
				     path);
	*ret = 0;
	for (size_t i = 0; i + 16 <= n; i += 16) {
		uint64_t pair[2];

		memcpy(pair, text + i, sizeof(pair));
		if (pair[0] == type)
			*ret = pair[1];
		if (pair[0] == type || pair[0] == AT_NULL)
			break;
	}
	return NULL;
}

// A number of the stat file, counted as in proc(5), where the state is the
// third.
static uint64_t stat_number(pid_t pid, int field)
{
	_cleanup_free_ char *text = NULL;
	const char *at = stat_fields(pid, pid, &text);

	for (int i = 3; at && i < field; i++) {
		at = strchr(at, ' ');
		at = at ? at + 1 : NULL;
	}
	return at ? strtoull(at, NULL, 10) : 0;
}

uint64_t proc_start_time(pid_t pid)
{
	return stat_number(pid, 22);
}

bool proc_exit_status(pid_t pid, int *ret)
{
	if (proc_state(pid, pid) != 'Z')
		return false;
	*ret = (int)stat_number(pid, 52);
	return true;
}

DIR *proc_tasks_open(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	return opendir(path);
}

pid_t proc_tasks_next(DIR *tasks)
{
	struct dirent *entry;

	while ((entry = readdir(tasks))) {
		pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (tid > 0)
			return tid;
	}
	return 0;
}

bool proc_ended(pid_t pid)
{
	bool ended = true;
	pid_t tid;
	DIR *tasks = proc_tasks_open(pid);

	if (!tasks)
		return errno == ENOENT;
	while (ended && (tid = proc_tasks_next(tasks))) {
		char state = proc_state(pid, tid);

		ended = !state || state == 'Z' || state == 'X';
	}
	closedir(tasks);
	return ended;
}

bool proc_dying(pid_t pid)
{
	static const char *const pending[] = {"SigPnd", "ShdPnd"};
	const uint64_t exiting = 0x4, signaled = 0x400;
	uint64_t set;

	for (size_t i = 0; i < sizeof(pending) / sizeof(pending[0]); i++) {
		if (!proc_status(pid, pending[i], 16, &set))
			return true;
		if (set >> (SIGKILL - 1) & 1)
			return true;
	}
	// linux/sched.h: PF_EXITING, PF_SIGNALED
	return stat_number(pid, 9) & (exiting | signaled);
}

// Does the file @name of the cgroup @path below @mount say @word?
static bool cgroup_says(const char *mount, const char *path, size_t n,
			const char *name, const char *word)
{
	_cleanup_free_ char *file =
	    xasprintf("/sys/fs/cgroup%s%.*s/%s", mount, (int)n, path, name);
	_cleanup_free_ char *text = proc_read(file, NULL);

	return text && strstr(text, word);
}

char *proc_frozen(pid_t pid)
{
	char file[32];

	snprintf(file, sizeof(file), "/proc/%d/cgroup", pid);

	_cleanup_free_ char *text = proc_read(file, NULL);

	// Lines of "number:controllers:path", version 2 without controllers.
	for (const char *at = text; at && *at;) {
		size_t line = strcspn(at, "\n");
		const char *name = memchr(at, ':', line);
		const char *path =
		    name ? memchr(name + 1, ':', line - (size_t)(name + 1 - at))
			 : NULL;

		if (!path)
			break;
		size_t n = line - (size_t)(++path - at);
		bool v2 = path - name == 2;

		if (v2 ? cgroup_says("", path, n, "cgroup.events",
				     "frozen 1") ||
			     cgroup_says("/unified", path, n, "cgroup.events",
					 "frozen 1")
		       : str_starts(name, ":freezer:") &&
			     cgroup_says("/freezer", path, n, "freezer.state",
					 "FROZEN"))
			return xstrndup(path, n);
		at += line + (at[line] == '\n');
	}
	return NULL;
}

/* ---- Processor time --------------------------------------------------- */

// The scheduler counts nanoseconds; where it does not, ticks are of user and
// kernel mode, fields 14 and 15 of the stat file, the state being the third.
uint64_t proc_time_of(pid_t pid, pid_t tid, uint64_t *ret_ready)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", pid, tid);
	_cleanup_free_ char *sched = proc_read(path, NULL);
	char *waited = sched;
	uint64_t ns = sched ? strtoull(sched, &waited, 10) : 0;

	if (ret_ready)
		*ret_ready = ns + (ns ? strtoull(waited, NULL, 10) : 0);
	if (ns)
		return ns;
	_cleanup_free_ char *text = NULL;
	const char *at = stat_fields(pid, tid, &text);

	for (int i = 3; at && i < 14; i++) {
		at = strchr(at, ' ');
		at = at ? at + 1 : NULL;
	}
	if (!at)
		return 0;
	char *kernel;
	uint64_t ticks = strtoull(at, &kernel, 10);

	ticks += strtoull(kernel, NULL, 10);
	return ticks * (UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK));
}

// How often a ready thread has waited for a processor. The kernel counts a wait
// when it is over: a thread that is ready has been so all the time if it has
// not waited since.
static uint64_t waits_of_ready(pid_t pid, pid_t tid)
{
	char path[64];

	if (proc_state(pid, tid) != 'R')
		return 0;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", pid, tid);
	_cleanup_free_ char *text = proc_read(path, NULL);
	const char *at =
	    text ? strstr(text, "\nvoluntary_ctxt_switches:") : NULL;

	return at ? strtoull(strchr(at, ':') + 1, NULL, 10) + 1 : 0;
}

void proc_times_read(pid_t pid, struct proc_times *ret)
{
	DIR *tasks = proc_tasks_open(pid);
	pid_t tid;

	*ret = (struct proc_times){.at = clock_ns()};
	if (!tasks)
		return;
	while ((tid = proc_tasks_next(tasks))) {
		mem_grow(&ret->v, &ret->cap, ret->n, sizeof(*ret->v));
		struct proc_time *one = &ret->v[ret->n++];

		one->tid = tid;
		one->ns = proc_time_of(pid, tid, &one->ready);
		one->ready = one->ready ? one->ready : one->ns;
		one->waits = waits_of_ready(pid, tid);
	}
	closedir(tasks);
}

void proc_times_deinit(struct proc_times *t)
{
	free(t->v);
	*t = (struct proc_times){0};
}
