/*
 * For tests that load the runtime's own library, the DAC, which is not clean by
 * the sanitizers' measure: it frees with delete what it made with new[] (.NET
 * 8), and it is never unloaded. The sanitizers call these functions.
 */
#ifndef TESTS_RUNTIMELIB_H
#define TESTS_RUNTIMELIB_H

const char *__asan_default_options(void);
const char *__lsan_default_suppressions(void);

const char *__asan_default_options(void)
{
	return "alloc_dealloc_mismatch=0";
}

const char *__lsan_default_suppressions(void)
{
	return "leak:libmscordaccore\nleak:/proc/self/fd/\n";
}

#endif
