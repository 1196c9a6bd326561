/* Named children, walked: counted, or some of them collected. */
#ifndef VIEW_NAMED_H
#define VIEW_NAMED_H

#include "view/view.h"

struct walk {
	const struct view *w;
	const struct node *parent;
	const struct value *seen; /* the parent, or what a member of it is */
	struct type *declared;    /* static type of the parent's place */
	bool bare;          /* it has no fields: properties are its members */
	unsigned int depth; /* members whose children are in their place */
	uint64_t first, count; /* of those that are wanted */
	uint64_t n;            /* seen so far */
	struct node *nodes;    /* NULL: only count */
	size_t n_nodes;
};

/*
 * Walk the named children of k->parent; @seen: what it is seen as, unless it
 * is a group of statics.
 */
void named_each(struct walk *k, const struct value *seen);
/* @path, so that `.x` behind it binds to the whole of it; NULL stays NULL. */
const char *named_primary(const struct view *w, const char *path);

#endif
