/*
 * The search for the handler that will catch an exception: the runtime's first
 * pass, done by the debugger on the stack of the throw. Code that decides (a
 * filter) is not run; it counts as "maybe".
 */
#ifndef CONTROL_CATCHER_H
#define CONTROL_CATCHER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct arena;
struct control;
struct frame;
struct thrown;

struct catcher {
	bool known;
	bool passes_user;       /* user code is on the way */
	const struct frame *at; /* that catches; NULL: nobody */
	bool by_user, by_task;  /* ... in user code, into a task */
	/* Runtime async: what puts it there; NULL: the method does. */
	const struct frame *keeper;
	bool in_filter; /* ... as the end of a filter that throws */
	bool in_cctor;  /* the same for the end of a static constructor */
	bool unasked; /* ... in a method that says it is the program's affair */
	const struct frame *asks; /* on the way, with a filter; NULL: none */
	bool may_be_caught;       /* ... which counts as catching */
	const char *path, *asks_path; /* of the handlers, NULL: unknown */
	uint32_t line, asks_line;
};

/* Search for who catches @t, once. (All stopped.) */
const struct catcher *catcher_get(struct control *c, struct thrown *t);
/*
 * Does the exception leave user code without a handler there, for one of other
 * code? If nobody catches it at all it is unhandled, which is told then.
 */
bool catcher_lets_through(const struct catcher *k);
/*
 * The address of the handler at native @offset of @method that @tid is about to
 * enter, in the version of the code that the thread runs, which need not be the
 * newest; 0: not known. (All stopped.)
 */
uint64_t catcher_entry(struct control *c, pid_t tid, uint64_t method,
		       uint64_t offset);
/*
 * Find the first place of the handler at @entry that is behind its prolog for
 * certain, where the frame pointer is the method's (.NET 8 and 9 set it there);
 * *ret stays as it is if there is none.
 */
struct dbg_error *catcher_start(struct control *c, uint64_t entry,
				uint64_t *ret);
/* "will be caught in Shop.Order.Add at Order.cs:12" and the like, in @arena. */
const char *catcher_text(struct control *c, const struct catcher *k,
			 struct arena *arena);

#endif
