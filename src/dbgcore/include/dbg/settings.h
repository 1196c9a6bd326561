/* dbg.h: completion, settings and counters. */
#ifndef DBG_SETTINGS_H
#define DBG_SETTINGS_H

#include "dbg/error.h"

enum dbg_names {
	DBG_NAMES_FILES = 1,
	DBG_NAMES_TYPES = 2,
	DBG_NAMES_METHODS = 4,
	DBG_NAMES_LOCALS = 8,
	DBG_NAMES_OWN = 16, /* no types and methods of the framework */
};

enum dbg_name_kind {
	DBG_NAME_FILE,
	DBG_NAME_TYPE,
	DBG_NAME_METHOD,
	DBG_NAME_FIELD,
	DBG_NAME_PROPERTY,
	DBG_NAME_VARIABLE,
};

struct dbg_name {
	const char *text; /* the whole word that it makes of the prefix */
	enum dbg_name_kind kind;
	/* Type, or signature of a method, the first of its name; NULL: none */
	const char *detail;
	uint32_t overloads; /* of a member: others of that name */
};

/*
 * Names that begin with @prefix in a frame (0: the newest), sorted, at most
 * @max; dies with stop. Behind a dot what is not public of classes that are not
 * the user's own is left out until some of the name is there.
 */
DBG_MUST struct dbg_error *dbg_complete(struct dbg *dbg, dbg_id frame,
					unsigned int names, const char *prefix,
					size_t max, struct dbg_name **ret,
					size_t *ret_n);

struct dbg_setting {
	const char *name; /* "substitute-path" */
	const char *help;
	const char *value; /* present value as text */
};

/*
 * Settings of the engine, by table. "substitute-path" takes "FROM TO" and
 * adds a rule; an empty value clears it.
 */
DBG_MUST struct dbg_error *dbg_set(struct dbg *dbg, const char *name,
				   const char *value);
/* gdb's booleans: on, 1, yes, enable or nothing; off, 0, no, disable. */
DBG_MUST struct dbg_error *dbg_parse_switch(const char *value, bool *ret);
/* The value of one, in @arena; NULL: there is none of that name. */
const char *dbg_setting_get(struct dbg *dbg, const char *name,
			    struct arena *arena);
/* List all settings with their values, in @arena. */
void dbg_setting_list(struct dbg *dbg, struct arena *arena,
		      struct dbg_setting **ret, size_t *ret_n);

/* Work done since the session began, for benchmarks and `maint`. */
struct dbg_counters {
	uint64_t stops;    /* wait statuses taken */
	uint64_t syscalls; /* made on the target's behalf */
	uint64_t dac_calls;
	uint64_t looks; /* of the system calls, those for an event not there */
};

void dbg_counters(const struct dbg *dbg, struct dbg_counters *ret);

#endif
