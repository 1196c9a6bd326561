/*
 * The format in which EventPipe sends: "nettrace", version 4, of .NET 5 to 11.
 * Facts: microsoft/perfview, src/TraceEvent/EventPipe/NetTraceFormat_v5.md.
 *
 * A stream of objects, each a block: of descriptions of events, of stacks, of
 * events, of sequence points. Events of one thread are in order, events of
 * different threads are not. An event marked as sorted is older than all that
 * follow, so everything older than it can be passed on (ep-buffer-manager.c,
 * write_all_buffers_to_file_v4); other events are kept until such a one comes.
 *
 * Everything is hostile: the program may write to its end of the socket what it
 * likes.
 */
#ifndef EVENTPIPE_NETTRACE_H
#define EVENTPIPE_NETTRACE_H

#include "dbg/eventpipe.h"

struct arena;
struct nettrace;
struct reader;

/* @fn gets the events. @early gets each as soon as it is read, if not NULL. */
struct nettrace *nettrace_create(dbg_trace_fn *fn, dbg_trace_fn *early,
				 void *arg);
void nettrace_destroy(struct nettrace *nt);
/* Bytes that have come. DBG_E_FORMAT: nothing more can be made of them. */
DBG_MUST struct dbg_error *nettrace_feed(struct nettrace *nt, const void *p,
					 size_t n);
/* The stream has ended: report the events that were kept back. */
void nettrace_finish(struct nettrace *nt);
/* Has the stream said that it ends? */
bool nettrace_ended(const struct nettrace *nt);
/* Events that are missing by their numbers. */
uint64_t nettrace_lost(const struct nettrace *nt);

/*
 * The UTF-16 text at @r, which ends by a 0 or with the data, as UTF-8 in
 * @arena; of a longer one the first @max units. Descriptions and payloads have
 * such.
 */
const char *nettrace_text(struct reader *r, size_t max, struct arena *arena);

#endif
