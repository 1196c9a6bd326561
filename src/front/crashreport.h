/*
 * The report that dndbg leaves behind when it crashes itself: a few lines on
 * stderr and a file with its own stack, for its developers.
 *
 * The report is made by the signal handler, in the process that crashed, within
 * two seconds; then dndbg dies of the signal as it would without, and the
 * cleanup process (target/guard/cleanup.c) lifts the traps, so the program goes
 * on. Nothing of the program or the command line is written.
 */
#ifndef FRONT_CRASHREPORT_H
#define FRONT_CRASHREPORT_H

/* Once, at the start. A sanitized build reports by itself. */
void crash_report_install(const char *version);

#endif
