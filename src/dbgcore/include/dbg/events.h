/* dbg.h: what happens to the program, and why it is stopped. */
#ifndef DBG_EVENTS_H
#define DBG_EVENTS_H

#include "dbg/error.h"
#include "dbg/stopped.h"

enum dbg_event_kind {
	DBG_EVENT_STOPPED,
	DBG_EVENT_CONTINUED,
	DBG_EVENT_EXITED,
	DBG_EVENT_THREAD,     /* born or gone */
	DBG_EVENT_MODULE,     /* loaded; gone: text is its name */
	DBG_EVENT_BREAKPOINT, /* bound, moved, gone */
	DBG_EVENT_CHILD,      /* a process of the program's is held */
	DBG_EVENT_DUMPER,     /* createdump is held: dbg_lend() */
	DBG_EVENT_MESSAGE,    /* a sentence for the user */
	DBG_EVENT_OUTPUT,     /* what the program wrote for its debugger */
	DBG_EVENT_EVALUATED,  /* see dbg_eval_begin */
};

/* Which access to watched memory stops the program. */
enum dbg_watch {
	DBG_WATCH_WRITE,  /* its value changes */
	DBG_WATCH_READ,   /* it is read */
	DBG_WATCH_ACCESS, /* either */
};

enum dbg_stop_reason {
	DBG_STOP_ENTRY,
	DBG_STOP_EXEC, /* in front of the process's first instruction */
	/* The runtime is up and no code of the program's has run; note: why
	 * there is none that could be debugged. */
	DBG_STOP_READY,
	DBG_STOP_ATTACH,
	DBG_STOP_TERMINATED, /* a core: signal ended the program */
	DBG_STOP_BREAKPOINT,
	DBG_STOP_STEP,
	DBG_STOP_PAUSE,
	DBG_STOP_THROWN,         /* first chance */
	DBG_STOP_USER_UNHANDLED, /* ... that user code does not catch */
	DBG_STOP_UNHANDLED,
	DBG_STOP_CAUGHT, /* in front of the handler's first statement */
	DBG_STOP_LOAD,   /* module */
	DBG_STOP_UNLOAD, /* module */
	DBG_STOP_SIGNAL,
	DBG_STOP_GOTO,       /* dbg_goto moved the pc */
	DBG_STOP_USER_BREAK, /* Debugger.Break, at its caller */
	DBG_STOP_FAIL_FAST,  /* Environment.FailFast: exception_message */
	DBG_STOP_WATCH,      /* what is watched was changed or read */
	/*
	 * the watched frame is left or, with a note, the object is lost: the
	 * watchpoint is gone
	 */
	DBG_STOP_WATCH_SCOPE,
};

/* A fault of the processor, of which the program dies. */
struct dbg_fault {
	int signal;         /* SIGSEGV, SIGBUS, SIGFPE or SIGILL */
	int code;           /* si_code, 0: not known */
	uint64_t addr;      /* that it accesses; FPE, ILL: of the instruction */
	const char *access; /* "reading", "writing", "executing", or NULL */
	const char *text;   /* "no memory at 0x10 (writing)", never NULL */
};

struct dbg_stop {
	enum dbg_stop_reason reason;
	uint32_t thread;     /* number; 0: none known */
	uint32_t breakpoint; /* number, 0: none */
	bool temporary;      /* that breakpoint is gone now */
	bool stepped;        /* BREAKPOINT: a step ends here too */
	int signal;
	bool late;  /* PAUSE: a call's time is over, see dbg_eval_begin */
	bool fatal; /* that signal is about to end the program */
	const struct dbg_fault *fault; /* NULL: none, or not known */
	uint64_t exception;            /* address of the object, 0: none */
	const char *exception_type;    /* C# name, NULL: none */
	const char *exception_message;
	const char *caught; /* first chance: will it be, and where; or NULL */
	const char *module; /* LOAD, UNLOAD: its path, else its name */
	const char *note;   /* why a step, watchpoint or call ended, or NULL */
	enum dbg_watch access; /* WATCH */
	const char *expr;      /* WATCH */
	const char *old_value; /* WATCH: NULL: it was only read */
	const char *value;     /* WATCH */
};

struct dbg_event {
	enum dbg_event_kind kind;
	struct dbg_stop stop; /* STOPPED */
	int exit_code;        /* EXITED, when signal is 0 */
	int exit_signal;      /* EXITED */
	bool lent;            /* EXITED: while it was DBG_LENT */
	bool unknown;         /* EXITED, lent: its parent alone knows how */
	uint32_t number;      /* THREAD, MODULE, BREAKPOINT */
	bool gone;            /* THREAD, MODULE, BREAKPOINT */
	pid_t child;          /* CHILD, DUMPER */
	/*
	 * MESSAGE; number: the breakpoint that logs. OUTPUT: as written.
	 * CHILD: its program. DUMPER: its command line; with child 0 it is
	 * gone, and this is why its program cannot be attached to again.
	 */
	const char *text;
	bool warning; /* MESSAGE: of what is missing in all that is shown */
};

/*
 * Take the oldest event, with its text in @arena; strings of its stop are the
 * stop's. False if there is none.
 */
bool dbg_event_next(struct dbg *dbg, struct arena *arena,
		    struct dbg_event *ret);

/*
 * Why the program is stopped; dies with the stop. Of one that is over: a pause
 * of thread 0, and nothing else is told.
 */
const struct dbg_stop *dbg_stop_reason(struct dbg_stopped at);
/* The number of the thread that stopped; 0: the program is not stopped. */
uint32_t dbg_stop_thread(struct dbg *dbg);

#endif
