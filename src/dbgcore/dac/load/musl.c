/*
 * Runtimes built for musl, Alpine's C library. They are read by the DAC of the
 * same build for glibc: both are compiled from the same sources, and any
 * difference in layout would show in the runtime's contract descriptor, JSON
 * text inside the library with the layouts that the runtime promises.
 *
 * The runtime's own DAC needs musl, which cannot be in one process with glibc.
 * All that it calls is in glibc as well, under the same names and with the same
 * layouts, so where there is no other DAC, a copy is loaded that asks for
 * glibc.
 *
 * One thing differs: the addresses of a library's tables (DT_STRTAB and so on)
 * in the dynamic section in memory. glibc's linker relocates them, musl's
 * leaves offsets. The DAC finds the runtime's own table by these.
 */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "dac/dac_priv.h"
#include "dac/load/musl.h"
#include "target/elf.h"

enum {
	LIBRARY_MAX = 64 << 20,
	CONTRACT_MAX = 1 << 20,
	COPY_NAME_SIZE = 80,
};

const char dac_copy_prefix[] = "dndbg-dac-";
// By which a dynamic section names the C library that it needs.
static const char musl_name[] = "libc.musl-";

bool dac_needs_musl(struct bytes library)
{
	struct elf elf;

	return !dbg_err_drop(elf_parse(library, &elf)) && elf.strings.n &&
	       memmem(elf.strings.p, elf.strings.n, musl_name,
		      strlen(musl_name));
}

bool dac_file_needs_musl(const char *path)
{
	struct file file;

	if (dbg_err_drop(file_load(path, LIBRARY_MAX, &file)))
		return false;
	bool ret = dac_needs_musl(file.bytes);
	file_unload(&file);
	return ret;
}

// The pack has the runtime's version without the number of its build.
struct dbg_error *dac_musl_gone(const char *runtime, struct bytes bytes,
				bool theirs)
{
	_cleanup_free_ char *version = dac_release_of(bytes);

	return dbg_err(
	    DBG_E_RUNTIME,
	    "'%s' was built for musl; the DAC of the same .NET for glibc reads "
	    "it, which is not here: install .NET %s, or say by \"set dac-path "
	    "DIRECTORY\" or --dac-path where the package "
	    "Microsoft.NETCore.App.Runtime.linux-x64 %s was unpacked "
	    "(runtimes/linux-x64/native)%s",
	    runtime, version ? version : "of that version",
	    version ? version : "of that version",
	    theirs ? "; \"set trust-dac on\" loads the container's own, with "
		     "your rights"
		   : "");
}

/* ---- Contract descriptors -------------------------------------------- */

// The next descriptor at or behind *at, which is moved behind it; n 0: none.
static struct bytes contract_next(struct bytes library, size_t *at)
{
	static const char begin[] = "{\"version\":";
	const uint8_t *end = library.p + library.n;

	const uint8_t *first =
	    memmem(library.p + *at, library.n - *at, begin, strlen(begin));
	if (!first)
		return (struct bytes){NULL, 0};
	const uint8_t *last = memchr(first, '\0', (size_t)(end - first));
	if (!last || last - first > CONTRACT_MAX)
		last = first + strlen(begin);
	*at = (size_t)(last - library.p);
	return (struct bytes){first, (size_t)(last - first)};
}

// Leave the platform that the runtime was built for out: "RID":["...","string"]
static struct bytes without_platform(struct bytes contract, char *copy)
{
	static const char name[] = "\"RID\":[";

	memcpy(copy, contract.p, contract.n);
	char *from = memmem(copy, contract.n, name, strlen(name));
	char *end = copy + contract.n;
	char *to = from ? memchr(from, ']', (size_t)(end - from)) : NULL;
	if (to)
		memmove(from, to, (size_t)(end - to));
	return (struct bytes){(uint8_t *)copy,
			      contract.n - (to ? (size_t)(to - from) : 0)};
}

static bool contract_equal(struct bytes a, struct bytes b)
{
	_cleanup_free_ char *copy_a = xmalloc(a.n + 1);
	_cleanup_free_ char *copy_b = xmalloc(b.n + 1);

	a = without_platform(a, copy_a);
	b = without_platform(b, copy_b);
	return a.n == b.n && !memcmp(a.p, b.p, a.n);
}

// The constants of a library, which hold its descriptors; code is most of it.
static struct bytes constants_of(struct bytes library)
{
	uint64_t from = library.n, to = 0;
	struct elf elf;

	if (dbg_err_drop(elf_parse(library, &elf)))
		return library;
	if (elf.constants.n)
		return elf.constants;
	for (size_t i = 0; i < elf.n_segments; i++) {
		const struct elf_segment *s = &elf.segments[i];

		if (s->type != PT_LOAD || s->flags != PF_R ||
		    s->offset > library.n ||
		    s->file_size > library.n - s->offset)
			continue;
		if (s->offset < from)
			from = s->offset;
		if (s->offset + s->file_size > to)
			to = s->offset + s->file_size;
	}
	return to ? (struct bytes){library.p + from, to - from} : library;
}

