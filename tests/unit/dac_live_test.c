/*
 * The DAC room on a live program, on each runtime that scripts/fetch-runtimes
 * has fetched.
 */
#include "dacfixture.h"
#include "runtimelib.h"
#include "dac/dac_priv.h"

#include <stdio.h>
#include <string.h>

static struct dacfixture *fixture(void **state)
{
	// A runtime that is not there.
	if (!*state)
		skip();
	return *state;
}

/* ---- Modules and threads --------------------------------------------- */

static void test_modules(void **state)
{
	struct dacfixture *f = fixture(state);
	bool core = false, emitted = false;

	for (size_t i = 0; i < f->n_modules; i++) {
		const struct dac_module *m = &f->modules[i];
		struct dac_module again;
		uint32_t magic = 0;

		must(dac_module_get(f->d, m->addr, f->arena, &again));
		assert_string_equal(m->name, again.name);
		core |= !strcmp(m->name, "System.Private.CoreLib");
		emitted |= m->dynamic && !strcmp(m->name, "Emitted");
		if (m->dynamic)
			continue;
		assert_true(m->path[0] == '/');
		assert_true(m->base && m->md_size);
		must(target_read_u32(f->t, m->md_addr, &magic));
		assert_int_equal(magic, 0x424a5342); // "BSJB"
	}
	assert_true(core && emitted);
	struct dac_module none;
	must_fail(dac_module_get(f->d, 0x1234, f->arena, &none), DBG_E_RUNTIME,
		  "module");
}

// What is to follow the DAC asks for the descriptor of the runtime, if it has
// one, and for the runtime itself; each is the same object.
static void test_locators(void **state)
{
	static const struct com_iid contract_locator = {
	    0x17d5b8c6,
	    0x34a9,
	    0x407f,
	    {0xaf, 0x4f, 0xa9, 0x30, 0x20, 0x1d, 0x4e, 0x02}};
	static const struct com_iid unknown = {
	    0, 0, 0, {0xc0, 0, 0, 0, 0, 0, 0, 0x46}};
	static const char magic[] = "DNCCDAC";
	struct dacfixture *f = fixture(state);
	struct data_target *dt = &f->d->data_target;
	void *locator = NULL, *same = NULL;
	uint64_t at = 1;
	char head[sizeof(magic)] = "";

	assert_int_equal(com_slot(dt, 0)(dt, &contract_locator, &locator),
			 COM_OK);
	assert_int_equal(com_slot(locator, 0)(locator, &unknown, &same),
			 COM_OK);
	assert_ptr_equal(same, dt);
	if (com_slot(locator, 3)(locator, &at) == COM_OK)
		must(target_read(f->t, at, head, sizeof(head)));
	else
		assert_int_equal(at, 0); // .NET 8
	assert_string_equal(head, at ? magic : "");
}

static const struct dac_thread *thread_of(struct dacfixture *f,
					  const char *part)
{
	pid_t tid;

	dacfixture_frame(f, part, &tid);
	return dac_thread_find(f->d, tid);
}

static void test_threads(void **state)
{
	struct dacfixture *f = fixture(state);
	const struct dac_thread *t = thread_of(f, "Program.Main(");
	struct dac_object o;

	assert_int_equal(t->tid, f->main_tid);
	assert_int_equal(t->exception, 0);
	assert_false(t->cooperative);
	must(dac_object_get(f->d, dac_thread_object(f->d, t), &o));
	assert_string_equal(dacfixture_type_name(f, o.type),
			    "System.Threading.Thread");
	assert_true(thread_of(f, "Program.Spin(")->cooperative);
	t = thread_of(f, "Program.Handler(");
	must(dac_object_get(f->d, t->exception, &o));
	assert_string_equal(dacfixture_type_name(f, o.type),
			    "System.InvalidOperationException");
	t = thread_of(f, "Program.Fault(");
	must(dac_object_get(f->d, t->exception, &o));
	assert_string_equal(dacfixture_type_name(f, o.type),
			    "System.NullReferenceException");
}

/* ---- Walks ----------------------------------------------------------- */

static void test_walk(void **state)
{
	struct dacfixture *f = fixture(state);
	struct dacframe *frames;
	pid_t tid;

	dacfixture_frame(f, "Program.Deep(", &tid);
	size_t n = dacfixture_walk(f, tid, false, &frames), deep = 0;
	for (size_t i = 0; i < n; i++) {
		deep += strstr(frames[i].name, "Program.Deep(") != NULL;
		assert_false(frames[i].frame.leaf);
		assert_int_equal(dac_method_at(f->d, frames[i].frame.ip),
				 frames[i].frame.method);
		if (i)
			assert_true(frames[i].frame.sp >
				    frames[i - 1].frame.sp);
	}
	assert_int_equal(deep, 1201);
}

