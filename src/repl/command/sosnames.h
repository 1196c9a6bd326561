/*
 * Commands of SOS and dotnet-dump that go by another name here: those who have
 * them in their fingers get what they want, or are told which command does it.
 */
#ifndef REPL_SOSNAMES_H
#define REPL_SOSNAMES_H

#include "dbg.h"

struct repl;
struct str;

/* What such a line comes to. */
struct sos_answer {
	const char *to;   /* the command here, which is carried out; or NULL */
	const char *args; /* of @line, which follow @to */
	const char *says; /* a sentence, if @to is NULL */
};

/*
 * False: @line does not begin with such a name, or with one of a command here.
 * Case does not matter.
 */
bool sos_find(const char *line, struct sos_answer *ret);

#endif
