/*
 * Methods of real assemblies (the core library and others of each runtime,
 * the fixtures), their IL changed here and there: interpreted with made up
 * arguments under a small budget. There is no program, so every type is one
 * that it has not loaded. A write to the program ends the test; the sanitizers
 * watch the rest.
 *
 * The input: which runtime, module and method, what stands for generic
 * parameters and arguments, then changes of EDIT_BYTES each.
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "code/code.h"
#include "types/types_priv.h"
#include "il/vm.h"
#include "meta/il.h"
#include "fuzztarget.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__asan_default_options(void);

/* What the libraries keep from one input to the next would be looked through.
 */
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

enum {
	N_RUNTIMES = 3,
	EDITS_MAX = 8,
	EDIT_BYTES = 5,
	INSTRUCTIONS_MAX = 4096,
	LOCALS_MAX = 64,
	PARAMS_MAX = 16,
	INPUTS_MAX = 200, /* until what was compiled is dropped */
	PAGE = 0x10000,
	SCRATCH = 256,
};

/* One runtime's libraries, and the fixtures with them. */
struct library {
	struct target target;
	struct code *code;
	struct values *values;
	struct types *types;
	struct vm *vm;
	unsigned int inputs;
};

static const char *const versions[N_RUNTIMES] = {"8", "9", "10"};
static const char *const modules[] = {
    "Library",
    "Language",
    "Expressions",
    "Interpreted",
    "Views",
    "StepAsync",
    "System.Private.CoreLib",
    "System.Linq",
    "System.Collections",
    "System.Text.Json",
    "System.Text.RegularExpressions",
    "System.Runtime.Numerics",
};
static struct library libraries[N_RUNTIMES];

enum {
	N_MODULES = sizeof(modules) / sizeof(modules[0]),
	N_FIXTURES = 6,
};

/* ---- A program without anything -------------------------------------- */

static const char *no_root(const struct target *t)
{
	(void)t;
	return "";
}

/* ---- The libraries --------------------------------------------------- */

static void add_module(struct library *lib, const char *pattern)
{
	struct code_module *m;
	glob_t found;
	size_t n;

	if (glob(pattern, 0, NULL, &found)) {
		fprintf(stderr,
			"%s: not there, run scripts/install-deps test and "
			"scripts/build-fixtures\n",
			pattern);
		exit(1);
	}
	code_modules(lib->code, &n);
	const struct dac_module dm = {
	    // One that the runtime knows nothing of.
	    .addr = DAC_UNLOADED_MODULES + PAGE + n,
	    .path = found.gl_pathv[0],
	    .name = "",
	};
	struct dbg_error *err = code_module_add(lib->code, &dm, &m);
	if (err || !md_rows(&m->md, MD_METHODDEF)) {
		fprintf(stderr, "%s: %s\n", dm.path,
			err ? err->message : m->symbols_note);
		exit(1);
	}
	globfree(&found);
}

static void open_library(struct library *lib, const char *version)
{
	static const struct target_ops ops = {.read = fuzz_read_pages,
					      .write = fuzz_write_none,
					      .frozen = fuzz_never_frozen,
					      .root = no_root};
	const char *set = getenv("DNDBG_CACHE"), *home = getenv("HOME");
	_cleanup_free_ char *cache =
	    set && *set ? xstrdup(set)
			: xasprintf("%s/.cache/dndbg", home ? home : "");
	_cleanup_free_ char *core =
	    xasprintf("%s/roots/%s/shared/Microsoft.NETCore.App/*/"
		      "System.Private.CoreLib.dll",
		      cache, version);

	target_init(&lib->target, &ops, 1);
	lib->code = code_create(&lib->target, NULL, NULL, NULL);
	add_module(lib, core);
	for (size_t i = 0; i < N_FIXTURES; i++) {
		_cleanup_free_ char *path = xasprintf(
		    "%s/fixtures/%s/%s/%s.dll", cache,
		    i % 2 ? "Release" : "Debug", modules[i], modules[i]);
		add_module(lib, path);
	}
}

/* What was compiled for earlier inputs, and the types they made, grow. */
static void renew(struct library *lib)
{
	vm_destroy(lib->vm);
	values_destroy(lib->values);
	lib->values = values_create(&lib->target, NULL, lib->code);
	lib->types = values_types(lib->values);
	lib->vm = vm_create(lib->values);
	lib->inputs = 0;
}

static struct library *library_get(size_t number)
{
	struct library *lib = &libraries[number % N_RUNTIMES];

	if (!lib->code)
		open_library(lib, versions[number % N_RUNTIMES]);
	if (!lib->values || ++lib->inputs > INPUTS_MAX)
		renew(lib);
	vm_stop(lib->vm);
	return lib;
}

/* ---- The method ------------------------------------------------------ */

/* The bytes of the input; zeros behind its end. */
struct input {
	const uint8_t *p;
	size_t n;
};

static uint32_t take(struct input *in, size_t n)
{
	uint32_t ret = 0;

	for (size_t i = 0; i < n; i++) {
		ret |= in->n ? (uint32_t)*in->p << 8 * i : 0;
		in->p += in->n != 0;
		in->n -= in->n != 0;
	}
	return ret;
}

