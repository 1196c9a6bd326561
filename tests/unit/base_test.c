#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/reader.h"
#include "base/str.h"

static void test_err(void **state)
{
	(void)state;
	struct dbg_error *err =
	    dbg_err(DBG_E_NOT_FOUND, "no method '%s'", "Foo");

	assert_int_equal(err->code, DBG_E_NOT_FOUND);
	assert_string_equal(err->message, "no method 'Foo'");
	err = dbg_err_prefix(err, "reading %d", 7);
	assert_string_equal(err->message, "reading 7: no method 'Foo'");
	dbg_error_destroy(err);
	err = dbg_err_errno(DBG_E_FILE, ENOENT, "cannot open '%s'", "x");
	assert_string_equal(err->message,
			    "cannot open 'x': No such file or directory");
	dbg_error_destroy(err);
	dbg_error_destroy(NULL);
}

static void test_arena(void **state)
{
	(void)state;
	struct arena *a = arena_create();
	char *all[200];

	for (int turn = 0; turn < 3; turn++) {
		for (int i = 0; i < 200; i++) {
			size_t size = (size_t)(i * i) + 1;

			all[i] = arena_alloc(a, size);
			assert_int_equal((uintptr_t)all[i] % 16, 0);
			for (size_t k = 0; k < size; k++)
				assert_int_equal(all[i][k], 0);
			memset(all[i], i, size);
		}
		for (int i = 0; i < 200; i++)
			for (int k = 0; k <= i * i; k++)
				assert_int_equal((uint8_t)all[i][k], i);
		arena_reset(a);
	}
	assert_string_equal(arena_printf(a, "%d-%s", 5, "x"), "5-x");
	char *wide = arena_printf(a, "%1000d", 1);
	assert_int_equal(strlen(wide), 1000);
	assert_string_equal(arena_strndup(a, "abcdef", 3), "abc");
	assert_null(arena_copy(a, "", 0, 4));
	uint16_t v[3] = {1, 2, 3};
	assert_memory_equal(arena_copy(a, v, 3, 2), v, 6);
	arena_destroy(a);
}

static void test_grow(void **state)
{
	(void)state;
	uint32_t *list = NULL;
	size_t cap = 0;

	for (uint32_t n = 0; n < 1000; n++) {
		mem_grow(&list, &cap, n, sizeof(*list));
		assert_true(cap > n);
		list[n] = n;
	}
	for (uint32_t n = 0; n < 1000; n++)
		assert_int_equal(list[n], n);
	free(list);
}

static void test_str(void **state)
{
	(void)state;
	static const uint16_t units[] = {'a',    0xe9,   0xd83d,
					 0xde00, 0xd800, 0x20ac};
	_cleanup_str_ struct str s = {NULL, 0, 0};

	assert_string_equal(str_get(&s), "");
	str_add(&s, "x");
	str_addc(&s, 'y');
	str_addf(&s, "%300s|", "z");
	assert_int_equal(s.len, 303);
	str_clear(&s);
	str_add_utf16(&s, units, 6);
	assert_string_equal(str_get(&s), "a\xc3\xa9\xf0\x9f\x98\x80"
					 "\xef\xbf\xbd\xe2\x82\xac");
	char *taken = str_take(&s);
	assert_int_equal(strlen(taken), 13);
	assert_string_equal(str_get(&s), "");
	free(taken);
	taken = str_take(&s);
	assert_string_equal(taken, "");
	free(taken);
	assert_true(str_starts("abc", "ab"));
	assert_false(str_starts("a", "ab"));
	assert_true(str_ends("a.pdb", ".pdb"));
	assert_false(str_ends("b", ".pdb"));
	assert_string_equal(str_basename("/a/b.cs"), "b.cs");
	assert_string_equal(str_basename("C:\\a\\b.cs"), "b.cs");
	assert_string_equal(str_basename("b.cs"), "b.cs");
}

