/*
 * The frame that a pc stands for: managed code by the DAC, which looks at the
 * running program, native code by the symbols of its image. What cannot be
 * read has no name, which is no error.
 */
#ifndef SAMPLE_PCNAMES_H
#define SAMPLE_PCNAMES_H

#include "sample/asyncops.h"
#include "sample/stacktree.h"

struct code;
struct dac;
struct target;

struct pc_frame {
	uint32_t frame;  /* in the tree */
	uint64_t method; /* managed: MethodDesc, else 0 */
	uint64_t start;  /* managed: of its code */
	bool osr;        /* it goes on with a call of the same method (OSR) */
	bool image;      /* native without a name: its image stands for it */
	enum async_part async; /* managed, if that is asked for */
};

struct pc_names {
	struct target *target;
	struct dac *dac; /* NULL: the runtime cannot be read */
	struct code *code;
	const struct async_ops *async; /* NULL: not asked for */
	struct stack_tree *tree;
	struct map by_pc;
	struct arena *arena; /* for one name */
	/* When the program was last read anew, and what that took in all. */
	uint64_t read, spent;
	uint64_t began,
	    tick; /* the first pcs came, and these: as of clock_ns */
	struct pc_frame doubtful; /* the last: it may have a name soon */
	bool doubted;             /* was there one? The caller sets it back */
};

void pc_names_init(struct pc_names *p, struct target *t,
		   struct stack_tree *tree);
void pc_names_deinit(struct pc_names *p);
/* The pcs that are named next were sampled before now. */
void pc_names_tick(struct pc_names *p);
/*
 * Read anew what is known of the running program; false: it is newer than the
 * pcs, or too much time went there.
 */
bool pc_names_anew(struct pc_names *p);
/*
 * @leaf: pc is where the thread stands, not a return address. The result lives
 * until the next call.
 */
const struct pc_frame *pc_name(struct pc_names *p, uint64_t pc, bool leaf);

#endif
