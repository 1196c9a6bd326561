/*
 * A table that the DAC need not make anew for each stop.
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

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>

enum {
	TABLE_BYTES = 4 << 20,
	OUR_PAGE = 4096,
};

// The DAC's calls have no argument of ours, and the DAC is loaded once for
// all sessions: this is the one variable of its kind.
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

struct imports {
	uintptr_t base;
	const Elf64_Rela *relas;
	size_t n_relas;
	const Elf64_Sym *symbols;
	const char *names;
};

static bool imports_read(void *handle, struct imports *ret)
{
	struct link_map *map;
	size_t bytes = 0;

	memset(ret, 0, sizeof(*ret));
	if (dlinfo(handle, RTLD_DI_LINKMAP, &map))
		return false;
	ret->base = map->l_addr;
	for (const Elf64_Dyn *dyn = map->l_ld; dyn->d_tag != DT_NULL; dyn++) {
		// glibc has made addresses of these in place
		if (dyn->d_tag == DT_JMPREL)
			ret->relas = (const Elf64_Rela *)dyn->d_un.d_ptr;
		else if (dyn->d_tag == DT_PLTRELSZ)
			bytes = dyn->d_un.d_val;
		else if (dyn->d_tag == DT_SYMTAB)
			ret->symbols = (const Elf64_Sym *)dyn->d_un.d_ptr;
		else if (dyn->d_tag == DT_STRTAB)
			ret->names = (const char *)dyn->d_un.d_ptr;
	}
	ret->n_relas = bytes / sizeof(*ret->relas);
	return ret->relas && ret->symbols && ret->names;
}

static void **import_slot(const struct imports *im, const char *name)
{
	for (size_t i = 0; i < im->n_relas; i++) {
		const Elf64_Rela *rela = &im->relas[i];
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

void dac_keep_table(void *handle)
{
	struct imports im;
	struct relro r = {0};

	if (!imports_read(handle, &im))
		return;
	void **map = import_slot(&im, "mmap64");
	if (!map)
		map = import_slot(&im, "mmap");
	void **unmap = import_slot(&im, "munmap");
	if (!map || !unmap)
		return;
	r.base = im.base;
	dl_iterate_phdr(relro_find, &r);
	slot_set(&r, map, (void *)cached_mmap);
	slot_set(&r, unmap, (void *)cached_munmap);
}
