/*
 * bench.h - what the parts of the benchmark share
 *
 * A group of figures is one program and one shot: a function that debugs the
 * program once and leaves one point for each figure. A shot runs in a process
 * of its own, so that nothing is warm that would not be for a user, and a
 * crash or a hang costs one shot only. Where the bare program's time is the
 * measure, it runs right before each shot. Nothing here judges: the goals
 * stand beside the figures.
 */
#ifndef BENCH_H
#define BENCH_H

#include <dbg.h>

enum {
	SAMPLES_MAX = 99,
	POINTS_MAX = 8
};

/* What the command line says. */
struct bench {
	const char *fixtures; /* directory of Name/Name.dll */
	const char *sources;  /* directory of Name.cs */
	const char *dotnet;   /* the host of the runtime that is measured */
	const char *dndbg;    /* the product's binary */
	const char *runtime;  /* 8, 9 or 10 */
	const char *only;     /* groups whose name contains this, NULL: all */
	unsigned int runs;
};

/* A figure of one shot, and the engine's work for each action of it. */
struct point {
	double value;
	double stops, syscalls, dac_calls;
	bool counted; /* the three above mean something */
};

struct samples {
	double v[SAMPLES_MAX];
	size_t n;
};

/* How the bare program's whole run stands beside a figure. */
enum beside {
	BESIDE_NOTHING,
	BESIDE_TIME, /* as it is */
	BESIDE_RATE, /* actions of the group by that time */
};

enum goal {
	GOAL_NONE,
	GOAL_RATIO_MAX,
	GOAL_MAX,
	GOAL_MIN,
};

struct figure_spec {
	const char *key; /* in JSON; NULL ends a table */
	const char *title;
	const char *unit;
	enum beside beside;
	enum goal goal;
	double bound;
};

struct drive;

struct group_spec {
	const char *name;
	const char *fixture;
	const char *argument; /* of the program, NULL: none */
	const char *more[4];  /* ... and further ones */
	double actions;       /* what BESIDE_RATE divides */
	unsigned int runs;    /* at most, 0: as many as asked for */
	void (*shoot)(struct drive *d, struct point *ret);
	struct figure_spec figures[POINTS_MAX];
};

/* ---- The groups, each an array that a NULL name ends ----------------- */

extern const struct group_spec bench_start_groups[];
extern const struct group_spec bench_attach_groups[];
extern const struct group_spec bench_step_groups[];
extern const struct group_spec bench_stack_groups[];
extern const struct group_spec bench_hit_groups[];
extern const struct group_spec bench_throw_groups[];
extern const struct group_spec bench_watch_groups[];
extern const struct group_spec bench_memory_groups[];
extern const struct group_spec bench_eval_groups[];

/* ---- bench_drive.c: a session that fails by ending its process ------- */

struct drive {
	const struct bench *bench;
	const struct group_spec *group;
	struct dbg *dbg;
	struct dbg_event last; /* STOPPED, EXITED or EVALUATED */
	struct dbg_counters before;
	double began;
};

/* Seconds on the monotonic clock. */
double drive_now(void);
/* Say what went wrong and end this process. */
void drive_fail(const struct drive *d, const char *fmt, ...)
    __attribute__((format(printf, 2, 3), noreturn));
/* End this process if there is an error. */
void drive_check(const struct drive *d, struct dbg_error *err);
/* The present stop. */
struct dbg_stopped drive_stop(const struct drive *d);

/* A session without a program, and its end. */
void drive_open(struct drive *d);
void drive_close(struct drive *d);
/* Break at the line of "// @mark" in the group's source; returns its number. */
uint32_t drive_break(struct drive *d, const char *mark);
/* Start the group's program. */
void drive_launch(struct drive *d);
/* Take events until the program stops (true) or ends. */
bool drive_wait(struct drive *d);
void drive_wait_stop(struct drive *d);
/* Demand that the program ends by itself with exit code 0. */
void drive_wait_end(struct drive *d);
void drive_continue(struct drive *d);
/* Evaluate what the program has to call its methods for. */
void drive_call(struct drive *d, const char *expr);
/* Step, wait, describe the newest frame: what `next` costs. */
struct dbg_frame *drive_step(struct drive *d, enum dbg_step_kind kind,
			     enum dbg_step_unit unit);
/* The newest frame. */
struct dbg_frame *drive_frame(struct drive *d);
/* Line of "// @mark". */
uint32_t drive_line(const struct drive *d, const char *mark);

/* Start the clock and the counters; returns nothing of use. */
void drive_begin(struct drive *d);
/* Seconds and, per action, work since drive_begin. */
double drive_end(struct drive *d, double actions, struct point *ret);

/* ---- bench_proc.c: processes from outside ---------------------------- */

/* Whole run of the group's program without a debugger; negative: failed. */
double proc_bare(const struct bench *b, const struct group_spec *g);
/*
 * Start the group's program without a debugger, with pipes to its input and
 * from its output; negative: failed.
 */
pid_t proc_start(const struct bench *b, const struct group_spec *g, int *ret_in,
		 int *ret_out);
/* Run @g's shot in a process of its own; false if it failed. */
bool proc_shoot(const struct bench *b, const struct group_spec *g,
		struct point *ret);
/* A field of /proc/PID/smaps_rollup in bytes; negative: not there. */
double proc_memory(pid_t pid, const char *field);
/* Descriptors that @pid has open. */
double proc_descriptors(pid_t pid);

/* ---- bench_report.c -------------------------------------------------- */

/* One figure with all its samples. */
struct result {
	const struct group_spec *group;
	const struct figure_spec *spec;
	struct samples measured, bare;
	struct point work; /* of the last shot */
	unsigned int failed;
};

void samples_add(struct samples *s, double value);
/* The median; 0 of none. */
double samples_median(const struct samples *s);

void report_head(const struct bench *b);
void report_row(const struct result *r);
/* Write all as JSON; false with a message if the file cannot be written. */
bool report_json(const struct bench *b, const struct result *results, size_t n,
		 const char *path);

#endif
