/*
 * The calling convention of managed code on x86-64 (System V). A value of at
 * most 16 bytes is returned in rax and rdx, its floating-point halves in xmm0
 * and xmm1; a larger one in the caller's memory, whose address is in rax.
 * Floating-point halves of arguments are in xmm0 to xmm7 while there are any
 * left; a structure is passed either in registers or on the stack as a whole.
 */
#include "value/value.h"
#include "value/value_priv.h"

#include <string.h>

#include "base/err.h"
#include "meta/md.h"
#include "target/target.h"

enum {
	HALF = 8,
	HALVES = 2,
	XMM_AT = 128, /* in fpregs.rest: behind eight x87 registers */
	XMM_SIZE = 16,
	XMM_ARGS = 8,
};

/* What one half (8 bytes) of a structure holds. */
enum half {
	HALF_NOTHING,
	HALF_FLOAT,
	HALF_INTEGER, /* or both: it is in a general register then */
};

/* Types whose registers are no matter of their fields: vectors, Int128. */
static bool is_special(const struct type *type)
{
	return type->special == TYPE_SPECIAL_INT128 ||
	       type->special == TYPE_SPECIAL_UINT128 ||
	       !strncmp(value_type_name(type), "System.Runtime.Intrinsics.",
			26) ||
	       !strncmp(value_type_name(type), "System.Numerics.Vector<", 23);
}

static bool is_float(const struct type *type)
{
	return type->kind == TYPE_KIND_PRIM &&
	       (type->elem == ELEM_R4 || type->elem == ELEM_R8);
}

/* The two halves of a value. */
struct halves {
	struct values *ts;
	enum half is[HALVES];
	const struct type *moved[HALVES]; /* what may move in them */
};

/*
 * Has the struct an instance field? Runtimes differ in how they pass a struct
 * without fields.
 */
static bool has_fields(struct values *ts, struct type *type)
{
	const struct field *fields;
	size_t n;

	value_type_fields(ts, type, &fields, &n);
	while (n && fields[n - 1].kind != FIELD_INSTANCE)
		n--;
	return n;
}

static bool take_part(void *arg, struct type *part, uint32_t at)
{
	struct halves *h = arg;

	if (!type_size(part) || at > HALVES * HALF ||
	    type_size(part) > HALVES * HALF - at || is_special(part))
		return false;
	if (part->kind == TYPE_KIND_STRUCT)
		return has_fields(h->ts, part);
	if (at % type_size(part))
		return false;
	enum half is = is_float(part) ? HALF_FLOAT : HALF_INTEGER;
	enum half *half = &h->is[at / HALF];

	*half = *half > is ? *half : is;
	if (part->is_reference || part->kind == TYPE_KIND_BYREF)
		h->moved[at / HALF] = part;
	return true;
}

/* False: a value of @type is returned in memory, or that is not known. */
static bool classify(struct values *ts, struct type *type, struct halves *ret)
{
	*ret = (struct halves){
	    .ts = ts,
	    .is = {HALF_NOTHING},
	};
	return value_type_each_part(ts, type, take_part, ret);
}

enum value_moved value_returned_moved(struct values *ts, struct type *type)
{
	struct halves halves;

	if (!classify(ts, type, &halves))
		return VALUE_MOVED_OTHER;
	const struct type *const *moved = halves.moved;
	// the first of the general registers has the first half that is in one
	size_t first = halves.is[0] == HALF_FLOAT;
	if (!moved[0] && !moved[1])
		return VALUE_MOVED_NOTHING;
	if (!moved[first] || !moved[first]->is_reference)
		return VALUE_MOVED_OTHER;
	if (first == 1)
		return VALUE_MOVED_BEHIND;
	return !moved[1] ? VALUE_MOVED_FIRST : VALUE_MOVED_OTHER;
}

/* The value of @type in the registers that @halves tell of. */
static struct value in_registers(struct target *t, pid_t tid, struct type *type,
				 const enum half halves[HALVES])
{
	struct regs regs;
	struct fpregs fpregs;
	uint8_t bytes[HALVES * HALF] = {0};
	size_t integers = 0, floats = 0;
	struct dbg_error *err = target_regs(t, tid, &regs);

	if (!err)
		err = target_fpregs(t, tid, &fpregs);
	if (dbg_err_drop(err))
		return value_absent(NULL, WHY_NONE, 0);

	const uint64_t general[HALVES] = {regs.rax, regs.rdx};

	for (size_t i = 0; i * HALF < type_size(type); i++) {
		if (halves[i] == HALF_NOTHING)
			return value_absent(NULL, WHY_NONE, 0);
		const void *from =
		    halves[i] == HALF_INTEGER
			? (const void *)&general[integers++]
			: &fpregs.rest[XMM_AT + XMM_SIZE * floats++];
		memcpy(bytes + i * HALF, from, HALF);
	}
	return value_bytes(type, bytes, type_size(type));
}

