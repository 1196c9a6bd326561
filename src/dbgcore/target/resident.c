/*
 * Which of the program's pages are in physical memory. /proc/PID/smaps tells
 * how many of each mapping, /proc/PID/pagemap which; the latter also counts the
 * shared page of zeros in untouched memory, so its number is cut to the former.
 * Both are empty for a first thread that has ended: another thread's are read.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "target/proc.h"
#include "target/target_priv.h"

enum {
	PAGE = 4096,
	AT_ONCE = 4096, /* pages */
};

#define IS_PRESENT (UINT64_C(1) << 63)

static uint64_t count_present(int fd, uint64_t first, uint64_t n)
{
	uint64_t entries[AT_ONCE], present = 0;

	while (n) {
		size_t want = n < AT_ONCE ? (size_t)n : AT_ONCE;
		ssize_t got = pread(fd, entries, want * sizeof(*entries),
				    (off_t)(first * sizeof(*entries)));

		if (got < (ssize_t)sizeof(*entries))
			break;
		size_t pages = (size_t)got / sizeof(*entries);
		for (size_t i = 0; i < pages; i++)
			present += (entries[i] & IS_PRESENT) != 0;
		first += pages;
		n -= pages;
	}
	return present;
}

/* Resident bytes of the mappings, in their order. */
struct mapped {
	uint64_t start, end, left;
};

// The next mapping of the text of smaps; false: there is none.
static bool next_mapped(const char **p, struct mapped *ret)
{
	const char *rss = strstr(*p, "\nRss:");
	char *end;

	if (!rss)
		return false;
	ret->start = strtoull(*p, &end, 16);
	ret->end = *end == '-' ? strtoull(end + 1, NULL, 16) : 0;
	ret->left = strtoull(rss + 5, NULL, 10) * 1024;
	const char *next = strstr(rss, "\nVmFlags:");

	next = next ? strchr(next + 1, '\n') : NULL;
	*p = next ? next + 1 : rss + strlen(rss);
	return true;
}

static int open_pagemap(pid_t of)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/pagemap", of);
	return open(path, O_RDONLY | O_CLOEXEC);
}

uint64_t target_present_from(struct target *t, uint64_t addr, uint64_t end)
{
	pid_t of = target_can(t, TARGET_RUN) ? target_memory_of(t) : 0;
	_cleanup_close_ int fd = of ? open_pagemap(of) : -1;
	uint64_t entries[AT_ONCE / 8];

	while (fd >= 0 && addr < end) {
		size_t want = (size_t)((end - addr + PAGE - 1) / PAGE);

		if (want > sizeof(entries) / sizeof(*entries))
			want = sizeof(entries) / sizeof(*entries);
		ssize_t got = pread(fd, entries, want * sizeof(*entries),
				    (off_t)(addr / PAGE * sizeof(*entries)));

		if (got < (ssize_t)sizeof(*entries))
			break;
		for (size_t i = 0; i < (size_t)got / sizeof(*entries); i++) {
			if (entries[i] & IS_PRESENT)
				return addr;
			addr += PAGE;
		}
	}
	return addr < end ? addr : end;
}

bool target_resident(struct target *t, struct target_range *v, size_t n)
{
	char path[64];
	_cleanup_close_ int fd = -1;
	struct mapped map = {0};
	pid_t of = target_can(t, TARGET_RUN) ? target_memory_of(t) : 0;

	if (!of)
		return false;
	fd = open_pagemap(of);
	snprintf(path, sizeof(path), "/proc/%d/smaps", of);
	_cleanup_free_ char *text = proc_read(path, NULL);
	const char *p = text;

	if (fd < 0 || !text)
		return false;
	for (size_t i = 0; i < n; i++) {
		uint64_t first = v[i].start / PAGE;
		uint64_t end = (v[i].end + PAGE - 1) / PAGE;

		v[i].resident = 0;
		while (map.end <= v[i].start)
			if (!next_mapped(&p, &map))
				return true;
		if (!map.left || map.start > v[i].start)
			continue;
		uint64_t present = count_present(fd, first, end - first) * PAGE;

		v[i].resident = present < map.left ? present : map.left;
		map.left -= v[i].resident;
	}
	return true;
}
