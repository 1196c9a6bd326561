/*
 * Stacks as a tree: a node is a frame under the frames that have called it.
 * Node 0 is the root of all.
 */
#ifndef SAMPLE_STACKTREE_H
#define SAMPLE_STACKTREE_H

#include "base/map.h"
#include "base/mem.h"
#include "dbg.h"

struct stack_tree {
	struct arena *arena;
	struct dbg_sample_frame *frames;
	size_t n_frames, cap_frames;
	struct map by_name; /* of frames: by a hash of name, module, kind */
	struct dbg_sample_node *nodes;
	size_t n_nodes, cap_nodes;
	struct map by_place; /* of nodes: by parent and frame */
};

void stack_tree_init(struct stack_tree *t);
void stack_tree_deinit(struct stack_tree *t);
/*
 * The index of the frame with these texts, which are copied; added if it is
 * new.
 */
uint32_t stack_tree_frame(struct stack_tree *t,
			  const struct dbg_sample_frame *frame);
/*
 * The node of @frame under @parent, added if it is new. Returns @parent if the
 * tree is full.
 */
uint32_t stack_tree_node(struct stack_tree *t, uint32_t parent, uint32_t frame,
			 uint32_t thread);

#endif
