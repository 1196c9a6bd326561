/* Expressions for which the program makes calls, and waiting for these. */
#ifndef MI_EVALUATE_H
#define MI_EVALUATE_H

#include <stdbool.h>

#include "dbg.h"

struct mi;

/* Evaluate or assign, with calls in the program; waits for the end. */
DBG_MUST struct dbg_error *mi_evaluate(struct mi *m,
				       const struct dbg_eval_request *req,
				       struct dbg_value *ret);
/*
 * Wait for the client, the engine, the program's output or a signal, and serve
 * them, but for lines of the client, which are read alone. Was it SIGINT?
 * (mi.c)
 */
bool mi_serve(struct mi *m);

#endif
