/*
 * Exceptions inside of the execution, and its other ends.
 *
 * Two passes outward from where it was thrown (ECMA-335 I.12.4.2.5). The first
 * looks for the handler and asks filters, the second runs each finally and
 * fault on the way there. What a handler has to know (the exception, where to
 * go on) is in words of its frame. These are data that IL can write over
 * through a stray pointer: they are checked when used.
 *
 * A filter works on the frame of its own method, while the frames that it was
 * called from, whose memory begins in that frame's stack, have still to run
 * their finally blocks. They are put aside until it has answered (struct
 * filter_run). An exception that leaves a filter is dropped, and the answer is
 * no.
 *
 * One that leaves a static constructor is caught there (II.10.5.3.3): what
 * needed the class throws a TypeInitializationException with it in place of
 * it, now and ever after.
 */
#include "il/machine/throw.h"

#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "il/machine/ops.h"

#define OP(name)                                                               \
	const struct op *name(struct vm *vm, const struct op *i, uint8_t *fp)

/* ---- The ends ----------------------------------------------------------- */

const struct op *vm_refuse(struct vm *vm, const struct op *i,
			   struct dbg_error *err)
{
	vm->refused = i ? i + 1 : NULL;
	if (vm->n_frames) {
		struct type_method *in =
		    vm->frames[vm->n_frames - 1].code->method;
		vm->call = in;
		if (in)
			err =
			    dbg_err_prefix(err, "in '%s'", method_text(vm, in));
	}
	dbg_error_destroy(vm->error);
	vm->error = err;
	vm->state = VM_REFUSED;
	return NULL;
}

const struct op *vm_spent(struct vm *vm, const struct op *i, const char *what)
{
	const char *in = "the expression";
	if (vm->n_frames && vm->frames[vm->n_frames - 1].code->method)
		in = method_text(vm, vm->frames[vm->n_frames - 1].code->method);
	dbg_error_destroy(vm->error);
	vm->error =
	    dbg_err(DBG_E_UNSUPPORTED,
		    "the evaluation is given up: %s, in '%s'", what, in);
	vm->state = VM_SPENT;
	vm->ip = i;
	return NULL;
}

/* ---- New exceptions ---------------------------------------------------- */

#define INITIALIZATION "System.TypeInitializationException"

/* As the runtime makes them: its text and its number. */
static const struct {
	const char *type;
	uint32_t hresult;
	const char *message;
} known[] = {
    {"System.NullReferenceException", 0x80004003,
     "Object reference not set to an instance of an object."},
    {"System.IndexOutOfRangeException", 0x80131508,
     "Index was outside the bounds of the array."},
    {"System.DivideByZeroException", 0x80020012,
     "Attempted to divide by zero."},
    {"System.OverflowException", 0x80131516,
     "Arithmetic operation resulted in an overflow."},
    {"System.InvalidCastException", 0x80004002, "Specified cast is not valid."},
    {"System.ArrayTypeMismatchException", 0x80131503,
     "Attempted to access an element as a type incompatible with the array."},
    {"System.ArithmeticException", 0x80070216,
     "Overflow or underflow in the arithmetic operation."},
    {INITIALIZATION, 0x80131534, "A type initializer threw an exception."},
};

static void exception_field(struct vm *vm, uint64_t object, struct type *type,
			    const char *name, const void *v, size_t n)
{
	struct type_field *field = NULL;
	uint32_t offset;
	if (!dbg_err_drop(type_field_find(vm->ts, type, name, &field)) &&
	    field && !dbg_err_drop(type_field_offset(vm->ts, field, &offset)))
		vm_write(vm, object + 8 + offset, v, n);
}

