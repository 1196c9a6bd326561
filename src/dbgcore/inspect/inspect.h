/*
 * Inspection: the program as it stands, for everything that only looks.
 *
 * Modules, code, threads, frames, scopes, values and expressions of a target
 * that does not run now. Nothing here runs the program, arms a trap or needs
 * a process: a stop of a live program and a core dump have this in common.
 * Control and the session, above, add running.
 *
 * Life: inspect_init; for each program inspect_begin, inspect_runtime once its
 * runtime is up, inspect_end; inspect_deinit. In between, inspect_stop begins
 * each stop (frame ids, value ids and everything in @arena are of one stop)
 * and inspect_go ends it. Ids alone outlive the stops in and behind a call that
 * is made for an evaluation (inspectvalue.c).
 *
 * The classes whose static constructors are at work in this stop.
 */
#ifndef INSPECT_INSPECT_H
#define INSPECT_INSPECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "code/code.h"
#include "code/module.h"
#include "code/source.h"
#include "dac/dac.h"
#include "dbg.h"
#include "eval/eval.h"
#include "eval/framecode.h"
#include "eval/returned.h"
#include "stack/stack.h"
#include "target/target.h"
#include "view/view.h"

struct arena;
struct str;

/* Scopes made in this stop, by frame. */
struct inspect_scope {
	const struct frame *frame;
	struct scope *scope;
};

/* How a value was found, and will be found again when a call has moved it. */
struct inspect_way {
	enum inspect_way_kind {
		WAY_NONE,
		WAY_EXPRESSION, /* @name, in the frame @from */
		WAY_FOLLOWED,   /* ... which is not evaluated again */
		WAY_SCOPE,      /* number @at of @which in the frame @from */
		WAY_CHILD,      /* ... of the value @from */
	} kind;
	dbg_id from;
	unsigned int which; /* enum dbg_scope; CHILD: enum dbg_children */
	uint64_t at;
	const char *name; /* of the value; SCOPE and CHILD: NULL: any */
};

/* Entries of ids handed out, as of the stop number @seen. */
struct inspect_frame_entry {
	const struct frame *frame; /* NULL: not handed out */
	struct dac_frame raw;
	uint32_t thread, level, seen;
	enum dbg_frame_kind kind;
};

struct inspect_entry {
	struct node node;
	struct inspect_way way;
	struct followed_value followed; /* WAY_FOLLOWED */
	uint32_t seen;
	uint32_t n_assigned; /* inspect.n_assigned then */
	uint32_t depth;      /* values of which it is a child */
};

/* How values are shown: the settings "print ...". */
struct inspect_style {
	uint32_t elements; /* "elements" */
	bool editor;       /* "for-editor" */
	bool properties;
	bool delegate_types;
	bool exception_types;
	bool raw; /* "raw-values" */
};

/* All class runs of a stop, in its arena. */
struct class_runs {
	const struct class_run *v;
	size_t n;
	bool found;
};

/* Large: whatever looks at a program hangs on it. */
struct inspect {
	struct target *target;    /* borrowed; NULL: no program */
	struct dac *dac;          /* owned; NULL: not opened */
	struct code *code;        /* NULL: no runtime is up */
	struct stack *stack;      /* there if target is */
	struct values *values;    /* there if code is */
	struct types *types;      /* ... */
	struct vm *vm;            /* ... */
	uint64_t vm_serial;       /* counts the machines that there were */
	struct view_cache *views; /* there if vm is */
	struct source_rules *rules;
	struct symbol_rules symbols;
	struct inspect_style style;