static void test_numbers(void **state)
{
	(void)state;
	uint64_t v = 99;

	assert_true(str_to_u64("0", &v) && v == 0);
	assert_true(str_to_u64("010", &v) && v == 10);
	assert_true(str_to_u64("0xfFfF", &v) && v == 0xffff);
	assert_true(str_to_u64("18446744073709551615", &v));
	assert_true(v == UINT64_MAX);
	assert_false(str_to_u64("18446744073709551616", &v));
	assert_false(str_to_u64("0x10000000000000000", &v));
	assert_false(str_to_u64("", &v));
	assert_false(str_to_u64("0x", &v));
	assert_false(str_to_u64("-1", &v));
	assert_false(str_to_u64(" 1", &v));
	assert_false(str_to_u64("1a", &v));
}

static void test_reader(void **state)
{
	(void)state;
	static const uint8_t data[] = {1,    2,    3,    4,    5,    6,
				       7,    8,    0x03, 0x80, 0x80, 0xae,
				       0x57, 0xc0, 0,    0x40, 0};
	struct reader r;

	reader_init(&r, data, sizeof(data));
	assert_int_equal(reader_u16(&r), 0x0201);
	assert_int_equal(reader_u32(&r), 0x06050403);
	reader_skip(&r, 2);
	// The examples of ECMA-335 II.23.2.
	assert_int_equal(reader_cuint(&r), 3);
	assert_int_equal(reader_cuint(&r), 0x80);
	assert_int_equal(reader_cuint(&r), 0x2e57);
	assert_int_equal(reader_cuint(&r), 0x4000);
	assert_false(r.bad);
	assert_int_equal(reader_left(&r), 0);
	assert_int_equal(reader_u8(&r), 0);
	assert_true(r.bad);
	// Once bad, bad.
	assert_int_equal(reader_u64(&r), 0);
	assert_null(reader_bytes(&r, 0).p);
	struct bytes b = {data, sizeof(data)};
	assert_ptr_equal(bytes_slice(b, 4, 4).p, data + 4);
	assert_null(bytes_slice(b, 17, 1).p);
	assert_null(bytes_slice(b, 1, UINT64_MAX).p);
	assert_non_null(bytes_slice(b, 17, 0).p);
}

static void check_cint(const char *bytes, size_t n, int32_t value)
{
	struct reader r;

	reader_init(&r, bytes, n);
	assert_int_equal(reader_cint(&r), value);
	assert_int_equal(reader_left(&r), 0);
	assert_false(r.bad);
}

static void test_cint(void **state)
{
	(void)state;
	// The examples of ECMA-335 II.23.2.
	check_cint("\x06", 1, 3);
	check_cint("\x7b", 1, -3);
	check_cint("\x80\x80", 2, 64);
	check_cint("\x01", 1, -64);
	check_cint("\xc0\x00\x40\x00", 4, 8192);
	check_cint("\x80\x01", 2, -8192);
	check_cint("\xdf\xff\xff\xfe", 4, 268435455);
	check_cint("\xc0\x00\x00\x01", 4, -268435456);
}

static void test_leb(void **state)
{
	(void)state;
	static const uint8_t data[] = {0xe5, 0x8e, 0x26, 0x9b,
				       0xf1, 0x59, 0x7f};
	static const uint8_t endless[12] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
					    0x80, 0x80, 0x80, 0x80, 0x80, 0x80};
	struct reader r;

	reader_init(&r, data, sizeof(data));
	assert_int_equal(reader_uleb(&r), 624485);
	assert_int_equal(reader_sleb(&r), -624485);
	assert_int_equal(reader_sleb(&r), -1);
	assert_false(r.bad);
	reader_init(&r, endless, sizeof(endless));
	reader_uleb(&r);
	assert_true(r.bad);
}

