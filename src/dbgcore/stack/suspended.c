/*
 * Suspended async calls as stacks: made-up threads with numbers of their own,
 * whose displayed frames are all known from the beginning. They have no
 * registers and live until the program goes on.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "stack/stack_priv.h"

struct stack_thread *suspended_get(struct stack *s, uint32_t number)
{
	uint32_t i = number - DBG_THREAD_SUSPENDED;

	return number >= DBG_THREAD_SUSPENDED && i < s->n_suspended
		   ? s->suspended[i]
		   : NULL;
}

void suspended_forget(struct stack *s)
{
	for (size_t i = 0; i < s->n_suspended; i++)
		stack_thread_destroy(s->suspended[i]);
	s->n_suspended = 0;
}

bool stack_thread_known(struct stack *s, uint32_t number)
{
	return stack_thread_get(s, number);
}

uint32_t stack_suspended_create(struct stack *s)
{
	struct stack_thread *t = xcalloc(1, sizeof(*t));

	mem_grow(&s->suspended, &s->cap_suspended, s->n_suspended,
		 sizeof(*s->suspended));
	t->number = DBG_THREAD_SUSPENDED + (uint32_t)s->n_suspended;
	t->started = t->done = t->all_shown = true;
	s->suspended[s->n_suspended++] = t;
	return t->number;
}

void stack_suspended_add(struct stack *s, uint32_t thread, struct frame *f)
{
	struct stack_thread *t = suspended_get(s, thread);

	f->thread = thread;
	f->level = (uint32_t)t->n_display;
	stack_frame_number(s, f);
	display_push(t, f);
}

void stack_suspended_label(struct stack *s, uint32_t thread, const char *text)
{
	struct frame *f = arena_alloc(s->arena, sizeof(*f));

	*f = (struct frame){.kind = DBG_FRAME_CHAIN, .label = text};
	stack_suspended_add(s, thread, f);
}
