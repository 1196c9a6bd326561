/* Stacks as a tree: see stacktree.h. */
#include "sample/stacktree.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

enum {
	NODES_MAX = 4 << 20,
};

void stack_tree_init(struct stack_tree *t)
{
	*t = (struct stack_tree){.arena = arena_create()};
	mem_grow(&t->nodes, &t->cap_nodes, 0, sizeof(*t->nodes));
	t->nodes[t->n_nodes++] = (struct dbg_sample_node){0};
	stack_tree_frame(
	    t, &(struct dbg_sample_frame){
		   .name = "", .module = "", .kind = DBG_SAMPLE_STATE});
}

void stack_tree_deinit(struct stack_tree *t)
{
	map_deinit(&t->by_name);
	map_deinit(&t->by_place);
	free(t->frames);
	free(t->nodes);
	arena_destroy(t->arena);
}

// Store an index in a map, as a pointer that is not NULL.
static void *index_put(size_t i)
{
	return (void *)(uintptr_t)(i + 1);
}

static uint32_t index_get(const void *p)
{
	return (uint32_t)((uintptr_t)p - 1);
}

uint32_t stack_tree_frame(struct stack_tree *t,
			  const struct dbg_sample_frame *frame)
{
	uint64_t hash = str_hash(frame->name, strlen(frame->name)) ^
			str_hash(frame->module, strlen(frame->module)) * 31 ^
			(uint64_t)frame->kind << 1 ^ (uint64_t)frame->own;
	void *known = map_find(&t->by_name, hash);

	if (known)
		return index_get(known);
	mem_grow(&t->frames, &t->cap_frames, t->n_frames, sizeof(*t->frames));
	struct dbg_sample_frame *made = &t->frames[t->n_frames];

	*made = *frame;
	made->name = arena_strdup(t->arena, frame->name);
	made->module = arena_strdup(t->arena, frame->module);
	map_put(&t->by_name, hash, index_put(t->n_frames));
	return (uint32_t)t->n_frames++;
}

uint32_t stack_tree_node(struct stack_tree *t, uint32_t parent, uint32_t frame,
			 uint32_t thread)
{
	uint64_t key = (uint64_t)parent << 32 | frame;
	void *known = map_find(&t->by_place, key);

	if (known)
		return index_get(known);
	if (t->n_nodes >= NODES_MAX)
		return parent;
	mem_grow(&t->nodes, &t->cap_nodes, t->n_nodes, sizeof(*t->nodes));
	t->nodes[t->n_nodes] = (struct dbg_sample_node){
	    .parent = parent, .frame = frame, .thread = thread};
	map_put(&t->by_place, key, index_put(t->n_nodes));
	return (uint32_t)t->n_nodes++;
}
