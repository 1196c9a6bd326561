/*
 * Line editing and history, by libedit.
 *
 * el_gets asks for characters through read_char, which waits in the loop, so
 * that signals and the engine are served while a line is typed. What is
 * printed meanwhile goes above the line, which is then drawn again.
 */
#include "repl/line/edit.h"
#include "repl/inferior.h"
#include "repl/repl_priv.h"
#include "repl/resume.h"
#include "repl/show/print.h"
#include "repl/show/screen.h"

#include <ctype.h>
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
#include "front/lines.h"
#include "front/statefile.h"

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

/* Read a line with editing; @remember puts it into the history. */
static enum edit_result edit_line(struct edit *e, const char *prompt,
				  bool remember, struct str *ret)
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

/* ---- The stack of inputs that lines come from ---------------------------- */

/*
 * The stack of inputs that lines come from. The innermost also supplies the
 * lines of `commands`, so a sourced file may hold whole blocks, and so may the
 * -ex options, which are one input together.
 */

enum {
	FILE_MAX_BYTES = 16 << 20,
	DEPTH_MAX = 32,
};

struct input {
	struct input *outer;
	bool user;
	struct words lines; /* not of the user */
	size_t next;
};

bool input_is_user(const struct repl *r)
{
	return r->input && r->input->user;
}

// Read a line from the user without line editing. Ctrl-C restarts the line.
static bool plain_line(struct repl *r, const char *prompt, struct str *ret)
{
	unsigned int what;

	str_clear(ret);
	if (r->terminal)
		out_ours(r, prompt);
	fflush(r->out);
	while (!r->quit) {
		struct dbg_error *err = loop_wait(r->loop, STDIN_FILENO, &what);
		if (err)
			repl_warn(r, "", err);
		if (what & LOOP_END)
			repl_end(r);
		repl_events(r);
		if (resume_told(r)) {
			out_ours(r, r->terminal ? prompt : "");
			fflush(r->out);
		}
		if ((what & LOOP_INTERRUPT) && !resume_interrupt(r)) {
			str_clear(ret);
			out(r, "Quit\n");
			out_ours(r, r->terminal ? prompt : "");
			fflush(r->out);
		}
		if (!(what & LOOP_INPUT) || r->quit)
			continue;
		enum lines_state state = lines_read(STDIN_FILENO, ret);
		if (state != LINES_MORE)
			return state == LINES_LINE;
	}
	return false;
}

static bool user_line(struct repl *r, const char *prompt, bool remember,
		      struct str *ret)
{
	if (!r->edit)
		return plain_line(r, prompt, ret);
	for (;;) {
		enum edit_result result =
		    edit_line(r->edit, prompt, remember, ret);
		if (result != EDIT_CANCEL)
			return result == EDIT_LINE;
	}
}

bool input_ask(struct repl *r, const char *prompt, struct str *ret)
{
	return user_line(r, prompt, false, ret);
}

/* Read the next line of the innermost input; false at its end. */
static bool input_line(struct repl *r, const char *prompt, struct str *ret)
{
	struct input *in = r->input;

	if (!in)
		return false;
	if (in->user)
		return user_line(r, prompt, true, ret);
	if (in->next == in->lines.n)
		return false;
	str_clear(ret);
	str_add(ret, in->lines.v[in->next++]);
	return true;
}

static void add_lines(const char *s, size_t n, struct words *ret)
{
	const char *end = s + n;

	while (s < end) {
		const char *eol = memchr(s, '\n', (size_t)(end - s));
		size_t len = (size_t)((eol ? eol : end) - s);
		size_t shown = len && s[len - 1] == '\r' ? len - 1 : len;
		words_add(ret, s, shown);
		s += len + 1;
	}
}

// Wait for more of a pipe; an error gives it up.
static struct dbg_error *wait_more(struct repl *r, int fd)
{
	unsigned int what;

	struct dbg_error *err = loop_wait(r->loop, fd, &what);
	if (err)
		repl_warn(r, "", err);
	if (what & LOOP_END)
		repl_end(r);
	repl_events(r);
	return what & (LOOP_END | LOOP_INTERRUPT)
		   ? dbg_err(DBG_E_INTERRUPTED, "Quit")
		   : NULL;
}

static struct dbg_error *read_all(struct repl *r, const char *path, int fd,
				  struct str *ret)
{
	struct dbg_error *err = NULL;
	char buf[4096];
	ssize_t n = 1;

	while (n && !err && ret->len < FILE_MAX_BYTES) {
		n = read(fd, buf, sizeof(buf));
		if (n >= 0)
			str_addn(ret, buf, (size_t)n);
		else if (errno == EAGAIN)
			err = wait_more(r, fd);
		else if (errno != EINTR)
			err = dbg_err(DBG_E_FILE, "%s: %s.", path,
				      strerror(errno));
	}
	return err;
}

static struct dbg_error *lines_load(struct repl *r, const char *path,
				    struct words *ret)
{
	_cleanup_str_ struct str all = {0};
	struct dbg_error *err;
	int fd;