// After the first walk, frames cost three calls to the DAC each.
static void test_walk_calls(void **state)
{
	struct dacfixture *f = fixture(state);
	struct dac_walk *walk;
	struct dac_frame frame;
	uint64_t n = 0, before;
	bool any = true;
	pid_t tid;

	dacfixture_frame(f, "Program.Deep(", &tid);
	before = dac_calls(f->d);
	must(dac_walk_create(f->d, tid, &walk));
	for (; any; n++)
		must(dac_walk_next(walk, &frame, &any));
	dac_walk_destroy(walk);
	assert_true(n > 1200);
	assert_true(dac_calls(f->d) - before < 3 * n + 40);
}

// All items of a thread's walk; with @drop the DAC forgets all before each.
static size_t walk_items(struct dacfixture *f, pid_t tid, bool drop,
			 struct dac_frame *ret, size_t max)
{
	struct dac_walk *walk;
	bool any = true;
	size_t n = 0;

	must(dac_walk_create(f->d, tid, &walk));
	while (walk && n < max) {
		must(dac_walk_next(walk, &ret[n], &any));
		if (!any)
			break;
		n++;
		if (drop)
			dac_drop(f->d);
	}
	dac_walk_destroy(walk);
	return n;
}

static void test_walk_dropped(void **state)
{
	enum {
		MAX = 4000,
	};
	struct dacfixture *f = fixture(state);
	struct dac_frame *a = arena_calloc(f->arena, MAX, sizeof(*a));
	struct dac_frame *b = arena_calloc(f->arena, MAX, sizeof(*b));
	size_t items = 0;

	for (size_t i = 0; i < f->n_threads; i++) {
		size_t n = walk_items(f, f->threads[i].tid, false, a, MAX);
		size_t m = walk_items(f, f->threads[i].tid, true, b, MAX);
		items += n;
		assert_int_equal(n, m);
		for (size_t j = 0; j < n; j++) {
			assert_int_equal(a[j].kind, b[j].kind);
			assert_int_equal(a[j].ip, b[j].ip);
			assert_int_equal(a[j].sp, b[j].sp);
			assert_int_equal(a[j].leaf, b[j].leaf);
			assert_int_equal(a[j].frame_addr, b[j].frame_addr);
		}
	}
	assert_true(items > 1200);
}

// The first frame of a stop costs no more than some reads: the empty table of
// breakpoints that .NET 9 has is not gone through.
static void test_walk_reads(void **state)
{
	struct dacfixture *f = fixture(state);
	struct read_log log = {.n = 0};
	struct dac_walk *walk;
	struct dac_frame frame = {.kind = DAC_FRAME_NATIVE};
	bool any = true;
	pid_t tid;

	dacfixture_frame(f, "Program.Deep(", &tid);
	dac_flush(f->d);
	f->d->data_target.log = &log;
	must(dac_walk_create(f->d, tid, &walk));
	while (any && frame.kind != DAC_FRAME_MANAGED)
		must(dac_walk_next(walk, &frame, &any));
	must(dac_walk_next(walk, &frame, &any));
	f->d->data_target.log = NULL;
	dac_walk_destroy(walk);
	assert_int_equal(frame.kind, DAC_FRAME_MANAGED);
	assert_in_range(log.n, 10, 300);
}

static void test_leaves(void **state)
{
	struct dacfixture *f = fixture(state);
	struct dacframe *frames;
	pid_t tid;

	// Running managed code.
	assert_true(dacfixture_frame(f, "Program.Spin(", &tid).frame.leaf);
	struct dacframe spin = dacfixture_frame(f, "Program.Spin(", &tid);
	struct regs regs;
	must(target_regs(f->t, tid, &regs));
	assert_int_equal(spin.frame.ip, regs.rip);
	assert_int_equal(spin.frame.sp, regs.rsp);
	// Interrupted by a fault; the filter runs above it.
	dacfixture_frame(f, "Program.Filter(", &tid);
	size_t n = dacfixture_walk(f, tid, false, &frames), faults = 0;
	for (size_t i = 0; i < n; i++)
		if (frames[i].frame.leaf) {
			assert_non_null(
			    strstr(frames[i].name, "Program.Fault("));
			faults++;
		}
	assert_int_equal(faults, 1);
}

