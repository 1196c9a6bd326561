/*
 * What the attributes of System.Diagnostics say of a type: DebuggerDisplay,
 * DebuggerTypeProxy and DebuggerBrowsable, read from their values (ECMA-335
 * II.23.3). The first two stand at the type, or at an assembly with the type
 * as their Target.
 */
#ifndef VIEW_ATTRIBUTE_H
#define VIEW_ATTRIBUTE_H

#include "types/types.h"
#include "view/view.h"

/* Formats of the line, the name and the type; NULL: it does not say. */
struct display_attribute {
	const char *value, *name, *type;
};

/* DebuggerDisplay of @type itself (not of its bases); false: it has none. */
bool attribute_display(const struct view *w, const struct type *type,
		       struct display_attribute *ret);
/*
 * The metadata name of the type that DebuggerTypeProxy of @type itself names,
 * and the module to look for it first; NULL: it has none.
 */
const char *attribute_proxy(const struct view *w, const struct type *type,
			    struct code_module **ret);

enum browse {
	BROWSE_NEVER = 0, /* the attribute's numbers */
	BROWSE_COLLAPSED = 2,
	BROWSE_ROOT_HIDDEN = 3, /* its children stand in its place */
};

/* DebuggerBrowsable of a Field or Property. */
enum browse attribute_browse(const struct code_module *m, uint32_t token);

#endif