	// A pipe, as of the shell's <(...), but not while another front end
	// waits for us.
	err = dbg_open_file(path, O_RDONLY, !r->hosted, &fd);
	if (err)
		return err;
	err = read_all(r, path, fd, &all);
	close(fd);
	if (err)
		return err;
	if (all.len >= FILE_MAX_BYTES)
		return dbg_err(DBG_E_FILE, "%s: The file is too large.", path);
	if (memchr(str_get(&all), 0, all.len))
		return dbg_err(DBG_E_FILE, "%s: This is no text.", path);
	add_lines(str_get(&all), all.len, ret);
	return NULL;
}

// Does this line begin a block within a block?
static bool begins_block(const char *line)
{
	static const char *const names[] = {"commands", "define", "document"};
	size_t n = strcspn(line, " \t");

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == n && !strncmp(line, names[i], n))
			return true;
	return false;
}

struct dbg_error *input_block(struct repl *r, const char *what,
			      struct words *ret)
{
	_cleanup_str_ struct str line = {0};
	bool is_text = !strcmp(what, "document");
	unsigned int depth = 0;

	while (input_line(r, ">", &line)) {
		const char *s = str_get(&line);
		s += strspn(s, " \t");
		size_t n = strlen(s);
		while (n && isspace((unsigned char)s[n - 1]))
			n--;
		bool ends = n == 3 && !strncmp(s, "end", 3);
		if (ends && !depth)
			return NULL;
		depth -= ends;
		depth += !is_text && begins_block(s);
		if (is_text || (n && *s != '#'))
			words_add(ret, s, n);
	}
	return dbg_err_arg("\"%s\" lacks its \"end\".", what);
}

static struct dbg_error *run_lines(struct repl *r, struct input *in,
				   const char *path)
{
	struct dbg_error *err = NULL;
	_cleanup_str_ struct str line = {0};

	in->outer = r->input;
	r->input = in;
	while (!err && !r->quit && input_line(r, "", &line)) {
		size_t number = in->next;
		err = repl_line(r, str_get(&line));
		if (err && path) {
			struct dbg_error *inner = err;
			err =
			    dbg_err(inner->code,
				    "%s:%zu: Error in sourced command file: %s",
				    path, number, inner->message);
			dbg_error_destroy(inner);
		}
	}
	r->input = in->outer;
	return err;
}

struct dbg_error *input_lines(struct repl *r, const struct words *lines)
{
	struct input in = {.lines = *lines};

	return run_lines(r, &in, NULL);
}

struct dbg_error *input_source(struct repl *r, const char *path)
{
	struct dbg_error *err;
	struct input in = {0};

	size_t depth = 0;
	for (const struct input *i = r->input; i; i = i->outer)
		depth++;
	if (depth > DEPTH_MAX)
		return dbg_err_arg("%s: Sourced files are nested too deep.",
				   path);
	err = lines_load(r, path, &in.lines);
	if (!err)
		err = run_lines(r, &in, path);
	words_deinit(&in.lines);
	return err;
}

// Carry out all -ex options, or -iex, up to the next file; an error does not
// end them.
static size_t startup_commands(struct repl *r, size_t i)
{
	bool early = r->options->startup[i].early;

	const struct front_options *o = r->options;
	struct input in = {0};

	for (; i < o->n_startup && !o->startup[i].file &&
	       o->startup[i].early == early;
	     i++)
		add_lines(o->startup[i].text, strlen(o->startup[i].text),
			  &in.lines);
	while (in.next < in.lines.n && !r->quit) {
		struct dbg_error *err = run_lines(r, &in, NULL);
		if (err)
			repl_warn(r, "", err);
	}
	words_deinit(&in.lines);
	return i;
}

void input_startup(struct repl *r, bool early)
{
	const struct front_options *o = r->options;

	for (size_t i = 0; i < o->n_startup && !r->quit;) {
		if (o->startup[i].early != early) {
			i++;
			continue;
		}
		if (!o->startup[i].file) {
			i = startup_commands(r, i);
			continue;
		}
		struct dbg_error *err = input_source(r, o->startup[i].text);
		if (err)
			repl_warn(r, "", err);
		i++;
	}
}

static bool is_empty(const char *line)
{
	return !line[strspn(line, " \t")];
}

static void user_command(struct repl *r, const char *line)
{
	_cleanup_free_ char *again = NULL;

	if (is_empty(line)) {
		if (!r->last_line)
			return;
		again = xstrdup(r->last_line);
		line = again;
	}
	screen_page(r, true);
	struct dbg_error *err = repl_line(r, line);
	screen_page(r, false);
	if (err)
		repl_warn(r, "", err);
	loop_forget(r->loop);
}

void input_user(struct repl *r)
{
	struct input in = {.user = true};
	_cleanup_str_ struct str line = {0};

	r->input = &in;
	while (!r->quit && input_line(r, r->set.prompt, &line))
		user_command(r, str_get(&line));
	if (!r->quit && r->terminal)
		out(r, "quit\n");
	r->input = NULL;
}
