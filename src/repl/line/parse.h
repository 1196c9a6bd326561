/* Parsers of the arguments that commands share. All are told no state. */
#ifndef REPL_PARSE_H
#define REPL_PARSE_H

#include <stdbool.h>
#include <stdint.h>

#include "dbg.h"

/* Parse all of @s as a number, decimal or 0x...; false if it is none. */
bool parse_u64(const char *s, uint64_t *ret);

/* Parse a decimal count from 1 on; an empty @s gives @fallback. */
DBG_MUST struct dbg_error *parse_count(const char *s, uint64_t fallback,
				       uint64_t *ret);

/* NFU of print/FMT, x/FMT, display/FMT. */
struct parse_format {
	uint64_t count; /* 1 if not given */
	char letter;    /* x d u o t a c f s i z, 0: not given */
	char size;      /* b h w g, 0: not given */
};

DBG_MUST struct dbg_error *parse_format(const char *s,
					struct parse_format *ret);

/*
 * Take the next number or range A-B from *@p, stepping behind it and the
 * blanks or commas that follow; false at the end of the list.
 */
DBG_MUST struct dbg_error *parse_range(const char **p, uint64_t *ret_first,
				       uint64_t *ret_last, bool *ret_any);

/*
 * Take the number of a breakpoint in front of *@p, stepping to what follows.
 */
DBG_MUST struct dbg_error *parse_number(const char **p, uint32_t *ret);
/* Move over `$bpnum`, the breakpoint made last; false: it is not that. */
bool parse_bpnum(const char **p);

enum parse_list_kind {
	PARSE_LIST_NEXT,   /* nothing: go on */
	PARSE_LIST_BACK,   /* - */
	PARSE_LIST_CENTER, /* one place, shown in the middle */
	PARSE_LIST_FROM,   /* A, */
	PARSE_LIST_TO,     /* ,B */
	PARSE_LIST_RANGE,  /* A,B */
};

/* A place in the sources: FILE:LINE, LINE or something for dbg_locate. */
struct parse_place {
	char *file;    /* NULL: the present one, or see name */
	char *name;    /* a method's, or NULL */
	uint64_t line; /* 0 with a name */
};

struct parse_list {
	enum parse_list_kind kind;
	struct parse_place first, last;
};

void parse_list_deinit(struct parse_list *list);
DBG_MUST struct dbg_error *parse_list(const char *s, struct parse_list *ret);
void parse_place_deinit(struct parse_place *place);
DBG_MUST struct dbg_error *parse_place(const char *s, size_t n,
				       struct parse_place *ret);

/*
 * The "if" between a location and its condition, outside quotes and brackets;
 * NULL if there is none.
 */
const char *parse_if(const char *s);

/* "[--wait] PID|NAME"; the name is borrowed from @args. */
DBG_MUST struct dbg_error *parse_attach(const char *args,
					struct dbg_attach *ret);

#endif
