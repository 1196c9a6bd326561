/*
 * dbg.h: the programs that are debugged together.
 *
 * A session and those that dbg_child_adopt() made of it are a family. Each
 * member is an inferior, with a number that is given once: 1 is the session
 * that dbg_create() made, and stays for as long as the front end wants it; the
 * others are of use until their program is gone. One inferior is the current
 * one, which the user looks at. All front ends of a process ask for the same
 * list, so a command of the prompt that a client runs sees what the client
 * sees.
 */
#ifndef DBG_INFERIORS_H
#define DBG_INFERIORS_H

#include "dbg/process.h"

struct dbg_inferior {
	uint32_t number;
	struct dbg *dbg;
	enum dbg_state state;
	pid_t pid; /* of the present or the last program, 0: none yet */
	/*
	 * the program: the file as given to dbg_launch(), else the executable
	 * of the process; "": there was none yet or it is not known (a core)
	 */
	const char *path;
	/*
	 * short name: "app.dll" of `dotnet app.dll`, else the name of the
	 * executable, or the command of a core; "" likewise
	 */
	const char *name;
};

/* The inferior whose session @dbg is; strings die when it runs another. */
void dbg_inferior_get(struct dbg *dbg, struct dbg_inferior *ret);

/*
 * The family of @dbg by number, never empty, with its strings in @arena: as it
 * is at this moment, before a session is made or destroyed.
 */
void dbg_inferior_list(struct dbg *dbg, struct arena *arena,
		       struct dbg_inferior **ret, size_t *ret_n);

/*
 * The session of the current inferior: that with the smallest number until
 * dbg_inferior_select() names another, and when that one is destroyed.
 */
struct dbg *dbg_inferior_current(const struct dbg *dbg);
/* Make the inferior of @dbg the current one. */
void dbg_inferior_select(struct dbg *dbg);

#endif