uint64_t exception_new(struct vm *vm, const char *name)
{
	struct type *type = vm->budget.plain ? NULL : type_core(vm->ts, name);
	uint64_t object = type ? vm_new(vm, type) : 0;
	for (size_t k = 0; object && k < sizeof(known) / sizeof(known[0]);
	     k++) {
		if (strcmp(known[k].type, name))
			continue;
		uint16_t units[128];
		size_t n = strlen(known[k].message);
		for (size_t c = 0; c < n; c++)
			units[c] = (uint8_t)known[k].message[c];
		uint64_t text = vm_new_string(vm, units, n);
		exception_field(vm, object, type, "_message", &text, 8);
		exception_field(vm, object, type, "_HResult", &known[k].hresult,
				4);
	}
	return object;
}

const struct op *throw_new(struct vm *vm, const struct op *i, const char *type)
{
	uint64_t object = exception_new(vm, type);
	if (!object)
		return vm_refuse(vm, i,
				 dbg_err(DBG_E_UNSUPPORTED,
					 "'%s' is thrown, which cannot be made",
					 type));
	return throw_object(vm, i, object);
}

static uint64_t text_object(struct vm *vm, const char *text)
{
	uint16_t units[256];
	size_t n = 0;
	for (; text[n] && n < sizeof(units) / sizeof(units[0]); n++)
		units[n] = (uint8_t)text[n];
	return vm_new_string(vm, units, n);
}

/* The class at @c was not initialised, because of @inner; 0: no memory. */
static uint64_t initialization_new(struct vm *vm, const struct vm_class *c,
				   uint64_t inner)
{
	_cleanup_str_ struct str name = {0}, text = {0};
	uint64_t object = exception_new(vm, INITIALIZATION);
	if (!object)
		return 0;
	struct type *type = object_type(vm, object);
	// as the runtime: of a nested class without those around it
	const char *space =
	    type_enclosing(vm->ts, c->type) ? "" : type_namespace(c->type);
	str_addf(&name, "%s%s%s", space, *space ? "." : "",
		 type_simple_name(c->type));
	str_addf(&text, "The type initializer for '%s' threw an exception.",
		 str_get(&name));
	uint64_t of = text_object(vm, str_get(&name));
	uint64_t message = text_object(vm, str_get(&text));
	exception_field(vm, object, type, "_typeName", &of, 8);
	exception_field(vm, object, type, "_message", &message, 8);
	exception_field(vm, object, type, "_innerException", &inner, 8);
	return object;
}

const struct op *throw_failed(struct vm *vm, const struct op *i,
			      const struct vm_class *c)
{
	if (!c->failure)
		return vm_refuse(vm, i,
				 dbg_err(DBG_E_UNSUPPORTED,
					 "the static constructor of '%s' "
					 "throws an exception",
					 type_name(vm->ts, c->type)));
	return throw_object(vm, i, c->failure);
}

const struct op *throw_bad(struct vm *vm, const struct op *i, uint64_t addr)
{
	if (addr < NULL_PAGE)
		return throw_new(vm, i, "System.NullReferenceException");
	return vm_refuse(vm, i,
			 dbg_err(DBG_E_MEMORY,
				 "memory at %#llx cannot be accessed",
				 (unsigned long long)addr));
}

/* ---- Looking for the handler ------------------------------------------- */

static bool catches(struct vm *vm, const struct clause *c, uint64_t exception,
		    const struct op *i, bool *ret_bad)
{
	struct type *type = object_type(vm, exception);
	bool fits = false;
	*ret_bad = false;
	if (!type || !c->caught)
		return false;
	struct dbg_error *err = type_assignable(vm->ts, type, c->caught, &fits);
	if (err) {
		vm_refuse(vm, i, err);
		*ret_bad = true;
	}
	return fits;
}

static void words_set(uint8_t *fp, const struct clause *c,
		      const struct clause_words *words)
{
	memcpy(fp + c->slot, words, sizeof(*words));
}

static bool covers(const struct clause *c, uint64_t at)
{
	return at >= c->try_start && at < c->try_end;
}

/*
 * The operation at which the caller of frame @frame stands; @frame is not the
 * outermost.
 */
