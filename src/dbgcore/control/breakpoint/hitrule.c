/* Hit rules of editors: "5", ">= 10", "% 3" against the number of hits. */
#include "control/breakpoint/hitrule.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

struct sign {
	const char *text;
	enum hit_rule_kind kind;
};

// Longer ones first.
static const struct sign signs[] = {
    {">=", HIT_RULE_AT_LEAST}, {"<=", HIT_RULE_AT_MOST}, {"==", HIT_RULE_EQUAL},
    {">", HIT_RULE_MORE},      {"<", HIT_RULE_LESS},     {"=", HIT_RULE_EQUAL},
    {"%", HIT_RULE_EVERY},     {"", HIT_RULE_EQUAL},
};

static const char *skip_blanks(const char *p)
{
	return p + strspn(p, " \t");
}

struct dbg_error *hit_rule_parse(const char *text, struct hit_rule *ret)
{
	const char *p = skip_blanks(text);
	size_t i = 0;

	while (strncmp(p, signs[i].text, strlen(signs[i].text)))
		i++;
	p = skip_blanks(p + strlen(signs[i].text));

	_cleanup_free_ char *digits = xstrndup(p, strcspn(p, " \t"));
	uint64_t count;

	if (*p < '0' || *p > '9' || *skip_blanks(p + strlen(digits)) ||
	    !str_to_u64(digits, &count) ||
	    (signs[i].kind == HIT_RULE_EVERY && !count))
		return dbg_err(DBG_E_ARGUMENT,
			       "'%s' is no number of hits: write 3, >=3, >3, "
			       "<=3, <3 or %%3",
			       text);
	ret->kind = signs[i].kind;
	ret->count = count;
	return NULL;
}

bool hit_rule_holds(const struct hit_rule *rule, uint64_t hits)
{
	switch (rule->kind) {
	case HIT_RULE_NONE:
		return true;
	case HIT_RULE_EQUAL:
		return hits == rule->count;
	case HIT_RULE_AT_LEAST:
		return hits >= rule->count;
	case HIT_RULE_MORE:
		return hits > rule->count;
	case HIT_RULE_AT_MOST:
		return hits <= rule->count;
	case HIT_RULE_LESS:
		return hits < rule->count;
	case HIT_RULE_EVERY:
		return hits % rule->count == 0;
	}
	return true;
}