static void test_map(void **state)
{
	(void)state;
	struct map m = {NULL, 0, 0};
	static char values[1000];

	assert_null(map_find(&m, 1));
	assert_null(map_take(&m, 1));
	for (uint64_t i = 0; i < 1000; i++)
		map_put(&m, i * 4096, &values[i]);
	map_put(&m, 0, &values[7]);
	assert_int_equal(m.n, 1000);
	assert_ptr_equal(map_find(&m, 0), &values[7]);
	for (uint64_t i = 0; i < 1000; i += 2)
		assert_non_null(map_take(&m, i * 4096));
	for (uint64_t i = 0; i < 1000; i++)
		assert_ptr_equal(map_find(&m, i * 4096),
				 i % 2 ? &values[i] : NULL);
	map_clear(&m);
	assert_null(map_find(&m, 4096));
	map_deinit(&m);
}

static void write_file(const char *path, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	assert_int_equal(pwrite(fd, "MZ", size ? 2 : 0, 0), size ? 2 : 0);
	close(fd);
}

static void test_file(void **state)
{
	(void)state;
	static const size_t sizes[] = {0, 2, 70000, 3000000};
	char dir[] = "/tmp/dndbg-test-XXXXXX";
	char path[64];
	struct dbg_error *err;
	struct file f;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/f", dir);
	assert_false(file_exists(path));
	assert_false(file_exists(dir));
	for (size_t i = 0; i < 4; i++) {
		write_file(path, sizes[i]);
		assert_true(file_exists(path));
		assert_null(file_load(path, 3000000, &f));
		assert_int_equal(f.bytes.n, sizes[i]);
		if (sizes[i])
			assert_memory_equal(f.bytes.p, "MZ", 2);
		file_unload(&f);
	}
	err = file_load(path, 2999999, &f);
	assert_int_equal(err->code, DBG_E_FILE);
	dbg_error_destroy(err);
	unlink(path);
	err = file_load(path, 10, &f);
	assert_non_null(err);
	dbg_error_destroy(err);
	assert_int_equal(mkfifo(path, 0600), 0);
	err = file_load(path, 10, &f);
	assert_non_null(strstr(err->message, "not a regular file"));
	dbg_error_destroy(err);
	unlink(path);
	rmdir(dir);
}

// A pipe or a device that is refused has not been opened even for a moment.
static void test_file_untouched(void **state)
{
	char dir[] = "/tmp/dndbg-file-XXXXXX";
	struct inotify_event event;
	struct dbg_error *err;
	char path[64], link[64];
	int fd;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/f", dir);
	snprintf(link, sizeof(link), "%s/link", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	int watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	assert_true(inotify_add_watch(watch, path, IN_OPEN) >= 0);
	err = dbg_open_file(path, O_RDONLY, false, &fd);
	assert_non_null(strstr(err->message, "not a regular file"));
	dbg_error_destroy(err);
	assert_int_equal(read(watch, &event, sizeof(event)), -1);
	assert_null(dbg_open_file(path, O_RDONLY, true, &fd));
	assert_int_equal(read(watch, &event, sizeof(event)), sizeof(event));
	close(fd);
	close(watch);
	unlink(path);
	err = dbg_open_file(path, O_RDONLY, false, &fd);
	assert_non_null(strstr(err->message, "No such file"));
	dbg_error_destroy(err);
	assert_null(dbg_open_file(path, O_WRONLY | O_CREAT, false, &fd));
	close(fd);
	assert_int_equal(symlink(path, link), 0);
	err = dbg_open_file(link, O_RDONLY | O_NOFOLLOW, false, &fd);
	assert_non_null(strstr(err->message, "is a symbolic link"));
	dbg_error_destroy(err);
	unlink(link);
	unlink(path);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_err),
	    cmocka_unit_test(test_arena),
	    cmocka_unit_test(test_grow),
	    cmocka_unit_test(test_str),
	    cmocka_unit_test(test_numbers),
	    cmocka_unit_test(test_reader),
	    cmocka_unit_test(test_cint),
	    cmocka_unit_test(test_leb),
	    cmocka_unit_test(test_map),
	    cmocka_unit_test(test_file),
	    cmocka_unit_test(test_file_untouched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
