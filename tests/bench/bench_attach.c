/*
 * A process of 200 threads that runs without a debugger: attached to, paused,
 * looked at whole, let go. Each shot is the first attach of its process, as
 * for a user; how long the program stood still is told by the program.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	THREADS = 200,
	FRAMES_MAX = 1000,
	PAUSES = 15,
	TEXT_BYTES = 4096
};

struct program {
	pid_t pid;
	int in, out;
	char text[TEXT_BYTES]; /* what it has said */
	size_t n;
};

/* Read on until @word comes, or to the end. */
static bool hear(struct program *p, const char *word)
{
	while (!strstr(p->text, word)) {
		ssize_t got =
		    read(p->out, p->text + p->n, TEXT_BYTES - 1 - p->n);

		if (got <= 0)
			return false;
		p->n += (size_t)got;
		p->text[p->n] = '\0';
	}
	return true;
}

static void begin(struct drive *d, struct program *p)
{
	memset(p, 0, sizeof(*p));
	p->pid = proc_start(d->bench, d->group, &p->in, &p->out);
	if (p->pid < 0 || !hear(p, "ready\n"))
		drive_fail(d, "the program does not begin");
	drive_open(d);
}

static void end(struct drive *d, struct program *p)
{
	int status;

	drive_close(d);
	close(p->in);
	if (!hear(p, "right\n"))
		drive_fail(d, "the program came to harm: %s", p->text);
	close(p->out);
	waitpid(p->pid, &status, 0);
	if (status)
		drive_fail(d, "the program failed with status %d", status);
}

static void attach(struct drive *d, const struct program *p)
{
	const struct dbg_attach req = {.pid = p->pid};

	drive_check(d, dbg_attach(d->dbg, &req));
	drive_wait_stop(d);
}

static void attach_pause_detach(struct drive *d, struct point *ret)
{
	struct program p;
	struct samples pauses = {0};

	begin(d, &p);
	drive_begin(d);
	attach(d, &p);
	ret[0].value = drive_end(d, 1, &ret[0]) * 1e3;
	for (int i = 0; i < PAUSES; i++) {
		drive_continue(d);
		drive_begin(d);
		drive_check(d, dbg_pause(d->dbg));
		drive_wait_stop(d);
		samples_add(&pauses, drive_end(d, 1, &ret[1]) * 1e3);
	}
	ret[1].value = samples_median(&pauses);
	drive_begin(d);
	drive_check(d, dbg_detach(d->dbg, false));
	ret[2].value = drive_end(d, 1, &ret[2]) * 1e3;
	end(d, &p);
}

/* Every frame of every thread with its text, as "thread apply all bt". */
static void look(struct drive *d)
{
	struct dbg_thread *threads;
	struct dbg_frame *frames;
	size_t n, n_frames, n_managed = 0;

	drive_check(d, dbg_thread_list(drive_stop(d), &threads, &n));
	for (size_t i = 0; i < n; i++) {
		drive_check(d,
			    dbg_frame_list(drive_stop(d), threads[i].number, 0,
					   FRAMES_MAX, &frames, &n_frames));
		n_managed += frames[0].kind == DBG_FRAME_MANAGED;
	}
	if (n_managed < THREADS)
		drive_fail(d, "%zu threads with a managed stack", n_managed);
}

/* How long the longest pause was, by the program; milliseconds. */
static double stood(struct drive *d, const struct program *p)
{
	const char *text = strstr(p->text, "stood ");

	if (!text)
		drive_fail(d, "the program does not say how long it stood");
	return strtod(text + strlen("stood "), NULL) / 1e3;
}

static void attach_look_detach(struct drive *d, struct point *ret)
{
	struct program p;

	begin(d, &p);
	drive_begin(d);
	attach(d, &p);
	look(d);
	drive_check(d, dbg_detach(d->dbg, false));
	ret[0].value = drive_end(d, 1, &ret[0]) * 1e3;
	end(d, &p);
	ret[1].value = stood(d, &p);
}

/* A copy of 500 MB that is looked at while the program goes on. */
static void snapshot(struct drive *d, struct point *ret)
{
	struct program p;
	struct dbg_attach req = {.snapshot = true};

	begin(d, &p);
	req.pid = p.pid;
	drive_begin(d);
	drive_check(d, dbg_attach(d->dbg, &req));
	drive_wait_stop(d);
	look(d);
	ret[0].value = drive_end(d, 1, &ret[0]) * 1e3;
	end(d, &p);
	ret[1].value = stood(d, &p);
}

/* A core of 500 MB, opened as by somebody who has seen nothing of it. */
static void look_at_core(struct drive *d, struct point *ret)
{
	struct program p;
	char path[] = "/var/tmp/dndbg-bench-XXXXXX", command[TEXT_BYTES];
	int fd = mkstemp(path);

	begin(d, &p);
	snprintf(command, sizeof(command), "'%s' dump -o %s %d >/dev/null",
		 d->bench->dndbg, path, (int)p.pid);
	if (fd < 0 || system(command))
		drive_fail(d, "no core was written");
	close(fd);
	drive_begin(d);
	drive_check(d, dbg_core(d->dbg, path));
	unlink(path);
	drive_wait_stop(d);
	look(d);
	ret[0].value = drive_end(d, 1, &ret[0]) * 1e3;
	ret[1].value = proc_memory(getpid(), "Anonymous") / (1 << 20);
	ret[2].value = proc_memory(getpid(), "Rss") / (1 << 20);
	end(d, &p);
}

const struct group_spec bench_attach_groups[] = {
    {
	.name = "attach",
	.fixture = "Busy",
	.argument = "200",
	.more = {"0"},
	.shoot = attach_pause_detach,
	.figures = {{"attach", "attach, 200 threads", "ms", BESIDE_NOTHING,
		     GOAL_MAX, 15},
		    {"pause", "pause, 200 threads", "ms", BESIDE_NOTHING,
		     GOAL_MAX, 2},
		    {"detach", "detach, 200 threads", "ms", BESIDE_NOTHING,
		     GOAL_MAX, 3}},
    },
    {
	.name = "attach_look",
	.fixture = "Busy",
	.argument = "200",
	.more = {"0", "0", "pulse"},
	.shoot = attach_look_detach,
	.figures = {{"look", "attach, stacks of 200 threads, detach", "ms",
		     BESIDE_NOTHING, GOAL_MAX, 40},
		    {"look_stood", "... the program stood still", "ms",
		     BESIDE_NOTHING, GOAL_MAX, 30}},
    },
    {
	.name = "snapshot",
	.fixture = "Busy",
	.argument = "200",
	.more = {"0", "0", "pulse", "500"},
	.shoot = snapshot,
	.figures = {{"snapshot", "snapshot of 500 MB, stacks of 200 threads",
		     "ms", BESIDE_NOTHING, GOAL_NONE, 0},
		    {"snapshot_stood", "... the program stood still", "ms",
		     BESIDE_NOTHING, GOAL_MAX, 20}},
    },
    {
	.name = "core",
	.fixture = "Busy",
	.argument = "200",
	.more = {"0", "0", "0", "500"},
	.shoot = look_at_core,
	.figures = {{"core", "core of 500 MB, stacks of 200 threads", "ms",
		     BESIDE_NOTHING, GOAL_MAX, 100},
		    {"core_memory", "... memory", "MB", BESIDE_NOTHING,
		     GOAL_MAX, 40},
		    {"core_rss", "... with the files that are mapped", "MB",
		     BESIDE_NOTHING, GOAL_NONE, 0}},
    },
    {0},
};
