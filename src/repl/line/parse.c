/*
 * Arguments of commands: numbers, counts, ranges, formats behind a '/', places
 * of `list`, yes and no. These are gdb's forms; expressions and the locations
 * of breakpoints are the engine's.
 */
#include "repl/line/parse.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/err.h"

static const char *skip_blanks(const char *p)
{
	while (isspace((unsigned char)*p))
		p++;
	return p;
}

// Digits from *@p on, which must begin with one; false if they do not fit.
static bool digits(const char **p, uint64_t *ret)
{
	uint64_t n = 0;
	const char *s = *p;

	if (!isdigit((unsigned char)*s))
		return false;
	for (; isdigit((unsigned char)*s); s++)
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(*s - '0'), &n))
			return false;
	*p = s;
	*ret = n;
	return true;
}

static bool hex_digits(const char *s, uint64_t *ret)
{
	uint64_t n = 0;

	if (!*s || strlen(s) > 16)
		return false;
	for (; *s; s++) {
		if (!isxdigit((unsigned char)*s))
			return false;
		int c = tolower((unsigned char)*s);
		n = n << 4 | (uint64_t)(isdigit(c) ? c - '0' : c - 'a' + 10);
	}
	*ret = n;
	return true;
}

bool parse_u64(const char *s, uint64_t *ret)
{
	uint64_t n;

	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
		return hex_digits(s + 2, ret);
	if (!digits(&s, &n) || *s)
		return false;
	*ret = n;
	return true;
}

struct dbg_error *parse_count(const char *s, uint64_t fallback, uint64_t *ret)
{
	uint64_t n = fallback;

	if (*s && (!parse_u64(s, &n) || !n))
		return dbg_err_arg("\"%s\" is not a count.", s);
	*ret = n;
	return NULL;
}

struct dbg_error *parse_format(const char *s, struct parse_format *ret)
{
	struct parse_format f = {.count = 1};
	const char *all = s;

	if (isdigit((unsigned char)*s) && !digits(&s, &f.count))
		return dbg_err_arg("The count in \"/%s\" is too large.", all);
	for (; *s; s++) {
		// As in gdb, 'w' and friends are sizes, all else letters.
		if (strchr("bhwg", *s))
			f.size = *s;
		else if (strchr("xduotacfsiz", *s))
			f.letter = *s;
		else
			return dbg_err_arg(
			    "Undefined format letter '%c' in "
			    "\"/%s\".",
			    isprint((unsigned char)*s) ? *s : '?', all);
	}
	*ret = f;
	return NULL;
}

struct dbg_error *parse_range(const char **p, uint64_t *ret_first,
			      uint64_t *ret_last, bool *ret_any)
{
	const char *s = skip_blanks(*p);
	uint64_t first, last;

	if (!*s) {
		*ret_any = false;
		return NULL;
	}
	bool ok = digits(&s, &first);
	last = first;
	if (ok && *s == '-') {
		s++;
		ok = digits(&s, &last);
	}
	if (!ok || (*s && *s != ',' && !isspace((unsigned char)*s)))
		return dbg_err_arg("Bad number or range: \"%s\".",
				   skip_blanks(*p));
	if (last < first)
		return dbg_err_arg("The range ends before it begins.");
	while (*s == ',' || isspace((unsigned char)*s))
		s++;
	*p = s;
	*ret_first = first;
	*ret_last = last;
	*ret_any = true;
	return NULL;
}

bool parse_bpnum(const char **p)
{
	static const char name[] = "$bpnum";
	size_t n = sizeof(name) - 1;

	if (strncmp(*p, name, n) ||
	    ((*p)[n] && !isspace((unsigned char)(*p)[n])))
		return false;
	*p += n + strspn(*p + n, " \t");
	return true;
}

struct dbg_error *parse_number(const char **p, uint32_t *ret)
{
	size_t n = strcspn(*p, " \t");
	_cleanup_free_ char *word = xstrndup(*p, n);
	uint64_t number;

	if (!parse_u64(word, &number) || !number || number > UINT32_MAX)
		return dbg_err_arg("Bad breakpoint number '%s'.", word);
	*p += n + strspn(*p + n, " \t");
	*ret = (uint32_t)number;
	return NULL;
}

void parse_place_deinit(struct parse_place *place)
{
	free(place->file);
	free(place->name);
	*place = (struct parse_place){0};
}

