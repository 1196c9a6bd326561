/*
 * Expressions evaluated where nothing is known but the language: each line is
 * a value, and what comes of it is printed in every format.
 */
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "code/code.h"
#include "eval/eval.h"
#include "il/vm.h"
#include "fuzztarget.h"
#include "view/view.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// There is no memory.
static size_t read_none(struct target *t, uint64_t addr, void *buf, size_t n)
{
	(void)t;
	(void)addr;
	(void)buf;
	(void)n;
	return 0;
}

static void print(struct values *ts, const struct value *v, struct arena *arena)
{
	static const char letters[] = "xduotcazs";
	const struct view view = {
	    .values = ts,
	    .arena = arena,
	    .elements = 10,
	};
	_cleanup_str_ struct str out = {0};

	view_text(&view, v, &out);
	for (const char *letter = letters; *letter; letter++)
		dbg_error_destroy(view_format(&view, v, *letter, &out));
}

static void evaluate(struct values *ts, struct vm *vm, struct history *history,
		     const char *text)
{
	const struct scope scope = {0};
	struct arena *arena = arena_create();
	const struct eval e = {.values = ts,
			       .vm = vm,
			       .scope = &scope,
			       .history = history,
			       .arena = arena};
	struct value v, place;
	bool any;

	struct dbg_error *err = eval_value(&e, text, &v);
	if (!err)
		print(ts, &v, arena);
	dbg_error_destroy(err);
	dbg_error_destroy(eval_condition(&e, text, &any));
	dbg_error_destroy(eval_statement(&e, text, &v, &place, &any));
	eval_type(&e, text);
	arena_destroy(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct target_ops ops = {.read = read_none,
					      .frozen = fuzz_never_frozen};
	struct target target;
	struct reader r;

	target_init(&target, &ops, 1);
	struct code *code = code_create(&target, NULL, NULL, NULL);
	struct values *ts = values_create(&target, NULL, code);
	struct vm *vm = vm_create(ts);
	struct followed followed = {0};
	struct history *history = history_create(&followed);
	reader_init(&r, data, size);
	while (reader_left(&r)) {
		const uint8_t *eol = memchr(r.p, '\n', reader_left(&r));
		size_t n = eol ? (size_t)(eol - r.p) : reader_left(&r);
		struct bytes line = reader_bytes(&r, n);
		_cleanup_free_ char *text =
		    xstrndup((const char *)line.p, line.n);

		evaluate(ts, vm, history, text);
		reader_skip(&r, eol != NULL);
	}
	history_destroy(history);
	vm_destroy(vm);
	values_destroy(ts);
	code_destroy(code);
	target_deinit(&target);
	return 0;
}