static bool contracts_equal(struct bytes a, struct bytes b)
{
	size_t at_a = 0, at_b = 0;

	a = constants_of(a);
	b = constants_of(b);
	for (;;) {
		struct bytes of_a = contract_next(a, &at_a);
		struct bytes of_b = contract_next(b, &at_b);

		if (!of_a.n || !of_b.n)
			return of_a.n == of_b.n;
		if (!contract_equal(of_a, of_b))
			return false;
	}
}

bool dac_same_contract(struct bytes runtime, const char *other)
{
	struct file file;

	if (dbg_err_drop(file_load(other, LIBRARY_MAX, &file)))
		return false;
	bool same = contracts_equal(runtime, file.bytes);
	file_unload(&file);
	return same;
}

/* ---- Its own DAC ------------------------------------------------------ */

#ifdef __GLIBC__

// A copy of a library, to be loaded by its descriptor; -1: it cannot be made.
static int copy_of(struct bytes library, const struct stat *st)
{
	char name[COPY_NAME_SIZE];

	snprintf(name, sizeof(name), "%s%jx-%jx-%jx", dac_copy_prefix,
		 (uintmax_t)st->st_dev, (uintmax_t)st->st_ino,
		 (uintmax_t)st->st_mtime);
	int fd = memfd_create(name, MFD_CLOEXEC);
	for (size_t done = 0; fd >= 0 && done < library.n;) {
		ssize_t n = write(fd, library.p + done, library.n - done);

		if (n <= 0) {
			close(fd);
			return -1;
		}
		done += (size_t)n;
	}
	return fd;
}

// It is to ask for our C library.
static bool name_glibc(int fd, struct bytes library)
{
	static const char ours[] = "libc.so.6";
	struct elf elf;

	if (dbg_err_drop(elf_parse(library, &elf)))
		return false;
	const uint8_t *name =
	    memmem(elf.strings.p, elf.strings.n, musl_name, strlen(musl_name));
	if (!name || strnlen((const char *)name,
			     elf.strings.n - (size_t)(name - elf.strings.p)) <
			 strlen(ours))
		return false;
	return pwrite(fd, ours, sizeof(ours), name - library.p) ==
	       (ssize_t)sizeof(ours);
}

struct dbg_error *dac_for_glibc(const char *path, int *fd, bool *ret)
{
	char link[COPY_NAME_SIZE];
	struct dbg_error *err;
	struct file file;
	struct stat st;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", *fd);
	err = file_load(link, LIBRARY_MAX, &file);
	if (err)
		return dbg_err_prefix(err, "cannot load '%s'", path);
	*ret = dac_needs_musl(file.bytes);
	if (*ret) {
		int copy = fstat(*fd, &st) ? -1 : copy_of(file.bytes, &st);

		if (copy < 0 || !name_glibc(copy, file.bytes))
			err = dbg_err_errno(DBG_E_RUNTIME, errno,
					    "cannot copy '%s'", path);
		close(*fd);
		*fd = copy;
	}
	file_unload(&file);
	return err;
}

#else

struct dbg_error *dac_for_glibc(const char *path, int *fd, bool *ret)
{
	(void)path;
	(void)fd;
	*ret = false;
	return NULL;
}

#endif

/* ---- The dynamic section --------------------------------------------- */

#ifdef __GLIBC__

void dac_tables_find(struct data_target *dt)
{
	dt->set.dynamic = target_segment(dt->target, dt->runtime_base,
					 PT_DYNAMIC, &dt->set.dynamic_size);
}

void dac_tables_present(const struct data_target *dt, uint64_t addr, void *buf,
			size_t n)
{
	static const int64_t tables[] = {DT_HASH, DT_GNU_HASH, DT_SYMTAB,
					 DT_STRTAB};
	Elf64_Dyn entry;

	if (addr - dt->set.dynamic >= dt->set.dynamic_size ||
	    n != sizeof(entry))
		return;
	memcpy(&entry, buf, n);
	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		if (entry.d_tag == tables[i] &&
		    entry.d_un.d_ptr < dt->runtime_base)
			entry.d_un.d_ptr += dt->runtime_base;
	memcpy(buf, &entry, n);
}

#else /* the DAC was made for musl itself, and expects what musl leaves */

void dac_tables_find(struct data_target *dt)
{
	(void)dt;
}

void dac_tables_present(const struct data_target *dt, uint64_t addr, void *buf,
			size_t n)
{
	(void)dt;
	(void)addr;
	(void)buf;
	(void)n;
}

#endif
