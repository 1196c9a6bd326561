/*
 * What the DAC calls of the C library, once it is loaded: another function for
 * some.
 *
 * The first use is a table that the DAC need not make anew for each stop.
 *
 * The DAC of .NET 9 keeps what it has read in a hash table of 4 MiB, of which
 * the first read after a Flush maps all and touches each page, and the next
 * Flush unmaps it: 1.7 ms of page faults at every stop. The DAC writes each
 * part before it reads it. So its calls of mmap and munmap pass through here,
 * and a mapping of just that size is put aside instead of being unmapped, to
 * be handed out again. Other versions have no such table and are left alone:
 * what they might map in that size they may expect to be zero.
 */
#include "dac/dac_priv.h"
#include "dac/load/musl.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>

enum {
	TABLE_BYTES = 4 << 20,
	OUR_PAGE = 4096,
};

// The DAC's calls pass no argument through to us, and the DAC is loaded once
// for all sessions: hence a global variable.
static void *put_aside;

static void *cached_mmap(void *addr, size_t n, int prot, int flags, int fd,
			 off_t offset)
{
	void *ret = put_aside;

	if (!ret || addr || n != TABLE_BYTES || prot != PROT_NONE ||
	    flags != (MAP_PRIVATE | MAP_ANONYMOUS))
		return mmap(addr, n, prot, flags, fd, offset);
	put_aside = NULL;
	return ret;
}

static int cached_munmap(void *addr, size_t n)
{
	if (put_aside || n != TABLE_BYTES)
		return munmap(addr, n);
	put_aside = addr;
	return 0;
}

/* ---- Where a library keeps the address of a function that it calls --- */

struct relas {
	const Elf64_Rela *v;
	size_t n;
};

struct imports {
	uintptr_t base;
	struct relas calls, data;
	const Elf64_Sym *symbols;
	const char *names;
};

static bool imports_read(void *handle, struct imports *ret)
{
	struct link_map *map;

	memset(ret, 0, sizeof(*ret));
	if (dlinfo(handle, RTLD_DI_LINKMAP, &map))
		return false;
	ret->base = map->l_addr;
	for (const Elf64_Dyn *dyn = map->l_ld; dyn->d_tag != DT_NULL; dyn++) {
		const void *at = (const void *)dyn->d_un.d_ptr;
		size_t n = dyn->d_un.d_val / sizeof(Elf64_Rela);

		// glibc has made addresses of those in place
		if (dyn->d_tag == DT_JMPREL)
			ret->calls.v = at;
		else if (dyn->d_tag == DT_PLTRELSZ)
			ret->calls.n = n;
		else if (dyn->d_tag == DT_RELA)
			ret->data.v = at;
		else if (dyn->d_tag == DT_RELASZ)
			ret->data.n = n;
		else if (dyn->d_tag == DT_SYMTAB)
			ret->symbols = at;
		else if (dyn->d_tag == DT_STRTAB)
			ret->names = at;
	}
	return ret->calls.v && ret->symbols && ret->names;
}

static void **import_slot(const struct imports *im, const char *name)
{
	for (size_t i = 0; i < im->calls.n; i++) {
		const Elf64_Rela *rela = &im->calls.v[i];
		const Elf64_Sym *symbol =
		    &im->symbols[ELF64_R_SYM(rela->r_info)];

		if (ELF64_R_TYPE(rela->r_info) == R_X86_64_JUMP_SLOT &&
		    !strcmp(im->names + symbol->st_name, name))
			return (void **)(im->base + rela->r_offset);
	}
	return NULL;
}

/* The part of a library that is read-only once it is linked. */
struct relro {
	uintptr_t base, start, end;
};

static int relro_find(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct relro *r = arg;

	(void)size;
	if (info->dlpi_addr != r->base)
		return 0;
	for (size_t i = 0; i < info->dlpi_phnum; i++) {
		const Elf64_Phdr *ph = &info->dlpi_phdr[i];

		if (ph->p_type != PT_GNU_RELRO)
			continue;
		r->start = r->base + ph->p_vaddr;
		r->end = r->start + ph->p_memsz;
	}
	return 1;
}

static void slot_set(const struct relro *r, void **slot, void *value)
{
	uintptr_t at = (uintptr_t)slot;
	void *page = (void *)(at - at % OUR_PAGE);
	bool sealed = at >= r->start && at < r->end;

	if (sealed && mprotect(page, OUR_PAGE, PROT_READ | PROT_WRITE))
		return;
	*slot = value;
	if (sealed)
		mprotect(page, OUR_PAGE, PROT_READ);
}

static bool imports_open(void *handle, struct imports *im, struct relro *r)
{
	if (!imports_read(handle, im))
		return false;
	memset(r, 0, sizeof(*r));
	r->base = im->base;
	dl_iterate_phdr(relro_find, r);
	return true;
}

void dac_keep_table(void *handle)
{
	struct imports im;
	struct relro r;

	if (!imports_open(handle, &im, &r))
		return;
	void **map = import_slot(&im, "mmap64");
	if (!map)
		map = import_slot(&im, "mmap");
	void **unmap = import_slot(&im, "munmap");
	if (!map || !unmap)
		return;
	slot_set(&r, map, (void *)cached_mmap);
	slot_set(&r, unmap, (void *)cached_munmap);
}

/* ---- A DAC that was built for musl ----------------------------------- */

static void bind_newest(const struct imports *im, const struct relro *r,
			const struct relas *relas)
{
	for (size_t i = 0; i < relas->n; i++) {
		const Elf64_Rela *rela = &relas->v[i];
		const Elf64_Sym *symbol =
		    &im->symbols[ELF64_R_SYM(rela->r_info)];
		void **slot = (void **)(im->base + rela->r_offset);
		uint32_t type = ELF64_R_TYPE(rela->r_info);

		if (symbol->st_shndx != SHN_UNDEF ||
		    (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT))
			continue;
		void *newest = dlsym(RTLD_DEFAULT, im->names + symbol->st_name);
		if (newest && newest != *slot)
			slot_set(r, slot, newest);
	}
}

void dac_bind_newest(void *handle)
{
	struct imports im;
	struct relro r;

	if (!imports_open(handle, &im, &r))
		return;
	bind_newest(&im, &r, &im.calls);
	bind_newest(&im, &r, &im.data);
}
