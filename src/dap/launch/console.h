/*
 * The program's input and output: pipes whose bytes become `output` events, or
 * a terminal that the client provides.
 *
 * A terminal is provided by running `dndbg --terminal=SOCKET` in it. That
 * helper tells the terminal's name over the socket, passes on the signals of
 * the terminal's keys, and ends when the program does; the adapter starts the
 * program, as always, with that terminal.
 *
 * Filters debug messages that the program prints as well: a web application has
 * a logger that writes to the console and one that writes by Debug.WriteLine,
 * so each line would be shown twice.
 */
#ifndef DAP_CONSOLE_H
#define DAP_CONSOLE_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "dbg.h"
#include "front/cli/words.h"

struct dap;

enum {
	CONSOLE_FDS = 5,
	CONSOLE_CUT = 4, /* bytes of a character cut in two */
};

struct console_stream {
	int fd; /* our end, -1: closed */
	char cut[CONSOLE_CUT];
	size_t n_cut;
};

struct console {
	struct console_stream output[2]; /* stdout, stderr */
	int input;                       /* our end of stdin, -1: closed */
	struct str typed;                /* not written to it yet */
	int theirs[3];                   /* the program's ends */
	char names[3][32];
	bool pipes; /* they are the program's */

	/* The helper in the client's terminal. */
	int listener, helper; /* -1: none */
	char *dir, *path;     /* of the socket */
	char *tty;            /* as told, NULL: not yet */
	struct str told;
};

void console_init(struct console *c);
void console_deinit(struct console *c);
/* Close everything of the last run. */
void console_close(struct console *c);

/*
 * Make pipes and name them in @launch, which borrows from @c, but for streams
 * that are redirected there.
 */
DBG_MUST struct dbg_error *console_pipes(struct console *c,
					 struct dbg_launch *launch);
/* Close the program's ends of the pipes: it has them, or was not started. */
void console_started(struct console *c);

/*
 * Make a socket for the helper; *@ret_arg is the option it must be given,
 * borrowed from @c.
 */
DBG_MUST struct dbg_error *console_listen(struct console *c, char **ret_arg);
/* The program ended with @status: let the helper end with the same. */
void console_ended(struct console *c, int status);

/* Fill CONSOLE_FDS entries; @full: take no output. */
void console_poll(struct console *c, struct pollfd *fds, bool full);
/*
 * Act on what poll found: pass bytes on; start the program once the helper has
 * told its terminal.
 */
void console_serve(struct dap *d, const struct pollfd *fds);
/* Pass on what was printed up to now. */
void console_drain(struct dap *d);
/* A line for the program's stdin; false if it has no pipe. */
bool console_type(struct console *c, const char *line);

/* The helper: what `dndbg --terminal=SOCKET` does; its exit status. */
int helper_main(const char *path);

/* What to do with debug messages. */
enum echo_mode {
	ECHO_AUTO, /* leave out messages whose text is printed as well */
	ECHO_ALL,
	ECHO_NONE,
};

struct echo {
	struct str printed; /* the end of what was */
	struct words held;  /* debug messages that may be printed yet, and
			       those behind them */
};

void echo_deinit(struct echo *e);
/*
 * The program has written @text by Debug.WriteLine: show it, now or soon, or
 * not.
 */
void echo_debug(struct dap *d, const char *text);
/* Show what is held: it is not printed. */
void echo_flush(struct dap *d);

#endif
