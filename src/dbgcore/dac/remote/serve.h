/* The process that has a core's DAC: what it does from its fork on. */
#ifndef DAC_SERVE_H
#define DAC_SERVE_H

#include <sys/types.h>

#include "dac/remote/channel.h"
#include "dac/remote.h"

struct serve {
	struct dac *dac; /* a copy of @parent's */
	remote_load_fn *load;
	pid_t parent;
	struct channel_end end;
};

/* Load the DAC, answer calls, and end with the other side. */
_Noreturn void serve(struct serve *s);

#endif