/*
 * Wherever a thread stands - in prologs and epilogs, stubs, write barriers,
 * libm - its method is found near the top, and below it what called it.
 */
static void step_through(struct dacfixture *f, const char *method, int n_steps)
{
	size_t below = 0;
	pid_t tid = 0;
	bool stepped;

	dacfixture_frame(f, method, &tid);
	for (int i = 0; i < n_steps; i++) {
		struct dacframe *frames;
		size_t n = dacfixture_walk(f, tid, false, &frames), at = 0;

		while (at < n && !strstr(frames[at].name, method))
			at++;
		if (at >= n || at > 3 || (below && n - at != below))
			fail_msg("step %d: %zu frames, the first '%s'", i, n,
				 n ? frames[0].name : "");
		below = n - at;
		must(target_thread_step(f->t, tid, true, &stepped));
		assert_true(stepped);
		dac_flush(f->d);
	}
}

static void test_anywhere(void **state)
{
	struct dacfixture *f = fixture(state);

	step_through(f, "Program.Adding(", 150);
	step_through(f, "Program.Sines(", 300);
	step_through(f, "Program.Storing(", 300);
}

static void test_frame_names(void **state)
{
	struct dacfixture *f = fixture(state);
	struct dacframe *frames;
	size_t n = dacfixture_walk(f, f->main_tid, true, &frames);
	bool named = false;

	for (size_t i = 0; i < n; i++) {
		if (frames[i].frame.kind != DAC_FRAME_EXPLICIT)
			continue;
		const char *name =
		    dac_frame_name(f->d, frames[i].frame.frame_addr, f->arena);
		assert_non_null(name);
		assert_non_null(strstr(name, "Frame"));
		named = true;
	}
	assert_true(named);
	assert_null(dac_frame_name(f->d, 0, f->arena));
}

/* ---- Code ------------------------------------------------------------ */

static void test_codes(void **state)
{
	struct dacfixture *f = fixture(state);
	uint32_t token = dacfixture_method(f, "Program.Method[[");
	uint64_t *codes;
	size_t n;

	must(dac_method_codes(f->d, f->module, token, f->arena, &codes, &n));
	assert_int_equal(n, 3); // __Canon, int, Point
	for (size_t i = 0; i < n; i++) {
		const struct dac_il_map *map;
		struct dac_method method;
		struct dac_code code;
		size_t n_map;

		must(dac_code_at(f->d, codes[i], &code));
		assert_int_equal(code.start, codes[i]);
		must(dac_method_get(f->d, code.method, &method));
		assert_int_equal(method.token, token);
		assert_int_equal(method.module, f->module);
		must(dac_il_map(f->d, codes[i], &map, &n_map));
		assert_true(n_map > 3);
		assert_int_equal(map[0].start, code.start);
		assert_int_equal(map[0].il_offset, DAC_IL_PROLOG);
		for (size_t j = 0; j < n_map; j++) {
			assert_true(map[j].end > map[j].start);
			assert_true(map[j].end <= code.start + code.size);
		}
	}
	must(dac_method_codes(f->d, f->module, 0x06ffffff, f->arena, &codes,
			      &n));
	assert_int_equal(n, 0);
}

static void test_no_code(void **state)
{
	struct dacfixture *f = fixture(state);
	static const uint64_t addrs[] = {0, 1, 0x1000, UINT64_MAX,
					 UINT64_C(0x800000000000)};
	struct dac_code code;
	struct dac_method method;

	for (size_t i = 0; i < sizeof(addrs) / sizeof(*addrs); i++) {
		must(dac_code_at(f->d, addrs[i], &code));
		assert_int_equal(code.method, 0);
		must_fail(dac_method_get(f->d, addrs[i], &method),
			  DBG_E_RUNTIME, "method");
	}
	uint64_t stub = dac_prestub(f->d), start, end;
	struct target_image image;
	bool found;
	must(
	    target_image_find(f->t, "libcoreclr.so", f->arena, &image, &found));
	must(target_image_text(f->t, &image, &start, &end));
	assert_in_range(stub, start, end);
	must(dac_code_at(f->d, stub, &code));
	assert_int_equal(code.method, 0);
}

/* ---- Variables ------------------------------------------------------- */

struct expected {
	const char *type; /* prefix of the DAC's name; "" for references */
	uint32_t size;
};