static uint64_t caller_at(const struct vm *vm, size_t frame)
{
	const struct frame *f = &vm->frames[frame - 1];
	// What needed its class to be ready is to be done again.
	return (uint64_t)(f->ip - f->code->ops) -
	       (vm->frames[frame].cctor ? 0 : 1);
}

/* How far the search for a handler (the first pass) has come. */
struct search {
	uint64_t exception;
	size_t frame;
	uint64_t at;
	size_t from; /* clause */
};

/* A filter that is being asked; the next one was being asked around it. */
struct filter_run {
	struct filter_run *next;
	struct search search; /* at the filter's clause */
	uint64_t thrown_at;   /* in the frame that was at the top */
	uint64_t local_top;
	struct frame own;     /* the filter's method */
	struct frame *frames; /* those called from it, and their memory */
	size_t n_frames;
	uint8_t *memory;
	uint64_t memory_at, memory_size;
};

static const struct op *bad_frames(struct vm *vm)
{
	return vm_refuse(
	    vm, NULL, dbg_err(DBG_E_FORMAT, "its own frame was written over"));
}

/* Is @c inside of the filter that is being asked in this frame, if one is? */
static bool is_inside(const struct filter_run *run, size_t frame,
		      const struct clause *c)
{
	if (!run || run->search.frame != frame)
		return true;
	const struct clause *filter = &run->own.code->clauses[run->search.from];
	return c->try_start >= filter->filter && c->try_end <= filter->start;
}

static const struct op *filter_end(struct vm *vm, bool yes);

/* The filter that is being asked is in the frame at @frame. */
static bool asks_in(const struct vm *vm, size_t frame)
{
	return vm->filter && vm->filter->search.frame == frame;
}

/* @exception leaves the static constructor in the frame at the top. */
static const struct op *constructor_failed(struct vm *vm, uint64_t exception)
{
	struct vm_class *c =
	    vm_class_of(vm, vm->frames[vm->n_frames - 1].cctor);
	c->state = CLASS_FAILED;
	c->failure = initialization_new(vm, c, exception);
	frame_pop(vm);
	return throw_failed(vm, vm->frames[vm->n_frames - 1].ip, c);
}

/* The frame at the top is where @words lead, and no handler of it is meant. */
static bool is_dropped(const struct vm *vm, const struct clause_words *words)
{
	return vm->n_frames == words->frame && words->clause == CLAUSE_DROPS;
}

/*
 * The second pass: from @at in the frame at the top, behind clause @from, to
 * the handler that @words name.
 */
static const struct op *unwind(struct vm *vm, uint64_t at, size_t from,
			       struct clause_words words)
{
	for (;;) {
		struct frame *f = &vm->frames[vm->n_frames - 1];
		const struct compiled *code = f->code;
		for (size_t k = from; k < code->n_clauses; k++) {
			const struct clause *c = &code->clauses[k];
			bool last =
			    vm->n_frames == words.frame && k == words.clause;
			if (!last &&
			    (c->kind <= CLAUSE_FILTER || !covers(c, at) ||
			     !is_inside(vm->filter, vm->n_frames - 1, c)))
				continue;
			words.at = at;
			words_set(vm->fp, c, &words);
			if (last)
				put_u8(vm->fp + c->exception, words.exception);
			return &code->ops[c->start];
		}
		if (is_dropped(vm, &words) && f->cctor &&
		    !asks_in(vm, vm->n_frames - 1))
			return constructor_failed(vm, words.exception);
		if (is_dropped(vm, &words))
			return filter_end(vm, false);
		if (vm->n_frames > 1)
			at = caller_at(vm, vm->n_frames - 1);
		frame_pop(vm);
		if (!vm->n_frames) {
			vm->thrown = words.exception;
			vm->state = VM_THROWN;
			return NULL;
		}
		from = 0;
	}
}

/* ---- Filters ----------------------------------------------------------- */

