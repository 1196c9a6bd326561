/*
 * What dndbg leaves behind when it crashes itself: a few lines on stderr and a
 * file with its own stack, for those who are to mend it.
 *
 * The report is made by the handler of the signal, in the process that crashed,
 * within two seconds: then it dies of that signal as it would without, and the
 * cleanup process (target/guard/cleanup.c) lifts the traps, so the program goes
 * on. Nothing of the program's is written down, nor of the command line.
 */
#ifndef FRONT_CRASHREPORT_H
#define FRONT_CRASHREPORT_H

/* Once, at the start. A sanitized build reports by itself. */
void crash_report_install(const char *version);

#endif
