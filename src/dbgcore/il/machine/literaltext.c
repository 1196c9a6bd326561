/*
 * The strings of literals: one object for each text, as in the program. The
 * machine makes its own ones; whether one of them is an object of the program
 * is looked up when the two are compared by reference.
 */
#include "il/machine/literaltext.h"
#include "dac/objectlayout.h"

#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "heap/heap.h"
#include "il/machine/ops.h"

/* Literals with equal hashes are chained. */
struct literal {
	struct literal *next;
	struct bytes text;
	uint64_t object; /* valid while the heap's epoch is @epoch */
	uint32_t epoch;
	bool sought; /* the program's was looked for; see vm_forget */
	enum interned is;
	uint64_t in_program;
};

static struct literal *literal_find(struct vm *vm, struct bytes text)
{
	uint64_t key = str_hash((const char *)text.p, text.n);
	struct literal *l = map_find(&vm->literals, key);

	while (l && (l->text.n != text.n || memcmp(l->text.p, text.p, text.n)))
		l = l->next;
	return l;
}

uint64_t literal_object(struct vm *vm, struct bytes text)
{
	// memcmp takes no NULL, which the text of "" may be
	if (!text.n)
		text.p = (const uint8_t *)"";

	struct literal *l = literal_find(vm, text);

	if (!l) {
		uint64_t key = str_hash((const char *)text.p, text.n);

		l = arena_calloc(vm->arena, 1, sizeof(*l));
		l->text = (struct bytes){
		    text.n ? arena_copy(vm->arena, text.p, text.n, 1) : text.p,
		    text.n};
		l->next = map_find(&vm->literals, key);
		map_put(&vm->literals, key, l);
	}
	if (l->object && l->epoch == vm->epoch)
		return l->object;
	l->object = vm_new_string(vm, NULL, text.n / 2);
	if (l->object)
		vm_write(vm, l->object + STRING_CHARS, text.p, text.n);
	l->epoch = vm->epoch;
	l->sought = false;
	return l->object;
}

void literals_forget(struct vm *vm)
{
	for (size_t i = 0; i < vm->literals.cap; i++)
		for (struct literal *l = vm->literals.slots[i].value; l;
		     l = l->next)
			l->sought = false;
}

static bool length_of(struct vm *vm, uint64_t object, uint32_t *ret)
{
	struct type *type = object_type(vm, object);

	return type && type->special == TYPE_SPECIAL_STRING &&
	       vm_read(vm, object + STRING_LENGTH, ret, sizeof(*ret));
}

/* The text of the string @object, in scratch memory; p NULL: it is none. */
static struct bytes text_of(struct vm *vm, uint64_t object)
{
	struct bytes text = {0};
	uint32_t n;
	uint8_t *p;

	if (!length_of(vm, object, &n) || n > LITERAL_UNITS_MAX)
		return text;
	p = arena_alloc(vm->scratch, 2 * (size_t)n + 1);
	if (vm_read(vm, object + STRING_CHARS, p, 2 * (size_t)n))
		text = (struct bytes){p, 2 * (size_t)n};
	return text;
}

/* Look in the program for the string of a literal. */
static enum interned in_program(struct vm *vm, struct literal *l,
				struct bytes text, uint64_t *ret)
{
	enum interned is;

	if (l && l->sought) {
		*ret = l->in_program;
		return l->is;
	}
	is = interned_find(types_target(vm->ts), types_dac(vm->ts), text.p,
			   text.n / 2, ret);
	if (l) {
		l->sought = true;
		l->is = is;
		l->in_program = *ret;
	}
	return is;
}

void literal_adopt(struct vm *vm, uint64_t object)
{
	struct bytes text = text_of(vm, object);
	struct literal *l;

	if (!text.p || !literal_object(vm, text))
		return;
	l = literal_find(vm, text);
	if (vm_owns(vm, object)) {
		l->object = object;
	} else {
		l->sought = true;
		l->is = INTERNED_AT;
		l->in_program = object;
	}
}

enum interned literal_interned(struct vm *vm, uint64_t object, uint64_t *ret)
{
	struct bytes text = text_of(vm, object);
	struct literal *l = text.p ? literal_find(vm, text) : NULL;
	enum interned is;

	if (!text.p)
		return INTERNED_UNSURE;
	is = in_program(vm, l, text, ret);
	if (is == INTERNED_NONE && l && l->object && l->epoch == vm->epoch) {
		*ret = l->object;
		return INTERNED_AT;
	}
	return is;
}

/* The literal whose string the machine's @object is; NULL: none. */
static struct literal *literal_of(struct vm *vm, uint64_t object,
				  struct bytes *text)
{
	*text = vm_owns(vm, object) ? text_of(vm, object) : (struct bytes){0};

	struct literal *l = text->p ? literal_find(vm, *text) : NULL;

	return l && l->object == object && l->epoch == vm->epoch ? l : NULL;
}

uint64_t literal_twin(struct vm *vm, uint64_t object)
{
	struct bytes text;
	struct literal *l = literal_of(vm, object, &text);
	uint64_t at;

	return l && in_program(vm, l, text, &at) == INTERNED_AT ? at : object;
}

/* Are the objects, which differ, one in the program? -1: it is not known. */
static int literal_same(struct vm *vm, uint64_t a, uint64_t b)
{
	uint64_t own = vm_owns(vm, a) ? a : b, other = own == a ? b : a, at;
	struct bytes text, has;
	uint32_t n, m;

	if (!a || !b || !vm_owns(vm, own) || vm_owns(vm, other) ||
	    !length_of(vm, own, &n) || !length_of(vm, other, &m) || n != m)
		return 0;

	struct literal *l = literal_of(vm, own, &text);

	has = l ? text_of(vm, other) : (struct bytes){0};
	if (!has.p || memcmp(has.p, text.p, text.n))
		return 0;
	switch (in_program(vm, l, text, &at)) {
	case INTERNED_NONE:
		return 0;
	case INTERNED_AT:
		return at == other;
	default:
		return -1;
	}
}

/* n: it is to be known, since nothing but the reference is asked for. */
static bool literal_compare(struct vm *vm, const struct op *i,
			    const uint8_t *fp, bool *ret)
{
	uint64_t a = get_u8(fp + i->a), b = get_u8(fp + i->b);
	int is = a == b ? 1 : literal_same(vm, a, b);

	*ret = is > 0;
	return is >= 0 || !i->n;
}

static const struct op *unknown(struct vm *vm, const struct op *i)
{
	return vm_refuse(vm, i,
			 dbg_err(DBG_E_UNSUPPORTED,
				 "whether an object is the very string of a "
				 "literal is in a table of the runtime's: "
				 "compare them as strings, or ask 'Equals'"));
}

#define OP(name)                                                               \
	const struct op *name(struct vm *vm, const struct op *i, uint8_t *fp)

OP(op_same)
{
	bool is;

	if (!literal_compare(vm, i, fp, &is))
		return unknown(vm, i);
	put_i4(fp + i->d, is);
	return i + 1;
}

OP(op_if_same)
{
	bool is;

	if (!literal_compare(vm, i, fp, &is))
		return unknown(vm, i);
	return is ? i->x.to : i + 1;
}

OP(op_if_other)
{
	bool is;

	if (!literal_compare(vm, i, fp, &is))
		return unknown(vm, i);
	return is ? i + 1 : i->x.to;
}
