/*
 * The machine against the program: methods of the fixture Interpreted are
 * interpreted, and must give what the program wrote that they gave there.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "il/vm.h"
#include "ilfixture.h"
#include "runtimelib.h"
#include "target/target.h"

static struct ilfixture *fixture(void **state)
{
	// A runtime that is not there.
	if (!*state)
		skip();
	return *state;
}

static void add_string(struct vm *vm, uint64_t object, struct str *out)
{
	uint32_t n = 0;
	uint16_t units[1024];

	assert_true(vm_read(vm, object + 8, &n, sizeof(n)));
	assert_true(n <= 1024);
	assert_true(vm_read(vm, object + 12, units, n * 2));
	str_add_utf16(out, units, n);
}

/* The value as the fixture writes it. */
static void add_value(struct vm *vm, const struct vm_value *v, struct str *out)
{
	uint64_t bits = 0;
	uint32_t size = 8;

	switch (v->type->elem) {
	case ELEM_BOOLEAN:
	case ELEM_U1:
	case ELEM_I1:
		size = 1;
		break;
	case ELEM_I2:
	case ELEM_U2:
	case ELEM_CHAR:
		size = 2;
		break;
	case ELEM_I4:
	case ELEM_U4:
	case ELEM_R4:
		size = 4;
		break;
	default:
		break;
	}
	assert_true(vm_read(vm, v->addr, &bits, size));
	switch (v->type->elem) {
	case ELEM_R8:
		str_addf(out, "r8 %016" PRIx64, bits);
		break;
	case ELEM_R4:
		str_addf(out, "r4 %08" PRIx64, bits);
		break;
	case ELEM_I4:
		str_addf(out, "i8 %d", (int32_t)bits);
		break;
	case ELEM_I8:
		str_addf(out, "i8 %" PRId64, (int64_t)bits);
		break;
	case ELEM_STRING:
		if (bits) {
			str_add(out, "text ");
			add_string(vm, bits, out);
		} else {
			str_add(out, "null");
		}
		break;
	default:
		str_addf(out, "i8 %" PRIu64, bits);
		break;
	}
}

static void run_one(struct ilfixture *f, struct vm *vm, struct type_method *m,
		    struct str *out)
{
	struct vm_result r;
	struct dbg_error *err = vm_begin(vm, m, NULL, 0, NULL);

	if (err) {
		str_addf(out, "error %s", err->message);
		dbg_error_destroy(err);
		return;
	}
	vm_run(vm, 0, &r);
	switch (r.state) {
	case VM_DONE:
		add_value(vm, &r.value, out);
		break;
	case VM_THROWN:
		str_addf(out, "thrown %s", type_name(f->types, r.value.type));
		break;
	default:
		str_addf(out, "state %d: %s", r.state,
			 r.error ? r.error->message : "");
		dbg_error_destroy(r.error);
	}
}

static void test_methods(void **state)
{
	struct ilfixture *f = fixture(state);
	struct vm *vm = vm_create(f->values);
	struct type *type =
	    type_named(f->types, f->module, "Interpreted.Basic");
	const char *only = getenv("ONLY");
	int n = 0, wrong = 0;

	assert_non_null(type);
	for (const char *at = str_get(&f->said); *at;) {
		const char *end = strchr(at, '\n');
		const char *space = memchr(at, ' ', (size_t)(end - at));
		_cleanup_str_ struct str got = {0};
		char name[64];
		if (!space)
			break;
		snprintf(name, sizeof(name), "%.*s", (int)(space - at), at);
		struct type_method *m =
		    type_method_named(f->types, type, name, 0);
		assert_non_null(m);
		if (!strncmp(space + 1, "other", 5) ||
		    (only && strcmp(only, name))) {
			at = end + 1;
			continue;
		}
		run_one(f, vm, m, &got);
		n++;
		if (str_get(&got)[0] == '\0' ||
		    strlen(str_get(&got)) != (size_t)(end - space - 1) ||
		    strncmp(str_get(&got), space + 1, strlen(str_get(&got)))) {
			printf("%s: '%s', not '%.*s'\n", name, str_get(&got),
			       (int)(end - space - 1), space + 1);
			wrong++;
		}
		at = end + 1;
	}
	printf("%d methods, %d wrong\n", n, wrong);
	vm_destroy(vm);
	assert_int_equal(wrong, 0);
	assert_true(n > 60 || only);
}

