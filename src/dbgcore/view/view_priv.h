/* Shared inside view/. */
#ifndef VIEW_VIEW_PRIV_H
#define VIEW_VIEW_PRIV_H

#include "view/view.h"

/*
 * The value that is shown for @v: dereferenced, and the content of a Nullable
 * that has one.
 */
struct value view_seen(const struct view *w, const struct value *v);
/* As view_seen, of a settled value. */
struct value view_open(const struct view *w, const struct value *at);
/*
 * view_text of what view_seen gave. True: it says no more than the type, or
 * only what the children say.
 */
bool view_text_seen(const struct view *w, const struct value *seen,
		    struct str *out);
/* Elements of what is shown as a row: arrays, spans, buffers. */
bool view_elements(const struct view *w, const struct value *seen,
		   struct elements *ret);
/* Are the elements of a span shown as text: characters? */
bool view_is_text(const struct elements *els);
/* Text of core library structs (dates, decimal, Guid); false: no such. */
bool wellknown_text(const struct view *w, const struct value *seen,
		    struct str *out);
/* Has the type a text of its own, and so no children? */
bool wellknown_scalar(const struct type *type);

/* ---- displaytext.c ------------------------------------------------------- */

/*
 * Append the line that the author of its type makes of the settled value;
 * false: none, or its expressions cannot be evaluated.
 */
bool display_text(const struct view *w, const struct value *seen,
		  struct str *out);
/* As display_text, but for [DebuggerDisplay] alone. */
bool display_own(const struct view *w, const struct value *seen,
		 struct str *out);
/* Append the Name (for an element) or the Type that the attribute gives. */
bool display_name(const struct view *w, const struct value *seen,
		  struct str *out);
bool display_type(const struct view *w, const struct value *seen,
		  struct str *out);
/* Append a string without quotes; false: @v is none. */
bool display_bare(const struct view *w, const struct value *v, struct str *out);

/* ---- declare.c ------------------------------------------------------- */

enum view_signature_part {
	VIEW_SIGNATURE_TYPE = 1, /* that it returns */
	VIEW_SIGNATURE_NAME = 2, /* with the parameters */
	VIEW_SIGNATURE_ALL = 3,
};

/* ---- show.c -------------------------------------------------------- */

/* Is it an F# list, which is shown by its elements? */
bool fsharp_is_list(const struct type *type);
/* Is it an F# module, whose values are in a class of their own? */
bool fsharp_is_module(const struct type *type);

/*
 * Make the Message of an F# exception, which F# computes by reflection; false:
 * it is none.
 */
bool view_fsharp_message(const struct view *w, const struct value *seen,
			 struct value *ret);

#endif
