/*
 * Command lines as words, quoted as in a shell: blanks separate, '...' takes
 * all literally, "..." all but \" and \\, a backslash outside quotes takes
 * the next character. Nothing is expanded.
 */
#ifndef FRONT_WORDS_H
#define FRONT_WORDS_H

#include "dbg.h"

struct words {
	char **v; /* v[n] is NULL once there was a word */
	size_t n, cap;
};

void words_deinit(struct words *w);
#define _cleanup_words_ __attribute__((cleanup(words_deinit)))
void words_add(struct words *w, const char *word, size_t len);
void words_clear(struct words *w);

/* Append the words of @line; an unfinished quote is an error. */
DBG_MUST struct dbg_error *words_split(const char *line, struct words *w);

/*
 * Append the words of @line by the rules of .NET (ProcessStartInfo.Arguments,
 * launchSettings.json): only `"` quotes, `""` within quotes is one, and a
 * backslash is itself but in front of a `"`. A quote may be left open.
 */
void words_split_dotnet(const char *line, struct words *w);

/* A redirection of one of the three streams, without the file. */
struct redirection {
	int stream;  /* 0 to 2 */
	bool append; /* to what the file holds */
	bool both;   /* outputs; stream is 1 */
	int copies;  /* goes where this stream goes, 1 or 2; 0: to a file */
};

/*
 * As words_split, but unquoted redirections as in a shell (`< FILE`, `> FILE`,
 * `>> FILE`, `2> FILE`, `2>&1`, `&> FILE`) put where the streams go into
 * @stdio[0..2], as struct dbg_launch has it; the caller owns the strings.
 */
DBG_MUST struct dbg_error *words_command(const char *line, struct words *w,
					 char *stdio[3]);

/* Is @word the operator of a redirection? Its file is the next word, if any. */
bool words_redirection(const char *word, struct redirection *ret);
/*
 * Carry a redirection out, from left to right as a shell does: a copy goes
 * where the other stream goes so far. @file: NULL for a copy.
 */
void words_redirect(const struct redirection *r, const char *file,
		    char *stdio[3]);

/* Append @word to @ret, quoted if words_split would not give it back. */
struct str;
void words_quote(const char *word, struct str *ret);

#endif
