/*
 * Helper processes of dndbg that run beside a command. They have names of their
 * own, because a user who ends processes by name (pkill, killall, pidof) means
 * dndbg: a helper that got the signal as well would take it for a signal to the
 * whole group, or would end early.
 */
#include "report/report.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

enum {
	STAT_ARG_START = 48
}; /* of /proc/PID/stat, proc(5); then the end */

// Change what /proc/PID/cmdline shows.
static void rename_command(const char *name)
{
	char text[1024], *at, *end;
	FILE *file = fopen("/proc/self/stat", "re");

	bool found = file && fgets(text, sizeof(text), file);
	if (file)
		fclose(file);
	// the second field, a name, may have blanks
	if (!found || !(at = strrchr(text, ')')))
		return;
	for (int field = 2; at && field < STAT_ARG_START; field++)
		at = strchr(at + 1, ' ');
	if (!at)
		return;
	uintptr_t from = strtoull(at, &end, 10);
	uintptr_t to = strtoull(end, NULL, 10);
	if (!from || to <= from)
		return;
	memset((void *)from, 0, to - from);
	if (to - from > strlen(name))
		memcpy((void *)from, name, strlen(name) + 1);
}

void ownprocess_hide(const char *name)
{
	prctl(PR_SET_NAME, name);
	rename_command(name);
	// /proc/PID/exe can be read by root alone then
	prctl(PR_SET_DUMPABLE, 0);
}
