/* dbg.h: breakpoints, catchpoints and watchpoints. */
#ifndef DBG_BREAKPOINTS_H
#define DBG_BREAKPOINTS_H

#include "dbg/error.h"
#include "dbg/events.h"

enum dbg_break_kind {
	DBG_BREAK_LOCATION, /* at a place */
	DBG_BREAK_REGEX,    /* every method whose name matches (pcre2) */
	DBG_BREAK_THROW,    /* exceptions where they are thrown, see below */
	DBG_BREAK_USER_UNHANDLED, /* ... if no user code will catch them */
	DBG_BREAK_UNHANDLED,      /* ... that nobody catches */
	DBG_BREAK_CAUGHT, /* ... where they are caught, the handler not run */
	/* Modules by a pattern (pcre2) of their path or, without one, name. */
	DBG_BREAK_LOAD,
	DBG_BREAK_UNLOAD,
	DBG_BREAK_WATCH, /* expression text, in the frame given */
};

enum dbg_place_kind {
	DBG_PLACE_TEXT, /* as people write it */
	DBG_PLACE_MAIN, /* where the program's own code begins */
	DBG_PLACE_LINE,
	DBG_PLACE_FUNCTION,
	DBG_PLACE_ADDRESS,
};

/*
 * A place in code. Who has a file, numbers or an address gives these; text is
 * for what a person has written: FILE:LINE, FILE:LINE:COLUMN, LINE (in the file
 * of the present frame), TYPE.METHOD, NAMESPACE.TYPE.METHOD(TYPES), *ADDRESS,
 * and with MODULE! in front all of these but the last (a '!' in a path, with a
 * slash before or right behind it, is the path's own).
 */
struct dbg_place {
	enum dbg_place_kind kind;
	const char *text;   /* TEXT; of others how they are shown, NULL: made */
	const char *file;   /* LINE: bare name, tail of a path or full path */
	uint32_t line;      /* LINE */
	uint32_t column;    /* LINE: 0: the whole line */
	const char *module; /* LINE, FUNCTION: only there; NULL: anywhere */
	const char *function, *params; /* FUNCTION; params NULL: any overload */
	uint64_t addr;                 /* ADDRESS */
};

/*
 * Exceptions: names of types with commas or blanks between, whole or the last
 * parts, and those that derive from them; "!" in front: all but these; NULL:
 * all.
 */
struct dbg_catch {
	bool exact; /* derived types do not count */
	/* thrown (CAUGHT: caught) by code of this module, NULL: any */
	const char *module;
	const char *message; /* pcre2 that the message matches, NULL: any */
	bool again;          /* stops though another has for the same throw */
};

struct dbg_break_req {
	enum dbg_break_kind kind;
	struct dbg_place place; /* LOCATION */
	const char *text;       /* pattern, types or expression; NULL: all */
	dbg_id frame;           /* for a bare LINE, WATCH; 0: newest frame */
	bool temporary;
	uint32_t
	    number; /* of one that was deleted, which it stands for; or 0 */
	uint32_t thread; /* LOCATION: hits of this one alone count; 0: all */
	struct dbg_catch catches; /* exceptions */
	enum dbg_watch access;    /* WATCH */
	bool located; /* WATCH: stay with the place that text leads to now */
	bool object; /* WATCH: as located if that is in an object on the heap */
	bool quiet; /* WATCH: its end is told by a message, and stops nothing */
	/*
	 * hit condition: "3", ">=3", ">3", "<=3", "<3", "%3"; NULL: every hit
	 * stops
	 */
	const char *hits;
	/*
	 * Say this instead of stopping, values for {EXPR}; NULL: stop. An EXPR
	 * that fails, or is not well-formed, says why in its place.
	 */
	const char *log;
};

enum dbg_break_state {
	DBG_BREAK_PENDING, /* no code yet: reason says why */
	DBG_BREAK_BOUND,
};

