/*
 * Ids of frames and values. Each carries the number of the stop that it was
 * handed out in; in a later stop it is an error, unless the program has only
 * run for a call and stands again where it stood (inspect.returns). Then the
 * collector may have moved everything, so what an id names is found again when
 * it is asked for: a frame by its level, a value by the way on which it was
 * come to (an expression, its place in a scope or among the children of
 * another). What calls or assignments gave is followed instead.
 */
#include "inspect/inspect.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"

enum {
	DEPTH_MAX = 200, /* of values within values, found one in the other */
};

/* A frame's id is told from a value's by this bit of its lower half. */
#define FRAME_BIT 0x80000000u

void inspect_ids_forget(struct inspect *in)
{
	in->ids_since = in->stop_number;
	in->n_frames = in->n_old_frames = 0;
	in->n_nodes = 0;
	followed_clear(&in->followed);
	arena_reset(in->ways);
}

bool inspect_knows(const struct inspect *in, uint64_t stop)
{
	return stop >= in->ids_since && stop <= in->stop_number;
}

/* ---- Frames ---------------------------------------------------------- */

dbg_id inspect_frame_id(struct inspect *in, const struct frame *frame)
{
	size_t i = in->n_old_frames + frame->serial;

	while (in->n_frames <= i) {
		mem_grow(&in->frames, &in->cap_frames, in->n_frames,
			 sizeof(*in->frames));
		in->frames[in->n_frames++].frame = NULL;
	}
	in->frames[i] = (struct inspect_frame_entry){
	    .frame = frame,
	    .raw = frame->raw,
	    .thread = frame->thread,
	    .level = frame->level,
	    .seen = in->stop_number,
	    .kind = frame->kind,
	};
	return (dbg_id)in->stop_number << 32 | FRAME_BIT | (uint32_t)i;
}

/* Find the frame of the entry again by walking the stack anew. */
static struct dbg_error *find_frame(struct inspect *in,
				    struct inspect_frame_entry *entry)
{
	const struct frame *f = NULL;
	struct dbg_error *err =
	    stack_frame(in->stack, entry->thread, entry->level, &f);

	if (err)
		return err;
	if (!f || f->kind != entry->kind || f->raw.sp != entry->raw.sp ||
	    f->raw.method != entry->raw.method)
		return dbg_err(DBG_E_STALE,
			       "that frame has changed while a call was made: "
			       "ask for the stack again");
	entry->frame = f;
	entry->seen = in->stop_number;
	return NULL;
}

struct dbg_error *inspect_frame(struct inspect *in, dbg_id id,
				const struct frame **ret)
{
	uint32_t i = (uint32_t)id & ~FRAME_BIT;
	struct dbg_error *err = NULL;

	if (!inspect_knows(in, id >> 32) || !(id & FRAME_BIT) ||
	    i >= in->n_frames || !in->frames[i].frame)
		return dbg_err(DBG_E_STALE, "that frame is of an earlier stop");
	if (in->frames[i].seen != in->stop_number)
		err = find_frame(in, &in->frames[i]);
	if (!err)
		*ret = in->frames[i].frame;
	return err;
}

/* ---- Values ---------------------------------------------------------- */

/* An id's lower half is the node's number from 1; frames set its top bit. */
dbg_id inspect_node_id(struct inspect *in, const struct node *node,
		       const struct inspect_way *way)
{
	const struct inspect_entry *parent = NULL;

	mem_grow(&in->nodes, &in->cap_nodes, in->n_nodes, sizeof(in->nodes[0]));
	if (way->kind == WAY_CHILD)
		parent = &in->nodes[(uint32_t)way->from - 1];
	in->nodes[in->n_nodes] = (struct inspect_entry){
	    .node = *node,
	    .way = *way,
	    .seen = in->stop_number,
	    .n_assigned = in->n_assigned,
	    .depth = parent ? parent->depth + 1 : 0,
	};
	if (way->name)
		in->nodes[in->n_nodes].way.name =
		    arena_strdup(in->ways, way->name);
	if (way->kind == WAY_FOLLOWED)
		followed_take(&in->followed, in->values, &node->value,
			      &in->nodes[in->n_nodes].followed);
	in->n_nodes++;
	return (dbg_id)in->stop_number << 32 | in->n_nodes;
}

static struct dbg_error *gone(const struct inspect_way *way)
{
	return dbg_err(DBG_E_STALE,
		       "'%s' is not there any more, since a call was made",
		       way->name ? way->name : "it");
}