static void check_vars(struct dacfixture *f, const struct dac_var *vars,
		       const struct expected *e, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!e[i].type)
			continue;
		const char *name = dacfixture_type_name(f, vars[i].type);
		assert_true(vars[i].present && !vars[i].in_register);
		if (strncmp(name, e[i].type, strlen(e[i].type)) ||
		    (!*e[i].type && *name))
			fail_msg("variable %zu is '%s', not '%s'", i, name,
				 e[i].type);
		assert_int_equal(vars[i].size, e[i].size);
	}
}

static void test_arguments(void **state)
{
	static const char *const names[] = {"i", "s",     "r",     "p",
					    "c", "maybe", "tuple", "boxed"};
	static const struct expected types[] = {
	    {"System.Int32", 4},
	    {"", 8},
	    {"", 8},
	    {"Inspect.Point", 8},
	    {"Inspect.Color", 1},
	    {"System.Nullable`1[[System.Int32,", 8},
	    {"System.ValueTuple`2[[System.Int32, System.Private.CoreLib],"
	     "[System.String,",
	     16},
	    {"", 8},
	};
	struct dacfixture *f = fixture(state);
	struct dac_var *vars;
	size_t n;
	pid_t tid;

	struct dacframe frame = dacfixture_frame(f, "Program.Variables(", &tid);
	must(
	    dac_frame_vars(f->d, tid, &frame.frame, true, f->arena, &vars, &n));
	assert_int_equal(n, 8);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(vars[i].name, names[i]);
	check_vars(f, vars, types, n);
	assert_int_equal((uint32_t)dacfixture_u64(f, vars[0].addr), 17);
	assert_string_equal(
	    dacfixture_string(f, dacfixture_u64(f, vars[1].addr)), "hello");
	// The reference refers to a local of Main, which was 1.
	uint64_t ref = dacfixture_u64(f, vars[2].addr);
	assert_int_equal((uint32_t)dacfixture_u64(f, ref), 2);
	assert_int_equal(dacfixture_u64(f, vars[3].addr), 0x200000001);
}

static void test_this(void **state)
{
	struct dacfixture *f = fixture(state);
	struct dac_object o;
	struct dac_var *vars;
	size_t n;
	pid_t tid;

	// Shared code: the object knows the exact type.
	struct dacframe frame = dacfixture_frame(
	    f, "Generic`1[[System.__Canon, System.Private.CoreLib]].Call(",
	    &tid);
	must(
	    dac_frame_vars(f->d, tid, &frame.frame, true, f->arena, &vars, &n));
	assert_int_equal(n, 3);
	assert_string_equal(vars[0].name, "this");
	must(dac_object_get(f->d, dacfixture_u64(f, vars[0].addr), &o));
	assert_string_equal(
	    dacfixture_type_name(f, o.type),
	    "Inspect.Generic`1[[System.String, System.Private.CoreLib]]");
}

// The locals of Variables, whatever order the compiler gave them.
static const struct dac_var *local_of(struct dacfixture *f, const char *type)
{
	struct dac_var *vars;
	size_t n;
	pid_t tid;

	struct dacframe frame = dacfixture_frame(f, "Program.Variables(", &tid);
	must(dac_frame_vars(f->d, tid, &frame.frame, false, f->arena, &vars,
			    &n));
	for (size_t i = 0; i < n; i++)
		if (!strncmp(dacfixture_type_name(f, vars[i].type), type,
			     strlen(type)))
			return &vars[i];
	fail_msg("no local of type '%s'", type);
	return NULL;
}

static void test_locals(void **state)
{
	static const struct expected types[] = {
	    {"System.SByte", 1},
	    {"System.Double", 8},
	    {"System.Boolean", 1},
	    {"System.Char", 2},
	    {"System.Decimal", 16},
	    {"System.Nullable`1[[System.Int32, ", 8},
	    {"System.Collections.Generic.KeyValuePair`2[[System.String, "
	     "System.Private.CoreLib],[System.Int32,",
	     16},
	    {"Inspect.Pair`2[[System.Int32, System.Private.CoreLib],"
	     "[Inspect.Point, Inspect]]",
	     12},
	    {"Inspect.Pair`2[[System.String, System.Private.CoreLib],"
	     "[System.Object,",
	     16},
	    {"System.Span`1[[System.Byte,", 16},
	    {"System.Collections.Generic.List`1+Enumerator[[System.Int32,", 24},
	    {"Inspect.One", 1},
	    {"Inspect.Mixed", 16},
	    {"Inspect.Sized", 37},
	    {"System.DayOfWeek", 4},
	    {"Inspect.Big", 40},
	};
	struct dacfixture *f = fixture(state);

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		const struct dac_var *v = local_of(f, types[i].type);
		const struct dac_type *t;
		uint64_t *args, again;
		size_t n_args;

		assert_true(v->present);
		assert_int_equal(v->size, types[i].size);
		must(dac_type_get(f->d, v->type, &t));
		assert_true(t->is_value_type);
		assert_int_equal(t->is_enum,
				 !strcmp(types[i].type, "System.DayOfWeek"));
		// From definition and arguments back to the same type.
		must(dac_type_args(f->d, v->type, f->arena, &args, &n_args));
		assert_int_equal(n_args > 0,
				 strchr(types[i].type, '`') != NULL);
		again =
		    dac_type_instance(f->d, t->module, t->token, args, n_args);
		assert_int_equal(again, v->type);
	}
}