static struct type *argument(struct types *ts, uint32_t bits)
{
	static const enum elem elems[] = {ELEM_I4, ELEM_STRING, ELEM_OBJECT,
					  ELEM_U1};
	struct type *type = type_of_elem(ts, elems[bits & 3]);

	return bits & 4 ? type_vector(ts, type) : type;
}

static void fill_args(struct types *ts, struct type **args, size_t n,
		      uint32_t bits)
{
	for (size_t i = 0; i < n; i++)
		args[i] = argument(ts, bits >> 3 * (i % 4));
}

/* A method with IL, its generic parameters replaced; NULL: none. */
static struct type_method *choose(struct types *ts, struct code_module *m,
				  uint32_t number, uint32_t bits)
{
	struct type *args[TYPE_ARGS_MAX];
	uint32_t rid = 1 + number % md_rows(&m->md, MD_METHODDEF);
	uint32_t type = md_method_type(&m->md, rid);
	struct type *owner =
	    type ? type_def(ts, m, MD_TOKEN(MD_TYPEDEF, type)) : NULL;

	if (!owner || owner->n_args > TYPE_ARGS_MAX)
		return NULL;
	fill_args(ts, args, owner->n_args, bits);
	if (owner->n_args)
		owner = type_instance(ts, owner, args, owner->n_args);
	struct type_method *method =
	    type_method_get(ts, owner, MD_TOKEN(MD_METHODDEF, rid), NULL, 0);
	if (method->n_args > TYPE_ARGS_MAX)
		return NULL;
	fill_args(ts, args, method->n_args, bits >> 2);
	return method->n_args
		   ? type_method_instance(ts, method, args, method->n_args)
		   : method;
}

/* ---- Changing it ----------------------------------------------------- */

struct changed {
	struct type_method_body body;
	const struct md *md;
	uint8_t *code;
	size_t size;
	uint32_t insns[INSTRUCTIONS_MAX]; /* their offsets */
	size_t n_insns;
};

static void find_instructions(struct changed *c)
{
	struct il_insn insn;
	uint32_t at = 0;

	while (c->n_insns < INSTRUCTIONS_MAX &&
	       il_decode(c->body.code, at, &insn)) {
		c->insns[c->n_insns++] = at;
		at += insn.size;
	}
}

static bool decode(const struct changed *c, uint32_t number,
		   struct il_insn *ret)
{
	return il_decode(c->body.code, c->insns[number % c->n_insns], ret);
}

static void edit_byte(struct changed *c, uint32_t where, uint32_t value)
{
	c->code[where % c->size] = (uint8_t)value;
}

static void edit_opcode(struct changed *c, uint32_t where, uint32_t value)
{
	c->code[c->insns[where % c->n_insns]] = (uint8_t)value;
}

static void edit_drop(struct changed *c, uint32_t where, uint32_t value)
{
	struct il_insn insn;

	(void)value;
	if (decode(c, where, &insn))
		memset(c->code + insn.offset, 0, insn.size);
}

/* Put one instruction over another. */
static void edit_copy(struct changed *c, uint32_t where, uint32_t value)
{
	struct il_insn to, from;

	if (!decode(c, where, &to) || !decode(c, value, &from) ||
	    from.size > to.size)
		return;
	memset(c->code + to.offset, 0, to.size);
	memmove(c->code + to.offset, c->code + from.offset, from.size);
}

static void edit_token(struct changed *c, uint32_t where, uint32_t value)
{
	struct il_insn insn;

	if (!decode(c, where, &insn) || !insn.op ||
	    insn.op->operand != IL_TOKEN)
		return;
	uint32_t token = (uint32_t)insn.value;
	uint32_t n = md_rows(c->md, MD_TOKEN_TABLE(token));
	uint32_t rid = MD_TOKEN_RID(token) + value - 0x8000;
	token = (token & 0xff000000) | (n ? rid % (n + 1) : rid & 0xffffff);
	memcpy(c->code + insn.offset + insn.size - 4, &token, 4);
}

/* The operand of a branch or constant. */
static void edit_operand(struct changed *c, uint32_t where, uint32_t value)
{
	struct il_insn insn;

	if (decode(c, where, &insn) && insn.size > 1)
		c->code[insn.offset + insn.size - 1 -
			(value >> 8) % (insn.size - 1)] = (uint8_t)value;
}

static void edit_clause(struct changed *c, uint32_t where, uint32_t value)
{
	static const uint32_t kinds[] = {0, 1, 2, 4};
	uint32_t offset = c->insns[value % c->n_insns];

	if (!c->body.n_clauses)
		return;
	struct type_eh *eh = &c->body.clauses[where % c->body.n_clauses];
	uint32_t *const fields[] = {&eh->try_start, &eh->try_end,
				    &eh->handler_start, &eh->handler_end,
				    &eh->filter};
	if (where >> 8 & 7)
		*fields[(where >> 8 & 7) % 5] = offset;
	else
		eh->flags = kinds[value & 3];
}

