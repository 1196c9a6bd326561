/*
 * Names of SOS's and dotnet-dump's commands: for one that has another name here
 * that command is carried out, for others a sentence says what does the work.
 */
#ifndef REPL_SOSNAMES_H
#define REPL_SOSNAMES_H

#include "dbg.h"

struct repl;
struct str;

struct sos_answer {
	const char *to;   /* the command to carry out in its place, or NULL */
	const char *args; /* the rest of @line, which follows @to */
	const char *says; /* the sentence to print, if @to is NULL */
};

/*
 * Find what stands for the SOS command that @line begins with, in upper or
 * lower case. False: it begins with none, or with the name of a command here.
 */
bool sos_find(const char *line, struct sos_answer *ret);

#endif
