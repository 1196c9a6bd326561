/* A timer by which dbg_dispatch() is called again and again. */
#include "session/ticks.h"

#include <signal.h>

void ticks_start(struct ticks *t, unsigned int ms)
{
	struct sigevent how = {.sigev_notify = SIGEV_SIGNAL,
			       .sigev_signo = SIGCHLD};
	const struct timespec each = {.tv_nsec = ms * 1000000L};
	struct itimerspec when = {.it_value = each, .it_interval = each};

	if (!t->on)
		t->on = !timer_create(CLOCK_MONOTONIC, &how, &t->timer);
	if (t->on)
		timer_settime(t->timer, 0, &when, NULL);
}

void ticks_stop(struct ticks *t)
{
	if (t->on)
		timer_delete(t->timer);
	t->on = false;
}

int64_t ticks_us_since(const struct timespec *since)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (now.tv_sec - since->tv_sec) * 1000000 +
	       (now.tv_nsec - since->tv_nsec) / 1000;
}

int64_t ticks_since(const struct timespec *since)
{
	return ticks_us_since(since) / 1000;
}
