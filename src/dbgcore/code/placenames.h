/* Variables in scope at a place, by its files alone. */
#ifndef CODE_PLACENAMES_H
#define CODE_PLACENAMES_H

#include "code/code.h"

/*
 * Arguments of the method at @il_offset of @token, then its variables there;
 * those of an async method or iterator are its state machine's. In @arena.
 */
void code_place_names(struct code_module *m, uint32_t token, uint32_t il_offset,
		      struct arena *arena, struct dbg_scope_name **ret,
		      size_t *ret_n);

#endif
