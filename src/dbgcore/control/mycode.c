/*
 * Just My Code: what counts as the user's own when steps choose where to
 * end. It has symbols, its module is built for debugging, and its author did
 * not mark it as something to pass. A program with no such module (a Release
 * build) would leave nothing to step in: then optimised modules with symbols
 * count too. The module in which a step begins always counts, since its user
 * stands there.
 */
#include "control/control_priv.h"

/* Is there a module with symbols that is, or is not, optimised? */
static bool any_with_symbols(struct control *c, bool optimized)
{
	size_t n;
	struct code_module *const *modules = code_modules(c->code, &n);

	for (size_t i = 0; i < n; i++)
		if (modules[i]->pdb && modules[i]->optimized == optimized)
			return true;
	return false;
}

static bool all_optimized(struct control *c)
{
	return !any_with_symbols(c, false) && any_with_symbols(c, true);
}

bool mycode_is_user(struct control *c, struct code_module *m, uint32_t token)
{
	unsigned int traits = m ? code_traits(c->code, m, token) : 0;

	if (!(traits & CODE_SOURCE) || (traits & CODE_STEP_THROUGH))
		return false;
	if (!c->rules.just_my_code)
		return true;
	if (traits & CODE_NON_USER)
		return false;
	return !m->optimized || m == c->plan.home || all_optimized(c);
}

bool mycode_is_passed(struct control *c, struct code_module *m, uint32_t token)
{
	return c->rules.over_properties &&
	       code_traits(c->code, m, token) & (CODE_ACCESSOR | CODE_OPERATOR);
}

void mycode_tell(struct control *c)
{
	if (c->told_optimized || !c->rules.just_my_code || !c->code ||
	    !all_optimized(c))
		return;
	c->told_optimized = true;
	c->ops->message(c->arg, 0,
			"no module of the program is built for "
			"debugging: optimized code with symbols "
			"counts as yours");
}
