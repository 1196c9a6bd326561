/* A small assembly with one of everything that naming has to know. */
#ifndef TESTS_MDFIXTURE_H
#define TESTS_MDFIXTURE_H

#include "mdwriter.h"

/* Rows that tests ask about. */
struct mdfixture {
	struct mdwriter w;
	struct bytes bytes;
	uint32_t module_type, type, outer, inner, closure, generic_closure;
	uint32_t machine, overload_machine, plain, object_ref, list_ref;
	uint32_t dictionary_ref, list_spec;
	uint32_t ctor, cctor, main, accessor, indexer, operator_plus, to_int;
	uint32_t finalizer, explicit_get, swap, lambda, generic_lambda, local;
	uint32_t kickoff, move_next, finally, move_next_other;
	uint32_t overload_1, overload_2, move_next_overload, all_types;
	uint32_t count_field, list_add, swap_string, hello;
	uint32_t vararg_sig, write_line;
};

void mdfixture_init(struct mdfixture *f);
void mdfixture_deinit(struct mdfixture *f);

#endif