struct value value_returned(struct values *ts, pid_t tid, struct type *type)
{
	struct target *t = values_target(ts);
	struct halves halves;
	struct regs regs;

	if (type->elem == ELEM_VOID || !type_size(type))
		return value_absent(NULL, WHY_NONE, 0);
	if (type_size(type) <= sizeof(((struct value *)NULL)->bytes))
		return classify(ts, type, &halves)
			   ? in_registers(t, tid, type, halves.is)
			   : value_absent(NULL, WHY_NONE, 0);

	struct dbg_error *err = target_regs(t, tid, &regs);

	if (dbg_err_drop(err) || is_special(type))
		return value_absent(NULL, WHY_NONE, 0);
	return value_memory(type, regs.rax);
}

uint64_t value_suspended(struct target *t, pid_t tid)
{
	struct regs regs;

	return dbg_err_drop(target_regs(t, tid, &regs)) ? 0 : regs.rcx;
}

bool value_has_floats(struct values *ts, struct type *type)
{
	struct halves halves;

	return classify(ts, type, &halves) &&
	       (halves.is[0] == HALF_FLOAT || halves.is[1] == HALF_FLOAT);
}

// Read the halves of an argument that are passed in xmm registers, the first in
// the register @first, into @bytes.
static bool take_floats(struct target *t, pid_t tid,
			const enum half halves[HALVES], size_t first,
			uint8_t bytes[HALVES * HALF])
{
	struct fpregs fpregs;

	if (dbg_err_drop(target_fpregs(t, tid, &fpregs)))
		return false;
	for (size_t i = 0; i < HALVES; i++)
		if (halves[i] == HALF_FLOAT)
			memcpy(bytes + i * HALF,
			       &fpregs.rest[XMM_AT + XMM_SIZE * first++], HALF);
	return true;
}

// Is the argument passed in floating-point registers alone? The runtime tells
// no place for it (.NET 11), or a wrong one.
static bool is_passed_in_floats(const struct value *v,
				const enum half halves[HALVES])
{
	return v->where == VALUE_ABSENT && v->why == WHY_OPTIMIZED &&
	       halves[0] != HALF_INTEGER && halves[1] != HALF_INTEGER;
}

void value_argument(struct values *ts, pid_t tid, size_t *n_floats,
		    struct value *v)
{
	struct type *type = v->type;
	struct halves halves;
	uint8_t bytes[HALVES * HALF] = {0};
	size_t n = 0;

	if (!classify(ts, type, &halves)) {
		// what vectors take is not known
		if (is_special(type))
			*n_floats = XMM_ARGS + 1;
		return;
	}
	for (size_t i = 0; i < HALVES; i++)
		n += halves.is[i] == HALF_FLOAT;
	if (!n || v->where == VALUE_MEMORY)
		return;
	if (is_passed_in_floats(v, halves.is))
		*v = value_bytes(type, bytes, sizeof(bytes));
	if (*n_floats + n > XMM_ARGS || v->where != VALUE_BYTES ||
	    !take_floats(values_target(ts), tid, halves.is, *n_floats,
			 v->bytes))
		*v = value_absent(type, WHY_OPTIMIZED, 0);
	*n_floats += n;
}

bool value_pass_word(struct passing *p, uint64_t word)
{
	struct regs *r = p->regs;
	uint64_t *const general[] = {&r->rdi, &r->rsi, &r->rdx,
				     &r->rcx, &r->r8,  &r->r9};

	if (p->n_general == sizeof(general) / sizeof(*general))
		return false;
	*general[p->n_general++] = word;
	return true;
}

bool value_pass(struct values *ts, struct type *type, const uint8_t *bytes,
		struct passing *p)
{
	struct passing now = *p;
	struct halves halves;

	if (!classify(ts, type, &halves))
		return false;
	for (size_t i = 0; i * HALF < type_size(type); i++) {
		uint64_t word = 0;
		size_t left = type_size(type) - i * HALF;

		memcpy(&word, bytes + i * HALF, left < HALF ? left : HALF);
		if (halves.is[i] == HALF_INTEGER) {
			if (!value_pass_word(&now, word))
				return false;
		} else if (halves.is[i] == HALF_NOTHING ||
			   now.n_floats == XMM_ARGS) {
			return false;
		} else {
			memcpy(&p->fpregs
				    ->rest[XMM_AT + XMM_SIZE * now.n_floats++],
			       &word, HALF);
		}
	}
	*p = now;
	return true;
}
