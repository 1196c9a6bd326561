/* The objects that a frame refers to, as the collector is told of them. */
#ifndef INSPECT_FRAMEREFS_H
#define INSPECT_FRAMEREFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dac/gcheap.h"

struct dbg_thread;
struct frame;
struct inspect;

/* The references that a thread's frames hold; read when first asked for. */
struct frame_refs {
	struct inspect *in;
	const struct dbg_thread *thread;
	bool read;
	struct gc_stack_ref *v;
	size_t n;
};

void frame_refs_read(struct frame_refs *refs);
/* The object of @type (NULL: a task) that number @i refers to; 0: none. */
uint64_t frame_refs_at(const struct frame_refs *refs, size_t i,
		       const char *type);
/* The object of @type (NULL: a task) in a frame's variables; 0: none. */
uint64_t frame_refs_find(struct frame_refs *refs, const struct frame *f,
			 const char *type);

/* An object in a frame's variables, whatever it is; 0: none. */
uint64_t frame_refs_any(struct frame_refs *refs, const struct frame *f);

/*
 * A WaitHandle in a frame's variables, of whatever class; @type with "[]": an
 * array of such; 0: none.
 */
uint64_t frame_refs_handle(struct frame_refs *refs, const struct frame *f,
			   const char *type);
/* An object of a type whose name begins so: an instance of a generic one. */
uint64_t frame_refs_generic(struct frame_refs *refs, const struct frame *f,
			    const char *name);

/* "Ns.Type.Method" of a managed frame, else "". */
const char *frame_method(struct inspect *in, const struct frame *f);

#endif
