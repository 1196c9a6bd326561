/* Values that outlive the calls of a stop. */
#include "eval/followed.h"

#include <string.h>

#include "base/err.h"
#include "il/vm.h"

void followed_clear(struct followed *f)
{
	f->age++;
	f->n = 0;
}

/* Number of the object at @addr; 0: there is no room for it. */
static uint8_t number_of(struct followed *f, uint64_t addr)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->v[i].object == addr)
			return (uint8_t)(i + 1);
	if (f->n == FOLLOWED_MAX)
		return 0;
	f->v[f->n++] = (struct followed_object){.object = addr};
	return (uint8_t)f->n;
}

/* Mark the word of a part that is a reference in @arg, an array of them. */
static bool mark_reference(void *arg, struct type *part, uint32_t at)
{
	bool *words = arg;

	if (part->kind == TYPE_KIND_BYREF ||
	    at >= FOLLOWED_WORDS * sizeof(uint64_t))
		return false;
	if (part->is_reference)
		words[at / sizeof(uint64_t)] = true;
	return true;
}

static bool take_references(struct followed *f, struct values *ts,
			    struct followed_value *k)
{
	bool words[FOLLOWED_WORDS] = {false};

	if (!value_type_each_part(ts, k->value.type, mark_reference, words))
		return false;
	for (size_t i = 0; i < FOLLOWED_WORDS; i++) {
		uint64_t addr;

		memcpy(&addr, k->value.bytes + i * sizeof(addr), sizeof(addr));
		if (!words[i] || !addr)
			continue;
		if (!vm_owns(NULL, addr))
			k->objects[i] = number_of(f, addr);
		if (!k->objects[i])
			return false;
	}
	return true;
}

void followed_take(struct followed *f, struct values *ts, const struct value *v,
		   struct followed_value *ret)
{
	struct value at = *v;
	uint8_t bytes[sizeof(at.bytes)] = {0};

	if (at.type && at.type->kind == TYPE_KIND_BYREF)
		at = value_target(ts, &at);
	*ret = (struct followed_value){.value = at, .age = f->age};
	if (at.where != VALUE_MEMORY && at.where != VALUE_BYTES)
		return;
	size_t size = type_size(at.type);
	// A value at a fixed place, which the GC never moves, is still found
	// there after a call.
	ret->is_kept = size > sizeof(bytes) && at.fixed;
	if (!size || size > sizeof(bytes) ||
	    !value_read(ts, &at, 0, bytes, size))
		return;
	ret->value = value_bytes(at.type, bytes, size);
	ret->is_kept = take_references(f, ts, ret);
}

bool followed_get(const struct followed *f, const struct followed_value *k,
		  struct value *ret)
{
	struct value now = k->value;

	if (!k->is_kept || k->age != f->age)
		return false;
	for (size_t i = 0; i < FOLLOWED_WORDS; i++) {
		uint64_t addr = 0;

		if (!k->objects[i])
			continue;
		addr = f->v[k->objects[i] - 1].object;
		if (!addr)
			return false;
		memcpy(now.bytes + i * sizeof(addr), &addr, sizeof(addr));
	}
	*ret = now;
	return true;
}