	/* the current stop */
	bool stopped;
	uint32_t stop_number;
	uint32_t n_assigned; /* how often something was assigned to */
	/*
	 * The program runs for an evaluation, to stand again where it stands:
	 * ids stay, what they name is found again when it is asked for.
	 */
	bool returns;
	uint32_t ids_since; /* number of the stop that the oldest ids are of */
	struct arena *ways; /* names in the ways of values */
	struct arena *arena;
	volatile int interrupted;    /* long work is to break off */
	uint64_t exception;          /* $exception: object's address, 0: none */
	struct returned returned;    /* the call that was stepped out of */
	struct value returned_value; /* of it, once it is asked for */
	/* Handed out. Those of this stop by serial behind older ones. */
	struct inspect_frame_entry *frames;
	size_t n_frames, cap_frames, n_old_frames;
	struct inspect_entry *nodes;
	size_t n_nodes, cap_nodes;
	struct inspect_scope *scopes;
	size_t n_scopes, cap_scopes;
	struct value last; /* shown by an API call; no type: none */
	struct class_runs class_runs;

	struct followed followed; /* objects that calls do not lose */
	struct history *history;  /* $1, $2, ... */
};

void inspect_init(struct inspect *in);
void inspect_deinit(struct inspect *in);

/* Begin with a program of which no runtime is known yet. @t is borrowed. */
void inspect_begin(struct inspect *in, struct target *t);
/*
 * The runtime is up and in->dac is open: read which modules are loaded.
 * @bundle: path of a single-file program, else NULL. On failure some modules
 * may be missing.
 */
DBG_MUST struct dbg_error *inspect_runtime(struct inspect *in,
					   const char *bundle);
/* Forget the runtime, which is gone (exec); the program is not. */
void inspect_runtime_gone(struct inspect *in);
/* End with the program, which is gone. */
void inspect_end(struct inspect *in);

/*
 * All threads are stopped: forget what was known of the last stop and begin
 * a new one. Does nothing in a stop that has begun.
 */
void inspect_stop(struct inspect *in);
/* End the stop: the program goes on. */
void inspect_go(struct inspect *in);

/* ---- Ids (inspectvalue.c)
 * ------------------------------------------------------ */

/*
 * Get the id of a frame of this stop, and the frame of an id; DBG_E_STALE: it
 * is of another stop.
 */
dbg_id inspect_frame_id(struct inspect *in, const struct frame *frame);
DBG_MUST struct dbg_error *inspect_frame(struct inspect *in, dbg_id id,
					 const struct frame **ret);
/* Get the node of an id; valid until the next one is handed out. */
DBG_MUST struct dbg_error *inspect_node(struct inspect *in, dbg_id id,
					const struct node **ret);
/* Is what was handed out in the stop of that number still good? */
bool inspect_knows(const struct inspect *in, uint64_t stop);
/* Make all ids stale. */
void inspect_ids_forget(struct inspect *in);

/* ---- Values and expressions (inspectvalue.c) ------------------------- */

/*
 * Make an evaluator for @frame (NULL: without variables), valid in this stop.
 */
DBG_MUST struct dbg_error *
inspect_eval(struct inspect *in, const struct frame *frame, struct eval *ret);
/*
 * Make a view, which makes text of values; @thread as in struct scope, or NULL.
 */
struct view inspect_view(const struct inspect *in, struct thread_ref *thread);
/*
 * Describe a node that was found by @way: its text, and an id if it has
 * children; strings are in @arena.
 */
struct dbg_value inspect_describe(struct inspect *in, const struct view *w,
				  const struct node *node,
				  const struct inspect_way *way);
/* A list of nodes, the first of which was found by @way. */
struct inspect_list {
	struct node *nodes;
	size_t n;
	struct inspect_way way;
};

void inspect_describe_all(struct inspect *in, const struct view *w,
			  const struct inspect_list *list,
			  struct dbg_value **ret);
/* Get the variables of @scope in the frame of @e. */
void inspect_scope_nodes(const struct view *w, const struct eval *e,
			 enum dbg_scope scope, struct node **ret,
			 size_t *ret_n);
/*
 * Begin a node with the name of an expression and the form that its specifiers
 * ask for: the text in front of them.
 */
const char *inspect_without_form(struct inspect *in, const char *expr,
				 struct node *ret);
/* The value of an expression, with the form that its specifiers ask for. */
DBG_MUST struct dbg_error *inspect_expression(struct inspect *in,
					      const struct eval *e,
					      const char *expr,
					      struct node *ret);
