/*
 * The look of a type: how its author wants its values to be seen. Found from
 * attributes and methods when the first value of the type is shown, and kept
 * until the program runs.
 */
#ifndef VIEW_LOOK_H
#define VIEW_LOOK_H

#include "view/attribute.h"
#include "view/view.h"

/* A part of a format: "Count = " or {Count}. */
struct piece {
	const char *text; /* literal, or an expression without specifiers */
	bool is_expr;
	bool bare; /* nq, raw: strings without quotes */
	char letter;
	struct type_method *getter; /* all that the expression is; NULL */
	const struct field *field;
};

struct format {
	struct piece *pieces;
	size_t n;
	bool given;
};

/* A field or property, of the type or a base. */
struct member {
	const char *name;
	const struct field *field;  /* NULL: a property without one */
	struct type_method *getter; /* NULL: it returns the field as it is */
	struct type *owner;
	uint32_t token; /* of the property, or else of the field */
	enum browse browse;
	bool is_public; /* or protected, which counts as public */
	bool is_static;
	bool hidden; /* a nearer class has one of this name */
};

struct look {
	struct type *type;
	struct format value, name, kind; /* of DebuggerDisplay */
	struct type_method *to_string;   /* an override; NULL */
	struct type_method *proxy;       /* its constructor; NULL */
	struct type_method *count;       /* getter of Count; NULL */
	struct type_method *list;        /* List<T>(IEnumerable<T>); NULL */
	bool is_list, is_map;            /* has an indexer by index, by key */
	bool is_sequence;                /* can be enumerated */
	bool too_slow;                   /* its line is not tried again */
	bool has_members;
	struct member *members; /* fields, then properties, per class */
	size_t n_members;
};

/* NULL: nothing can be interpreted, or values are to be shown raw. */
struct look *look_get(const struct view *w, struct type *type);
/* Is the type one whose source the user has, and not a library's? */
bool look_is_users(const struct view *w, const struct type *type);
/* Members of @type and its bases, nearest first. */
void look_members(const struct view *w, struct look *look,
		  const struct member **ret, size_t *ret_n);

#endif
