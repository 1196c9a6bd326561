/* Processes that dndbg forks to help it, under names of their own. */
#ifndef REPORT_OWNPROCESS_H
#define REPORT_OWNPROCESS_H

/* In such a process: it is called @name from now on, whoever looks. */
void ownprocess_hide(const char *name);

#endif
