/*
 * Any bytes as the IL of a method with arguments, locals and handlers, which
 * may call itself: compiled and executed under a small budget. No write may
 * leave the machine's memory; the sanitizers watch, and there is no program.
 */
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "code/code.h"
#include "il/made.h"
#include "types/types_priv.h"
#include "il/vm.h"
#include "fuzztarget.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	CLAUSES_MAX = 4,
	CLAUSE_BYTES = 6,
	LOCALS = 6,
};

/* Without a core library: a number is what its layout says. */
static struct type *prim(struct types *ts, struct arena *arena, enum elem elem,
			 uint32_t size)
{
	struct type *type = arena_alloc(arena, sizeof(*type));

	type->kind = TYPE_KIND_PRIM;
	type->elem = elem;
	type->is_value = elem != ELEM_VOID;
	type->facts = arena_alloc(arena, sizeof(*type->facts));
	type->facts->has_layout = true;
	type->facts->layout = (struct type_layout){size, size, size, false};
	type->facts->name = "number";
	ts->prims[elem] = type;
	return type;
}

/* Clauses are taken from the front of the input. */
static size_t take_clauses(const uint8_t **data, size_t *size,
			   struct type_eh *ret)
{
	static const uint32_t kinds[] = {0, 1, 2, 4};
	size_t n = *size ? (*data)[0] % (CLAUSES_MAX + 1) : 0;

	if (*size < 1 + n * CLAUSE_BYTES)
		return 0;
	for (size_t i = 0; i < n; i++) {
		const uint8_t *p = *data + 1 + i * CLAUSE_BYTES;
		ret[i] = (struct type_eh){
		    .flags = kinds[p[0] % 4],
		    .try_start = p[1],
		    .try_end = p[2],
		    .handler_start = p[3],
		    .handler_end = p[4],
		    .filter = p[5],
		};
	}
	*data += 1 + n * CLAUSE_BYTES;
	*size -= 1 + n * CLAUSE_BYTES;
	return n;
}

static void execute(struct values *values, struct arena *arena,
		    const struct made_code *code, const struct type_sig *sig,
		    struct made_entry *pool)
{
	const struct vm_budget budget = {
	    .instructions = 20000, .memory = 1 << 20, .depth = 50, .ms = 200};
	struct vm *vm = vm_create(values);
	struct vm_value args[2];
	struct vm_result r = {0};
	struct type_method *m = made_create(arena, "fuzz", sig, code);

	pool[0] = (struct made_entry){.kind = MADE_METHOD, .method = m};
	for (size_t i = 0; i < 2; i++) {
		uint64_t v = 0x10000 + i;
		args[i].type = sig->params[i];
		args[i].addr = vm_room(vm, sizeof(v));
		vm_write(vm, args[i].addr, &v, sizeof(v));
	}
	struct dbg_error *err = vm_begin(vm, m, args, 2, &budget);
	if (!err)
		vm_run(vm, 0, &r);
	dbg_error_destroy(err);
	dbg_error_destroy(r.error);
	vm_destroy(vm);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct target_ops ops = {.read = fuzz_read_pages,
					      .write = fuzz_write_none,
					      .frozen = fuzz_never_frozen};
	struct target target;
	struct type_eh clauses[CLAUSES_MAX];
	struct made_entry pool[2];

	target_init(&target, &ops, 1);
	struct code *code = code_create(&target, NULL, NULL, NULL);
	struct values *values = values_create(&target, NULL, code);
	struct types *ts = values_types(values);
	struct arena *arena = arena_create();
	struct type *i4 = prim(ts, arena, ELEM_I4, 4);
	struct type *i8 = prim(ts, arena, ELEM_I8, 8);
	struct type *locals[LOCALS] = {
	    i4,
	    i8,
	    prim(ts, arena, ELEM_R8, 8),
	    prim(ts, arena, ELEM_U1, 1),
	    prim(ts, arena, ELEM_I, 8),
	    prim(ts, arena, ELEM_R4, 4),
	};
	prim(ts, arena, ELEM_I1, 1);
	prim(ts, arena, ELEM_I2, 2);
	prim(ts, arena, ELEM_U2, 2);
	prim(ts, arena, ELEM_U4, 4);
	struct type *params[2] = {i4, i8};
	const struct type_sig sig = {
	    .ret = i4, .params = params, .n_params = 2};

	pool[1] = (struct made_entry){.kind = MADE_TYPE, .type = i8};
	size_t n = take_clauses(&data, &size, clauses);
	const struct made_code made = {.code = {data, size},
				       .locals = locals,
				       .n_locals = LOCALS,
				       .clauses = clauses,
				       .n_clauses = n,
				       .pool = pool,
				       .n_pool = 2};
	execute(values, arena, &made, &sig, pool);
	arena_destroy(arena);
	values_destroy(values);
	code_destroy(code);
	target_deinit(&target);
	return 0;
}
