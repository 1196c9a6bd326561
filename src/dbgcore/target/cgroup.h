/*
 * Resource limits by the cgroups of a process (cgroups(7)), of either version.
 * Where nested groups have a limit, the tightest counts.
 */
#ifndef TARGET_CGROUP_H
#define TARGET_CGROUP_H

#include "dbg/programs.h"

/*
 * @root is where hierarchies are mounted, "/sys/fs/cgroup", @text what
 * /proc/PID/cgroup says. What is not known is 0.
 */
void cgroup_limits(const char *root, const char *text, struct dbg_limits *ret);

#endif
