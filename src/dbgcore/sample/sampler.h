/*
 * Where the threads of a running program spend their time, by samples of
 * running threads (perfevents.h) and looks at blocked ones (threadlook.h).
 *
 * How long each thread has run, waited for a processor and been blocked is
 * known exactly from the kernel's own count. Samples and looks only divide
 * these times: the running time is spread over the stacks of the thread's
 * samples, the blocked time over the stacks that were found by looks.
 */
#ifndef SAMPLE_SAMPLER_H
#define SAMPLE_SAMPLER_H

#include "dbg.h"
#include "sample/asyncops.h"

struct code;
struct dac;
struct target;

/* The program that is sampled; @dac and @code may be NULL. */
struct sampled_program {
	struct target *target;
	struct dac *dac;
	struct code *code;
	const struct async_ops *async; /* NULL: stacks as they are */
};

struct sampler;

/* Begin with the events; fails as perf_events_open() only when it must. */
DBG_MUST struct dbg_error *sampler_create(pid_t pid,
					  const struct dbg_sample_request *req,
					  struct sampler **ret);
/*
 * The program @p can be read from now on, as the samples' frames need it;
 * samples that came before are not lost.
 */
void sampler_begin(struct sampler *s, const struct sampled_program *p);
void sampler_destroy(struct sampler *s);
int sampler_fd(const struct sampler *s);
void sampler_tick(struct sampler *s, bool *ret_ended);
uint64_t sampler_samples(const struct sampler *s);
const struct dbg_profile *sampler_stop(struct sampler *s);

#endif