/* Unwind to the handler that @s has found. */
static const struct op *found(struct vm *vm, const struct search *s,
			      uint64_t thrown_at)
{
	return unwind(vm, thrown_at, 0,
		      (struct clause_words){.exception = s->exception,
					    .frame = (uint32_t)s->frame + 1,
					    .clause = (uint32_t)s->from});
}

/* Begin to ask the filter that @s stands at. */
static const struct op *filter_begin(struct vm *vm, const struct search *s,
				     const struct op *i)
{
	const struct frame *own = &vm->frames[s->frame];
	const struct frame *top = &vm->frames[vm->n_frames - 1];
	const struct clause *c = &own->code->clauses[s->from];
	struct filter_run *run = arena_calloc(vm->scratch, 1, sizeof(*run));
	run->next = vm->filter;
	run->search = *s;
	run->thrown_at = (uint64_t)(i - top->code->ops);
	run->local_top = vm->local_top;
	run->own = *own;
	run->n_frames = (size_t)(top - own);
	run->memory_at = own->base + own->code->args_size + own->code->clear;
	if (top != own)
		run->memory_size = top->base + top->code->size - run->memory_at;
	uint64_t n = run->memory_size + run->n_frames * sizeof(*own);
	vm->allocated += n;
	vm_charge(vm, n);
	if (vm->allocated > vm->budget.memory)
		return vm_spent(vm, NULL, "it wants too much memory");
	run->frames =
	    arena_copy(vm->scratch, own + 1, run->n_frames, sizeof(*own));
	run->memory = arena_copy(vm->scratch, vm->base + run->memory_at,
				 run->memory_size, 1);
	vm->filter = run;
	vm->n_frames = s->frame + 1;
	vm->fp = vm->base + own->base;
	put_u8(vm->fp + c->exception, s->exception);
	return &own->code->ops[c->filter];
}

static void frames_drop(struct vm *vm, const struct frame *frames, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		if (frames[k].cctor)
			vm_class_of(vm, frames[k].cctor)->state = CLASS_NEW;
	}
}

void execution_drop(struct vm *vm)
{
	frames_drop(vm, vm->frames, vm->n_frames);
	for (; vm->filter; vm->filter = vm->filter->next)
		frames_drop(vm, vm->filter->frames, vm->filter->n_frames);
	vm->n_frames = 0;
}

static const struct op *search_on(struct vm *vm, struct search s,
				  const struct op *i);

/* The filter that is being asked in the frame at the top has answered. */
static const struct op *filter_end(struct vm *vm, bool yes)
{
	struct filter_run *run = vm->filter;
	if (!run || run->search.frame != vm->n_frames - 1)
		return bad_frames(vm);
	struct search s = run->search;
	struct frame *own = &vm->frames[s.frame];
	vm->filter = run->next;
	if (own->code != run->own.code || own->base != run->own.base)
		return bad_frames(vm);
	own->ip = run->own.ip;
	for (size_t k = 0; k < run->n_frames; k++) {
		mem_grow(&vm->frames, &vm->cap_frames, s.frame + 1 + k,
			 sizeof(struct frame));
		vm->frames[s.frame + 1 + k] = run->frames[k];
	}
	vm->n_frames = s.frame + 1 + run->n_frames;
	if (run->memory_size)
		memcpy(vm->base + run->memory_at, run->memory,
		       run->memory_size);
	vm->local_top = run->local_top;
	const struct frame *top = &vm->frames[vm->n_frames - 1];
	vm->fp = vm->base + top->base;
	if (yes)
		return found(vm, &s, run->thrown_at);
	s.from++;
	return search_on(vm, s, &top->code->ops[run->thrown_at]);
}

/* ---- The first pass ---------------------------------------------------- */

/*
 * Look for the handler in the frame that @s stands in. False: there is none;
 * else *ret is what is next.
 */
