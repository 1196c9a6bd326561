/*
 * Exceptions inside of the execution, and its other ends.
 *
 * One pass outward from where it was thrown: a finally or fault runs when it
 * is met, a filter is asked when it is met. What a handler has to know (the
 * exception, where to go on) is in words of its frame. These are data that
 * IL can write over through a stray pointer: they are checked when used.
 */
#include "il/machine/ops.h"

#include "base/err.h"

#define OP(name)                                                               \
	const struct op *name(struct vm *vm, const struct op *i, uint8_t *fp)

/* ---- The ends ----------------------------------------------------------- */

const struct op *vm_refuse(struct vm *vm, const struct op *i,
			   struct dbg_error *err)
{
	(void)i;
	if (vm->n_frames) {
		struct il_method *in =
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
};

static void exception_field(struct vm *vm, uint64_t object,
			    struct il_type *type, const char *name,
			    const void *v, size_t n)
{
	struct il_field *field = NULL;
	uint32_t offset;
	if (!dbg_err_drop(il_field_find(vm->ts, type, name, &field)) && field &&
	    !dbg_err_drop(il_field_offset(vm->ts, field, &offset)))
		vm_write(vm, object + 8 + offset, v, n);
}

uint64_t exception_new(struct vm *vm, const char *name)
{
	struct il_type *type =
	    vm->budget.plain ? NULL : il_type_core(vm->ts, name);
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
	struct il_type *type = object_type(vm, exception);
	bool fits = false;
	*ret_bad = false;
	if (!type || !c->caught)
		return false;
	struct dbg_error *err =
	    il_type_assignable(vm->ts, type, c->caught, &fits);
	if (err) {
		vm_refuse(vm, i, err);
		*ret_bad = true;
	}
	return fits;
}

static void words_set(uint8_t *fp, const struct clause *c, uint64_t cont,
		      uint64_t exception, uint64_t at)
{
	put_u8(fp + c->slot + CLAUSE_CONT, cont);
	put_u8(fp + c->slot + CLAUSE_EXCEPTION, exception);
	put_u8(fp + c->slot + CLAUSE_AT, at);
}

/* Where the frame at the top goes on; NULL: it has no handler, or the end. */
static const struct op *handler(struct vm *vm, uint64_t at, size_t from,
				uint64_t exception, bool *ret_end)
{
	const struct compiled *code = vm->frames[vm->n_frames - 1].code;
	*ret_end = false;
	for (size_t k = from; k < code->n_clauses; k++) {
		const struct clause *c = &code->clauses[k];
		if (at < c->try_start || at >= c->try_end)
			continue;
		if (c->kind == CLAUSE_CATCH &&
		    !catches(vm, c, exception, &code->ops[at], ret_end)) {
			if (*ret_end)
				return NULL;
			continue;
		}
		words_set(vm->fp, c, 0, exception, at);
		if (c->kind <= CLAUSE_FILTER)
			put_u8(vm->fp + c->exception, exception);
		return &code->ops[c->kind == CLAUSE_FILTER ? c->filter
							   : c->start];
	}
	return NULL;
}

static const struct op *unwind(struct vm *vm, uint64_t at, size_t from,
			       uint64_t exception)
{
	for (;;) {
		bool end;
		const struct op *next = handler(vm, at, from, exception, &end);
		if (next || end)
			return next;
		struct frame *f = &vm->frames[vm->n_frames - 1];
		bool again = f->cctor != NULL;
		if (f->cctor)
			vm_class_of(vm, f->cctor)->state = CLASS_FAILED;
		frame_pop(vm);
		if (!vm->n_frames) {
			vm->thrown = exception;
			vm->state = VM_THROWN;
			return NULL;
		}
		f = &vm->frames[vm->n_frames - 1];
		at = (uint64_t)(f->ip - f->code->ops) - (again ? 0 : 1);
		from = 0;
	}
}

const struct op *throw_object(struct vm *vm, const struct op *i,
			      uint64_t exception)
{
	if (!exception)
		return throw_new(vm, i, "System.NullReferenceException");
	if (!vm->n_frames)
		return NULL;
	const struct compiled *code = vm->frames[vm->n_frames - 1].code;
	return unwind(vm, (uint64_t)(i - code->ops), 0, exception);
}

/* ---- Operations -------------------------------------------------------- */

OP(op_throw)
{
	return throw_object(vm, i, get_u8(fp + i->a));
}

/* n: the clause whose handler they are in. */
OP(op_rethrow)
{
	const struct compiled *code = vm->frames[vm->n_frames - 1].code;
	return throw_object(
	    vm, i, get_u8(fp + code->clauses[i->n].slot + CLAUSE_EXCEPTION));
}

OP(op_leave_call)
{
	const struct compiled *code = vm->frames[vm->n_frames - 1].code;
	const struct clause *c = &code->clauses[i->n];
	words_set(fp, c, (uint64_t)(i - code->ops) + 2, 0, 0);
	return &code->ops[c->start];
}

static const struct op *go_on(struct vm *vm, uint32_t k, const struct op *i,
			      uint8_t *fp)
{
	const struct compiled *code = vm->frames[vm->n_frames - 1].code;
	const struct clause *c = &code->clauses[k];
	uint64_t at = get_u8(fp + c->slot + CLAUSE_AT);
	if (at >= code->n_ops)
		return vm_refuse(
		    vm, i,
		    dbg_err(DBG_E_FORMAT, "its own frame was written over"));
	return unwind(vm, at, k + 1, get_u8(fp + c->slot + CLAUSE_EXCEPTION));
}

OP(op_end_finally)
{
	const struct compiled *code = vm->frames[vm->n_frames - 1].code;
	uint64_t cont = get_u8(fp + code->clauses[i->n].slot + CLAUSE_CONT);
	if (cont && cont - 1 < code->n_ops)
		return &code->ops[cont - 1];
	return go_on(vm, i->n, i, fp);
}

OP(op_end_filter)
{
	const struct compiled *code = vm->frames[vm->n_frames - 1].code;
	const struct clause *c = &code->clauses[i->n];
	if (!get_u4(fp + i->a))
		return go_on(vm, i->n, i, fp);
	put_u8(fp + c->exception, get_u8(fp + c->slot + CLAUSE_EXCEPTION));
	return &code->ops[c->start];
}

OP(op_refuse)
{
	(void)fp;
	return vm_refuse(
	    vm, i, dbg_err(DBG_E_UNSUPPORTED, "%s", (const char *)i->x.p));
}