// A file's name, which may be quoted because of its blanks.
static char *unquoted(const char *s, size_t n)
{
	if (n >= 2 && (*s == '"' || *s == '\'') && s[n - 1] == *s)
		return xstrndup(s + 1, n - 2);
	return xstrndup(s, n);
}

struct dbg_error *parse_place(const char *s, size_t n, struct parse_place *ret)
{
	struct parse_place place = {0};

	while (n && isspace((unsigned char)*s)) {
		s++;
		n--;
	}
	while (n && isspace((unsigned char)s[n - 1]))
		n--;
	size_t n_digits = 0;
	while (n_digits < n && isdigit((unsigned char)s[n - 1 - n_digits]))
		n_digits++;
	const char *number = s + n - n_digits;
	uint64_t line = 0;
	bool is_line = n_digits && (n_digits == n || number[-1] == ':');
	if (is_line && (!digits(&number, &line) || !line || line > UINT32_MAX))
		return dbg_err_arg("Line number out of range.");
	if (!is_line) {
		if (!n)
			return dbg_err_arg("A place in the source is missing.");
		place.name = xstrndup(s, n);
	} else if (n_digits < n) {
		place.file = unquoted(s, n - n_digits - 1);
	}
	place.line = line;
	*ret = place;
	return NULL;
}

void parse_list_deinit(struct parse_list *list)
{
	parse_place_deinit(&list->first);
	parse_place_deinit(&list->last);
}

// The comma between two places: not one between parameter types.
static const char *find_comma(const char *s)
{
	int depth = 0;

	for (; *s; s++) {
		if (strchr("([<", *s))
			depth++;
		else if (strchr(")]>", *s))
			depth--;
		else if (*s == ',' && depth <= 0)
			return s;
	}
	return NULL;
}

struct dbg_error *parse_list(const char *s, struct parse_list *ret)
{
	struct dbg_error *err;
	struct parse_list list = {.kind = PARSE_LIST_NEXT};

	s = skip_blanks(s);
	const char *comma = find_comma(s);
	const char *end = comma ? comma : s + strlen(s);
	const char *rest = comma ? skip_blanks(comma + 1) : "";
	if (!comma && (!*s || !strcmp(s, "+"))) {
		*ret = list;
		return NULL;
	}
	if (!comma && !strcmp(s, "-")) {
		list.kind = PARSE_LIST_BACK;
		*ret = list;
		return NULL;
	}
	list.kind = !comma       ? PARSE_LIST_CENTER
		    : comma == s ? PARSE_LIST_TO
		    : *rest == 0 ? PARSE_LIST_FROM
				 : PARSE_LIST_RANGE;
	if (list.kind != PARSE_LIST_TO) {
		err = parse_place(s, (size_t)(end - s), &list.first);
		if (err)
			return err;
	}
	if (list.kind == PARSE_LIST_TO || list.kind == PARSE_LIST_RANGE) {
		err = parse_place(rest, strlen(rest), &list.last);
		if (err) {
			parse_list_deinit(&list);
			return err;
		}
	}
	*ret = list;
	return NULL;
}

const char *parse_if(const char *s)
{
	int depth = 0;
	char quote = 0;

	for (const char *p = s; *p; p++) {
		if (quote) {
			quote = *p == quote ? 0 : quote;
			continue;
		}
		if (*p == '"' || *p == '\'')
			quote = *p;
		depth += *p == '(' || *p == '[';
		depth -= *p == ')' || *p == ']';
		bool starts =
		    p == s || isspace((unsigned char)p[-1]) || p[-1] == ')';
		if (depth <= 0 && starts && !strncmp(p, "if", 2) &&
		    (isspace((unsigned char)p[2]) || p[2] == '('))
			return p;
	}
	return NULL;
}

struct dbg_error *parse_attach(const char *args, struct dbg_attach *ret)
{
	static const char wait[] = "--wait";
	size_t n = strlen(wait);
	uint64_t pid;

	if (!strncmp(args, wait, n) && (!args[n] || args[n] == ' ')) {
		ret->wait = true;
		args += n + strspn(args + n, " ");
	}
	if (!*args || strchr(args, ' '))
		return dbg_err_arg("One process or name expected.");
	if (!parse_u64(args, &pid))
		ret->name = args;
	else if (ret->wait || !pid || pid > INT_MAX)
		return dbg_err_arg("\"%s\" is no process%s.", args,
				   ret->wait ? " to wait for" : "");
	else
		ret->pid = (pid_t)pid;
	return NULL;
}