/* The one that the way leads to among @nodes, of which it is number @at. */
static struct dbg_error *pick(const struct inspect_way *way,
			      const struct node *nodes, size_t n, size_t at,
			      struct node *ret)
{
	if (at >= n || !nodes[at].name || !way->name ||
	    strcmp(nodes[at].name, way->name))
		return gone(way);
	*ret = nodes[at];
	return NULL;
}

/*
 * Find a value that a call or assignment has returned, and that is followed
 * since.
 */
static struct dbg_error *find_followed(struct inspect *in,
				       const struct inspect_entry *entry,
				       struct node *ret)
{
	inspect_without_form(in, entry->way.name, ret);
	if (followed_get(&in->followed, &entry->followed, &ret->value))
		return NULL;
	return dbg_err(DBG_E_STALE,
		       "a call was made since this value was seen, which may "
		       "have moved it: evaluate it again");
}

static struct dbg_error *find_in_frame(struct inspect *in,
				       const struct inspect_entry *entry,
				       struct node *ret)
{
	const struct inspect_way *way = &entry->way;
	const struct frame *f = NULL;
	struct eval e;
	struct node *nodes;
	size_t n;
	struct dbg_error *err =
	    way->from ? inspect_frame(in, way->from, &f) : NULL;

	if (!err)
		err = inspect_eval(in, f, &e);
	if (err)
		return err;
	struct view w = inspect_view(in, e.scope->thread);
	if (way->kind == WAY_SCOPE) {
		inspect_scope_nodes(&w, &e, (enum dbg_scope)way->which, &nodes,
				    &n);
		err = pick(way, nodes, n, way->at, ret);
	} else {
		err = way->kind == WAY_FOLLOWED
			  ? find_followed(in, entry, ret)
			  : inspect_expression(in, &e, way->name, ret);
		if (!err)
			view_enumerate(&w, ret);
	}
	ret->thread = w.thread;
	return err;
}

static struct dbg_error *
find_child(struct inspect *in, const struct inspect_way *way, struct node *ret)
{
	const struct node *parent = NULL;
	struct node *nodes;
	size_t n;
	struct dbg_error *err = inspect_node(in, way->from, &parent);

	if (err)
		return err;
	struct view w = inspect_view(in, parent->thread);
	view_children(&w, parent, (enum dbg_children)way->which, way->at, 1,
		      &nodes, &n);
	err = pick(way, nodes, n, 0, ret);
	ret->thread = w.thread;
	return err;
}

static struct dbg_error *find_node(struct inspect *in,
				   struct inspect_entry *entry)
{
	struct node found = {0};
	struct dbg_error *err;

	if (entry->way.kind == WAY_NONE || entry->depth > DEPTH_MAX)
		return dbg_err(DBG_E_STALE,
			       "a call was made since this value was seen, "
			       "which may have moved it: evaluate it again");
	err = entry->way.kind == WAY_CHILD ? find_child(in, &entry->way, &found)
					   : find_in_frame(in, entry, &found);
	if (err)
		return err;
	entry->node = found;
	entry->seen = in->stop_number;
	entry->n_assigned = in->n_assigned;
	return NULL;
}

/*
 * After an assignment, read the node again: it may be a copy (of an element, of
 * a getter's result) made before. It stays as it is if it is not found any
 * more.
 */
static void find_assigned(struct inspect *in, struct inspect_entry *entry)
{
	bool again = entry->way.kind == WAY_SCOPE ||
		     entry->way.kind == WAY_CHILD ||
		     entry->way.kind == WAY_EXPRESSION;

	if (again)
		dbg_error_destroy(find_node(in, entry));
	entry->n_assigned = in->n_assigned;
}

struct dbg_error *inspect_node(struct inspect *in, dbg_id id,
			       const struct node **ret)
{
	uint32_t index = (uint32_t)id;
	struct dbg_error *err = NULL;

	if (!inspect_knows(in, id >> 32))
		return dbg_err(DBG_E_STALE,
			       "the program has run since this value was seen");
	if (index == 0 || index > in->n_nodes)
		return dbg_err(DBG_E_ARGUMENT, "no value has this id");
	if (in->nodes[index - 1].seen != in->stop_number)
		err = find_node(in, &in->nodes[index - 1]);
	else if (in->nodes[index - 1].n_assigned != in->n_assigned)
		find_assigned(in, &in->nodes[index - 1]);
	if (!err)
		*ret = &in->nodes[index - 1].node;
	return err;
}