static void edit_local(struct changed *c, uint32_t where, uint32_t value)
{
	if (c->body.n_locals)
		c->body.locals[where % c->body.n_locals] =
		    c->body.locals[value % c->body.n_locals];
}

typedef void edit_fn(struct changed *c, uint32_t where, uint32_t value);

static edit_fn *const edits[] = {edit_byte,   edit_opcode, edit_drop,
				 edit_copy,   edit_token,  edit_operand,
				 edit_clause, edit_local};

static void change(struct changed *c, struct input *in)
{
	for (size_t i = 0; i < EDITS_MAX && in->n; i++) {
		uint32_t kind = take(in, 1), where = take(in, 2);
		edits[kind % (sizeof(edits) / sizeof(edits[0]))](c, where,
								 take(in, 2));
	}
}

/* A method like @m whose IL is changed as @in says; NULL: it has none. */
static struct type_method *make_changed(struct types *ts, struct type_method *m,
					struct input *in)
{
	const struct type_method_body *body;
	struct arena *arena = ts->arena;
	struct changed *c = arena_calloc(arena, 1, sizeof(*c));

	if (dbg_err_drop(type_method_body(ts, m, &body)) || !body->code.n)
		return NULL;
	c->body = *body;
	c->md = &m->module->md;
	c->size = body->code.n;
	c->code = arena_copy(arena, body->code.p, c->size, 1);
	c->body.code.p = c->code;
	c->body.locals = arena_copy(arena, body->locals, body->n_locals,
				    sizeof(c->body.locals[0]));
	c->body.clauses = arena_copy(arena, body->clauses, body->n_clauses,
				     sizeof(c->body.clauses[0]));
	find_instructions(c);
	if (c->n_insns)
		change(c, in);
	struct type_method *ret = arena_copy(arena, m, 1, sizeof(*m));
	ret->facts = arena_calloc(arena, 1, sizeof(*ret->facts));
	ret->facts->body = arena_copy(arena, &c->body, 1, sizeof(c->body));
	return ret;
}

/* ---- Executing it ---------------------------------------------------- */

static uint64_t make_object(struct vm *vm, struct type *type, uint32_t bits)
{
	static const uint16_t text[] = {'a', ',', '1', 0xe9, 'b', ' '};

	if (!(bits & 3))
		return 0;
	if (type->elem == ELEM_STRING)
		return vm_new_string(vm, text, bits % 7);
	if (type->elem == ELEM_SZARRAY)
		return vm_new_array(vm, type, bits % 9);
	if (type->kind == TYPE_KIND_ARRAY || type->flags & TYPE_INTERFACE)
		return 0;
	return vm_new(vm, type);
}

/* The address of a place of @type that holds something. */
static uint64_t make_place(struct vm *vm, struct type *type, uint32_t bits)
{
	const struct type_layout *layout;
	uint64_t word = bits;

	if (dbg_err_drop(type_layout(vm_types(vm), type, &layout)) ||
	    layout->size > PAGE)
		return 0;
	uint64_t place = vm_room(vm, layout->size + sizeof(word));
	if (type->is_reference)
		word = make_object(vm, type, bits);
	else if (type->kind == TYPE_KIND_BYREF ||
		 type->kind == TYPE_KIND_POINTER)
		word = bits & 1 ? vm_room(vm, SCRATCH) : bits;
	if (place && word)
		vm_write(vm, place, &word,
			 layout->size < 8 ? layout->size : sizeof(word));
	return place;
}

static void execute(struct vm *vm, struct type_method *m, uint32_t bits)
{
	const struct vm_budget budget = {
	    .instructions = 3000, .memory = 1 << 20, .depth = 40, .ms = 100};
	struct vm_value args[PARAMS_MAX + 1];
	struct vm_result r = {0};
	const struct type_sig *sig;
	size_t n = 0;

	if (dbg_err_drop(type_method_sig(vm_types(vm), m, &sig)) ||
	    sig->n_params > PARAMS_MAX)
		return;
	if (sig->has_this)
		args[n++].type = m->owner;
	for (size_t i = 0; i < sig->n_params; i++)
		args[n++].type = sig->params[i];
	for (size_t i = 0; i < n; i++) {
		args[i].addr = make_place(vm, args[i].type, bits >> 2 * i);
		if (!args[i].addr)
			return;
	}
	if (!dbg_err_drop(vm_begin(vm, m, args, n, &budget))) {
		vm_run(vm, 0, &r);
		dbg_error_destroy(r.error);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = {data, size};
	struct library *lib = library_get(take(&in, 1));
	const char *name = modules[take(&in, 1) % N_MODULES];
	uint32_t number = take(&in, 2), generic = take(&in, 2);
	uint32_t bits = take(&in, 4);
	struct code_module *m = code_module_named(lib->code, name);

	if (!m)
		m = code_module_unloaded(lib->code, NULL, name);
	if (!m) {
		fprintf(stderr, "%s is not beside the core library\n", name);
		exit(1);
	}
	struct type_method *method = choose(lib->types, m, number, generic);
	if (method)
		method = make_changed(lib->types, method, &in);
	if (method)
		execute(lib->vm, method, bits);
	return 0;
}