static void test_no_instance(void **state)
{
	struct dacfixture *f = fixture(state);
	uint64_t pair = dacfixture_type(f, "Inspect.Pair`2");
	uint64_t point = dacfixture_type(f, "Inspect.Point");
	const uint64_t args[] = {point, point};
	const uint64_t wrong[] = {1, UINT64_MAX};
	const struct dac_type *t;

	must(dac_type_get(f->d, pair, &t));
	assert_int_equal(dac_type_instance(f->d, t->module, t->token, args, 2),
			 0);
	assert_int_equal(dac_type_instance(f->d, t->module, t->token, wrong, 2),
			 0);
	assert_int_equal(dac_type_instance(f->d, 0x1234, 0x02000002, args, 2),
			 0);
	// What does not exist is not looked for in all modules each time.
	uint64_t n = dac_calls(f->d);
	for (uint64_t i = 1; i < 100; i++) {
		const uint64_t none[] = {point, point + 8 * i};
		assert_int_equal(
		    dac_type_instance(f->d, t->module, t->token, none, 2), 0);
	}
	assert_int_equal(dac_calls(f->d), n);
}

/* ---- Statics --------------------------------------------------------- */

static const struct dac_field *field_of(struct dacfixture *f, uint64_t mt,
					uint32_t elem, bool of_thread)
{
	const struct dac_field *fields;
	size_t n;

	must(dac_fields(f->d, mt, &fields, &n));
	for (size_t i = 0; i < n; i++)
		if (fields[i].is_static && fields[i].elem == elem &&
		    fields[i].is_thread_static == of_thread)
			return &fields[i];
	fail_msg("no such field");
	return NULL;
}

static uint64_t static_of(struct dacfixture *f, uint64_t mt, uint32_t elem,
			  uint64_t thread)
{
	uint64_t addr = 0;

	must(dac_static_addr(f->d, mt, field_of(f, mt, elem, thread != 0),
			     thread, &addr));
	return addr ? dacfixture_u64(f, addr) : UINT64_MAX;
}

enum {
	BYTE = 5,
	INT = 8,
	LONG = 10,
	STRUCT = 17,
	CLASS = 18
};

static void test_statics(void **state)
{
	struct dacfixture *f = fixture(state);
	uint64_t plain = dacfixture_type(f, "Inspect.Plain");
	uint64_t place = 0;
	struct dac_object o;

	assert_int_equal((uint32_t)static_of(f, plain, INT, 0), 42);
	assert_int_equal((uint8_t)static_of(f, plain, BYTE, 0), 2);
	assert_string_equal(dacfixture_string(f, static_of(f, plain, CLASS, 0)),
			    "static");
	// A structure is in a box.
	must(dac_static_addr(f->d, plain, field_of(f, plain, STRUCT, false), 0,
			     &place));
	must(dac_object_get(f->d, place - 8, &o));
	assert_string_equal(dacfixture_type_name(f, o.type), "Inspect.Point");
	assert_int_equal(dacfixture_u64(f, o.addr + 8), 0x600000005);
}

static void test_thread_statics(void **state)
{
	struct dacfixture *f = fixture(state);
	uint64_t plain = dacfixture_type(f, "Inspect.Plain");
	const struct dac_thread *owner = thread_of(f, "Program.Main(");
	const struct dac_thread *other = thread_of(f, "Program.Spin(");

	assert_int_equal(static_of(f, plain, LONG, owner->addr), 9);
	// The other thread never touched it.
	assert_int_equal(static_of(f, plain, LONG, other->addr), UINT64_MAX);
	assert_int_equal(static_of(f, plain, LONG, 0x1234), UINT64_MAX);
}

