/*
 * The channel between a process and the child that has the DAC for it: shared
 * memory in which a call lies with all that its arguments point to, and a
 * socket by which one wakes the other or learns that it is dead.
 *
 * Exactly one of the two has its turn. The memory was mapped before the fork
 * and is at the same address in both, as is all code: so addresses in it, and
 * of functions, are valid in both. What the DAC's process writes is not to be
 * trusted: it is copied, then judged.
 */
#ifndef DAC_CHANNEL_H
#define DAC_CHANNEL_H

#include <stdalign.h>
#include <stdatomic.h>

#include "dac/dac_priv.h"

enum channel_side {
	CHANNEL_ASKS,
	CHANNEL_ANSWERS,
};

enum {
	CHANNEL_RELEASES = 32,
	CHANNEL_TEXT = 1024,     /* of an error */
	CHANNEL_DATA = 16 << 20, /* only what is used takes memory */
};

/* Why the DAC's process has ended itself. */
enum channel_over {
	CHANNEL_NOT_OVER,
	CHANNEL_OVER_TIME,
	CHANNEL_OVER_MEMORY,
};

struct channel {
	_Atomic uint32_t turn;      /* enum channel_side */
	_Atomic uint32_t sleeps[2]; /* by side: wants to be woken */

	/* the call, written by the side that asks */
	uint32_t method;    /* enum dac_method_id */
	uint32_t ticks_max; /* see serve.c */
	uint64_t object;
	uint64_t args[DAC_MAX_ARGS];
	uint32_t n_releases;
	uint64_t releases[CHANNEL_RELEASES]; /* objects, before the call */
	struct data_settings settings;
	uint32_t has_log;

	/* The answer. */
	int32_t hr;
	uint32_t has_error; /* the DAC cannot be loaded: text in @data */
	uint32_t over;      /* enum channel_over */

	struct read_log log; /* of both, if has_log */
	alignas(16) uint8_t data[CHANNEL_DATA];
};

/* The channel as one side sees it. */
struct channel_end {
	struct channel *channel;
	int socket;
	enum channel_side side;
	unsigned int in_vain, n; /* see channel.c */
};

/* Memory for both; NULL: there is none to be had. */
struct channel *channel_create(void);
void channel_destroy(struct channel *c);
/* The other side's turn. */
void channel_give(const struct channel_end *e);

enum channel_wait {
	CHANNEL_TURN,
	CHANNEL_DEAD, /* the other side is */
	CHANNEL_LATE, /* the time has passed */
};

/* Wait for one's turn, for @timeout_ms at most (-1: without a limit). */
enum channel_wait channel_await(struct channel_end *e, int timeout_ms);
/* Is the other side alive, as far as is known? For who has the turn. */
bool channel_is_open(const struct channel_end *e);

#endif
