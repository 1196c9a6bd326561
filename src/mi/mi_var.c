#include "mi/mi_priv.h"
void mi_vars_deinit(struct mi *m)
{
	(void)m;
}
const struct mi_cmd mi_var_cmds[] = {{.name = NULL}};
