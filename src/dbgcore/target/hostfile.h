/*
 * The program's files on this machine. A live program's are below its own
 * root directory. Those of a core may be anywhere: besides the place that the
 * core names they are looked for in directories that the user names, in NuGet's
 * cache and in installed runtimes, and only the very file that the program had
 * is taken.
 */
#ifndef TARGET_HOSTFILE_H
#define TARGET_HOSTFILE_H

#include "base/file.h"
#include "dbg.h"

struct target;

/* Where files that a core names are searched; NULL: not set. */
struct hostfile_search {
	char *sysroot; /* goes in front of the paths that a core names */
	char *dirs;    /* with ':' between */
};

/* How to recognise the right file. */
struct hostfile_id {
	struct bytes build_id; /* of an ELF file, to find it by; n 0: none */
	bool mapped;           /* the program has it mapped, too */
	/* Says why @file, which was found at @place, is not the one. */
	struct dbg_error *(*check)(void *arg, const char *place,
				   const struct file *file);
	void *arg;
};

/*
 * Open the file that the program knows as @path, if it is @id's. *ret_place
 * (malloc'ed) is where it was. DBG_E_FILE, or what the check said.
 */
DBG_MUST struct dbg_error *hostfile_open(struct target *t, const char *path,
					 const struct hostfile_id *id,
					 struct file *ret, char **ret_place);
/*
 * The path at which @path is on this machine, by the root directory alone;
 * malloc'ed. @t may be NULL.
 */
char *hostfile_path(const struct target *t, const char *path);
/*
 * Has the program another root directory than we (a container)? Then nothing
 * of its files may be executed.
 */
bool hostfile_is_foreign(const struct target *t);
/* The directories that the user names for cores, with ':' between. */
const char *hostfile_dirs(const struct target *t);
/* The directory of NuGet's packages, malloc'ed. */
char *hostfile_nuget(void);
/* The installations of .NET on this machine, until @fn has what it wants. */
bool hostfile_each_dotnet(bool (*fn)(void *arg, const char *dir), void *arg);

#endif
