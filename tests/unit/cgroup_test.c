/* Limits of cgroups of either version, of files as the kernel writes them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/mem.h"
#include "target/cgroup.h"

#define MIB UINT64_C(0x100000)

static char root[64];

static int make_root(void **state)
{
	(void)state;
	snprintf(root, sizeof(root), "/tmp/cgroup_test.XXXXXX");
	return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
	_cleanup_free_ char *command = xasprintf("rm -rf %s", root);

	(void)state;
	return system(command);
}

// A file of a group, and the folders above it.
static void put(const char *name, const char *text)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", root, name);

	for (char *at = path + strlen(root) + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(path, 0700);
		*at = '/';
	}
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void check(const char *text, const struct dbg_limits *wanted)
{
	struct dbg_limits found;

	cgroup_limits(root, text, &found);
	assert_int_equal(found.memory, wanted->memory);
	assert_int_equal(found.memory_used, wanted->memory_used);
	assert_int_equal(found.cpu, wanted->cpu);
	assert_int_equal(found.periods, wanted->periods);
	assert_int_equal(found.throttled, wanted->throttled);
}

// The limit of the group above is tighter for memory, that of the group itself
// for processors.
static void test_second_version(void **state)
{
	(void)state;
	put("a/memory.max", "1073741824\n");
	put("a/memory.current", "104857600\n");
	put("a/memory.stat", "anon 5\ninactive_file 4194304\n");
	put("a/cpu.max", "max 100000\n");
	put("a/b/memory.max", "max\n");
	put("a/b/memory.current", "5\n");
	put("a/b/cpu.max", "150000 100000\n");
	put("a/b/cpu.stat", "usage_usec 7\nnr_periods 200\nnr_throttled 9\n");
	check("0::/a/b\n",
	      &(struct dbg_limits){1024 * MIB, 96 * MIB, 1500, 200, 9});
	check("0::/a\n", &(struct dbg_limits){1024 * MIB, 96 * MIB, 0, 0, 0});
	// in a container that sees its own group alone, and outside of all
	put("memory.max", "2097152\n");
	put("memory.current", "1048576\n");
	check("0::/host/name\n", &(struct dbg_limits){2 * MIB, MIB, 0, 0, 0});
	check("0::/../x\n", &(struct dbg_limits){0});
}

static void test_first_version(void **state)
{
	(void)state;
	put("memory/g/memory.limit_in_bytes", "8388608\n");
	put("memory/g/memory.usage_in_bytes", "7340032\n");
	put("memory/g/memory.stat", "cache 3\ntotal_inactive_file 1048576\n");
	put("memory/memory.limit_in_bytes", "9223372036854771712\n");
	put("cpu/g/cpu.cfs_quota_us", "50000\n");
	put("cpu/g/cpu.cfs_period_us", "100000\n");
	put("cpu/g/cpu.stat", "nr_periods 40\nnr_throttled 39\n");
	put("cpu/cpu.cfs_quota_us", "-1\n");
	put("cpu/cpu.cfs_period_us", "100000\n");
	check("5:devices:/g\n4:memory:/g\n1:cpu:/g\n",
	      &(struct dbg_limits){8 * MIB, 6 * MIB, 500, 40, 39});
	check("4:memory:/\n1:cpu:/\n", &(struct dbg_limits){0});
	check("memory\n::\n4:memory:\n", &(struct dbg_limits){0});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_second_version, make_root,
					    remove_root),
	    cmocka_unit_test_setup_teardown(test_first_version, make_root,
					    remove_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
