/*
 * The stack of inputs that lines come from. The innermost also supplies the
 * lines of `commands`, so a sourced file may hold whole blocks, and so may the
 * -ex options, which are one input together.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/err.h"
#include "repl/inferior.h"
#include "repl/line/input.h"
#include "front/lines.h"
#include "repl/show/print.h"
#include "repl/repl_priv.h"
#include "repl/resume.h"
#include "repl/show/screen.h"

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
