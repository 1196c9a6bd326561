/*
 * The JIT, where it is no library of its own but inside the program. Nothing
 * exported names it there; the runtime's manager of its code keeps a pointer
 * to it. The JIT is an object without fields: a table of virtual functions,
 * the first of which is compileMethod. No other word of the manager leads to
 * code of the image by two more steps.
 */
#include "dac/dac_priv.h"

#include <string.h>

enum {
	MANAGER_BYTES = 448, /* the pointer is at 392 (8, 9), 264 (10) */
	MANAGERS_MAX = 4,
	IL_MAX = 1 << 24,
};

struct range {
	uint64_t start, end;
};

static bool holds(const struct range *r, uint64_t addr)
{
	return addr >= r->start && addr < r->end;
}

static uint64_t deref(struct dac *d, uint64_t addr)
{
	uint64_t word = 0;

	return target_read_some(d->target, addr, &word, sizeof(word)) ==
		       sizeof(word)
		   ? word
		   : 0;
}

// The function that @word leads to if it points to such an object, or 0.
static uint64_t first_function(struct dac *d, const struct range *image,
			       const struct range *text, uint64_t word)
{
	if (!holds(image, word) || holds(text, word))
		return 0;
	uint64_t table = deref(d, word);
	if (!holds(image, table) || holds(text, table))
		return 0;
	uint64_t function = deref(d, table);
	return holds(text, function) ? function : 0;
}

static uint64_t find_compile(struct dac *d, const struct target_image *image)
{
	struct sos_jit_manager managers[MANAGERS_MAX] = {{0}};
	const struct range whole = {image->base, image->end};
	uint64_t words[MANAGER_BYTES / sizeof(uint64_t)];
	struct range text = {0};
	uint32_t n = 0;

	struct dbg_error *err =
	    target_image_text(d->target, image, &text.start, &text.end);
	if (dbg_err_drop(err) ||
	    DAC_CALL(d, d->sos, SOS_JIT_MANAGERS, (uint32_t)MANAGERS_MAX,
		     managers, &n) < 0)
		return 0;
	size_t got =
	    target_read_some(d->target, managers[0].addr, words, sizeof(words));
	for (size_t i = 0; i < got / sizeof(*words); i++) {
		uint64_t found = first_function(d, &whole, &text, words[i]);

		if (found)
			return found;
	}
	return 0;
}

bool dac_jit_inside(struct dac *d, const struct target_image *image,
		    uint64_t *ret)
{
	if (d->runtime.base != image->base)
		return false;
	*ret = find_compile(d, image);
	return true;
}

/*
 * ILCode, and behind it ILCodeSize: code of which the first and the last byte
 * can be read. Where one does not look so the structure is another.
 */
uint64_t dac_compiled_il(struct dac *d, uint64_t info)
{
	struct il {
		uint64_t code;
		uint32_t size;
	} il;
	struct dac_assumed at;
	uint8_t first, last;

	if (!dac_holds(d, ASSUME_JIT_IL, &at) ||
	    target_read_some(d->target, info + at.value, &il, sizeof(il)) !=
		sizeof(il))
		return 0;
	if (il.size && il.size <= IL_MAX &&
	    target_read_some(d->target, il.code, &first, 1) == 1 &&
	    target_read_some(d->target, il.code + il.size - 1, &last, 1) == 1)
		return il.code;
	dac_refute(d, ASSUME_JIT_IL);
	return 0;
}

void dac_native_functions(struct dac *d, const char *name, uint64_t *ret)
{
	struct target_image image = {.path = d->runtime.path,
				     .base = d->runtime.base};
	struct dbg_error *err = target_table_find(d->target, &image, name, ret);

	if (dbg_err_drop(err))
		memset(ret, 0, TARGET_OVERLOADS * sizeof(*ret));
}

/* Asked at every hit of a trap in the runtime, whose image stays where it is.
 */
bool dac_runtime_has(struct dac *d, uint64_t addr)
{
	struct arena *arena = d->runtime.end ? NULL : arena_create();
	struct target_image image;
	bool found = false;

	if (arena &&
	    !dbg_err_drop(target_image_at(d->target, d->runtime.base, arena,
					  &image, NULL, NULL, &found)) &&
	    found)
		d->runtime.end = image.end;
	arena_destroy(arena);
	return addr >= d->runtime.base && addr < d->runtime.end;
}