struct dbg_location {
	uint64_t addr;        /* 0: none, as @compiled says why */
	bool compiled;        /* the method has code */
	const char *function; /* C# name with parameter types, NULL: none */
	const char *name;     /* without; NULL: none */
	const char *file;     /* NULL: no symbols */
	uint32_t line;
	uint32_t column; /* 0: the whole line is meant */
	const char *module;
	uint32_t token;     /* methodDef, 0: none */
	uint32_t il_offset; /* in it */
	bool replaced;      /* by an edit (hot reload), but it still runs */
};

struct dbg_breakpoint {
	uint32_t number;
	enum dbg_break_kind kind;
	enum dbg_break_state state;
	bool enabled;
	bool temporary;
	uint32_t stops;        /* it is disabled after that many; 0: never */
	uint32_t thread;       /* as in the request */
	enum dbg_watch access; /* WATCH */
	uint64_t hits;
	uint64_t ignore;        /* this many more hits do not stop */
	struct dbg_place place; /* LOCATION; not of the kind TEXT */
	const char *text;       /* as the user wrote it, or a place in words */
	const char *condition;  /* NULL: none */
	const char *reason;     /* pending, moved: in words; else NULL */
	const char *fault;      /* why the condition cannot be asked, or NULL */
	struct dbg_catch catches;
	const char *hit_rule, *log; /* as in the request, NULL: none */
	struct dbg_location *locations;
	size_t n_locations;
	uint32_t
	    inferior; /* whose they are, if the session's has none; else 0 */
};

/* Works with and without a program; one that cannot bind yet is pending. */
DBG_MUST struct dbg_error *dbg_break_add(struct dbg *dbg,
					 const struct dbg_break_req *req,
					 uint32_t *ret_number);
/*
 * Delete, enable or disable a breakpoint, watchpoint or catchpoint.
 * DBG_E_NOT_FOUND: there is no such number.
 */
DBG_MUST struct dbg_error *dbg_break_delete(struct dbg *dbg, uint32_t number);
DBG_MUST struct dbg_error *dbg_break_enable(struct dbg *dbg, uint32_t number,
					    bool enabled);
/* Enable it for so many stops, the last of which disables it. */
DBG_MUST struct dbg_error *dbg_break_stops(struct dbg *dbg, uint32_t number,
					   uint32_t stops);
/* Enable it for one stop, which deletes it. */
DBG_MUST struct dbg_error *dbg_break_last(struct dbg *dbg, uint32_t number);
/* Ignore the next @count hits. */
DBG_MUST struct dbg_error *dbg_break_ignore(struct dbg *dbg, uint32_t number,
					    uint64_t count);
/*
 * Set an expression that must be true; NULL or blanks remove it. One that
 * fails stops at each hit, and a message says why; one that does not compile
 * stops once, and the breakpoint's @fault counts the hits that did not.
 */
DBG_MUST struct dbg_error *dbg_break_condition(struct dbg *dbg, uint32_t number,
					       const char *expr);
/*
 * Fail if @expr is not a well-formed condition. NULL and blanks are
 * well-formed.
 */
DBG_MUST struct dbg_error *dbg_check_condition(const char *expr);
/*
 * Fail if the braces of @log are not paired or an expression in them is
 * malformed.
 */
DBG_MUST struct dbg_error *dbg_check_log(const char *log);
/* Fail if @rule is no hit condition as dbg_break_req.hits takes it. */
DBG_MUST struct dbg_error *dbg_check_hits(const char *rule);

/* Describe one breakpoint or all, by number. */
DBG_MUST struct dbg_error *dbg_break_get(struct dbg *dbg, uint32_t number,
					 struct arena *arena,
					 struct dbg_breakpoint *ret);
DBG_MUST struct dbg_error *dbg_break_list(struct dbg *dbg, struct arena *arena,
					  struct dbg_breakpoint **ret,
					  size_t *ret_n);

#endif
