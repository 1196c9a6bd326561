/*
 * Methods that a step in passes because the user said so (`skip`): by name, by
 * source file, or both. The rules are one text with a line for each: words "fu
 * NAME", "rfu REGEX", "fi FILE", "gfi GLOB" separated by tabs, all of which
 * must match. Names and files match by their last parts, as in breakpoint
 * locations.
 */
#include "control/step/skip.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/pattern.h"
#include "base/str.h"
#include "control/control_priv.h"

struct skip_rule {
	char *function, *file, *glob; // NULL: any
	struct pattern *regex;
};

enum {
	RULES_MAX = 1000
};

static void rule_deinit(struct skip_rule *rule)
{
	free(rule->function);
	free(rule->file);
	free(rule->glob);
	pattern_destroy(rule->regex);
}

void skip_reset(struct control *c)
{
	for (size_t i = 0; i < c->skips.n; i++)
		rule_deinit(&c->skips.rules[i]);
	free(c->skips.rules);
	free(c->skips.text);
	c->skips = (struct skips){0};
}

/* ---- The text -------------------------------------------------------- */

static struct dbg_error *take_word(struct skip_rule *rule, char *word)
{
	char *value = strchr(word, ' ');

	if (!value || !value[1])
		return dbg_err(DBG_E_ARGUMENT, "'%s' names nothing", word);
	*value++ = '\0';
	if (!strcmp(word, "rfu")) {
		pattern_destroy(rule->regex);
		rule->regex = NULL;
		return pattern_create(value, &rule->regex);
	}

	char **place = !strcmp(word, "fu")    ? &rule->function
		       : !strcmp(word, "fi")  ? &rule->file
		       : !strcmp(word, "gfi") ? &rule->glob
					      : NULL;

	if (!place)
		return dbg_err(DBG_E_ARGUMENT, "'%s' is not fu, rfu, fi or gfi",
			       word);
	str_set(place, value);
	return NULL;
}

static struct dbg_error *take_line(struct skips *skips, char *line)
{
	struct dbg_error *err = NULL;
	char *state = NULL;
	struct skip_rule rule = {0};

	for (char *word = strtok_r(line, "\t", &state); word && !err;
	     word = strtok_r(NULL, "\t", &state))
		err = take_word(&rule, word);
	if (!err && skips->n == RULES_MAX)
		err = dbg_err(DBG_E_ARGUMENT, "more than %d rules", RULES_MAX);
	if (err) {
		rule_deinit(&rule);
		return err;
	}
	mem_grow(&skips->rules, &skips->cap, skips->n, sizeof(*skips->rules));
	skips->rules[skips->n++] = rule;
	return NULL;
}

struct dbg_error *control_skip_set(struct control *c, const char *text)
{
	struct dbg_error *err = NULL;
	char *state = NULL;
	_cleanup_free_ char *copy = xstrdup(text);
	struct skips old = c->skips;

	c->skips = (struct skips){.text = xstrdup(text)};
	for (char *line = strtok_r(copy, "\n", &state); line && !err;
	     line = strtok_r(NULL, "\n", &state))
		err = take_line(&c->skips, line);

	struct skips fresh = c->skips;

	// what is not well formed changes nothing
	c->skips = err ? fresh : old;
	skip_reset(c);
	c->skips = err ? old : fresh;
	return err;
}

const char *control_skip_text(const struct control *c)
{
	return c->skips.text ? c->skips.text : "";
}

/* ---- Matching -------------------------------------------------------- */

/* Is @tail all of @s, or its last parts behind one of @ends? */
static bool is_tail(const char *s, const char *tail, const char *ends)
{
	size_t n = strlen(s), k = strlen(tail);

	return n >= k && !strcmp(s + n - k, tail) &&
	       (n == k || strchr(ends, s[n - k - 1]));
}

/*
 * Remove generic parameters, which users leave out: "Ns.Box<T>.Get" becomes
 * "Ns.Box.Get".
 */
static void without_arguments(char *name)
{
	int depth = 0;
	char *to = name;

	for (const char *p = name; *p; p++) {
		depth += *p == '<';
		if (!depth)
			*to++ = *p;
		depth -= *p == '>';
	}
	*to = '\0';
}

static bool is_function(const struct skip_rule *rule, const char *name)
{
	if (rule->regex && !pattern_matches(rule->regex, name))
		return false;
	if (!rule->function || is_tail(name, rule->function, "."))
		return true;
	_cleanup_free_ char *plain = xstrdup(name);
	without_arguments(plain);
	return is_tail(plain, rule->function, ".");
}

/* Does the file match? @path "": the method has no source. */
static bool is_file(const struct skip_rule *rule, const char *path)
{
	if (rule->file && !is_tail(path, rule->file, "/\\"))
		return false;
	return !rule->glob || !fnmatch(rule->glob, path, 0) ||
	       !fnmatch(rule->glob, str_basename(path), 0);
}

bool skip_matches(struct control *c, struct code_module *m, uint32_t token)
{
	struct code_name name;
	struct code_place place = {0};
	bool found = false;

	if (!c->skips.n || !m)
		return false;

	struct arena *arena = arena_create();
	uint32_t body = code_move_next(c->code, m, token);
	const char *path = "";

	code_token_names(m, token, NULL, arena, &name);
	code_entry(c->code, m, body ? body : token, &place);
	if (place.document)
		path = code_place_path(c->code, &place, arena);
	for (size_t i = 0; i < c->skips.n && !found; i++)
		found = is_function(&c->skips.rules[i], name.plain) &&
			is_file(&c->skips.rules[i], path);
	arena_destroy(arena);
	return found;
}
