/*
 * CLR names of what is known by its C# name, for users who have them from
 * reflection or from SOS.
 */
#include <string.h>

#include "base/pattern.h"
#include "meta/csname.h"

enum {
	CLR_NESTING_MAX = 16,
	LISTS_MAX = 8, // of type arguments, by the segments of one name
};

// A list of type arguments, without its brackets.
struct list {
	const char *from, *end;
};

static bool opens(char c)
{
	return c == '<' || c == '(' || c == '[';
}

static bool closes(char c)
{
	return c == '>' || c == ')' || c == ']';
}

// The end of the type that begins at @p: its comma, or @end.
static const char *argument_end(const char *p, const char *end)
{
	for (int depth = 0; p < end; p++) {
		if (opens(*p))
			depth++;
		else if (closes(*p))
			depth--;
		else if (*p == ',' && !depth)
			break;
	}
	return p;
}

// The bracket that closes the one at @p, NULL if none does before @end.
static const char *closing(const char *p, const char *end)
{
	for (int depth = 0; p < end; p++) {
		depth += opens(*p);
		depth -= closes(*p);
		if (!depth)
			return p;
	}
	return NULL;
}

static void put_type(const char *p, const char *end, int depth,
		     struct str *out);

static void put_lists(const struct list *lists, size_t n, int depth,
		      struct str *out)
{
	const char *between = "[[";

	for (size_t i = 0; i < n; i++)
		for (const char *p = lists[i].from, *stop; p < lists[i].end;
		     p = stop + 1) {
			stop = argument_end(p, lists[i].end);
			p += strspn(p, " ");
			if (p >= stop)
				continue; // typeof(Map<,>) has no arguments
			str_add(out, between);
			put_type(p, stop, depth + 1, out);
			between = "],[";
		}
	str_add(out, *between == ']' ? "]]" : "");
}

static size_t count_arguments(const struct list *list)
{
	const char *p = argument_end(list->from, list->end);
	size_t n = 1;

	for (; p < list->end; n++)
		p = argument_end(p + 1, list->end);
	return n;
}

// Does a list of arguments begin at @p of the name that begins at @start?
static bool is_list(const char *start, const char *p)
{
	return (*p == '<' && p > start && p[-1] != '.') ||
	       (*p == '(' && p == start);
}

/* The name without its arguments, which @lists gets; returns what is behind. */
static const char *put_name(const char *start, const char *end,
			    struct list lists[LISTS_MAX], size_t *ret_n,
			    struct str *out)
{
	const char *p = start;

	*ret_n = 0;
	while (p < end && !strchr("[,*&? ", *p)) {
		const char *last = is_list(start, p) && *ret_n < LISTS_MAX
				       ? closing(p, end)
				       : NULL;

		if (!last) {
			str_addc(out, *p++);
			continue;
		}
		struct list *list = &lists[(*ret_n)++];
		*list = (struct list){p + 1, last};
		str_addf(out, "%s`%zu", *p == '(' ? "System.ValueTuple" : "",
			 count_arguments(list));
		p = last + 1;
		if (p < end && *p == '.') {
			str_addc(out, '+');
			p++;
		}
	}
	return p;
}

static void put_type(const char *p, const char *end, int depth, struct str *out)
{
	struct list lists[LISTS_MAX];
	size_t at = out->len, n = 0;
	const char *rest = end;

	if (depth < CLR_NESTING_MAX)
		rest = put_name(p, end, lists, &n, out);
	else
		str_addn(out, p, (size_t)(end - p));
	const char *full = csname_of_keyword(str_get(out) + at);

	if (full) {
		str_end(out, out->s + at);
		str_add(out, full);
	}
	put_lists(lists, n, depth, out);
	str_addn(out, rest, (size_t)(end - rest));
}

void csname_to_clr(const char *name, struct str *out)
{
	str_add(out, "");
	put_type(name, name + strlen(name), 0, out);
}

bool csname_matches(const struct pattern *p, const char *name)
{
	_cleanup_str_ struct str clr = {0};

	if (pattern_matches(p, name))
		return true;
	csname_to_clr(name, &clr);
	return strcmp(str_get(&clr), name) && pattern_matches(p, str_get(&clr));
}
