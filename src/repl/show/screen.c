/*
 * The screen: r->out at the prompt is a stream whose bytes go to stdout, page
 * by page, and to the log.
 *
 * A page is part of the output of one command; the question at its end is asked
 * in the middle of that command's work, so nothing is dispatched while it
 * waits. After the answer q nothing more of that command is shown, and SIGINT,
 * as by Ctrl-C, tells it to end.
 */
#include "repl/show/screen.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/mem.h"
#include "front/lines.h"
#include "front/plain.h"
#include "repl/repl_priv.h"
#include "repl/uis.h"

struct screen {
	struct repl *r;
	FILE *log;    /* NULL: none */
	bool paging;  /* a command of the user's is carried out */
	bool skip;    /* its output is not wanted any more */
	bool endless; /* ... is wanted in one */
	bool escape;  /* in an escape sequence, which is ours: a colour */
	uint64_t lines, column;
};

/* ---- Sizes ----------------------------------------------------------- */

static struct winsize terminal_size(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0)
		return (struct winsize){0};
	return size;
}

uint64_t screen_height(const struct repl *r)
{
	return r->set.height == SCREEN_AUTO ? terminal_size().ws_row
					    : r->set.height;
}

uint64_t screen_width(const struct repl *r)
{
	return r->set.width == SCREEN_AUTO ? terminal_size().ws_col
					   : r->set.width;
}

/* ---- Pages ----------------------------------------------------------- */

// Read a line from the terminal; false if Ctrl-C or the signal to end came.
static bool read_answer(const struct repl *r, struct str *ret)
{
	struct pollfd fd = {STDIN_FILENO, POLLIN, 0};

	for (;;) {
		if (loop_interrupted(r->loop))
			return false;
		if (poll(&fd, 1, -1) < 0)
			continue;
		enum lines_state state = lines_read(STDIN_FILENO, ret);
		if (state != LINES_MORE)
			return state == LINES_LINE;
	}
}

static void end_page(struct screen *s)
{
	_cleanup_str_ struct str answer = {0};

	fputs("--Type <RET> for more, q to quit, c to continue without "
	      "paging--",
	      stdout);
	fflush(stdout);
	bool more = read_answer(s->r, &answer);
	s->lines = 0;
	s->column = 0;
	char c = *str_get(&answer);
	s->endless = c == 'c';
	if (more && c != 'q')
		return;
	s->skip = true;
	puts(more ? "" : "\nQuit");
	raise(SIGINT);
}

// Count a byte that was printed.
static void count(struct screen *s, char c, uint64_t width)
{
	if (s->escape) {
		s->escape = c != 'm';
	} else if (c == '\033') {
		s->escape = true;
	} else if (c == '\n') {
		s->lines++;
		s->column = 0;
	} else if (((unsigned char)c & 0xc0) != 0x80) {
		s->column += c == '\t' ? 8 - s->column % 8 : 1;
	}
	if (width && s->column > width) {
		s->lines++;
		s->column = 1;
	}
}

static void print_pages(struct screen *s, const char *bytes, size_t n)
{
	uint64_t height = screen_height(s->r);
	uint64_t width = screen_width(s->r);

	for (size_t i = 0; i < n && !s->skip; i++) {
		// the question takes a line as well
		if (height > 1 && s->lines + 1 >= height && !s->endless)
			end_page(s);
		if (s->skip)
			break;
		putchar(bytes[i]);
		count(s, bytes[i], width);
	}
}

// Called while the output is written, which repl_warn would do again.
static void give_up_log(struct screen *s, int error)
{
	fclose(s->log);
	s->log = NULL;
	plain_printf(s->r->err, "Logging is off: %s: %s.\n", s->r->set.log_file,
		     strerror(error));
	s->r->failed = true;
}

// Write bytes to the log file, without the escape sequences of colours.
static void print_log(struct screen *s, const char *bytes, size_t n)
{
	bool escape = false;

	for (size_t i = 0; i < n; i++) {
		if (!escape && bytes[i] != '\033')
			fputc(bytes[i], s->log);
		escape = escape ? bytes[i] != 'm' : bytes[i] == '\033';
	}
	int failed = fflush(s->log) ? errno : 0;
	if (failed || ferror(s->log))
		give_up_log(s, failed ? failed : EIO);
}

static ssize_t on_write(void *cookie, const char *bytes, size_t n)
{
	struct screen *s = cookie;
	const struct repl_settings *set = &s->r->set;

	if (s->log)
		print_log(s, bytes, n);
	if (s->log && set->log_redirect)
		return (ssize_t)n;
	if (s->paging && set->pagination)
		print_pages(s, bytes, n);
	else
		fwrite(bytes, 1, n, stdout);
	fflush(stdout);
	return (ssize_t)n;
}

void screen_page(struct repl *r, bool on)
{
	struct screen *s = r->screen_state;

	fflush(r->out);
	s->paging =
	    on && r->terminal && isatty(STDOUT_FILENO) && !r->options->batch;
	s->lines = s->column = 0;
	s->skip = s->endless = false;
}

/* ---- The log --------------------------------------------------------- */

struct dbg_error *screen_log(struct repl *r, bool on)
{
	struct screen *s = r->screen_state;
	struct stat st;

	if (!s)
		return dbg_err(DBG_E_UNSUPPORTED,
			       "Only the prompt has a log of what it shows.");
	fflush(r->out);
	if (s->log)
		fclose(s->log);
	s->log = NULL;
	if (!on)
		return NULL;
	int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY |
		    (r->set.log_overwrite ? O_TRUNC : O_APPEND);
	int fd = open(r->set.log_file, flags, 0600);
	if (fd < 0)
		return dbg_err(DBG_E_FILE, "%s: %s.", r->set.log_file,
			       strerror(errno));
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		return dbg_err(DBG_E_FILE, "%s: This is no regular file.",
			       r->set.log_file);
	}
	s->log = fdopen(fd, "w");
	return NULL;
}

void screen_log_error(struct repl *r, const char *line)
{
	struct screen *s = r->screen_state;

	if (s && s->log)
		repl_say(s->log, line);
}

/* ---- Life ------------------------------------------------------------ */

void screen_create(struct repl *r)
{
	static const cookie_io_functions_t functions = {.write = on_write};
	struct screen *s = xcalloc(1, sizeof(*s));

	s->r = r;
	FILE *out = fopencookie(s, "w", functions);
	if (!out) {
		free(s);
		return;
	}
	r->screen_state = s;
	r->screen = r->out = out;
}

void screen_destroy(struct repl *r)
{
	struct screen *s = r->screen_state;

	if (!s)
		return;
	fclose(r->screen);
	r->screen = r->out = stdout;
	if (s->log)
		fclose(s->log);
	free(s);
	r->screen_state = NULL;
}
