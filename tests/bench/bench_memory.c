/* Memory and descriptors: at a breakpoint, and grown over many stops. */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	STOPS_BEFORE = 1000,
	STOPS = 10000,
	RUNS_BEFORE = 5,
	RUNS = 50,
	CACHE_SIZES = 64,
	CACHE_EACH = 7,
	MIB = 1 << 20
};

static void at_breakpoint(struct drive *d, struct point *ret)
{
	drive_open(d);
	drive_break(d, "add");
	drive_launch(d);
	drive_wait_stop(d);
	drive_frame(d);
	ret[0].value = proc_memory(getpid(), "Rss") / MIB;
	ret[1].value = proc_memory(getpid(), "Pss") / MIB;
	ret[2].value = proc_memory(getpid(), "Private_Dirty") / MIB;
	drive_continue(d);
	drive_wait_end(d);
	drive_close(d);
}

/* ---- Growth ---------------------------------------------------------- */

/* What a person looks at: a few frames, arguments and locals. */
static void look(struct drive *d)
{
	struct dbg_frame *frames;
	struct dbg_value *values;
	size_t n;

	drive_check(d, dbg_frame_list(drive_stop(d), 0, 0, 20, &frames, &n));
	drive_check(d, dbg_scope_list(drive_stop(d), frames[0].id,
				      DBG_SCOPE_ARGS, &values, &n));
	drive_check(d, dbg_scope_list(drive_stop(d), frames[0].id,
				      DBG_SCOPE_LOCALS, &values, &n));
}

static void stop_often(struct drive *d, int n)
{
	for (int i = 0; i < n; i++) {
		drive_continue(d);
		drive_wait_stop(d);
		look(d);
	}
}

/*
 * What is in use, and always the same of our own: malloc counts as in use what
 * was freed but lies in its cache (tcache), which is emptied meanwhile.
 */
static double heap_bytes(void)
{
	void *held[CACHE_SIZES][CACHE_EACH];

	for (size_t i = 0; i < CACHE_SIZES; i++)
		for (size_t k = 0; k < CACHE_EACH; k++)
			held[i][k] = malloc(24 + 16 * i);

	struct mallinfo2 info = mallinfo2();

	for (size_t i = 0; i < CACHE_SIZES; i++)
		for (size_t k = 0; k < CACHE_EACH; k++)
			free(held[i][k]);
	return (double)(info.uordblks + info.hblkhd);
}

static void growth(struct drive *d, struct point *ret)
{
	drive_open(d);
	drive_break(d, "hit");
	drive_launch(d);
	drive_wait_stop(d);
	stop_often(d, STOPS_BEFORE);

	double heap = heap_bytes(), rss = proc_memory(getpid(), "Rss");
	double fds = proc_descriptors(getpid());
	double target_fds = proc_descriptors(dbg_pid(d->dbg));

	stop_often(d, STOPS);
	ret[0].value = (proc_memory(getpid(), "Rss") - rss) / 1024;
	ret[1].value = (heap_bytes() - heap) / 1024;
	ret[2].value = proc_descriptors(getpid()) - fds;
	ret[3].value = proc_descriptors(dbg_pid(d->dbg)) - target_fds;
	drive_close(d);
}

static void run_often(struct drive *d, int n)
{
	for (int i = 0; i < n; i++) {
		drive_launch(d);
		drive_wait_stop(d);
		look(d);
		drive_continue(d);
		drive_wait_end(d);
	}
}

static void growth_runs(struct drive *d, struct point *ret)
{
	drive_open(d);
	drive_break(d, "add");
	run_often(d, RUNS_BEFORE);

	double heap = heap_bytes(), rss = proc_memory(getpid(), "Rss");
	double fds = proc_descriptors(getpid());

	run_often(d, RUNS);
	ret[0].value = (proc_memory(getpid(), "Rss") - rss) / 1024;
	ret[1].value = (heap_bytes() - heap) / 1024;
	ret[2].value = proc_descriptors(getpid()) - fds;
	drive_close(d);
}

/* ---- The product's own binary ---------------------------------------- */

static const char word[] = "dndbg-bench-here";

