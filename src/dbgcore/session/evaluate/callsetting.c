/* The settings of calls that expressions make in the program. */
#include "session/evaluation.h"
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"

enum {
	LIMIT_MS = 5000,
	LIMIT_MAX_MS = 3600000,
};

static const char *const call_names[] = {
    [DBG_CALLS_SETTING] = "interpret-then-call",
    [DBG_CALLS_NEVER] = "interpret",
    [DBG_CALLS_NEEDED] = "interpret-then-call",
    [DBG_CALLS_ALWAYS] = "call",
};

static const char *const thread_names[] = {
    [CALL_THREADS_LATE] = "late",
    [CALL_THREADS_ON] = "on",
    [CALL_THREADS_OFF] = "off",
};

struct dbg_error *evaluation_set_calls(struct dbg *dbg, const char *value)
{
	for (unsigned int i = DBG_CALLS_NEVER; i <= DBG_CALLS_ALWAYS; i++)
		if (!strcmp(value, call_names[i])) {
			dbg->rules.calls = i;
			return NULL;
		}
	return dbg_err(DBG_E_ARGUMENT,
		       "'%s' is not interpret, "
		       "interpret-then-call or call",
		       value);
}

const char *evaluation_get_calls(struct dbg *dbg)
{
	return call_names[dbg->rules.calls];
}

struct dbg_error *evaluation_set_threads(struct dbg *dbg, const char *value)
{
	for (unsigned int i = 0; i <= CALL_THREADS_OFF; i++)
		if (!strcmp(value, thread_names[i])) {
			dbg->rules.threads = i;
			return NULL;
		}
	return dbg_err(DBG_E_ARGUMENT, "'%s' is not late, on or off", value);
}

const char *evaluation_get_threads(struct dbg *dbg)
{
	return thread_names[dbg->rules.threads];
}

struct dbg_error *evaluation_set_timeout(struct dbg *dbg, const char *value)
{
	char *end;
	unsigned long ms = strtoul(value, &end, 10);

	if (*end || !ms || ms > LIMIT_MAX_MS)
		return dbg_err(DBG_E_ARGUMENT,
			       "'%s' is not a number of milliseconds from 1 to "
			       "%d",
			       value, LIMIT_MAX_MS);
	dbg->rules.ms = (uint32_t)ms;
	return NULL;
}

const char *evaluation_get_timeout(struct dbg *dbg)
{
	snprintf(dbg->rules.text, sizeof(dbg->rules.text), "%u",
		 evaluation_ms(dbg));
	return dbg->rules.text;
}

enum dbg_calls evaluation_calls(const struct dbg *dbg, enum dbg_calls calls)
{
	if (calls == DBG_CALLS_SETTING)
		calls = dbg->rules.calls;
	return calls == DBG_CALLS_SETTING ? DBG_CALLS_NEEDED : calls;
}

uint32_t evaluation_ms(const struct dbg *dbg)
{
	return dbg->rules.ms ? dbg->rules.ms : LIMIT_MS;
}
