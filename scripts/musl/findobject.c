/*
 * glibc's _dl_find_object, which Debian's libgcc asks for the unwind tables
 * that cover an address, by what musl has: dl_iterate_phdr.
 */
#define _GNU_SOURCE
#include <link.h>
#include <stddef.h>
#include <stdint.h>

struct found {
	unsigned long long flags;
	void *start, *end, *link_map, *eh_frame;
	unsigned long long reserved[7];
};

struct question {
	uintptr_t pc;
	struct found *ret;
	int has_tables;
};

static int look(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct question *q = arg;
	const ElfW(Phdr) *tables = NULL;
	int inside = 0;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + h->p_vaddr;

		if (h->p_type == PT_GNU_EH_FRAME)
			tables = h;
		if (h->p_type != PT_LOAD || q->pc - start >= h->p_memsz)
			continue;
		inside = 1;
		q->ret->start = (void *)start;
		q->ret->end = (void *)(start + h->p_memsz);
	}
	if (!inside)
		return 0;
	if (tables) {
		q->ret->eh_frame = (void *)(info->dlpi_addr + tables->p_vaddr);
		q->has_tables = 1;
	}
	return 1;
}

__attribute__((visibility("hidden"))) int _dl_find_object(void *pc, void *ret)
{
	struct question q = {(uintptr_t)pc, ret, 0};

	dl_iterate_phdr(look, &q);
	return q.has_tables ? 0 : -1;
}