static void test_generic_statics(void **state)
{
	struct dacfixture *f = fixture(state);
	uint64_t generic = dacfixture_type(f, "Inspect.Generic`1");
	uint64_t plain = dacfixture_type(f, "Inspect.Plain");
	const struct dac_thread *owner = thread_of(f, "Program.Main(");
	const struct dac_type *def;
	struct dac_object o;

	must(dac_type_get(f->d, generic, &def));
	uint64_t int_type =
	    dac_field_type(f->d, field_of(f, plain, INT, false));
	must(dac_object_get(f->d, static_of(f, plain, CLASS, 0), &o));
	const uint64_t args[] = {int_type, o.type,
				 dacfixture_type(f, "Inspect.Point")};
	uint64_t types[3];
	for (size_t i = 0; i < 3; i++) {
		types[i] = dac_type_instance(f->d, def->module, def->token,
					     &args[i], 1);
		assert_true(types[i] != 0);
	}
	assert_int_equal((uint32_t)static_of(f, types[0], INT, 0), 3);
	assert_int_equal((uint32_t)static_of(f, types[1], INT, 0), 4);
	assert_string_equal(
	    dacfixture_string(f, static_of(f, types[1], CLASS, 0)), "hello");
	assert_int_equal(static_of(f, types[0], LONG, owner->addr), 8);
	assert_int_equal((uint32_t)static_of(f, types[2], INT, 0), 0);
}

/* ---- Objects and types ----------------------------------------------- */

// The object that the newest local of Variables with that type refers to.
static struct dac_object object_of(struct dacfixture *f, const char *type)
{
	struct dac_var *vars;
	struct dac_object o;
	size_t n;
	pid_t tid;

	struct dacframe frame = dacfixture_frame(f, "Program.Variables(", &tid);
	must(dac_frame_vars(f->d, tid, &frame.frame, false, f->arena, &vars,
			    &n));
	for (size_t i = 0; i < n; i++) {
		if (vars[i].type || vars[i].size != 8)
			continue;
		struct dbg_error *err =
		    dac_object_get(f->d, dacfixture_u64(f, vars[i].addr), &o);
		if (!dbg_err_drop(err) &&
		    !strcmp(dacfixture_type_name(f, o.type), type))
			return o;
	}
	fail_msg("no object of type '%s'", type);
	return (struct dac_object){0};
}

// Its definition and its argument are of two modules.
static void test_instance_of_two(void **state)
{
	struct dacfixture *f = fixture(state);
	struct dac_object o =
	    object_of(f, "System.Collections.Generic.List`1[[System.Int32, "
			 "System.Private.CoreLib]]");
	const uint64_t args[] = {dacfixture_type(f, "Inspect.Point")};
	const struct dac_type *t;
	const char *name;

	must(dac_type_get(f->d, o.type, &t));
	uint64_t mt = dac_type_instance(f->d, t->module, t->token, args, 1);
	assert_true(mt != 0);
	must(dac_type_name(f->d, mt, &name));
	assert_string_equal(name, "System.Collections.Generic.List`1"
				  "[[Inspect.Point, Inspect]]");
}

static void test_arrays(void **state)
{
	struct dacfixture *f = fixture(state);
	const struct dac_type *t;

	struct dac_object o = object_of(f, "System.Int32[]");
	must(dac_type_get(f->d, o.type, &t));
	assert_true(t->is_array);
	assert_int_equal(t->rank, 1);
	assert_string_equal(dacfixture_type_name(f, t->element),
			    "System.Int32");
	assert_int_equal(o.n_components, 3);
	assert_int_equal(o.bounds, 0);
	assert_int_equal(dacfixture_u64(f, o.data), 0x200000001);

	o = object_of(f, "System.Int32[,]");
	must(dac_type_get(f->d, o.type, &t));
	assert_true(t->is_array);
	assert_int_equal(t->rank, 2);
	assert_int_equal(o.n_components, 6);
	assert_int_equal(dacfixture_u64(f, o.bounds), 0x300000002);
	assert_int_equal(dacfixture_u64(f, o.lower_bounds), 0);

	o = object_of(f, "Inspect.Point[]");
	must(dac_type_get(f->d, o.type, &t));
	assert_int_equal(t->component_size, 8);
	assert_int_equal(o.n_components, 4);
	assert_int_equal(o.size, 24 + 4 * 8);
}

static void tell_count(void *arg, const char *text)
{
	unsigned int *n = arg;

	assert_non_null(strstr(text, "has no 'CORINFO_METHOD_INFO.ILCode' as "
				     "expected"));
	(*n)++;
}