/*
 * After a write to a variable or memory: drop scopes and views, which may have
 * the old value.
 */
void inspect_assigned(struct inspect *in);

/* A moment in a thread. @exception is being thrown there; 0: none. */
struct inspect_at {
	uint32_t thread;
	uint64_t exception;
};

/* Is @expr true in the newest frame of @at? */
DBG_MUST struct dbg_error *inspect_condition(struct inspect *in,
					     const struct inspect_at *at,
					     const char *expr, bool *ret);
/* Does @expr mean a bool there, as far as is known without evaluating it? */
bool inspect_condition_compiles(struct inspect *in, const struct inspect_at *at,
				const char *expr);
/*
 * Compile @expr (with @truth as a condition) for the place of @at's newest
 * frame. The code belongs to the interpreter with the number in->vm_serial;
 * with another one it may only be destroyed.
 */
DBG_MUST struct dbg_error *inspect_compile(struct inspect *in,
					   const struct inspect_at *at,
					   const char *expr, bool truth,
					   struct frame_code **ret);
/*
 * Append the text of @v, a number or string, as specifiers behind @expr want it
 * (inspect_text). Asks the runtime for nothing, so others may run.
 */
void inspect_value_text(struct inspect *in, const char *expr,
			const struct value *v, struct str *out);
/* Append the text of the object at @addr, "null" for 0. */
void inspect_object_text(struct inspect *in, uint64_t addr, struct str *out);
/*
 * Read the beginning of the string in the field @name of an object, in @arena;
 * NULL: it has no such field, or that is null. A runtime must be up.
 */
const char *inspect_string_field(struct inspect *in, uint64_t object,
				 const char *name, struct arena *arena);
/*
 * Name of the AssemblyLoadContext that @module was loaded into, in @arena;
 * NULL if it has none or nothing is stopped.
 */
const char *inspect_load_context(struct inspect *in, uint64_t module,
				 struct arena *arena);

/* ---- What a breakpoint says instead of stopping (inspectvalue.c) --------- */

/*
 * Append @form with the values of {EXPR} in the newest frame of @at; {{ and
 * }} are braces. An expression that fails says why in its place.
 */
void logpoint_text(struct inspect *in, const struct inspect_at *at,
		   const char *form, struct str *ret);
/* Append @form with what @text appends for each EXPR. */
void logpoint_each(const char *form,
		   void (*text)(void *arg, const char *expr, struct str *out),
		   void *arg, struct str *ret);
/* List the expressions in braces, without specifiers, in @arena. */
const char *const *logpoint_expressions(const char *form, struct arena *arena,
					size_t *ret_n);
/* Are the braces of @form right, and the expressions well-formed? */
DBG_MUST struct dbg_error *logpoint_check(const char *form);

struct inspect;

struct class_run {
	uint64_t type; /* MethodTable */
	uint32_t thread;
};

/* Look for them on the stacks, once a stop; borrowed until the next one. */
const struct class_runs *class_runs_find(struct inspect *in);

/* ---- The owner of a Mutex that a thread waits for ------------------------ */

struct dbg_thread;

/* Who has a Mutex. */
struct mutex_owner {
	uint32_t thread; /* 0: none of this program's, or not known */
	/*
	 * Of another process, by the numbers that the program has for them:
	 * the thread, and the process; 0: none, not known.
	 */
	uint32_t outside, process;
};

/*
 * Find who owns the Mutex for which @t waits, in WaitHandle.WaitOne; @all are
 * the program's threads. False: it is no Mutex, or not known.
 */
bool mutex_owner(struct inspect *in, const struct dbg_thread *t,
		 const struct dbg_thread *all, size_t n_all,
		 struct mutex_owner *ret);

/* ---- Hot reload before the program was seen here: its record ------------- */

/*
 * Find in the program's memory the updates that its modules lack, and have the
 * modules be as of these. What was found or not is said to the user. Nothing is
 * looked at if no module lacks any.
 */
void update_record_read(struct inspect *in);

#endif
