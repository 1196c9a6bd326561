/*
 * Numbers that stand for the engine's ids towards a client, since the
 * protocol's are at most 2^31 - 1. They die with the stop and are never given
 * again, so a stale one is told from a wrong one.
 */
#ifndef DAP_HANDLE_H
#define DAP_HANDLE_H

#include <stddef.h>
#include <stdint.h>

#include "dbg.h"

enum handle_kind {
	HANDLE_FRAME,
	HANDLE_SCOPE, /* aux: enum dbg_scope */
	HANDLE_REGISTERS,
	HANDLE_VALUE,
	HANDLE_GOTO, /* id: an address */
	HANDLE_CODE, /* id: of a value that leads to a method */
	HANDLE_LAZY, /* aux: in dap.lazy */
};

struct handle {
	enum handle_kind kind;
	dbg_id id;    /* of the frame, or of the value */
	uint32_t aux; /* FRAME: its level; VALUE: elements that come first */
	dbg_id frame; /* of a value's expression; FRAME: its thread */
};

struct handles {
	struct handle *v;
	size_t n, cap;
	uint32_t first; /* the number of v[0] is first + 1 */
	dbg_id newest;  /* the greatest id in v */
};

void handles_deinit(struct handles *h);
/* A new stop: all numbers are stale. */
void handles_reset(struct handles *h);
/* The number for @handle; 0 if there are too many. */
uint32_t handles_add(struct handles *h, const struct handle *handle);
/* @what names the thing in the error. */
DBG_MUST struct dbg_error *handles_find(const struct handles *h,
					uint32_t number, const char *what,
					struct handle *ret);

#endif
