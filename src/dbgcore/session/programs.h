/* Running programs, before one is attached to. */
#ifndef SESSION_PROGRAMS_H
#define SESSION_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Has it a .NET runtime, or is it a host that will have one? True also if
 * nothing can be found out about it.
 */
bool program_is_dotnet(pid_t pid);

/*
 * .NET programs called @name, by the kernel's name, by their file or by the
 * .dll that they were started with; how many, at most @max.
 */
size_t programs_named(const char *name, pid_t *ret, size_t max);

#endif
