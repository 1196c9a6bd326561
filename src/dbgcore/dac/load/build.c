/*
 * Do a runtime and a DAC belong together? Each holds its version and commit
 * behind a mark that what(1) knows, in its writable data near the end of the
 * file (some 40 KiB from it). A DAC of another build reads the wrong places,
 * and may crash.
 */
#include <ctype.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "dac/dac_priv.h"

enum {
	TAIL_USUAL = 1 << 16,
	TAIL_MAX = 1 << 20,
	BUILD_MAX = 200,
};

static const char mark[] = "@(#)Version ";

// The version behind the last mark in @s that has one; NULL if there is none.
static char *last_build(const char *s, size_t n)
{
	const char *found = NULL;
	const char *end = s + n;

	for (;;) {
		s = memmem(s, (size_t)(end - s), mark, sizeof(mark) - 1);
		if (!s)
			break;
		s += sizeof(mark) - 1;
		// what looks for marks, as this does, has one without a version
		if (s < end && isdigit((unsigned char)*s))
			found = s;
	}
	if (!found)
		return NULL;
	size_t left = (size_t)(end - found);
	return xstrndup(found, left < BUILD_MAX ? left : BUILD_MAX);
}

static char *tail_build(int fd, off_t size, size_t max)
{
	size_t n = (size_t)size < max ? (size_t)size : max;
	_cleanup_free_ char *tail = xmalloc(n);

	ssize_t got = pread(fd, tail, n, size - (off_t)n);
	return got > 0 ? last_build(tail, (size_t)got) : NULL;
}

// Absent if the file cannot be read or does not say it.
static char *build_of(const char *path)
{
	_cleanup_close_ int fd = -1;
	struct stat st;

	dbg_error_destroy(dbg_open_file(path, O_RDONLY, false, &fd));
	if (fd < 0 || fstat(fd, &st) || st.st_size <= 0)
		return NULL;
	char *ret = tail_build(fd, st.st_size, TAIL_USUAL);
	return ret ? ret : tail_build(fd, st.st_size, TAIL_MAX);
}

static char *build_in(struct bytes file)
{
	size_t n = file.n < TAIL_MAX ? file.n : TAIL_MAX;

	return n ? last_build((const char *)file.p + (file.n - n), n) : NULL;
}

static struct dbg_error *no_build(const char *dac)
{
	_cleanup_close_ int fd = -1;
	struct dbg_error *err = dbg_open_file(dac, O_RDONLY, false, &fd);

	if (err)
		return dbg_err_prefix(err, "cannot load the runtime's DAC");
	return dbg_err(DBG_E_RUNTIME,
		       "'%s' is not loaded: it does not tell which runtime it "
		       "belongs to, as every DAC does",
		       dac);
}

struct dbg_error *dac_check_build(struct bytes runtime, const char *dac)
{
	_cleanup_free_ char *ours = build_of(dac);
	_cleanup_free_ char *its = build_in(runtime);

	if (!ours)
		return no_build(dac);
	if (!its || !strcmp(ours, its))
		return NULL;
	return dbg_err(DBG_E_RUNTIME,
		       "'%s' (%.*s) does not belong to the runtime (%.*s) that "
		       "the program has",
		       dac, (int)strcspn(ours, " "), ours,
		       (int)strcspn(its, " "), its);
}

bool dac_same_build(struct bytes runtime, const char *dac)
{
	_cleanup_free_ char *ours = build_of(dac);
	_cleanup_free_ char *its = build_in(runtime);

	return ours && its && !strcmp(ours, its);
}

char *dac_release_of(struct bytes runtime)
{
	_cleanup_free_ char *build = build_in(runtime);
	unsigned int major, minor, patch;

	if (!build || sscanf(build, "%u.%u.%u", &major, &minor, &patch) != 3)
		return NULL;
	return xasprintf("%u.%u.%u", major, minor, patch / DAC_PATCH_FACTOR);
}

bool dac_is_of(const char *dac, const char *version)
{
	_cleanup_free_ char *build = build_of(dac);

	return build && str_starts(build, version);
}

const char *dac_build_version(const char *dac, struct arena *arena)
{
	_cleanup_free_ char *build = build_of(dac);

	return build ? arena_strndup(arena, build, strcspn(build, " ")) : "?";
}
