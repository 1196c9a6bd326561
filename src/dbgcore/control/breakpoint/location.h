/* Places as they are asked for. */
#ifndef CONTROL_LOCATION_H
#define CONTROL_LOCATION_H

#include "dbg.h"

struct arena;

/*
 * Copy @place to @arena; what a person wrote is parsed, so *ret is of another
 * kind than DBG_PLACE_TEXT and has a text. @path is the file of a bare line
 * number, NULL if there is none.
 */
DBG_MUST struct dbg_error *location_take(const struct dbg_place *place,
					 const char *path, struct arena *arena,
					 struct dbg_place *ret);

#endif
