/*
 * The queue of events between a session and its front end. Each text is a copy
 * of the queue's until its event is taken.
 */
#include "session/session.h"

#include <stdlib.h>

#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"

/* Tell once that the log cannot be written (a full disk). */
static void tell_of_log(struct dbg *dbg)
{
	struct dbg_error *err = log_check(&dbg->log);

	if (err)
		session_message(dbg, "%s", err->message);
	dbg_error_destroy(err);
}

void session_event(struct dbg *dbg, const struct dbg_event *event)
{
	struct event_queue *q = &dbg->queue;

	if (q->first == q->n)
		q->first = q->n = 0;
	mem_grow(&q->events, &q->cap, q->n, sizeof(*q->events));
	q->events[q->n] = *event;
	if (event->text)
		q->events[q->n].text = xstrdup(event->text);
	q->n++;
	if (event->kind == DBG_EVENT_STOPPED || event->kind == DBG_EVENT_EXITED)
		tell_of_log(dbg);
}

static void say(struct dbg *dbg, bool warning, const char *fmt, va_list ap)
{
	_cleanup_free_ char *text = xvasprintf(fmt, ap);

	session_event(dbg, &(struct dbg_event){.kind = DBG_EVENT_MESSAGE,
					       .text = text,
					       .warning = warning});
}

void session_message(struct dbg *dbg, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(dbg, false, fmt, ap);
	va_end(ap);
}

void session_warning(struct dbg *dbg, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(dbg, true, fmt, ap);
	va_end(ap);
}

bool dbg_event_next(struct dbg *dbg, struct arena *arena, struct dbg_event *ret)
{
	struct event_queue *q = &dbg->queue;

	if (q->first == q->n)
		return false;
	*ret = q->events[q->first++];
	_cleanup_free_ char *text = (char *)ret->text;
	if (text)
		ret->text = arena_strdup(arena, text);
	return true;
}

size_t session_events(const struct dbg *dbg)
{
	return dbg->queue.n - dbg->queue.first;
}

void session_events_forget(struct dbg *dbg, size_t n)
{
	struct event_queue *q = &dbg->queue;

	while (session_events(dbg) > n)
		free((char *)q->events[--q->n].text);
}

void session_events_deinit(struct dbg *dbg)
{
	struct event_queue *q = &dbg->queue;

	while (q->first < q->n)
		free((char *)q->events[q->first++].text);
	free(q->events);
}
