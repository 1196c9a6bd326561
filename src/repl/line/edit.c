/*
 * Line editing and history, by libedit.
 *
 * el_gets asks for characters through read_char, which waits in the loop, so
 * that signals and the engine are served while a line is typed. What is
 * printed meanwhile goes above the line, which is then drawn again.
 */
#include <errno.h>
#include <fcntl.h>
#include <histedit.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

#include "base/err.h"
#include "base/mem.h"
#include "dbg.h"
#include "front/statefile.h"
#include "repl/inferior.h"
#include "repl/line/input.h"
#include "repl/repl_priv.h"
#include "repl/resume.h"
#include "repl/show/print.h"
#include "repl/show/screen.h"

/* ---- History --------------------------------------------------------- */

/*
 * The file of the history: where it is (XDG_STATE_HOME), its directories,
 * reading and writing it through libedit. A file or a directory that another
 * user could write is not used, which is an error with the reason; the session
 * goes on without history.
 */

enum {
	HISTORY_MAX_BYTES = 16 << 20
};

static struct dbg_error *refused(const char *path, const char *why)
{
	return dbg_err(DBG_E_FILE, "no history is kept: '%s' %s", path, why);
}

static struct dbg_error *failed(const char *path, int errnum)
{
	return dbg_err(DBG_E_FILE, "no history is kept: '%s': %s", path,
		       strerror(errnum));
}

/*
 * Make the directories above the file. Nothing is made below a directory of
 * another user but root.
 */
static struct dbg_error *make_dirs(char *path)
{
	struct dbg_error *err = NULL;
	bool ours = true;
	struct stat st;

	for (char *p = strchr(path + 1, '/'); p && !err;
	     p = strchr(p + 1, '/')) {
		*p = 0;
		if (!stat(path, &st))
			ours = st.st_uid == geteuid() || !st.st_uid;
		else if (!ours)
			err = refused(path, "would be in a directory of "
					    "another user");
		else if (mkdir(path, 0700) && errno != EEXIST)
			err = failed(path, errno);
		*p = '/';
	}
	return err;
}

static struct dbg_error *check_dir(const char *path)
{
	struct stat st;
	size_t n = (size_t)(strrchr(path, '/') - path);

	_cleanup_free_ char *dir = xstrndup(path, n);
	if (lstat(dir, &st))
		return failed(dir, errno);
	if (!S_ISDIR(st.st_mode))
		return refused(dir, "is not a directory");
	if (st.st_uid != geteuid())
		return refused(dir, "belongs to another user");
	return NULL;
}

static struct dbg_error *history_load(History *lines, const char *path)
{
	struct dbg_error *err;
	HistEvent event;
	struct stat st;
	char link[32];
	int fd;

	if (lstat(path, &st) && errno == ENOENT)
		return NULL;
	err = dbg_open_file(path, O_RDONLY | O_NOFOLLOW, false, &fd);
	if (err) {
		struct dbg_error *all =
		    dbg_err(err->code, "no history is kept: %s", err->message);
		dbg_error_destroy(err);
		return all;
	}
	if (fstat(fd, &st))
		err = failed(path, errno);
	else if (st.st_uid != geteuid())
		err = refused(path, "belongs to another user");
	else if (st.st_size > HISTORY_MAX_BYTES)
		err = refused(path, "is too large");
	// libedit takes a path only.
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (!err)
		history(lines, &event, H_LOAD, link);
	close(fd);
	return err;
}

/*
 * Load the history if there is one. *@ret is its path for edithistory_save,
 * which the caller frees; NULL if there is no place for one.
 */
static struct dbg_error *edithistory_load(History *lines, char **ret)
{
	struct dbg_error *err;

	_cleanup_free_ char *path = state_file_path("history");
	*ret = NULL;
	if (!path)
		return NULL;
	err = make_dirs(path);
	if (!err)
		err = check_dir(path);
	if (!err)
		err = history_load(lines, path);
	if (err)
		return err;
	*ret = path;
	path = NULL;
	return NULL;
}

/* Replace the file as a whole: a full disk leaves the old one. */
static struct dbg_error *edithistory_save(History *lines, const char *path)
{
	HistEvent event;

	_cleanup_free_ char *fresh = xasprintf("%s.XXXXXX", path);
	int fd = mkostemp(fresh, O_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
	if (!file)
		return failed(path, errno);
	errno = EIO;
	bool good = history(lines, &event, H_SAVE_FP, file) >= 0 &&
		    !fflush(file) && !ferror(file) && !rename(fresh, path);
	int saved = errno;
	fclose(file);
	if (good)
		return NULL;
	unlink(fresh);
	return failed(path, saved);
}

/* ---- Editing --------------------------------------------------------- */

enum {
	LISTED_MAX = 24 /* if the terminal does not tell */
};

struct edit {
	struct repl *r;
	EditLine *el;
	History *history;
	char *file; /* of the history, NULL: nowhere */
	char *prompt;
	bool cancelled;
	mbstate_t state;
};

static struct edit *edit_of(EditLine *el)
{
	void *data = NULL;

