/*
 * Breakpoints inside control/: what the user asked for (struct bp), the places
 * in code that it was bound to, and the traps of those that have code by now.
 */
#ifndef CONTROL_BP_H
#define CONTROL_BP_H

#include "code/code.h"
#include "control/breakpoint/condition.h"
#include "control/breakpoint/hitcode.h"
#include "control/breakpoint/location.h"
#include "control/exception/throwtrap.h"
#include "dbg.h"

/* ---- Hit conditions ------------------------------------------------------ */

/* At which numbers of hits a breakpoint stops. */

enum hit_rule_kind {
	HIT_RULE_NONE, /* all */
	HIT_RULE_EQUAL,
	HIT_RULE_AT_LEAST,
	HIT_RULE_MORE,
	HIT_RULE_AT_MOST,
	HIT_RULE_LESS,
	HIT_RULE_EVERY,
};

struct hit_rule {
	enum hit_rule_kind kind;
	uint64_t count;
};

/* ---- Breakpoints --------------------------------------------------------- */

struct arena;
struct control;
struct watch;

/*
 * A place of a breakpoint, with the addresses that it has in the present code.
 */
struct bp_place {
	struct code_place place;
	uint64_t *addrs;
	size_t n_addrs, cap_addrs;
	bool compiled; /* code was seen, with an address or without */
};

enum {
	BP_UNTIL = 0x7fffffff, /* number of the one that run-to makes */
};

struct bp {
	uint32_t number;
	enum dbg_break_kind kind;
	char *text; /* NULL: every exception */
	char *condition;
	char *fault;            /* why it does not compile, as said at a stop */
	uint64_t n_faults;      /* hits since then that did not stop for it */
	struct hit_codes codes; /* of it */
	bool enabled, temporary;
	uint32_t stops;  /* it is disabled after that many; 0: never */
	uint32_t thread; /* the only one whose hits count; 0: all */
	uint64_t hits, ignore;
	struct arena *arena; /* holds the strings of the place */
	struct dbg_place place;
	struct pattern *pattern; /* of methods or modules; NULL: all */
	struct filter filter;    /* exceptions */
	struct bp_place *places;
	size_t n_places, cap_places;
	struct watch *watch; /* DBG_BREAK_WATCH */
	struct hit_rule rule;
	char *hit_text; /* as written, NULL: none */
	char *log;      /* what to say instead of stopping, NULL: stop */
	struct hit_codes log_codes; /* of its expressions */
	bool moved;                 /* bound to a later line than asked */
	bool edited; /* set by a line of a text that is yet to be applied */
	bool entry;  /* ours, at the program's Main; not listed */
};

/* Breakpoints whose sites share an address. */
struct hit_list {
	struct bp **bps;
	size_t n, cap;
};

/* bind.c */
/* Bind @bp in @m; true if it gained a place. */
bool bind_module(struct control *c, struct bp *bp, struct code_module *m);
/* Is the place one where breakpoints are not hit? */
bool bind_is_skipped(struct control *c, const struct bp *bp,
		     const struct bp_place *p);
/* Bind @bp in all modules. */
void bind_all(struct control *c, struct bp *bp);
/* Forget places of @bp (in @m, or all if NULL), lifting their sites. */
void bind_forget(struct control *c, struct bp *bp, struct code_module *m);
/* Is the place in a body of a method that hot reload has replaced since? */
bool bp_place_is_replaced(const struct bp_place *p);
/* Addresses of code, from @start on. */
struct code_range {
	uint64_t start, end;
};
/*
 * After an update of @m (hot reload): bind @bp anew. Places in replaced code
 * stay, behind the new ones, if they are in one of the @n ranges of @running.
 * True if a place came or went.
 */
bool bind_updated(struct control *c, struct bp *bp, struct code_module *m,
		  const struct code_range *running, size_t n);
/* Code of (module, token) was compiled at @ip: arm the breakpoints in it. */
void bind_code(struct control *c, struct code_module *m, uint32_t token,
	       uint64_t ip);
/* Arm or lift the sites of all places of @bp. */
void bind_arm(struct control *c, struct bp *bp);
void bind_disarm(struct control *c, struct bp *bp);
struct hit_list *bind_hits(struct control *c, uint64_t addr);

/* Set the breakpoint on the entry point of @m, if one is asked for. */
void entry_module(struct control *c, struct code_module *m);
/* Find where the program's Main begins; false: no module has one. */
bool entry_place(struct control *c, struct code_place *ret);

/* breakpoint.c */
struct bp *bp_add(struct control *c, enum dbg_break_kind kind,
		  const char *text);
/* Take everything but the place from the request. */
struct dbg_error *bp_take_rules(struct bp *bp, const struct dbg_break_req *req);
void bp_remove(struct control *c, struct bp *bp);
/* Did the user make it, not the engine (entry, run-to)? */
bool bp_is_users(const struct bp *bp);
/* ... when modules come or go? */
bool bp_is_load(const struct bp *bp);
struct bp *bp_find(struct control *c, uint32_t number);
/*
 * The thread of @ev is at the breakpoints at @addr: count the hit, or, if @ev
 * was kept back (call_keeps), take the judgement made then.
 */
struct dbg_error *bp_hit(struct control *c, const struct target_event *ev,
			 uint64_t addr, struct dbg_stop *stop, bool *ret_stops);
/*
 * Count a hit of @bp by @tid: does it stop? The condition is asked, which
 * stops all.
 */
struct dbg_error *bp_counts(struct control *c, struct bp *bp, pid_t tid,
			    bool *ret_stops);

/* An event that breakpoints of one kind may stop for. */
struct bp_event {
	enum dbg_break_kind kind;
	pid_t tid;
	bool (*is_wanted)(struct control *c, const struct bp *bp, void *arg);
	void *arg;
};

/*
 * Count it for all that want it; *ret_stops: *stop says for which one, else it
 * is emptied.
 */
struct dbg_error *bp_happened(struct control *c, const struct bp_event *ev,
			      struct dbg_stop *stop, bool *ret_stops);
/* After a stop at @bp: remove it if it is temporary. */
void bp_spent(struct control *c, struct bp *bp, struct dbg_stop *stop);
void bp_unbind_all(struct control *c);
void bp_destroy_all(struct control *c);

/* loadcatch.c: a module comes or goes; does that stop the program? */
struct load_event {
	enum dbg_break_kind kind; /* DBG_BREAK_LOAD or DBG_BREAK_UNLOAD */
	pid_t tid;
	const struct code_module *module;
};

struct dbg_error *load_catch(struct control *c, const struct load_event *ev,
			     struct dbg_stop *stop, bool *ret_stops);

/* Why @bp has no place, in @arena (breakpoint.c). */
const char *bp_why_pending(struct control *c, const struct bp *bp,
			   struct arena *arena);

#endif
