/*
 * Regular expressions by PCRE2, bounded: a pattern that backtracks for ever
 * fails to match.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "base/pattern.h"

#include <pcre2.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"

enum {
	STEPS_MAX = 200000 /* of one match */
};

struct pattern {
	pcre2_code *code;
	pcre2_match_context *limits;
	pcre2_match_data *data;
};

struct dbg_error *pattern_create(const char *text, struct pattern **ret)
{
	int number;
	PCRE2_SIZE offset;
	char words[128];
	pcre2_code *code = pcre2_compile(
	    (PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED,
	    PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C, &number, &offset, NULL);

	if (!code) {
		pcre2_get_error_message(number, (PCRE2_UCHAR *)words,
					sizeof(words));
		return dbg_err(DBG_E_ARGUMENT,
			       "regular expression '%s': %s at %zu", text,
			       words, (size_t)offset);
	}

	struct pattern *p = xcalloc(1, sizeof(*p));

	p->code = code;
	p->limits = pcre2_match_context_create(NULL);
	p->data = pcre2_match_data_create(1, NULL);
	pcre2_set_match_limit(p->limits, STEPS_MAX);
	*ret = p;
	return NULL;
}

void pattern_destroy(struct pattern *p)
{
	if (!p)
		return;
	pcre2_match_data_free(p->data);
	pcre2_match_context_free(p->limits);
	pcre2_code_free(p->code);
	free(p);
}

bool pattern_matches(const struct pattern *p, const char *text)
{
	return pcre2_match(p->code, (PCRE2_SPTR)text, PCRE2_ZERO_TERMINATED, 0,
			   0, p->data, p->limits) >= 0;
}
