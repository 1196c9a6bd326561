/* Processes that dndbg forks to help it, under names of their own. */
#ifndef REPORT_OWNPROCESS_H
#define REPORT_OWNPROCESS_H

/* Call the own process @name from now on, in all of its names. */
void ownprocess_hide(const char *name);

#endif
