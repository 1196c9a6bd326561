/*
 * The .NET programs of this machine, from /proc alone: the mappings say whether
 * there is a runtime and which, the cgroup which container it is in. A runtime
 * inside the executable has no library to be seen by: the file exports its
 * table for debuggers.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/str.h"
#include "dac/runtimeinfo.h"
#include "dbg.h"
#include "session/attach.h"
#include "target/cgroup.h"
#include "target/elf.h"
#include "target/proc.h"

enum {
	EXECUTABLE_MAX = 256 << 20, /* bytes that are looked through */
	COMMAND_MAX = 4096,         /* bytes of a command line that are told */
	CONTAINER = 12, /* digits of a container's id that are told */
	ID_DIGITS = 64, /* ... of which it has these */
};

bool dbg_framework_version(const char *path, char ret[DBG_VERSION_MAX])
{
	static const char framework[] = "/Microsoft.NETCore.App/";
	const char *at = path ? strstr(path, framework) : NULL;

	if (!at)
		return false;
	at += strlen(framework);
	size_t n = strcspn(at, "/");
	if (!n || !at[n])
		return false;
	snprintf(ret, DBG_VERSION_MAX, "%.*s", (int)n, at);
	return true;
}

/* Has the executable a runtime inside? */
static bool is_single_file(pid_t pid)
{
	char path[32];
	struct elf_symbol symbol;
	struct file file;
	struct elf elf;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	struct dbg_error *err = file_load(path, EXECUTABLE_MAX, &file);
	if (dbg_err_drop(err))
		return false;
	err = elf_parse(file.bytes, &elf);
	bool found = !err && elf_symbol_find(&elf, runtime_info_mark, &symbol);
	dbg_error_destroy(err);
	file_unload(&file);
	return found;
}

/*
 * Get the runtime's version; false: there is none, or the process may not be
 * looked at.
 */
static bool find_runtime(pid_t pid, char ret[DBG_VERSION_MAX])
{
	struct proc_maps maps;
	bool found = false;

	struct dbg_error *err = proc_maps_load(pid, &maps);
	if (dbg_err_drop(err))
		return false;
	for (size_t i = 0; i < maps.n && !found; i++) {
		const char *path = maps.v[i].path;

		// A debugger maps the library as well, to read it, but not as
		// code.
		found = maps.v[i].exec &&
			!strcmp(str_basename(path), "libcoreclr.so");
		if (found && !dbg_framework_version(path, ret))
			snprintf(ret, DBG_VERSION_MAX, "self-contained");
	}
	if (!found && maps.n && is_single_file(pid)) {
		snprintf(ret, DBG_VERSION_MAX, "single file");
		found = true;
	}
	proc_maps_deinit(&maps);
	return found;
}

/*
 * Find the container's id: the last 64 hexadecimal digits in a row in the
 * cgroup's name.
 */
static bool find_container(pid_t pid, char ret[CONTAINER + 1])
{
	char path[32];
	size_t digits = 0;
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%d/cgroup", pid);
	_cleanup_free_ char *text = proc_read(path, NULL);
	for (const char *p = text; p && *p; p++) {
		digits = isxdigit((unsigned char)*p) ? digits + 1 : 0;
		if (digits == ID_DIGITS) {
			snprintf(ret, CONTAINER + 1, "%s", p + 1 - ID_DIGITS);
			found = true;
		}
	}
	return found;
}

void dbg_limits_of(pid_t pid, struct dbg_limits *ret)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/cgroup", pid);
	_cleanup_free_ char *text = proc_read(path, NULL);
	cgroup_limits("/sys/fs/cgroup", text ? text : "", ret);
}

/* ---- File descriptors ------------------------------------------------ */

// The limit of descriptors: the first number of "Max open files   1024   524288
// files".
static uint64_t descriptors_max(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/limits", pid);
	_cleanup_free_ char *text = proc_read(path, NULL);
	const char *at = text ? strstr(text, "Max open files") : NULL;

	return at ? strtoull(at + strlen("Max open files"), NULL, 10) : 0;
}

// Count a descriptor by kind: names of sockets and pipes have numbers in them.
static void count_descriptor(struct dbg_descriptors *d, struct map *by_name,
			     const char *name)
{
	size_t n = *name == '/' ? strlen(name) : strcspn(name, ":");
	uint64_t key = str_hash(name, n);
	uintptr_t count = (uintptr_t)map_find(by_name, key) + 1;

	d->n++;
	d->files += *name == '/' && !str_starts(name, "/dev/") &&
		    !str_starts(name, "/memfd:");
	d->sockets += str_starts(name, "socket:");
	map_put(by_name, key, (void *)count);
	if (count <= d->n_most)
		return;
	d->n_most = count;
	snprintf(d->most, sizeof(d->most), "%.*s", (int)n, name);
}

void dbg_descriptors_of(pid_t pid, struct dbg_descriptors *ret)
{
	char path[PATH_MAX], name[PATH_MAX];
	struct map by_name = {0};
	struct dirent *entry;

	memset(ret, 0, sizeof(*ret));
	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	DIR *dir = opendir(path);
	if (!dir)
		return;
	while ((entry = readdir(dir))) {
		snprintf(path, sizeof(path), "fd/%.16s", entry->d_name);
		if (*entry->d_name != '.' && proc_link(pid, path, name))
			count_descriptor(ret, &by_name, name);
	}
	closedir(dir);
	map_deinit(&by_name);
	ret->max = descriptors_max(pid);
}

/* ---- All programs ---------------------------------------------------- */

// May nobody like us read which files a process has mapped?
static bool is_closed(pid_t pid)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/maps", pid);
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 && (errno == EACCES || errno == EPERM);
}

static void program_tell(pid_t pid,
			 void (*fn)(void *, const struct dbg_program_info *),
			 void *arg)
{
	char runtime[DBG_VERSION_MAX], container[CONTAINER + 1];
	struct proc_summary summary;
	struct program program;
	_cleanup_str_ struct str command = {0};

	// It may end at any moment.
	if (proc_state(pid, pid) == 'Z' || !find_runtime(pid, runtime) ||
	    !proc_summary(pid, &summary))
		return;
	program_of(pid, &program);
	proc_command(pid, COMMAND_MAX, &command);
	bool contained = find_container(pid, container);
	struct dbg_program_info info = {
	    .pid = pid,
	    .pid_inside = summary.inside,
	    .uid = summary.uid,
	    .threads = summary.threads,
	    .resident = summary.resident,
	    .name = program.name,
	    .command = str_get(&command),
	    .runtime = runtime,
	    .container = contained ? container : NULL,
	};
	fn(arg, &info);
}

static int by_number(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

size_t dbg_programs(void (*fn)(void *arg, const struct dbg_program_info *p),
		    void *arg)
{
	struct dirent *entry;
	_cleanup_free_ pid_t *pids = NULL;
	size_t n = 0, cap = 0, n_closed = 0;

	DIR *dir = opendir("/proc");
	if (!dir)
		return 0;
	while ((entry = readdir(dir))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (pid <= 0 || pid == getpid())
			continue;
		mem_grow(&pids, &cap, n, sizeof(*pids));
		pids[n++] = pid;
	}
	closedir(dir);
	if (n)
		qsort(pids, n, sizeof(*pids), by_number);
	for (size_t i = 0; i < n; i++) {
		program_tell(pids[i], fn, arg);
		n_closed += is_closed(pids[i]);
	}
	return n_closed;
}
