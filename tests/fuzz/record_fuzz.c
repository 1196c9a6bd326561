/*
 * The record of updates (hot reload) in a program's memory. An input is parts,
 * each behind its size of four bytes: the file of a module, the objects to look
 * at, memory from BASE on. An object is its kind and where it is, two bytes
 * each.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "code/code.h"
#include "fuzztarget.h"
#include "inspect/updaterecord.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	BASE = 0x10000,
	BYTES = 0x5000, /* the MethodTable of byte[] */
	MODULE = 0x1000,
	OBJECTS_MAX = 64,
	OBJECT_MAX = 1024,
	ROWS_MAX = 16,
};

struct program {
	struct target target; /* first */
	struct bytes memory;
};

static size_t read_memory(struct target *t, uint64_t addr, void *buf, size_t n)
{
	struct bytes all = ((struct program *)t)->memory;

	if (addr < BASE || addr - BASE >= all.n)
		return 0;
	if (n > all.n - (addr - BASE))
		n = all.n - (addr - BASE);
	memcpy(buf, all.p + (addr - BASE), n);
	return n;
}

static const char *no_root(const struct target *t)
{
	(void)t;
	return "";
}

static bool is_bytes(void *arg, uint64_t mt)
{
	(void)arg;
	return mt == BYTES;
}

static struct bytes part(struct reader *r)
{
	return reader_bytes(r, reader_u32(r));
}

static void ask(struct code_module *m)
{
	size_t sum = code_updates(m);

	for (uint32_t rid = 1; rid <= ROWS_MAX; rid++)
		for (uint32_t version = 0; version <= 4; version++)
			sum += code_method_il(m, MD_TOKEN(MD_METHODDEF, rid),
					      version)
				   .n;
	if (sum == SIZE_MAX)
		abort();
}

static void look(struct program *p, struct code *code, struct code_module *m,
		 struct bytes objects)
{
	static const struct update_shape shapes[] = {
	    {.offsets = {40, 8, 16, 24}},
	    {.is_array = true, .size = 48, .offsets = {40, 8, 16, 24}},
	    {.is_array = true, .size = 0, .offsets = {32, 8, 16, 24}},
	};
	struct update_records found = {
	    .code = code, .target = &p->target, .is_bytes = is_bytes};
	_cleanup_str_ struct str said = {0};
	struct reader r;

	reader_init(&r, objects.p, objects.n);
	for (int i = 0; i < OBJECTS_MAX && reader_left(&r) >= 4; i++) {
		uint32_t kind = reader_u16(&r), at = reader_u16(&r);

		update_records_add(&found, &shapes[kind % 3], BASE + at,
				   OBJECT_MAX);
	}
	update_records_apply(&found, m, &said);
	if (!said.len)
		abort();
	ask(m);
	update_records_deinit(&found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct target_ops ops = {.read = read_memory,
					      .write = fuzz_write_none,
					      .frozen = fuzz_never_frozen,
					      .root = no_root};
	struct program p;
	struct reader r;
	struct code_module *m;

	reader_init(&r, data, size);
	struct bytes image = part(&r), objects = part(&r);
	p.memory = part(&r);
	target_init(&p.target, &ops, 1);
	uint8_t *file = malloc(image.n + 1);
	memcpy(file, image.p ? image.p : data, image.n);
	struct code *code = code_create(&p.target, NULL, NULL, NULL);
	const struct dac_module dm = {.addr = MODULE,
				      .path = "",
				      .name = "m",
				      .n_updates = (uint32_t)(objects.n / 4)};
	struct dbg_error *err =
	    code_module_add_image(code, &dm, (struct bytes){file, image.n}, &m);
	if (!err)
		look(&p, code, m, objects);
	dbg_error_destroy(err);
	code_destroy(code);
	target_deinit(&p.target);
	return 0;
}