	el_get(el, EL_CLIENTDATA, &data);
	return data;
}

static char *give_prompt(EditLine *el)
{
	return edit_of(el)->prompt;
}

// Handle the events of the loop except input; false: the line is abandoned.
static bool serve(struct edit *e, unsigned int what)
{
	struct repl *r = e->r;

	if (what & LOOP_RESIZE)
		el_resize(e->el);
	if (what & LOOP_END)
		repl_end(r);
	if ((what & LOOP_INTERRUPT) && !resume_interrupt(r))
		e->cancelled = true;
	if (what & (LOOP_ENGINE | LOOP_WATCHED)) {
		out(r, "\r\033[K");
		repl_events(r);
		resume_told(r);
		fflush(r->out);
		el_set(e->el, EL_REFRESH);
	}
	return !r->quit && !e->cancelled;
}

// Read a byte when there is one; 0: at the end, or when the line is given up.
static int read_byte(struct edit *e, char *ret)
{
	unsigned int what;

	for (;;) {
		struct dbg_error *err =
		    loop_wait(e->r->loop, STDIN_FILENO, &what);
		if (err)
			repl_warn(e->r, "", err);
		if (!serve(e, what))
			return 0;
		if (!(what & LOOP_INPUT))
			continue;
		ssize_t n = read(STDIN_FILENO, ret, 1);
		if (n >= 0)
			return (int)n;
		if (errno != EINTR && errno != EAGAIN)
			return 0;
	}
}

static int read_char(EditLine *el, wchar_t *ret)
{
	struct edit *e = edit_of(el);
	char byte;

	for (;;) {
		if (read_byte(e, &byte) <= 0)
			return 0;
		size_t n = mbrtowc(ret, &byte, 1, &e->state);
		if (n == 0 || n == 1)
			return 1;
		// A wrong sequence is dropped, a begun one is read on.
		if (n == (size_t)-1)
			memset(&e->state, 0, sizeof(e->state));
	}
}

static size_t common_prefix(const struct words *words)
{
	size_t n = strlen(words->v[0]);

	for (size_t i = 1; i < words->n; i++) {
		size_t same = 0;
		while (same < n && words->v[i][same] == words->v[0][same])
			same++;
		n = same;
	}
	return n;
}

static unsigned int term_width(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col < 20)
		return 80;
	return size.ws_col;
}

static void list_words(const struct repl *r, const struct words *words)
{
	size_t n = words->n;
	size_t width = 0;

	for (size_t i = 0; i < n; i++) {
		size_t len = strlen(words->v[i]);
		width = len > width ? len : width;
	}
	width += 2;
	size_t columns = term_width() / width;
	if (!columns)
		columns = 1;
	size_t rows = (n + columns - 1) / columns;
	out(r, "\n");
	for (size_t row = 0; row < rows; row++) {
		for (size_t i = row; i < n; i += rows)
			out(r, "%-*s", i + rows < n ? (int)width : 0,
			    words->v[i]);
		out(r, "\n");
	}
	fflush(r->out);
}

// Should the list of @n completions be printed? The user is asked if it is
// longer than the screen.
static bool wants_list(struct edit *e, size_t n)
{
	uint64_t height = screen_height(e->r);
	char answer = 'n';

	if (n < (height > 1 ? height : LISTED_MAX))
		return true;
	out(e->r, "\nDisplay all %zu possibilities? (y or n)", n);
	fflush(e->r->out);
	read_byte(e, &answer);
	if (!strchr("yY ", answer))
		out(e->r, "\n");
	fflush(e->r->out);
	return strchr("yY ", answer);
}

// Put in what all words share, and list them if that is nothing new.
static unsigned char offer(EditLine *el, const struct completion *c,
			   size_t typed)
{
	const struct words *words = &c->words;

	if (!words->n)
		return CC_REFRESH_BEEP;
	size_t common = common_prefix(words);
	if (common < typed)
		return CC_REFRESH_BEEP;
	_cleanup_free_ char *more =
	    xstrndup(words->v[0] + typed, common - typed);
	if (*more)
		el_insertstr(el, more);
	if (words->n == 1) {
		// A directory is gone on from.
		if (c->whole && common && words->v[0][common - 1] != '/')
			el_insertstr(el, " ");
		return CC_REFRESH;
	}
	if (*more)
		return CC_REFRESH;
	if (wants_list(edit_of(el), words->n))
		list_words(edit_of(el)->r, words);
	return CC_REDISPLAY;
}

