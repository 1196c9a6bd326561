/*
 * A program that was killed, or has ended with an exit code that was asked
 * about: there is nothing left of it but how it ended. Whether the kernel
 * killed it for want of memory is told by the counters of its cgroup, of either
 * version.
 */
#include "report/ended.h"

#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/str.h"

enum {
	LINE_SIZE = 512,
	MIB = 1 << 20,
};

/* The files of a version, and where it is mounted. */
struct version {
	const char *mark; /* in the line of /proc/self/cgroup */
	const char *mount;
	const char *events, *limit, *peak;
};

static const struct version versions[] = {
    {":memory:", "/sys/fs/cgroup/memory", "memory.oom_control",
     "memory.limit_in_bytes", "memory.max_usage_in_bytes"},
    {"0::", "/sys/fs/cgroup", "memory.events", "memory.max", "memory.peak"},
};

// The number behind @key, which begins a line ("": the first line); 0: none.
// False: there is no such file.
static bool read_number(const char *folder, const char *name, const char *key,
			uint64_t *ret)
{
	char path[PATH_MAX + LINE_SIZE], line[LINE_SIZE];
	uint64_t n = 0;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *file = fopen(path, "re");
	while (file && !n && fgets(line, sizeof(line), file))
		if (str_starts(line, key))
			n = strtoull(line + strlen(key), NULL, 10);
	if (file)
		fclose(file);
	*ret = n;
	return file != NULL;
}

// In a container the path is the host's, and the mount is its own group. False:
// neither has a limit.
static bool read_group(const struct version *v, const char *group,
		       struct ended_memory *ret)
{
	char folder[PATH_MAX];
	bool found = false;

	for (int whole = 1; whole >= 0 && !found; whole--) {
		snprintf(folder, sizeof(folder), "%s%s", v->mount,
			 whole ? group : "");
		found = read_number(folder, v->limit, "", &ret->limit);
		read_number(folder, v->events, "oom_kill ", &ret->kills);
		read_number(folder, v->peak, "", &ret->peak);
	}
	// without a limit the first version has the largest number there is
	if (ret->limit > INT64_MAX / 2)
		ret->limit = 0;
	return found;
}

void ended_memory(struct ended_memory *ret)
{
	char line[LINE_SIZE];
	bool done = false;

	*ret = (struct ended_memory){0};
	FILE *file = fopen("/proc/self/cgroup", "re");
	while (file && !done && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		for (size_t i = 0; i < sizeof(versions) / sizeof(*versions);
		     i++) {
			const char *found = strstr(line, versions[i].mark);

			if (found && !done)
				done = read_group(
				    &versions[i],
				    found + strlen(versions[i].mark), ret);
		}
	}
	if (file)
		fclose(file);
}

static const char *killed_text(struct report *r,
			       const struct ended_memory *before)
{
	struct ended_memory now;

	ended_memory(&now);
	if (now.kills <= before->kills)
		return NULL;
	if (!now.limit)
		return "Killed by the kernel: out of memory";
	return arena_printf(r->arena,
			    "Killed by the kernel: out of memory (limit of "
			    "the cgroup: %" PRIu64
			    " MiB, used at most: %" PRIu64 " MiB)",
			    now.limit / MIB, now.peak / MIB);
}

bool ended_by_crash(const struct dbg_event *event)
{
	static const int crashes[] = {SIGSEGV, SIGABRT, SIGBUS,
				      SIGILL,  SIGFPE,  SIGTRAP};

	for (size_t i = 0; i < sizeof(crashes) / sizeof(*crashes); i++)
		if (event->lent && event->exit_signal == crashes[i])
			return true;
	return false;
}

void ended_report(const struct dbg_inferior *ended,
		  const struct dbg_event *event,
		  const struct ended_memory *before, struct report *ret)
{
	*ret = (struct report){.arena = arena_create()};
	ret->pid = ended->pid;
	ret->program = arena_strdup(ret->arena, ended->name);
	ret->time = (uint64_t)time(NULL);
	ret->runtime = "";
	ret->signal = event->exit_signal;
	if (!ret->signal) {
		ret->kind = "exit";
		ret->cause = arena_printf(ret->arena, "Exited with code %d",
					  event->exit_code);
		return;
	}
	ret->kind = "signal";
	ret->cause =
	    event->exit_signal == SIGKILL ? killed_text(ret, before) : NULL;
	if (!ret->cause)
		ret->cause = report_signal_text(ret, ret->signal);
}
