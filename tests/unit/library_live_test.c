/*
 * The interpreter against the program: methods that use the base class library
 * (fixture Library) are interpreted, and must return what the program wrote
 * that they returned there, or end with the reason why they cannot be. Which
 * ones end is known: the table of docs/INTERPRETER.md, which "make
 * interpreter-table" writes.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "il/vm.h"
#include "ilfixture.h"

enum {
	TEXT_MAX = 1 << 16,
	METHODS_MAX = 400,
	N_RUNTIMES = 3,
};

struct row {
	char name[64];
	char *why[N_RUNTIMES]; /* NULL: interpreted */
};

static struct row rows[METHODS_MAX];
static size_t n_rows;

static struct row *row_of(const char *name)
{
	for (size_t i = 0; i < n_rows; i++)
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	assert_true(n_rows < METHODS_MAX);
	snprintf(rows[n_rows].name, sizeof(rows[n_rows].name), "%s", name);
	return &rows[n_rows++];
}

const char *__asan_default_options(void);
const char *__lsan_default_suppressions(void);

/* The runtime's library is not clean by the sanitizers' measure. */
const char *__asan_default_options(void)
{
	return "alloc_dealloc_mismatch=0";
}

const char *__lsan_default_suppressions(void)
{
	return "leak:libmscordaccore\nleak:/proc/self/fd/\n";
}

// A string as the fixture writes it.
static void add_string(struct vm *vm, uint64_t object, struct str *out)
{
	uint32_t n = 0;
	_cleanup_str_ struct str plain = {0};

	assert_true(vm_read(vm, object + 8, &n, sizeof(n)));
	assert_true(n <= TEXT_MAX);
	_cleanup_free_ uint16_t *units = xcalloc(n + 1, sizeof(*units));
	assert_true(vm_read(vm, object + 12, units, n * 2));
	str_add_utf16(&plain, units, n);
	for (const char *p = str_get(&plain); *p; p++) {
		if (*p == '\n' || *p == '\r' || *p == '\\')
			str_addc(out, '\\');
		str_addc(out, *p == '\n' ? 'n' : *p == '\r' ? 'r' : *p);
	}
}

static void add_message(struct ilfixture *f, struct vm *vm,
			const struct vm_value *exception, struct str *out)
{
	uint64_t object = 0, message = 0;
	struct type_field *field;
	uint32_t offset;
	struct type *type = type_core(f->types, "System.Exception");

	must(type_field_find(f->types, type, "_message", &field));
	must(type_field_offset(f->types, field, &offset));
	vm_read(vm, exception->addr, &object, sizeof(object));
	vm_read(vm, object + 8 + offset, &message, sizeof(message));
	str_addf(out, "throws %s",
		 exception->type ? type_name(f->types, exception->type) : "?");
	if (message) {
		str_add(out, ": ");
		add_string(vm, message, out);
	}
}

// Interpret @m: true and its text, or false and why not.
static bool interpret(struct ilfixture *f, struct vm *vm, struct type_method *m,
		      struct str *out)
{
	struct vm_result r;
	uint64_t object = 0;
	struct dbg_error *err = vm_begin(vm, m, NULL, 0, NULL);

	if (err) {
		str_add(out, err->message);
		dbg_error_destroy(err);
		return false;
	}
	vm_run(vm, 0, &r);
	if (r.state == VM_DONE) {
		assert_true(vm_read(vm, r.value.addr, &object, 8));
		add_string(vm, object, out);
		return true;
	}
	if (r.state == VM_THROWN)
		add_message(f, vm, &r.value, out);
	else
		str_add(out, r.error ? r.error->message : "no reason");
	dbg_error_destroy(r.error);
	return false;
}

/* ---- The table ---- */

static const char *const runtimes[N_RUNTIMES] = {"8", "9", "10"};

// The row of the table in docs/INTERPRETER.md: "| `Name` | yes | no | yes |".
static bool documented(const char *docs, const char *name, size_t runtime)
{
	char head[96];

	snprintf(head, sizeof(head), "| `%s` |", name);
	const char *at = strstr(docs, head);
	if (!at)
		return false;
	at += strlen(head);
	for (size_t i = 0; i < runtime; i++)
		at = strchr(at, '|') + 1;
	return !strncmp(at, " yes ", 5);
}

// Unit tests run where they are built, and know their own source from there.
static char *docs_read(void)
{
	_cleanup_str_ struct str text = {0};
	char part[4096];
	size_t n;
	const char *base = str_basename(__FILE__);
	_cleanup_free_ char *path = xasprintf("%.*s../../docs/INTERPRETER.md",
					      (int)(base - __FILE__), __FILE__);
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	while ((n = fread(part, 1, sizeof(part), f)) > 0)
		str_addn(&text, part, n);
	fclose(f);
	return str_take(&text);
}