static bool search_frame(struct vm *vm, struct search *s, const struct op *i,
			 const struct op **ret)
{
	const struct compiled *code = vm->frames[s->frame].code;
	const struct op *first = vm->frames[vm->n_frames - 1].code->ops;
	for (; s->from < code->n_clauses; s->from++) {
		const struct clause *c = &code->clauses[s->from];
		bool bad = false;
		if (c->kind > CLAUSE_FILTER || !covers(c, s->at) ||
		    !is_inside(vm->filter, s->frame, c))
			continue;
		if (c->kind == CLAUSE_FILTER)
			*ret = filter_begin(vm, s, i);
		else if (catches(vm, c, s->exception, i, &bad))
			*ret = found(vm, s, (uint64_t)(i - first));
		else if (bad)
			*ret = NULL;
		else
			continue;
		return true;
	}
	return false;
}

/* @i: where it was thrown, in the frame at the top. */
static const struct op *search_on(struct vm *vm, struct search s,
				  const struct op *i)
{
	const struct op *next;
	for (;;) {
		if (search_frame(vm, &s, i, &next))
			return next;
		if (!s.frame || asks_in(vm, s.frame) ||
		    vm->frames[s.frame].cctor)
			break;
		s.at = caller_at(vm, s.frame--);
		s.from = 0;
	}
	// The caller of the outermost method is taken to catch it: each
	// finally runs.
	const struct frame *top = &vm->frames[vm->n_frames - 1];
	return unwind(vm, (uint64_t)(i - top->code->ops), 0,
		      (struct clause_words){.exception = s.exception,
					    .frame = s.frame || vm->filter
							 ? (uint32_t)s.frame + 1
							 : 0,
					    .clause = CLAUSE_DROPS});
}

const struct op *throw_object(struct vm *vm, const struct op *i,
			      uint64_t exception)
{
	if (!exception)
		return throw_new(vm, i, "System.NullReferenceException");
	if (!vm->n_frames)
		return NULL;
	const struct compiled *code = vm->frames[vm->n_frames - 1].code;
	return search_on(vm,
			 (struct search){.exception = exception,
					 .frame = vm->n_frames - 1,
					 .at = (uint64_t)(i - code->ops)},
			 i);
}

/* ---- Operations -------------------------------------------------------- */

OP(op_throw)
{
	return throw_object(vm, i, get_u8(fp + i->a));
}

static void words_get(const struct vm *vm, const uint8_t *fp, uint32_t clause,
		      struct clause_words *ret)
{
	const struct compiled *code = vm->frames[vm->n_frames - 1].code;
	memcpy(ret, fp + code->clauses[clause].slot, sizeof(*ret));
}

/* n: the clause whose handler they are in. */
OP(op_rethrow)
{
	struct clause_words words;
	words_get(vm, fp, i->n, &words);
	return throw_object(vm, i, words.exception);
}

OP(op_leave_call)
{
	const struct compiled *code = vm->frames[vm->n_frames - 1].code;
	const struct clause *c = &code->clauses[i->n];
	words_set(
	    fp, c,
	    &(struct clause_words){.cont = (uint64_t)(i - code->ops) + 2});
	return &code->ops[c->start];
}

OP(op_end_finally)
{
	const struct compiled *code = vm->frames[vm->n_frames - 1].code;
	struct clause_words words;
	words_get(vm, fp, i->n, &words);
	if (words.cont && words.cont - 1 < code->n_ops)
		return &code->ops[words.cont - 1];
	if (words.at >= code->n_ops)
		return bad_frames(vm);
	return unwind(vm, words.at, i->n + 1, words);
}

OP(op_end_filter)
{
	if (vm->filter && vm->filter->search.from != i->n)
		return bad_frames(vm);
	return filter_end(vm, get_u4(fp + i->a) != 0);
}

OP(op_refuse)
{
	(void)fp;
	return vm_refuse(
	    vm, i, dbg_err(DBG_E_UNSUPPORTED, "%s", (const char *)i->x.p));
}
