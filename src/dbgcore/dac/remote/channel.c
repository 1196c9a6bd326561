/*
 * Turns of two processes that share memory: see channel.h.
 *
 * Most answers take microseconds, in which nobody can be put to sleep and woken
 * again. So who waits looks at the memory for a while first, if there is more
 * than one processor; then it says that it sleeps, and waits at the socket.
 */
#include "dac/remote/channel.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "target/arch.h"

enum {
	LOOKS = 4096, /* some 100 us */
	IN_VAIN_MAX = 64,
	WAKES = 16,
};

struct channel *channel_create(void)
{
	void *ret = mmap(NULL, sizeof(struct channel), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return ret == MAP_FAILED ? NULL : ret;
}

void channel_destroy(struct channel *c)
{
	if (c)
		munmap(c, sizeof(*c));
}

void channel_give(const struct channel_end *e)
{
	enum channel_side other = (enum channel_side) !e->side;

	atomic_store(&e->channel->turn, other);
	if (!atomic_exchange(&e->channel->sleeps[other], 0))
		return;
	ssize_t n = send(e->socket, "", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
	(void)n;
}

static bool is_turn(const struct channel_end *e)
{
	// Sequentially consistent, as the store of `sleeps` that comes before
	// it is: one side of the two sees what the other has stored.
	return atomic_load(&e->channel->turn) == e->side;
}

static bool has_processors(void)
{
	static int n;
	cpu_set_t set;

	if (!n)
		n = sched_getaffinity(0, sizeof(set), &set) ? 1
							    : CPU_COUNT(&set);
	return n > 1;
}

// Poll for the turn. Where that was in vain, as when other processes want the
// processors, later polls become shorter, down to one in a while.
static bool turn_poll(struct channel_end *e)
{
	if (is_turn(e))
		return true;
	if (!has_processors() || (e->in_vain && e->n++ % e->in_vain))
		return false;
	for (int i = 0; i < LOOKS; i++) {
		if (is_turn(e)) {
			e->in_vain /= 2;
			return true;
		}
		arch_relax();
	}
	if (e->in_vain < IN_VAIN_MAX)
		e->in_vain = e->in_vain ? e->in_vain * 2 : 1;
	return false;
}

// Wait for a byte until @end_ms (-1: without a limit).
static enum channel_wait await_byte(const struct channel_end *e, int64_t end_ms)
{
	struct pollfd pfd = {.fd = e->socket, .events = POLLIN};
	char bytes[WAKES];
	int n;

	do {
		int64_t left = end_ms < 0 ? -1 : end_ms - clock_ms();

		if (end_ms >= 0 && left <= 0)
			return CHANNEL_LATE;
		n = poll(&pfd, 1, (int)left);
	} while (n < 0 && errno == EINTR);
	if (!n)
		return CHANNEL_LATE;
	return n > 0 && recv(e->socket, bytes, sizeof(bytes), MSG_DONTWAIT) > 0
		   ? CHANNEL_TURN
		   : CHANNEL_DEAD;
}

enum channel_wait channel_await(struct channel_end *e, int timeout_ms)
{
	_Atomic uint32_t *sleeps = &e->channel->sleeps[e->side];

	if (turn_poll(e))
		return CHANNEL_TURN;
	const int64_t end_ms = timeout_ms < 0 ? -1 : clock_ms() + timeout_ms;
	for (;;) {
		atomic_store(sleeps, 1);
		if (is_turn(e)) {
			atomic_store(sleeps, 0);
			return CHANNEL_TURN;
		}
		enum channel_wait wait = await_byte(e, end_ms);
		if (wait != CHANNEL_TURN)
			return is_turn(e) ? CHANNEL_TURN : wait;
	}
}

bool channel_is_open(const struct channel_end *e)
{
	char bytes[WAKES];
	ssize_t n;

	// What woke us, or came too late for that.
	do
		n = recv(e->socket, bytes, sizeof(bytes), MSG_DONTWAIT);
	while (n > 0);
	return n < 0 && errno == EAGAIN;
}
