/*
 * Commands that watch a program which runs, without stopping it. Each is a word
 * of the command line (main.c), takes PID|NAME, --seconds N and --json, and
 * ends early with a whole result at Ctrl-C.
 */
#ifndef MONITOR_MONITOR_H
#define MONITOR_MONITOR_H

#include "dbg.h"

/* `dndbg events KIND PID|NAME`; returns the exit status. */
int monitor_events_main(struct dbg *dbg, int argc, char **argv);
/* `dndbg counters PID|NAME`; returns the exit status. */
int monitor_counters_main(struct dbg *dbg, int argc, char **argv);
/* `dndbg sample PID|NAME`; returns the exit status. */
int monitor_sample_main(struct dbg *dbg, int argc, char **argv);
/* `dndbg perfmap PID|NAME`; returns the exit status. */
int monitor_perfmap_main(struct dbg *dbg, int argc, char **argv);
/* `dndbg perf-script PID|NAME`; returns the exit status. */
int monitor_perf_script_main(struct dbg *dbg, int argc, char **argv);
/* `dndbg trace PID|NAME METHOD...`; returns the exit status. */
int monitor_trace_main(struct dbg *dbg, int argc, char **argv);
/* `dndbg top`; returns the exit status. */
int monitor_top_main(struct dbg *dbg, int argc, char **argv);

#endif