/* FNV over all memory that the program can write. */
static uint64_t checksum(pid_t pid)
{
	char path[64], line[512];
	uint64_t sum = 0xcbf29ce484222325;
	size_t bytes = 0;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	FILE *maps = fopen(path, "r");
	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	FILE *mem = fopen(path, "r");
	assert_non_null(maps);
	assert_non_null(mem);
	while (fgets(line, sizeof(line), maps)) {
		unsigned long start, end;
		char mode[8];
		static uint64_t words[4096];
		if (sscanf(line, "%lx-%lx %7s", &start, &end, mode) != 3 ||
		    mode[0] != 'r' || mode[1] != 'w')
			continue;
		fseeko(mem, (off_t)start, SEEK_SET);
		for (size_t left = end - start; left;) {
			size_t n = left < sizeof(words) ? left : sizeof(words);
			if (fread(words, 1, n, mem) != n)
				break;
			for (size_t i = 0; i < n / 8; i++)
				sum = (sum ^ words[i]) * 0x100000001b3;
			left -= n;
			bytes += n;
		}
		clearerr(mem);
	}
	fclose(maps);
	fclose(mem);
	assert_true(bytes > 1 << 20);
	return sum;
}

/* A thousand executions, of which many write, leave the program as it was. */
static void test_untouched(void **state)
{
	struct ilfixture *f = fixture(state);
	struct vm *vm = vm_create(f->values);
	struct type *type =
	    type_named(f->types, f->module, "Interpreted.Basic");
	uint64_t before = checksum(target_pid(f->t));
	struct type_method *const *all;
	size_t n, done = 0;

	type_methods(f->types, type, &all, &n);
	while (done < 1000) {
		for (size_t i = 0; i < n && done < 1000; i++) {
			const struct type_sig *sig;
			_cleanup_str_ struct str got = {0};
			must(type_method_sig(f->types, all[i], &sig));
			if (sig->n_params || sig->n_generic || sig->has_this)
				continue;
			run_one(f, vm, all[i], &got);
			vm_stop(vm);
			done++;
		}
	}
	assert_true(checksum(target_pid(f->t)) == before);
	vm_destroy(vm);
}

static struct ilfixture *of_runtime(const char *major, const char *config)
{
	struct arena *arena = arena_create();
	const char *host = dacfixture_host(major, arena);
	char program[64];

	snprintf(program, sizeof(program), "%s/Interpreted", config);
	struct ilfixture *f = host ? ilfixture_create(host, program) : NULL;
	arena_destroy(arena);
	return f;
}

#define SETUP(major, config)                                                   \
	static int setup_##major##_##config(void **state)                      \
	{                                                                      \
		*state = of_runtime(#major, #config);                          \
		return 0;                                                      \
	}
SETUP(8, Debug)
SETUP(9, Debug)
SETUP(10, Debug)
SETUP(8, Release)
SETUP(9, Release)
SETUP(10, Release)

static int teardown(void **state)
{
	if (*state)
		ilfixture_destroy(*state);
	return 0;
}

#define TEST(major, config)                                                    \
	{                                                                      \
		"methods [" #major " " #config "]", test_methods,              \
		    setup_##major##_##config, teardown, NULL                   \
	}
#define UNTOUCHED(major)                                                       \
	{                                                                      \
		"the program is untouched [" #major "]", test_untouched,       \
		    setup_##major##_Debug, teardown, NULL                      \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(8, Debug),   TEST(9, Debug),   TEST(10, Debug),
	    TEST(8, Release), TEST(9, Release), TEST(10, Release),
	    UNTOUCHED(8),     UNTOUCHED(9),     UNTOUCHED(10),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
