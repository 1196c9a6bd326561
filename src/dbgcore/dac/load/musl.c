/*
 * A runtime that was built for musl, Alpine's C library. Its own DAC needs that
 * library and cannot be loaded beside glibc. The DAC of the same build for
 * glibc reads such a runtime: both are compiled from the same sources, and what
 * they lay out differently would show in the runtime's contract descriptor,
 * JSON text inside the library with the layouts that the runtime promises.
 *
 * One thing is another: where the tables of a library are (DT_STRTAB and its
 * kin), glibc's linker writes as addresses into the dynamic section in memory,
 * musl's leaves offsets. The DAC finds the runtime's own table by these.
 */
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/str.h"
#include "dac/dac_priv.h"
#include "target/elf.h"

enum {
	LIBRARY_MAX = 64 << 20,
	CONTRACT_MAX = 1 << 20,
};

bool dac_needs_musl(struct bytes library)
{
	// by which its dynamic section names the C library that it needs
	static const char name[] = "libc.musl-";
	struct elf elf;

	return !dbg_err_drop(elf_parse(library, &elf)) && elf.strings.n &&
	       memmem(elf.strings.p, elf.strings.n, name, strlen(name));
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

static bool contracts_equal(struct bytes a, struct bytes b)
{
	size_t at_a = 0, at_b = 0;

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

#else /* the DAC was made for musl, too, and expects what musl leaves */

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
