/* Variables in scope at a place, by its files alone. */
#ifndef CODE_PLACENAMES_H
#define CODE_PLACENAMES_H

#include "code/code.h"

/*
 * List the arguments of the method, then its variables at @il_offset, in
 * @arena. In an async method or iterator they are fields of the state machine.
 */
void code_place_names(struct code_module *m, uint32_t token, uint32_t il_offset,
		      struct arena *arena, struct dbg_scope_name **ret,
		      size_t *ret_n);

#endif