/* What shows itself to be wrong where it is used is told once, and is off. */
static void test_refuted(void **state)
{
	struct dacfixture *f = fixture(state);
	const struct dac_limits limits = f->d->limits;
	struct dac_assumed at;
	unsigned int n_told = 0;

	f->d->limits.tell = tell_count;
	f->d->limits.arg = &n_told;
	must(dac_assume(f->d, ASSUME_JIT_IL, &at));
	// the header of an image is no argument of the JIT's
	for (int i = 0; i < 2; i++)
		assert_int_equal(dac_compiled_il(f->d, f->d->runtime.base), 0);
	assert_int_equal(n_told, 1);
	must_fail(dac_assume(f->d, ASSUME_JIT_IL, &at), DBG_E_RUNTIME,
		  "breakpoints may miss the first calls");
	must(dac_assume(f->d, ASSUME_TYPE_RID, &at));
	f->d->limits = limits;
}

static void test_garbage(void **state)
{
	struct dacfixture *f = fixture(state);
	static const uint64_t addrs[] = {0, 3, 8, 0x12340, UINT64_MAX - 7};
	const struct dac_type *type;
	const struct dac_field *fields;
	struct dac_object o;
	struct dac_walk *walk;
	const char *name;
	size_t n;

	for (size_t i = 0; i < sizeof(addrs) / sizeof(*addrs); i++) {
		must_fail(dac_type_get(f->d, addrs[i], &type), DBG_E_MEMORY,
			  "no type");
		must_fail(dac_type_name(f->d, addrs[i], &name), DBG_E_MEMORY,
			  "no type");
		must_fail(dac_fields(f->d, addrs[i], &fields, &n), DBG_E_MEMORY,
			  "no type");
		must_fail(dac_object_get(f->d, addrs[i], &o), DBG_E_MEMORY, "");
	}
	assert_int_equal(dac_type_of_token(f->d, f->module, 0x02ffffff), 0);
	assert_int_equal(dac_type_of_token(f->d, 0, 0x02000002), 0);
	// Code is no object, a stack is none.
	must_fail(dac_object_get(f->d, dac_prestub(f->d) & ~UINT64_C(7), &o),
		  DBG_E_MEMORY, "no object");
	must(dac_walk_create(f->d, 1, &walk));
	assert_null(walk);
	pid_t tid;
	struct dacframe frame = dacfixture_frame(f, "Program.Main(", &tid);
	struct dac_var *vars;
	frame.frame.ip = 0x10;
	struct dbg_error *err =
	    dac_frame_vars(f->d, tid, &frame.frame, true, f->arena, &vars, &n);
	assert_true(err || !n);
	dbg_error_destroy(err);
}

/* ---- Asking for notifications ---------------------------------------- */

static void test_notify_methods(void **state)
{
	struct dacfixture *f = fixture(state);
	struct dac_method_ref refs[DAC_NOTIFY_MAX + 1];

	for (size_t i = 0; i <= DAC_NOTIFY_MAX; i++)
		refs[i] = (struct dac_method_ref){f->modules[0].addr,
						  0x06000001 + (uint32_t)i};
	must(dac_notify_modules(f->d, true));
	must(dac_notify_methods(f->d, refs, DAC_NOTIFY_MAX, true));
	must_fail(dac_notify_methods(f->d, &refs[DAC_NOTIFY_MAX], 1, true),
		  DBG_E_RUNTIME, "notifications");
	// One out, another in.
	must(dac_notify_methods(f->d, refs, 1, false));
	must(dac_notify_methods(f->d, &refs[DAC_NOTIFY_MAX], 1, true));
	must(dac_notify_methods(f->d, refs, DAC_NOTIFY_MAX, false));
	must(dac_notify_methods(f->d, &refs[DAC_NOTIFY_MAX], 1, false));
	must_fail(dac_notify_methods(f->d, refs, DAC_NOTIFY_MAX + 1, true),
		  DBG_E_RUNTIME, "more than");
	must(dac_notify_modules(f->d, false));
}

// Everything is as it was after the DAC has forgotten it.
static void test_forget(void **state)
{
	struct dacfixture *f = fixture(state);
	struct dacframe *before, *after;
	size_t n = dacfixture_walk(f, f->main_tid, true, &before);

	dac_flush(f->d);
	assert_int_equal(dacfixture_walk(f, f->main_tid, true, &after), n);
	dac_forget(f->d);
	assert_int_equal(dacfixture_walk(f, f->main_tid, true, &after), n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(before[i].frame.kind, after[i].frame.kind);
		assert_int_equal(before[i].frame.ip, after[i].frame.ip);
		assert_int_equal(before[i].frame.sp, after[i].frame.sp);
		assert_int_equal(before[i].frame.method, after[i].frame.method);
		assert_string_equal(before[i].name, after[i].name);
	}
	test_locals(state);
	test_generic_statics(state);
}

