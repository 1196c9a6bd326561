/*
 * What a blocked thread waits for: by the system call that it is in, and by the
 * methods that have led there.
 */
#ifndef SAMPLE_WAITING_H
#define SAMPLE_WAITING_H

#include "dbg.h"
#include "sample/threadlook.h"

struct target;

/*
 * In brackets: "[lock]", "[event]", "[task]", "[sleep]", "[socket]", "[pipe]",
 * "[terminal]", "[file]", "[process]", "[thread]" (its end), "[idle]": a thread
 * of the runtime's without work, "[disk]", "[other]". @frames: from the
 * innermost on.
 */
const char *waiting_for(struct target *t, const struct blocked_call *call,
			const struct dbg_sample_frame *const *frames,
			size_t n_frames);

#endif
