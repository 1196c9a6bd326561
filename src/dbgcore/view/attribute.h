/*
 * Attributes of System.Diagnostics on a type: DebuggerDisplay,
 * DebuggerTypeProxy and DebuggerBrowsable, read from their values (ECMA-335
 * II.23.3). The first two are on the type, or on an assembly with the type as
 * their Target.
 */
#ifndef VIEW_ATTRIBUTE_H
#define VIEW_ATTRIBUTE_H

#include "types/types.h"
#include "view/view.h"

/* Formats of the line, the name and the type; NULL: it does not say. */
struct display_attribute {
	const char *value, *name, *type;
};

enum browse {
	BROWSE_NEVER = 0, /* the attribute's numbers */
	BROWSE_COLLAPSED = 2,
	BROWSE_ROOT_HIDDEN = 3, /* its children stand in its place */
};

#endif
