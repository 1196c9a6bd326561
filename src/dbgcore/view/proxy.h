/*
 * The proxies of values: the object that DebuggerTypeProxy puts in the place of
 * another, and its member whose elements are shown instead of the whole object
 * (DebuggerBrowsableState.RootHidden), as in proxies of collections.
 *
 * Getters, ToString and constructors of proxies, interpreted for a view: with
 * small budgets, since what is shown is many things and one of them must not
 * hold up the others.
 */
#ifndef VIEW_PROXY_H
#define VIEW_PROXY_H

#include "il/vm.h"
#include "view/look.h"
#include "view/view.h"

struct proxy {
	struct type *type;    /* of what it stands for */
	struct value subject; /* the proxy, or the value itself */
	struct look *look;    /* of the subject; NULL: no members */
	bool is_proxy;
	const char *why;             /* there should be one, but it failed */
	const struct member *member; /* the root-hidden one; NULL: none */
	struct value root;           /* its value, settled */
	struct elements rows;        /* of root; n 0: none */
	bool has_rows;
};

/*
 * Get the proxy of the value @seen (dereferenced, not null); NULL: it has none.
 * Made once, then kept.
 */
const struct proxy *proxy_get(const struct view *w, const struct look *look,
			      const struct value *seen);
/* Is it a collection whose number of rows is certain to be its Count? */
bool proxy_is_counted(const struct look *look);
/*
 * Is the root-hidden member @m of what stands for @seen shown as its rows, or
 * would be but for an error? Found as proxy_count does.
 */
bool proxy_shows_rows(const struct view *w, const struct look *look,
		      const struct value *seen, const struct member *m);
/*
 * Get how many rows proxy_get would find, without making the proxy where Count
 * tells it; false: it would have no rows.
 */
bool proxy_count(const struct view *w, const struct look *look,
		 const struct value *seen, uint64_t *ret);

/*
 * The elements that enumerating @seen yields, as rows; NULL: it cannot be
 * enumerated.
 */
const struct proxy *proxy_results(const struct view *w, const struct look *look,
				  const struct value *seen);

/*
 * The value of a member of @self; NULL, or why it has none. *ret_refused: its
 * getter is nothing that can be interpreted.
 */
const char *member_value(const struct view *w, const struct member *m,
			 const struct value *self, struct value *ret,
			 bool *ret_refused);

struct outcome {
	struct value value; /* returned or thrown; absent: neither */
	bool thrown;
	bool spent;      /* a budget ended it */
	bool refused;    /* it is nothing that can be interpreted */
	const char *why; /* neither: a sentence */
};

/* Call @m, an instance method without parameters, on the settled @self. */
void interpret_call(const struct view *w, struct type_method *m,
		    const struct value *self, struct outcome *ret);

#endif
