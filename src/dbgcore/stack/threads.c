/*
 * Threads: numbers for the session, facts for the stop. A number is given
 * once and not reused, though the kernel reuses a tid.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "stack/stack_priv.h"
#include "target/target.h"

enum {
	MAX_NAME = 256, /* UTF-16 units */
	// A System.String: MethodTable, length, units.
	STRING_LENGTH = 8,
	STRING_UNITS = 12,
	// Fields of an object begin behind its MethodTable.
	OBJECT_FIELDS = 8,
	FIELD_NAME = 1, /* column, II.22.15 */
};

uint32_t stack_thread_number(struct stack *s, pid_t tid)
{
	struct stack_thread *t = map_find(&s->by_tid, (uint64_t)tid);

	if (t)
		return t->number;
	t = xcalloc(1, sizeof(*t));
	mem_grow(&s->threads, &s->cap_threads, s->n_threads,
		 sizeof(*s->threads));
	s->threads[s->n_threads++] = t;
	t->tid = tid;
	t->number = (uint32_t)s->n_threads;
	map_put(&s->by_tid, (uint64_t)tid, t);
	return t->number;
}

void stack_thread_gone(struct stack *s, pid_t tid)
{
	struct stack_thread *t = map_take(&s->by_tid, (uint64_t)tid);

	if (!t)
		return;
	s->threads[t->number - 1] = NULL;
	stack_thread_destroy(t);
}

struct stack_thread *stack_thread_get(struct stack *s, uint32_t number)
{
	return number && number <= s->n_threads ? s->threads[number - 1] : NULL;
}

pid_t stack_thread_tid(struct stack *s, uint32_t number)
{
	const struct stack_thread *t = stack_thread_get(s, number);

	return t ? t->tid : 0;
}

void stack_thread_reset(struct stack_thread *t)
{
	dac_walk_destroy(t->walk);
	t->walk = NULL;
	t->started = t->done = t->has_ahead = false;
	t->n_frames = t->n_shown = 0;
	t->between.n = 0;
	t->n_taken = t->folded = 0;
	t->all_shown = false;
}

void stack_thread_destroy(struct stack_thread *t)
{
	stack_thread_reset(t);
	free((void *)t->frames);
	free(t->between.v);
	free(t->shown);
	free(t);
}

static const struct dac_thread *find_managed(struct stack *s, pid_t tid)
{
	struct dbg_error *err;

	if (!s->managed_read && s->dac) {
		err = dac_threads(s->dac, s->arena, &s->managed, &s->n_managed);
		if (err)
			s->n_managed = 0;
		dbg_error_destroy(err);
		s->managed_read = true;
	}
	for (size_t i = 0; i < s->n_managed; i++)
		if (s->managed[i].tid == tid)
			return &s->managed[i];
	return NULL;
}

uint64_t stack_managed_thread(struct stack *s, pid_t tid)
{
	const struct dac_thread *t = find_managed(s, tid);

	return t ? t->addr : 0;
}

// Find Thread._name by its metadata name; *ret_found false without it.
static struct dbg_error *find_name_field(struct stack *s, uint64_t mt,
					 bool *ret_found)
{
	struct dbg_error *err;
	const struct dac_type *type;
	const struct dac_field *fields;
	size_t n;

	*ret_found = s->name_type == mt;
	if (*ret_found)
		return NULL;
	err = dac_type_get(s->dac, mt, &type);
	if (!err)
		err = dac_fields(s->dac, mt, &fields, &n);
	if (err)
		return err;
	const struct code_module *m = code_module_find(s->code, type->module);
	for (size_t i = 0; m && i < n; i++) {
		uint32_t rid = MD_TOKEN_RID(fields[i].token);

		if (fields[i].is_static ||
		    strcmp(md_col_string(&m->md, MD_FIELD, rid, FIELD_NAME),
			   "_name"))
			continue;
		s->name_type = mt;
		s->name_offset = fields[i].offset;
		*ret_found = true;
	}
	return NULL;
}

static struct dbg_error *read_string(struct stack *s, uint64_t addr,
				     struct str *text)
{
	struct dbg_error *err;
	uint16_t units[MAX_NAME];
	uint32_t n;

	err = target_read_u32(s->target, addr + STRING_LENGTH, &n);
	if (err)
		return err;
	if (n > MAX_NAME)
		n = MAX_NAME;
	err = target_read(s->target, addr + STRING_UNITS, units, n * 2);
	if (!err)
		str_add_utf16(text, units, n);
	return err;
}

static struct dbg_error *read_name(struct stack *s, uint64_t object,
				   struct str *text)
{
	struct dbg_error *err;
	uint64_t mt, name;
	bool found;

	err = target_read_u64(s->target, object, &mt);
	// The low bits of a MethodTable pointer are the GC's.
	if (!err)
		err = find_name_field(s, mt & ~(uint64_t)7, &found);
	if (err || !found)
		return err;
	err = target_read_u64(s->target,
			      object + OBJECT_FIELDS + s->name_offset, &name);
	if (err || !name)
		return err;
	return read_string(s, name, text);
}

static const char *thread_name(struct stack *s, const struct dac_thread *m,
			       const char *comm)
{
	struct dbg_error *err;
	_cleanup_str_ struct str name = {0};

	if (m && m->managed_object && s->code) {
		err = read_name(s, m->managed_object, &name);
		dbg_error_destroy(err);
	}
	return arena_strdup(s->arena, name.len ? str_get(&name) : comm);
}

static int by_number(const void *a, const void *b)
{
	const struct dbg_thread *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

struct dbg_error *stack_threads(struct stack *s, struct dbg_thread **ret,
				size_t *ret_n)
{
	struct dbg_error *err;
	struct target_thread *threads;
	size_t n;

	if (!s->list) {
		err = target_threads(s->target, s->arena, &threads, &n);
		if (err)
			return err;
		s->list = arena_calloc(s->arena, n, sizeof(*s->list));
		s->n_list = n;
		for (size_t i = 0; i < n; i++) {
			pid_t tid = threads[i].tid;
			const struct dac_thread *m = find_managed(s, tid);

			s->list[i] = (struct dbg_thread){
			    .number = stack_thread_number(s, tid),
			    .tid = tid,
			    .managed = m != NULL,
			    .managed_id = m ? m->managed_id : 0,
			    .name = thread_name(s, m, threads[i].name),
			};
		}
		qsort(s->list, n, sizeof(*s->list), by_number);
	}
	*ret = s->list;
	*ret_n = s->n_list;
	return NULL;
}
