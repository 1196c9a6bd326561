/*
 * How a value is shown to a user: one line of text, children, paths.
 *
 * A node is a value with a name and, where there is one, the expression that
 * leads to it; or a group ("static members"). The text is C# as far as
 * possible; limits keep it to one line whatever the program holds.
 */
#ifndef VIEW_VIEW_H
#define VIEW_VIEW_H

#include "base/str.h"
#include "eval/eval.h"
#include "value/value.h"
#include "view/form.h"

struct view_cache;

struct view {
	struct values *values;
	struct arena *arena;       /* of the stop: names, texts, paths */
	struct thread_ref *thread; /* whose thread statics are shown */
	uint32_t elements;         /* characters of a string shown */
	bool editor;               /* as editors show values, see show.c */
	bool properties;           /* properties are shown as members */
	bool delegate_types;      /* delegates by type, not by what they call */
	bool exception_types;     /* exceptions by type, without a message */
	struct vm *vm;            /* to interpret displays in; NULL: none */
	struct view_cache *cache; /* goes with vm */
	bool raw;                 /* fields, whatever the type's author says */
	char letter;              /* of numbers, as in struct form */
	unsigned int display;     /* displays that this is a part of */
};

enum node_kind {
	NODE_VALUE,
	NODE_STATICS, /* static members of type @group */
	NODE_OTHERS,  /* members of the value that are apart: not public */
	NODE_OTHER_STATICS, /* static members that are not public */
	NODE_RAW,           /* its own members, where a proxy stands for it */
	NODE_RESULTS,       /* what enumerating it yields, as elements */
};

struct node {
	enum node_kind kind;
	struct value value;
	struct type *group;
	const char *name;
	const char *path; /* NULL: none */
	bool is_static;
	bool keyed; /* an element that its own type has named */
	struct form form;
	const char *why; /* it has no value, or threw it: shown instead */
	bool needs_call; /* ... because its getter cannot be interpreted */
	struct thread_ref *thread; /* of the view; for what is below */
};

/*
 * Make the cache of what views find out. It is valid while the program does not
 * run, and must be cleared before the view's arena and the interpreter's
 * objects go.
 */
struct view_cache *view_cache_create(void);
void view_cache_destroy(struct view_cache *cache);
void view_cache_clear(struct view_cache *cache);

/*
 * The string, or null, that Message of the settled exception is, interpreted:
 * what is shown of an exception is what the program would show. Absent: it
 * cannot be told. *ret_own: its class has a Message of its own; else null
 * stands for Exception's "Exception of type 'X' was thrown.".
 */
struct value view_exception_message(const struct view *w,
				    const struct value *seen, bool *ret_own);
/* Append the one line of a value. */
void view_text(const struct view *w, const struct value *v, struct str *out);
/* Fill in the API's description of a node, all but its id. */
void view_describe(const struct view *w, const struct node *node,
		   struct dbg_value *ret);
/*
 * At the prompt, show what an iterator yields in place of its fields (iterators
 * of the library or compiler-made): sets the form of @node, if that can be
 * done.
 */
void view_enumerate(const struct view *w, struct node *node);
/* Get children of @node of one kind, at most @count from number @first on. */
void view_children(const struct view *w, const struct node *node,
		   enum dbg_children kind, uint64_t first, uint32_t count,
		   struct node **ret, size_t *ret_n);
/* Static members of @type as nodes (own, constants too). */
void view_statics(const struct view *w, struct type *type, struct node **ret,
		  size_t *ret_n);
/* Variables of a frame as nodes: arguments (this first), locals or all. */
void view_scope(const struct view *w, const struct scope *s,
		enum dbg_scope which, struct node **ret, size_t *ret_n);
/* gdb's formats x d u o t c a z, s: all of it, b: 0b101; else an error. */
DBG_MUST struct dbg_error *view_format(const struct view *w,
				       const struct value *v, char letter,
				       struct str *out);
struct view_member {
	const char *name;
	enum dbg_name_kind kind;
	const char *detail; /* its type; of a method "int Add(int, int)" */
};
typedef void view_member_fn(void *arg, const struct view_member *member);
/*
 * Call @fn for the members of a type and its bases, either instance or static
 * ones, in no particular order; one may come several times. Unless @all, only
 * the public members of classes that are not the user's own.
 */
void view_members(const struct view *w, struct type *type, bool is_static,
		  bool all, view_member_fn *fn, void *arg);
/* A C# declaration of a type: bases, fields, properties, methods. */
void view_declare(const struct view *w, struct type *type, struct str *out);

#endif
