/* Limits of cgroups: see cgroup.h. */
#include "target/cgroup.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "target/proc.h"

#define NO_LIMIT (UINT64_MAX / 4) /* version 1 has a number for it */

/* Files of one version and controller, and where they are mounted. */
struct hierarchy {
	const char *mark; /* of its line, behind the number */
	const char *mount;
	const char *limit, *period, *used;
	const char *stat, *reclaimable; /* a file, and a line of it */
	void (*look)(const struct hierarchy *h, const char *group,
		     struct dbg_limits *ret);
};

static char *file_of(const char *group, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", group, name);

	return proc_read(path, NULL);
}

// The number behind @key, which begins a line; "": the first one.
static uint64_t number_of(const char *text, const char *key)
{
	for (const char *at = text; at && *at;) {
		if (str_starts(at, key))
			return strtoull(at + strlen(key), NULL, 10);
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	return 0;
}

static uint64_t number_in(const char *group, const char *name, const char *key)
{
	_cleanup_free_ char *text = file_of(group, name);

	return number_of(text, key);
}

// Look at a memory limit; "max" and -1 mean none.
static void look_memory(const struct hierarchy *h, const char *group,
			struct dbg_limits *ret)
{
	uint64_t limit = number_in(group, h->limit, "");
	uint64_t used = number_in(group, h->used, "");
	uint64_t files = number_in(group, h->stat, h->reclaimable);

	if (!limit || limit > NO_LIMIT || (ret->memory && limit > ret->memory))
		return;
	ret->memory = limit;
	ret->memory_used = used > files ? used - files : 0;
}

static void look_cpu(const struct hierarchy *h, const char *group,
		     struct dbg_limits *ret)
{
	_cleanup_free_ char *quota = file_of(group, h->limit);
	uint64_t us = number_of(quota, ""), period;
	const char *second = quota ? strchr(quota, ' ') : NULL;

	period =
	    h->period ? number_in(group, h->period, "") : number_of(second, "");
	if (!us || us > NO_LIMIT / 1000 || !period)
		return;
	uint64_t cpu = us * 1000 / period;

	if (!cpu || (ret->cpu && cpu > ret->cpu))
		return;
	ret->cpu = cpu;
	ret->periods = number_in(group, h->stat, "nr_periods ");
	ret->throttled = number_in(group, h->stat, "nr_throttled ");
}

static const struct hierarchy hierarchies[] = {
    {":memory:", "/memory", "memory.limit_in_bytes", NULL,
     "memory.usage_in_bytes", "memory.stat", "total_inactive_file ",
     look_memory},
    {":cpu:", "/cpu", "cpu.cfs_quota_us", "cpu.cfs_period_us", NULL, "cpu.stat",
     NULL, look_cpu},
    {":cpu,cpuacct:", "/cpu,cpuacct", "cpu.cfs_quota_us", "cpu.cfs_period_us",
     NULL, "cpu.stat", NULL, look_cpu},
    {"::", "", "memory.max", NULL, "memory.current", "memory.stat",
     "inactive_file ", look_memory},
    {"::", "", "cpu.max", NULL, NULL, "cpu.stat", NULL, look_cpu},
};

// Look at the group and those above it. In a container the path may be the
// host's, while the container's own group is mounted: of such a path only the
// root exists.
static void look_up(const struct hierarchy *h, const char *root,
		    const char *path, struct dbg_limits *ret)
{
	_cleanup_free_ char *group = xasprintf("%s%s%s", root, h->mount, path);
	size_t top = strlen(root) + strlen(h->mount);

	// outside of the namespace that we see
	if (strstr(path, "/.."))
		return;
	while (true) {
		char *last;

		h->look(h, group, ret);
		last = strrchr(group + top, '/');
		if (!last)
			return;
		*last = '\0';
	}
}

void cgroup_limits(const char *root, const char *text, struct dbg_limits *ret)
{
	_cleanup_free_ char *lines = xstrdup(text);
	char *rest = NULL;

	*ret = (struct dbg_limits){0};
	for (char *line = strtok_r(lines, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		const char *behind = line + strspn(line, "0123456789");

		for (size_t i = 0;
		     i < sizeof(hierarchies) / sizeof(*hierarchies); i++)
			if (str_starts(behind, hierarchies[i].mark))
				look_up(&hierarchies[i], root,
					behind + strlen(hierarchies[i].mark),
					ret);
	}
}
