/* The options that commands about the heap share. */
#ifndef REPL_HEAPOPTIONS_H
#define REPL_HEAPOPTIONS_H

#include "dbg.h"
#include "front/cli/words.h"

struct heap_options {
	struct dbg_heap_filter filter;
	bool json, stat, by_gen, all, together;
	bool stacks, completed, locals; /* of commands about tasks */
	bool methods;                   /* -md */
	bool coalesce;                  /* what they do unless told; for SOS */
	uint64_t top;                   /* 0: all */
	uint64_t depth;                 /* 0: the default */
	const char *seconds;            /* NULL: not given */
	const char *args[2];
	size_t n_args;
	struct words words; /* what the strings are in */
};

struct call;

/* Is @word an option ("--top") whose value is the next word? */
bool heap_option_has_value(const char *word);
/*
 * Parse the arguments of a command, which may have @max words besides options.
 * Options begin with one dash, as in SOS, or two; an option that the usage of
 * the command (struct repl_cmd, args) does not name is an error.
 */
DBG_MUST struct dbg_error *heap_options_parse(const struct call *call,
					      size_t max,
					      struct heap_options *ret);
/* Is there an option that chooses among objects? */
bool heap_options_choose(const struct heap_options *o);
void heap_options_deinit(struct heap_options *o);
#define _cleanup_heap_options_ __attribute__((cleanup(heap_options_deinit)))

/* "0", "1", "2", "large", "pinned", "frozen". */
const char *heap_generation_name(enum dbg_generation gen);
/* An address, hexadecimal with or without 0x in front. */
DBG_MUST struct dbg_error *heap_address(const char *text, uint64_t *ret);

#endif
