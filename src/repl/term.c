/*
 * Modes of the terminal that we share with the program. The program may
 * leave it raw or without echo when it is stopped; we work with the modes we
 * found and give the program back its own when it runs on.
 */
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "alloc.h"
#include "repl_priv.h"

struct term {
	struct termios ours, program;
};

struct term *term_create(void)
{
	struct termios modes;

	if (tcgetattr(STDIN_FILENO, &modes) < 0)
		return NULL;
	struct term *t = alloc_zero(1, sizeof(*t));
	t->ours = modes;
	t->program = modes;
	return t;
}

void term_destroy(struct term *t)
{
	if (!t)
		return;
	term_ours(t);
	free(t);
}

void term_program(struct term *t)
{
	if (t)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &t->program);
}

void term_ours(struct term *t)
{
	if (!t)
		return;
	tcgetattr(STDIN_FILENO, &t->program);
	tcsetattr(STDIN_FILENO, TCSADRAIN, &t->ours);
}

unsigned int term_width(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col < 20)
		return 80;
	return size.ws_col;
}