/* Start dndbg on Hello at its breakpoint, a pipe to and from it. */
static pid_t start_dndbg(struct drive *d, const char *at, int *ret_in,
			 int *ret_out)
{
	char dll[4096], place[300], print[64];
	int in[2], out[2];
	pid_t pid;
	posix_spawn_file_actions_t actions;
	const char *argv[] = {d->bench->dndbg, "-ex", place, "-ex", "run",
			      "-ex",           print, dll,   NULL};

	snprintf(dll, sizeof(dll), "%s/Hello/Hello.dll", d->bench->fixtures);
	snprintf(place, sizeof(place), "break Hello.cs:%u", drive_line(d, at));
	snprintf(print, sizeof(print), "print \"%s\"", word);
	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
		drive_fail(d, "cannot make a pipe: %s", strerror(errno));
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in[0], 0);
	posix_spawn_file_actions_adddup2(&actions, out[1], 1);
	posix_spawn_file_actions_adddup2(&actions, out[1], 2);

	int failed = posix_spawn(&pid, d->bench->dndbg, &actions, NULL,
				 (char *const *)argv, environ);

	posix_spawn_file_actions_destroy(&actions);
	if (failed)
		drive_fail(d, "cannot run '%s': %s", d->bench->dndbg,
			   strerror(failed));
	close(in[0]);
	close(out[1]);
	*ret_in = in[1];
	*ret_out = out[0];
	return pid;
}

/* Read until the program's stop has been reached and the word printed. */
static void read_word(struct drive *d, int fd)
{
	char text[65536];
	size_t n = 0;
	int seen = 0;

	while (!seen) {
		ssize_t got = read(fd, text + n, sizeof(text) - 1 - n);

		if (got <= 0)
			drive_fail(d, "dndbg said: %.*s", (int)n, text);
		n += (size_t)got;
		text[n] = '\0';

		// the value, not an echo of the command
		const char *at = strstr(text, "= \"");

		seen = at && strstr(at, word);
	}
}

static void binary(struct drive *d, struct point *ret)
{
	int in, out, status;
	double began = drive_now();
	pid_t pid = start_dndbg(d, "first", &in, &out);

	read_word(d, out);
	ret[0].value = (drive_now() - began) * 1e3;
	ret[1].value = proc_memory(pid, "Rss") / MIB;
	ret[2].value = proc_memory(pid, "Pss") / MIB;
	ret[3].value = proc_memory(pid, "Private_Dirty") / MIB;
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	close(in);
	close(out);
}

const struct group_spec bench_memory_groups[] = {
    {
	.name = "memory",
	.fixture = "Hello",
	.shoot = at_breakpoint,
	.figures =
	    {
		{"engine_rss", "engine at a breakpoint: RSS", "MiB",
		 BESIDE_NOTHING, GOAL_MAX, 10},
		{"engine_pss", "engine at a breakpoint: PSS", "MiB",
		 BESIDE_NOTHING, GOAL_NONE, 0},
		{"engine_dirty", "engine at a breakpoint: private", "MiB",
		 BESIDE_NOTHING, GOAL_NONE, 0},
	    },
    },
    {
	.name = "binary",
	.fixture = "Hello",
	.shoot = binary,
	.figures =
	    {
		{"dndbg_to_main", "dndbg: start to a breakpoint in Main", "ms",
		 BESIDE_TIME, GOAL_NONE, 0},
		{"dndbg_rss", "dndbg at a breakpoint: RSS", "MiB",
		 BESIDE_NOTHING, GOAL_MAX, 10},
		{"dndbg_pss", "dndbg at a breakpoint: PSS", "MiB",
		 BESIDE_NOTHING, GOAL_NONE, 0},
		{"dndbg_dirty", "dndbg at a breakpoint: private", "MiB",
		 BESIDE_NOTHING, GOAL_NONE, 0},
	    },
    },
    {
	.name = "growth",
	.fixture = "HitLoop",
	.argument = "20000",
	.runs = 2,
	.shoot = growth,
	.figures =
	    {
		{"growth_rss", "grown over 10,000 stops: RSS", "KiB",
		 BESIDE_NOTHING, GOAL_MAX, 0},
		{"growth_heap", "grown over 10,000 stops: heap", "KiB",
		 BESIDE_NOTHING, GOAL_MAX, 0},
		{"growth_fds", "grown over 10,000 stops: descriptors", "",
		 BESIDE_NOTHING, GOAL_MAX, 0},
		{"growth_target_fds", "... of the program", "", BESIDE_NOTHING,
		 GOAL_MAX, 0},
	    },
    },
    {
	.name = "reruns",
	.fixture = "Hello",
	.runs = 2,
	.shoot = growth_runs,
	.figures =
	    {
		{"reruns_rss", "grown over 50 runs: RSS", "KiB", BESIDE_NOTHING,
		 GOAL_MAX, 0},
		{"reruns_heap", "grown over 50 runs: heap", "KiB",
		 BESIDE_NOTHING, GOAL_MAX, 0},
		{"reruns_fds", "grown over 50 runs: descriptors", "",
		 BESIDE_NOTHING, GOAL_MAX, 0},
	    },
    },
    {0},
};