/* ---- Optimised code -------------------------------------------------- */

static void test_registers(void **state)
{
	struct dacfixture *f = fixture(state);
	struct dac_var *vars;
	size_t n, absent = 0, in_register = 0;
	pid_t tid;

	struct dacframe frame = dacfixture_frame(f, "Program.Variables(", &tid);
	for (int args = 0; args < 2; args++) {
		must(dac_frame_vars(f->d, tid, &frame.frame, args, f->arena,
				    &vars, &n));
		for (size_t i = 0; i < n; i++) {
			absent += !vars[i].present;
			in_register += vars[i].in_register;
			if (args && !strcmp(vars[i].name, "c") &&
			    vars[i].present) {
				assert_string_equal(
				    dacfixture_type_name(f, vars[i].type),
				    "Inspect.Color");
				assert_int_equal(vars[i].size, 1);
				if (vars[i].in_register)
					assert_int_equal(vars[i].bytes[0], 2);
			}
		}
	}
	assert_true(absent > 0);
	assert_true(in_register > 0);
}

/* ---- Each runtime ---------------------------------------------------- */

static int set_up(void **state, const char *major, const char *config,
		  bool optimized)
{
	struct arena *arena = arena_create();
	const char *host = dacfixture_host(major, arena);

	*state = host ? dacfixture_create(host, config, optimized) : NULL;
	arena_destroy(arena);
	return 0;
}

static int set_up_8(void **state)
{
	return set_up(state, "8", "Debug", false);
}

static int set_up_9(void **state)
{
	return set_up(state, "9", "Debug", false);
}

static int set_up_10(void **state)
{
	return set_up(state, "10", "Debug", false);
}

static int set_up_8_optimized(void **state)
{
	return set_up(state, "8", "Release", true);
}

static int set_up_9_optimized(void **state)
{
	return set_up(state, "9", "Release", true);
}

static int set_up_10_optimized(void **state)
{
	return set_up(state, "10", "Release", true);
}

static int tear_down(void **state)
{
	if (*state)
		dacfixture_destroy(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest debug[] = {
	    cmocka_unit_test(test_modules),
	    cmocka_unit_test(test_locators),
	    cmocka_unit_test(test_threads),
	    cmocka_unit_test(test_walk),
	    cmocka_unit_test(test_walk_calls),
	    cmocka_unit_test(test_walk_reads),
	    cmocka_unit_test(test_walk_dropped),
	    cmocka_unit_test(test_leaves),
	    cmocka_unit_test(test_anywhere),
	    cmocka_unit_test(test_frame_names),
	    cmocka_unit_test(test_codes),
	    cmocka_unit_test(test_no_code),
	    cmocka_unit_test(test_arguments),
	    cmocka_unit_test(test_this),
	    cmocka_unit_test(test_locals),
	    cmocka_unit_test(test_no_instance),
	    cmocka_unit_test(test_instance_of_two),
	    cmocka_unit_test(test_statics),
	    cmocka_unit_test(test_thread_statics),
	    cmocka_unit_test(test_generic_statics),
	    cmocka_unit_test(test_arrays),
	    cmocka_unit_test(test_garbage),
	    cmocka_unit_test(test_refuted),
	    cmocka_unit_test(test_notify_methods),
	    cmocka_unit_test(test_forget),
	};
	const struct CMUnitTest optimized[] = {
	    cmocka_unit_test(test_modules),   cmocka_unit_test(test_walk),
	    cmocka_unit_test(test_anywhere),  cmocka_unit_test(test_codes),
	    cmocka_unit_test(test_registers),
	};
	int failed = 0;

	failed +=
	    cmocka_run_group_tests_name(".NET 8", debug, set_up_8, tear_down);
	failed +=
	    cmocka_run_group_tests_name(".NET 9", debug, set_up_9, tear_down);
	failed +=
	    cmocka_run_group_tests_name(".NET 10", debug, set_up_10, tear_down);
	failed += cmocka_run_group_tests_name(".NET 8 optimised", optimized,
					      set_up_8_optimized, tear_down);
	failed += cmocka_run_group_tests_name(".NET 9 optimised", optimized,
					      set_up_9_optimized, tear_down);
	failed += cmocka_run_group_tests_name(".NET 10 optimised", optimized,
					      set_up_10_optimized, tear_down);
	return failed;
}
