/*
 * Operations that are carried out in the DAC's process as if they were methods
 * of the DAC: several calls made together, which saves asking another process
 * for each, and what uses the DAC's own memory. They work on the DAC's objects
 * and fail as its methods do.
 */
#ifndef DAC_COMPOUND_H
#define DAC_COMPOUND_H

#include "dac/com.h"
#include "dac/dac.h"
#include "dac/gcslots.h"
#include "dac/slots.h"

/* The DAC's facts about a type; unknown ones are 0. */
struct sos_type_all {
	struct sos_type type;
	struct sos_type_fields fields;
	struct sos_collectible collectible;
};

enum {
	OBJECT_WORDS = 8
};

/* The words that an object begins with, as far as it has been allocated. */
struct object_words {
	uint64_t v[OBJECT_WORDS];
};

/* The DAC's facts about a variable of a frame. */
struct xclr_var {
	/* uint32_t, not bool: another process may have written anything here */
	uint32_t is_value;   /* else it is a reference, or what has no type */
	uint32_t has_place;  /* else it is nowhere */
	uint32_t has_addr;   /* else it is in a register */
	uint32_t n_bytes;    /* in a register; 0: they cannot be read */
	uint64_t addr, size; /* size: 0 if it is not told */
	uint8_t bytes[16];
	struct object_words type; /* of *ret_type */
};

/* An item of a stack walk. */
struct walk_item {
	uint32_t managed;       /* not bool: as in xclr_var */
	uint64_t frame_addr;    /* else: a Frame of the runtime, or 0 */
	struct dac_frame frame; /* its registers alone */
};

enum {
	LOADER_HEAPS_MAX = 64
};

struct loader_heap_name {
	char text[64]; /* "": none */
};

struct loader_block {
	uint64_t start, size;
};

#endif
