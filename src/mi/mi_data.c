#include "mi/mi_priv.h"
const struct mi_cmd mi_data_cmds[] = {{.name = NULL}};
