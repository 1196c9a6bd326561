/*
 * What is carried out where the DAC is, as if it were a method of the DAC's:
 * several calls that are made together, since another process is asked for each
 * of them otherwise, and what uses the DAC's own memory. It works on the DAC's
 * objects themselves and fails as methods do.
 */
#ifndef DAC_COMPOUND_H
#define DAC_COMPOUND_H

#include "dac/com.h"
#include "dac/dac.h"
#include "dac/gcslots.h"
#include "dac/slots.h"

/* What the DAC tells of a type. What it does not tell is 0. */
struct sos_type_all {
	struct sos_type type;
	struct sos_type_fields fields;
	struct sos_collectible collectible;
};

/* Of ISOSDacInterface; @sos6: ISOSDacInterface6 or NULL. */
int32_t compound_type(void *sos, uint64_t mt, void *sos6,
		      struct sos_type_all *ret);

enum {
	OBJECT_WORDS = 8
};

/* The words that an object begins with, as far as it has been allocated. */
struct object_words {
	uint64_t v[OBJECT_WORDS];
};

int32_t compound_words(void *object, struct object_words *ret);
int32_t compound_put_word(void *object, uint64_t at, uint64_t word);

/* What the DAC tells of a variable of a frame. */
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

/*
 * Of IXCLRDataFrame. *ret_type: its IXCLRDataTypeInstance if it is_value and
 * has one.
 */
int32_t compound_var(void *frame, uint32_t is_arg, uint32_t index,
		     struct xclr_var *ret, void **ret_type, uint32_t n_name,
		     uint16_t *name);

/*
 * Of IXCLRDataProcess: the IL map of the code that begins at @start, if that is
 * its method's current code (S_FALSE if it is not, or there is none). Of
 * *ret_n entries the first @n are copied.
 */
int32_t compound_il_map(void *process, uint64_t start, uint32_t n,
			struct xclr_il_map *ret, uint32_t *ret_n);

/* An item of a stack walk. */
struct walk_item {
	uint32_t managed;       /* not bool: as in xclr_var */
	uint64_t frame_addr;    /* else: a Frame of the runtime, or 0 */
	struct dac_frame frame; /* its registers alone */
};

/*
 * Of IXCLRDataStackWalk: the item that it is at, or behind it if @on, and up to
 * @n - 1 that follow. *ret_n is less if the walk ends there.
 */
int32_t compound_walk(void *walk, uint32_t on, uint32_t n,
		      struct walk_item *ret, uint32_t *ret_n);

enum {
	LOADER_HEAPS_MAX = 64
};

struct loader_heap_name {
	char text[64]; /* "": none */
};

/* Of ISOSDacInterface13. */
int32_t compound_heap_names(void *sos13, int32_t n,
			    struct loader_heap_name *ret, int32_t *ret_n);

struct loader_block {
	uint64_t start, size;
};

/* Likewise; *ret_n of the heap's blocks, as far as there is room for them. */
int32_t compound_heap_blocks(void *sos13, uint64_t heap, uint32_t kind,
			     uint32_t n, struct loader_block *ret,
			     uint32_t *ret_n);

#endif
