/*
 * A line as words, quoted as in a shell, with redirections among them, and
 * back: words quoted so that they are read as the same words.
 */
#include "front/cli/words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/err.h"

void words_clear(struct words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->v[i]);
	w->n = 0;
}

void words_deinit(struct words *w)
{
	words_clear(w);
	free(w->v);
	*w = (struct words){0};
}

void words_add(struct words *w, const char *word, size_t len)
{
	mem_grow(&w->v, &w->cap, w->n + 1, sizeof(*w->v));
	w->v[w->n++] = xstrndup(word, len);
	w->v[w->n] = NULL;
}

static bool is_blank(char c)
{
	return isspace((unsigned char)c);
}

static const char *skip_blanks(const char *p)
{
	while (is_blank(*p))
		p++;
	return p;
}

// Append the quoted part at *@p, which stands behind the quote.
static struct dbg_error *quoted(const char **p, char quote, struct str *word)
{
	const char *s = *p;

	for (; *s != quote; s++) {
		if (!*s)
			return dbg_err_arg("Unmatched %s quote.",
					   quote == '"' ? "double" : "single");
		if (quote == '"' && *s == '\\' && (s[1] == '"' || s[1] == '\\'))
			s++;
		str_addc(word, *s);
	}
	*p = s + 1;
	return NULL;
}

// Read one word from *@p, which points to its first character.
static struct dbg_error *next_word(const char **p, bool operators,
				   struct str *word)
{
	struct dbg_error *err;
	const char *s = *p;

	while (*s && !is_blank(*s)) {
		if (operators && (*s == '<' || *s == '>'))
			break;
		if (*s == '\'' || *s == '"') {
			char quote = *s++;
			err = quoted(&s, quote, word);
			if (err)
				return err;
		} else if (*s == '\\' && s[1]) {
			str_addc(word, s[1]);
			s += 2;
		} else {
			str_addc(word, *s++);
		}
	}
	*p = s;
	return NULL;
}

struct dbg_error *words_split(const char *line, struct words *w)
{
	struct dbg_error *err;

	for (const char *p = skip_blanks(line); *p; p = skip_blanks(p)) {
		_cleanup_str_ struct str word = {0};
		err = next_word(&p, false, &word);
		if (err)
			return err;
		words_add(w, str_get(&word), word.len);
	}
	return NULL;
}

/*
 * The quotes and backslashes at *@p, of a word of a .NET command line. Steps
 * behind them.
 */
static void dotnet_quote(const char **p, bool *within, struct str *word)
{
	size_t backslashes = strspn(*p, "\\");
	bool quote = (*p)[backslashes] == '"';

	for (size_t i = 0; i < (quote ? backslashes / 2 : backslashes); i++)
		str_addc(word, '\\');
	*p += backslashes + quote;
	if (!quote)
		return;
	if (backslashes % 2) {
		str_addc(word, '"');
	} else if (*within && **p == '"') {
		str_addc(word, '"');
		(*p)++;
	} else {
		*within = !*within;
	}
}

void words_split_dotnet(const char *line, struct words *w)
{
	for (const char *p = line + strspn(line, " \t"); *p;
	     p += strspn(p, " \t")) {
		_cleanup_str_ struct str word = {0};
		bool within = false;

		while (*p && (within || (*p != ' ' && *p != '\t'))) {
			if (*p == '"' || *p == '\\')
				dotnet_quote(&p, &within, &word);
			else
				str_addc(&word, *p++);
		}
		words_add(w, str_get(&word), word.len);
	}
}

/*
 * Read the operator of a redirection at *@p, if there is one, and move *@p
 * behind it: `<`, `>`, `>>`, each behind the number of its stream or without,
 * `&>` and `&>>`, which redirect both outputs, `>&1`, `>&2`.
 */
static bool read_operator(const char **p, struct redirection *ret)
{
	const char *s = *p;
	char of = *s == '&' || (*s >= '0' && *s <= '2') ? *s++ : 0;

	if (*s == '<' && (!of || of == '0')) {
		*ret = (struct redirection){.stream = 0};
		s++;
	} else if (*s == '>' && of != '0') {
		*ret = (struct redirection){
		    .stream = of == '2' ? 2 : 1,
		    .both = of == '&',
		};
		if (*++s == '>') {
			ret->append = true;
			s++;
		} else if (!ret->both && *s == '&' &&
			   (s[1] == '1' || s[1] == '2')) {
			ret->copies = s[1] - '0';
			s += 2;
		}
	} else {
		return false;
	}
	*p = s;
	return true;
}

bool words_redirection(const char *word, struct redirection *ret)
{
	return read_operator(&word, ret) && !*word;
}

void words_redirect(const struct redirection *r, const char *file,
		    char *stdio[3])
{
	_cleanup_free_ char *to = NULL;

	if (r->copies && stdio[r->copies])
		to = xstrdup(stdio[r->copies]);
	else if (r->copies)
		to = xasprintf("&%d", r->copies);
	else
		to = xasprintf("%s%s%s", r->append ? ">>" : "",
			       *file == '&' || *file == '>' ? "./" : "", file);
	str_set(&stdio[r->stream], to);
	if (r->both)
		str_set(&stdio[2], to);
}

// Read the file of a redirection, behind its operator, and carry it out.
static struct dbg_error *redirect(const char **p, const struct redirection *r,
				  char *stdio[3])
{
	struct dbg_error *err;
	_cleanup_str_ struct str word = {0};

	if (r->copies && (!**p || is_blank(**p) || **p == '<' || **p == '>')) {
		words_redirect(r, NULL, stdio);
		return NULL;
	}
	if (r->copies || **p == '>' || **p == '<' || **p == '&' || **p == '|')
		return dbg_err_arg("Only < FILE, > FILE, >> FILE, 2> FILE, "
				   "2>&1 and &> FILE are served.");
	*p = skip_blanks(*p);
	err = next_word(p, true, &word);
	if (err)
		return err;
	if (!word.len)
		return dbg_err_arg("A redirection needs the name of a file.");
	words_redirect(r, str_get(&word), stdio);
	return NULL;
}

struct dbg_error *words_command(const char *line, struct words *w,
				char *stdio[3])
{
	struct dbg_error *err;

	for (const char *p = skip_blanks(line); *p; p = skip_blanks(p)) {
		struct redirection r;
		if (read_operator(&p, &r)) {
			err = redirect(&p, &r, stdio);
			if (err)
				return err;
			continue;
		}
		_cleanup_str_ struct str word = {0};
		err = next_word(&p, true, &word);
		if (err)
			return err;
		words_add(w, str_get(&word), word.len);
	}
	return NULL;
}

void words_quote(const char *word, struct str *ret)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789_-+=./:,@%^";

	if (*word && !word[strspn(word, safe)]) {
		str_add(ret, word);
		return;
	}
	str_addc(ret, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			str_add(ret, "'\\''");
		else
			str_addc(ret, *word);
	}
	str_addc(ret, '\'');
}
