/*
 * Just My Code: what counts as the user's own when steps choose where to
 * end. It has symbols, its module is built for debugging, and its author did
 * not mark it as something to pass. A program with no such module (a Release
 * build) would leave nothing to step in: then optimised modules with symbols
 * count too, of which the source is here if there are such. The module in which
 * a step begins always counts, since its user stands there.
 */
#include "control/control_priv.h"
#include "control/step/mycode.h"

bool mycode_is_user(struct control *c, struct code_module *m, uint32_t token)
{
	unsigned int traits = m ? code_traits(c->code, m, token) : 0;

	if (c->rules.just_my_code)
		return m && code_is_user(c->code, m, token, c->plan.home);
	return (traits & CODE_SOURCE) && !(traits & CODE_STEP_THROUGH);
}

bool mycode_is_passed(struct control *c, struct code_module *m, uint32_t token)
{
	const unsigned int traits = CODE_ACCESSOR | CODE_OPERATOR;

	if (c->rules.over_properties && code_traits(c->code, m, token) & traits)
		return true;
	return skip_matches(c, m, token);
}

bool mycode_is_skipped(struct control *c, struct code_module *m, uint32_t token)
{
	unsigned int marks = CODE_HIDDEN;

	if (c->rules.just_my_code)
		marks |= CODE_STEP_THROUGH | CODE_NON_USER;
	return m && code_traits(c->code, m, token) & marks;
}

void mycode_tell(struct control *c)
{
	if (c->told_optimized || !c->rules.just_my_code || !c->code ||
	    !code_all_optimized(c->code))
		return;
	c->told_optimized = true;
	c->ops->message(c->arg, 0,
			"no module of the program is built for "
			"debugging: optimized code with symbols "
			"counts as yours");
}
