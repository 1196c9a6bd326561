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

/*
 * As words_split, but unquoted `< FILE`, `> FILE` and `2> FILE` put a copy of
 * the file's name into @stdio[0..2], which the caller owns.
 */
DBG_MUST struct dbg_error *words_command(const char *line, struct words *w,
					 char *stdio[3]);

/* The stream, 0 to 2, that @word redirects to the word behind it; -1: none. */
int words_redirection(const char *word);

/* Append @word to @ret, quoted if words_split would not give it back. */
struct str;
void words_quote(const char *word, struct str *ret);

#endif
