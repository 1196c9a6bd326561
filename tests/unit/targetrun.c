/* The tests' side of targetfixture.h. */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "targetfixture.h"

extern const char __ehdr_start[];

enum {
	EVENT_MS = 60000,
};

void must(struct dbg_error *err)
{
	if (err)
		fail_msg("%s", err->message);
}

void must_fail(struct dbg_error *err, enum dbg_code code, const char *part)
{
	assert_non_null(err);
	if (err->code != code || !strstr(err->message, part))
		fail_msg("code %d: %s", err->code, err->message);
	dbg_error_destroy(err);
}

const char *run_self(void)
{
	static char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	assert_true(n > 0);
	path[n] = '\0';
	return path;
}

void run_start_with(struct run *run, const char *name, const char *arg,
		    const struct dbg_launch *launch)
{
	const char *argv[] = {"fixture", "--fixture", name, arg, NULL};
	struct arena *arena = arena_create();
	struct target_image image;

	memset(run, 0, sizeof(*run));
	must(target_spawn(run_self(), argv, launch, &run->t));
	must(target_image_main(run->t, arena, &image));
	run->slide = image.base - (uint64_t)__ehdr_start;
	arena_destroy(arena);
}

void run_start(struct run *run, const char *name, const char *arg)
{
	const struct dbg_launch launch = {0};

	run_start_with(run, name, arg, &launch);
}

uint64_t run_addr(const struct run *run, const volatile void *ours)
{
	return (uint64_t)ours + run->slide;
}

uint64_t run_u64(struct run *run, const volatile void *ours)
{
	uint64_t value;

	must(target_read_u64(run->t, run_addr(run, ours), &value));
	return value;
}

void run_arm(struct run *run, uint64_t addr)
{
	must(target_traps_arm(run->t, &addr, 1));
}

void run_lift(struct run *run, uint64_t addr)
{
	must(target_traps_lift(run->t, &addr, 1));
}

static void note(struct run *run, const struct target_event *event)
{
	run->last = *event;
	switch (event->kind) {
	case TARGET_TRAP:
		run->hits++;
		break;
	case TARGET_STEPPED:
		run->steps++;
		break;
	case TARGET_WATCH:
		run->watched++;
		break;
	case TARGET_SIGNAL:
		run->signals++;
		break;
	case TARGET_INTERRUPTED:
		run->interrupts++;
		break;
	case TARGET_EXEC:
		run->execs++;
		break;
	case TARGET_BORN:
		run->born++;
		break;
	case TARGET_GONE:
		run->gone++;
		break;
	case TARGET_CHILD:
	case TARGET_BACK:
		break;
	case TARGET_EXITED:
		run->exited = true;
		run->exit_code = event->exit_code;
		run->exit_signal = event->signal;
		break;
	}
}

void run_next(struct run *run, struct target_event *ret)
{
	bool any;

	for (;;) {
		struct pollfd pfd = {target_fd(run->t), POLLIN, 0};

		must(target_event_next(run->t, ret, &any));
		if (any)
			break;
		if (poll(&pfd, 1, EVENT_MS) != 1)
			fail_msg("no event within a minute");
	}
	note(run, ret);
}

void run_resume(struct run *run, const struct target_event *event)
{
	must(target_thread_resume(run->t, event->tid, event->signal));
}

static void handle_event(struct run *run, const struct target_event *event)
{
	switch (event->kind) {
	case TARGET_BORN:
	case TARGET_GONE:
	case TARGET_EXITED:
		return;
	default:
		break;
	}
	if (run->on_stop)
		run->on_stop(run, event);
	else
		run_resume(run, event);
}

void run_until(struct run *run, enum target_event_kind kind)
{
	struct target_event event;

	for (;;) {
		run_next(run, &event);
		if (event.kind == kind)
			return;
		if (run->exited)
			fail_msg("it ended: code %d, signal %d", run->exit_code,
				 run->exit_signal);
		handle_event(run, &event);
	}
}

void run_to_exit(struct run *run, int code)
{
	struct target_event event;

	if (target_all_stopped(run->t))
		must(target_resume_all(run->t));
	while (!run->exited) {
		run_next(run, &event);
		handle_event(run, &event);
	}
	assert_int_equal(run->exit_signal, 0);
	assert_int_equal(run->exit_code, code);
}

void run_end(struct run *run)
{
	target_destroy(run->t);
	memset(run, 0, sizeof(*run));
}
