/*
 * Signals that come to dndbg and are meant for the command that it runs.
 *
 * A process of our group that only keeps what it is sent: the same signal of
 * the same sender that came to us was sent to the whole group.
 */
#ifndef REPORT_PASSED_H
#define REPORT_PASSED_H

#include <signal.h>
#include <stdbool.h>
#include <sys/signalfd.h>

#include "dbg.h"
#include "front/loop.h"

struct passed;

/* Block them from now on; what was blocked is in *@ret. */
void passed_block(sigset_t *ret);
/* Pass them on to the program of @dbg whenever @loop waits. */
DBG_MUST struct dbg_error *passed_create(struct dbg *dbg, struct loop *loop,
					 struct passed **ret);
void passed_destroy(struct passed *p);
/* Pass on what has come meanwhile, not only when the loop waits. */
void passed_now(struct passed *p);
/*
 * Pass on those that have come meanwhile; was the command asked to end more
 * than once since passed_calm()?
 */
bool passed_hurries(struct passed *p);
void passed_calm(struct passed *p);
/* Was the command to stop by Ctrl-Z, since this was asked for? */
bool passed_suspends(struct passed *p);
/*
 * Stop ourselves, as the command has, unless it ignores Ctrl-Z: the shell
 * awaits us. Returns when we were continued.
 */
void passed_suspend(struct passed *p);

struct witness;

#endif