static unsigned char complete(EditLine *el, int ch)
{
	struct edit *e = edit_of(el);
	const LineInfo *info = el_line(el);
	struct completion c = {0};

	(void)ch;
	size_t len = (size_t)(info->cursor - info->buffer);
	_cleanup_free_ char *line = xstrndup(info->buffer, len);
	complete_line(e->r, line, &c);
	unsigned char result = offer(el, &c, len - c.start);
	words_deinit(&c.words);
	return result;
}

static void history_open(struct edit *e)
{
	HistEvent event;

	e->history = history_init();
	if (!e->history)
		return;
	history(e->history, &event, H_SETSIZE, (int)e->r->set.history_size);
	history(e->history, &event, H_SETUNIQUE, 1);
	struct dbg_error *err = edithistory_load(e->history, &e->file);
	if (err)
		repl_warn(e->r, "", err);
	el_set(e->el, EL_HIST, history, e->history);
}

// The user's key bindings, as libedit finds them, but without waiting.
static void source_editrc(struct edit *e)
{
	const char *path = getenv("EDITRC");
	const char *home = getenv("HOME");
	char link[32];
	int fd = -1;

	_cleanup_free_ char *usual = xasprintf("%s/.editrc", home ? home : "");
	dbg_error_destroy(
	    dbg_open_file(path ? path : usual, O_RDONLY, false, &fd));
	if (fd < 0)
		return;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	el_source(e->el, link);
	close(fd);
}

struct edit *edit_create(struct repl *r)
{
	setlocale(LC_CTYPE, "");
	EditLine *el = el_init("dndbg", stdin, stdout, stderr);
	if (!el)
		return NULL;
	struct edit *e = xcalloc(1, sizeof(*e));
	e->r = r;
	e->el = el;
	el_set(el, EL_CLIENTDATA, e);
	el_set(el, EL_SIGNAL, 0);
	el_set(el, EL_EDITOR, "emacs");
	el_set(el, EL_PROMPT_ESC, give_prompt, '\1');
	el_set(el, EL_GETCFN, read_char);
	history_open(e);
	// In wide letters: libedit would never free its copies of others.
	el_wset(el, EL_ADDFN, L"dndbg-complete", L"Complete a word", complete);
	el_set(el, EL_BIND, "\t", "dndbg-complete", NULL);
	el_set(el, EL_BIND, "^R", "em-inc-search-prev", NULL);
	el_set(el, EL_BIND, "^W", "ed-delete-prev-word", NULL);
	el_set(el, EL_BIND, "\033[3~", "ed-delete-next-char", NULL);
	el_set(el, EL_BIND, "\033[1;5C", "em-next-word", NULL);
	el_set(el, EL_BIND, "\033[1;5D", "ed-prev-word", NULL);
	source_editrc(e);
	return e;
}

void edit_destroy(struct edit *e)
{
	struct dbg_error *err = NULL;

	if (!e)
		return;
	if (e->history && e->file)
		err = edithistory_save(e->history, e->file);
	if (err)
		repl_warn(e->r, "", err);
	if (e->history)
		history_end(e->history);
	el_end(e->el);
	free(e->file);
	free(e->prompt);
	free(e);
}

static bool is_blank(const char *s)
{
	return !s[strspn(s, " \t\n")];
}

// Escape sequences stand between marks, since they take no columns. libedit
// drops one at the very end, so the last character (a blank) has no colour.
static char *painted(const struct repl *r, const char *prompt)
{
	const char *begin = paint_begin(r, PAINT_PROMPT);
	int n = (int)strlen(prompt) - 1;

	if (!*begin || n < 0)
		return xstrdup(prompt);
	return xasprintf("\1%s\1%.*s\1%s\1%s", begin, n, prompt, paint_end(r),
			 prompt + n);
}

enum edit_result edit_line(struct edit *e, const char *prompt, bool remember,
			   struct str *ret)
{
	HistEvent event;
	int n = 0;

	free(e->prompt);
	e->prompt = painted(e->r, prompt);
	e->cancelled = false;
	memset(&e->state, 0, sizeof(e->state));
	fflush(e->r->out);
	// libedit would show the prompt first: keys like Ctrl-D that come in
	// between would be the kernel's.
	el_set(e->el, EL_PREP_TERM, 1);
	const char *line = el_gets(e->el, &n);
	str_clear(ret);
	if (e->cancelled) {
		el_reset(e->el);
		out(e->r, "^C\n");
		return EDIT_CANCEL;
	}
	if (!line || n <= 0 || e->r->quit)
		return EDIT_END;
	str_add(ret, line);
	while (ret->len && strchr("\r\n", ret->s[ret->len - 1]))
		ret->s[--ret->len] = 0;
	if (remember && e->history && !is_blank(str_get(ret)))
		history(e->history, &event, H_ENTER, str_get(ret));
	return EDIT_LINE;
}
