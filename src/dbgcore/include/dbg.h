/*
 * dbg.h - the one API of the dndbg engine
 *
 * A session (struct dbg) debugs one program. The engine has no threads and
 * never blocks: poll dbg_fd(), call dbg_dispatch() when it is readable, then
 * take events with dbg_event_next() until there are none.
 *
 * Three lifetimes:
 *   session  struct dbg and breakpoint, thread and module numbers
 *   stop     everything that describes the stopped program: the handle that
 *            the calls of a stop take (struct dbg_stopped), arrays and
 *            strings handed out by them, frame and value ids. All of it dies
 *            when the program is resumed; a stale handle or id is an error
 *            (DBG_E_STALE), never a dangling reference.
 *   call     what does not need a stop (events, breakpoints, modules, sources,
 *            settings, ...): arrays and strings are in an arena that the
 *            caller gives, and has for as long as it likes
 *
 * Every function that can fail returns NULL or an error that the caller owns
 * (dbg_error_destroy). Results are untouched on failure. Absence of a value
 * (optimised away, unreadable) is a state of that value, not an error.
 */
#ifndef DBG_H
#define DBG_H

#include "dbg/async.h"
#include "dbg/breakpoints.h"
#include "dbg/codelist.h"
#include "dbg/error.h"
#include "dbg/evaluate.h"
#include "dbg/events.h"
#include "dbg/eventpipe.h"
#include "dbg/execution.h"
#include "dbg/frames.h"
#include "dbg/objects.h"
#include "dbg/heapfacts.h"
#include "dbg/inferiors.h"
#include "dbg/machine.h"
#include "dbg/modules.h"
#include "dbg/names.h"
#include "dbg/process.h"
#include "dbg/regions.h"
#include "dbg/roots.h"
#include "dbg/programs.h"
#include "dbg/runtime.h"
#include "dbg/sample.h"
#include "dbg/settings.h"
#include "dbg/signals.h"
#include "dbg/sizes.h"
#include "dbg/stopped.h"
#include "dbg/values.h"
#include "dbg/vitals.h"

#endif
