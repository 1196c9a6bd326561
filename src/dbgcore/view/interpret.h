/*
 * Getters, ToString and constructors of proxies, interpreted for a view: with
 * small budgets, since what is shown is many things and one of them must not
 * hold up the others.
 */
#ifndef VIEW_INTERPRET_H
#define VIEW_INTERPRET_H

#include "il/vm.h"
#include "view/view.h"

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
/* Call @m, static, without parameters. */
void interpret_static(const struct view *w, struct type_method *m,
		      struct outcome *ret);
/*
 * A new object of the class of @constructor, given the settled @arg. What is
 * asked for alone may take longer than one of many.
 */
void interpret_new(const struct view *w, struct type_method *constructor,
		   const struct value *arg, struct outcome *ret);

#endif
