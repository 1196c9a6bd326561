/*
 * What a runtime counts from its beginning on: exceptions, and the time that
 * collections have held up its threads. Both are statics without a symbol. The
 * functions that return them to managed code have names in the runtime's tables
 * (vm/comutilnative.cpp: ExceptionNative::GetExceptionCount and
 * GCInterface::GetTotalPauseDuration, which calls that of the collector,
 * gc/gc.cpp). Each is one load of the static, compiled to the same code in .NET
 * 8 to 11, for workstation and server collectors. Where the code is another
 * nothing is known.
 */
#include <string.h>

#include "dac/dac_priv.h"
#include "target/target.h"

enum {
	HEAD = 7, /* push rbp; mov rbp, rsp; lea or mov rax, [rip + ... */
	TAIL_MAX = 9,
	CODE_SIZE = HEAD + 4 + TAIL_MAX + 4,
};

/* A function's code: an operand relative to it is between the two. */
struct load_code {
	uint8_t head[HEAD], tail[TAIL_MAX];
	size_t n_tail;
};

static const struct load_code exception_count = {
    .head = {0x55, 0x48, 0x89, 0xe5, 0x48, 0x8d, 0x05},
    .tail = {0x8b, 0x00, 0x5d, 0xc3}, /* mov eax, [rax] */
    .n_tail = 4,
};

/* The collector's object and its virtual function. */
static const struct load_code pause_call = {
    .head = {0x55, 0x48, 0x89, 0xe5, 0x48, 0x8d, 0x05},
    .tail = {0x48, 0x8b, 0x38,  /* mov rdi, [rax] */
	     0x48, 0x8b, 0x07,  /* mov rax, [rdi] */
	     0x5d, 0xff, 0xa0}, /* jmp [rax + ...] */
    .n_tail = 9,
};

/* Microseconds, made into units of 100 ns. */
static const struct load_code pause_time = {
    .head = {0x55, 0x48, 0x89, 0xe5, 0x48, 0x8b, 0x05},
    .tail = {0x48, 0x01, 0xc0,       /* add rax, rax */
	     0x48, 0x8d, 0x04, 0x80, /* lea rax, [rax + 4 * rax] */
	     0x5d, 0xc3},
    .n_tail = 9,
};

// Where the operand of the function at @addr lies, and the four bytes behind
// its code; 0: its code is not @form.
static uint64_t load_match(struct dac *d, uint64_t addr,
			   const struct load_code *form, uint32_t *ret_next)
{
	uint8_t code[CODE_SIZE];
	int32_t operand;

	if (!addr || target_read_some(d->target, addr, code, sizeof(code)) !=
			 sizeof(code))
		return 0;
	const uint8_t *tail = code + HEAD + sizeof(operand);
	if (memcmp(code, form->head, HEAD) ||
	    memcmp(tail, form->tail, form->n_tail))
		return 0;
	memcpy(&operand, code + HEAD, sizeof(operand));
	memcpy(ret_next, tail + form->n_tail, sizeof(*ret_next));
	return addr + HEAD + sizeof(operand) + (uint64_t)(int64_t)operand;
}

// The only function of that name; 0: none, or several.
static uint64_t function_named(struct dac *d, const char *name)
{
	uint64_t found[TARGET_OVERLOADS];

	dac_native_functions(d, name, found);
	return found[1] ? 0 : found[0];
}

static void totals_find(struct dac *d)
{
	struct dac_total_places *p = &d->runtime.totals;
	uint32_t next;

	p->asked = true;
	p->exceptions = load_match(d, function_named(d, "GetExceptionCount"),
				   &exception_count, &next);
	uint64_t call = function_named(d, "_GetTotalPauseDuration");
	uint64_t collector = load_match(d, call, &pause_call, &next);
	if (!collector)
		return;
	uint64_t object = dac_word(d, collector);
	uint64_t functions = object ? dac_word(d, object) : 0;
	if (functions)
		p->paused = load_match(d, dac_word(d, functions + next),
				       &pause_time, &next);
}

void dac_totals_read(struct dac *d, struct dac_totals *ret)
{
	*ret = (struct dac_totals){0};
	if (!d->runtime.totals.asked)
		totals_find(d);
	const struct dac_total_places *p = &d->runtime.totals;

	ret->known =
	    p->exceptions && p->paused &&
	    target_read_some(d->target, p->exceptions, &ret->exceptions,
			     sizeof(ret->exceptions)) ==
		sizeof(ret->exceptions) &&
	    target_read_some(d->target, p->paused, &ret->paused_us,
			     sizeof(ret->paused_us)) == sizeof(ret->paused_us);
}