static void print_table(FILE *f)
{
	fprintf(f,
		"| method | .NET 8 | .NET 9 | .NET 10 |\n|---|---|---|---|\n");
	for (size_t i = 0; i < n_rows; i++)
		fprintf(f, "| `%s` | %s | %s | %s |\n", rows[i].name,
			rows[i].why[0] ? "no" : "yes",
			rows[i].why[1] ? "no" : "yes",
			rows[i].why[2] ? "no" : "yes");
	fprintf(f, "\nWhy not:\n\n");
	for (size_t i = 0; i < n_rows; i++)
		for (size_t k = 0; k < N_RUNTIMES; k++)
			if (rows[i].why[k])
				fprintf(f, "- `%s`, .NET %s: %s\n",
					rows[i].name, runtimes[k],
					rows[i].why[k]);
}

/* ---- The test ---- */

// Addresses differ from run to run: "at 0x7f..." is "at 0x".
static char *without_addresses(const char *text)
{
	_cleanup_str_ struct str out = {0};

	for (const char *p = text; *p; p++) {
		str_addc(&out, *p);
		if (p > text && p[-1] == '0' && *p == 'x')
			p += strspn(p + 1, "0123456789abcdef");
	}
	return str_take(&out);
}

struct library {
	struct ilfixture *f;
	struct vm *vm;
	size_t runtime, wrong;
	char *docs;
};

static void check_line(struct library *lib, const char *line)
{
	char name[64];
	_cleanup_str_ struct str got = {0};
	size_t len = strcspn(line, " ");
	struct ilfixture *f = lib->f;

	snprintf(name, sizeof(name), "%.*s", (int)len, line);
	const char *expected = line + len + strlen(" text ");
	size_t n = strcspn(expected, "\n");
	struct type_method *m = type_method_named(
	    f->types, type_named(f->types, f->module, "Library.Cases"), name,
	    0);
	assert_non_null(m);
	struct row *row = row_of(name);
	if (!interpret(f, lib->vm, m, &got)) {
		row->why[lib->runtime] = without_addresses(str_get(&got));
		if (!documented(lib->docs, name, lib->runtime))
			return;
		lib->wrong++;
		printf("%s falls back: %s\n", name, str_get(&got));
		return;
	}
	if (!documented(lib->docs, name, lib->runtime)) {
		lib->wrong++;
		printf("%s is interpreted, but the table says no: make "
		       "interpreter-table\n",
		       name);
	}
	if (got.len == n && !memcmp(str_get(&got), expected, n))
		return;
	lib->wrong++;
	printf("%s returns %s\n%*s not %.*s\n", name, str_get(&got),
	       (int)strlen(name), "", (int)n, expected);
}

static void test_library(void **state)
{
	// A runtime that is not there.
	if (!*state)
		skip();
	struct library *lib = *state;

	for (const char *at = str_get(&lib->f->said); !str_starts(at, "rest\n");
	     at = strchr(at, '\n') + 1)
		check_line(lib, at);
	if (!getenv("INTERPRETER_TABLE"))
		assert_int_equal(lib->wrong, 0);
}

static int set_up(void **state, size_t runtime)
{
	struct arena *arena = arena_create();
	const char *host = dacfixture_host(runtimes[runtime], arena);

	*state = NULL;
	if (host) {
		struct library *lib = xcalloc(1, sizeof(*lib));
		lib->f = ilfixture_create(host, "Debug/Library");
		lib->vm = vm_create(lib->f->values);
		lib->runtime = runtime;
		lib->docs = docs_read();
		*state = lib;
	}
	arena_destroy(arena);
	return 0;
}

static int set_up_8(void **state)
{
	return set_up(state, 0);
}

static int set_up_9(void **state)
{
	return set_up(state, 1);
}

static int set_up_10(void **state)
{
	return set_up(state, 2);
}

static int tear_down(void **state)
{
	struct library *lib = *state;

	if (!lib)
		return 0;
	vm_destroy(lib->vm);
	ilfixture_destroy(lib->f);
	free(lib->docs);
	free(lib);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_library)};
	const char *table = getenv("INTERPRETER_TABLE");
	int failed = 0;

	failed +=
	    cmocka_run_group_tests_name(".NET 8", tests, set_up_8, tear_down);
	failed +=
	    cmocka_run_group_tests_name(".NET 9", tests, set_up_9, tear_down);
	failed +=
	    cmocka_run_group_tests_name(".NET 10", tests, set_up_10, tear_down);
	FILE *f = table ? fopen(table, "w") : NULL;
	if (f) {
		print_table(f);
		fclose(f);
	}
	for (size_t i = 0; i < n_rows; i++)
		for (size_t k = 0; k < N_RUNTIMES; k++)
			free(rows[i].why[k]);
	return failed;
}
