/*
 * Functions of the C library that an old one lacks: glibc before 2.32 (signal
 * names) and 2.34 (close_range). configure looks for them, and config.h
 * includes this if one is missing. Each does what glibc's manual says.
 */
#ifndef BASE_LIBC_H
#define BASE_LIBC_H

#include <sys/syscall.h>

#ifndef SYS_close_range
#define SYS_close_range 436 /* <asm/unistd_64.h> of Linux 5.9 */
#endif

/* The name of @signal without "SIG", or NULL if it has none. */
const char *sigabbrev_np(int signal);
/* Description of @signal in English; NULL: it has none. */
const char *sigdescr_np(int signal);
/* Close the descriptors @first to @last; -1 and errno if the kernel cannot. */
int close_range(unsigned int first, unsigned int last, int flags);

#endif
